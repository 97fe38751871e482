"""`Findings`: the bound, the verdicts and the threats of three tables, and the exit status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.bounds.bound import Bound
from workbench.cli.audit import read_claim
from workbench.cli.score_audit.file_audit import STATUS
from workbench.onerun.judged import GuessVerdict
from workbench.synthetic.audit import SyntheticAudit
from workbench.synthetic.threats.base import Threat
from workbench.synthetic.threats.registry import default_attacks

#: The exit status where a claim cannot be judged.
NOT_JUDGED = 4


@dataclass(frozen=True)
class Findings:
    """What an audit of a synthetic table found.

    Attributes
    ----------
    audit : SyntheticAudit
    bound : Bound
        On ε, of the attack that was asked for.
    verdicts : tuple of GuessVerdict
        They hold together with the confidence.
    threats : tuple of Threat
    names : tuple of str
        Of the three files.
    confidence : float
    """

    audit: SyntheticAudit
    bound: Bound
    verdicts: tuple[GuessVerdict, ...]
    threats: tuple[Threat, ...]
    names: tuple[str, ...]
    confidence: float

    @classmethod
    def of(
        cls,
        train: Path,
        holdout: Path,
        synthetic: Path,
        *,
        split: str,
        unit: str | None,
        columns: Mapping[str, str],
        claims: Sequence[str],
        delta: float,
        confidence: float,
        attack: str,
        secret: str | None,
        remove_copies: bool,
        seed: int | None,
    ) -> Findings:
        """The findings of three files.

        Parameters
        ----------
        train, holdout, synthetic : Path
        split, unit, columns, seed
            As of `SyntheticAudit`.
        claims : sequence of str
        delta, confidence, attack
            As of `SyntheticAudit.epsilon`.
        secret : str, optional
            The one column that is inferred.
        remove_copies : bool
            Whether rows that occur more than once are left out.
        """
        made = list(dict.fromkeys(map(read_claim, claims)))
        audit = SyntheticAudit(
            train,
            holdout,
            synthetic,
            split=split,
            unit=unit,
            columns=columns or None,
            claim=made[0] if len(made) == 1 else None,
            duplicates="remove" if remove_copies else "keep",
            seed=seed,
        )
        bound = audit.epsilon(delta, confidence=confidence, attack=attack)
        each = 1 - (1 - confidence) / max(len(made), 1)
        return cls(
            audit,
            bound,
            tuple(audit.judge(claim, confidence=each) for claim in made),
            audit.threats(default_attacks(secret), delta=delta, confidence=confidence),
            tuple(path.name for path in (train, holdout, synthetic)),
            confidence,
        )

    @property
    def judged(self) -> bool:
        """Whether verdicts are valid."""
        return not any(verdict.void for verdict in self.verdicts)

    @property
    def status(self) -> int:
        """1 if a claim is refuted, 4 if none can be judged, 3 if there are too few records."""
        if not self.judged:
            return NOT_JUDGED
        found = {verdict.verdict for verdict in self.verdicts}
        return next((status for verdict, status in STATUS.items() if verdict in found), 0)

    @property
    def answer(self) -> str:
        """What was found, in a sentence."""
        bound = self.bound
        if bound.guarantee == "estimate":
            return f"An estimate: {self.audit.why_estimate}."
        if bound.void:
            return f"Not valid: {bound.void}."
        if bound.value > 0:
            return "The synthetic table tells who was in the training table."
        return "No leak is shown. That does not show that there is none."
