"""Tables with dependent rows and columns of five kinds, and generators whose ε is known exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: Rows of a household, which share where they live and much of what they earn.
HOUSEHOLD = 3

#: Share of rows that occur twice.
TWICE = 0.02

REGIONS = np.array(["north", "east", "south", "west", "islands"])
START = pd.Timestamp("2019-01-01")


def population(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """A table of n persons in households.

    Columns: age and pay (numeric), region (category), since (date), smokes (yes/no), and weight,
    numbers of which a fifth is missing. Pay follows the household; a few rows occur twice.
    """
    homes = -(-n // HOUSEHOLD)
    home = np.repeat(np.arange(homes), HOUSEHOLD)[:n]
    wealth, region = rng.normal(size=homes), rng.choice(5, homes, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    age = np.clip(rng.normal(45, 18, n), 18, 95).round()
    table = pd.DataFrame(
        {
            "age": age,
            "pay": np.exp(10 + 0.6 * wealth[home] + 0.2 * rng.normal(size=n) + 0.005 * age).round(),
            "region": REGIONS[region[home]],
            "since": START + pd.to_timedelta(rng.integers(0, 1800, homes)[home], unit="D"),
            "smokes": rng.random(n) < 0.2 + 0.2 * (wealth[home] < 0),
            "weight": np.where(rng.random(n) < 0.2, np.nan, rng.normal(75, 14, n).round(1)),
        }
    )
    again = rng.permutation(n)[: 2 * round(TWICE * n)]
    table.iloc[again[::2]] = table.iloc[again[1::2]].to_numpy()
    return table.astype({"age": float, "pay": float, "weight": float, "smokes": bool})


#: (generator, unlabelled pool, who was in) -> synthetic table.
Made = Callable[[np.random.Generator, pd.DataFrame, NDArray[np.bool_]], pd.DataFrame]


@dataclass(frozen=True)
class KnownGenerator:
    """A generator whose privacy is known exactly, for adding or removing a record."""

    name: str
    about: str
    make: Made
    epsilon: float
    delta: float

    @property
    def independent(self) -> bool:
        """Whether its table does not depend on who was in."""
        return self.epsilon == 0


def _of_the_population(
    rng: np.random.Generator, pool: pd.DataFrame, member: NDArray[np.bool_]
) -> pd.DataFrame:
    return population(rng, len(pool) // 2)


def _of_the_pool(
    rng: np.random.Generator, pool: pd.DataFrame, member: NDArray[np.bool_]
) -> pd.DataFrame:
    """Copies of a third of all records, whoever was in, among others of the population."""
    drawn = pool[rng.random(len(pool)) < 1 / 3]
    both = pd.concat([drawn, population(rng, len(pool) // 4)])
    return both.sample(frac=1, random_state=int(rng.integers(2**31)))


def answering(epsilon: float, revealed: float = 0.0) -> Made:
    """Each record of the pool is in the table by randomized response to whether it was in.

    With the probability ``revealed`` all answers are true at once.
    """
    true = 1 / (1 + math.exp(-epsilon))

    def make(
        rng: np.random.Generator, pool: pd.DataFrame, member: NDArray[np.bool_]
    ) -> pd.DataFrame:
        told = np.where(rng.random(len(pool)) < true, member, ~member)
        told = member if rng.random() < revealed else told
        return pool[told].sample(frac=1, random_state=int(rng.integers(2**31)))

    return make


#: By name. The pool stands for the universe, which is public: it is the same for both neighbors.
GENERATORS = {
    one.name: one
    for one in (
        KnownGenerator(
            "population", "new records of the population", _of_the_population, 0.0, 1e-5
        ),
        KnownGenerator(
            "pool", "copies of a third of all records, in or not", _of_the_pool, 0.0, 1e-5
        ),
        KnownGenerator(
            "answers", "randomized response to each record, ε = 1", answering(1.0), 1.0, 0.0
        ),
        KnownGenerator(
            "answers or all", "as before, and all revealed with probability δ = 0.001",
            answering(1.0, 0.001), 1.0, 0.001,
        ),
    )
}  # fmt: skip


def drawn(
    generator: KnownGenerator, rng: np.random.Generator, n: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The training table, the holdout, and what the generator made; each record by its own coin."""
    pool = population(rng, n)
    member = rng.random(n) < 0.5
    return pool[member], pool[~member], generator.make(rng, pool, member)
