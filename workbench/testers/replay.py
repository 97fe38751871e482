"""`Replay`: a finding measured again on fresh outputs of the mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench import _checks
from workbench.testers.evidence import TrialFinding
from workbench.testers.outputs.table_encoding import fit_encoding
from workbench.testers.property_testers.base import Finding
from workbench.testers.report import finding_in_words
from workbench.testers.running.independence import dependence
from workbench.testers.running.portable import PortableMechanism
from workbench.testers.running.sandbox import MechanismError
from workbench.testers.running.source import TESTER, OutputSource, digest, stream
from workbench.testers.trial import CALLS, TrialSettings

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Replay:
    """A finding of an audit, measured again on fresh outputs.

    Attributes
    ----------
    evidence : TrialFinding
        The finding that is checked.
    finding : Finding
        On fresh outputs; a single test, so at the full confidence.
    fitted_anew : bool
        Whether the mechanism did not repeat the outputs that the witness was fitted on in the
        audit, so that it is another witness. The finding is valid all the same.
    samples : int
        Measured outputs on each dataset.
    seed : int
    """

    evidence: TrialFinding
    finding: Finding
    fitted_anew: bool
    samples: int
    seed: int

    def to_frame(self) -> pd.DataFrame:
        """One row: the finding, and the runs and the seed that it rests on."""
        return self.finding.to_frame().assign(samples=self.samples, seed=self.seed)

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def violation(self) -> bool:
        """Whether the claim is refuted again."""
        return self.finding.violation

    def in_words(self) -> str:
        """The result in one or two sentences."""
        said = "confirmed" if self.violation else "not confirmed"
        if not self.finding.claim.stated:
            said = "measured again"
        if self.finding.bound.void:
            said = f"not valid, because {self.finding.bound.void},"
        text = f"{said} on fresh samples: {finding_in_words(self.finding)}"
        if self.fitted_anew:
            text += (
                "; the mechanism did not repeat the outputs of the audit, so the witness was "
                "fitted anew"
            )
        return text + "."

    def __repr__(self) -> str:
        return f"Replay({self.in_words()})"


def replay(
    evidence: TrialFinding,
    mechanism: PortableMechanism,
    settings: TrialSettings,
    place: int,
    *,
    samples: int,
    seed: int,
) -> Replay:
    """Measure a finding's witness again, on fresh outputs.

    Parameters
    ----------
    evidence : TrialFinding
        On known datasets.
    mechanism : PortableMechanism
    settings : TrialSettings
        Of the audit, with a budget for one finding.
    place : int
        Of the tester among those of the audit; it determines its random stream.
    samples : int
        Fresh outputs on each dataset.
    seed : int
        Of the fresh outputs.

    Returns
    -------
    Replay

    Raises
    ------
    ValueError
        The trial has no datasets, or a file has kept only their text, or the mechanism fails.
    """
    trial = evidence.trial
    if trial.neighbors is None:
        raise ValueError(f"trial {trial.index + 1} has no datasets to run the mechanism on")
    if trial.neighbors.only_text:
        raise ValueError(
            "the file has only the text of these datasets, on which no mechanism runs; repeat the "
            "audit with the same seed, and replay its result before it is saved"
        )
    tester, key = settings.testers[evidence.tester], (settings.seed, trial.index)
    source = OutputSource(mechanism, trial.neighbors, settings.size, key, settings.time_limit)
    try:
        fit = source.call(0)
        fitted_anew = digest(fit) != trial.digest
        encoding = fit_encoding(*fit)
        encoded = encoding(fit[0]), encoding(fit[1])
        witness = tester.fit(*encoded, settings.claim, stream(*key, TESTER, place))
        p, q = source.call(CALLS, seed, size=samples)
    except MechanismError as error:
        raise ValueError(f"the mechanism failed: {error}") from error
    finally:
        source.close()
    finding = witness.measure_in_words(
        encoding(p), encoding(q), settings.budget.confidence, encoding
    )
    dependent = dependence([fit[0], p], [fit[1], q])
    if dependent is not None:
        finding = finding.voided(dependent)
    return Replay(evidence, finding, fitted_anew, samples, seed)
