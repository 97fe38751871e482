"""Output formats that commands share: text, JSON, markdown, JUnit XML and annotations."""

from __future__ import annotations

import argparse
import logging
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from workbench import _json


def say(text: str) -> None:
    """Print a line, or several; what the terminal cannot show is written as an escape."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def visible(text: str) -> str:
    """Text in one line: control characters, line ends and changes of direction as escapes.

    Names are chosen by other people, and must not forge a line of a log or move the cursor.
    """
    return "".join(_escaped(one) if _acts(one) else one for one in text)


#: Characters that a table shows of a text.
_LONGEST = 60


def one_line(text: str, longest: int | None = _LONGEST) -> str:
    """Text in one line, without what a terminal obeys.

    Parameters
    ----------
    text : str
    longest : int, optional
        Characters that it has at most; None for all of them.
    """
    safe = visible(" ".join(text.split()))
    return safe if longest is None or len(safe) <= longest else f"{safe[: longest - 1]}…"


def say_table(rows: Sequence[Sequence[str]]) -> None:
    """Print texts in columns, each in one line."""
    cells = [[one_line(text) for text in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        say("  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip())


def visible_lines(text: str) -> str:
    """`visible` text that keeps its line ends."""
    return "\n".join(map(visible, text.split("\n")))


class ShownNames(logging.Filter):
    """Log filter that writes names in messages as `visible` text."""

    def filter(self, record: logging.LogRecord) -> bool:
        """True, with the texts among the arguments of the message made visible."""
        if isinstance(record.args, tuple):
            record.args = tuple(visible(one) if isinstance(one, str) else one
                                for one in record.args)  # fmt: skip
        return True

    @classmethod
    def install(cls) -> None:
        """Have all that logs to the terminal use it."""
        for handler in logging.getLogger().handlers:
            if not any(isinstance(one, cls) for one in handler.filters):
                handler.addFilter(cls())


def _acts(character: str) -> bool:
    """Whether a character acts on what is around it: ``Cf`` also has the joiners of emoji."""
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in _DIRECTIONS


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


#: Characters that change the direction of the text after them.
_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@contextmanager
def apart() -> Iterator[None]:
    """Context in which everything printed, also by child processes, goes to the standard error.

    A machine that reads the result must find nothing else.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def add_format(command: argparse.ArgumentParser, junit: str, *more: tuple[str, str]) -> None:
    """Add the options ``--format`` and ``--json``.

    Parameters
    ----------
    command : argparse.ArgumentParser
    junit : str
        What the JUnit XML contains, for the help text.
    *more : (str, str)
        Further formats, and what they contain.
    """
    formats = ("text", "json", "markdown", "junit", *(name for name, _ in more))
    words = ["text (default)", "json", "a markdown table", junit, *(what for _, what in more)]
    command.add_argument(
        "--format",
        choices=formats,
        default="text",
        help=f"{', '.join(words[:-1])}, or {words[-1]}",
    )
    command.add_argument(
        "--json",
        action="store_const",
        dest="format",
        const="json",
        help="the same as --format json",
    )


def to_json(report: dict[str, Any]) -> str:
    """A report as JSON; NaN and ±∞ are strings."""
    return _json.dumps(_json.plain(report, "text"), indent=2)


def cell(text: str) -> str:
    """Text within one cell of a markdown table."""
    return re.sub(r"\s+", " ", text).replace("|", r"\|")


def code_span(text: str) -> str:
    """Text as a code span of markdown, in which nothing else is marked up."""
    line = visible(text)
    longest = max(map(len, re.findall("`+", line)), default=0)
    fence, space = "`" * (longest + 1), " " if line[:1] == "`" or line[-1:] == "`" else ""
    return f"{fence}{space}{line}{space}{fence}"


def quoted(text: str) -> str:
    """Text in quotation marks, in one line."""
    return f"“{visible(text)}”"


#: How a sentence quotes what others named: `quoted`, or `code_span` in markdown.
Quote = Callable[[str], str]


@dataclass(frozen=True)
class Case:
    """A test as JUnit counts them.

    Attributes
    ----------
    name : str
    outcome : {"failure", "skipped", "passed"}
    kind : str
        The word for a failure, or for what made the test say nothing.
    message, text : str
        In a line, and in full.
    """

    name: str
    outcome: str
    kind: str
    message: str
    text: str


def to_junit(name: str, group: str, facts: Mapping[str, str], cases: Iterable[Case]) -> str:
    """Test cases as JUnit XML, in the elements that Jenkins and GitLab read.

    Written in ASCII, so that any shell passes it on.

    Parameters
    ----------
    name : str
        Of the test suite.
    group : str
        Name of the scores or of the mechanism.
    facts : mapping
        Properties of the suite.
    cases : iterable of Case
    """
    cases = tuple(cases)
    outcomes = [case.outcome for case in cases]
    counts = {
        "name": name,
        "tests": str(len(cases)),
        "failures": str(outcomes.count("failure")),
        "errors": "0",
        "skipped": str(outcomes.count("skipped")),
    }
    # The outer element has no count of skipped tests in Jenkins' schema.
    outer = {name: n for name, n in counts.items() if name != "skipped"}
    root = ElementTree.Element("testsuites", outer)
    suite = ElementTree.SubElement(root, "testsuite", counts)
    properties = ElementTree.SubElement(suite, "properties")
    for fact, value in facts.items():
        ElementTree.SubElement(properties, "property", name=fact, value=_xml(value))
    for case in cases:
        element = ElementTree.SubElement(
            suite, "testcase", classname=_xml(group), name=_xml(case.name)
        )
        if case.outcome == "passed":
            inner = ElementTree.SubElement(element, "system-out")
        else:
            inner = ElementTree.SubElement(
                element, case.outcome, type=case.kind, message=_xml(case.message)
            )
        inner.text = _xml(case.text)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="us-ascii", xml_declaration=True).decode("ascii")


def annotation(level: str, title: str, message: str) -> str:
    """A line of a log that GitHub shows as an annotation of the build.

    Parameters
    ----------
    level : {"error", "warning", "notice"}
    title, message : str
    """
    return f"::{level} title={_command(title, ':,')}::{_command(message)}"


def _command(text: str, more: str = "") -> str:
    """Text with the characters escaped that end a part of GitHub's workflow commands."""
    for character in f"%\r\n{more}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def _xml(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)
