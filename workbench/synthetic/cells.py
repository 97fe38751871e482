"""`ColumnCells`: a column of one table as numbers, dates or text, with None for missing cells.

Tables come from databases, spreadsheets and generators: the same column may hold numbers in one of
them and text in another. Cells keep what is there, and `workbench.synthetic.columns` decides what a
column is, from all tables together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

#: Text that stands for a missing cell, in any case.
MISSING = ("", "nan", "na", "n/a", "<na>", "null", "none", "nat")

#: Dates as text: the formats that are tried, in this order; one must read all of them.
DATE_FORMATS = (
    *("ISO8601", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y"),
    *("%d.%m.%y", "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y"),
    *("%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S"),
)

_POINT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?", re.I)
_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?")
_CODE = re.compile(r"[+-]?0\d+")
_LIKE_DATE = re.compile(r"\d{1,4}[-./ ]\w{1,9}[-./, ]+\d{1,4}|[A-Za-z]{3,9} \d{1,2}, \d{4}")


@dataclass(frozen=True, eq=False)
class ColumnCells:
    """The cells of a column of one table.

    Attributes
    ----------
    form : {"number", "date", "text", "nested", "nothing"}
        "nested" are lists, objects, complex numbers and whatever is no single value; "nothing":
        all cells are missing.
    values : ndarray, shape (rows,)
        Floats with NaN, datetime64[us] with NaT, or an object array of text with None.
    with_numbers : bool
        Whether some cells came as numbers rather than as their text.
    """

    form: str
    values: NDArray[Any]
    with_numbers: bool = False

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which cells are missing, shape (rows,)."""
        if self.form == "number":
            return np.asarray(np.isnan(self.values))
        if self.form == "date":
            return np.asarray(np.isnat(self.values))
        return np.array([value is None for value in self.values], bool)

    @classmethod
    def of(cls, given: Any) -> ColumnCells:
        """The cells of a pandas Series or an array."""
        import pandas as pd

        column = pd.Series(given).reset_index(drop=True)
        kind = column.dtype
        if isinstance(kind, pd.CategoricalDtype):
            inside = cls.of(column.cat.categories.to_series())
            return inside._taken(column.cat.codes.to_numpy())
        if pd.api.types.is_bool_dtype(kind):
            return cls._of_objects(column.astype(object))
        if pd.api.types.is_complex_dtype(kind):
            return cls("nested", np.full(len(column), None, object))
        if pd.api.types.is_numeric_dtype(kind):
            return cls._told("number", column.to_numpy(np.float64, na_value=np.nan), True)
        if pd.api.types.is_datetime64_any_dtype(kind):
            if getattr(kind, "tz", None) is not None:
                column = column.dt.tz_convert("UTC").dt.tz_localize(None)
            return cls._told("date", column.to_numpy("datetime64[us]"))
        if pd.api.types.is_timedelta64_dtype(kind):
            return cls._told("number", column.dt.total_seconds().to_numpy(np.float64))
        if isinstance(kind, pd.PeriodDtype):
            return cls._told("date", column.dt.to_timestamp().to_numpy("datetime64[us]"))
        return cls._of_objects(column.astype(object))

    @classmethod
    def _told(cls, form: str, values: NDArray[Any], with_numbers: bool = False) -> ColumnCells:
        """The cells, of form "nothing" where all are missing."""
        cells = cls(form, values, with_numbers)
        if form != "nested" and cells.missing.all():
            return cls("nothing", np.full(values.size, None, object))
        return cells

    @classmethod
    def _of_objects(cls, column: pd.Series[Any]) -> ColumnCells:
        import pandas as pd

        try:
            codes, found = pd.factorize(column, use_na_sentinel=True)
        except TypeError:  # lists and dicts have no hash
            return cls("nested", np.full(len(column), None, object))
        known = [_plain(value) for value in found]
        if any(value is _NESTED for value in known):
            return cls("nested", np.full(len(column), None, object))
        here = [value for value in known if value is not None]
        if here and all(isinstance(value, float) for value in here):
            numbers = np.array([np.nan if value is None else value for value in known], float)
            return cls("number", numbers, True)._taken(codes)
        if here and all(isinstance(value, np.datetime64) for value in here):
            nat = np.datetime64("NaT", "us")
            dates = np.array([nat if v is None else v for v in known], "datetime64[us]")
            return cls("date", dates)._taken(codes)
        words = np.empty(len(known), object)
        words[:] = [value if value is None else text_of(value) for value in known]
        return cls("text", words, any(isinstance(v, float) for v in here))._taken(codes)

    def _taken(self, codes: NDArray[Any]) -> ColumnCells:
        """The cells of these codes of values, −1 for a missing one."""
        gap = {"number": np.nan, "date": np.datetime64("NaT", "us")}.get(self.form)
        values = np.append(self.values, np.array([gap], self.values.dtype))
        return self._told(self.form, values[codes], self.with_numbers)

    def texts(self) -> NDArray[np.object_]:
        """The cells as text, None where missing, shape (rows,)."""
        import pandas as pd

        if self.form in ("text", "nothing", "nested"):
            return self.values
        codes, found = pd.factorize(self.values, use_na_sentinel=True)
        words = np.empty(len(found) + 1, object)
        words[:-1] = [text_of(value) for value in found]
        return words[codes]


