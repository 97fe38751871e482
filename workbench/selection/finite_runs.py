"""Run counts with finitely many values: `PointMass`, `TwoPoint`, `Table`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from workbench import _checks
from workbench.curves.validation import Floats, quiet, reals
from workbench.selection.runs import RunBlocks, RunCount, run_counts

#: Largest array of (values × support of a table) that is held at once.
_LARGEST_BLOCK = 2**21


#: A summand of a finite sum: of run counts, and of two values against which they are broadcast.
_Term: TypeAlias = Callable[[Floats, Floats, Floats], Floats]


class _Finite(RunCount):
    """Finitely many run counts, listed with their probabilities."""

    _support: Floats
    _probabilities: Floats

    def _keep(self, support: ArrayLike, probabilities: ArrayLike) -> None:
        object.__setattr__(self, "_support", np.asarray(support, dtype=float))
        object.__setattr__(self, "_probabilities", np.asarray(probabilities, dtype=float))

    @property
    def mean(self) -> float:  # type: ignore[override]
        return float(self._support @ self._probabilities)

    @property
    def nothing(self) -> float:
        return float(self._probabilities[self._support == 0].sum())

    @property
    def terms(self) -> int:
        return self._support.size

    def _log_pmf(self, k: Floats) -> Floats:
        place = np.minimum(np.searchsorted(self._support, k), self._support.size - 1)
        found = self._support[place] == k
        with quiet():
            return np.where(found, np.log(self._probabilities[place]), -np.inf)

    def _log_derivative(self, log_z: Floats) -> Floats:
        def term(k: Floats, z: Floats, _: Floats) -> Floats:
            return np.log(k) + np.where(k > 1, (k - 1) * z, 0.0)

        return self._log_sum(term, log_z, log_z)

    @quiet()
    def _elasticity(self, log_z: Floats) -> Floats:
        def term(k: Floats, z: Floats, _: Floats) -> Floats:
            return np.log(k) + np.log(k - 1) + np.where(k > 1, (k - 1) * z, 0.0)

        return np.exp(self._log_sum(term, log_z, log_z) - self._log_derivative(log_z))

    def _log_increase(self, log_z: Floats, log_gap: Floats) -> Floats:
        def term(k: Floats, z: Floats, gap: Floats) -> Floats:
            # z^k − (z−gap)^k = z^k (1 − (1 − gap/z)^k)
            rest = np.log1p(-np.minimum(np.exp(gap - z), 1.0))
            return k * z + np.log(-np.expm1(k * rest))

        return self._log_sum(term, log_z, log_gap)

    @quiet()
    def _log_sum(self, term: _Term, first: Floats, second: Floats) -> Floats:
        """Log Σ_k ξ(k) e^term over k ≥ 1, a block of values at a time."""
        ran = self._support > 0
        k, log_p = self._support[ran, None], np.log(self._probabilities[ran, None])
        out = np.empty(first.shape)
        flat, a, b = out.reshape(-1), first.reshape(-1), second.reshape(-1)
        size = max(_LARGEST_BLOCK // k.size, 1)
        for start in range(0, flat.size, size):
            block = slice(start, start + size)
            terms = log_p + term(k, a[block], b[block])
            flat[block] = np.logaddexp.reduce(terms, axis=0)
        return out

    def _blocks(self, rest: float) -> RunBlocks:
        ran = self._support > 0
        return RunBlocks(self._support[ran], self._probabilities[ran], 0.0)

    def _draw(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.choice(self._support, size=n, p=self._probabilities)


@dataclass(frozen=True)
class PointMass(_Finite):
    """Exactly ``k`` runs, as in usual tuning.

    For any score, their composition is the upper bound: ``epsilon(..., bound="composition")``.

    Parameters
    ----------
    k : int
        At least 1.
    """

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", _checks.count(self.k, "k", least=1))
        self._keep([self.k], [1.0])

    @property
    def name(self) -> str:
        return f"{self.k} runs"


@dataclass(frozen=True)
class TwoPoint(_Finite):
    """One run with probability ``s``, ``k`` runs otherwise.

    Xiang, Wang and Wang (2024), eq. 21.

    Parameters
    ----------
    k : int
        At least 2.
    s : float
        In (0, 1).
    """

    k: int
    s: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", _checks.count(self.k, "k", least=2))
        object.__setattr__(self, "s", _checks.open_unit(self.s, "s"))
        self._keep([1, self.k], [self.s, 1 - self.s])

    @property
    def name(self) -> str:
        return f"1 run with probability {self.s:g}, else {self.k}"


class Table(_Finite):
    """Any distribution with finitely many run counts.

    Parameters
    ----------
    pmf : mapping or array_like
        ``{k: probability}``, or an array whose entry k is ξ(k), from k = 0 on.

    Raises
    ------
    ValueError
        Probabilities that are negative or do not sum to 1 within 1e-9 (what is within is divided
        out), run counts that are infinite or no whole numbers, or no run for certain.
    """

    def __init__(self, pmf: Mapping[int, float] | ArrayLike) -> None:
        if isinstance(pmf, Mapping):
            k, p = reals(list(pmf), "run counts"), reals(list(pmf.values()), "pmf")
        else:
            p = reals(pmf, "pmf")
            k = np.arange(p.size, dtype=float)
        if p.ndim != 1 or p.size == 0:
            raise ValueError(f"pmf must list probabilities, got shape {p.shape}; give {{k: ξ(k)}}")
        k = run_counts(k)
        if (p < 0).any():
            raise ValueError(f"pmf must not be negative, got {p.min():g} at k = {k[p.argmin()]:g}")
        if not abs(p.sum() - 1) <= 1e-9:
            raise ValueError(f"pmf must sum to 1, got {p.sum():.10g}; divide it by its sum")
        order = np.argsort(k)
        order = order[p[order] > 0]
        if k[order[-1]] == 0:
            raise ValueError("pmf must give some k above 0 a chance, got none; nothing ever runs")
        self._keep(k[order], p[order] / p.sum())

    @property
    def name(self) -> str:
        return f"table of {self._support.size} run counts, mean {self.mean:g}"

    def __repr__(self) -> str:
        entries = zip(self._support, self._probabilities, strict=True)
        shown = [f"{k:g}: {p:g}" for k, p in entries]
        if len(shown) > 6:
            shown[3:-3] = ["…"]
        return f"Table({{{', '.join(shown)}}})"
