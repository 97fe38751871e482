"""`Shrunk`: a smaller pair of datasets on which a finding holds, measured on fresh outputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench import _checks
from workbench._format import percent
from workbench.mechanisms.base import Domain
from workbench.mechanisms.table_domain import TableDomain
from workbench.testers.error_budget import Budget
from workbench.testers.evidence import TrialFinding
from workbench.testers.finders.neighbors import Neighbors
from workbench.testers.finders.smaller import smaller
from workbench.testers.outputs.table_encoding import fit_encoding
from workbench.testers.property_testers.base import Finding, Tester
from workbench.testers.report import count_in_words, datasets_in_words, finding_in_words
from workbench.testers.running.independence import dependence
from workbench.testers.running.portable import PortableMechanism
from workbench.testers.running.sandbox import MechanismError
from workbench.testers.running.source import TESTER, OutputSource, stream
from workbench.testers.trial import CALLS, TrialSettings

if TYPE_CHECKING:
    import pandas as pd

#: Pairs that are measured at the end at most: the two smallest, and that of the audit.
MEASURED = 3


@dataclass(frozen=True, eq=False)
class Shrunk:
    """A smaller pair of datasets for a finding of an audit.

    Attributes
    ----------
    evidence : TrialFinding
        The finding of the audit. It holds as it was measured, whatever came of shrinking.
    neighbors : Neighbors
        The smallest pair that was confirmed, or that of the audit.
    finding : Finding
        On this pair, on fresh outputs.
    confidence : float
        Of the measurements of the shrinking together, which are apart from those of the audit.
    tried : int
        Smaller pairs on which the mechanism was run.
    samples : int
        Measured outputs on each dataset.
    seed : int
    """

    evidence: TrialFinding
    neighbors: Neighbors
    finding: Finding
    confidence: float
    tried: int
    samples: int
    seed: int

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def violation(self) -> bool:
        """Whether the claim is refuted on this pair."""
        return self.finding.violation

    @property
    def smaller(self) -> bool:
        """Whether it is another pair than that of the audit."""
        return self.neighbors is not self.evidence.trial.neighbors

    def in_words(self) -> str:
        """The pair and its measurement in a few sentences."""
        tried = count_in_words(self.tried, "smaller pair")
        level = f"{percent(self.confidence)} for this replay, apart from the audit"
        if self.finding.bound.void:
            return f"not valid, because {self.finding.bound.void}."
        if not self.violation:
            return f"not confirmed on fresh samples: {finding_in_words(self.finding)} ({level})."
        held = "a smaller pair shows it" if self.smaller else "none shows it better"
        return (
            f"of {tried} tried, {held}: {finding_in_words(self.finding)} on fresh samples "
            f"({level}). {datasets_in_words(self.neighbors)}"
        )

    def to_frame(self) -> pd.DataFrame:
        """One row: the finding, and the runs and the seed that it rests on."""
        return self.finding.to_frame().assign(samples=self.samples, seed=self.seed)

    def __repr__(self) -> str:
        return f"Shrunk({self.in_words()})"


@dataclass
class _Shrinking:
    mechanism: PortableMechanism
    settings: TrialSettings
    tester: Tester
    place: int
    planned: int
    seed: int
    used: int = field(default=0)

    def measured(self, neighbors: Neighbors, confidence: float) -> Finding:
        """The finding on a pair, fitted and measured on outputs that nobody saw before."""
        self.used += 1
        key = self.settings.seed, self.planned + self.used  # no trial of the audit has this index
        size, limit = self.settings.size, self.settings.time_limit
        source = OutputSource(self.mechanism, neighbors, size, key, limit)
        try:
            fit = source.call(0, self.seed)
            rng = stream(*key, TESTER, self.place, self.seed)
            encoding = fit_encoding(*fit)
            encoded = encoding(fit[0]), encoding(fit[1])
            witness = self.tester.fit(*encoded, self.settings.claim, rng)
            p, q = source.call(1, self.seed, size=size * (CALLS - 1))
        finally:
            source.close()
        finding = witness.measure(encoding(p), encoding(q), confidence)
        dependent = dependence([fit[0], p], [fit[1], q])
        return finding if dependent is None else finding.voided(dependent)

    def shows(self, neighbors: Neighbors, confidence: float) -> bool:
        """Whether a pair shows the violation, as far as one look tells."""
        try:
            return self.measured(neighbors, confidence).violation
        except (MechanismError, ValueError):  # it fails on such datasets
            return False


def shrink(
    evidence: TrialFinding,
    mechanism: PortableMechanism,
    settings: TrialSettings,
    place: int,
    domain: Domain | TableDomain,
    *,
    planned: int,
    tries: int,
    seed: int,
) -> Shrunk:
    """Look for a smaller pair of datasets on which a finding holds, and measure it.

    Smaller pairs are tried one after another; one on which the violation shows takes the place of
    the one before. These looks decide only which pair is measured at the end, on outputs drawn
    then. At most `MEASURED` pairs are, the smallest first, and share the error probability of the
    settings, so that what is said of any of them holds with their confidence.

    Parameters
    ----------
    evidence : TrialFinding
        A violation on known datasets.
    mechanism : PortableMechanism
    settings : TrialSettings
        Of the audit, with the budget of the measurements at the end.
    place : int
        Of the tester among those of the audit.
    domain : Domain or TableDomain
        What all datasets are in.
    planned : int
        Trials of the audit.
    tries : int
        Smaller pairs to try, at most.
    seed : int

    Returns
    -------
    Shrunk

    Raises
    ------
    ValueError
        The mechanism fails on the datasets of the finding.
    """
    found = evidence.trial.neighbors
    if found is None:
        raise ValueError(f"trial {evidence.trial.index + 1} has no datasets")
    tester = settings.testers[evidence.tester]
    work = _Shrinking(mechanism, settings, tester, place, planned, seed)
    accepted = [found]
    going = True
    while going and work.used < tries:
        going = False
        for candidate in smaller(accepted[-1], domain):
            if work.used == tries:
                break
            if work.shows(candidate, settings.budget.confidence):
                accepted.append(candidate)
                going = True
                break
    tried = work.used
    last = [*accepted[:0:-1][: MEASURED - 1], found]
    level = Budget(settings.budget.confidence, len(last)).level(1)
    for neighbors in last:
        try:
            finding = work.measured(neighbors, level)
        except MechanismError as error:
            raise ValueError(f"the mechanism failed: {error}") from error
        if finding.violation or neighbors is found:
            break
    return Shrunk(
        evidence,
        neighbors,
        finding,
        settings.budget.confidence,
        tried,
        settings.size * (CALLS - 1),
        seed,
    )
