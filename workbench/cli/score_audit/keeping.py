"""What `--series`, `--save` and `--baseline` have in common: the audit of a file as a page's."""

from __future__ import annotations

import argparse
import getpass
import logging
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from workbench import _checks, _json
from workbench.audits.archive import Archive
from workbench.audits.attachment import Attachment
from workbench.audits.audit import Audit
from workbench.cli.files import GivenFiles
from workbench.cli.score_audit.file_audit import FileAudit
from workbench.pages.auditing.attached import attachments_of
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.scores.page import ScoresPage
from workbench.scores.sample import Scores
from workbench.workspaces.workspace import Workspace

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class FileData:
    """The data set of score files, in a workspace of its own.

    Attributes
    ----------
    workspace : Workspace
    key : str
        Of the data set.
    """

    workspace: Workspace
    key: str

    @classmethod
    def read(cls, arguments: argparse.Namespace, kept: Workspace) -> FileData:
        """The data set of the files on the command line.

        Parameters
        ----------
        arguments : argparse.Namespace
        kept : Workspace
            Where it is noted what was shown of the data, and where their splits come from.
        """
        files = GivenFiles.of(arguments)
        for note in files.notes:
            logger.info("%s", note)
        home = Workspace(seen=kept.seen)
        dataset = files.add(home, "")
        return cls(home, dataset.key)

    @property
    def scores(self) -> Scores:
        """Its scores."""
        return self.workspace.scores(self.key)

    def page(self, delta: float, confidence: float) -> ScoresPage:
        """The scores page about it."""
        return ScoresPage(
            workspace=self.workspace,
            data=self.key,
            confidence=confidence,
            log_delta=math.log10(delta),
        )


def check_delta(delta: float) -> None:
    """Refuse a δ that the page of a saved audit does not have.

    Raises
    ------
    ValueError
        It is none, or 0.
    """
    if _checks.delta(delta) == 0:
        raise ValueError(
            "an audit with --delta 0 cannot be saved or compared; give a small one such as 1e-12"
        )


def page_audit(page: ScoresPage, found: FileAudit, claims: Sequence[str] = ()) -> Audit:
    """The audit of a page, with the verdicts of the command line.

    Parameters
    ----------
    page : Page
    found : FileAudit
    claims : sequence of str
        The claims as they were typed, for the code of the audit.
    """
    with _quiet():  # a page in its first state reads an example
        audit = audit_of(page, by=user())
    verdicts = tuple(_json.plain(one.to_dict(), "text") for one in found.verdicts)
    return replace(audit, verdicts=verdicts, code=_judged(audit.code, claims, page.confidence))


def _judged(code: str, claims: Sequence[str], confidence: float) -> str:
    """The code of a page with the verdicts on claims, before what shows the page."""
    # A table as a claim is in a file of its own.
    texts = [text for text in dict.fromkeys(claims) if not text.strip().startswith("table(")]
    if not texts:
        return code
    lines = ["", "verdicts = ["]
    lines += [f"    wb.judge(scores, {text!r}, confidence={confidence!r})," for text in texts]
    lines += ["]", "", "view = "]
    return code.replace("\nview = ", "\n".join(lines), 1)


def save(archive: Archive, audit: Audit, found: FileAudit, arguments: argparse.Namespace) -> Audit:
    """Save an audit; one of a series as its member, unless the same one is there.

    Parameters
    ----------
    archive : Archive
    audit : Audit
        From `page_audit`.
    found : FileAudit
    arguments : argparse.Namespace

    Returns
    -------
    Audit
        With its key.
    """
    name, previous = arguments.save or "", ""
    if found.series is not None:
        place, series = found.series.audit, found.series.series
        audit = place.member(audit)
        name = name or f"{series.name}, audit {place.position}"
        there = place.audit
        if there is not None:
            if _same(there, audit) and not arguments.save:
                return there
            previous = there.key
    kept: tuple[Attachment, ...] = ()
    if arguments.keep_scores and audit.live is not None:
        kept = attachments_of(audit.live)
    return archive.save(audit, name, arguments.note, tuple(arguments.tag), previous, kept)


def _same(one: Audit, other: Audit) -> bool:
    """Whether two audits of the same scores say the same."""
    return _said(one) == _said(other)


def _said(audit: Audit) -> Any:
    bounds = {name: (bound.value, bound.confidence) for name, bound in audit.bounds.items()}
    return bounds, [(one["claim"], one["verdict"]) for one in audit.verdicts]


@contextmanager
def _quiet() -> Iterator[None]:
    """Context in which nothing is said about files that are read."""
    reader = logging.getLogger("workbench.scores")
    before = reader.level
    reader.setLevel(logging.WARNING)
    try:
        yield
    finally:
        reader.setLevel(before)


def user() -> str:
    """Who runs the program; "" where the system does not say."""
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return ""
