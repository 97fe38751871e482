"""A table split by fair coins, before a generator is trained."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.synthetic.columns import SyntheticTablesError
from workbench.synthetic.split import split_by_coin

if TYPE_CHECKING:
    import pandas as pd

#: Files of text, and what separates their cells.
_SEPARATORS = {".csv": ",", ".tsv": "\t"}


def split_table(path: Path, out: Path, unit: str | None, seed: int | None) -> str:
    """What was done, after the parts of a table are written.

    Parameters
    ----------
    path : Path
        A csv, tsv or parquet file. Cells of text stay as they are written.
    out : Path
        A folder, which is made if there is none.
    unit : str, optional
        The column whose records share a coin.
    seed : int, optional

    Raises
    ------
    SyntheticTablesError
        A file of another kind, or that cannot be read; parts that are there already.
    """
    kind = path.suffix.lower()
    table = _read(path, kind)
    names = [f"train{kind}", f"holdout{kind}", "split.py"]
    there = [name for name in names if (out / name).exists()]
    if there:
        raise SyntheticTablesError(
            f"{out / there[0]} is there already, and another split would be a second one; name a "
            "new folder, or remove the old parts if nothing was trained on them"
        )
    if unit is not None and unit in table.columns:
        table[unit] = table[unit].replace("", None)
    split = split_by_coin(table, unit, seed)
    out.mkdir(parents=True, exist_ok=True)
    for part, name in zip(split, names, strict=False):
        _write(part, out / name, kind)
    script = _script(split.script(str(path)), path, kind)
    (out / names[2]).write_text(script, encoding="utf-8")
    train, holdout = (out / name for name in names[:2])
    coin = "record" if unit is None else f"value of {unit}"
    return (
        f"{len(split.train):,} records are in {train}, {len(split.holdout):,} in {holdout}: one "
        f"fair coin for each {coin}, by the random number {split.seed}.\n"
        f"Train the generator, and all that is fitted to data, on {train} alone. Then:\n\n"
        f"  workbench synthetic {train} {holdout} SYNTHETIC --split coin"
        + (f" --unit {unit}" if unit else "")
        + f"\n\n{out / names[2]} makes the same split:\n\n{script}"
    )


def _read(path: Path, kind: str) -> pd.DataFrame:
    import pandas as pd

    try:
        if kind in _SEPARATORS:
            return pd.read_csv(path, sep=_SEPARATORS[kind], dtype=str, keep_default_na=False)
        if kind == ".parquet":
            return pd.read_parquet(path)
    except FileNotFoundError:
        raise SyntheticTablesError(f"there is no file {path}") from None
    except (OSError, ValueError) as error:
        raise SyntheticTablesError(f"{path} cannot be read as a table: {error}") from None
    raise SyntheticTablesError(
        f"{path.name} is split from a csv, tsv or parquet file; save the table as one of them"
    )


def _write(part: pd.DataFrame, path: Path, kind: str) -> None:
    if kind in _SEPARATORS:
        part.to_csv(path, sep=_SEPARATORS[kind], index=False)
    else:
        part.to_parquet(path, index=False)


def _script(text: str, path: Path, kind: str) -> str:
    """The script of a csv file, for a file of this kind."""
    if kind == ".csv":
        return text
    text = text.replace("train.csv", f"train{kind}").replace("holdout.csv", f"holdout{kind}")
    if kind == ".parquet":
        return text.replace("read_csv(", "read_parquet(").replace("to_csv(", "to_parquet(")
    read = f"read_csv({str(path)!r}"
    return text.replace(read, f"{read}, sep='\\t'").replace("index=False", "sep='\\t', index=False")
