"""`canary_independence`: tests of whether the canaries of a run influence each other's scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench import _checks
from workbench._format import plain
from workbench._markup import table
from workbench.onerun.run import OneRun
from workbench.onerun.scored.check import IndependenceCheck
from workbench.onerun.scored.in_one_run import order_checks, sorted_rows
from workbench.onerun.scored.in_several_runs import table_checks
from workbench.scores.chance import generator
from workbench.tables.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd

#: Canaries with a p-value below this are taken to depend on each other.
DEPENDENT = 0.01

#: Canaries of one run that are looked at, and cells of a table: the first ones.
MOST_CANARIES, MOST_CELLS = 20_000, 20_000

#: With fewer there is nothing to compare.
LEAST_CANARIES = 10


@dataclass(frozen=True)
class CanaryIndependence:
    """Whether canaries influence each other's scores, as far as their scores show it.

    Attributes
    ----------
    canaries, runs : int
        Canaries and runs that were looked at.
    checks : tuple of IndependenceCheck
        Each with a p-value of its own; empty where nothing can be tested.
    untested : str
        Why there are no checks; "" if there are.
    """

    canaries: int
    runs: int
    checks: tuple[IndependenceCheck, ...]
    untested: str = ""

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def p_value(self) -> float | None:
        """Smallest p-value times the number of checks (Bonferroni), at most 1; None without any."""
        if not self.checks:
            return None
        return min(1.0, len(self.checks) * min(check.p_value for check in self.checks))

    @property
    def dependent(self) -> bool:
        """Whether the p-value is below 1%."""
        return self.p_value is not None and self.p_value < DEPENDENT

    def explain(self) -> str:
        """The finding in a plain sentence, and what it cannot say."""
        if self.p_value is None:
            return f"Whether canaries influence each other was not tested: {self.untested}."
        said = f"p = {plain(round(self.p_value, 4))}"
        if self.dependent:
            clearest = min(self.checks, key=lambda check: check.p_value)
            return f"Canaries depend on each other ({said}): {clearest.found}."
        if self.runs > 1:
            return (
                f"No sign in {self.runs:,} runs that canaries influence each other ({said}), which "
                "does not prove that they do not."
            )
        return (
            f"No sign in the order of the canaries that they influence each other ({said}). One "
            "run cannot show an influence that all share or that does not follow their order."
        )

    def to_frame(self) -> pd.DataFrame:
        """One row for each check: ``check``, ``statistic``, ``p_value``."""
        import pandas as pd

        rows = [(check.name, check.statistic, check.p_value) for check in self.checks]
        return pd.DataFrame(rows, columns=["check", "statistic", "p_value"])

    def __str__(self) -> str:
        return self.explain()

    def _repr_html_(self) -> str:
        rows = [(c.name, f"{c.statistic:.3g}", f"p = {c.p_value:.3g}") for c in self.checks]
        return table("Independence of canaries", rows, self.explain())


def canary_independence(
    data: OneRun | ScoreTable,
    *,
    permutations: int = 999,
    seed: int | np.random.Generator | None = None,
) -> CanaryIndependence:
    """Tests of whether canaries influence each other's scores, given who was in.

    Parameters
    ----------
    data : OneRun or ScoreTable
        Of one run, canaries in an order that was fixed before their scores, such as that of the
        training data: scores are compared with those, and with the inclusions, of canaries a given
        number of rows away. Of several runs with the same canaries, a table: any two canaries are
        compared.
    permutations : int
        Permutations behind the p-values; with fewer than 400 none falls below 1%.
    seed : int or numpy.random.Generator, optional
        Draws the permutations; by default the number of the data, `OneRun.chance`.

    Returns
    -------
    CanaryIndependence
        Without checks for fewer than 10 canaries, and for rows sorted by score.

    Raises
    ------
    TypeError
        Neither a `OneRun` nor a `ScoreTable`.
    ValueError
        Not at least one permutation.

    Notes
    -----
    P-values are exact by permutation, and the overall one is at most p with probability p if
    canaries are independent given inclusion and, in one run, alike: one law of the members and one
    of the others. Canaries that differ from each other in a way that follows their order are
    therefore found, too. A large p-value proves nothing: in one run, an influence that all canaries
    share, or that does not follow their order, leaves no trace. The first 20,000 canaries of a run
    and the first 20,000 cells of a table are looked at.

    Examples
    --------
    >>> from workbench.onerun import SharedGaussian
    >>> shared = SharedGaussian(1.0, coordinates=100).run(1000, seed=0)
    >>> found = wb.canary_independence(shared)
    >>> found.dependent
    True
    >>> wb.canary_independence(SharedGaussian(1.0, coordinates=1000).run(1000, seed=0)).dependent
    False
    """
    _checks.instance(data, (OneRun, ScoreTable), "data", "a OneRun or a ScoreTable of several runs")
    permutations = _checks.count(permutations, "permutations", 1, _checks.REPEATED)
    drawn = generator(data.chance, "permutations") if seed is None else None
    rng = drawn or _checks.random(seed)
    if isinstance(data, OneRun):
        return _of_run(data, permutations, rng)
    return _of_table(data, permutations, rng)


def _of_run(run: OneRun, permutations: int, rng: np.random.Generator) -> CanaryIndependence:
    x = run.scores[:MOST_CANARIES] if run.larger_is_member else -run.scores[:MOST_CANARIES]
    included = run.included[:MOST_CANARIES]
    few = x.size < LEAST_CANARIES
    if few or included.all() or not included.any():
        why = "there are too few canaries" if few else "the rows are sorted by inclusion"
        return CanaryIndependence(x.size, 1, (), why)
    if sorted_rows(x, included):
        return CanaryIndependence(
            x.size, 1, (), "the rows are sorted by score, so that their order shows nothing"
        )
    return CanaryIndependence(x.size, 1, order_checks(x, included, permutations, rng))


def _of_table(data: ScoreTable, permutations: int, rng: np.random.Generator) -> CanaryIndependence:
    runs = min(data.n_models, MOST_CELLS // 2)
    canaries = min(data.n_records, max(MOST_CELLS // runs, 2))
    if canaries < 2:
        return CanaryIndependence(canaries, runs, (), "the table has one canary")
    part = slice(runs), slice(canaries)
    here = None if data.present is None else data.present[part]
    x = np.asarray(data.matrix[part], dtype=float)
    checks = table_checks(x, data.member[part], here, permutations, rng)
    return CanaryIndependence(canaries, runs, checks)
