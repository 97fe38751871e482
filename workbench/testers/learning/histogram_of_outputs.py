"""`picture`: the measured outputs of a finding in bins, with the witness's mean scores."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.testers.evidence import Picture
from workbench.testers.learning.bits import BitRatio
from workbench.testers.learning.encoding import codes_of, row_keys
from workbench.testers.learning.event_in_words import label_of
from workbench.testers.learning.outputs import is_text
from workbench.testers.outputs.table_encoding import Encoding, fit_encoding
from workbench.testers.property_testers.base import FittedWitness

#: Bins of numbers, and largest number of single outcomes.
BINS = 40

#: Outputs of each sample that the witness scores.
_ASKED = 10_000

#: Characters of a label.
_LETTERS = 40

_ODD = (("NaN", np.isnan), ("−∞", np.isneginf), ("∞", np.isposinf))


def picture(
    tester: str,
    witness: FittedWitness,
    p: NDArray[Any],
    q: NDArray[Any],
    encoding: Encoding | None = None,
) -> Picture:
    """Histogram of measured outputs, with the witness's mean score in each bin.

    Outcomes, if there are few or they are text; numbers of one column in equal bins between their
    percentiles 1 and 99; for other outputs the witness's scores in such bins.

    Parameters
    ----------
    tester : str
    witness : FittedWitness
    p, q : array
        Measured outputs.
    encoding : PlainEncoding or TableEncoding, optional
        Of the outputs, which has the words of outcomes.
    """
    asked = np.concatenate([p[:_ASKED], q[:_ASKED]])
    scores = np.asarray(witness.scores(asked), dtype=float)
    both, n_p = np.concatenate([p, q]), len(p)
    where = np.r_[: min(n_p, _ASKED), n_p : n_p + min(len(q), _ASKED)]
    known = np.unique(row_keys(asked), return_index=True, return_counts=True)
    bits = isinstance(getattr(witness, "ratio", None), BitRatio)
    if len(known[0]) <= BINS or is_text(both):
        of, edges = "outcomes", None
        labels, code = _outcomes(both, asked, *known, encoding or fit_encoding(p, q))
    elif both.ndim == 1 and not bits:
        of, (labels, edges, code) = "outputs", _numbers(both.astype(float))
    else:
        of, (labels, edges, code) = "scores", _numbers(scores)
        n_p, where = min(n_p, _ASKED), np.arange(len(scores))
    size = len(labels)
    asked_code = code[where]
    total = np.bincount(asked_code, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(asked_code, weights=scores, minlength=size) / total
    return Picture(
        tester=tester,
        of=of,
        labels=tuple(labels),
        edges=edges,
        counts_p=tuple(np.bincount(code[:n_p], minlength=size).tolist()),
        counts_q=tuple(np.bincount(code[n_p:], minlength=size).tolist()),
        scores=tuple(mean.tolist()),
    )


def _outcomes(
    outputs: NDArray[Any],
    asked: NDArray[Any],
    keys: NDArray[np.uint64],
    first: NDArray[np.int64],
    counts: NDArray[np.int64],
    encoding: Encoding,
) -> tuple[list[str], NDArray[np.int64]]:
    """The most frequent outcomes, the rest together: numbers ascending, others by frequency."""
    shown = np.argsort(-counts, kind="stable")[:BINS]
    if asked.ndim == 1 and not is_text(asked):
        shown = shown[np.argsort(asked[first[shown]], kind="stable")]
    rest = len(shown)
    number = np.full(len(keys) + 1, rest)
    number[shown] = np.arange(rest)
    code = number[codes_of(row_keys(outputs), keys)]
    labels = [_label(asked[k], encoding) for k in first[shown]]
    if (code == rest).any():
        labels.append("other")
    return labels, code


def _label(row: Any, encoding: Encoding) -> str:
    text = label_of(row, encoding)
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"


def _numbers(x: NDArray[np.float64]) -> tuple[list[str], tuple[float, ...], NDArray[np.int64]]:
    """Equal bins between percentiles, the outer ones open; NaN and ±∞ are bins of their own."""
    finite = x[np.isfinite(x)]
    if finite.size:
        low, high = np.quantile(finite, [0.01, 0.99], method="nearest")
        if low == high:
            low, high = finite.min(), finite.max()
    else:
        low, high = 0.0, 1.0
    # In quarters, so that the widest range does not overflow.
    edges = np.unique(np.linspace(low / 4, high / 4, BINS + 1) * 4)
    if len(edges) < 2:
        edges = np.array([low, np.nextafter(low, np.inf)])
    last = len(edges) - 2
    code = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, last)
    labels = [f"{a:.4g} to {b:.4g}" for a, b in pairwise(edges)]
    labels[0], labels[-1] = f"below {edges[1]:.4g}", f"from {edges[-2]:.4g}"
    for name, is_it in _ODD:
        odd = is_it(x)
        if odd.any():
            code[odd] = len(labels)
            labels.append(name)
    return labels, tuple(edges.tolist()), code
