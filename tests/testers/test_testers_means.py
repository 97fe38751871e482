"""The bet on two means: its exact chance to err, and how sharp it is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from workbench.bounds.counts.binomial import clopper_pearson_upper
from workbench.testers.property_testers import mean_bets
from workbench.testers.property_testers.mean_bets import (
    Expected,
    HockeyStickLine,
    RenyiLine,
    in_shares,
)


def coins(count, n, low=0.0, high=1.0):
    """n values, of which ``count`` are high."""
    return np.repeat([high, low], [count, n - count])


def expect(u, v):
    return Expected.of(in_shares(u), in_shares(v), u.size, v.size)


def guessed(high_u, high_v, n=10):
    return expect(coins(high_u, n), coins(high_v, n))


def lower_limit(u, v, line, expected, confidence):
    return mean_bets.lower_limit(u, v, expected.bet(line, u.size, v.size, confidence))


def chance_to_err(p, q, n_p, n_q, line, expected, confidence, theta, values=((0, 1), (0, 1))):
    """Exact, by going through all counts of two coins."""
    error = 0.0
    (u0, u1), (v0, v1) = values
    for i in range(n_p + 1):
        for j in range(n_q + 1):
            weight = binom.pmf(i, n_p, p) * binom.pmf(j, n_q, q)
            if weight > 1e-9:
                u, v = coins(i, n_p, u0, u1), coins(j, n_q, v0, v1)
                error += weight * (lower_limit(u, v, line, expected, confidence) > theta)
    return error


CELLS = [
    (p, q, epsilon, n)
    for p, q in [(0.5, 0.5), (0.6, 0.4), (0.05, 0.01), (0.99, 0.3), (0.2, 0.3), (1.0, 0.5)]
    for epsilon in (0.0, 1.0)
    for n in [(14, 9)]
]


@pytest.mark.parametrize(("p", "q", "epsilon", "n"), CELLS)
@pytest.mark.parametrize("guess", [(5, 5), (9, 1)])
def test_the_limit_of_a_hockey_stick_errs_as_seldom_as_it_says(p, q, epsilon, n, guess):
    """Whatever was expected; at two thirds, where errors are frequent enough to matter."""
    theta = max(p - math.exp(epsilon) * q, 0)
    line = HockeyStickLine(epsilon)
    error = chance_to_err(p, q, *n, line, guessed(*guess), 2 / 3, theta)
    assert error <= 1 / 3 + 1e-7


@pytest.mark.parametrize("order", [1.5, 4.0])
@pytest.mark.parametrize(("p", "q"), [(0.5, 0.5), (0.7, 0.3), (0.3, 0.02)])
def test_the_limit_of_a_renyi_divergence_errs_as_seldom_as_it_says(order, p, q):
    h = np.log([(1 - p) / (1 - q), p / q])
    h -= h.max()
    u, v = np.exp((order - 1) * h), np.exp(order * h)
    truth = np.log(p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order))
    expected = expect(coins(round(50 * p), 50, *u), coins(round(50 * q), 50, *v))
    line = RenyiLine(order, expected.means[1])
    values = (tuple(u), tuple(v))
    error = chance_to_err(p, q, 14, 9, line, expected, 2 / 3, truth / (order - 1), values)
    assert error <= 1 / 3 + 1e-7


def test_terms_of_the_bet_that_look_at_the_measured_values_are_caught():
    """The known-bad method: expected moments, and a set, from the values that are measured."""
    line, errors, runs = HockeyStickLine(0.0), 0, 300
    rng = np.random.default_rng(5)
    for _ in range(runs):
        # The best of 40 sets, all of them worthless.
        u, v = rng.random((2, 40, 60)) < 0.5
        best = np.argmax(u.mean(1) - v.mean(1))
        u, v = u[best].astype(float), v[best].astype(float)
        errors += lower_limit(u, v, line, expect(u, v), 0.95) > 0
    assert binom.sf(errors - 1, runs, 0.05) < 0.01


def test_it_is_sharper_than_two_clopper_pearson_limits():
    """At 95% and more; and about as sharp at two thirds."""
    n, counts = 2000, (1380, 620)
    u, v = coins(counts[0], n), coins(counts[1], n)
    for confidence, margin in [(1 - 1e-4, 0.015), (0.95, 0.003), (2 / 3, -0.002)]:
        error = (1 - confidence) / 2
        fnr = clopper_pearson_upper(n - counts[0], n, error)
        fpr = clopper_pearson_upper(counts[1], n, error)
        two = 1 - fnr - math.exp(0.1) * fpr
        one = lower_limit(u, v, HockeyStickLine(0.1), expect(u, v), confidence)
        assert one > two + margin


def test_separation_costs_one_over_n():
    """Every output told apart: TV ≥ 1 − 3/n or so, as from one binomial."""
    expected = expect(np.ones(200), np.zeros(200))
    limit = lower_limit(np.ones(1000), np.zeros(1000), HockeyStickLine(0.0), expected, 0.95)
    assert 1 - 5 / 1000 < limit < 1


def test_a_tangent_costs_little():
    """Touching x off costs (1 − 1/κ)/2 · x², here at most 0.021 with x = 1/4."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(1, 1, 100_000), rng.normal(0, 1, 100_000)
    u, v = (np.exp(k * np.minimum(z - 3, 0)) for k, z in [(0.5, x), (1.5, y)])
    expected = expect(u[:9000], v[:9000])
    touches = np.array([0.8, 1.0, 1.2]) * v.mean()
    limits = [lower_limit(u, v, RenyiLine(1.5, t), expected, 0.95) for t in touches]
    assert limits[1] - 0.021 < min(limits[0], limits[2]) <= limits[1]
    estimate = 3 * np.log(u.mean()) - np.log(v.mean())
    assert estimate - 0.03 < limits[1] < estimate


@pytest.mark.parametrize("line", [HockeyStickLine(0.1), RenyiLine(1.5, 0.3), RenyiLine(30.0, 0.3)])
def test_a_line_solves_what_it_says(line):
    for theta in (0.0, 0.2, 0.9):
        slope, intercept = line.at(theta)
        assert line.solve(slope * 0.3 + intercept, 0.3) == pytest.approx(theta, abs=1e-9)
    assert line.at(0.5) >= line.at(0.4)


def test_a_tangent_lies_above():
    """(e^θ b)^{1/κ} at any b, and equal to it where it touches."""
    line, b = RenyiLine(2.5, 0.3), np.linspace(0, 1, 101)
    slope, intercept = line.at(0.7)
    power = 1.5 / 2.5
    assert np.all(slope * b + intercept >= (math.exp(0.7) * b) ** power - 1e-12)
    assert slope * 0.3 + intercept == pytest.approx((math.exp(0.7) * 0.3) ** power)


@pytest.mark.parametrize("guess", [(0, 0), (10, 10), (0, 10), (10, 0), (5, 5)])
def test_absurd_expectations_only_lower_the_limit(guess):
    expected = guessed(*guess)
    limit = lower_limit(coins(30, 40), coins(3, 40), HockeyStickLine(0.0), expected, 0.95)
    assert 0 <= limit < 0.675
