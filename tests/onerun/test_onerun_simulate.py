"""Simulated one-run audits: the mechanisms, and the claims of Xiang, Wang and Wang (2025)."""

import pickle

import numpy as np
import pytest

import workbench as wb
from workbench.onerun.interference import interference_study
from workbench.onerun.simulate import DPSGD, Memoryless, NameAndShame, SharedGaussian
from workbench.onerun.studies import Auditor, best_share, false_claims, study

DELTA = 1e-5


def bit_errors(mechanism, n=2000, runs=100, seed=0):
    rng = np.random.default_rng(seed)
    coins = rng.random((runs, n)) < 0.5
    scores = mechanism.draw(coins, rng)
    return ((scores > mechanism.threshold) != coins).mean(axis=1)


@pytest.mark.parametrize(
    "pair",
    [
        wb.GaussianPair(1.0),
        wb.LaplacePair(1.0),
        wb.RandomizedResponsePair(1.0, 0.05),
        wb.SubsampledGaussianPair(0.25, 0.3),
    ],
    ids=repr,
)
def test_memoryless_mechanisms_reach_the_best_bit_error(pair):
    errors = bit_errors(Memoryless(pair))
    best = (1 - pair.total_variation) / 2
    assert errors.mean() == pytest.approx(best, abs=4 * np.sqrt(0.25 / errors.size / 2000))
    assert errors.var() == pytest.approx(best * (1 - best) / 2000, rel=0.5)


def test_enough_coordinates_are_memoryless_and_fewer_are_not():
    alone = bit_errors(SharedGaussian(1.0, coordinates=2000))
    best = (1 - wb.GaussianPair(1.0).total_variation) / 2
    assert alone.mean() == pytest.approx(best, abs=0.005)
    assert bit_errors(SharedGaussian(1.0, coordinates=200)).mean() > best + 0.05
    # Numbers that do not divide are dealt out too.
    uneven = SharedGaussian(50.0, coordinates=3).run(7, seed=2)
    assert np.unique(uneven.scores).size <= 3


def test_dp_sgd_in_steps_is_dp_sgd_in_total():
    """Bit errors of the step-by-step simulation against the accountant's total variation."""
    mechanism = DPSGD(noise_multiplier=1.0, sample_rate=0.2, steps=20)
    best = (1 - mechanism.pair.total_variation) / 2
    errors = bit_errors(mechanism, n=1000, runs=100)
    assert errors.mean() == pytest.approx(best, abs=0.006)
    assert mechanism.epsilon(DELTA) == pytest.approx(mechanism.claimed.epsilon(DELTA))


def test_name_and_shame_reveals_all_or_nothing():
    errors = bit_errors(NameAndShame(0.3), runs=400)
    revealed = (errors == 0).mean()
    assert revealed == pytest.approx(0.3, abs=0.08)
    assert errors[errors > 0].mean() == pytest.approx(0.5, abs=0.01)
    assert NameAndShame(0.3).epsilon(0.3) == 0


def test_a_study_is_tidy_and_repeatable():
    mechanism = Memoryless(wb.GaussianPair(1.0))
    auditors = {"bits": Auditor("bits", "gaussian"), "steinke": Auditor("steinke", share=0.1)}
    asked = {"delta": DELTA, "canaries": (100, 1000), "seeds": 5}
    first, again = (study(mechanism, auditors, **asked, seed=3) for _ in range(2))
    assert first.truth == pytest.approx(wb.GaussianPair(1.0).epsilon(DELTA))
    for name in auditors:
        assert first.epsilon[name].shape == (2, 5)
        assert np.array_equal(first.epsilon[name], again.epsilon[name])
        low, high = first.range(name)
        assert np.all((low <= first.mean(name)) & (first.mean(name) <= high))
    frame = first.to_frame()
    assert len(frame) == 2 * 2 * 5
    columns = ["auditor", "canaries", "seed", "epsilon", "bit_error", "truth"]
    assert list(frame.columns) == columns
    assert first.bias == pytest.approx([0, 0], abs=0.06)
    assert first.bias.shape == first.variance_ratio.shape == (2,)


