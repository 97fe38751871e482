"""`PrivateMarginals`: a private generator, from noisy counts of tables chosen in advance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.claims.approx import ApproxDP
from workbench.claims.gdp import GDP
from workbench.claims.parse import as_claim
from workbench.claims.pure import PureDP
from workbench.mechanisms.floating_point import on_grid
from workbench.mechanisms.table_domain import TableDomain
from workbench.pairs.calibration import gaussian_mu_for
from workbench.synthetic.generators.bins import ColumnBins
from workbench.synthetic.generators.refusals import GeneratorError, fitted, rows_of, table_of

if TYPE_CHECKING:
    import pandas as pd

#: Cells of a table of counts, at most.
MOST_CELLS = 10**6

#: Scale of the noise, at most: beyond it, counts are no longer told apart as numbers.
MOST_NOISE = 1e12


@dataclass(eq=False, repr=False)
class PrivateMarginals:
    """A private generator: noisy counts of each column, or of each column with its parent.

    A column without a parent is counted alone. One with a parent is counted together with it, and
    drawn given the parent's value.

    Parameters
    ----------
    domain : TableDomain
        What the columns can hold. It must be known without the training table, as the tree must.
    claim : PureDP, GDP or ApproxDP
        `PureDP` by noise of the discrete Laplace distribution, the others by Gaussian noise; or a
        text such as "pure(1)".
    parents : mapping of column to column
        The tree.
    bins : int
        Intervals of each column of numbers.

    Raises
    ------
    ValueError
        Another claim, or one of no leak at all; a parent that is no column or that would be its own
        ancestor; more than a million cells.

    Notes
    -----
    The claim holds for tables that differ by one record more or less (add/remove).

    *Proof.* There are k tables of counts, one for each column. Their cells are known in advance and
    every record is in exactly one cell of each (`ColumnBins`), so a record more or less moves k
    counts by 1. The vector of all counts has the sensitivity k in the 1-norm and √k in the 2-norm.

    - Discrete Laplace noise, Pr[Z = z] ∝ a^|z| with a = e^(−ε/k): the probability of any outcome
      changes by a factor of at most a^(−k) = e^ε, which is reached. So the counts are ε-DP, and not
      for a smaller ε (the geometric mechanism of Ghosh, Roughgarden and Sundararajan, 2012).
    - Gaussian noise of standard deviation σ: the counts are those of N(0, 1) against N(μ, 1) with
      μ = √k / σ, so exactly μ-GDP (Dong, Roth and Su, 2022, Theorem 2.7), and (ε, δ)-DP for the
      μ that `workbench.GaussianPair` has for it (Balle and Wang, 2018, Theorem 8).

    What follows sees the noisy counts alone: negative ones become 0, each table is divided by its
    sum, a row is drawn from the root down, and n does not depend on the training table. Nothing of
    that can leak more (post-processing). In exact arithmetic; the noise is not cryptographically
    secure, and the generator is for audits, not for release.

    Examples
    --------
    >>> domain = wb.TableDomain({"age": range(18, 91), "smokes": ["yes", "no"]})
    >>> generator = wb.synthetic.PrivateMarginals(domain, wb.PureDP(1), {"smokes": "age"}, bins=4)
    >>> generator.noise_scale
    2.0
    """

    domain: TableDomain
    claim: PureDP | GDP | ApproxDP
    parents: Mapping[Any, Any] = field(default_factory=dict)
    bins: int = 8
    _noisy: dict[Any, NDArray[np.float64]] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        _checks.instance(self.domain, TableDomain, "domain", "a wb.TableDomain")
        claim = as_claim(self.claim)
        if not isinstance(claim, PureDP | GDP | ApproxDP) or not claim.parameter:
            raise ValueError(
                f"claim must be wb.PureDP, wb.GDP or wb.ApproxDP above 0, got {claim}; no noise "
                "has another one exactly"
            )
        self.claim = claim
        if not isinstance(self.parents, Mapping):
            raise ValueError(
                'parents must be a mapping such as {"smokes": "age"}, got '
                f"{_checks.shown(self.parents)}"
            )
        self.parents = dict(self.parents)
        self.bins = _checks.count(self.bins, "bins", least=1, most=10_000)
        for name in (*self.parents, *self.parents.values()):
            if name not in self.domain.columns:
                raise ValueError(
                    f"{_checks.shown(name)} in parents is no column; there are "
                    f"{_checks.shown(list(self.domain.columns))}"
                )
        self._check_cells()
        if not 0 < self.noise_scale <= MOST_NOISE:
            raise ValueError(
                f"claim must need noise of a scale of at most {MOST_NOISE:g}, got {self.claim}, "
                f"which needs {self.noise_scale:g}"
            )

    def _check_cells(self) -> None:
        if (cells := sum(math.prod(self._shape_of(name)) for name in self.order)) > MOST_CELLS:
            raise ValueError(
                f"the tables of counts have {cells:,} cells, at most {MOST_CELLS:,}; take fewer "
                "bins or parents"
            )

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"{name}({self.claim}, {len(self.domain.columns)} columns, bins={self.bins})"

    # -- what is counted --------------------------------------------------------------------------

    @cached_property
    def order(self) -> tuple[Any, ...]:
        """The columns, parents before their children."""
        found: list[Any] = []
        for name in self.domain.columns:
            path = [name]
            while path[-1] in self.parents and self.parents[path[-1]] not in found:
                path.append(self.parents[path[-1]])
                if path[-1] == name or len(path) > len(self.domain.columns):
                    raise ValueError(f"{_checks.shown(name)} is its own ancestor in parents")
            found += [one for one in reversed(path) if one not in found]
        return tuple(found)

    @property
    def tables(self) -> int:
        """Number k of tables of counts: the sensitivity of all counts in the 1-norm."""
        return len(self.domain.columns)

    @property
    def noise_scale(self) -> float:
        """Of the noise of each count: k/ε of discrete Laplace noise, σ of Gaussian noise."""
        claim = self.claim
        if isinstance(claim, PureDP):
            return self.tables / claim.epsilon_0
        if isinstance(claim, GDP):
            return math.sqrt(self.tables) / claim.mu
        return math.sqrt(self.tables) / gaussian_mu_for(claim.epsilon_0, claim.delta_0)

    def _bins_of(self, name: Any) -> ColumnBins:
        """The cells of a column."""
        return ColumnBins(self.domain.columns[name], self.bins)

    def _shape_of(self, name: Any) -> tuple[int, ...]:
        """The shape of the table of a column: (cells of its parent, its own), or (its own,)."""
        names = (self.parents[name], name) if name in self.parents else (name,)
        return tuple(self._bins_of(one).count for one in names)

    def counts(self, table: pd.DataFrame) -> dict[Any, NDArray[np.float64]]:
        """The counts of each column's table, without noise.

        Parameters
        ----------
        table : DataFrame
            With the columns of the domain, in any order.

        Raises
        ------
        GeneratorError
            No such table.
        """
        table = table_of(table)
        if missing := [name for name in self.domain.columns if name not in table.columns]:
            raise GeneratorError(f"the table has no column {_checks.shown(missing[0])}")
        cells = {name: self._bins_of(name).cells(table[name]) for name in self.domain.columns}
        found = {}
        for name in self.order:
            shape = self._shape_of(name)
            within = (cells[self.parents[name]], cells[name]) if len(shape) > 1 else (cells[name],)
            flat = np.ravel_multi_index(within, shape)
            found[name] = np.bincount(flat, minlength=math.prod(shape)).astype(float).reshape(shape)
        return found

    def _noise(self, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
        """Noise for a table of counts.

        Parameters
        ----------
        shape : tuple of int
        rng : numpy.random.Generator
        """
        if isinstance(self.claim, PureDP):  # the difference of two geometric numbers
            stop = -math.expm1(-1 / self.noise_scale)
            return (rng.geometric(stop, shape) - rng.geometric(stop, shape)).astype(float)
        return on_grid(rng.normal(0, self.noise_scale, shape))

    # -- the generator ----------------------------------------------------------------------------

    def fit(self, table: pd.DataFrame, seed: int | np.random.Generator | None = None) -> Self:
        """The generator itself, which keeps the noisy counts, and nothing else of the table.

        Parameters
        ----------
        table : DataFrame
            With the columns of the domain; it may have no rows.
        seed : int or numpy.random.Generator, optional
            Of the noise; by default from the operating system.

        Raises
        ------
        GeneratorError
            No such table.
        """
        rng = _checks.random(seed)
        self._noisy = {
            name: self._released(name, counts, rng) for name, counts in self.counts(table).items()
        }
        return self

    def _released(
        self, name: Any, counts: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """What is kept of the counts of a column's table."""
        return counts + self._noise(counts.shape, rng)

    def sample(self, n: int, seed: int | np.random.Generator | None = None) -> pd.DataFrame:
        """A synthetic table with the columns of the domain.

        Parameters
        ----------
        n : int
            Number of rows.
        seed : int or numpy.random.Generator, optional
            By default from the operating system.

        Raises
        ------
        GeneratorError
            It is not fitted.
        """
        import pandas as pd

        rng = _checks.random(seed)
        noisy, n = fitted(self._noisy, type(self).__name__), rows_of(n)
        cells = self._drawn_together(n, rng)
        for name in self.order:
            if name not in cells:
                weights = np.atleast_2d(_positive(noisy[name], self._bins_of(name)))
                above = cells[self.parents[name]] if name in self.parents else np.zeros(n, np.intp)
                cells[name] = _drawn(weights, above, rng)
        return pd.DataFrame(
            {name: self._bins_of(name).values(cells[name], rng) for name in self.domain.columns}
        )

    def _drawn_together(self, n: int, rng: np.random.Generator) -> dict[Any, NDArray[np.intp]]:
        """Cells of columns that are drawn from another table than those of the tree."""
        return {}


def _positive(noisy: NDArray[np.float64], bins: ColumnBins) -> NDArray[np.float64]:
    """Weights of the cells: nothing below 0, no row without any, and missing only where it may."""
    weights = np.maximum(noisy, 0)
    if not bins.column.missing:
        weights[..., bins.proper] = 0
    empty = weights.sum(axis=-1, keepdims=True) == 0
    proper = np.arange(bins.count) < bins.proper
    return np.where(empty, proper, weights)


def _drawn(
    weights: NDArray[np.float64], rows: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """A cell for each row of the table of weights."""
    steps = np.cumsum(weights, axis=1)
    at = rng.random(rows.size) * steps[rows, -1]
    return (steps[rows] <= at[:, None]).sum(axis=1).astype(np.intp)
