"""`LabeledData`: the records that models are trained on, and the data sets of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.software.extras import check


@dataclass(frozen=True, eq=False, repr=False)
class LabeledData:
    """Records with their labels.

    Parameters
    ----------
    x : array_like of float, shape (records, features)
        Kept as float32.
    y : array_like of int, shape (records,)
        Labels from 0 to ``classes`` − 1.
    classes : int
        At least 2.
    name : str
        Shown in titles.
    rows : array_like of int, shape (records,), optional
        Where the records are rows of `labeled_data(name)`: which ones, as plans name them.

    Raises
    ------
    ValueError
        Shapes that do not agree, features that are not finite, or labels outside their range.
    """

    x: NDArray[np.float32]
    y: NDArray[np.intp]
    classes: int
    name: str = ""
    rows: NDArray[np.intp] | None = None

    def __post_init__(self) -> None:
        with np.errstate(over="ignore"):  # what float32 cannot hold is refused as not finite
            x = _checks.array(self.x, "x").astype(np.float32)
        y = _checks.listed(self.y, "y").copy()
        _checks.count(self.classes, "classes", least=2)
        _checks.text(self.name, "name")
        if x.ndim != 2 or y.shape != x.shape[:1]:
            raise ValueError(
                f"x and y must have shapes (records, features) and (records,), got {x.shape} and "
                f"{y.shape}; give one row of x for every label"
            )
        if not np.isfinite(x).all():
            raise ValueError("x must be finite; leave out or fill in what is missing")
        if y.size and (y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= self.classes):
            raise ValueError(
                f"labels must be whole numbers from 0 to {self.classes - 1}, got "
                f"{np.unique(y)[:5].tolist()}; number the classes from 0"
            )
        arrays: dict[str, NDArray[Any]] = {"x": x, "y": y.astype(np.intp)}
        if self.rows is not None:
            arrays["rows"] = _checks.indices(self.rows, 2**53, "rows")
            if arrays["rows"].shape != y.shape:
                raise ValueError(
                    f"rows must have the shape {y.shape}, got {arrays['rows'].shape}; give the row "
                    "number of every record, or leave rows out"
                )
        for name, array in arrays.items():
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        return f"LabeledData({name}{self.size} records, {self.features} features)"

    @property
    def size(self) -> int:
        """Number of records."""
        return self.y.size

    @property
    def features(self) -> int:
        """Number of features of a record."""
        return self.x.shape[1]

    @property
    def images(self) -> NDArray[np.float32] | None:
        """The records as images, shape (records, height, width); None for other data."""
        shape = _IMAGES.get(self.name) if self.rows is not None else None
        return None if shape is None else self.x.reshape(-1, *shape)

    def take(self, rows: Any) -> LabeledData:
        """The records of some rows: indices from 0, a slice or a mask (ValueError otherwise)."""
        if not isinstance(rows, slice):
            is_mask = _checks.listed(rows, "rows").dtype == bool
            check = _checks.mask if is_mask else _checks.indices
            rows = check(rows, self.size, "rows")
        own = None if self.rows is None else self.rows[rows]
        return LabeledData(self.x[rows], self.y[rows], self.classes, self.name, own)

    def without(self, row: int) -> LabeledData:
        """All records but one (ValueError where it is none of them)."""
        return self.take(np.arange(self.size) != self._row(row))

    def joined(self, more: LabeledData) -> LabeledData:
        """These records, and then others with as many features and classes."""
        need = "a wb.training.LabeledData"
        _checks.instance(more, LabeledData, "more", need)
        if (more.features, more.classes) != (self.features, self.classes):
            raise ValueError(
                f"more must have {self.features} features and {self.classes} classes, got "
                f"{more.features} and {more.classes}; join data of one kind"
            )
        x, y = np.concatenate([self.x, more.x]), np.concatenate([self.y, more.y])
        rows = None
        if self.rows is not None and more.rows is not None and self.name == more.name:
            rows = np.concatenate([self.rows, more.rows])
        return LabeledData(x, y, self.classes, self.name, rows)

    def relabeled(self, row: int) -> LabeledData:
        """One record, with the next label: most models know better, so it stands out."""
        row = self._row(row)
        y = (self.y[[row]] + 1) % self.classes
        return LabeledData(self.x[[row]], y, self.classes, self.name)

    def record(self, x: ArrayLike, label: int) -> LabeledData:
        """A record that is not among these, of the same kind.

        Parameters
        ----------
        x : array_like, shape (features,)
        label : int
        """
        row: Any = np.reshape(_checks.array(x, "x"), (1, -1))
        if row.shape[1] != self.features:
            raise ValueError(f"x must have {self.features} features, got {row.shape[1]}")
        return LabeledData(row, np.array([_checks.count(label, "label")]), self.classes, self.name)

    def _row(self, row: int) -> int:
        if _checks.count(row, "row") >= self.size:
            raise ValueError(f"row must be below {self.size}, the number of records, got {row!r}")
        return int(row)


def _digits() -> LabeledData:
    check("sklearn", "the data set digits needs")
    from sklearn.datasets import load_digits  # type: ignore[import-untyped]

    data = load_digits()
    return LabeledData(data.data / 16.0, data.target, 10, "digits", np.arange(data.target.size))


def _breast_cancer() -> LabeledData:
    check("sklearn", "the data set breast-cancer needs")
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    x = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    rows = np.arange(data.target.size)
    return LabeledData(x / np.sqrt(x.shape[1]), data.target, 2, "breast-cancer", rows)


#: The data sets by name, all of which come with scikit-learn.
DATA: dict[str, Callable[[], LabeledData]] = {"digits": _digits, "breast-cancer": _breast_cancer}

#: Height and width of data sets of images.
_IMAGES = {"digits": (8, 8)}


@lru_cache(maxsize=len(DATA))
def labeled_data(name: str) -> LabeledData:
    """A data set that comes with scikit-learn.

    Parameters
    ----------
    name : {"digits", "breast-cancer"}
        1797 images of 8 × 8 pixels in [0, 1]; 569 records of 30 standardized features, divided by
        √30.

    Raises
    ------
    ValueError
        No data set of that name.
    """
    _checks.one_of(name, "name", tuple(DATA))
    return DATA[name]()
