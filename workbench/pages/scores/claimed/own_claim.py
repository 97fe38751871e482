"""`OwnClaim`: what was promised of the mechanism, kept with the data set, and its test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.bounds.power.judge import verdict_on
from workbench.bounds.power.verdict import Verdict
from workbench.claims.base import Claim
from workbench.claims.pair import PairClaim
from workbench.pages.core.page import Control, derived
from workbench.pages.core.upload import Upload, UploadedFile
from workbench.pages.inputs.claims.risk import claim_for_risk
from workbench.pages.inputs.claims.stated import CLAIM, KeptClaim, answering, stated_controls
from workbench.pages.inputs.reference import REFERENCE, REFERENCES
from workbench.pages.scores.claimed.former import from_former
from workbench.pairs.claimed import ProfileTablePair

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


class OwnClaim(KeptClaim):
    """What was promised of the mechanism whose scores are in view, and whether they refute it.

    The claim is kept with the data set; see `KeptClaim`. The verdict holds for all claims at once
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
        """The test of the claim; None without one, or where nobody drew who was in."""
        claim, scores = self.own_claim(), self.page.statistic.measured()
        if claim is None or scores.sampling == "given":
            return None
        return verdict_on(scores, claim, self.page.confidence)

    @property
    def words(self) -> str:
        """The claim as a plan compares it: its text, or words where no text names it."""
        claim = self.own_claim()
        return "" if claim is None else self.text or str(claim)

    def renamed(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Settings in which a claim that earlier versions had as a reference is a claim."""
        return from_former(settings, _FURTHER)

    def about_risk(self) -> Mapping[str, Any]:
        """The claim that is tested, where its numbers can be typed."""
        return claim_for_risk(self.page.own_claim())

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
