"""`audit_best_of`: the best of many trainings, chosen by a score, with and without a canary.

A selection trains k ~ ξ models and releases the best one, all of its steps (Xiang, Wang and Wang
2024, Algorithm 2 and §4). Each selection has trainings of its own, so selections are independent,
and every bound for independent runs holds for the score by which the models were chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.curves.validation import Floats
from workbench.progress import Report, silent
from workbench.scores.sample import Scores
from workbench.selection.bounds import epsilon
from workbench.selection.runs import RunCount, require_runs
from workbench.training.audits.audited_record import AuditedRecord
from workbench.training.audits.white_box.step_statistics import Sum
from workbench.training.dp_sgd.canary_gradients import DiracCanaries
from workbench.training.dp_sgd.data import LabeledData
from workbench.training.dp_sgd.dp_sgd import DPSGDSettings

#: By what the best training is chosen, and what is in or out.
CHOICES = ("validation", "canary")
CANARIES = ("dirac", "record")

#: Trainings of one audit, expected.
MOST_TRAININGS = 10**6


@dataclass(frozen=True, eq=False)
class BestOfTrainings:
    """Selections among trainings, with and without a canary.

    Attributes
    ----------
    settings : DPSGDSettings
    runs : RunCount
    choice : {"validation", "canary"}
    scores : Scores
        Of the released models: the mean product of the released gradients with the canary's (the
        paper's λ_a); larger with the canary. −∞ where nothing is released.
    chosen_by : Scores
        The score by which each released model was chosen; larger is better.
    single : Scores
        λ_a of the first training of each selection, which was not chosen.
    trained : int
        Trainings in all.
    """

    settings: DPSGDSettings
    runs: RunCount
    choice: str
    scores: Scores
    chosen_by: Scores
    single: Scores
    trained: int

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def with_score(self) -> Scores:
        """The paper's λ_b: λ_a and the score by which the model was chosen."""
        # A canary makes validation worse, and its own score better.
        sign = -1.0 if self.choice == "validation" else 1.0
        p, q = (
            np.where(np.isfinite(b), a + sign * np.where(np.isfinite(b), b, 0.0), -np.inf)
            for a, b in zip(self.scores, self.chosen_by, strict=True)
        )
        return Scores(p, q, True, "independent runs", name=f"{self.scores.name}, with the score")

    def lower_bound(
        self, delta: float = 1e-5, confidence: float = 0.95, statistic: str = "released"
    ) -> Bound:
        """Lower bound on ε of the selection, simultaneous over all thresholds.

        Parameters
        ----------
        delta, confidence : float
        statistic : {"released", "with score", "single"}
            λ_a or λ_b of what is released; or λ_a of one training without a choice.

        Returns
        -------
        Bound
            Valid for the score by which models were chosen, and for one statistic that was chosen
            before scores were seen. Another score may leak more.
        """
        _checks.one_of(statistic, "statistic", ("released", "with score", "single"))
        scores = {"released": self.scores, "single": self.single}.get(statistic)
        return tradeoff_band(self.with_score if scores is None else scores, confidence).epsilon(
            delta
        )

    def upper_bound(self, delta: float = 1e-5, bound: str = "any") -> Bound:
        """What theory says of the selection: see :func:`workbench.selection.epsilon`.

        Raises
        ------
        ValueError
            Trainings without noise, of which nothing is proven.
        """
        return epsilon(self.runs, base=self.settings.pair, delta=delta, bound=bound)


