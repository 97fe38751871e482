"""The Rényi and the MMD tester: how often they err, what they find, what they would have found."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

import workbench as wb
from workbench import GDP, ApproxDP, PureDP, RenyiDP
from workbench.claims.pair import PairClaim
from workbench.testers.learning.outputs import OutputsError
from workbench.testers.property_testers.mmd import MMDTester
from workbench.testers.property_testers.renyi import RenyiTester

pytestmark = pytest.mark.slow

TESTERS = {"renyi": RenyiTester(), "mmd": MMDTester()}

#: High, so that errors would be many: as in Kong et al. (2023).
CONFIDENCE = 2 / 3

FITS, MEASURES = 5, 40


def normal(rng, n):
    return rng.normal(0, 1, n)


def repeated_columns(rng, n):
    return np.repeat(rng.normal(0, 1, (n, 1)), 3, axis=1)


def half_nan(rng, n):
    return np.where(rng.random(n) < 0.5, np.nan, rng.normal(0, 1, n))


def any_scale(rng, n):
    return rng.standard_cauchy(n) * 10.0 ** rng.uniform(-3, 4, n)


def discrete(rng, n):
    return rng.geometric(0.1, n)


ALIKE = {f.__name__: (f, f) for f in (normal, repeated_columns, half_nan, any_scale, discrete)}


def responses(epsilon, delta=0.0):
    """Randomized response: the leakiest outputs that are (ε, δ)-DP."""

    def draw(rng, n, flip):
        told = rng.random(n) < 1 / (1 + math.exp(-epsilon))
        return np.where(rng.random(n) < delta, 2 * flip - 4, np.where(flip, told, ~told))

    return (lambda rng, n: draw(rng, n, True)), (lambda rng, n: draw(rng, n, False))


def shifted(mu):
    return (lambda rng, n: rng.normal(mu, 1, n)), normal


def errors(tester, claim, sides, sizes=(240, 600), fits=FITS, same=False):
    """How often the claim is refuted, measuring 40 times after each fit.

    With ``same``, on the very outputs that the witness was fitted on: the known-bad method.
    """
    found = 0
    for seed in range(fits):
        rng = np.random.default_rng(seed)
        p, q = (draw(rng, n // 2) for draw, n in zip(sides, sizes, strict=True))
        witness = tester.fit(p, q, claim, rng)
        if same:
            found += witness.measure(p, q, CONFIDENCE).violation
            continue
        # Chosen once, for speed.
        witness = replace(witness, choices=(witness.choose(*sizes, CONFIDENCE),))
        for _ in range(MEASURES):
            p, q = (draw(rng, n) for draw, n in zip(sides, sizes, strict=True))
            found += witness.measure(p, q, CONFIDENCE).violation
    return found


def too_many(found, runs):
    """Whether so many errors refute the nominal rate, at 1%."""
    return binom.sf(found - 1, runs, 1 - CONFIDENCE) < 0.01


@pytest.mark.parametrize("name", TESTERS)
@pytest.mark.statistical
def test_identical_distributions_are_refuted_at_most_at_the_nominal_rate(name):
    """1000 runs: unequal sizes, repeated columns, NaN, any scale, discrete."""
    counts = {k: errors(TESTERS[name], PureDP(0), sides) for k, sides in ALIKE.items()}
    runs = FITS * MEASURES
    assert not too_many(sum(counts.values()), runs * len(counts))
    assert not any(too_many(found, runs) for found in counts.values()), counts


@pytest.mark.parametrize("name", TESTERS)
@pytest.mark.parametrize(
    ("claim", "sides"),
    [
        (PureDP(1), responses(1)),
        (PureDP(0.1), responses(0.1)),
        (GDP(1), shifted(1)),
        (RenyiDP(2, 1), shifted(1)),
        (PairClaim(wb.GaussianPair(1.0)), shifted(1)),
        (ApproxDP(1, 0.05), responses(1, 0.05)),
    ],
    ids=["pure(1)", "pure(0.1)", "gdp(1)", "renyi(2, 1)", "a pair", "approx(1, 0.05)"],
)
def test_mechanisms_on_the_edge_of_the_claim_are_refuted_at_most_so(name, claim, sides):
    if TESTERS[name].unsupported_reason(claim, np.zeros(1)) is None:
        assert not too_many(errors(TESTERS[name], claim, sides, fits=2), 2 * MEASURES)


@pytest.mark.parametrize("name", TESTERS)
@pytest.mark.statistical
def test_measuring_on_the_fitting_part_is_caught(name):
    """The known-bad method, on many outcomes that each occur a few times."""

    def outcomes(rng, n):
        return rng.integers(0, n // 3, n)

    tester, case, fits = TESTERS[name], (PureDP(0), (outcomes, outcomes), (600, 600)), 40
    bad = errors(tester, *case, fits, same=True)
    assert too_many(bad, fits)
    assert not too_many(errors(tester, *case, 2), 2 * MEASURES)


# -- power -----------------------------------------------------------------------------------------


def found(tester, claim, sides, n, seed, confidence=CONFIDENCE):
    """One finding: a fifth of n outputs a side fits, the others measure."""
    rng = np.random.default_rng(seed)
    p, q = (draw(rng, n) for draw in sides)
    witness = tester.fit(p[: n // 5], q[: n // 5], claim, rng)
    return witness.measure(p[n // 5 :], q[n // 5 :], confidence)


def test_reference_figures():
    """N(0,1) against N(1,1): R of order 1.5 is 0.75, δ(0.1) is 0.3523 (method.md §6)."""
    sides, truth = shifted(1), (0.75, 0.3523)
    for n, seeds, least in [(20_000, 8, (0.66, 0.33)), (500_000, 2, (0.72, 0.345))]:
        renyi, mmd = (
            [found(tester, claim, sides, n, seed).bound for seed in range(seeds)]
            for tester, claim in [
                (RenyiTester(order=1.5), GDP(0.5)),
                (MMDTester(), ApproxDP(0.1, 1e-5)),
            ]
        )
        assert least[0] < np.mean([b.value for b in renyi]) < truth[0]
        assert least[1] < np.mean([b.value for b in mmd]) < truth[1]
        assert (renyi[0].order, mmd[0].epsilon) == (1.5, 0.1)


def leakiest(claim, x):
    """Outputs of the leakiest mechanism of parameter x."""
    if isinstance(claim, GDP):
        return shifted(x)
    if isinstance(claim, RenyiDP):
        epsilons = np.linspace(0, 5, 501)
        x = np.interp(x, [PureDP(e).max_renyi(claim.order) for e in epsilons], epsilons)
    return responses(x, getattr(claim, "delta_0", 0.0))


@pytest.mark.parametrize("name", TESTERS)
@pytest.mark.parametrize("claim", [PureDP(1), GDP(1), RenyiDP(2, 1), ApproxDP(1, 0.02)], ids=str)
def test_detectable_leaks_are_detected(name, claim):
    """8 times in 10; and hardly ever halfway to the claim."""
    tester, n, runs, own = TESTERS[name], 4000, 150, claim.parameter
    if tester.unsupported_reason(claim, np.zeros(1)) is not None:
        assert isinstance(claim, ApproxDP)
        return
    x = tester.detectable(claim, n, n, 0.95)
    assert own < x < 2 * own
    rates = []
    for parameter in (x, (own + x) / 2):
        rng, sides = np.random.default_rng(0), leakiest(claim, parameter)
        witness = tester.fit(*(draw(rng, 10 * n) for draw in sides), claim, rng)
        witness = replace(witness, choices=(witness.choose(n, n, 0.95),))
        findings = (witness.measure(*(draw(rng, n) for draw in sides), 0.95) for _ in range(runs))
        rates.append(sum(finding.violation for finding in findings))
    assert binom.cdf(rates[0], runs, 0.8) > 0.01
    assert rates[1] < 0.7 * runs


@pytest.mark.parametrize("name", TESTERS)
def test_what_can_be_detected(name):
    tester = TESTERS[name]
    more, fewer = (tester.detectable(GDP(1), n, n, 0.95) for n in (100_000, 1000))
    assert 1 < more < fewer
    assert tester.detectable(GDP(1), 1000, 3000, 0.95) < fewer
    assert tester.detectable(GDP(1), 1000, 1000, 0.999) > fewer
    assert tester.detectable(PureDP(3), 5, 5, 0.95) == math.inf
    assert tester.detectable(PairClaim(wb.GaussianPair(1.0)), 1000, 1000, 0.95) is None


@pytest.mark.parametrize("name", TESTERS)
@pytest.mark.parametrize(
    "sides",
    [
        shifted(0.6),
        (lambda rng, n: any_scale(rng, n) * 3, any_scale),
        (lambda rng, n: np.where(rng.random(n) < 0.3, np.nan, half_nan(rng, n)), half_nan),
        (lambda rng, n: rng.choice(["a", "b", "c"], n), lambda rng, n: rng.choice(["a", "b"], n)),
        (lambda rng, n: repeated_columns(rng, n) + 0.6, repeated_columns),
        (lambda rng, n: rng.random(n) < 0.3, lambda rng, n: rng.random(n) < 0.1),
        (
            lambda rng, n: 1e14 + 1e3 * rng.normal(1, 1, n),
            lambda rng, n: 1e14 + 1e3 * normal(rng, n),
        ),
    ],
)
def test_leaks_of_all_sorts_are_found(name, sides):
    finding = found(TESTERS[name], PureDP(0.1), sides, 4000, 0, 0.95)
    assert finding.violation
    assert finding.parameter > 0.1
    assert finding.bound.guarantee == "held-out"
    assert finding.bound.assumption == "independent runs"
    assert (finding.bound.n_p, finding.bound.n_q) == (3200, 3200)
    assert finding.bound.cite()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", TESTERS)
@pytest.mark.parametrize("order", [1.01, 2.0, 300.0])
def test_outputs_that_never_overlap(name, order):
    """No overflow: both functions lie in [0, 1] whatever the order."""
    tester = RenyiTester(order) if name == "renyi" else TESTERS[name]
    sides = (lambda rng, n: rng.random(n) + 5), (lambda rng, n: rng.random(n))
    for pair in (sides, sides[::-1]):
        finding = found(tester, PureDP(1), pair, 4000, 0, 0.95)
        assert finding.violation
        assert 1 < finding.parameter < math.inf
    constant = (lambda rng, n: np.ones(n)), (lambda rng, n: np.zeros(n))
    assert found(tester, PureDP(1), constant, 4000, 0, 0.95).violation
    finding = found(tester, PureDP(1), (constant[0], constant[0]), 400, 0, 0.95)
    assert finding.bound.value == 0
    nothing = (lambda rng, n: np.full(n, np.nan)), (lambda rng, n: np.full(n, np.nan))
    assert found(tester, PureDP(1), nothing, 400, 0, 0.95).bound.value == 0


def test_a_rare_output_that_tells_all_is_worth_a_large_order():
    """The order is chosen on the fitting part: 1.5 sees nothing of a Laplace ε just too large."""
    sides = (lambda rng, n: rng.laplace(1.3, 1, n)), (lambda rng, n: rng.laplace(0, 1, n))
    chosen = found(RenyiTester(), PureDP(1), sides, 40_000, 0, 0.95)
    assert chosen.violation
    assert chosen.bound.order > 1.5
    assert found(RenyiTester(), GDP(0.9), shifted(1), 40_000, 0, 0.95).bound.order == 1.5


def test_strength_points_to_p():
    rng = np.random.default_rng(0)
    p, q = rng.normal(1, 1, 4000), rng.normal(0, 1, 4000)
    for tester in TESTERS.values():
        witness = tester.fit(p, q, PureDP(0.1), rng)
        low, high = witness.scores(np.array([-1.0, 1.5]))
        assert low < 0 < high
        assert math.isfinite(witness.predicted)
        assert witness.predicted > 0.1


def test_same_seed_same_finding():
    for tester in TESTERS.values():
        a, b = (found(tester, GDP(1), shifted(1.5), 2000, 3) for _ in range(2))
        assert a.bound == b.bound


# -- what is refused -------------------------------------------------------------------------------


def test_refusals_say_why():
    example = np.zeros(3)
    assert "δ = 1e-5" in RenyiTester().unsupported_reason(ApproxDP(1, 1e-5), example)
    assert RenyiTester().unsupported_reason(ApproxDP(1, 0), example) is None
    assert "order 3" in RenyiTester(order=3).unsupported_reason(RenyiDP(2, 1), example)
    assert RenyiTester(order=1.5).unsupported_reason(RenyiDP(2, 1), example) is None
    assert "Randomized" in RenyiTester().unsupported_reason(
        PairClaim(wb.RandomizedResponsePair(1, 0.1)), example
    )
    assert RenyiTester().unsupported_reason(PairClaim(wb.GaussianPair(1.0)), example) is None
    assert all(
        MMDTester().unsupported_reason(c, example) is None for c in (ApproxDP(1, 0.1), GDP(1))
    )


def test_quantities_follow_the_claim():
    """δ at the claim's ε where it names one, else total variation."""
    gaussian = PairClaim(wb.GaussianPair(1.0))
    quantities = [
        found(MMDTester(), claim, shifted(1), 500, 0).bound.quantity
        for claim in (PureDP(1), ApproxDP(1, 1e-5), GDP(1), RenyiDP(2, 1), gaussian)
    ]
    assert quantities == ["delta"] * 2 + ["total variation"] * 3
    finding = found(MMDTester(), PairClaim(wb.GaussianPair(0.5)), shifted(1), 5000, 0)
    assert finding.violation
    assert finding.parameter is None


@pytest.mark.parametrize("name", TESTERS)
def test_bad_arguments_are_named(name):
    rng, tester = np.random.default_rng(0), TESTERS[name]
    with pytest.raises(OutputsError, match="side P has 3"):
        tester.fit(np.zeros(3), np.zeros(30), PureDP(1), rng)
    with pytest.raises(OutputsError, match="columns"):
        tester.fit(np.zeros(30), np.zeros((30, 2)), PureDP(1), rng)
    witness = tester.fit(np.zeros(30), np.zeros(30), PureDP(1), rng)
    with pytest.raises(ValueError, match="confidence"):
        witness.measure(np.zeros(30), np.zeros(30), 0.05)
    with pytest.raises(ValueError, match="order"):
        RenyiTester(order=1.0)
