"""What trials found: `Trial`, `TrialFinding`, and the `Picture` of a witness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench import _checks
from workbench.testers.finders.neighbors import Neighbors
from workbench.testers.property_testers.base import Finding


@dataclass(frozen=True)
class Picture:
    """Histogram of the measured outputs of one trial, with the witness's mean score in each bin.

    Attributes
    ----------
    tester : str
        The tester whose witness it is.
    of : {"outputs", "outcomes", "scores"}
        What the bins hold: numbers of one column; the most frequent outcomes, most frequent first;
        or, for outputs with several columns, the witness's scores.
    labels : tuple of str
        One for each bin.
    edges : tuple of float, optional
        Of the first ``len(edges) − 1`` bins; the first and the last of these are open. Later bins
        are single outcomes, such as NaN. None for "outcomes".
    counts_p, counts_q : tuple of int
        Outputs on the dataset and on its neighbor.
    scores : tuple of float
        Mean of `FittedWitness.scores` over the outputs of the bin; NaN where there are none.
    """

    tester: str
    of: str
    labels: tuple[str, ...]
    edges: tuple[float, ...] | None
    counts_p: tuple[int, ...]
    counts_q: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Trial:
    """One pair of neighboring datasets, and each tester's finding on it.

    Attributes
    ----------
    index : int
        From 0; with the audit's seed it determines all randomness of the trial.
    neighbors : Neighbors, optional
        None where no datasets were proposed.
    findings : mapping of str to Finding
        By tester.
    refused : mapping of str to str
        Testers that were skipped, with the reason.
    error : str, optional
        Why the trial was lost; None when it was not.
    seconds : float
        Duration, including the mechanism's.
    runs : int
        Number of runs of the mechanism.
    confidence : float, optional
        Of each finding; None where nothing was measured.
    pictures : mapping of str to Picture
        Of the best finding's witness.
    predicted : float, optional
        The largest `FittedWitness.predicted`, by which finders compare datasets.
    digest : str
        Hash of the outputs that the witnesses were fitted on.
    dependent : str, optional
        Why the outputs are not independent runs, which invalidates the findings.
    """

    index: int
    neighbors: Neighbors | None
    findings: Mapping[str, Finding] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None
    seconds: float = 0.0
    runs: int = 0
    confidence: float | None = None
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    predicted: float | None = None
    digest: str = ""
    dependent: str | None = None

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def violation(self) -> bool:
        """Whether a finding refutes the claim."""
        return any(finding.violation for finding in self.findings.values())

    @property
    def tested(self) -> bool:
        """Whether any finding is valid, for or against the claim."""
        return any(finding.bound.void is None for finding in self.findings.values())

    @property
    def best(self) -> str | None:
        """The tester with the strongest finding; None without any."""
        return max(self.findings, key=lambda name: self.findings[name].rank, default=None)


@dataclass(frozen=True, eq=False)
class TrialFinding:
    """A finding, with its trial and tester.

    Attributes
    ----------
    trial : Trial
    tester : str
    finding : Finding
    """

    trial: Trial
    tester: str
    finding: Finding