_NESTED = object()


def _plain(value: Any) -> Any:
    """A cell as a float, a datetime64, a bool or text; None for a missing one."""
    if isinstance(value, str):
        stripped = value.strip()
        return None if stripped.casefold() in MISSING else stripped
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, date | np.datetime64):
        return np.datetime64(value).astype("datetime64[us]")
    if isinstance(value, Real) or type(value).__name__ == "Decimal":
        return float(value)
    return _NESTED


def one_spelling(word: str, numbers: bool) -> str:
    """A text as a reader that knows types may give it back: "true" as "True", and "1.50" as "1.5".

    Parameters
    ----------
    word : str
    numbers : bool
        Whether numbers are to be rewritten.
    """
    if word.casefold() in ("true", "false"):
        return word.casefold().capitalize()
    return text_of(float(word)) if numbers and _POINT.fullmatch(word) else word


def text_of(value: Any) -> str:
    """A value as text: whole numbers without a point, dates in ISO 8601."""
    if isinstance(value, float | np.floating):
        return f"{value:.15g}"
    if isinstance(value, np.datetime64):
        return str(value).removesuffix(".000000").removesuffix("T00:00:00")
    return str(value)


def numbers_of(words: Sequence[str]) -> tuple[NDArray[np.float64], str] | None:
    """Texts as numbers, and which sign is the decimal one; None where one of them is none.

    Parameters
    ----------
    words : sequence of str
        Distinct texts, without missing ones.

    Returns
    -------
    numbers, sign : ndarray, str
        The sign is ".", "," or "1,000" where commas separate thousands. Codes such as "007" are no
        numbers.
    """
    if not words or any(_CODE.fullmatch(word) for word in words):
        return None
    if all(_POINT.fullmatch(word) for word in words):
        return np.array(words, float), "."
    if all(_POINT.fullmatch(word) or _GROUPED.fullmatch(word) for word in words):
        return np.array([word.replace(",", "") for word in words], float), "1,000"
    if all(_COMMA.fullmatch(word) for word in words):
        plain = [word.replace(".", "").replace(",", ".") for word in words]
        return np.array(plain, float), ","
    return None


def share_of_numbers(words: Iterable[str]) -> float:
    """The share of texts that are numbers with a point or a comma."""
    found = [bool(_POINT.fullmatch(word) or _COMMA.fullmatch(word)) for word in words]
    return float(np.mean(found)) if found else 0.0


def numbers_among(words: Sequence[str]) -> NDArray[np.float64]:
    """Texts as numbers with a point, or else with a comma, NaN where they are none."""
    points = [bool(_POINT.fullmatch(word)) for word in words]
    known = [word for word, is_point in zip(words, points, strict=True) if is_point]
    read = numbers_of([word for word in words if _POINT.fullmatch(word) or _COMMA.fullmatch(word)])
    found = np.full(len(words), np.nan)
    if read is None:
        found[np.array(points, bool)] = np.array(known, float)
    else:
        either = [bool(_POINT.fullmatch(word) or _COMMA.fullmatch(word)) for word in words]
        found[np.array(either, bool)] = read[0]
    return found


def dates_of(words: Sequence[str]) -> tuple[NDArray[np.datetime64], str] | None:
    """Texts as dates, and their format; None where no format reads all of them.

    Parameters
    ----------
    words : sequence of str
        Distinct texts, without missing ones.
    """
    import pandas as pd

    if not words or not all(_LIKE_DATE.match(word) for word in words[:20]):
        return None
    for form in DATE_FORMATS:
        read = pd.to_datetime(
            pd.Series(words, dtype=object), format=form, errors="coerce", utc=True
        )
        if not read.isna().any():
            return read.dt.tz_localize(None).to_numpy("datetime64[us]"), form
    return None