def test_interference_shows_as_bias_and_variance():
    asked = {"delta": DELTA, "canaries": (1000,), "seeds": 60}
    alone = study(SharedGaussian(1.0, 1000), {}, **asked)
    shared = study(SharedGaussian(1.0, 100), {}, **asked)
    assert abs(alone.bias[0]) < 0.01
    assert shared.bias[0] > 0.05
    assert 0.5 < alone.variance_ratio[0] < 1.6
    assert shared.variance_ratio[0] < 1  # the ten of a coordinate err in both directions


def drawn_as_before(mu, coordinates, included, rng):
    """`SharedGaussian.draw` as it was before there was a direction in common."""
    runs, n = included.shape
    d = min(coordinates, n)
    total, sharing = np.zeros((runs, d)), np.zeros(d)
    for i in range(n):
        total[:, i % d] += included[:, i]
        sharing[i % d] += 1
    signal = mu * (total - sharing / 2) + rng.standard_normal((runs, d))
    return signal[:, np.arange(n) % d]


@pytest.mark.parametrize("coordinates", [7, 30, 100])
def test_without_interference_scores_are_those_of_shared_coordinates(coordinates):
    coins = np.random.default_rng(0).random((4, 30)) < 0.5
    before = np.random.default_rng(1)
    for mechanism in (SharedGaussian(1.3, coordinates), SharedGaussian(1.3, coordinates, 0.0)):
        given = np.random.default_rng(1)
        found = mechanism.draw(coins, given)
    np.testing.assert_array_equal(found, drawn_as_before(1.3, coordinates, coins, before))
    # Nothing else was drawn.
    assert given.random() == before.random()


@pytest.mark.parametrize("interference", [0.0, 0.2, 1.0])
def test_interference_leaves_one_canary_its_true_pair(interference):
    """Given all other coins, the score moves by μ, and all released numbers together by norm μ."""
    mechanism, n = SharedGaussian(1.5, 40, interference), 40
    others = np.random.default_rng(2).random(n) < 0.5
    flipped = others.copy()
    flipped[3] = ~flipped[3]
    both = [mechanism.draw(np.tile(c, (1, 1)), np.random.default_rng(3)) for c in (others, flipped)]
    moved = (both[1] - both[0])[0] * (1 if flipped[3] else -1)
    assert moved[3] == pytest.approx(1.5)
    assert np.abs(np.delete(moved, 3)) == pytest.approx(1.5 * interference)
    # Noise of the score has standard deviation 1.
    many = mechanism.draw(np.tile(others, (4000, 1)), np.random.default_rng(4))
    assert many[:, 3].std() == pytest.approx(1, abs=0.05)
    assert mechanism.pair == wb.GaussianPair(1.5)


def test_bounds_fall_with_the_interference_and_stay_valid():
    auditors = {"bits": Auditor("bits", "gaussian"), "steinke": Auditor("steinke")}
    found = interference_study(SharedGaussian(1.0, 1000, 0.3), auditors, delta=DELTA)
    alone = study(
        SharedGaussian(1.0, 1000), auditors, delta=DELTA, canaries=(1000,), seeds=10, seed=0
    )
    for name in auditors:
        np.testing.assert_array_equal(found.epsilon[name][0], alone.epsilon[name][0])
        assert np.all(np.diff(found.mean(name)[1:]) < 0)  # at 0.01 there is hardly any yet
        assert found.mean(name)[-1] < 0.2 * found.mean(name)[0]
    assert np.all(np.diff(found.bit_error.mean(axis=1)[1:]) > 0)
    assert found.mechanism.interference == 0
    assert found.truth == pytest.approx(wb.GaussianPair(1.0).epsilon(DELTA))
    for strength in (0.02, 0.1):
        claims = false_claims(
            SharedGaussian(1.0, 200, strength), auditors["bits"], canaries=200, delta=DELTA,
            runs=2000,
        )  # fmt: skip
        assert claims.p_value > 1e-3


