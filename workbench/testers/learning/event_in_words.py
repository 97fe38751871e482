"""`event_in_words`: which event was counted, in the terms of the outputs.

An event is a set of outputs that a tester has learned. It is compared with plain ones, such as
"key 'Smith' appears" or "output['mean'] is above 3.2", on outputs that were measured: where one of
them holds for the same of these outputs it is named, else the one that is most alike, and how much.
The words describe; no bound depends on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench._format import plain
from workbench.testers.learning.bits import EVERY, LOW, grid, low_bits
from workbench.testers.learning.encoding import row_keys
from workbench.testers.learning.outputs import is_text
from workbench.testers.outputs.table import LENGTH
from workbench.testers.outputs.table_encoding import (
    ABSENT,
    Encoding,
    TableEncoding,
    is_length,
)

#: Outputs of each side that are compared.
COMPARED = 2_000

#: Outcomes that are listed at most, and those among which they are.
_LISTED, _OUTCOMES = 3, 40

#: Values of a column that are compared one by one at most.
_VALUES = 30

#: An event that is as unlike as this is named by its columns only.
_ALIKE = 0.8

#: Columns that are named at most, and characters of a word.
_COLUMNS, _LETTERS = 3, 40

#: A plain event: its words, and which outputs are in it.
_Plain = tuple[str, NDArray[np.bool_]]


def event_in_words(
    outputs: NDArray[Any], inside: NDArray[np.bool_], encoding: Encoding, bits: bool = False
) -> str:
    """What the outputs in an event have in common.

    Parameters
    ----------
    outputs : array, shape (n,) or (n, d)
        Encoded outputs, of both sides alike.
    inside : ndarray of bool, shape (n,)
        Which of them are in the event.
    encoding : PlainEncoding or TableEncoding
        Of the outputs.
    bits : bool
        Whether the event was learned from their bits.

    Returns
    -------
    str
    """
    if inside.all() or not inside.any():
        return "any output" if inside.all() else "an output that none of these runs gave"
    if not bits and (listed := _outcomes(outputs, inside, encoding)):
        return listed
    best: dict[int, tuple[float, str]] = {}
    columns = [outputs] if outputs.ndim == 1 else list(outputs.T)
    for j, column in enumerate(columns):
        events = _of_bits(column) if bits else _of_values(column, j, inside, encoding)
        for words, event in events:
            alike = float(np.mean(event == inside))
            for share, said in ((alike, words), (1 - alike, _negated(words))):
                if share > best.get(j, (0.0, ""))[0]:
                    best[j] = share, said.replace("it ", f"{_subject(j, encoding)} ", 1)
    ranked = sorted(best.items(), key=lambda one: -one[1][0])
    if not ranked:
        return "a learned event"
    share, said = ranked[0][1]
    if share == 1:
        return said
    kind = "a learned event of the bits" if bits else "a learned event"
    if share >= _ALIKE:
        tenths = min(np.floor(1000 * share) / 10, 99.9)
        return f"{said}, or nearly so ({kind}; it is the same for {tenths}% of the outputs)"
    names = [_subject(j, encoding) for j, _ in ranked[:_COLUMNS]]
    return f"{kind}, carried most by {', '.join(names)}"


def label_of(row: Any, encoding: Encoding) -> str:
    """An outcome in the terms of the outputs."""
    if not np.ndim(row):
        said = encoding.word(0, row)
        if said is not None and isinstance(encoding, TableEncoding):
            return _appearance(encoding.columns[0].path, said)
        return said or _value(row)
    parts = list(row)
    if is_text(np.asarray(row)):
        while len(parts) > 1 and parts[-1] == ABSENT:
            parts.pop()
        return "(" + ", ".join(map(_value, parts)) + ")"
    if not isinstance(encoding, TableEncoding):
        return "(" + ", ".join(map(_value, parts)) + ")"
    said_of: list[str] = []
    lengths: list[str] = []
    for j, (part, column) in enumerate(zip(parts, encoding.columns, strict=True)):
        said = encoding.word(j, part)
        if column.holds == "appears":
            said_of += [_step(column.path)] if part else []
        elif said != "no word" and not (said is None and np.isnan(part)):
            name = f"{_step(column.path)} " if column.path else ""
            to = lengths if is_length(column.path) else said_of
            to.append(f"{name}{said or _value(part)}")
    said_of = said_of or lengths
    return said_of[0] if len(said_of) == 1 else "(" + ", ".join(said_of) + ")"


def _outcomes(outputs: NDArray[Any], inside: NDArray[np.bool_], encoding: Encoding) -> str:
    """The outcomes in the event, or those that are not, if they are few; "" otherwise."""
    keys, first, which = np.unique(row_keys(outputs), return_index=True, return_inverse=True)
    if keys.size > _OUTCOMES:
        return ""
    chosen = np.bincount(which, weights=inside) > 0
    for is_in, verb in ((True, "is"), (False, "is not")):
        listed = first[chosen == is_in]
        if listed.size <= _LISTED and (is_in or keys.size > 2 * _LISTED):
            labels = sorted({label_of(outputs[i], encoding) for i in listed})
            if all(label.startswith("key ") for label in labels):
                return " or ".join(labels)
            subject = _subject(0, encoding) if outputs.ndim == 1 else "the output"
            return f"{subject} {verb} {' or '.join(labels)}"
    return ""


def _of_values(
    column: NDArray[Any], j: int, inside: NDArray[np.bool_], encoding: Encoding
) -> Iterator[_Plain]:
    """Plain events of a column's values."""
    if is_text(column):
        values, counts = np.unique(column, return_counts=True)
        for value in values[np.argsort(-counts)[:_VALUES]]:
            absent = value == ABSENT
            words = "it is absent" if absent else f"it is {_value(value)}"
            yield words, column == value
        return
    numbers = column.astype(float)
    values, counts = np.unique(numbers, return_counts=True)
    if encoding.word(j, values[0]) is not None:
        for value in values[np.argsort(-counts)[:_VALUES]]:
            said = str(encoding.word(j, value))
            if said == "appears":
                yield "it appears", numbers == value
            elif said != ABSENT:
                yield f"it is {_value(said)}", numbers == value
        return
    odd = np.isnan(numbers)
    if odd.any():
        if isinstance(encoding, TableEncoding):
            yield "it is a number", ~odd
        else:
            yield "it is NaN", odd
    known = values[np.isfinite(values)]
    if known.size <= _VALUES:
        for value in known:
            yield f"it is {plain(float(value))}", numbers == value
    cut = _cut(numbers, inside)
    if cut is not None:
        yield f"it is above {cut:.10g}", numbers > cut


