"""Findings from one recorded run and its replay on the neighbor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench._format import plain
from workbench.claims.base import Claim
from workbench.testing.record import laws
from workbench.testing.record.findings import CodeFinding
from workbench.testing.record.places import Place
from workbench.testing.record.running import same_output
from workbench.testing.record.session import Session
from workbench.testing.record.trace import NoisyValue, Trace


@dataclass(frozen=True, eq=False)
class Pairing:
    """A noisy value of the recorded run with that of the replay."""

    old: NoisyValue
    new: NoisyValue

    @property
    def apart(self) -> NDArray[np.float64]:
        """The distance of the values before noise; 0 where it is rounding."""
        old, new = self.old.signal, self.new.signal
        with np.errstate(invalid="ignore"):
            found = np.abs(new - old)
            size = np.abs(new) + np.abs(old)
        rounding = 1e-5 if self.old.output.dtype == np.float32 else 1e-9
        return np.where(found <= rounding * size, 0.0, np.nan_to_num(found, nan=np.inf))

    @property
    def law(self) -> str | None:
        """The law of the noise, where its privacy loss is known."""
        found = laws.law(self.old)
        return found[0] if found else None

    @property
    def scales(self) -> tuple[float, float]:
        """The smallest scale of the noise in both runs."""
        return _least(self.old), _least(self.new)

    @property
    def cost(self) -> float | None:
        """The ε or μ of releasing the value; None where the law is another one."""
        found = laws.law(self.old)
        if found is None or self.old.signal.shape != self.new.signal.shape:
            return None
        return laws.cost(found[0], self.apart, found[1])

    @property
    def largest(self) -> float:
        """The largest ε of a single number with Laplace noise."""
        found = laws.law(self.old)
        if found is None or found[0] != laws.LAPLACE or not self.apart.size:
            return 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.where(self.apart == 0, 0.0, self.apart / found[1]).max())


def pairings(recorded: Trace, replayed: Trace) -> list[Pairing]:
    """The noisy values that both runs have, in their order at each place."""
    return [
        Pairing(old, new)
        for key, many in recorded.noisy.items()
        for old, new in zip(many, replayed.noisy.get(key, []), strict=False)
        if old.output.shape == new.output.shape
    ]


def _least(value: NoisyValue) -> float:
    found = laws.law(value)
    spread = found[1] if found else sum(layer.spread for layer in value.layers)
    return float(np.min(spread)) if np.size(spread) else 0.0


# -- findings --------------------------------------------------------------------------------------


def unrecorded(recorded: Trace, again: Session, home: Place) -> Iterator[CodeFinding]:
    """What differs when the same run is replayed on the same data set."""
    how = same_output(recorded.output, again.trace.output)
    moved = [one for one in pairings(recorded, again.trace) if one.apart.any()]
    if how or moved or again.unmatched or _differing_draws(recorded, again.trace):
        shown = f": {how}" if how else ""
        yield CodeFinding(
            "randomness", True, False, moved[0].old.added if moved else home,
            "two runs on the same data set with the same random numbers differ"
            f"{shown}. Something random does not come from the generator, so only statistics can "
            "judge what it does",
        )  # fmt: skip


def control_flow(recorded: Trace, replay: Session, sure: bool) -> Iterator[CodeFinding]:
    """Calls that only one of the runs has."""
    for (name, place), old, new in _differing_draws(recorded, replay.trace):
        if len(old) != len(new):
            words = (
                f"{name} is called {_times(len(old))} on the data set and {_times(len(new))} on "
                "the neighbor, with the same random numbers: how often depends on data that "
                "reached it without noise"
            )
        else:
            words = (
                f"{name} has the shape {_shapes(old)} on the data set and {_shapes(new)} on the "
                "neighbor: the number of noises depends on the data"
            )
        yield CodeFinding("control flow", sure, False, place, words)
    places = dict.fromkeys((one.place, one.seen) for one in replay.unmatched)
    if not _differing_draws(recorded, replay.trace):
        for place, seen in places:
            yield CodeFinding(
                "control flow", sure, False, seen if seen.file else place,
                f"the noisy value of {place.short} is looked at here in one of the runs only, or "
                "in another shape: what happens to it depends on data that reached it without "
                "noise",
            )  # fmt: skip


def sensitivities(pairs: list[Pairing], sure: bool) -> Iterator[CodeFinding]:
    """Values that move further than their primitive states."""
    for one in pairs:
        declared = one.old.declared
        if declared is None:
            continue
        name = laws.GAUSSIAN if declared.sigma is not None else laws.LAPLACE
        moved = laws.distance(name, one.apart)
        if moved > declared.sensitivity * (1 + laws.SLACK):
            norm = "L2" if name == laws.GAUSSIAN else "L1"
            if declared.sigma is not None:
                cost = f"μ = {plain(moved / declared.sigma)}"
                stated = f"μ = {plain(declared.sensitivity / declared.sigma)}"
            else:
                cost = f"ε = {plain(moved * (declared.epsilon or 0) / declared.sensitivity)}"
                stated = f"ε = {plain(declared.epsilon or 0)}"
            yield CodeFinding(
                "sensitivity", sure or one.old.first, False, one.old.place,
                f"the value moves by {plain(moved)} ({norm}) between the data set and its "
                f"neighbor, and the sensitivity is stated as {plain(declared.sensitivity)}: the "
                f"noise gives {cost}, not {stated}",
            )  # fmt: skip


def scales(pairs: list[Pairing], claim: Claim | None, sure: bool) -> Iterator[CodeFinding]:
    """Noise whose size depends on the data, or that has no size."""
    for one in pairs:
        old, new = _spreads(one.old), _spreads(one.new)
        if not old.any() and not new.any():
            if one.apart.any():
                yield CodeFinding(
                    "no noise", sure or one.old.first, False, one.old.place,
                    f"the scale of the noise is 0, and the value differs by "
                    f"{plain(float(one.apart.max()))}",
                )  # fmt: skip
            continue
        differ = ~np.isclose(old, new, rtol=1e-6, atol=0)
        if differ.any():
            at = int(np.argmax(differ.ravel()))
            a, b = float(old.ravel()[at]), float(new.ravel()[at])
            refutes = bool(
                claim is not None
                and one.law is not None
                and one.old.released
                and one.old.first
                and one.old.own
                and laws.refuted_by_scales(claim, one.law, one.apart, old, new)
            )
            end = (
                "It is released as it is, which the claim does not allow"
                if refutes
                else ("How large it is depends on data that did not pass through noise")
            )
            yield CodeFinding(
                "scale", sure or one.old.first, refutes, one.old.place,
                f"the noise has the scale {plain(a)} on the data set and {plain(b)} on the "
                f"neighbor, with the same random numbers. {end}",
            )  # fmt: skip


def _spreads(value: NoisyValue) -> NDArray[np.float64]:
    found = np.sqrt(sum(layer.spread**2 for layer in value.layers))
    return np.asarray(found)


def reuses(replay: Session, sure: bool) -> Iterator[CodeFinding]:
    """Noise that was added to several values which do not move together."""
    for new, old in replay.reused:
        if not _spreads(old).any():
            continue  # it has no noise at all, which `scales` says
        draws = ", ".join(sorted({layer.draw.place.short for layer in old.layers}))
        moved = float(np.nanmax(np.abs(new.output.astype(float) - old.output.astype(float))))
        yield CodeFinding(
            "noise reused", sure, False, old.added,
            f"a value gets the noise of {draws}, which another value has already: in the "
            f"difference of the two it cancels, and the data set and its neighbor differ by "
            f"{plain(moved)} there",
        )  # fmt: skip


def outputs(
    recorded: Trace, replay: Session, sure: bool, no_noise: bool, home: Place
) -> Iterator[CodeFinding]:
    """Outputs that differ with all noisy values the same."""
    how = same_output(recorded.output, replay.trace.output)
    if not how:
        return
    seen = [one.place for one in recorded.untrusted[-1:]]
    seen = seen or [one.seen for one in recorded.values if one.seen.file]
    if no_noise:
        words = f"there is no noise at all, and the outputs differ: {how}"
    elif sure:
        words = (
            f"the outputs differ ({how}) with all noisy values the same: data reach the output "
            "without noise"
        )
    else:
        words = (
            f"the outputs differ ({how}) with all random numbers the same; whether that is "
            "private depends on what these hide"
        )
    yield CodeFinding("output", sure, False, seen[-1] if seen and not no_noise else home, words)


def bounds(recorded: Trace, replayed: Trace) -> Iterator[CodeFinding]:
    """Clips whose ends depend on the data."""
    for place, many in recorded.bounds.items():
        others = replayed.bounds.get(place, [])
        for old, new in zip(many[:1], others[:1], strict=False):
            for name, a, b in (("low", old.low, new.low), ("high", old.high, new.high)):
                if np.shape(a) == np.shape(b) and not np.array_equal(a, b):
                    yield CodeFinding(
                        "bounds", False, False, place,
                        f"the {name} end of the clip is {_end(a)} on the data set and {_end(b)} "
                        "on the neighbor: it depends on the data",
                    )  # fmt: skip


def budget(pairs: list[Pairing], claim: Claim | None) -> Iterator[CodeFinding]:
    """Noise that is too small for the claim."""
    known = [one for one in pairs if one.cost and one.old.own]
    if claim is None or not known:
        return
    bare = [one for one in known if one.old.released and one.old.first]
    for some, refutes in ((bare, True), (known, False)):
        epsilon, mu = laws.total([(one.law or "", one.cost or 0.0) for one in some])
        largest = max((one.largest for one in some), default=0.0)
        if some and laws.exceeds(claim, epsilon, mu, largest):
            worst = max(some, key=lambda one: one.cost or 0.0)
            parts = [f"ε = {plain(epsilon)}"] if epsilon else []
            parts += [f"μ = {plain(mu)}"] if mu else []
            moved = laws.distance(worst.law or "", worst.apart)
            norm = "L2" if worst.law == laws.GAUSSIAN else "L1"
            many = f"{len(some)} noisy values together cost" if len(some) > 1 else "the value costs"
            if refutes:
                end = (
                    "They are released as they are" if len(some) > 1 else "It is released as it is"
                )
            else:
                end = "That counts if all noisy values are seen; choosing among them may cost less"
            yield CodeFinding(
                "budget", refutes, refutes, worst.old.place,
                f"{many} {' and '.join(parts)}, and the claim is {claim}: here the value moves by "
                f"{plain(moved)} ({norm}) under noise of scale {plain(worst.scales[0])}. {end}",
            )  # fmt: skip
            return


def varying_scales(runs: list[list[Pairing]]) -> Iterator[CodeFinding]:
    """Noise whose size depends on other random values of a run."""
    found: dict[Place, list[tuple[float, float]]] = {}
    for pairs in runs:
        for one in pairs:
            if one.law is not None and one.cost:
                found.setdefault(one.old.place, []).append((one.scales[0], one.cost))
    for place, some in found.items():
        low, high = min(some), max(some)
        costs = [cost for _, cost in some]
        if high[0] > low[0] * (1 + laws.SLACK) and max(costs) > min(costs) * (1 + laws.SLACK):
            yield CodeFinding(
                "varying scale", False, False, place,
                f"the scale of the noise depends on another noisy value: {plain(low[0])} in one "
                f"run and {plain(high[0])} in another, on the same data set, while the distance "
                "that it has to hide does not shrink with it",
            )  # fmt: skip


def _differing_draws(
    recorded: Trace, replayed: Trace
) -> list[tuple[tuple[str, Place], list[tuple[int, ...]], list[tuple[int, ...]]]]:
    keys = dict.fromkeys([*recorded.draws, *replayed.draws])
    found = []
    for key in keys:
        old = [one.noise.shape for one in recorded.draws.get(key, [])]
        new = [one.noise.shape for one in replayed.draws.get(key, [])]
        if old != new:
            found.append((key, old, new))
    return found


def _times(count: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _shapes(shapes: list[tuple[int, ...]]) -> str:
    return ", ".join(dict.fromkeys(map(str, shapes)))


def _end(x: object) -> str:
    return plain(x) if isinstance(x, int | float) else str(x)
