"""Which neighboring datasets a mechanism is run on next.

- `base`: what a finder is; `neighbors`: what neighboring datasets are; `records`: what they consist
  of.
- `random`, `grid` and `bandit` search; `dataset_space` builds arrays of a domain for them, and
  `table_space` data frames.
- `given`: the user's own datasets; `smaller`: what a found pair shrinks to.

To add a finder, read `base` and `grid`; then add a line to `finder` below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from workbench import _checks
from workbench.mechanisms.base import Domain
from workbench.mechanisms.table_domain import TableDomain
from workbench.testers.finders.bandit import BanditFinder
from workbench.testers.finders.base import Finder
from workbench.testers.finders.given import FixedFinder, GivenFinder, as_neighbors
from workbench.testers.finders.grid import GridFinder
from workbench.testers.finders.neighbors import RELATIONS, Neighbors
from workbench.testers.finders.random import RandomFinder
from workbench.testers.finders.records import is_frame

#: The finders that search by themselves: of a relation, a domain and a seed.
SEARCHES: dict[str, Callable[[str, Domain | TableDomain, int | np.random.Generator], Finder]] = {
    "random": RandomFinder,
    "grid": lambda relation, domain, seed: GridFinder(relation, domain),
    "bandit": BanditFinder,
}


def finder(
    spec: Any,
    neighboring_relation: str | None = None,
    domain: Domain | TableDomain | None = None,
    seed: int | np.random.Generator = 0,
) -> Finder:
    """The finder that a specification stands for.

    Parameters
    ----------
    spec : str, Finder, Neighbors, tuple of two datasets, or iterable
        "random", "grid" or "bandit" search; one pair for all trials; or a list or generator with
        one `Neighbors` or (dataset, neighbor) for each trial, which may end before the trials do.
        A tuple of two datasets is a pair; give several pairs as a list.
    neighboring_relation : {"add-remove", "substitute", "user", "label", "stated"}, optional
        Which datasets are neighbors; see `Neighbors`. Default: "add-remove" in a search, and for
        given pairs the one that their sizes suggest.
    domain : Domain or TableDomain, optional
        Datasets that a search may propose, arrays or data frames. Default: ``Domain()``. Given
        pairs of frames must be in a `TableDomain`, which also names the column of the users or the
        labels.
    seed : int or numpy.random.Generator

    Raises
    ------
    ValueError
        An unknown name, something that is not a source of datasets, or a domain without
        neighboring datasets.
    NotNeighbors
        A single pair whose datasets are no neighbors.
    """
    if neighboring_relation is not None:
        _checks.one_of(neighboring_relation, "neighboring_relation", RELATIONS)
    if domain is not None:
        _checks.instance(
            domain,
            (Domain, TableDomain),
            "domain",
            "a workbench.Domain, such as wb.Domain(high=9), or a workbench.TableDomain",
        )
    if isinstance(spec, Finder):
        return spec
    if isinstance(spec, str):
        _checks.one_of(spec, "datasets", SEARCHES)
        return SEARCHES[spec](neighboring_relation or "add-remove", domain or Domain(), seed)
    is_pair = isinstance(spec, tuple) and len(spec) == 2 and not isinstance(spec[0], Neighbors)
    if is_pair or isinstance(spec, Neighbors):
        return FixedFinder(as_neighbors(spec, neighboring_relation, domain), domain)
    if isinstance(spec, Iterable) and not (isinstance(spec, np.ndarray | dict) or is_frame(spec)):
        return GivenFinder(spec, neighboring_relation, domain)
    raise ValueError(
        f"datasets must be {', '.join(map(repr, SEARCHES))}, a pair (dataset, neighbor), or a "
        f"list or generator of pairs; got {type(spec).__name__}"
        f"{', which has to be called first' if callable(spec) else ''}"
    )