def audit_best_of(
    settings: DPSGDSettings,
    data: LabeledData,
    runs: RunCount,
    selections: int,
    *,
    validation: LabeledData,
    choice: str = "validation",
    canary: str = "dirac",
    record: AuditedRecord | None = None,
    seed: int = 0,
    report: Report = silent,
) -> BestOfTrainings:
    """Selections among trainings by a validation score, with and without a canary.

    Parameters
    ----------
    settings : DPSGDSettings
        Of each training. ``noise_multiplier=0`` trains without privacy.
    data : LabeledData
        What every training has; it may be empty where the canary is a gradient, which disturbs it
        least.
    runs : RunCount
        How many trainings a selection has, such as ``wb.selection.PointMass(10)``.
    selections : int
        With the canary, and as many without it; at least 2. Each has trainings of its own.
    validation : LabeledData
        Records whose mean loss chooses the best training.
    choice : {"validation", "canary"}
        The best training has the smallest loss on the validation records; or the largest trace of
        the canary (the smallest loss on the record, or the parameter that moved most): a score in
        the hands of the attacker.
    canary : {"dirac", "record"}
        A gradient that changes the first parameter; or a record of the data.
    record : AuditedRecord, optional
        Of the data, where the canary is one; the first row by default.
    seed : int
    report : Report, optional
        Is told the share that is done, and may raise to cancel. Partial results are
        `BestOfTrainings` of the selections so far.

    Returns
    -------
    BestOfTrainings
        Its lower bounds hold at their confidence, with no assumption but that the selections are
        independent, which they are. They are about this score and this canary.

    Raises
    ------
    ValueError
        An argument outside its range, or more than 10^6 expected trainings.

    References
    ----------
    Xiang, Wang and Wang (2024), §4: settings NTNV (data, "validation"), NTCV (data, "canary") and
    ETCV (no data, "canary").

    Examples
    --------
    >>> digits = wb.training.labeled_data("digits")
    >>> settings = wb.training.DPSGDSettings(
    ...     wb.training.Network((64, 10)), steps=5, sample_rate=1, noise_multiplier=5,
    ...     expected_batch=1, optimizer="sgd",
    ... )
    >>> found = wb.training.audit_best_of(
    ...     settings, digits.take([]), wb.selection.PointMass(3), 20,
    ...     validation=digits.take(range(50)),
    ... )
    >>> found.trained, found.lower_bound().guarantee, found.upper_bound().method
    (120, 'simultaneous', 'selection by any score (composition)')
    """
    _checks.instance(settings, DPSGDSettings, "settings", "wb.training.DPSGDSettings(...)")
    need = 'wb.training.labeled_data("digits")'
    _checks.instance(data, LabeledData, "data", need)
    _checks.instance(validation, LabeledData, "validation", need)
    require_runs(runs)
    _checks.one_of(choice, "choice", CHOICES)
    _checks.one_of(canary, "canary", CANARIES)
    n = _checks.count(selections, "selections", 2)
    seed = _checks.count(seed, "seed")
    if 2 * n * runs.mean > MOST_TRAININGS:
        raise ValueError(
            f"{2 * n} selections of {runs.mean:g} trainings on average are more than "
            f"{MOST_TRAININGS:g} trainings; take fewer"
        )
    if validation.size == 0:
        raise ValueError("validation must have records, got none; give some that are held out")
    one = AuditedRecord() if record is None else record
    _checks.instance(one, AuditedRecord, "record", "wb.training.AuditedRecord(row=3)")
    trainer = _Trainer(settings, data, validation, choice, one if canary == "record" else None)
    rows, trained = [], 0
    for i, row in enumerate(_selections(trainer, runs, n, seed)):
        rows.append(row[:3])
        trained += row[3]
        partial = None
        if i % 2 and i >= 3 and i % max(2 * (n // 20), 2) == 1:
            partial = _collected(settings, runs, choice, np.array(rows), trained)
        report((i + 1) / (2 * n), f"{trained:,} trainings, {i + 1} of {2 * n} selections", partial)
    return _collected(settings, runs, choice, np.array(rows), trained)


def _collected(
    settings: DPSGDSettings, runs: RunCount, choice: str, rows: Floats, trained: int
) -> BestOfTrainings:
    name = f"best of trainings ({runs.name})"

    def scores(column: int, title: str) -> Scores:
        p, q = rows[0::2, column], rows[1::2, column]
        return Scores(p, q, True, "independent runs", name=title)

    return BestOfTrainings(
        settings,
        runs,
        choice,
        scores(0, name),
        scores(1, f"{name}, chosen by"),
        scores(2, "one training"),
        trained,
    )


def _selections(
    trainer: _Trainer, runs: RunCount, n: int, seed: int
) -> Iterator[tuple[float, float, float, int]]:
    """λ_a and score of what is released, λ_a of the first training, and trainings; in and out."""
    for index in range(2 * n):
        rng = np.random.default_rng((seed, index))
        released, best, first = -np.inf, -np.inf, -np.inf
        # One more where nothing is released, for what a single training shows.
        k = int(runs._draw(1, rng)[0])
        for i in range(max(k, 1)):
            shown, score = trainer.train(index % 2 == 0, rng)
            if i == 0:
                first = shown
            if i < k and score > best:
                released, best = shown, score
        yield released, best, first, max(k, 1)


class _Trainer:
    """Trains a model and scores it."""

    def __init__(
        self,
        settings: DPSGDSettings,
        data: LabeledData,
        validation: LabeledData,
        choice: str,
        record: AuditedRecord | None,
    ) -> None:
        self.settings, self.data, self.validation, self.choice = settings, data, validation, choice
        self.record: LabeledData | None = None
        if record is not None:
            self.data, self.record = record.split(data)
            self.joined = self.data.joined(self.record)
        settings.network.check(self.data)
        settings.network.check(validation)

    def train(self, included: bool, rng: np.random.Generator) -> tuple[float, float]:
        """λ_a and the score by which the best training is chosen."""
        settings = self.settings
        statistic = Sum(settings, 1)
        if self.record is None:
            canary = DiracCanaries(np.array([0]), settings.clip)
            watch = statistic.watch_gradients(canary, 1.0)
            model = settings.train(self.data, rng, None, canary if included else None, watch)
        else:
            data = self.joined if included else self.data
            model = settings.train(data, rng, watch=statistic.watch_record(self.record))
        shown = float(statistic.scores()[0]) / settings.steps
        if self.choice == "validation":
            seen = self.validation
        elif self.record is None:
            return shown, float(model.initial[0] - model.final[0])
        else:
            seen = self.record
        return shown, -float(settings.network.losses(model.final, seen).mean())