# -- what the paper claims -------------------------------------------------------------------------


def means(pair, family, n, bits="bits"):
    mechanism = Memoryless(pair)
    auditors = {
        "bits": Auditor(bits, family),
        "steinke": best_share(mechanism, Auditor("steinke"), canaries=n, delta=DELTA),
    }
    found = study(mechanism, auditors, delta=DELTA, canaries=(n,), seeds=20, seed=11)
    return found.mean("bits")[0], found.mean("steinke")[0], found.truth


@pytest.mark.parametrize("mu", [0.5, 1.0, 2.0])
def test_gaussian_bits_are_clearly_tighter(mu):
    bits, steinke, truth = means(wb.GaussianPair(mu), "gaussian", 1000)
    assert bits > 1.3 * steinke
    assert truth > bits


@pytest.mark.parametrize("epsilon", [0.25, 1.0, 4.0])
def test_randomized_response_is_audited_equally_well(epsilon):
    pair = wb.RandomizedResponsePair(epsilon, DELTA)
    bits, steinke, _ = means(pair, "randomized-response", 1000)
    assert bits == pytest.approx(steinke, abs=0.02)


@pytest.mark.parametrize(("noise", "nominal"), [(2.93, 1), (1.75, 2), (1.145, 4), (0.803, 8)])
def test_averaging_before_clipping_is_refuted(noise, nominal):
    """At every claimed ε, with the claimed mechanism itself as the control that is not."""
    for flawed in (False, True):
        mechanism = DPSGD(noise, sample_rate=0.1, steps=50, average_first=flawed, batch_size=16)
        claimed = mechanism.claimed.epsilon(DELTA)
        assert claimed == pytest.approx(nominal, rel=0.01)
        run = mechanism.run(1000, seed=12)
        guesses = run.guess(threshold=mechanism.threshold)
        bound = wb.one_run_bound(guesses, delta=DELTA, method="bits", family="gaussian")
        assert (bound.value > claimed) == flawed
        steinke = wb.one_run_bound(guesses, delta=DELTA, method="steinke")
        assert steinke.value <= claimed or flawed


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SharedGaussian(0.0, 10), "mu must be above 0"),
        (lambda: SharedGaussian(1.0, 0), "coordinates must be a whole number"),
        (lambda: SharedGaussian(1.0, 5, 1.5), "interference must lie in"),
        (lambda: SharedGaussian(1.0, 5, float("nan")), "interference of SharedGaussian must be"),
        (lambda: DPSGD(0.0, 0.1, 10), "noise_multiplier"),
        (lambda: DPSGD(1.0, 0.1, 10, batch_size=0), "batch_size"),
        (lambda: NameAndShame(1.0), "chance must lie strictly"),
        (lambda: Auditor("bits", share=0.0), "share must lie in"),
        (lambda: Memoryless(wb.GaussianPair(1)).run(1), "canaries must be a whole number"),
        (lambda: study(NameAndShame(0.1), {}, delta=0.1, seeds=1), "seeds must be"),
    ],
)
def test_simulations_that_make_no_sense_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_false_claims_keep_what_they_counted():
    found = false_claims(
        Memoryless(wb.LaplacePair(1.0)),
        Auditor("bits", "laplace"),
        canaries=100,
        delta=DELTA,
        runs=50,
    )
    assert found.rate == found.false / 50
    assert 0 < found.p_value <= 1
    assert (found.canaries, found.runs, found.confidence) == (100, 50, 0.95)


def test_the_class_of_simulated_dp_sgd_has_its_public_name():
    mechanism = wb.onerun.DPSGD(1.0, 0.5, 3)
    assert repr(mechanism).startswith("DPSGD(noise_multiplier=1.0")
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism
