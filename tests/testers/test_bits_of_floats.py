"""The bit view: grids and low bits of floats, and the tester that measures what they give away."""

import math
import re

import numpy as np
import pytest
from scipy.stats import binom

import workbench as wb
from workbench.mechanisms.floating_point import laplace_inversion, on_grid
from workbench.testers.learning.bits import EVERY, bit_ratios, grid, low_bits
from workbench.testers.outputs.table_encoding import fit_encoding
from workbench.testers.property_testers.hockey_stick import BitsTester, HockeyStickTester
from workbench.testers.report import DIGITS

RUNS = 50_000


def inversion(size, rng, epsilon, exact):
    """An exact result plus textbook Laplace noise."""
    return laplace_inversion(np.ones(exact), size, rng, epsilon=epsilon)


def library(size, rng, epsilon, exact):
    return exact + rng.laplace(0, 1 / epsilon, size)


def rounded(size, rng, epsilon, exact):
    """The private control."""
    return on_grid(inversion(size, rng, epsilon, exact), -10)


def sides(noise, epsilon, seed, runs=RUNS):
    rng = np.random.default_rng(seed)
    return noise(runs, rng, epsilon, 1), noise(runs, rng, epsilon, 0)


@pytest.mark.parametrize(
    ("x", "k"),
    [
        *[(1.0, 0), (3.0, 0), (-0.75, -2), (6.0, 1), (2.0**-1074, -1074), (1 + 2.0**-52, -52)],
        *[(0.0, EVERY), (-0.0, EVERY), (np.nan, EVERY), (-np.inf, EVERY), (2.0**1023, 1023)],
    ],
)
def test_the_grid_of_a_number(x, k):
    assert grid(np.array([x])).tolist() == [k]
    if math.isfinite(x) and x:
        assert math.ldexp(x, -k) % 2 == 1 or k == 1023


def test_the_grid_is_that_of_exact_fractions():
    x = np.random.default_rng(0).normal(size=500) * 10.0 ** np.arange(-250, 250)
    for value, k in zip(x, grid(x), strict=True):
        over, under = float(value).as_integer_ratio()
        assert k == (-(under.bit_length() - 1) if under > 1 else (over & -over).bit_length() - 1)
    assert low_bits(np.array([1.0, 1 + 2.0**-52, 1 + 2.0**-45])).tolist() == [0, 1, 128]
    assert low_bits(x).tolist() == (x.view(np.uint64) & np.uint64(255)).tolist()


@pytest.mark.parametrize("noise", [inversion, library])
@pytest.mark.parametrize(("epsilon", "least"), [(1.0, 3.5), (0.1, 0.8)])
def test_noise_in_floating_point_is_found(noise, epsilon, least):
    for seed in range(20):
        p, q = sides(noise, epsilon, seed)
        found = wb.find_violation(p, q, wb.PureDP(epsilon), "bits", seed=seed)
        assert found.violation
        assert found.parameter >= least
        assert re.search(r"grid of 2\^-[56]\d\b", found.event)


def test_values_alone_do_not_show_it_and_the_usual_tester_hints_at_it():
    p, q = sides(inversion, 1.0, 1)
    found = wb.find_violation(p, q, "pure(1)")
    assert not found.violation
    assert found.digits
    on = wb.find_violation(on_grid(p), on_grid(q), "pure(1)")
    assert not on.digits


def test_a_mechanism_is_audited():
    one_more = (np.ones(1), np.zeros(0))
    domain = wb.Domain(min_records=0)
    settings = {"datasets": one_more, "trials": 1, "samples": RUNS, "domain": domain}
    found = wb.audit_mechanism(laplace_inversion, "pure(1)", testers="bits", **settings)
    assert found.verdict == "violation found"
    assert "lies on the grid of 2^-53" in found.explain()
    assert found.best.trial.pictures["bits"].of == "scores"
    replayed = found.replay(laplace_inversion, samples=RUNS)
    assert replayed.violation
    quiet = wb.audit_mechanism(laplace_inversion, "pure(1)", **settings)
    assert "bits" not in quiet.testers
    assert DIGITS in quiet.explain()
    assert DIGITS not in found.explain()


@pytest.mark.parametrize(
    "pair",
    [
        (np.arange(4000) % 7, np.arange(4000) % 7),
        (np.arange(4000.0), np.arange(4000.0)[::-1]),
        (np.array(["a", "b"] * 2000),) * 2,
        (np.arange(4000) % 2 == 0,) * 2,
        (np.full(4000, np.nan),) * 2,
        (np.full(4000, 0.1),) * 2,
        (np.array([0.5, 0.25, np.inf, -np.inf] * 1000),) * 2,
    ],
)
def test_where_there_are_no_digits_nothing_is_viewed(pair):
    assert bit_ratios(*pair) == []
    assert not wb.find_violation(*pair, "pure(1)").violation


def test_whole_numbers_are_refused_by_name():
    with pytest.raises(ValueError, match=r"views the digits of floats.*use hockey-stick"):
        wb.find_violation(np.arange(100), np.arange(100), "pure(1)", "bits")


def test_single_precision_and_several_columns_are_viewed():
    p, q = sides(library, 1.0, 0)
    found = wb.find_violation(p.astype(np.float32), q.astype(np.float32), "pure(1)", "bits")
    assert not found.violation  # the digits that tell are gone
    rng = np.random.default_rng(1)
    single = [np.float32(exact) + rng.laplace(0, 1, RUNS).astype(np.float32) for exact in (1, 0)]
    assert wb.find_violation(*single, "pure(1)", "bits").parameter > 3.5
    more = [np.column_stack([on_grid(rng.normal(size=RUNS)), x, np.arange(RUNS)]) for x in (p, q)]
    found = wb.find_violation(*more, "pure(1)", "bits")
    assert found.parameter > 3.5
    assert "output[1]" in found.event


def test_outputs_in_dictionaries_are_viewed():
    p, q = ([{"sum": x} for x in side[:10_000]] for side in sides(library, 1.0, 0))
    found = wb.find_violation(p, q, "pure(1)", "bits")
    assert found.violation
    assert "output['sum']" in found.event


def test_numbers_of_the_usual_tester_do_not_depend_on_the_view(monkeypatch):
    p, q = sides(library, 1.0, 3, 20_000)
    for claim in ("pure(0.5)", "pure(1)", "approx(1, 1e-5)", "gdp(1)"):
        found = wb.find_violation(p, q, claim)
        with monkeypatch.context() as patched:
            patched.setattr(HockeyStickTester, "bit_ratios", lambda self, p, q: ())
            without = wb.find_violation(p, q, claim)
        assert found.bound == without.bound
        assert found.parameter == without.parameter
    # Nor where bits tell nothing does that of bits differ.
    p, q = on_grid(p), on_grid(q)
    ours, theirs = (wb.find_violation(p, q, "pure(0.5)", each) for each in ("bits", "hockey-stick"))
    assert ours.parameter == theirs.parameter


def exact_level(confidence, n=30):
    """P(an event of bits refutes (0, δ)-DP that holds with equality), summed over all counts.

    Q is on a grid; P is too but with probability δ: then it has a digit more.
    """
    delta, rng = 0.3, np.random.default_rng(0)
    coarse = on_grid(rng.normal(size=4000), -10) + 1.0
    fine = coarse + np.where(rng.random(4000) < 2 * delta, 2.0**-40, 0.0)
    claim = wb.ApproxDP(0.0, delta)
    witness = BitsTester().fit(fine, coarse, claim, rng)
    assert "grid" in witness.measure_in_words(fine, coarse, 0.95, fit_encoding(fine, fine)).event
    on, off = coarse[:1], coarse[:1] + 2.0**-40
    level = 0.0
    q = np.repeat(on, n)
    for i, chance in enumerate(binom.pmf(np.arange(n + 1), n, delta)):
        p = np.concatenate([np.repeat(off, i), np.repeat(on, n - i)])
        level += chance * witness.measure(p, q, confidence).violation
    return level


def test_the_level_of_events_of_bits_is_exactly_what_is_stated():
    # 4.0% of the 5%: a level that were halved or doubled would not fit.
    assert 0.025 < exact_level(0.95) <= 0.05
    assert exact_level(0.975) < 0.025
    assert exact_level(0.90) > 0.05


@pytest.mark.statistical
def test_noise_on_a_grid_is_accused_as_seldom_as_is_said():
    accused = 0
    for seed in range(400):
        p, q = sides(rounded, 1.0, 1000 + seed)
        accused += wb.find_violation(p, q, "pure(1)", "bits", seed=seed).violation
    assert accused <= 20


@pytest.mark.statistical
def test_a_mechanism_at_its_claim_is_accused_as_seldom_as_is_said():
    accused = 0
    for seed in range(1000):
        p, q = sides(rounded, 1.0, 2000 + seed, 2000)
        accused += wb.find_violation(p, q, "pure(1)", "bits", seed=seed).violation
    assert accused <= 50
