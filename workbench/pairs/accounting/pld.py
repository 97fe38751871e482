"""Composition by privacy loss distributions, within bounded time and memory.

One step is put on a grid of losses by connecting the dots (arXiv 2207.04380): the hockey-stick
divergence, convex in e^ε, is replaced by its chords between grid points, and so by a discrete pair
that leaks a little more in both directions. Its k-fold composition, one convolution under P and one
under Q by FFT, dominates the true one. That is the pessimistic side. Steps of several kinds are put
on one grid and convolved together; k counts the steps of all kinds.

The optimistic side needs no second convolution. Connecting the dots splits the outcomes of loss L,
with L between two grid points h apart, so that L becomes L + ξ at one of them, with E[e^−ξ | L] = 1
(Q's mass is kept). Over k steps the sum Ξ is sub-Gaussian with s² = kh²/4 about a mean between 0
and m = kh²/8, given all losses (Hoeffding), and the same holds mirrored under Q. Writing t = S − ε
for the true total loss S, E[e^−Ξ | S] = 1 gives::

    δ̄(ε) − δ(ε) = E[(1 − e^−(t+Ξ))₊ 1{t < 0} + (e^−(t+Ξ) − 1)₊ 1{t ≥ 0}]

which is at most E[(|Ξ| − |t|)₊] ≤ s/2 + m anywhere and below 2e-15·s for |t| > 8s + m. The rest is
the mass of S within 8s + m of ε: at most that of S + Ξ within 11s + 2m, up to the factor
1/(1 − 2e^−4.5). So the error bar is of second order in h, and read off the same distribution.
On coarse grids another bound is the better one: Ξ ≤ m + 8.2s but for a probability of 3e-15, so
δ(ε) ≥ δ̄(ε + m + 8.2s) − 3e-15.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import RLock
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from workbench.curves.validation import Floats, quiet
from workbench.pairs.outcomes import Outcomes, OutcomesPair, log_difference

#: Grid points of the composed distribution, and of one step. The grid is coarsened to meet it.
MOST_POINTS = 300_000

#: Mass cut from the tails of the composed distribution, counted against privacy as infinite loss.
TAIL = 1e-15

#: Round-off of the sums over a grid, counted in the same way.
ROUND_OFF = 2e-14

#: A grid this coarse says nothing about privacy any more.
_WIDEST_CELL = 1.0

#: Cells of the trial grid from which the size of the composition is foreseen.
_TRIAL_CELLS = 4096

#: How many times finer the trial grid of steps of several kinds is.
_FINER = 16

#: Orders of the Chernoff bounds that say where a composition has its mass, times the grid points.
_ORDERS = 20

#: Compositions that are kept, of steps and of objects; each takes up to 20 MB.
_MOST_KEPT = 4

_WINDOW = 11.0
_LOCALITY = 1 / (1 - 2 * math.exp(-4.5))


class Step(Protocol):
    """What a composition needs to know of one step; every pair does, and hashes."""

    def __hash__(self) -> int:
        """Equal steps share their composition."""

    @property
    def name(self) -> str:
        """For messages."""

    @property
    def loss_unit(self) -> float | None:
        """A number of which every finite privacy loss is a multiple, if there is one."""

    def log_hockey_stick(self, epsilon: Any, direction: str) -> Floats:
        """Log of the hockey-stick divergence at ε ≥ 0."""


class Steps(NamedTuple):
    """Equal steps: one of them, how many, and whether its two directions coincide."""

    step: Step
    steps: int
    symmetric: bool = False


class AccountantError(ValueError):
    """A composition that no grid of bounded size can describe; the message says what to change."""


@dataclass(frozen=True, eq=False)
class LossGrid:
    """One step's discrete pair: masses at the losses ``(first + i)·width``, and infinite losses."""

    width: float
    first: int
    p: Floats
    q: Floats
    p_only: float
    q_only: float


