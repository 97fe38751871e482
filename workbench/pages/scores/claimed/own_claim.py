"""`OwnClaim`: what was promised of the mechanism, kept with the data set, and its test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from workbench.bounds.power.judge import verdict_on
from workbench.bounds.power.verdict import Verdict
from workbench.claims.base import Claim
from workbench.claims.pair import PairClaim
from workbench.pages.core.page import Control, derived
from workbench.pages.core.upload import Upload, UploadedFile
from workbench.pages.inputs.claims.stated import (
    CLAIM,
    StatedClaim,
    answering,
    judged_values,
    stated_controls,
)
from workbench.pages.inputs.reference import REFERENCE, REFERENCES
from workbench.pages.scores.claimed.former import from_former
from workbench.pairs.claimed import ProfileTablePair
from workbench.scores.sample import Scores
from workbench.workspaces.dataset import DataSet

#: Kinds of claims that no text names: an uploaded table, and the pair of the first reference.
TABLE, AS_REFERENCE = "table", "reference"
_FURTHER = {TABLE: "table of (ε, δ)", AS_REFERENCE: "no more leakage than the reference"}

#: Why the first reference is no claim.
HEURISTIC = (
    "The reference is a heuristic, which no mechanism promises: nothing is tested. Choose DP-SGD "
    "as the reference, whose attacker sees every step."
)

#: Names of all parameters that a claim on the page rests on.
OWN_CLAIM = (*CLAIM, "claim_table", *REFERENCE)


def read_claims(table: tuple[UploadedFile, ...]) -> ProfileTablePair:
    """The pair that an uploaded table claims in its columns epsilon and delta.

    Raises
    ------
    ValueError
        Not exactly one file, a missing column, or values that are no privacy profile.
    """
    if len(table) != 1:
        raise ValueError(f"{len(table)} files were given; a table of claims is one file")
    (file,) = table
    columns, name = file.table().columns, file.name
    missing = [column for column in ("epsilon", "delta") if column not in columns]
    if missing:
        raise ValueError(
            f"{name!r} has no column {missing[0]!r}, only {', '.join(columns)}; name the columns "
            "epsilon and delta in the header line"
        )
    try:
        return ProfileTablePair(*(tuple(columns[c].tolist()) for c in ("epsilon", "delta")))
    except ValueError as error:
        raise ValueError(f"{name!r}: {error}") from None


class OwnClaim(StatedClaim):
    """What was promised of the mechanism whose scores are in view, and whether they refute it.

    The claim is kept with the data set: it comes into view with it, and `keep_with_data` keeps what
    a person states here. The verdict holds for all claims at once
    (`workbench.bounds.power.judge`), so that a claim that is changed after results were seen marks
    nothing; a plan that fixes another one says so. A claimed δ is proposed as the δ of the bound on
    ε, so that the bound answers the claim.

    The page's message says what is wrong with an uploaded table.
    """

    table = Upload(
        default=(),
        label="Upload table of claims",
        doc="csv, tsv, parquet, feather, npz or json with columns epsilon and delta; each row "
        "claims (ε, δ)-DP. It stays in this server's memory, for this session only.",
    )

    _of_data = ""

    def __init__(self) -> None:
        super().__init__(_FURTHER)

    def start(self, given: frozenset[str]) -> None:
        """Check tables that are uploaded, and have the δ of the bounds follow the claimed one."""
        self.page.param.watch(self._check_table, self.flat("table"))
        self.page.param.watch(self._propose_delta, list(CLAIM))
        self.page.param.watch(self._check_reference, ["claim_kind", "reference_kind"])

    # -- the claim and its test ----------------------------------------------------------------

    @derived(needs=OWN_CLAIM)
    def own_claim(self) -> Claim | None:
        """The claim; None where nothing was promised, or its table is not uploaded yet."""
        if self.kind == TABLE:
            try:
                return PairClaim(read_claims(self.table))
            except ValueError:  # the page's message says why
                return None
        if self.kind == AS_REFERENCE:
            kind = self.page.reference_kind
            chosen: Any = None if kind is None else REFERENCES[kind]
            if chosen is None:
                return None
            values = {name: getattr(self.page, f"reference_{name}") for name in chosen.takes}
            pair = chosen.build(**values)
            return None if pair.heuristic else PairClaim(pair)  # the page's message says why
        return self.stated()

    @derived(needs=("measured", "confidence", *OWN_CLAIM), shared=True)
    def verdict(self) -> Verdict | None:
        """The test of the claim; None without one."""
        claim = self.own_claim()
        if claim is None:
            return None
        return verdict_on(self.page.statistic.measured(), claim, self.page.confidence)

    @property
    def words(self) -> str:
        """The claim as a plan compares it: its text, or words where no text names it."""
        claim = self.own_claim()
        return "" if claim is None else self.text or str(claim)

    # -- kept with the data ----------------------------------------------------------------------

    def values_with(self, dataset: DataSet | None) -> dict[str, Any]:
        """The page's parameters for what was promised of a data set that comes into view."""
        self._of_data = "" if dataset is None else dataset.claim
        try:
            return judged_values(self._of_data)
        except ValueError as error:  # such as a claim that was stated in Python
            return {"claim_kind": None, "message": str(error)}

    def data_came(self, before: Scores | None) -> None:
        """Take a claim that was changed elsewhere, as in the import step."""
        dataset = self.page.source.dataset
        claim = "" if dataset is None else dataset.claim
        if claim != self._of_data:
            values = self.values_with(dataset)
            if claim != self.text:
                self.page.set_quietly(**values)

    def keep_with_data(self) -> None:
        """Keep the claim with the data set in view, where that can be changed."""
        dataset = self.page.source.dataset
        if dataset is None or dataset.claim == self.text:
            return  # without a look at the disk, as after most moves
        if self._is_kept(dataset):
            self._of_data = self.page.workspace.kept.promise(dataset.key, self.text).claim

    def still_stated(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings that were kept of the page, without a claim that the data set has by now."""
        settings = self.renamed(dict(settings))
        dataset = self.page.source.dataset
        unnamed = settings.get("claim_kind") in _FURTHER.values()
        if not self._is_kept(dataset) or (unnamed and not dataset.claim):
            return settings
        return {k: v for k, v in settings.items() if k not in (*CLAIM, "claim_table")}

    def renamed(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Settings in which a claim that earlier versions had as a reference is a claim."""
        return from_former(settings, _FURTHER)

    def _is_kept(self, dataset: DataSet | None) -> TypeGuard[DataSet]:
        return dataset is not None and self.page.workspace.catalog.is_own(dataset.key)

    # -- steps -----------------------------------------------------------------------------------

    def _check_table(self, *events: Any) -> None:
        try:
            read_claims(self.table)
            self.page.message = ""
        except ValueError as error:
            self.page.message = str(error)

    def _check_reference(self, *events: Any) -> None:
        kind = self.page.reference_kind
        if self.kind == AS_REFERENCE and kind is not None and REFERENCES[kind].heuristic:
            self.page.message = HEURISTIC
        elif self.page.message == HEURISTIC:
            self.page.message = ""

    def _propose_delta(self, *events: Any) -> None:
        if self.page.quiet or self.page.restores:
            return
        self.page.param.update(answering(self.stated()))


def own_claim_controls() -> list[Control]:
    """The claim's controls."""
    return [
        *stated_controls(),
        Control("claim_table", when=lambda page: page.claim_kind == TABLE),
    ]