def _cut(numbers: NDArray[np.float64], inside: NDArray[np.bool_]) -> float | None:
    """The threshold whose event is most alike or most unlike, in as few digits as it needs."""
    order = np.argsort(numbers, kind="stable")  # NaN last: in neither event
    x = numbers[order]
    steps = np.flatnonzero(x[1:] > x[:-1])
    if not steps.size:
        return None
    # In the event and below, less what is not in the event and below: half of the disagreement.
    below = np.cumsum(np.where(inside[order], 1, -1))
    middle = (np.count_nonzero(inside) - np.count_nonzero(~inside)) / 2
    i = int(steps[np.argmax(np.abs(below[steps] - middle))])
    low, high = float(x[i]), float(x[i + 1])
    for digits in range(2, 17):
        cut = float(f"{low / 2 + high / 2:.{digits}g}")
        if low <= cut < high:
            return cut
    return low


def _of_bits(column: NDArray[Any]) -> Iterator[_Plain]:
    """Plain events of the bits of a column."""
    if column.dtype.kind != "f":
        return
    lies = grid(column)
    for k in np.unique(lies[lies < EVERY]):
        yield f"it lies on the grid of 2^{int(k)}", lies >= k
    bits = low_bits(column)
    for i in range(LOW):
        yield f"it has bit {i} of the significand, counted from the lowest", (bits >> i) % 2 == 1


def _negated(words: str) -> str:
    for verb, negated in _NEGATED.items():
        if words.startswith(f"it {verb}"):
            return words.replace(f"it {verb}", f"it {negated}", 1)
    return words


_NEGATED = {
    "is above": "is at most",
    "is a number": "is no number",
    "is": "is not",
    "appears": "does not appear",
    "lies": "does not lie",
    "has": "does not have",
}


def _subject(j: int, encoding: Encoding) -> str:
    """How a sentence calls a column."""
    path = encoding.names[j]
    if path == LENGTH:
        return "the number of entries"
    if path == "other keys":
        return "the number of other keys"
    key = re.fullmatch(r"\[([^\[\]]*[^\[\]\d][^\[\]]*)\]", path)
    if key and isinstance(encoding, TableEncoding) and encoding.columns[j].holds == "appears":
        return f"key {key[1]}"
    return f"output{path}" if path else "the output"


def _step(path: str) -> str:
    """A path without the brackets of a single key."""
    key = re.fullmatch(r"\[([^\[\]]*)\]", path)
    return key[1] if key else path


def _appearance(path: str, said: str) -> str:
    if said not in ("appears", ABSENT):
        return said
    return f"key {_step(path)} {'appears' if said == 'appears' else 'does not appear'}"


def _value(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, np.floating | float) else str(value)
    return text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…"
