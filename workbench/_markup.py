"""Text of other people in output languages: one function for each, which leaves nothing to act.

Names of files, columns, records, data sets and people are chosen by others. `visible` and
`visible_lines` write them in lines of terminals and logs, `escape_html` in HTML and XML,
`escape_markdown`, `code_span` and `code_block` in Markdown, `csv_cell` in tables for spreadsheets,
`escape_json` in JSON. Charts have `workbench.figures.kit.names.plain_name`, LaTeX has
`workbench.bounds.latex.escape`, Python code has `repr`. `table` is how results show themselves in
a notebook.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

#: Control characters, unpaired surrogates, other line ends, characters that change the direction of
#: what follows, and two that XML cannot hold. The joiners of emoji are none of these.
_ACTING = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
)

_ACTS = re.compile(f"[{_ACTING}\t\n]")
_ACTS_BESIDE_LINES = re.compile(f"[{_ACTING}]")


def visible(text: str) -> str:
    r"""Text in one line, with control characters, line ends and changes of direction as ``\x1b``.

    They would forge a line of a log, move the cursor, or turn around the text after them.
    """
    return _ACTS.sub(_escape_sequence, text)


def visible_lines(text: str) -> str:
    """`visible` text that keeps its line ends and tabs."""
    return _ACTS_BESIDE_LINES.sub(_escape_sequence, text.replace("\r\n", "\n"))


def escape_html(text: str) -> str:
    """Text for HTML and XML, between elements or in an attribute in quotes.

    Parameters
    ----------
    text : str
        Its lines are kept; see `visible_lines`.
    """
    return html.escape(visible_lines(text), quote=True)


def table(title: str, rows: Iterable[Iterable[object]], note: str = "") -> str:
    """A table without a head, as HTML.

    Parameters
    ----------
    title : str
    rows : iterable of iterables
        Cells, shown as ``str`` makes them.
    note : str, optional
        What the numbers promise or rest on.
    """
    cells = "".join(
        "<tr>"
        + "".join(f'<td style="{_CELL}">{escape_html(str(cell))}</td>' for cell in row)
        + "</tr>"
        for row in rows
    )
    under = f"<small>{escape_html(note)}</small>" if note else ""
    head = f"<div><b>{escape_html(title)}</b>"
    return f'{head}<table style="margin:4px 0">{cells}</table>{under}</div>'


_CELL = "text-align:left;padding:2px 16px 2px 0"

#: What Markdown or an extension of it reads anywhere in a line: marks, HTML and entities, ``//`` of
#: an address, ``www.`` and the domain of a bare one.
_MARKS = re.compile(r"[\\`*_\[\]<>&$~|{}^#@]|/(?=/)|(?<=\w)\.(?=[^\W\d])")

#: Marks that every dialect of Markdown takes after a backslash; the others become entities.
_BACKSLASHED = frozenset("`*_#.)")

#: What makes the beginning of a line a list, a definition, a comment or a heading's underline.
_STARTS = re.compile(r"^(\d+)([.)])(?=\s|$)|^()([-+=:%(])")

#: GitHub notifies whom ``@name`` names and links ``#1``, escaped or not; a space of no width parts
#: them. An address such as ada@example.org has no mention.
_MENTION = re.compile(r"(?<!\w)&#64;(?=\w)|\\#(?=\d)")


def escape_markdown(text: str) -> str:
    """Text in one line of Markdown: no markup, HTML, link, image, formula or mention.

    It holds for CommonMark, its extensions and older dialects, and where HTML is rendered.
    """
    line = _MARKS.sub(_marked, visible(" ".join(text.split())))
    line = _STARTS.sub(lambda found: (found[1] or "") + _literal(found[2] or found[4]), line)
    return _MENTION.sub(r"\g<0>&#8203;", line)


def code_span(text: str) -> str:
    """Text as a code span of Markdown, in which nothing else is marked up.

    Parameters
    ----------
    text : str
        In one line; see `visible`.
    """
    line = visible(text)
    if not line.strip():
        return f"` {line} `"
    fence = "`" * (_longest_run(line) + 1)
    space = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{space}{line}{space}{fence}"


def code_block(code: str, language: str) -> str:
    """Lines as a fenced code block of Markdown; "" for no code."""
    if not code:
        return ""
    fence = "`" * max(3, _longest_run(code) + 1)
    return f"{fence}{language}\n{visible_lines(code)}\n{fence}"


#: What spreadsheets take for a formula, also in the wide forms of East Asia.
_FORMULA = re.compile(r"\s*[=+\-@\uff0b\uff0d\uff1d\uff20]")


def csv_cell(text: str) -> str:
    """Text as a cell of a csv file, which no spreadsheet takes for a formula.

    An apostrophe precedes what begins like a formula, as OWASP advises against CSV injection.
    Numbers are cells as they are.
    """
    line = visible(text)
    shown = f"'{line}" if _FORMULA.match(line) else line
    # Spreadsheets of some countries separate cells by semicolons.
    return f'"{shown.replace(chr(34), chr(34) * 2)}"' if re.search('[",;]', shown) else shown


def escape_json(text: str) -> str:
    """JSON with the same values, in which no character acts on a terminal.

    Parameters
    ----------
    text : str
        JSON.
    """
    return _ACTS_BESIDE_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escape_sequence(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


def _marked(found: re.Match[str]) -> str:
    return _literal(found[0])


def _literal(character: str) -> str:
    if character in "<>&":
        return html.escape(character)
    return f"\\{character}" if character in _BACKSLASHED else f"&#{ord(character)};"


def _longest_run(text: str) -> int:
    """The number of backticks of the longest run."""
    return max(map(len, re.findall("`+", text)), default=0)
