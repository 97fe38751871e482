"""`check_training`: the steps of DP-SGD, recorded with and without one record.

The primitives of a step are the sample of a batch, the sum of clipped gradients, the noise and the
division. On the neighbor every step starts from the recorded model, with the batch and the noisy
sum of the recorded run, so that each is judged by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._format import plain
from workbench.claims.pair import PairClaim
from workbench.testing.record.findings import CodeFinding, RecordCheck, RecordedPrimitive
from workbench.testing.record.generator import RecordingGenerator
from workbench.testing.record.noisy import NoisySum
from workbench.testing.record.places import Place, place_of
from workbench.testing.record.session import Session
from workbench.training.audits.white_box.white_box import WhiteBox
from workbench.training.dp_sgd.canary_gradients import (
    CanaryGradients,
    DiracCanaries,
    RandomCanaries,
)
from workbench.training.dp_sgd.data import LabeledData
from workbench.training.dp_sgd.dp_sgd import DPSGDSettings
from workbench.training.dp_sgd.network import Vector
from workbench.training.dp_sgd.procedure import RECORDER, Procedure

#: Relative rounding of sums in single precision.
_ROUNDING = 1e-4


def check_training(
    settings: DPSGDSettings,
    data: LabeledData,
    record: LabeledData | None = None,
    *,
    canaries: CanaryGradients | None = None,
    theta: Vector | None = None,
    seed: int = 0,
) -> RecordCheck:
    """What a recorded training with DP-SGD shows, with one record or canary more on the neighbor.

    Parameters
    ----------
    settings : DPSGDSettings
        With noise; its ``pair`` is the claim.
    data : LabeledData
    record : LabeledData, optional
        The record that the neighbor has in addition; or
    canaries : CanaryGradients, optional
        one canary, whose gradient the neighbor has in addition.
    theta : array, shape (parameters,), optional
        Initial parameters; random ones by default.
    seed : int

    Returns
    -------
    RecordCheck
        The claim rests on four things, and what differs from one of them is certain: each item is
        in a batch by a coin of its own with the sampling rate; one item moves the sum of a step by
        at most the clipping norm; fresh Gaussian noise of the claimed scale is added in each step;
        the divisor does not depend on the data.

    Raises
    ------
    ValueError
        There is no noise, or not one record or canary.

    Examples
    --------
    >>> from workbench.testing import record
    >>> settings = wb.training.positive_control("scaled-noise").audit.settings
    >>> data, canary = wb.training.labeled_data("digits"), wb.training.DiracCanaries([0])
    >>> print(record.check_training(settings, data.take([1, 2]), canaries=canary).findings[0].words)
    the noise has the standard deviation 0.5, and the claim is for 1
    """
    _checks.instance(settings, DPSGDSettings, "settings", "a workbench.training.DPSGDSettings")
    claim = PairClaim(settings.pair)
    added = (0 if record is None else record.size) + (0 if canaries is None else canaries.count)
    if added != 1:
        raise ValueError(
            f"the neighbor must have one record or one canary more, got {added}; give record= or "
            "canaries="
        )
    seed = _checks.count(seed, "seed")
    neighbor = data if record is None else data.joined(record)
    first = _Steps()
    with _recorded(first, None):
        rng = RecordingGenerator(np.random.PCG64(seed))
        settings.train(data, rng, theta, watch=first.watch)
    second = _Steps()
    with _recorded(second, first):
        rng = RecordingGenerator(np.random.PCG64(seed))
        settings.train(neighbor, rng, theta, canaries, second.watch)
    places = {name: place_of(getattr(first.kind, name)) for name in _METHODS}
    findings = list(_findings(settings, first, second, places))
    return RecordCheck(
        f"DP-SGD, {first.kind.title}", claim, tuple(findings),
        _primitives(settings, first, second, places), 1,
    )  # fmt: skip


def check_training_audit(audit: WhiteBox, seed: int = 0) -> RecordCheck:
    """What a recorded training shows, with and without the canary of an audit.

    Parameters
    ----------
    audit : WhiteBox
        Such as that of `workbench.training.positive_control`.
    seed : int

    Returns
    -------
    RecordCheck
        As of `check_training`: in milliseconds, and by a single training on each side.

    Raises
    ------
    ValueError
        As `check_training`.

    Examples
    --------
    >>> from workbench.testing import record
    >>> control = wb.training.positive_control("same-seed")
    >>> print(record.check_training_audit(control.audit).findings[0].words)
    step 1 has the noise of step 0: in the difference of the two it cancels
    """
    _checks.instance(audit, WhiteBox, "audit", "a workbench.training.WhiteBox")
    settings = audit.settings
    if audit.canary == "record":
        others, one = audit.record.split(audit.data)
        theta = audit.initial.theta(settings, others)
        return check_training(settings, others, one, theta=theta, seed=seed)
    made = DiracCanaries if audit.canary == "dirac" else RandomCanaries
    norm, rng = audit.canary_norm * settings.clip, np.random.default_rng(seed)
    canary = made.drawn(1, settings.network.size, rng, norm)
    theta = audit.initial.theta(settings, audit.data)
    return check_training(settings, audit.data, canaries=canary, theta=theta, seed=seed)


_METHODS = ("sample", "total", "noise", "divisor")


@dataclass(eq=False)
class _Steps:
    """What one training did in each step."""

    kind: type[Procedure] = Procedure
    divisor: float = math.nan
    batches: list[NDArray[np.intp]] = field(default_factory=list)
    #: Whether a batch is that of a coin for each item.
    coins: list[bool] = field(default_factory=list)
    totals: list[Vector] = field(default_factory=list)
    noises: list[Vector] = field(default_factory=list)
    #: Standard deviation of the noise; 0 without noise.
    deviations: list[float] = field(default_factory=list)
    #: Numbers of the noise: equal ones are the same noise.
    drawn: list[NDArray[np.intp]] = field(default_factory=list)
    released: list[Vector] = field(default_factory=list)

    def watch(self, step: int, theta: Vector, released: Vector) -> None:
        """See `workbench.training.dp_sgd.dp_sgd.Watch`."""
        self.released.append(released.copy())


class _RecordedSteps(Procedure):
    """A procedure whose steps are recorded, or replayed with what was recorded."""

    def __init__(self, inner: Procedure, steps: _Steps, recorded: _Steps | None) -> None:
        super().__init__(inner.settings)
        self._inner, self._steps, self._recorded = inner, steps, recorded
        steps.kind = type(inner)

    def divisor(self, items: int) -> float:
        self._steps.divisor = float(self._inner.divisor(items))
        # The neighbor goes on with the recorded one, so that its steps start from the same models.
        return self._steps.divisor if self._recorded is None else self._recorded.divisor

    def sample(self, items: int, rng: np.random.Generator) -> NDArray[np.intp]:
        if self._recorded is not None:
            before = self._recorded.batches[len(self._steps.batches)]
            by_coins = self._recorded.coins[len(self._steps.batches)]
            # The new item joins the batch; in one of fixed size it takes the place of another.
            others = before if by_coins or not before.size else before[:-1]
            chosen = np.append(others, items - 1)
        else:
            asked = _Asked(rng.bit_generator)
            chosen = self._inner.sample(items, asked)
            coins = asked.coins
            own = coins is not None and np.shape(coins) == (items,)
            wanted = np.flatnonzero(coins < self.settings.sample_rate) if own else np.zeros(0)
            self._steps.coins.append(own and np.array_equal(chosen, wanted))
        self._steps.batches.append(chosen)
        return chosen

    def total(self, batch: Any) -> Vector:
        found = self._inner.total(batch)
        step = len(self._steps.totals)
        self._steps.totals.append(np.array(found))
        return found if self._recorded is None else self._recorded.totals[step].copy()

    def noise(self, size: int, rng: np.random.Generator) -> Vector:
        step = len(self._steps.noises)
        if self._recorded is not None:
            self._steps.noises.append(self._recorded.noises[step])
            return self._steps.noises[-1].copy()
        found: Any = self._inner.noise(size, rng)
        # Where the procedure looked at the noise itself, its size is not known.
        spread, ids = (math.nan if np.any(np.asarray(_value(found))) else 0.0), np.zeros(0, int)
        if isinstance(found, NoisySum):
            # The same noise keeps its numbers.
            spread = math.sqrt(sum(float(np.max(layer.spread)) ** 2 for layer in found._layers))
            ids = np.concatenate([layer.ids.ravel() for layer in found._layers])
        found = _value(found)
        self._steps.noises.append(np.asarray(found))
        self._steps.deviations.append(spread)
        self._steps.drawn.append(ids)
        return np.array(found)


def _value(found: Any) -> Any:
    return found._value if isinstance(found, NoisySum) else found


class _Asked(np.random.Generator):
    """A generator that remembers the uniform numbers that it gave last."""

    coins: Any = None

    def random(self, size: Any = None, *given: Any, **options: Any) -> Any:
        self.coins = super().random(size, *given, **options)
        return self.coins


@contextmanager
def _recorded(steps: _Steps, recorded: _Steps | None) -> Iterator[None]:
    """Trainings of this thread are recorded in ``steps``."""

    def recorder(inner: Procedure) -> Procedure:
        return _RecordedSteps(inner, steps, recorded)

    token = RECORDER.set(recorder)
    try:
        with Session().active():
            yield
    finally:
        RECORDER.reset(token)


# -- findings --------------------------------------------------------------------------------------


def _findings(
    settings: DPSGDSettings, first: _Steps, second: _Steps, places: dict[str, Place]
) -> Iterator[CodeFinding]:
    if not all(first.coins):
        sizes = sorted({batch.size for batch in first.batches})
        always = f"all have {sizes[0]} items" if len(sizes) == 1 else "they are drawn otherwise"
        yield _certain(
            "sampling", places["sample"],
            "batches are not those of a coin for each item with the rate "
            f"{plain(settings.sample_rate)}, for which the claim is: {always}",
        )  # fmt: skip
    moved = _moved(first, second)
    step = int(np.argmax(moved))
    error = _ROUNDING * settings.clip + 1e-6 * float(np.linalg.norm(second.totals[step]))
    if moved[step] > settings.clip + error:
        yield _certain(
            "sensitivity", places["total"],
            f"one more record moves the sum of step {step} by {plain(moved[step])}, and the "
            f"clipping norm, for which the noise is made, is {plain(settings.clip)}",
        )  # fmt: skip
    claimed = settings.noise_multiplier * settings.clip
    known = [one for one in first.deviations if not math.isnan(one)]
    if known and not any(known):
        yield _certain(
            "no noise", places["noise"],
            f"no noise is drawn, and the claim is for a standard deviation of {plain(claimed)}",
        )  # fmt: skip
    elif known and min(known) < claimed * (1 - _ROUNDING):
        yield _certain(
            "scale", places["noise"],
            f"the noise has the standard deviation {plain(_rounded(min(known)))}, and "
            f"the claim is for {plain(claimed)}",
        )  # fmt: skip
    seen: dict[int, int] = {}
    for step, ids in enumerate(first.drawn):
        same = next((seen[one] for one in ids[:1].tolist() if one in seen), None)
        if same is not None:
            yield _certain(
                "noise reused", places["noise"],
                f"step {step} has the noise of step {same}: in the difference of the two it "
                "cancels",
            )  # fmt: skip
            break
        seen |= dict.fromkeys(ids.tolist(), step)
    if first.divisor != second.divisor:
        yield _certain(
            "divisor", places["divisor"],
            f"the noisy sum is divided by {plain(first.divisor)} on the data set and by "
            f"{plain(second.divisor)} on the neighbor, so its size depends on the data",
        )  # fmt: skip


def _certain(kind: str, place: Place, words: str) -> CodeFinding:
    return CodeFinding(kind, True, False, place, words)


def _moved(first: _Steps, second: _Steps) -> list[float]:
    """How far the item moves the sum of each step."""
    pairs = zip(first.totals, second.totals, strict=True)
    return [float(np.linalg.norm(b.astype(float) - a.astype(float))) for a, b in pairs]


def _rounded(value: float) -> float:
    return float(np.float32(value))


def _primitives(
    settings: DPSGDSettings, first: _Steps, second: _Steps, places: dict[str, Place]
) -> tuple[RecordedPrimitive, ...]:
    steps, moved = len(first.totals), max(_moved(first, second))
    scale = min(first.deviations)
    mu = math.sqrt(steps) * moved / scale if scale > 0 else None
    return (
        RecordedPrimitive("sample", "batch", places["sample"], steps),
        RecordedPrimitive("clip", "clipped sum", places["total"], steps, declared=settings.clip,
                          measured=moved),
        RecordedPrimitive("noise", "Gaussian", places["noise"], steps,
                          scale=None if math.isnan(scale) else scale, mu=mu),
    )  # fmt: skip
