"""The pair of independent releases, of one pair or of several."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench import _checks
from workbench.pairs.accounting.accounted import Accounted, AccountedPair, Sampled, equal_steps
from workbench.pairs.accounting.dpsgd import NEIGHBORING, DPSGDPair
from workbench.pairs.accounting.pld import Steps
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.randomized_response import RandomizedResponsePair, RepeatedResponsesPair

#: Pairs that one composition holds at most; each takes about 50 ms.
MOST_PAIRS = 1000

#: Pairs whose names a name holds.
_NAMED = 4


@dataclass(frozen=True)
class ComposedPair(AccountedPair):
    """Independent releases, all of them seen by the attacker: of a pair k times, or of several.

    In closed form for Gaussian pairs, μ√k or the root of the sum of all μ² (Dong, Roth and Su 2022,
    Corollary 3.3), and for randomized response, a binomial sum (Kairouz, Oh and Viswanath 2015,
    Theorem 3.3). Otherwise by privacy loss distributions on one grid, convolved, with an error bar:
    see `workbench.pairs.accounting.pld`. Scores are the sums of all log-likelihood ratios.

    Parameters
    ----------
    pair : Pair or sequence of Pair
        Several pairs are released one after the other, such as the phases of a training; at most
        1000. The record is in for all of them, or out. Pairs of trainings must be about one
        neighboring relation: where it changes from phase to phase, the composition is one of both
        relations at once, and not about either.
    k : int
        How many times; at least 1.

    Raises
    ------
    ValueError
        A k that is not a whole number of at least 1, or something that is no pair.

    See Also
    --------
    from_history : The phases of a DP-SGD training.

    Notes
    -----
    Asking for a value raises `AccountantError` where the losses spread so far that no grid of
    bounded size describes them.

    Examples
    --------
    >>> pair = wb.ComposedPair([wb.LaplacePair(0.5), wb.GaussianPair(0.5)], 2)
    >>> round(pair.epsilon(1e-5), 2)
    3.73
    """

    pair: Pair | tuple[Pair, ...]
    k: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.pair, Pair):
            object.__setattr__(self, "pair", _checked(self.pair))
        object.__setattr__(self, "k", _checks.count(self.k, "k", least=1))

    @classmethod
    def from_history(
        cls, history: Iterable[Sequence[float]], neighboring_relation: str = "add-remove"
    ) -> ComposedPair:
        """A training by DP-SGD in phases, between which the noise or the sampling rate changes.

        Parameters
        ----------
        history : iterable of (float, float, int)
            Noise multiplier, sampling rate and number of steps of each phase, as in the
            ``history`` of an accountant of Opacus.
        neighboring_relation : {"add-remove", "substitute"}
            Of all phases.

        Returns
        -------
        ComposedPair
            Of a `workbench.DPSGDPair` for each phase.

        Raises
        ------
        ValueError
            No phases, a phase of other than three numbers, a number outside its range.

        Examples
        --------
        >>> pair = wb.ComposedPair.from_history([(1, 0.01, 500), (2, 0.01, 500)])
        >>> round(pair.epsilon(1e-5), 2)
        1.4
        """
        _checks.one_of(neighboring_relation, "neighboring_relation", NEIGHBORING)
        phases: Any = list(history) if _is_sequence(history) else [history]
        for phase in phases:
            if not _is_sequence(phase) or len(tuple(phase)) != 3:
                raise ValueError(
                    "history must hold (noise multiplier, sampling rate, steps) of each phase, "
                    f"such as [(1, 0.01, 500), (2, 0.01, 500)]; got {_checks.shown(phase)}"
                )
        return cls(
            tuple(
                DPSGDPair(noise, rate, steps, neighboring_relation) for noise, rate, steps in phases
            )
        )

    @property
    def name(self) -> str:
        if isinstance(self.pair, Pair):
            return f"{self.pair.name}, {self.k} times"
        names = [one.name for one in self.pair]
        if len(names) > _NAMED:
            names[_NAMED - 1 :] = [f"{len(names) - _NAMED + 1} further ones"]
        together = " + ".join(names)
        return together if self.k == 1 else f"({together}), {self.k} times"

    @property
    def short(self) -> str:
        if isinstance(self.pair, Pair):
            return self.name
        if self.k == 1 and all(isinstance(one, DPSGDPair) for one in self.pair):
            return f"DP-SGD in {len(self.pair)} phases"
        return f"{len(self.pair) * self.k} releases together"

    @property
    def heuristic(self) -> bool:
        return any(one.heuristic for one in self._pairs)

    @property
    def parameters(self) -> dict[str, object]:
        return {"pair": self.pair, "k": self.k}

    @property
    def _pairs(self) -> tuple[Pair, ...]:
        return (self.pair,) if isinstance(self.pair, Pair) else self.pair

    def _closed_form(self) -> Pair | None:
        if isinstance(self.pair, Pair):
            return self.pair._composed(self.k)
        if len(set(self.pair)) == 1:
            return ComposedPair(self.pair[0], len(self.pair) * self.k)
        known = [one.closed_form for one in self.pair]
        mus = [one.mu for one in known if isinstance(one, GaussianPair)]
        if len(mus) < len(known):
            return None
        return GaussianPair(math.hypot(*mus) * math.sqrt(self.k))

    def _composed(self, k: int) -> ComposedPair:
        return ComposedPair(self.pair, k * self.k)

    @property
    def _accounted(self) -> Accounted:
        if isinstance(self.pair, Pair):
            return equal_steps(self.pair, self.k, self.pair.symmetric)
        steps: dict[tuple[Any, bool], int] = {}
        for part in self._parts():
            kind = part.step, part.symmetric
            steps[kind] = steps.get(kind, 0) + part.steps
        return Accounted(tuple(Steps(step, k, same) for (step, same), k in steps.items()))

    def _parts(self) -> Iterator[Steps]:
        """The steps of all pairs, as often as they are composed."""
        for pair in self._pairs:
            if isinstance(pair, AccountedPair) and pair.closed_form is None:
                for step, k, symmetric in pair._accounted.parts:
                    yield Steps(step, k * self.k, symmetric)
            else:
                one: Pair = pair.closed_form or pair
                if isinstance(one, RandomizedResponsePair):  # by its answers, not by its profile
                    one = RepeatedResponsesPair(one.epsilon_0, one.delta_0, 1)
                yield Steps(one, self.k, one.symmetric)

    @property
    def _largest_loss(self) -> float:
        largest = (
            one._largest_loss if isinstance(one, AccountedPair) else float(one.epsilon(0.0))
            for one in self._pairs
        )
        return self.k * sum(largest)

    @property
    def _steps(self) -> tuple[tuple[Sampled, int], ...]:
        if isinstance(self.pair, Pair):
            return ((self.pair, self.k),)
        return tuple((one, self.k) for one in self.pair)


def _checked(pairs: Any) -> tuple[Pair, ...]:
    """Pairs as a tuple, or a ValueError."""
    remedy = "give a pair such as GaussianPair(mu), or a list of pairs"
    if not _is_sequence(pairs):
        raise ValueError(f"pair must be a Pair, got {_checks.shown(pairs)}; {remedy}")
    found = tuple(pairs)
    if not 1 <= len(found) <= MOST_PAIRS:
        raise ValueError(f"pair must hold 1 to {MOST_PAIRS} pairs, got {len(found)}; {remedy}")
    for one in found:
        if not isinstance(one, Pair):
            raise ValueError(f"pair must hold pairs only, got {_checks.shown(one)}; {remedy}")
    return found


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
