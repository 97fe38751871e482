"""The level of bounds for the worst of a few records, over memberships and two-valued scores.

Every model draws every record by a fair coin, and scores say nothing. What "simultaneous" finds of
a record depends on the numbers of its models and scores alone, and is false with a probability that
is a sum over these. The records are independent, and so the level of R records follows from that of
one at a confidence of 1 − (1 − c)/R.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.coverage_lab.exact.methods import CONFIDENCE
from workbench.coverage_lab.exact.tables import (
    LEFT_OUT,
    binomial,
    least_false,
    level_of_two,
    likely,
)
from workbench.curves.validation import Floats
from workbench.tables.table import ScoreTable

#: What is asked of a table, by the name in stored results.
QUESTIONS = ("worst record", "records that exceed 0")


def level_of_records(models: int, records: int, question: str, rates: Floats) -> Floats:
    """Probability that something is claimed of records that do not leak, shape (k,).

    Parameters
    ----------
    models, records : int
    question : str
        One of `QUESTIONS`.
    rates : ndarray, shape (k,)
        Probabilities of the larger score.
    """
    alone = np.full(rates.size, 2 * LEFT_OUT)
    for n_in in likely(models, 0.5).tolist():
        n_out = models - n_in
        if min(n_in, n_out) < 2:
            continue
        least = least_false(
            lambda a, b, n=(n_in, n_out): is_false(a, b, n, records, question),  # type: ignore[misc]
            n_in,
            range(n_out + 1),
        )
        level = level_of_two(least, np.arange(n_out + 1), (n_in, n_out), rates, rates)
        alone += float(binomial(n_in, models, np.array(0.5))) * level
    return np.asarray(1 - (1 - np.minimum(alone, 1)) ** records)


def is_false(a: int, b: int, sizes: tuple[int, int], records: int, question: str) -> bool:
    """Whether a record would be said to leak if it were one of several.

    Parameters
    ----------
    a, b : int
        Larger scores with and without the record.
    sizes : (int, int)
        Models with and without it.
    records : int
    question : str
    """
    return claimed(one_record(a, b, sizes), 1 - (1 - CONFIDENCE) / records, question)


def claimed(table: ScoreTable, confidence: float, question: str) -> bool:
    """Whether a table's bound claims a leak."""
    if question == "worst record":
        return table.worst_record(0.0, confidence, "simultaneous").value > 0
    return table.exceeding(0.0, 0.0, confidence).value > 0


def one_record(a: int, b: int, sizes: tuple[int, int]) -> ScoreTable:
    """A table of one record, of two-valued scores with these counts."""
    n_in, n_out = sizes
    member = np.arange(n_in + n_out) < n_in
    score: NDArray[np.float64] = np.zeros(n_in + n_out)
    score[:a] = score[n_in : n_in + b] = 1
    return ScoreTable(score[:, None], member[:, None], sampling="independent runs")
