"""Names that mean something in an output language, and what documents are made of."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass
from urllib.parse import urlparse

from bleach._vendor import html5lib
from markdown import markdown as python_markdown
from markdown_it import MarkdownIt
from mistune import create_markdown

#: Where a browser would ask, if a name made it.
ELSEWHERE = "evil.example"

NASTY_NAMES = {
    # HTML
    "script": "<script>alert(1)</script>",
    "image": f'<img src="http://{ELSEWHERE}/x" onerror="alert(1)">',
    "svg": f"<svg/onload=alert(1)><use href='//{ELSEWHERE}/x#y'/></svg>",
    "iframe": f'<iframe srcdoc="<script>alert(1)</script>" src="//{ELSEWHERE}"></iframe>',
    "anchor": '<a href="javascript:alert(1)">x</a>',
    "style": f"<style>@import '//{ELSEWHERE}/x'</style><link rel=stylesheet href=//{ELSEWHERE}>",
    "details": "<details open ontoggle=alert(1)><summary>x",
    "ends": '"></title></textarea></style></script></template><script>alert(1)</script>',
    "attribute": 'x" onmouseover="alert(1)" style="position:fixed" y=\'',
    "comment": "<!-- --!><img src=x onerror=alert(1)> -->",
    "cdata": "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "instruction": "<?xml-stylesheet href='//evil.example/x'?><!DOCTYPE x [<!ENTITY y 'z'>]>&y;",
    "entities": "&lt;img src=x onerror=alert(1)&gt; &#x3c;b&#62; &amp;lt; &lt;",
    "unclosed": "<img src=x onerror=alert(1) ",
    "block": "<div>\n\n<script>alert(1)</script>\n\n</div>",
    "base": f'<base href="//{ELSEWHERE}/"><meta http-equiv=refresh content="0;url=//{ELSEWHERE}">',
    # Markdown
    "md image": f"![x](http://{ELSEWHERE}/x.png)",
    "md link": "[x](javascript:alert(1)) [y](data:text/html,<script>alert(1)</script>)",
    "md titled": f'[x](<//{ELSEWHERE}> "a title") ![y][z]',
    "md autolink": f"<http://{ELSEWHERE}/x> <javascript:alert(1)> <a@{ELSEWHERE}>",
    "md bare": f"http://{ELSEWHERE}/a HTTPS://{ELSEWHERE}/b www.{ELSEWHERE}/c ftp://{ELSEWHERE}",
    "md domain": "www.x.com example.com //localhost/x mailto:ada@example.com",
    "md reference": f"[x]: http://{ELSEWHERE}/x 'y'",
    "md uses reference": "[x] [x][] ![x]",
    "md table": "a | b |\n| --- | --- |\n| c | d",
    "md heading": "# one\n## two",
    "md setext": "one\n===\ntwo\n---",
    "md trailing": "name ## \\",
    "md list": "- item",
    "md numbered": "1. item",
    "md bracketed": "1) item",
    "md quote": "> quote",
    "md code": "`one` ``two`` ```three``` ~~~four~~~",
    "md fence": "```\n</code></pre><script>alert(1)</script>\n```",
    "md emphasis": "**bold** *it* __bold__ _it_ ~~gone~~ ==marked== x^2^ H~2~O",
    "md escapes": r"\<b\> \\ \* \[x\](y) \_",
    "md footnote": "[^1] and [^1]: note",
    "md definition": ": definition",
    "md abbreviation": "*[HTML]: x",
    "md mention": "@octocat, @org/team #1 owner/repo#2 GH-3 a5c3785ed8d6a35868bc169f07e40e889087fd",
    "md directive": "{include} /etc/passwd {{jinja}} {% raw %} {eval-rst}`x` (label)=",
    "md comment": "% comment",
    "md rule": "* * *",
    # Formulas
    "math": r"$x$ $$y$$ \(z\) \[w\] \begin{equation}x\end{equation} \href{javascript:alert(1)}{x}",
    "latex": r"\input{/etc/passwd} \immediate\write18{id} % & # _ ^ ~ {} ``''",
    # Terminals and lines
    "ansi": "a\x1b[31mred\x1b]8;;http://evil.example\x07link\x1b]8;;\x07\x1b[2J\x07",
    "c1": "a\x9b31mred\x85b\x7fc",
    "null": "a\x00b\x08\x0b\x0c",
    "lines": "a\r\n::error::forged\n##vso[task.complete]\rSet-Cookie: a=1",
    "separators": "a\u2028b\u2029c\x1cd",
    "bidi": "a\u202etxt.exe\u2066b\u2069 12",
    "zero width": "a\u200bb\u200cc\ufeffd\u2060e",
    "surrogates": "lone \ud800 and \udcff",
    "not in XML": "a\ufffeb\uffffc\x01",
    # Spreadsheets
    "formula": f'=HYPERLINK("http://{ELSEWHERE}","x")',
    "at": "@SUM(1+1)*cmd|' /C calc'!A0",
    "minus": "-2+3",
    "plus": "+cmd|' /C calc'!A0",
    "wide formula": "＝1+1",
    "tabbed": "\t=1+1\tb",
    "semicolon": 'a;=1+1;"b",c',
    # Templates and programs
    "templates": "{{7*7}} ${7*7} #{7*7} <%= 7*7 %> {0} {name!r} %s %(x)d %{x} %{customdata[0]}",
    "python": '"""\'\'\'\\N{BULLET}\\x41\\\n__import__("os").abort()#',
    "quotes": "a' + str(1/0) + ' \" \\",
    "magics": "%%bash\n!ls\n%env X=1",
    "shell": "$(touch x) `touch x` ; touch x | & > x\n-rf",
    "plotly": "<b>bold</b><br><a href='http://evil.example'>x</a><extra></extra>",
    # Files and addresses
    "path": "../../etc/passwd\\..\\x",
    "device": "CON",
    "reserved": 'a<b>c:d"e/f\\g|h?i*j',
    "percent": "%0a%0d%00%2e%2e%2fx",
    # Other scripts
    "emoji": "👩\u200d💻🏴\U000e0067\U000e007f é ﷽ ｆｕｌｌ",
    "rtl": "שלום عربى 123",
    "long": "<b>|`*_" * 17,
    "prototype": "__proto__",
}

