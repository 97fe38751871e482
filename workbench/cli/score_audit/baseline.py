"""`Baseline`: a saved audit that new scores are compared with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench._format import percent, plain
from workbench.audits.audit import Audit
from workbench.audits.comparison import AuditComparison
from workbench.audits.errors import ArchiveError
from workbench.audits.imported import Imported
from workbench.audits.package import AuditPackage, read_package
from workbench.bounds.simultaneous.compare import Comparison, compare
from workbench.cli.output import quoted
from workbench.scores.sample import Scores
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.workspace import Workspace

if TYPE_CHECKING:
    from workbench.audits.archive import Archive

#: The verdicts on new scores.
MORE = "leaks more than {}"
NOT_MORE = "not shown to leak more than {}"
UNKNOWN = "cannot be compared with {}"

#: Parameters of the page that the numbers rest on, and what they are called.
PARAMETERS = {
    "log_delta": "δ",
    "confidence": "confidence",
    "ordering": "attack statistic",
    "interval": "interval",
}


@dataclass(frozen=True)
class Baseline:
    """A saved audit that new scores are compared with.

    Attributes
    ----------
    audit : Audit
        As it was saved.
    audits : AuditComparison
        The saved audit and the new one.
    comparison : Comparison, optional
        Of the new scores (A) and the saved ones (B); None where the scores were not saved. Only
        this can show that one of the two leaks more: lower bounds may differ because one attack, or
        one sample, is weaker.
    """

    audit: Audit
    audits: AuditComparison
    comparison: Comparison | None = None

    @classmethod
    def of(
        cls, saved: Audit, kept: Scores | None, new: Audit, scores: Scores, confidence: float
    ) -> Baseline:
        """The comparison of new scores with a saved audit.

        Parameters
        ----------
        saved : Audit
        kept : Scores, optional
            Those of the saved audit; see `kept_scores`.
        new : Audit
        scores : Scores
        confidence : float
            Of the comparison, at all false positive rates together.
        """
        comparison = None if kept is None else compare(scores, kept, confidence)
        return cls(saved, AuditComparison((saved, new)), comparison)

    @property
    def worse(self) -> bool:
        """Whether the new scores certainly leak more at some false positive rate."""
        return self.comparison is not None and bool((self.comparison.verdict > 0).any())

    @property
    def noun(self) -> str:
        """What the saved audit is called: nobody checked here what an imported one states."""
        return "the baseline" if self.audit.imported is None else "the imported baseline"

    @property
    def verdict(self) -> str:
        """Whether the new scores leak more, in a few words."""
        if self.comparison is None:
            return UNKNOWN.format(self.noun)
        return (MORE if self.worse else NOT_MORE).format(self.noun)

    def explain(self) -> str:
        """What the comparison shows, both audits side by side, and what changed, in sentences."""
        return " ".join(
            filter(None, (self.finding(), self.origin(), self.side_by_side, self.change()))
        )

    def origin(self) -> str:
        """What a reader has to know of an imported baseline; "" for one that was made here."""
        imported = self.audit.imported
        if imported is None:
            return ""
        by = f" by {quoted(imported.by)}" if imported.by else ""
        when = replace(imported, by="").short
        return (
            f"The baseline was {when}{by}: its scores and numbers are what its file states, and "
            "were not checked here."
        )

    def finding(self) -> str:
        """What the comparison of the scores shows, or why there is none."""
        found, made = self.comparison, f"{self.audit.made.astimezone():%Y-%m-%d}"
        name = f"{quoted(self.audit.name)} ({self.audit.key}, {made})"
        if found is None:
            return (
                f"{self.noun.capitalize()} {name} was saved without its scores: only lower bounds "
                "can be put side by side, which do not show which of the two leaks more. Save "
                "audits with --keep-scores to compare them."
            )
        level = f"{percent(found.confidence)} confidence for all rates together"
        assumed = f"scores: {found.a.assumption}; of the baseline: {found.b.assumption}"
        text = f"Compared with {self.noun} {name}, at {level} ({assumed}): "
        more, less = (", ".join(_spans(found, which)) for which in (1, -1))
        if more:
            text += f"the scores leak more at false positive rates {more}"
        else:
            text += (
                "the scores are not shown to leak more at any false positive rate, which does not "
                "show that they do not"
            )
        return f"{text}; they leak less at {less}." if less else f"{text}."

    @property
    def side_by_side(self) -> str:
        """Bounds of both audits, as a sentence."""
        pairs = [
            f"{new.symbol} {old.relation} {old.rounded} then and {new.relation} {new.rounded} now"
            for old, new in self._bounds()
        ]
        return f"Bounds: {'; '.join(pairs)}." if pairs else ""

    @property
    def changes(self) -> dict[str, tuple[str, str]]:
        """What changed besides the scores: reading, parameters and versions, then and now."""
        readings: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
        for reading, audit in zip(readings, self.audits.audits, strict=True):
            for data in audit.data[:1]:
                how = {name: value for name, value in data.reading.items() if name != "seed"}
                reading.update(_flat(how))  # other scores have a number of their own
        found = {
            name.replace("_", " "): tuple(str(one.get(name, "–")) for one in readings)
            for name in dict.fromkeys([*readings[0], *readings[1]])
        }
        for name, words in PARAMETERS.items():
            values = [one.settings.get(name, "–") for one in self.audits.audits]
            found[words] = tuple(_shown(name, one) for one in values)
        found |= self.audits.software
        if self.audits.pages:
            found["page"] = self.audits.pages
        return {name: (old, new) for name, (old, new) in found.items() if old != new}

    def change(self) -> str:
        """What changed besides the scores, as a sentence."""
        if not self.changes:
            return "Reading, parameters and software are the same."
        each = [
            f"{name} was {quoted(old)}, is {quoted(new)}"
            for name, (old, new) in self.changes.items()
        ]
        return f"Changed: {'; '.join(each)}."

    def _bounds(self) -> Iterator[tuple[Any, Any]]:
        """Bounds of both audits on the same quantity at the same δ or rate."""
        before, after = (one.bounds for one in self.audits.audits)
        for name, new in after.items():
            old = before.get(name)
            valid = old is not None and not old.void and not new.void
            if old is not None and valid and new.guarantee != "estimate" and old.at == new.at:
                yield old, new

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        found = self.comparison
        return {
            "name": self.audit.name,
            "key": self.audit.key,
            "verdict": self.verdict,
            "imported": None if self.audit.imported is None else self.audit.imported.to_dict(),
            "confidence": None if found is None else found.confidence,
            "ranges": []
            if found is None
            else [
                {"from": low, "to": high, "leaks": {1: "more", 0: "unknown", -1: "less"}[which]}
                for low, high, which in found.ranges
            ],
            "bounds": [
                {"symbol": new.symbol, "baseline": old.value, "now": new.value}
                for old, new in self._bounds()
            ],
            "changes": {
                name: {"baseline": old, "now": new} for name, (old, new) in self.changes.items()
            },
            "explanation": self.explain(),
        }


def saved_audit(archive: Archive, name: str) -> AuditPackage:
    """A saved audit, with the scores that were saved with it.

    Parameters
    ----------
    archive : Archive
    name : str
        A key or a name in the archive; or the path of a file that `Archive.export` wrote.
    """
    if name not in archive and Path(name).is_file():
        try:
            package = read_package(Path(name))
        except ArchiveError as error:
            raise ArchiveError(f"--baseline {Path(name).name!r}: {error}") from error
        return replace(package, audit=replace(package.audit, imported=Imported.now()))
    audit = archive[name]
    return AuditPackage(audit, archive.attachments(audit.key))


def kept_scores(saved: AuditPackage, workspace: Workspace) -> Scores | None:
    """The scores of a saved audit, or of the workspace; None if they are in neither.

    Parameters
    ----------
    saved : AuditPackage
    workspace : Workspace
        May have the data set.
    """
    if len(saved.audit.data) != 1:
        return None
    # Imported here, for an audit without a baseline needs the core alone.
    from workbench.pages.auditing.attached import bring_data
    from workbench.pages.auditing.page_of import data_set

    brought = Workspace()
    bring_data(saved.audit, saved.attachments, brought)
    for home in (brought, workspace):
        try:
            return home.scores(data_set(saved.audit.data[0], home).key)
        except WorkspaceError:  # it is not there
            continue
    return None


def _flat(reading: Mapping[str, Any]) -> dict[str, Any]:
    """How data were read: the columns beside the other choices."""
    columns = reading.get("layout") or {}
    rest = {name: value for name, value in reading.items() if name != "layout"}
    return {**columns, **rest}


def _shown(name: str, value: Any) -> str:
    """A parameter of the page as text; δ is stored as its logarithm."""
    if name == "log_delta" and isinstance(value, int | float):
        from workbench.pages.core.sliders import number_of

        return plain(number_of(value))
    return percent(value) if isinstance(value, float) else str(value)


def _spans(found: Comparison, which: int) -> Iterator[str]:
    for low, high, verdict in found.ranges:
        if verdict == which:
            yield plain(low) if low == high else f"{plain(low)}–{plain(high)}"
