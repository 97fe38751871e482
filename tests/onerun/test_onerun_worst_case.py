"""Bounds that assume fair coins alone, against the worst mechanism that a linear program finds.

Averaging over coin flips and over the order of the canaries costs a mechanism nothing, so the worst
one is known by π(c), the probability of c right guesses among r. Flipping one coin then compares
"this canary right, k others right" with "this one wrong, k others right", and hockey-stick
divergences are linear in π and slack variables. Hence the worst P[C ≥ c] is a linear program.
"""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import lil_matrix
from scipy.stats import binom

import workbench as wb
from workbench.onerun.mahloujifar import refuted
from workbench.onerun.steinke import epsilon_refuted, sharp_p_value, steinke_p_value
from workbench.pairs.families.base import PairFamily
from workbench.pairs.families.gaussian import GaussianFamily
from workbench.pairs.families.laplace import LaplaceFamily
from workbench.pairs.families.randomized_response import RandomizedResponseFamily
from workbench.pairs.families.subsampled_gaussian import SubsampledGaussianFamily

# The simplex method's own tolerance.
TOLERANCE = 1e-6


def worst_case(m, r, c, epsilon, delta):
    """The largest P[C ≥ c] with H_{e^ε} ≤ δ at each of the given ε, both directions together."""
    epsilon, delta = np.atleast_1d(epsilon), np.atleast_1d(delta)
    rows, columns = epsilon.size * (2 * r + 1), r + 1 + epsilon.size * 2 * r
    a, b, row = lil_matrix((rows, columns)), np.zeros(rows), 0
    for k, e in enumerate(np.exp(epsilon)):
        slack = r + 1 + k * 2 * r
        for j in range(r):
            right, wrong = (j + 1) / m, (r - j) / m
            a[row, j + 1], a[row, j], a[row, slack + j] = right, -e * wrong, -1
            a[row + 1, j], a[row + 1, j + 1], a[row + 1, slack + r + j] = wrong, -e * right, -1
            row += 2
        a[row, slack : slack + 2 * r], b[row] = 1, delta[k]
        row += 1
    gain = np.zeros(columns)
    gain[c : r + 1] = -1
    total = np.zeros((1, columns))
    total[0, : r + 1] = 1
    return -linprog(gain, a.tocsr(), b, total, [1], bounds=(0, None), method="highs").fun


SIZES = [(1, 1), (2, 2), (3, 3), (8, 8), (8, 3), (30, 30), (60, 20)]


def counts(r):
    return sorted({int(c) for c in np.linspace(max(1, r // 2), r, 5)})


@pytest.mark.parametrize(("m", "r"), SIZES)
def test_the_sharp_limit_is_the_worst_case_itself(m, r):
    for epsilon in (0.1, 1.0, 3.0):
        for delta in (0.0, 1e-4, 0.01, 0.1):
            for c in counts(r):
                worst = worst_case(m, r, c, epsilon, delta)
                assert sharp_p_value(m, r, c, epsilon, delta) == pytest.approx(worst, abs=TOLERANCE)


@pytest.mark.parametrize(("m", "r"), SIZES)
def test_steinke_holds_where_it_is_used(m, r):
    """Below a p-value of one half: confidence above 50% asks for no more."""
    checked = 0
    for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0):
        for delta in (0.0, 1e-5, 1e-3, 0.01, 0.1):
            for c in range(1, r + 1):
                p = steinke_p_value(m, r, c, epsilon, delta)
                if p <= 0.5:
                    # The sharp limit is the worst case, as the test above has it.
                    assert sharp_p_value(m, r, c, epsilon, delta) <= p + 1e-12
                    checked += 1
    assert checked or r == 1


def test_the_printed_steinke_inequality_fails_for_large_p():
    p = steinke_p_value(2, 2, 1, 1.0, 0.01)
    assert p == pytest.approx(0.930564, abs=1e-6)
    assert worst_case(2, 2, 1, 1.0, 0.01) == pytest.approx(0.931083, abs=1e-6)


def test_the_sharp_limit_is_never_behind_steinke():
    for m, r, c in ((1000, 100, 90), (1000, 1000, 650), (200, 50, 50), (5000, 300, 250)):
        for delta in (0.0, 1e-6, 1e-4, 1e-3):
            asked = {"canaries": m, "guesses": r, "correct": c, "delta": delta, "error": 0.05}
            sharp = epsilon_refuted(sharp_p_value, **asked)
            steinke = epsilon_refuted(steinke_p_value, **asked)
            assert sharp >= steinke - 1e-8
            if delta == 0:
                assert sharp == pytest.approx(steinke, abs=1e-8)


FAMILIES = {
    "gaussian": (GaussianFamily(), 1.0),
    "laplace": (LaplaceFamily(), 1.0),
    "randomized response": (RandomizedResponseFamily(0.01), 1.0),
    "subsampled": (SubsampledGaussianFamily(0.25), 2.0),
    "any pair": (PairFamily("Gaussian", wb.GaussianPair, largest=20), 1.0),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_no_mechanism_does_better_than_the_recursion_allows(name):
    """Refuted at a level means that no member's worst case reaches that level.

    The program knows the profile on a grid of ε alone, with the corners of all profiles on it, and
    so finds a bit more than the worst case, by less than the margin.
    """
    family, leak = FAMILIES[name]
    pair = family.pair(leak)
    grid = np.r_[np.linspace(0, 2, 21), np.linspace(2.25, 6, 16)]
    for m, r, c in ((2, 2, 2), (6, 6, 5), (12, 5, 4), (12, 12, 12), (20, 20, 16)):
        worst = worst_case(m, r, c, grid, pair.profile(grid))
        level = worst * 0.995
        assert not refuted(family, np.array([leak]), m, r, c, level)[0]


def test_the_recursion_is_tight_when_every_guess_is_right():
    grid = np.linspace(0, 8, 161)
    for family, leak in ((GaussianFamily(), 1.0), (SubsampledGaussianFamily(0.25), 2.0)):
        for m, r in ((6, 6), (12, 5), (20, 20)):
            worst = worst_case(m, r, r, grid, family.pair(leak).profile(grid))
            assert refuted(family, np.array([leak]), m, r, r, worst * 1.01)[0]
            assert not refuted(family, np.array([leak]), m, r, r, worst * 0.99)[0]


def test_the_program_catches_a_limit_that_assumes_independent_bits():
    """The binomial tail of independent bits is no limit when canaries may influence each other."""
    pair, m, c = wb.GaussianPair(1.0), 12, 12
    grid = np.linspace(0, 6, 61)
    independent = binom.sf(c - 1, m, (1 + pair.total_variation) / 2)
    assert worst_case(m, m, c, grid, pair.profile(grid)) > 3 * independent