@dataclass(frozen=True, eq=False)
class Composition:
    """A k-fold composition that leaks at least as much as the true one, and by how much at most.

    Attributes
    ----------
    outcomes : Outcomes
        The pessimistic discrete pair.
    width : float
        Of a cell of the grid, in units of ε.
    spread, shift : float
        s and m of the module's docstring: how far rounding can move the total loss.
    resolution : float
        δ below this are not resolved: truncated tails and round-off of the convolution.
    grids : tuple of (LossGrid, int)
        What was composed: each step on the grid, and how many times.
    """

    outcomes: Outcomes
    width: float
    spread: float
    shift: float
    resolution: float
    grids: tuple[tuple[LossGrid, int], ...]

    def log_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        """Log of the upper limit."""
        return self.outcomes.log_hockey_stick(epsilon, direction)

    @quiet()
    def lower_hockey_stick(self, epsilon: Floats, direction: str) -> Floats:
        """The lower limit of the hockey-stick divergence."""
        upper = np.exp(self.outcomes.log_hockey_stick(epsilon, direction))
        farthest = self.shift + 8.2 * self.spread
        moved = np.exp(self.outcomes.log_hockey_stick(epsilon + farthest, direction))
        lower = np.maximum(
            upper - self._excess(epsilon, direction), moved - 3e-15 - 2 * self.resolution
        )
        return np.maximum(lower, np.maximum(-np.expm1(epsilon), 0.0))

    def _excess(self, epsilon: Floats, direction: str) -> Floats:
        """By how much the upper limit may exceed the truth."""
        if self.spread == 0:
            return np.full_like(epsilon, 2 * self.resolution)
        reach = _WINDOW * self.spread + 2 * self.shift
        o = self.outcomes
        if direction == "P‖Q" or o.symmetric:
            ends = o.count_from(epsilon - reach), o.count_above(epsilon + reach)
            near = np.exp(o.above_p[ends[0]]) - np.exp(o.above_p[ends[1]])
        else:
            ends = o.count_above(-epsilon + reach), o.count_from(-epsilon - reach)
            near = np.exp(o.below_q[ends[0]]) - np.exp(o.below_q[ends[1]])
        crossing = (self.spread / 2 + self.shift) * _LOCALITY * np.clip(near, 0.0, 1.0)
        return crossing + 2e-15 * self.spread + 2 * self.resolution


_lock = RLock()


def compose(parts: tuple[Steps, ...]) -> Composition:
    """The composition of all steps, kept for the next call with equal parts.

    Parameters
    ----------
    parts : tuple of Steps
        At least one. If all are symmetric, one convolution is enough.

    Raises
    ------
    AccountantError
        When the losses spread so far that a grid of bounded size has cells wider than 1.
    """
    # One at a time: two threads that ask for the same composition must not both build it.
    with _lock:
        return kept(parts)


def build(pair: Step, k: int, symmetric: bool = False) -> Composition:
    """The k-fold composition of a pair that nobody will ask for again."""
    return _build((Steps(pair, k, symmetric),))


def compose_for(owner: Any, step: Step, k: int) -> Composition:
    """The k-fold composition that belongs to an object, kept for its next question.

    The last few are kept, and none longer than its object.

    Parameters
    ----------
    owner : object
        By its identity; the composition must not refer to it.
    step : Step
    k : int

    Raises
    ------
    AccountantError
        As `compose` does.
    """
    with _lock:
        found = _owned.pop(owner, None) or build(step, k)
        _owned[owner] = found  # at the end, as the last one asked for
        while len(_owned) > _MOST_KEPT:
            del _owned[next(iter(_owned))]
        return found


def forget() -> None:
    """Let go of all compositions that are kept."""
    with _lock:
        kept.cache_clear()
        _owned.clear()


def _build(parts: tuple[Steps, ...]) -> Composition:
    k = sum(part.steps for part in parts)
    tail = TAIL / (100 * k)
    ends = [_range(part.step, tail) for part in parts]
    width, exact = _width(parts, ends, tail)
    grids = tuple(
        (_discretize(part.step, width, *of), part.steps)
        for part, of in zip(parts, ends, strict=True)
    )
    total, resolution = _convolve(grids, all(part.symmetric for part in parts))
    # Losses on the grid are not moved.
    spread, shift = (0.0, 0.0) if exact else (width * math.sqrt(k) / 2, k * width**2 / 8)
    return Composition(total, width, spread, shift, resolution, grids)


kept = lru_cache(maxsize=_MOST_KEPT)(_build)

#: Compositions of objects that are no steps by themselves, the last one asked for at the end.
_owned: WeakKeyDictionary[Any, Composition] = WeakKeyDictionary()


# -- one step on a grid ---------------------------------------------------------------------------


def _range(pair: Step, tail: float) -> tuple[float, float]:
    """Losses outside of which P, and Q, have at most about ``tail``; at most 0, at least 0."""
    if isinstance(pair, OutcomesPair):
        loss = pair.outcomes.loss
        finite = loss[np.isfinite(loss)]
        return float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    return -_reach(pair, "Q‖P", tail), _reach(pair, "P‖Q", tail)


