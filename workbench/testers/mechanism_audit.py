"""`MechanismAudit`: the result of auditing a mechanism; it can be saved and replayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import _checks, _json, _markup
from workbench._format import percent, plain, round_safely
from workbench._plot import beside, figure, plot
from workbench.bounds.bound import Bound
from workbench.claims.base import Claim
from workbench.claims.unclaimed import Unclaimed
from workbench.mechanisms.adapting.adapt import mechanism_from
from workbench.mechanisms.base import Domain
from workbench.mechanisms.table_domain import TableDomain
from workbench.testers import report, serialization
from workbench.testers.error_budget import Budget
from workbench.testers.evidence import Trial, TrialFinding
from workbench.testers.finders import SEARCHES
from workbench.testers.finders.records import is_frame
from workbench.testers.property_testers import registry
from workbench.testers.property_testers.base import Tester
from workbench.testers.replay import Replay, replay
from workbench.testers.report import FOUND, LARGEST, NONE_FOUND, NOTHING_TESTED
from workbench.testers.running.load_mechanism import find_mechanism
from workbench.testers.running.portable import PortableMechanism
from workbench.testers.shrink import Shrunk, shrink
from workbench.testers.trial import CALLS, TrialSettings

if TYPE_CHECKING:
    import pandas as pd


#: What values of a file raise that are none of a result.
_DAMAGE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True, eq=False)
class AuditSettings:
    """What was asked of an audit.

    Attributes
    ----------
    name : str
        The mechanism's: of the gallery, or ``MODULE:FUNCTION``.
    claim : Claim or Pair
    testers : tuple of str
    trials : int
        Planned number of trials, among which the error is shared.
    samples : int
        Runs of the mechanism on each dataset of a trial; a fifth fits, the others measure.
    confidence : float
        Of all findings together.
    seed : int
    neighboring_relation : {"add-remove", "substitute", "user", "label", "stated"}
    finder : str
        Where the datasets come from.
    anytime : bool
        Whether to stop at the first violation.
    """

    name: str
    claim: Claim
    testers: tuple[str, ...]
    trials: int
    samples: int
    confidence: float
    seed: int
    neighboring_relation: str
    finder: str
    anytime: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class MechanismAudit:
    """Result of searching for datasets on which a mechanism breaks its claim.

    All findings hold together with the stated confidence; see `workbench.testers.error_budget`.

    Attributes
    ----------
    settings : AuditSettings
    trials : tuple of Trial
        By index, including those that were lost.
    complete : bool
        False when it was cancelled, or failed, before it was done.
    seconds : float
        Duration.
    notes : tuple of str
        Caveats and losses, as sentences.
    power : mapping of str to float or None, optional
        Result of `detectable` where it is known, as in a result that was read from a file.
    mechanism : callable or object, optional
        The audited mechanism, as it was given; not saved.
    used : mapping of str to Tester
        The testers themselves; not saved.
    domain : Domain or TableDomain, optional
        Of the datasets, where it is known; not saved.
    """

    settings: AuditSettings
    trials: tuple[Trial, ...]
    complete: bool = True
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    power: Mapping[str, float | None] | None = None
    mechanism: Any = None
    used: Mapping[str, Tester] = field(default_factory=dict)
    domain: Domain | TableDomain | None = None

    plot = plot
    figure = figure

    def __post_init__(self) -> None:
        _checks.fields(self)

    # -- settings ---------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return self.settings.name

    @property
    def claim(self) -> Claim:
        """The claim that was tested."""
        return self.settings.claim

    @property
    def testers(self) -> tuple[str, ...]:
        """Names of the testers."""
        return self.settings.testers

    @property
    def planned(self) -> int:
        """Planned number of trials."""
        return self.settings.trials

    @property
    def samples(self) -> int:
        """Runs of the mechanism on each dataset of a trial."""
        return self.settings.samples

    @property
    def confidence(self) -> float:
        """Confidence of all findings together."""
        return self.settings.confidence

    @property
    def seed(self) -> int:
        """Seed of all randomness."""
        return self.settings.seed

    @property
    def anytime(self) -> bool:
        """Whether the audit was to stop at the first violation."""
        return self.settings.anytime

    @property
    def finder(self) -> str:
        """Where the datasets came from."""
        return self.settings.finder

    @property
    def neighboring_relation(self) -> str:
        """By which the datasets of all trials are neighbors."""
        relations = {
            t.neighbors.neighboring_relation for t in self.trials if t.neighbors is not None
        }
        return " or ".join(sorted(relations)) or self.settings.neighboring_relation

    # -- what it says -----------------------------------------------------------------------------

    @property
    def violation(self) -> bool:
        """Whether the claim is refuted."""
        return any(trial.violation for trial in self.trials)

    @property
    def verdict(self) -> str:
        """One of "violation found", "none found", "nothing tested"; "largest ε" without a claim."""
        if self.violation:
            return FOUND
        if not any(trial.tested for trial in self.trials):
            return NOTHING_TESTED
        return NONE_FOUND if self.claim.stated else LARGEST

    @property
    def largest(self) -> Bound | None:
        """The largest lower bound on the claim's parameter, over all trials and testers together.

        Without a claim that is the largest ε at its δ that the runs prove. None where nothing was
        measured; a bound on the divergence where the claim has no parameter.
        """
        best = self.best
        if best is None:
            return None
        bound = replace(best.finding.bound, confidence=self.confidence)
        if best.finding.parameter is None:
            return bound
        return self.claim.parameter_bound(bound, best.finding.parameter)

    @cached_property
    def best(self) -> TrialFinding | None:
        """The strongest finding: violations first, then by the claim's parameter."""
        found = [
            TrialFinding(trial, name, finding)
            for trial in self.trials
            for name, finding in trial.findings.items()
        ]
        return max(found, key=lambda evidence: evidence.finding.rank, default=None)

    @property
    def runs(self) -> int:
        """Number of runs of the mechanism in all trials."""
        return sum(trial.runs for trial in self.trials)

    @property
    def errors(self) -> Mapping[int, str]:
        """Why trials were lost, by index."""
        return {trial.index: trial.error for trial in self.trials if trial.error is not None}

    def detectable(self) -> Mapping[str, float | None]:
        """The smallest leak that each tester finds with 80% power on the right datasets.

        The first call takes seconds, longer than a small audit; the result is kept.

        Returns
        -------
        mapping of str to float or None
            The claim's parameter, for each tester that measured in some trial, at its level there;
            see `Tester.detectable`.
        """
        return self._detectable if self.power is None else self.power

    @cached_property
    def _detectable(self) -> dict[str, float | None]:
        levels: dict[str, float] = {}
        for trial in self.trials:
            for name in trial.findings:
                if trial.confidence is not None:
                    levels.setdefault(name, trial.confidence)
        n = self.samples // CALLS * (CALLS - 1)
        return {
            name: self._tester(name).detectable(self.claim.for_power, n, n, levels[name])
            for name in self.testers
            if name in levels
        }

    def _tester(self, name: str) -> Tester:
        return self.used[name] if name in self.used else registry.tester(name)

    def least_detectable(self) -> float | None:
        """The smallest value of `detectable`; None where none is known."""
        known = [value for value in self.detectable().values() if value is not None]
        return min(known, default=None)

    def too_weak(self, must_detect: float) -> str | None:
        """Why the audit could not have found such a leak; None where it could.

        Parameters
        ----------
        must_detect : float
            The claim's parameter of the leak.
        """
        must_detect = _checks.number(must_detect, "must_detect")
        least = self.least_detectable()
        if least is not None and least <= must_detect:
            return None
        return (
            f"too weak: a leak of {self.claim.symbol} = {plain(must_detect)} would not have "
            f"been found with probability 80%, only {report.leak_in_words(self.claim, least)}; "
            f"give more samples ({self.samples:,} in each trial), or fewer trials "
            f"({self.planned:,}) or testers ({len(self.testers)})"
        )

    def in_words(self) -> str:
        """The verdict in a sentence, with a violation's datasets or with the power."""
        best = self.best
        if self.verdict == FOUND and best is not None:
            where = f"{best.tester}, trial {best.trial.index + 1} of {self.planned}"
            return (
                f"violation found: {report.finding_in_words(best.finding)} ({where}; "
                f"{percent(self.confidence)} for all trials and testers together). "
                f"{report.datasets_in_words(best.trial.neighbors)}"
            )
        tested = sum(trial.tested for trial in self.trials)
        lost = len(self.trials) - tested
        but = f" ({report.count_in_words(lost, 'trial')} lost)" if lost else ""
        if self.verdict == NONE_FOUND:
            return (
                f"none found in {report.count_in_words(tested, 'trial')}{but}; {self._power()}. "
                "This does not show that the mechanism is private."
            )
        if self.verdict == LARGEST and best is not None:
            where = f"{best.tester}, trial {best.trial.index + 1} of {self.planned}"
            return (
                f"{report.largest_in_words(best.finding)} ({self._together}; {where}){but}. "
                f"{report.datasets_in_words(best.trial.neighbors)}"
            )
        reason = f": {self._commonest}" if self._commonest else ""
        return f"nothing tested in {report.count_in_words(len(self.trials), 'trial')}{reason}."

    @property
    def _together(self) -> str:
        """The guarantee of all findings."""
        return f"held-out, {percent(self.confidence)} for all trials and testers together"

    def explain(self) -> str:
        """The verdict, the settings and every note, as sentences."""
        settings = (
            f"{self.name} was audited {self._against}, in "
            f"{report.count_in_words(len(self.trials), 'trial')} of {self.planned} planned, with "
            f"{self.samples:,} runs on each dataset ({self.runs:,} runs in all); datasets: "
            f"{self.finder}, {report.relation_in_words(self.neighboring_relation)}; "
            f"testers: {', '.join(self.testers)}; "
            f"seed {self.seed}."
        )
        best = self.best
        event = None if best is None else best.finding.event
        counted = [f"The event that was counted: {event}."] if event else []
        apart = self.claim.differences(*report.game_of(self.neighboring_relation))
        return " ".join([self.in_words(), *counted, settings, *self.notes, *apart])

    @property
    def _against(self) -> str:
        return f"against the claim {self.claim}" if self.claim.stated else "without a claim"

    def _power(self) -> str:
        symbol, least = self.claim.symbol, self.least_detectable()
        if least is None:
            return "the smallest detectable leak is not known for such a claim"
        if np.isinf(least):
            return "with so few outputs no leak is detectable"
        return (
            f"a leak of {symbol} ≥ {round_safely(least, 'up')} would have been found with "
            "probability 80% on the right datasets"
        )

    @property
    def _commonest(self) -> str:
        """The most frequent reason why nothing was tested."""
        reasons: Counter[str] = Counter()
        for trial in self.trials:
            if trial.error is not None:
                reasons[trial.error] += 1
            elif trial.dependent is not None:
                reasons[trial.dependent] += 1
            else:
                reasons.update(
                    f"{name} tester skipped: {why}" for name, why in trial.refused.items()
                )
        return reasons.most_common(1)[0][0] if reasons else ""

    # -- checked again ----------------------------------------------------------------------------

    def replay(
        self,
        mechanism: Any = None,
        *,
        samples: int | None = None,
        confidence: float = 0.95,
        seed: int = 1,
        time_limit: float | None = None,
    ) -> Replay:
        """Measure the best finding's witness again, on fresh outputs.

        Parameters
        ----------
        mechanism : callable or object, optional
            As in `audit_mechanism`. By default the audited one; for a loaded result it is looked up
            by name, which runs the code that the name stands for.
        samples : int, optional
            Fresh outputs on each dataset; by default as many as were measured.
        confidence : float
            Of this single test.
        seed : int
            Of the fresh outputs; whatever it is, they are not those of the audit.
        time_limit : float, optional
            As in `audit_mechanism`.

        Returns
        -------
        Replay

        Raises
        ------
        ValueError
            There is no finding, or the mechanism is not found or fails.
        """
        best = self.best
        if best is None or best.trial.neighbors is None:
            raise ValueError(f"there is no finding to replay: {self.in_words()}")
        if time_limit is not None:
            time_limit = _checks.positive(time_limit, "time_limit")
        size = self.samples // CALLS
        name = best.tester
        settings = TrialSettings(
            self.claim,
            {name: self._tester(name)},
            Budget(confidence, 1),
            size,
            self.seed,
            time_limit,
        )
        return replay(
            best,
            PortableMechanism(mechanism_from(self._found(mechanism))),
            settings,
            self.testers.index(name),
            samples=size * (CALLS - 1)
            if samples is None
            else _checks.count(samples, "samples", 1, _checks.DRAWN),
            seed=_checks.count(seed, "seed"),
        )

    def shrink(
        self,
        mechanism: Any = None,
        *,
        domain: Domain | TableDomain | None = None,
        tries: int = 60,
        samples: int | None = None,
        confidence: float = 0.95,
        seed: int = 1,
        time_limit: float | None = None,
    ) -> Shrunk:
        """Look for smaller datasets on which the best finding's violation shows.

        The finding of the audit stays as it was measured. The smaller pair is measured anew, on
        outputs that no other step has seen; that holds at ``confidence``, apart from the audit.

        Parameters
        ----------
        mechanism : callable, optional
            By default the audited one; see `replay`.
        domain : Domain or TableDomain, optional
            What all datasets are in; by default that of the search. A result of given pairs, or
            from a file, does not know it.
        tries : int
            Smaller pairs on which the mechanism is run, at most.
        samples : int, optional
            Runs on each dataset of each of them; by default those of a trial.
        confidence : float
            Of what is said of the smaller pair.
        seed : int
        time_limit : float, optional
            As in `audit_mechanism`.

        Returns
        -------
        Shrunk

        Raises
        ------
        ValueError
            There is no violation, the relation is "stated", so that nothing is known of smaller
            datasets, or the domain is not known.
        """
        best = self.best
        if best is None or best.trial.neighbors is None or not best.finding.violation:
            raise ValueError(f"there is no violation whose datasets shrink: {self.in_words()}")
        pair = best.trial.neighbors
        domain = self.domain if domain is None else domain
        if pair.neighboring_relation == "stated" or pair.only_text:
            raise ValueError(
                "which smaller datasets are neighbors is not known where the caller states it; "
                "audit smaller pairs yourself: datasets=[(dataset, neighbor), …]"
            )
        if domain is None:
            raise ValueError(
                "which datasets the mechanism takes is not known; state it: "
                f"shrink(domain=wb.{'TableDomain' if is_frame(pair.dataset) else 'Domain'}(…))"
            )
        need = "a workbench.Domain or TableDomain, which says what all datasets are in"
        _checks.instance(domain, (Domain, TableDomain), "domain", need)
        if time_limit is not None:
            time_limit = _checks.positive(time_limit, "time_limit")
        if samples is None:
            samples = self.samples
        size = _checks.count(samples, "samples", 10 * CALLS, _checks.DRAWN) // CALLS
        settings = TrialSettings(
            self.claim,
            {best.tester: self._tester(best.tester)},
            Budget(confidence, 1),
            size,
            self.seed,
            time_limit,
        )
        return shrink(
            best,
            PortableMechanism(mechanism_from(self._found(mechanism))),
            settings,
            self.testers.index(best.tester),
            domain,
            planned=self.planned,
            tries=_checks.count(tries, "tries", 1, _checks.REPEATED),
            seed=_checks.count(seed, "seed"),
        )

    def _found(self, mechanism: Any) -> Any:
        if mechanism is not None:
            return mechanism
        if self.mechanism is not None:
            return self.mechanism
        try:
            return find_mechanism(self.name)
        except ValueError as error:
            raise ValueError(
                f"the mechanism {self.name!r} is not found ({error}); give it: replay(mechanism)"
            ) from error

    # -- how it travels ---------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """One row for each trial and tester."""
        import pandas as pd

        return pd.DataFrame(
            [report.row(trial, name) for trial in self.trials for name in self.testers],
            columns=report.COLUMNS,
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values, without the mechanism and the testers; see `from_dict`."""
        return serialization.plain(replace(self, power=self.detectable()))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> MechanismAudit:
        """The result from the values of `to_dict`; ValueError for other values."""
        try:
            found = serialization.revived(values)
        except _DAMAGE as error:
            raise ValueError(str(error)) from error
        if not isinstance(found, cls):
            raise ValueError("these values are not those of a MechanismAudit")
        return found

    def save(self, path: str | Path) -> None:
        """Write it to a JSON file."""
        text = _json.dumps(self.to_dict())
        Path(path).write_text(text, encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> MechanismAudit:
        """The result that `save` wrote; no code in the file is run.

        Raises
        ------
        ValueError
            The file holds something else.
        """
        try:
            return cls.from_dict(_json.loads(Path(path).read_text(encoding="utf-8")))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path} is not a saved audit of a mechanism: {error}") from error

    @property
    def code(self) -> str:
        """Code that repeats the audit, given a ``mechanism`` and its ``datasets``."""
        known = self.finder in SEARCHES
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
        if isinstance(self.claim, Unclaimed):
            claim = f"delta={self.claim.delta_0!r}"
        else:
            claim = repr(str(self.claim)) if self.claim.symbol else "claim"
        return f"wb.audit_mechanism(\n    mechanism,\n    {claim},\n{given})"

    def __repr__(self) -> str:
        return f"MechanismAudit({self.name}, {self.claim}: {self.in_words()})"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = []
        for name in self.testers:
            findings = [trial.findings[name] for trial in self.trials if name in trial.findings]
            if findings:
                best = max(findings, key=lambda finding: finding.rank)
                least = self.detectable().get(name)
                power = f"detects {round_safely(least, 'up')}" if least is not None else ""
                rows.append((name, report.finding_in_words(best), power))
            else:
                why = next((t.refused[name] for t in self.trials if name in t.refused), "")
                rows.append((name, "not tested", why))
        said = " ".join([self.in_words(), *self.notes])
        claimed = f"claim {self.claim}" if self.claim.stated else str(self.claim)
        return beside(_markup.table(f"{self.name}, {claimed}", rows, said), self)
