"""`split_by_coin`: a training and a holdout table by one fair coin for each record or unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import _checks
from workbench.scores import chance
from workbench.scores.refusals import listed, quoted
from workbench.synthetic.columns import SyntheticTablesError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class CoinSplit:
    """A table in two parts, as `split_by_coin` makes them: ``train, holdout = split``.

    Attributes
    ----------
    train, holdout : DataFrame
        The records for the generator, and those that it must not see, each in the table's order.
    seed : int
        The random number from which the coins followed; keep it with the audit.
    unit : str, optional
        The column whose records shared a coin.
    """

    train: pd.DataFrame = field(repr=False)
    holdout: pd.DataFrame = field(repr=False)
    seed: int
    unit: str | None = None

    def __post_init__(self) -> None:
        _checks.fields(self)

    def __iter__(self) -> Iterator[pd.DataFrame]:
        return iter((self.train, self.holdout))

    def to_frame(self) -> pd.DataFrame:
        """The whole table, those of training first, with ``in_training`` of each record."""
        import pandas as pd

        parts = [
            part.assign(**{"in_training": inside})
            for part, inside in zip(self, (True, False), strict=True)
        ]
        return pd.concat(parts)

    def script(self, path: str = "table.csv") -> str:
        """A script of a few lines that makes the same split of a file.

        Parameters
        ----------
        path : str
            The csv file with the table.
        """
        return split_script(path, self.unit, self.seed)


def split_by_coin(
    table: pd.DataFrame, unit: str | None = None, seed: int | np.random.Generator | None = None
) -> CoinSplit:
    """A training and a holdout table, by fair coins, before a generator is trained.

    Parameters
    ----------
    table : DataFrame
    unit : str, optional
        The column that names the person, or other unit; all records of a unit have one coin.
    seed : int or numpy.random.Generator, optional
        By default a number from the operating system, which the result keeps.

    Returns
    -------
    CoinSplit

    Raises
    ------
    SyntheticTablesError
        Fewer than 50 records or units; a unit column that is not there or has gaps.

    Notes
    -----
    Give ``train`` alone to the generator, with everything that is fitted to data: imputation,
    scales, choice of a model. `wb.SyntheticAudit` then has bounds that assume nothing else.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": range(100), "smokes": [0, 1] * 50})
    >>> train, holdout = wb.synthetic.split_by_coin(table, seed=1)
    >>> len(train), len(holdout)
    (47, 53)
    """
    import pandas as pd

    from workbench.synthetic.tables import FEWEST

    need = "a DataFrame; read a file with pandas.read_csv(path)"
    _checks.instance(table, pd.DataFrame, "table", need)
    given = chance.checked_seed(seed)
    drawn = chance.new_seed() if given is None else given
    names = np.arange(len(table)) if unit is None else _units(table, unit)
    count = int(names.max(initial=-1)) + 1
    if count < FEWEST:
        what = "records" if unit is None else "units"
        raise SyntheticTablesError(
            f"the table has {count} {what}; an audit needs at least {FEWEST}, so give more"
        )
    coins = np.random.default_rng(drawn).random(count) < 0.5
    inside = coins[names]
    return CoinSplit(table[inside], table[~inside], drawn, unit)


def _units(table: pd.DataFrame, unit: str) -> Any:
    import pandas as pd

    _checks.text(unit, "unit")
    if unit not in table.columns:
        raise SyntheticTablesError(
            f"unit={unit!r} is no column of the table; its columns are {listed(table.columns)}"
        )
    codes, _ = pd.factorize(table[unit])
    if (codes < 0).any():
        raise SyntheticTablesError(
            f"{int((codes < 0).sum()):,} records have no {quoted(unit)}; every record needs its "
            "unit: fill it in, or give these records units of their own"
        )
    return codes


def split_script(path: str = "table.csv", unit: str | None = None, seed: int | None = None) -> str:
    """A script that splits a csv file by fair coins, with numpy and pandas alone.

    Parameters
    ----------
    path : str
    unit : str, optional
        The column whose records share a coin.
    seed : int, optional
        By default a number that is drawn now.
    """
    _checks.text(path, "path")
    drawn = chance.new_seed() if seed is None else _checks.count(seed, "seed")
    if unit is None:
        coins = "coins = np.random.default_rng(SEED).random(len(table)) < 0.5\n"
        inside = "inside = coins\n"
    else:
        coins = (
            f"units, names = pd.factorize(table[{unit!r}])\n"
            "coins = np.random.default_rng(SEED).random(len(names)) < 0.5\n"
        )
        inside = "inside = coins[units]\n"
    return (
        "# Splits a table by one fair coin for each "
        f"{'record' if unit is None else 'unit'}, before a generator is trained.\n"
        "# Train on train.csv alone; keep holdout.csv and the seed for the audit.\n"
        "import numpy as np\n"
        "import pandas as pd\n\n"
        f"SEED = {drawn}\n\n"
        f"table = pd.read_csv({path!r})\n"
        f"{coins}{inside}"
        'table[inside].to_csv("train.csv", index=False)\n'
        'table[~inside].to_csv("holdout.csv", index=False)\n'
    )