HARMLESS = "harmless name"

#: What loads, runs or leads elsewhere.
_ADDRESSES = ("href", "src", "action", "data", "poster", "srcset", "xlink:href", "formaction")


@dataclass(frozen=True)
class Document:
    """What a browser makes of HTML.

    Attributes
    ----------
    elements : Counter
        How often it has an element, with which attributes, and which addresses.
    text : str
        What a person reads, as `one_line`.
    """

    elements: Counter[tuple[str, ...]]
    text: str


def parsed(html: str) -> Document:
    """What a browser makes of HTML."""
    found: Counter[tuple[str, ...]] = Counter()
    tree = html5lib.parse(html, namespaceHTMLElements=False)
    for one in tree.iter():
        if not isinstance(one.tag, str):
            found["comment",] += 1
            continue
        if one.tag in ("script", "style"):
            one.text = ""
        keys = {name if isinstance(name, str) else ":".join(map(str, name)): value
                for name, value in one.attrib.items()}  # fmt: skip
        addresses = [f"{name}={keys[name][:40]}" for name in _ADDRESSES if name in keys]
        found[(str(one.tag), *sorted(keys), *addresses)] += 1
    return Document(found, one_line("".join(tree.itertext())))


def one_line(text: str) -> str:
    """Text with single spaces, and none of no width."""
    return " ".join(text.replace("\u200b", "").split())


def _commonmark(source: str) -> str:
    return str(MarkdownIt("commonmark", {"html": True}).enable("table").render(source))


def _github(source: str) -> str:
    """As GitHub, and with links made of all that looks like a domain."""
    return str(MarkdownIt("gfm-like", {"html": True, "linkify": True}).render(source))


_MISTUNE = create_markdown(
    escape=False, plugins=["table", "url", "strikethrough", "footnotes", "math", "abbr"]
)


def _mistune(source: str) -> str:
    return str(_MISTUNE(source))


def _python(source: str) -> str:
    """The dialect of the first Markdown, with tables and fenced code."""
    return str(python_markdown(source, extensions=["extra", "sane_lists"]))


#: Renderers of Markdown with HTML on.
RENDERERS = {
    "CommonMark": _commonmark,
    "GitHub": _github,
    "mistune": _mistune,
    "Python-Markdown": _python,
}


def rows_of(text: str) -> list[list[str]]:
    """The cells of a csv file."""
    return list(csv.reader(io.StringIO(text), strict=True))


def leads_elsewhere(address: str) -> bool:
    """Whether a browser asks another host for an address."""
    found = urlparse(address)
    return found.scheme not in ("data", "blob", "about", "file") and found.hostname not in (
        "localhost",
        "127.0.0.1",
    )