def _reach(pair: Step, direction: str, tail: float) -> float:
    """A loss beyond which that direction has a mass of at most ``tail``."""
    # H(ε) ≥ (1 − e^−x) Pr[loss > ε + x] for every x > 0.
    first = _vanishing(pair, direction, tail)
    x = min(first / 10, 1.0)
    return x + _vanishing(pair, direction, tail * -math.expm1(-x)) if x > 0 else 0.0


def _vanishing(pair: Step, direction: str, tail: float) -> float:
    """An ε hardly above the smallest beyond which finite losses add at most ``tail``."""
    limit, [infinite] = math.log(tail), pair.log_hockey_stick(np.array([np.inf]), direction)
    if np.isfinite(infinite):  # a mass of infinite loss, up to round-off
        limit = float(np.logaddexp(limit, infinite)) + 1e-14

    def first(epsilon: Floats) -> int:
        return int(np.argmax(pair.log_hockey_stick(epsilon, direction) <= limit))

    coarse = np.r_[0.0, np.geomspace(1e-100, 1e9, 2000), np.inf]
    i = first(coarse)
    if i == coarse.size - 1:
        raise AccountantError(
            f"{pair.name} has losses beyond ε = 1e9, which is no privacy; add noise"
        )
    fine = np.linspace(coarse[max(i - 1, 0)], coarse[i], 17)
    return float(fine[first(fine)])


def _width(
    parts: tuple[Steps, ...], ends: list[tuple[float, float]], tail: float
) -> tuple[float, bool]:
    """The finest cell that keeps all steps and their composition within `MOST_POINTS`.

    Also whether all losses of the steps lie on that grid.
    """
    span = max(high - low for low, high in ends) or 1.0
    # On cells as wide as their own losses, narrow steps would spread more than they do.
    points = _TRIAL_CELLS if len(parts) == 1 else _FINER * _TRIAL_CELLS
    trial = span / points
    if sum(part.steps for part in parts) > 1:
        points = max(points, _points(parts, ends, trial))
    width = trial * points / MOST_POINTS
    unit = _common_unit([part.step.loss_unit for part in parts])
    if unit is not None and unit * MOST_POINTS >= trial * points:
        return unit, True
    if width > _WIDEST_CELL:
        k, names = sum(part.steps for part in parts), " and ".join(x.step.name for x in parts[:3])
        raise AccountantError(
            f"{k} compositions of {names} spread the privacy loss over {trial * points:.3g}, "
            f"which a grid of {MOST_POINTS} points cannot describe; add noise or take fewer steps"
        )
    return width, False


def _points(parts: tuple[Steps, ...], ends: list[tuple[float, float]], width: float) -> int:
    """Grid points that the composition of all steps takes, with cells of a width."""
    grids = [
        (_discretize(part.step, width, *of), part.steps)
        for part, of in zip(parts, ends, strict=True)
    ]
    sides = [[(grid.p, k) for grid, k in grids]]
    if not all(part.symmetric for part in parts):
        sides.append([(grid.q[::-1], k) for grid, k in grids])
    ranges = [convolution_range(side, TAIL) for side in sides]
    return max(top - bottom + 1 for bottom, top in ranges)


def _common_unit(units: list[float | None]) -> float | None:
    """A number of which all units are multiples; None where the smallest is none."""
    known = [unit for unit in units if unit is not None]
    if len(known) < len(units):
        return None
    least = min(known)
    times = [unit / least for unit in known]
    return least if all(abs(x - round(x)) < 1e-9 for x in times) else None


def _discretize(pair: Step, width: float, low: float, high: float) -> LossGrid:
    """One step with its losses moved to the two neighbors on the grid (connect the dots)."""
    if isinstance(pair, OutcomesPair):
        return _split_outcomes(pair.outcomes, width)
    below, above = math.ceil(-low / width), math.ceil(high / width)
    # −(slope of H) is Q's mass above a loss, and P's mass below it in the other direction. Logs,
    # because Q may have no mass that a float can hold where P has a lot.
    q_above, p_only = _log_slopes(pair, width, above, "P‖Q")
    p_below, q_only = _log_slopes(pair, width, below, "Q‖P")
    loss_above, loss_below = width * np.arange(1, above + 1), -width * np.arange(1, below + 1)
    q_right = log_difference(q_above[:-1], q_above[1:])
    p_left = log_difference(p_below[:-1], p_below[1:])
    p = np.r_[np.exp(p_left)[::-1], 0.0, np.exp(q_right + loss_above)]
    q = np.r_[np.exp(p_left - loss_below)[::-1], 0.0, np.exp(q_right)]
    # What lies neither above nor below has a loss of 0.
    p[below] = q[below] = max(1.0 - p.sum() - p_only, 0.0)
    return LossGrid(width, -below, p, q, p_only, q_only)


