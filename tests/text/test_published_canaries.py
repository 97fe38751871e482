"""The table of canaries in language models in the documentation: each figure is computed anew."""

import math
from pathlib import Path

import pytest
from scipy.stats import binom

import workbench as wb

PAGE = Path(__file__).parents[2] / "docs" / "published-figures.md"
DELTA = 1e-5


def published(canaries, guesses, correct, error):
    """ε by Theorem 5.2 of Steinke et al. (2023), as the code of arXiv 2503.06808 computes it."""

    def p_value(epsilon):
        q = 1 / (1 + math.exp(-epsilon))
        beta, alpha, total = binom.sf(correct - 1, guesses, q), 0.0, 0.0
        for i in range(1, correct + 1):
            total += binom.pmf(correct - i, guesses, q)
            alpha = max(alpha, total / i)
        return beta + alpha * DELTA * 2 * canaries

    low, high = 0.0, 30.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if p_value(middle) < error else (low, middle)
    return low


def sharp(guesses, correct, confidence):
    return wb.one_run_bound(
        guesses, canaries=1000, correct=correct, delta=DELTA, confidence=confidence, method="sharp"
    ).value


def exposed(rank):
    return wb.Ranks([rank], values=17).exposures[0]


#: The counts of a row -> theirs and ours.
FIGURES = {
    "248 of 253 guesses right": (
        lambda: published(1000, 253, 248, 0.01), lambda: sharp(253, 248, 0.99)
    ),
    "21 of 26 guesses right": (
        lambda: published(1000, 26, 21, 0.01), lambda: sharp(26, 21, 0.99)
    ),
    "100 of 100 guesses right": (
        lambda: published(1000, 100, 100, 0.01), lambda: sharp(100, 100, 0.999)
    ),
    "rank 4 beside 16 references": (lambda: math.log2(16) - math.log2(4), lambda: exposed(4)),
    "rank 17 beside 16 references": (lambda: math.log2(16) - math.log2(17), lambda: exposed(17)),
}  # fmt: skip


def rows():
    section = PAGE.read_text(encoding="utf-8").partition("## Canaries in language models")[2]
    lines = [one for one in section.partition("\n## ")[0].splitlines() if one.startswith("|")]
    for line in lines[2:]:
        yield [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize("row", [pytest.param(row, id=row[1]) for row in rows()])
def test_the_table_states_what_is_computed(row):
    for stated, compute in zip(row[3:5], FIGURES[row[1]], strict=True):
        places = len(stated.partition(".")[2])
        assert f"{compute():.{places}f}" == stated


def test_every_row_is_computed():
    assert [row[1] for row in rows()] == list(FIGURES)


def test_counts_follow_from_the_rates_that_are_printed():
    assert [round(0.496 * 500), round(0.042 * 500), round(0.01 * 500)] == [248, 21, 5]
