"""`write_audit_report`: all audits of a test run in one file, as HTML, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from workbench import __version__, _json
from workbench._markup import escape_html, escape_json
from workbench._markup import escape_markdown as markdown
from workbench.pytest_plugin.records import Record, budget_in_words

_TITLE = "Privacy audits of a test run"

#: Said under every report.
_NOTHING_SHOWN = "None of the verdicts shows that a mechanism is private."

_HEAD = ("test", "audited", "claim", "verdict", "level")

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}th,td{text-align:left;padding:.25rem 1rem .25rem 0;"
    "border-bottom:1px solid #8884;vertical-align:top}pre{white-space:pre-wrap}"
    ":root{color-scheme:light dark}"
)


def write_audit_report(path: Path, records: Sequence[Record]) -> None:
    """Write a report of audits; the ending of the path chooses its format.

    Parameters
    ----------
    path : pathlib.Path
        ``.html``, ``.md`` or ``.json``.
    records : sequence of Record

    Raises
    ------
    OSError
        The file cannot be written.
    """
    path.write_text(FORMATS[path.suffix.lower()](records), encoding="utf-8")


def report_path(text: str) -> Path:
    """The path of a report whose ending names a format.

    Raises
    ------
    ValueError
        Another ending.
    """
    path = Path(text)
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"a report of audits ends in {', '.join(FORMATS)}; got {path.name!r}")
    return path


def as_markdown(records: Sequence[Record]) -> str:
    """A table of the audits, and each in full."""
    lines = [
        f"# {_TITLE}",
        "",
        markdown(_terms(records)),
        "",
        f"| {' | '.join(_HEAD)} |",
        "|---|---|---|---|---|",
    ]
    for one in records:
        lines.append(f"| {' | '.join(map(markdown, _row(one)))} |")
    for one in records:
        lines += ["", f"## {markdown(one.test)}", "", markdown(one.explanation)]
    return "\n".join([*lines, "", f"dp-audit-workbench {__version__}", ""])


def as_html(records: Sequence[Record]) -> str:
    """The same as a page that loads nothing."""
    head = "".join(f"<th>{name}</th>" for name in _HEAD)
    rows = "".join(f"<tr>{''.join(map(_cell, _row(one)))}</tr>" for one in records)
    parts = "".join(
        f"<h2>{escape_html(one.test)}</h2><pre>{escape_html(one.explanation)}</pre>"
        for one in records
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{_TITLE}</title><style>{_STYLE}</style><h1>{_TITLE}</h1>"
        f"<p>{escape_html(_terms(records))}</p><table><tr>{head}</tr>{rows}</table>{parts}"
        f"<p>dp-audit-workbench {__version__}</p></html>\n"
    )


def as_json(records: Sequence[Record]) -> str:
    """The records for machines."""
    report = {
        "version": 1,
        "software": __version__,
        "error_probability": sum(1 - one.confidence for one in records),
        "audits": [_json.plain(vars(one), "text") for one in records],
    }
    return escape_json(_json.dumps(report, indent=2)) + "\n"


def _terms(records: Sequence[Record]) -> str:
    return f"{budget_in_words(records)}. {_NOTHING_SHOWN}" if records else "No test made an audit."


def _row(one: Record) -> tuple[str, ...]:
    return one.test, one.subject, one.claim, _verdict(one), one.level


def _verdict(one: Record) -> str:
    # An audit that was too weak fails its test without a violation.
    return one.verdict if one.passed else f"{one.verdict} (the test failed)"


def _cell(text: str) -> str:
    return f"<td>{escape_html(text)}</td>"


FORMATS: dict[str, Callable[[Sequence[Record]], str]] = {
    ".html": as_html,
    ".md": as_markdown,
    ".json": as_json,
}
