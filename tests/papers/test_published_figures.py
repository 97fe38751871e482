"""The table of published figures in the documentation: each figure of ours is computed anew."""

import math
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

import workbench as wb
from workbench import selection

PAGE = Path(__file__).parents[2] / "docs" / "published-figures.md"
DELTA = 1e-5


def one_run(canaries, guesses, wrong, method):
    return wb.one_run_bound(
        guesses, canaries=canaries, correct=guesses - wrong, delta=DELTA, method=method,
        family="gaussian",
    ).value  # fmt: skip


def abstaining(guesses, wrong):
    return lambda: one_run(1000, guesses, wrong, "abstain")


def mu_of_bits(canaries, wrong):
    return wb.one_run_mu_bound(
        canaries, canaries=canaries, correct=canaries - wrong, method="bits"
    ).value


def bit_error(pair):
    return (1 - pair.total_variation) / 2


def best_of_one_or_ten():
    runs = selection.Table({1: 0.1, 10: 0.9})
    return selection.epsilon(runs, mu=math.sqrt(500) / 90.458, delta=DELTA).value


def worked_example():
    b, d, e = 1e-3, 100, math.e
    p, q = (1 - b * e - d * b, b * e, d * b), (1 - b - d * b * e, b, d * b * e)
    return selection.FiniteSelection(selection.NegativeBinomial(1, 1e-3), p, q).epsilon(0)


def last_iterate(*settings):
    return lambda: wb.LastIteratePair(*settings).epsilon(DELTA)


def accountant(*settings):
    return lambda: wb.DPSGDPair(*settings).epsilon(DELTA)


def gaussian_family(equal_variances):
    x = ndtri((np.arange(2500) + 0.5) / 2500)
    return wb.parametric_bound(
        wb.Scores(x + 1.36, x), "gaussian", delta=DELTA, equal_variances=equal_variances
    ).value


@cache
def regret():
    return wb.gdp_regret(wb.DPSGDPair(noise_multiplier=9.4, sample_rate=0.328, steps=2000))


#: The second column of the table, and what the fourth states.
OURS = {
    "ε, 100 guesses of 1000, 10 wrong": abstaining(100, 10),
    "ε, 250 guesses of 1000, 36 wrong": abstaining(250, 36),
    "ε, 500 guesses of 1000, 103 wrong": abstaining(500, 103),
    "ε, 1000 guesses of 1000, 309 wrong": abstaining(1000, 309),
    "μ, 309 errors in 1000 bits": lambda: mu_of_bits(1000, 309),
    "ε, 309 errors in 1000 bits, by Hoeffding": lambda: one_run(1000, 1000, 309, "bits-hoeffding"),
    "μ, 1587 errors in 10000 bits": lambda: mu_of_bits(10_000, 1587),
    "ε, 1587 errors in 10000 bits": lambda: one_run(10_000, 10_000, 1587, "bits"),
    "bit error, randomized response, ε = 0.1, δ = 0.01": lambda: bit_error(
        wb.RandomizedResponsePair(0.1, 0.01)
    ),
    "bit error, subsampled Gaussian, q = 0.25, σ = 0.3": lambda: bit_error(
        wb.SubsampledGaussianPair(0.25, 0.3)
    ),
    "μ of the subsampled Gaussian, q = 0.25, σ = 0.3": lambda: wb.SubsampledGaussianPair(
        0.25, 0.3
    ).gdp_mu(floor=3.17e-5),
    "ε of one or ten runs, base ε = 1": best_of_one_or_ten,
    "pure ε of the worked example": worked_example,
    "last iterate, T = 2441, q = 0.08192, σ = 3": last_iterate(3, 0.08192, 2441),
    "accountant, T = 2441, q = 0.08192, σ = 3": accountant(3, 0.08192, 2441),
    "last iterate, T = 100, q = 0.05, σ = 1": last_iterate(1, 0.05, 100),
    "accountant, T = 100, q = 0.05, σ = 1": accountant(1, 0.05, 100),
    "last iterate, T = 20, q = 0.1, σ = 0.6": last_iterate(0.6, 0.1, 20),
    "accountant, T = 20, q = 0.1, σ = 0.6": accountant(0.6, 0.1, 20),
    "ε, 2500 scores per group, Gaussian μ = 1.36 (true ε 6.27)": lambda: gaussian_family(True),
    "ε, the same scores, each side its own variance": lambda: gaussian_family(False),
    "μ of DP-SGD, σ = 9.4, q = 0.328, T = 2000": lambda: regret().mu,
    "regret of that μ": lambda: regret().regret,
}

#: Where ours is another bound than theirs, or where theirs is not exact.
DIFFERENT = {
    "bit error, randomized response, ε = 0.1, δ = 0.01",
    "bit error, subsampled Gaussian, q = 0.25, σ = 0.3",
    "μ of the subsampled Gaussian, q = 0.25, σ = 0.3",
    "ε of one or ten runs, base ε = 1",
    "ε, 2500 scores per group, Gaussian μ = 1.36 (true ε 6.27)",
    "ε, the same scores, each side its own variance",
    "μ of DP-SGD, σ = 9.4, q = 0.328, T = 2000",
    "regret of that μ",
}


def rows():
    """Of the first table; the second one holds means of simulated audits."""
    first = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    for line in first.splitlines():
        if line.startswith("|") and not re.match(r"\|[-| ]+$|\| Paper", line):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def test_every_figure_of_the_table_is_computed_once():
    named = [row[1] for row in rows()]
    assert sorted(named) == sorted(OURS)
    assert set(named) >= DIFFERENT
    assert all(all(row) and len(row) == 6 for row in rows())


@pytest.mark.parametrize("row", [pytest.param(row, id=row[1]) for row in rows()])
def test_the_table_states_what_is_computed(row):
    _, name, theirs, ours = row[:4]
    places = len(ours.partition(".")[2])
    assert f"{OURS[name]():.{places}f}" == ours
    assert (theirs == ours) == (name not in DIFFERENT)


@pytest.mark.parametrize(
    ("guesses", "wrong", "printed"),
    [(100, 10, 3.1645), (250, 36, 3.6327), (500, 103, 3.7557), (1000, 309, 3.6700)],
)
def test_public_cells_of_one_run_with_abstention(guesses, wrong, printed):
    """arXiv 2509.08704, δ = 1e-5, 95%, 1000 canaries, to four decimals."""
    assert one_run(1000, guesses, wrong, "abstain") == pytest.approx(printed, abs=5e-5)


def test_the_figures_that_differ_follow_from_the_formulas_of_the_papers():
    pair = wb.RandomizedResponsePair(0.1, 0.01)
    assert f"{wb.onerun.printed_bit_error(pair):.4f}" == "0.4583"
    pair = wb.SubsampledGaussianPair(0.25, 0.3)
    assert f"{wb.onerun.printed_bit_error(pair):.3f}" == "0.322"
    runs = selection.Table({1: 0.1, 10: 0.9})
    renyi = selection.epsilon(runs, mu=math.sqrt(500) / 90.458, delta=DELTA, bound="renyi")
    assert f"{renyi.value:.2f}" == "1.12"
