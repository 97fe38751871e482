"""Output formats that commands share: text, JSON, markdown, JUnit XML and annotations."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO
from xml.etree import ElementTree

from workbench import _json
from workbench._markup import escape_json, visible, visible_lines


def say(text: str) -> None:
    """Print a line, or several; what acts on a terminal, or what it cannot show, as escapes."""
    _write(sys.stdout, text)


def complain(text: str) -> None:
    """Print to the standard error what is wrong, after the name of the program."""
    _write(sys.stderr, f"workbench: {text}")


def _write(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"
    shown = visible_lines(text)
    stream.write(shown.encode(encoding, "backslashreplace").decode(encoding) + "\n")


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
    """A report as JSON, in which no name acts on a terminal; NaN and ±∞ are strings."""
    return escape_json(_json.dumps(_json.plain(report, "text"), indent=2))


def quoted(text: str) -> str:
    """Text in quotation marks, in one line."""
    return f"“{visible(text)}”"


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
    return f"::{level} title={_command(visible(title), ':,')}::{_command(visible_lines(message))}"


def _command(text: str, more: str = "") -> str:
    """Text with the characters escaped that end a part of GitHub's workflow commands."""
    for character in f"%\r\n{more}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def _xml(text: str) -> str:
    """Text without the characters that XML cannot hold, which are among those that act."""
    return visible_lines(text)
