"""`LabelLaw`: labels with the stated law π(·|x) of the label of each record."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.curves.validation import Floats
from workbench.scores import chance

#: How far the probabilities of a record may be from a sum of 1; they are divided by their sum.
_ROUNDED = 1e-6

#: Labels up to which comparing a number with all ends is faster than a search.
_FEW = 16

#: Numbers of a law, at most: records times labels.
_MOST = 5 * 10**7


class LabelsError(ValueError):
    """Labels or probabilities that no game can be made of."""


@dataclass(frozen=True, eq=False)
class LabelLaw:
    """Labels of records as whole numbers, and the probabilities of all labels of each.

    Attributes
    ----------
    labels : ndarray of int, shape (n,)
        The place of each record's label among the K.
    probabilities : ndarray, shape (n, K) or (1, K)
        A row for each record, or one for all.
    """

    labels: NDArray[np.int64]
    probabilities: Floats

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def records(self) -> int:
        """Number n of records."""
        return self.labels.size

    @property
    def values(self) -> int:
        """Number K of labels."""
        return self.probabilities.shape[1]

    def of_labels(self, labels: NDArray[np.int64]) -> Floats:
        """The probability of a label of each record, shape as ``labels``.

        Parameters
        ----------
        labels : ndarray of int, shape (…, n)
        """
        return self.rows[np.arange(self.records), labels]

    @property
    def rows(self) -> Floats:
        """The probabilities with a row for each record, shape (n, K)."""
        return np.broadcast_to(self.probabilities, (self.records, self.values))

    def draw(self, draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Labels of all records by the law, shape (draws, n).

        Parameters
        ----------
        draws : int
        rng : numpy.random.Generator
        """
        below = np.cumsum(self.probabilities, axis=1)
        below /= below[:, -1:]  # what follows the last possible label is 1 then, and not drawn
        u = rng.random((draws, self.records))
        if len(below) == 1:
            return np.searchsorted(below[0], u, side="right").astype(np.int64)
        if self.values <= _FEW:
            drawn = np.zeros(u.shape, np.int64)
            for end in below.T[:-1]:  # the last is 1, which no number reaches
                drawn += u >= end
            return drawn
        row = np.arange(self.records)
        found = np.searchsorted((below + row[:, None]).ravel(), u + row, side="right")
        drawn = np.clip(found - row * self.values, 0, self.values - 1)
        # A number may be rounded across the end of a label that is impossible.
        wrong = self.of_labels(drawn) == 0
        if wrong.any():
            drawn[wrong] = np.broadcast_to(self.rows.argmax(axis=1), drawn.shape)[wrong]
        return drawn.astype(np.int64)

    def fingerprint(self, use: str) -> chance.Fingerprint:
        """What the labels are known by, whatever law is stated for them.

        Parameters
        ----------
        use : str
            Games before and after the training are known apart.
        """
        digest = hashlib.blake2b(f"{use} of labels {self.records}".encode(), digest_size=16)
        digest.update(np.ascontiguousarray(self.labels, dtype="<i8").data)
        shares = np.bincount(self.labels) / self.records
        shares = shares[shares > 0]
        return chance.Fingerprint(
            digest.hexdigest(), float(-self.records * (shares * np.log2(shares)).sum())
        )


def read_law(
    labels: ArrayLike, probabilities: ArrayLike | None, classes: ArrayLike | None
) -> LabelLaw:
    """Labels with their law, checked.

    Parameters
    ----------
    labels : array_like, shape (n,)
        Whole numbers from 0 to K − 1, or some of ``classes``.
    probabilities : array_like, shape (n, K) or (K,), optional
        By default all labels are equally likely; ``classes`` says how many there are.
    classes : array_like, shape (K,), optional
        The labels in the order of the columns; 0, 1, …, K − 1 by default.

    Raises
    ------
    LabelsError
        Labels that are not among the classes; probabilities that are negative or do not sum to 1;
        numbers of records or labels that differ.
    """
    names = None if classes is None else _names(classes)
    given = _checks.listed(labels, "labels")
    if given.ndim != 1 or given.size < 2:
        raise LabelsError(
            f"labels must be 1-d with a label for each of at least 2 records, got {given.shape}"
        )
    if probabilities is None:
        if names is None:
            raise LabelsError(
                "give probabilities=, a row with the law of the label of each record; or classes=, "
                "whose labels are then equally likely"
            )
        table = np.full((1, names.size), 1 / names.size)
    else:
        table = _table(probabilities, given.size)
    if names is not None and names.size != table.shape[1]:
        raise LabelsError(
            f"{names.size} classes and probabilities of {table.shape[1]} labels; give one class "
            "for each column"
        )
    return LabelLaw(_codes(given, names, table.shape[1]), table)


def _names(classes: ArrayLike) -> NDArray[Any]:
    names = _checks.listed(classes, "classes").ravel()
    if names.size < 2 or len({str(name) for name in names}) < names.size:
        raise LabelsError(
            "classes must name at least two labels, each once, in the order of the columns; got "
            f"{_checks.shown(classes)}"
        )
    return names


def _table(probabilities: ArrayLike, records: int) -> Floats:
    x = np.atleast_2d(_checks.array(probabilities, "probabilities"))
    if x.ndim != 2 or len(x) not in (1, records) or x.shape[1] < 2 or x.size > _MOST:
        raise LabelsError(
            "probabilities must have a row for each record and a column for each of at least two "
            f"labels (at most {_MOST:,} numbers), or be one law for all records; got the shape "
            f"{np.shape(probabilities)} for {records} records"
        )
    if not (np.isfinite(x).all() and (x >= 0).all()):
        row = int(np.argmin((np.isfinite(x) & (x >= 0)).all(axis=1)))
        raise LabelsError(
            f"probabilities must be at least 0 and finite, got {_checks.shown(x[row])} in row "
            f"{row}, counted from 0; give probabilities, not logits"
        )
    sums = x.sum(axis=1)
    row = int(np.abs(sums - 1).argmax())
    if abs(sums[row] - 1) > _ROUNDED:
        raise LabelsError(
            f"the probabilities of a record must sum to 1, those of row {row}, counted from 0, "
            f"sum to {sums[row]:.6g}; divide each row by its sum, or apply softmax to logits"
        )
    return np.asarray(x / sums[:, None])


def _codes(given: NDArray[Any], names: NDArray[Any] | None, values: int) -> NDArray[np.int64]:
    if names is not None:
        place = {str(name): k for k, name in enumerate(names)}
        unknown = [label for label in given.tolist() if str(label) not in place]
        if unknown:
            raise LabelsError(f"the label {_checks.shown(unknown[0])} is not among the classes")
        return np.array([place[str(label)] for label in given.tolist()], np.int64)
    x = _checks.array(given, "labels")
    odd = ~(np.isfinite(x) & (x == np.floor(x)) & (x >= 0) & (x < values))
    if odd.any():
        raise LabelsError(
            f"labels must be whole numbers from 0 to {values - 1}, the columns of probabilities; "
            f"got {x[odd][0]:g} for record {int(odd.argmax())}; name other labels by classes="
        )
    return x.astype(np.int64)
