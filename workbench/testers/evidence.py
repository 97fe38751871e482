"""What the audit of a mechanism showed, with all its evidence; it can be saved and replayed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import _html
from workbench._format import percent, plain, round_safely
from workbench.claims.base import Claim
from workbench.testers import serialization
from workbench.testers.finders.neighbors import Neighbors, left_over
from workbench.testers.property_testers.base import Finding, Tester

if TYPE_CHECKING:
    import pandas as pd

VERDICTS = ("violation found", "none found", "nothing tested")


@dataclass(frozen=True)
class Picture:
    """Measured outputs of one trial in at most 60 bins, and what the witness makes of them.

    Attributes
    ----------
    tester : str
        Whose witness.
    of : {"outputs", "outcomes", "strength"}
        Numbers of one column in bins; the most frequent outcomes, most frequent first; or, of
        outputs of several columns, the witness's strength in bins.
    labels : tuple of str
        A bin each.
    edges : tuple of float, optional
        Of the first ``len(edges) − 1`` bins, whose first and last also take whatever lies beyond;
        bins after them are outcomes of their own, such as NaN. None for "outcomes".
    counts_p, counts_q : tuple of int
        Outputs on the dataset and on its neighbor.
    strength : tuple of float
        Mean of `Witness.strength` over the outputs of the bin; NaN where there are none.
    """

    tester: str
    of: str
    labels: tuple[str, ...]
    edges: tuple[float, ...] | None
    counts_p: tuple[int, ...]
    counts_q: tuple[int, ...]
    strength: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Trial:
    """One pair of neighboring datasets, and what each tester found on it.

    Attributes
    ----------
    index : int
        From 0; with the audit's seed it fixes all randomness of the trial.
    neighbors : Neighbors, optional
        None where no datasets came about.
    findings : mapping of str to Finding
        By tester.
    refused : mapping of str to str
        Testers that took no part, and why.
    error : str, optional
        Why the trial was lost; None when it was not.
    seconds : float
        What it took, the mechanism included.
    runs : int
        Runs of the mechanism that it used.
    confidence : float, optional
        Of each finding; None where nothing was measured.
    pictures : mapping of str to Picture
        Of the best finding's witness.
    promise : float, optional
        The largest `Witness.promise`: by it finders compare datasets.
    digest : str
        Of the outputs that the witnesses were fitted on.
    dependent : str, optional
        Why the outputs are not independent runs, which voids the findings.
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
    promise: float | None = None
    digest: str = ""
    dependent: str | None = None

    @property
    def violation(self) -> bool:
        """Whether a finding refutes the claim."""
        return any(finding.violation for finding in self.findings.values())

    @property
    def tested(self) -> bool:
        """Whether anything was found that counts, for or against the claim."""
        return any(finding.bound.void is None for finding in self.findings.values())

    @property
    def best(self) -> str | None:
        """The tester with the strongest finding; None without any."""
        return max(self.findings, key=lambda name: rank(self.findings[name]), default=None)


@dataclass(frozen=True, eq=False)
class Evidence:
    """A finding, and where it was made."""

    trial: Trial
    tester: str
    finding: Finding


@dataclass(frozen=True, eq=False)
class Replay:
    """A witness measured once more, on fresh outputs.

    Attributes
    ----------
    evidence : Evidence
        What is checked.
    finding : Finding
        On fresh outputs; one test, so at the full confidence.
    fitted_anew : bool
        Whether the mechanism gave other outputs than in the audit where the witness was fitted, so
        that it is another witness. The finding holds all the same.
    samples : int
        Measured outputs a side.
    seed : int
    """

    evidence: Evidence
    finding: Finding
    fitted_anew: bool
    samples: int
    seed: int

    @property
    def violation(self) -> bool:
        """Whether the claim is refuted again."""
        return self.finding.violation

    def in_words(self) -> str:
        """What the replay showed, in a sentence or two."""
        said = "confirmed" if self.violation else "not confirmed"
        if self.finding.bound.void:
            said = f"void, for {self.finding.bound.void}"
        text = f"{said} on fresh samples: {finding_in_words(self.finding)}"
        if self.fitted_anew:
            text += (
                "; the mechanism did not repeat the outputs of the audit, so the witness was "
                "fitted anew"
            )
        return text + "."

    def __repr__(self) -> str:
        return f"Replay({self.in_words()})"


