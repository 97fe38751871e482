"""The bundled generators, and audits to begin with: a split by coins, and what one of them made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from workbench import _checks
from workbench.claims.pure import PureDP
from workbench.scores import chance
from workbench.synthetic.generators.copying import CopyingGenerator
from workbench.synthetic.generators.duck_typing import generate
from workbench.synthetic.generators.forgotten import ForgottenMarginal
from workbench.synthetic.generators.marginals import PrivateMarginals
from workbench.synthetic.generators.patients import PATIENTS, patients
from workbench.synthetic.split import split_by_coin

if TYPE_CHECKING:
    import pandas as pd

#: A tree of pairs that somebody who knows medicine, and not this table, would choose.
TREE = {
    "weight": "sex",
    "hdl": "sex",
    "blood_pressure": "age",
    "triglycerides": "weight",
    "glucose": "weight",
    "progression": "weight",
}

#: What the private generator claims, and the wrong one, too.
CLAIM = PureDP(1.0)

#: The bundled generators by name, each made anew.
GENERATORS: dict[str, Callable[[], CopyingGenerator | PrivateMarginals]] = {
    "leaking": lambda: CopyingGenerator(share=0.2),
    "private": lambda: PrivateMarginals(PATIENTS, CLAIM, TREE),
    "wrong": lambda: ForgottenMarginal(PATIENTS, CLAIM, TREE, bins=16),
}


def example_generator(name: str) -> CopyingGenerator | PrivateMarginals:
    """A bundled generator for tables such as `patients`, which is not fitted.

    Parameters
    ----------
    name : {"leaking", "private", "wrong"}
        "leaking" is a `CopyingGenerator` of which every fifth row is a copy with noise; "private"
        is `PrivateMarginals` with the claim ε = 1; "wrong" is `ForgottenMarginal`, which makes the
        same claim and does not keep it.

    Raises
    ------
    ValueError
        No generator of that name.

    Examples
    --------
    >>> str(wb.synthetic.example_generator("private").claim)
    'pure(1)'
    """
    return GENERATORS[_checks.one_of(name, "name", tuple(GENERATORS))]()


def example(
    name: str, seed: int | np.random.Generator | None = 0
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Training table, holdout table and synthetic table of a bundled generator.

    A fair coin for each of the 442 records of `patients` decided whether it is in the training
    table, which the generator was fitted to. The synthetic table has 442 rows.

    Parameters
    ----------
    name : {"leaking", "private", "wrong"}
        See `example_generator`.
    seed : int or numpy.random.Generator, optional
        Of the coins, the noise and the rows; None takes it from the operating system.

    Returns
    -------
    (DataFrame, DataFrame, DataFrame)

    Raises
    ------
    ValueError
        No generator of that name.

    Examples
    --------
    >>> train, holdout, synthetic = wb.synthetic.example("leaking", seed=1)
    >>> len(train) + len(holdout), len(synthetic)
    (442, 442)
    """
    generator, table = example_generator(name), patients()
    rng = np.random.default_rng(chance.checked_seed(seed))
    of_coins, of_generator = rng.spawn(2)
    train, holdout = split_by_coin(table, seed=of_coins)
    return train, holdout, generate(generator, train, len(table), seed=of_generator)
