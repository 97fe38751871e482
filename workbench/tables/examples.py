"""Bundled examples of score tables, with their origin."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import cast

import numpy as np

from workbench import _checks
from workbench.scores.examples import data_folder, read_card
from workbench.tables.read import read_score_table
from workbench.tables.table import ScoreTable

#: Bundled score tables; each has a card `<name>.toml`.
TABLES = ("digits-records", "digits-losses-table")


@lru_cache(maxsize=len(TABLES))
def example_table(name: str) -> ScoreTable:
    """A bundled score table, the same object every time.

    Parameters
    ----------
    name : {"digits-records", "digits-losses-table"}
        "digits-records": 400 handwritten digits under 128 small models that were trained on random
        halves of them. Attributes: "label", with which a record was trained; "digit", what it
        shows; "row", its place in scikit-learn's data; "image". "digits-losses-table": losses of
        120 digits under 256 models that were trained with DP-SGD, a run of
        `workbench.training.gallery`.

    Raises
    ------
    ValueError
        No table of that name.

    Examples
    --------
    >>> table = wb.example_table("digits-records")
    >>> table.n_models, table.n_records
    (128, 400)
    """
    _checks.one_of(name, "name", TABLES)
    card = read_card(name)
    if card["file"].endswith(".parquet"):
        table = read_score_table(data_folder() / card["file"], name=name, trusted=True)
        return replace(cast(ScoreTable, table), notes=(card["made"],), seed=card["seed"])
    with np.load(data_folder() / card["file"]) as arrays:
        columns = {key: arrays[key] for key in arrays}
    return ScoreTable(
        columns.pop("scores"),
        columns.pop("member"),
        attributes=columns,
        larger_is_member=card["larger_is_member"],
        sampling=card["sampling"],
        name=name,
        notes=(card["made"],),
        seed=card["seed"],
    )