def _log_slopes(pair: Step, width: float, cells: int, direction: str) -> tuple[Floats, float]:
    """Logs of −(slope) of H's chords in e^ε, and at last of 0; and H at the last ε."""
    epsilon = width * np.arange(cells + 1)
    log_h = pair.log_hockey_stick(epsilon, direction)
    # (H_i − H_{i+1}) / (e^ε_{i+1} − e^ε_i)
    fall = log_difference(log_h[:-1], log_h[1:]) - epsilon[:-1] - math.log(math.expm1(width))
    # Chords of a convex function do not get steeper. Where H is flat to round-off they seem to;
    # raising the earlier ones is the safe side.
    slopes = np.maximum.accumulate(np.append(fall, -np.inf)[::-1])[::-1]
    return slopes, math.exp(log_h[-1])


@quiet()
def _split_outcomes(outcomes: Outcomes, width: float) -> LossGrid:
    """Each outcome shared between its two neighbors on the grid, its masses under P and Q kept."""
    finite = np.isfinite(outcomes.loss)
    loss, log_p, log_q = outcomes.loss[finite], outcomes.log_p[finite], outcomes.log_q[finite]
    cell = loss / width
    nearest = np.rint(cell)
    # Round-off must not push an outcome on the grid off it.
    cell = np.where(np.abs(cell - nearest) < 1e-9 * np.maximum(np.abs(nearest), 1.0), nearest, cell)
    left = np.floor(cell).astype(np.int64)
    x = (cell - left) * width
    # P's share u to the right solves (1 − u) e^−left + u e^−right = e^−loss.
    share = -np.expm1(-x) / -math.expm1(-width)
    first, last = int(left.min(initial=0)), int(left.max(initial=0)) + 1
    p, q = np.zeros(last - first + 1), np.zeros(last - first + 1)
    at = left - first
    np.add.at(p, at, np.exp(log_p) * (1 - share))
    np.add.at(p, at + 1, np.exp(log_p) * share)
    np.add.at(q, at, np.exp(log_q + x) * (1 - share))
    np.add.at(q, at + 1, np.exp(log_q + x - width) * share)
    p_only = float(np.exp(outcomes.log_p[outcomes.loss == np.inf]).sum())
    q_only = float(np.exp(outcomes.log_q[outcomes.loss == -np.inf]).sum())
    return LossGrid(width, first, p, q, p_only, q_only)


# -- composition ----------------------------------------------------------------------------------


def _convolve(grids: Sequence[tuple[LossGrid, int]], symmetric: bool) -> tuple[Outcomes, float]:
    """The composition of steps on one grid, and the δ that it resolves."""
    width = grids[0][0].width
    first_p, p, noise_p = convolve([(grid.p, grid.first, k) for grid, k in grids])
    if symmetric:
        first_q, q, noise_q = first_p, p, noise_p
    else:
        first_q, q, noise_q = convolve(
            [(grid.q[::-1], -(grid.first + grid.q.size - 1), k) for grid, k in grids]
        )
    # Each side is accurate where its own mass is: P's above a loss of 0, Q's below.
    right = np.arange(max(first_p, 0), max(first_p + p.size, 0))
    left = np.arange(max(first_q, 1), max(first_q + q.size, 1))
    p_right, q_left = p[right - first_p], q[left - first_q]
    right, p_right, cut_p = _cut_noise(right, p_right)
    left, q_left, cut_q = _cut_noise(left, q_left)
    p_only = noise_p + cut_p + any_infinite([(grid.p_only, k) for grid, k in grids])
    q_only = noise_q + cut_q + any_infinite([(grid.q_only, k) for grid, k in grids])
    loss = width * np.r_[right[::-1], -left]
    with quiet():
        log_p = np.r_[np.log(p_right[::-1]), np.log(q_left) - width * left]
    ends = np.log([p_only, q_only])
    return (
        Outcomes(
            np.r_[np.inf, loss, -np.inf],
            np.r_[ends[0], log_p, -np.inf],
            np.r_[-np.inf, log_p - loss, ends[1]],
            symmetric,
        ),
        max(noise_p + cut_p, noise_q + cut_q),
    )


