"""`workbench report`: a saved audit, or the audit of score files, as a document."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

import workbench as wb
from workbench.cli.files import STDIN, GivenFiles, add_layout_arguments
from workbench.cli.output import say
from workbench.cli.parser import CommandParser
from workbench.cli.progress import progress
from workbench.reports.forms import FORMS

if TYPE_CHECKING:
    from workbench.audits.audit import Audit


def add(command: CommandParser) -> None:
    """Add the options of the command `report`."""
    command.description = (
        "Write an audit as a document: one HTML file that needs no network, a PDF, Markdown, JSON "
        "(the audit card), or a notebook that computes the numbers again."
    )
    command.set_defaults(run=report)
    command.add_argument(
        "files",
        metavar="AUDIT",
        nargs="+",
        type=Path,
        help="name or key of a saved audit; or a score file, or one per group, members first",
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        type=Path,
        required=True,
        help="the file to write; its ending chooses the format: .html, .pdf, .md, .json or .ipynb",
    )
    command.add_argument(
        "--form",
        choices=FORMS,
        default="complete",
        help="of .html and .pdf: the complete report, the answer on one page of A4, or both, the "
        "page first; default: %(default)s",
    )
    command.add_argument("--by", default="", help="who made the audit of the score files")
    command.add_argument("--name", default="", help="name of the audit of the score files")
    command.add_argument("--delta", type=float, default=1e-5, help="default: %(default)g")
    command.add_argument("--confidence", type=float, default=0.95, help="default: %(default)g")
    add_layout_arguments(command)


def report(arguments: argparse.Namespace) -> int:
    """Write the report of a saved audit or of score files."""
    from workbench.reports.write import write_report

    workspace = wb.workspace()
    try:
        saved = len(arguments.files) == 1 and not _is_file(arguments.files[0])
        made = _saved(workspace, str(arguments.files[0])) if saved else _audit(arguments)
        with progress() as told:
            path = write_report(made, arguments.output, workspace, told, arguments.form)
    finally:
        workspace.close()
    say(f"{path}: {math.ceil(path.stat().st_size / 1000):,} kB")
    return 0


def _is_file(path: Path) -> bool:
    return path == STDIN or path.exists()


def _saved(workspace: wb.Workspace, name: str) -> Audit:
    from workbench.audits.errors import ArchiveError

    try:
        return workspace.audits[name]
    except ArchiveError as error:
        raise ValueError(f"no file {name!r}, and {error}") from error


def _audit(arguments: argparse.Namespace) -> Audit:
    """The audit of score files, with the settings that the options state before they are read."""
    from workbench import _checks
    from workbench.pages.auditing.audit_of import audit_of
    from workbench.pages.inputs.settings import LEVELS
    from workbench.pages.scores.page import ScoresPage

    delta = _checks.delta(arguments.delta)
    if arguments.confidence not in LEVELS:
        known = ", ".join(map(str, LEVELS))
        raise ValueError(f"--confidence must be one of {known}; got {arguments.confidence!r}")
    if delta <= 0:
        raise ValueError(f"--delta must be above 0 for a report; got {delta!r}")
    workspace = wb.Workspace()
    dataset = GivenFiles.of(arguments).add(workspace, "")
    page = ScoresPage(
        workspace=workspace, log_delta=math.log10(delta), confidence=arguments.confidence
    )
    page.follow(dataset.key)
    return audit_of(page, by=arguments.by).named(arguments.name)
