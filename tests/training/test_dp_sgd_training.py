"""DP-SGD: sampling, noise, division, canaries, and what a model depends on."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from helpers.nearly import assert_same_sum
from scipy import stats
from threadpoolctl import threadpool_info

from workbench.training.dp_sgd.bugs import PROCEDURES
from workbench.training.dp_sgd.canary_gradients import DiracCanaries, RandomCanaries
from workbench.training.dp_sgd.data import LabeledData, labeled_data
from workbench.training.dp_sgd.dp_sgd import DPSGDSettings
from workbench.training.dp_sgd.network import Network
from workbench.training.dp_sgd.optimizers import OPTIMIZERS
from workbench.training.dp_sgd.procedure import Procedure
from workbench.training.dp_sgd.step_gradients import StepGradients

NETWORK = Network((64, 20, 10))
DATA = labeled_data("digits").take(slice(200))
NOTHING = DATA.take([])
SETTINGS = DPSGDSettings(NETWORK, 5, 0.1, 1.0, 20.0)


def released(settings, data, seed=0, **more):
    """What all steps release, shape (steps, parameters)."""
    seen = []
    settings.train(
        data, np.random.default_rng(seed), watch=lambda *step: seen.append(step[2].copy()), **more
    )
    return np.array(seen)


def test_a_model_depends_on_its_generator_alone():
    models = [SETTINGS.train(DATA, np.random.default_rng(seed)) for seed in (3, 3, 4)]
    np.testing.assert_array_equal(models[0].final, models[1].final)
    assert not np.array_equal(models[0].final, models[2].final)


def test_given_parameters_are_where_a_model_starts_and_are_not_changed():
    theta = NETWORK.initial(np.random.default_rng(9))
    model = SETTINGS.train(DATA, np.random.default_rng(0), theta=theta)
    np.testing.assert_array_equal(model.initial, theta)
    assert not np.array_equal(model.final, theta)


def test_each_record_is_sampled_alone_with_the_sampling_rate():
    steps, items = 4000, 50
    rng, procedure = np.random.default_rng(1), Procedure(SETTINGS)
    drawn = np.zeros((steps, items))
    for row in drawn:
        chosen = procedure.sample(items, rng)
        assert (np.diff(chosen) > 0).all()
        row[chosen] = 1
    # One error in 1000 for all records, and for the variance of the batch size.
    counts = drawn.sum(axis=0)
    p = 2 * np.minimum(stats.binom.cdf(counts, steps, 0.1), stats.binom.sf(counts - 1, steps, 0.1))
    assert p.min() > 1e-3 / items
    variance = drawn.sum(axis=1).var() / (items * 0.1 * 0.9)
    assert variance == pytest.approx(1, abs=3.3 * np.sqrt(2 / steps))


def test_the_noise_is_normal_with_the_noise_multiplier_times_the_clipping_norm():
    settings = replace(SETTINGS, noise_multiplier=1.5, clip=2.0, expected_batch=7.0)
    noise = released(settings, NOTHING) * 7 / (1.5 * 2)
    assert stats.kstest(noise.ravel(), "norm").pvalue > 1e-3
    assert stats.kstest(1.1 * noise.ravel(), "norm").pvalue < 1e-3  # the test has power
    assert abs(np.corrcoef(noise) - np.eye(5)).max() < 4.5 / np.sqrt(NETWORK.size)


def test_what_is_released_is_the_sum_of_clipped_gradients_over_the_expected_batch():
    settings = replace(SETTINGS, sample_rate=1.0, noise_multiplier=0.0, clip=0.5, steps=1)
    theta = NETWORK.initial(np.random.default_rng(2))
    found = NETWORK.gradients(theta, DATA.x, DATA.y)
    each = np.stack([found.weighted_sum(row) for row in np.eye(DATA.size, dtype=np.float32)])
    norms = np.linalg.norm(each, axis=1, keepdims=True)
    assert (norms > 0.5).any()
    found = 20 * released(settings, DATA, theta=theta)[0]
    # A norm is the root of a sum of squares, of 64 inputs at most.
    assert_same_sum(found, each * np.minimum(1, 0.5 / norms), roundings=64)


def test_without_noise_the_clipping_norm_may_be_infinite():
    settings = replace(SETTINGS, sample_rate=1.0, noise_multiplier=0.0, clip=np.inf, steps=1)
    theta = NETWORK.initial(np.random.default_rng(2))
    found = NETWORK.gradients(theta, DATA.x, DATA.y)
    each = np.stack([found.weighted_sum(row) for row in np.eye(DATA.size, dtype=np.float32)])
    assert_same_sum(20 * released(settings, DATA, theta=theta)[0], each, roundings=4)


@pytest.mark.parametrize("kind", [DiracCanaries, RandomCanaries])
@pytest.mark.parametrize(("norm", "clip", "kept"), [(3.0, 0.5, 0.5), (0.2, 0.5, 0.2)])
def test_a_canary_is_clipped_and_added_as_a_record_is(kind, norm, clip, kept):
    settings = replace(SETTINGS, sample_rate=1.0, noise_multiplier=0.0, clip=clip, steps=1)
    canaries = kind.drawn(6, NETWORK.size, np.random.default_rng(0), norm)
    total = 20 * released(settings, NOTHING, canaries=canaries)[0]
    unit = np.stack([canaries.products(row) for row in np.eye(NETWORK.size)], axis=1)
    np.testing.assert_allclose(total, kept * unit.sum(axis=0), atol=1e-6)
    assert_same_sum(canaries.products(total), (unit * total).T)


def test_canaries_are_sampled_as_records_are():
    settings = replace(SETTINGS, noise_multiplier=0.0, steps=400)
    canaries = DiracCanaries.drawn(50, NETWORK.size, np.random.default_rng(0))
    times = 20 * released(settings, NOTHING, canaries=canaries)[:, canaries.places]
    np.testing.assert_allclose(times, np.round(times), atol=1e-6)
    p = stats.binomtest(round(times.sum()), 400 * 50, 0.1).pvalue
    assert p > 1e-3


@pytest.mark.parametrize("bug", PROCEDURES)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_everything_is_in_single_precision(bug, optimizer):
    canaries = {
        "none": None,
        "dirac": DiracCanaries.drawn(30, NETWORK.size, np.random.default_rng(0), 2.0),
        "random": RandomCanaries.drawn(30, NETWORK.size, np.random.default_rng(0), 2.0),
    }
    seen = set()
    for inserted in canaries.values():
        settings = replace(SETTINGS, bug=bug, optimizer=optimizer)
        model = settings.train(
            DATA,
            np.random.default_rng(0),
            canaries=inserted,
            watch=lambda step, theta, gradient: seen.add((theta.dtype, gradient.dtype)),
        )
        assert model.final.dtype == np.float32
    assert seen == {(np.dtype(np.float32), np.dtype(np.float32))}


@pytest.mark.parametrize("bug", PROCEDURES)
def test_batches_may_be_empty(bug):
    settings = replace(SETTINGS, bug=bug, sample_rate=1e-9)
    few = DATA.take(slice(3))
    for data in (few, NOTHING):
        assert np.isfinite(settings.train(data, np.random.default_rng(0)).final).all()
    canaries = RandomCanaries.drawn(3, NETWORK.size, np.random.default_rng(0))
    for data in (few, NOTHING):
        model = settings.train(data, np.random.default_rng(0), canaries=canaries)
        assert np.isfinite(model.final).all()


def test_training_uses_one_thread_for_matrix_products_and_gives_the_others_back():
    def threads():  # of numpy's own library; others may have been loaded since
        loaded = [one for one in threadpool_info() if one["user_api"] == "blas"]
        return [one["num_threads"] for one in loaded if "numpy" in one["filepath"]]

    before, within = threads(), []
    SETTINGS.train(DATA, np.random.default_rng(0), watch=lambda *_: within.append(threads()))
    assert before
    assert {count for step in within for count in step} == {1}
    assert threads() == before


def test_the_claim_is_that_of_the_accountant():
    pair = SETTINGS.pair
    assert (pair.noise_multiplier, pair.sample_rate, pair.steps) == (1.0, 0.1, 5)
    assert replace(SETTINGS, bug="no-noise").pair == pair
    with pytest.raises(ValueError, match="noise_multiplier is 0, so nothing is claimed"):
        _ = replace(SETTINGS, noise_multiplier=0).pair


def test_a_model_learns():
    data = labeled_data("digits")
    settings = DPSGDSettings(Network((64, 10)), 60, 0.1, 1.0, 150.0, learning_rate=0.03)
    model = settings.train(data.take(slice(1500)), np.random.default_rng(0))
    rest = data.take(slice(1500, None))
    assert settings.network.accuracy(model.initial, rest) < 0.3
    assert settings.network.accuracy(model.final, rest) > 0.8


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"steps": 0}, "steps must be"),
        ({"sample_rate": 0}, r"sample_rate must lie in \(0, 1\], got 0"),
        ({"sample_rate": 1.5}, "sample_rate must lie in"),
        ({"noise_multiplier": -1}, r"noise_multiplier must lie in \[0, 1e\+15\], got -1"),
        ({"noise_multiplier": np.inf}, "noise_multiplier must be finite"),
        ({"clip": np.inf}, "clip must be finite"),
        ({"clip": 0}, "clip must be above 0"),
        ({"clip": 1e-300}, "clip must lie between 1e-15 and 1e"),
        ({"expected_batch": -3}, "expected_batch must be above 0"),
        ({"learning_rate": 1e300}, "learning_rate must lie between"),
        ({"optimizer": "lion"}, "optimizer must be one of 'sgd', 'momentum', 'adam'"),
        ({"bug": "typo"}, "bug must be one of 'none', 'average-first'"),
    ],
)
def test_settings_outside_their_range_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        replace(SETTINGS, **changed)


def test_settings_are_kept_as_numbers():
    given = DPSGDSettings(NETWORK, np.int64(5), Fraction(1, 10), Decimal(1), 20, clip=np.array(1))
    assert given == SETTINGS
    assert {type(value) for value in vars(given).values()} == {Network, int, float, str}


def test_what_does_not_fit_the_network_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"takes 64 features and has 10 classes.*30 and 2"):
        SETTINGS.train(labeled_data("breast-cancer"), rng)
    for theta in (np.zeros(3), [0.0] * 1510, np.zeros(1510, int)):
        with pytest.raises(
            ValueError, match=r"theta must be a float array of shape \(1510,\), got"
        ):
            SETTINGS.train(DATA, rng, theta=theta)
    for canaries, message in [
        (DiracCanaries([0, 1510]), "places must be below 1510, the number of parameters, got 1510"),
        (RandomCanaries(np.eye(3)), "directions must have 1510 columns"),
    ]:
        with pytest.raises(ValueError, match=message):
            SETTINGS.train(DATA, rng, canaries=canaries)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"data": DATA.x}, "data must be a wb.training.LabeledData; got"),
        ({"rng": 7}, r"rng must be a generator; make one with numpy.random.default_rng\(seed\)"),
        ({"canaries": [1, 2]}, "canaries must be canaries such as wb.training.DiracCanaries"),
    ],
)
def test_what_is_of_another_class_is_refused(changed, message):
    with pytest.raises(TypeError, match=message):
        SETTINGS.train(**({"data": DATA, "rng": np.random.default_rng(0)} | changed))


def test_a_training_that_diverges_is_refused():
    data = LabeledData(1e15 * np.ones((9, 2)), np.arange(9) % 2, 2)
    settings = DPSGDSettings(
        Network((2, 3, 2), "squared-error"), 9, 1.0, 0.0, 9.0, np.inf, 1e10, optimizer="sgd"
    )
    with pytest.raises(ValueError, match="not finite after 9 steps with learning_rate=1e"):
        settings.train(data, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DiracCanaries([1, 1]), "two Dirac canaries share a parameter"),
        (lambda: DiracCanaries([1, -1]), "places must be a list of whole numbers from 0"),
        (lambda: DiracCanaries([0.5]), "places must be a list of whole numbers from 0"),
        (lambda: DiracCanaries([1], norm=0), "norm must be above 0"),
        (lambda: DiracCanaries.drawn(9, 8, np.random.default_rng(0)), "9 Dirac canaries need as"),
        (lambda: RandomCanaries(np.eye(2), norm=-1), "norm must be above 0"),
        (lambda: RandomCanaries(2 * np.eye(2)), "directions must be rows of norm 1"),
        (lambda: RandomCanaries(np.ones(2)), "directions must be rows of norm 1"),
    ],
)
def test_bad_canaries_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_batch_without_canaries_is_its_records():
    found = NETWORK.gradients(np.zeros(NETWORK.size, np.float32), DATA.x, DATA.y)
    np.testing.assert_array_equal(StepGradients(found).norms(), found.norms())