def any_infinite(masses: Sequence[tuple[float, int]]) -> float:
    """The mass of an infinite loss in any step, from that in one of each kind and their numbers."""
    return -math.expm1(sum(k * math.log1p(-min(mass, 1 - 1e-16)) for mass, k in masses))


def convolve(parts: Sequence[tuple[Floats, int, int]]) -> tuple[int, Floats, float]:
    """Masses of a sum of losses from its first grid point on, and the δ lost in them.

    Parameters
    ----------
    parts : sequence of (ndarray, int, int)
        The masses of one loss, its first grid point, and how many such losses are summed.
    """
    from scipy.fft import next_fast_len

    steps = sum(k for _, _, k in parts)
    if steps == 1:
        masses, first, _ = parts[0]
        return first, masses, TAIL + ROUND_OFF
    bottom, top = convolution_range([(masses, k) for masses, _, k in parts], TAIL)
    widest = max(masses.size for masses, _, _ in parts)
    with quiet():
        # The FFT of numpy: that of scipy keeps the tables of the last 16 sizes, 8 MB each here.
        points = next_fast_len(max(top - bottom + 1, widest), real=True)
        spectrum = math.prod(np.fft.rfft(masses, points) ** k for masses, _, k in parts)
        around = np.fft.irfft(spectrum, points)
    total = np.roll(around, -bottom)[: top - bottom + 1]
    if not total.size:
        raise AccountantError(f"{steps} compositions are too many for the accountant; take fewer")
    # What should be 0 shows the round-off of one entry, and the k-th power that of their sum.
    noise = total.size * max(-float(total.min()), 0.0) + steps * np.finfo(float).eps
    start = sum(k * first for _, first, k in parts) + bottom
    return start, np.maximum(total, 0.0), TAIL + ROUND_OFF + noise


@quiet()
def convolution_range(parts: Sequence[tuple[Floats, int]], tail: float) -> tuple[int, int]:
    """Indices outside of which the convolution of masses holds at most ``tail``.

    By Chernoff bounds of the orders θ = ±1/n, …, ±20/n, n being the length of the longest, with
    M(θ) = Π (Σ masses[i] e^{θi})^k over the parts::

        Pr[sum ≥ x] ≤ M(θ) e^{−θx}   for θ > 0, and the mirror image for θ < 0,

    each at ``tail``/2, as in `dp_accounting`. All powers e^{θi} lie within e^{±20}, so that nothing
    overflows and no sum needs logarithms. Round-off of a sum, below 1e-13 of it, raises the tail by
    the factor e^{1e-13·k}: less than the k·2e-16 that `convolve` counts for its own.

    Parameters
    ----------
    parts : sequence of (ndarray, int)
        Masses, at least 0 and of a sum of at most 1, and k, how many times they are convolved.
    tail : float
        Above 0.

    Returns
    -------
    first, last : int
        Within 0 and Σ (n − 1)·k; first > last where all mass together is less than the tail.
    """
    n = max(masses.size for masses, _ in parts)
    growth, margin = np.exp(np.arange(n) / n), math.log(2 / tail)
    first, last = 0, sum((masses.size - 1) * k for masses, k in parts)
    rising = [masses for masses, _ in parts]
    falling = list(rising)
    for j in range(1, _ORDERS + 1):
        rising = [masses * growth[: masses.size] for masses in rising]
        falling = [masses / growth[: masses.size] for masses in falling]
        above = (_log_moment(rising, parts) + margin) * n / j
        below = -(_log_moment(falling, parts) + margin) * n / j
        last = min(last, math.ceil(above)) if math.isfinite(above) else last
        first = max(first, math.floor(below)) if math.isfinite(below) else first
    return first, last


def _log_moment(weighted: list[Floats], parts: Sequence[tuple[Floats, int]]) -> float:
    return sum(
        k * float(np.log(masses.sum())) for masses, (_, k) in zip(weighted, parts, strict=True)
    )


def _cut_noise(index: np.ndarray, masses: Floats) -> tuple[np.ndarray, Floats, float]:
    """Without the far tail that holds less than TAIL in all, and what it held."""
    if masses.size == 0:
        return index, masses, 0.0
    tail = np.cumsum(masses[::-1])[::-1]
    keep = tail > TAIL
    kept = int(keep.sum())
    cut = float(tail[kept]) if kept < masses.size else 0.0
    occupied = masses[:kept] > 0
    return index[:kept][occupied], masses[:kept][occupied], cut