@dataclass(frozen=True, eq=False, repr=False)
class MechanismAudit:
    """A search for datasets on which a mechanism breaks its claim.

    All claims of all findings hold together with the stated confidence; see
    `workbench.testers.error_budget`.

    Attributes
    ----------
    name : str
        The mechanism's: of the gallery, or ``MODULE:FUNCTION``.
    claim : Claim or Pair
    testers : tuple of str
    trials : tuple of Trial
        By index; those that were lost are among them.
    planned : int
        Trials among which the error is shared.
    samples : int
        Runs of the mechanism a trial on each dataset; a fifth fits, the others measure.
    confidence : float
    seed : int
    neighboring_relation : {"add-remove", "substitute"}
    finder : str
        Where the datasets came from.
    anytime : bool
        Whether it was to stop at the first violation.
    complete : bool
        False when it was cancelled, or broke down, before it was done.
    seconds : float
    detectable : mapping of str to float or None
        For each tester, the parameter from which on a leak is found with 80 % chance, on the right
        datasets; see `Tester.detectable`.
    notes : tuple of str
        What a reader must know.
    mechanism : callable, optional
        What was audited; not saved.
    used : mapping of str to Tester
        The testers themselves; not saved.
    """

    name: str
    claim: Claim
    testers: tuple[str, ...]
    trials: tuple[Trial, ...]
    planned: int
    samples: int
    confidence: float
    seed: int
    neighboring_relation: str
    finder: str
    anytime: bool = False
    complete: bool = True
    seconds: float = 0.0
    detectable: Mapping[str, float | None] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    mechanism: Callable[..., Any] | None = None
    used: Mapping[str, Tester] = field(default_factory=dict)

    # -- what it says -----------------------------------------------------------------------------

    @property
    def violation(self) -> bool:
        """Whether the claim is refuted."""
        return any(trial.violation for trial in self.trials)

    @property
    def verdict(self) -> str:
        """One of "violation found", "none found", "nothing tested"."""
        if self.violation:
            return VERDICTS[0]
        return VERDICTS[1] if any(trial.tested for trial in self.trials) else VERDICTS[2]

    @cached_property
    def best(self) -> Evidence | None:
        """The strongest evidence: a violation before all others, the largest parameter first."""
        found = [
            Evidence(trial, name, finding)
            for trial in self.trials
            for name, finding in trial.findings.items()
        ]
        return max(found, key=lambda evidence: rank(evidence.finding), default=None)

    @property
    def runs(self) -> int:
        """Runs of the mechanism in all trials together."""
        return sum(trial.runs for trial in self.trials)

    @property
    def errors(self) -> Mapping[int, str]:
        """Why trials were lost, by index."""
        return {trial.index: trial.error for trial in self.trials if trial.error is not None}

    @property
    def least_detectable(self) -> float | None:
        """The parameter from which on some tester finds a leak; None where none is known."""
        known = [value for value in self.detectable.values() if value is not None]
        return min(known, default=None)

    def in_words(self) -> str:
        """The verdict in a sentence, with the datasets of a violation or the power behind none."""
        best = self.best
        if self.verdict == VERDICTS[0] and best is not None:
            where = f"{best.tester}, trial {best.trial.index + 1} of {self.planned}"
            return (
                f"violation found: {finding_in_words(best.finding)} ({where}; "
                f"{percent(self.confidence)} for all trials and testers together). "
                f"{datasets_in_words(best.trial.neighbors)}"
            )
        tested = sum(trial.tested for trial in self.trials)
        lost = len(self.trials) - tested
        but = f" ({_trials(lost)} lost)" if lost else ""
        if self.verdict == VERDICTS[1]:
            return (
                f"none found in {_trials(tested)}{but}; {self._power()}. This does not show that "
                "the mechanism is private."
            )
        reason = f": {self._commonest}" if self._commonest else ""
        return f"nothing tested in {_trials(len(self.trials))}{reason}."

    def explain(self) -> str:
        """The verdict, what it rests on, and every note, as sentences."""
        settings = (
            f"{self.name} was audited against the claim {self.claim}, on "
            f"{_trials(len(self.trials))} of {self.planned} planned, with "
            f"{self.samples:,} runs on each dataset ({self.runs:,} runs in all); datasets: "
            f"{self.finder}, neighbors by {self.neighboring_relation}; testers: "
            f"{', '.join(self.testers)}; seed {self.seed}."
        )
        return " ".join([self.in_words(), settings, *self.notes])

    def _power(self) -> str:
        symbol, least = self.claim.symbol, self.least_detectable
        if least is None:
            return "what they could have found is not known for such a claim"
        if np.isinf(least):
            return "so few outputs could have shown no leak at all"
        return (
            f"a leak of {symbol} ≥ {round_safely(least, 'up')} would have been found with 80 % "
            "chance on the right datasets"
        )

    @property
    def _commonest(self) -> str:
        """The reason for which most was lost."""
        reasons: Counter[str] = Counter()
        for trial in self.trials:
            if trial.error is not None:
                reasons[trial.error] += 1
            elif trial.dependent is not None:
                reasons[trial.dependent] += 1
            else:
                reasons.update(f"{name} refused: {why}" for name, why in trial.refused.items())
        return reasons.most_common(1)[0][0] if reasons else ""

    # -- checked again ----------------------------------------------------------------------------

    def replay(
        self,
        mechanism: Callable[..., Any] | None = None,
        samples: int | None = None,
        confidence: float = 0.95,
        seed: int = 1,
        time_limit: float | None = None,
    ) -> Replay:
        """Measure the best finding's witness once more, on fresh outputs.

        Parameters
        ----------
        mechanism : callable, optional
            By default the one that was audited; of a loaded result it is looked up by name, which
            runs the code that the name stands for.
        samples : int, optional
            Fresh outputs a side; by default as many as were measured.
        confidence : float
            Of this one test.
        seed : int
            Of the fresh outputs; they are never those of the audit, whatever it is.
        time_limit : float, optional
            As of `audit_mechanism`.

        Raises
        ------
        ValueError
            There is no finding, or the mechanism is not found or fails.
        """
        from workbench.testers.trial import replay

        return replay(self, mechanism, samples, confidence, seed, time_limit)

    # -- how it travels ---------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """A row a trial and tester."""
        import pandas as pd

        return pd.DataFrame(
            [_row(trial, name) for trial in self.trials for name in self.testers],
            columns=_COLUMNS,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything but the mechanism itself, as values that JSON knows; see `from_dict`."""
        return serialization.plain(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> MechanismAudit:
        """The result of which `to_dict` gave these values; ValueError if it did not."""
        found = serialization.revived(values)
        if not isinstance(found, cls):
            raise ValueError("these values are not those of a MechanismAudit")
        return found

    def save(self, path: str | Path) -> None:
        """Write it to a JSON file."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)
        Path(path).write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> MechanismAudit:
        """Read what `save` wrote; nothing in the file is run.

        Raises
        ------
        ValueError
            The file holds something else.
        """
        try:
            return cls.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{path} is not a saved audit of a mechanism: {error}") from error

    @property
    def code(self) -> str:
        """Code that makes this result again, from a ``mechanism`` and its ``datasets``."""
        known = self.finder in ("random", "grid", "bandit")
        arguments = {
            "datasets": repr(self.finder) if known else "datasets",
            "testers": repr(self.testers),
            "trials": repr(self.planned),
            "samples": repr(self.samples),
            "confidence": repr(self.confidence),
            "seed": repr(self.seed),
            "neighboring_relation": repr(self.neighboring_relation),
            "anytime": repr(self.anytime),
        }
        given = "".join(f"    {name}={value},\n" for name, value in arguments.items())
        claim = repr(str(self.claim)) if self.claim.symbol else "claim"
        return f"wb.audit_mechanism(\n    mechanism,\n    {claim},\n{given})"

    def __repr__(self) -> str:
        return f"MechanismAudit({self.name}, {self.claim}: {self.in_words()})"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = []
        for name in self.testers:
            findings = [trial.findings[name] for trial in self.trials if name in trial.findings]
            if findings:
                best = max(findings, key=rank)
                least = self.detectable.get(name)
                power = f"finds {round_safely(least, 'up')}" if least is not None else ""
                rows.append((name, finding_in_words(best), power))
            else:
                why = next((t.refused[name] for t in self.trials if name in t.refused), "")
                rows.append((name, "not tested", why))
        said = " ".join([self.in_words(), *self.notes])
        return _html.table(f"{self.name}, claim {self.claim}", rows, said)


# -- in words -------------------------------------------------------------------------------------


def rank(finding: Finding) -> tuple[bool, bool, float]:
    """Larger for stronger evidence: violations first, void ones last."""
    strength = finding.bound.value - finding.allowed
    if finding.parameter is not None:
        strength = finding.parameter
    return finding.violation, finding.bound.void is None, strength


def finding_in_words(finding: Finding) -> str:
    """What was found, and what is claimed: of the claim's parameter where it has one."""
    bound, own = finding.bound, finding.claim.parameter
    if own is None or finding.parameter is None:
        allowed = round_safely(finding.allowed, "up")
        return f"{bound.symbol} ≥ {bound.rounded} where the claim allows {allowed}"
    symbol = finding.claim.symbol
    return f"{symbol} ≥ {round_safely(finding.parameter, 'down')} where {plain(own)} is claimed"


def datasets_in_words(neighbors: Neighbors | None) -> str:
    """Which datasets, and in which record they differ."""
    if neighbors is None:
        return "No datasets came about."
    a, b = neighbors.dataset, neighbors.neighbor
    if max(a.size, b.size) <= _FEW:
        return f"Dataset: {_listed(a)}; neighbor: {_listed(b)}."
    more, fewer = left_over(a, b), left_over(b, a)
    if neighbors.neighboring_relation == "substitute":
        differ = f"the neighbor has {_listed(fewer)} in place of {_listed(more)}"
    else:
        differ = (
            f"the neighbor lacks {_listed(more)}"
            if len(more)
            else (f"the neighbor also has {_listed(fewer)}")
        )
    return f"Dataset: {_records(len(a))}; {differ}."


#: Values that are listed one by one.
_FEW = 10


def _records(count: int) -> str:
    return f"{count:,} record" + ("" if count == 1 else "s")


def _listed(records: Any) -> str:
    return np.array2string(np.asarray(records), precision=4, separator=", ").replace("\n", "")


def _trials(count: int) -> str:
    return f"{count:,} trial" + ("" if count == 1 else "s")


_COLUMNS = (
    "trial", "tester", "violation", "quantity", "value", "allowed", "parameter", "direction",
    "confidence", "void", "refused", "error", "seconds", "runs",
)  # fmt: skip


def _row(trial: Trial, tester: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "trial": trial.index,
        "tester": tester,
        "refused": trial.refused.get(tester),
        "error": trial.error,
        "seconds": trial.seconds,
        "runs": trial.runs,
    }
    finding = trial.findings.get(tester)
    if finding is not None:
        row |= {
            "violation": finding.violation,
            "quantity": finding.bound.symbol,
            "value": finding.bound.value,
            "allowed": finding.allowed,
            "parameter": finding.parameter,
            "direction": finding.bound.direction,
            "confidence": finding.bound.confidence,
            "void": finding.bound.void,
        }
    return row
