"""White-box audits: who is in, what is scored, and that scores follow the accountant's pair."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import workbench as wb
from workbench import training
from workbench.training.audits.white_box.step_statistics import STATISTICS, step_statistic
from workbench.training.dp_sgd.canary_gradients import DiracCanaries

DATA = training.labeled_data("digits").take(slice(0, 60))
NOTHING = DATA.take(slice(0))
SETTINGS = training.DPSGDSettings(training.Network((64, 10)), 8, 0.3, 1.0, 1.0, optimizer="sgd")
NOISELESS = replace(SETTINGS, noise_multiplier=0, clip=2.0)


def rows_of(audit, seed=0):
    """All scores of an audit, in this process."""
    return training.Rows.joined(
        audit.score_model(index, audit.generator(seed, index)) for index in range(audit.models)
    )


def sides(audit, seed=0):
    rows = rows_of(audit, seed)
    return rows.score[rows.included], rows.score[~rows.included]


# -- who is in ------------------------------------------------------------------------------------


def test_canaries_that_are_out_are_never_inserted():
    audit = training.WhiteBoxOneRun(NOISELESS, NOTHING, 1, canaries=400, statistic="sum")
    inside, outside = sides(audit)
    assert not outside.any()
    # Each step samples a canary that is in with the sampling rate.
    p = stats.binomtest(round(inside.sum()), inside.size * 8, 0.3).pvalue
    assert p > 1e-3
    np.testing.assert_allclose(inside, np.round(inside), atol=1e-6)


@pytest.mark.parametrize(("norm", "seen"), [(0.5, 0.5), (1.0, 1.0), (40.0, 1.0)])
@pytest.mark.parametrize("canary", ["dirac", "random"])
def test_canaries_are_clipped_as_records_are(canary, norm, seen):
    settings = replace(NOISELESS, sample_rate=1)
    audit = training.WhiteBox(
        settings, NOTHING, 4, canary=canary, canary_norm=norm, statistic="sum"
    )
    inside, outside = sides(audit)
    np.testing.assert_allclose(inside, 8 * seen, rtol=1e-5)
    assert not outside.any()


def test_models_have_the_one_canary_in_turn():
    rows = rows_of(training.WhiteBox(SETTINGS, NOTHING, 6))
    np.testing.assert_array_equal(rows.included, [True, False] * 3)
    assert not rows.subject.any()


def test_coins_decide_on_many_canaries_and_never_on_those_left_out():
    audit = training.WhiteBoxOneRun(SETTINGS, NOTHING, 3, canaries=200, inclusion=0.25, left_out=50)
    rows = rows_of(audit)
    assert audit.subjects == 250
    assert audit.items == 200
    assert not rows.included[rows.subject >= 200].any()
    coins = rows.included[rows.subject < 200]
    assert stats.binomtest(int(coins.sum()), coins.size, 0.25).pvalue > 1e-3
    every = replace(audit, inclusion=1.0)
    assert rows_of(every).included.sum() == 600


def test_a_record_is_scored_along_its_own_gradient():
    record = training.AuditedRecord("mislabeled", 7)
    settings = replace(NOISELESS, sample_rate=1, steps=1, clip=0.01)
    audit = training.WhiteBox(settings, DATA, 4, canary="record", record=record, statistic="sum")
    rows = rows_of(audit)
    others, one = record.split(DATA)
    for index, included in ((0, True), (1, False)):
        rng = audit.generator(0, index)
        theta = settings.network.initial(rng)
        everyone = others.joined(one) if included else others
        gradients = settings.network.gradients(theta, everyone.x, everyone.y)
        total = gradients.weighted_sum(np.minimum(1, 0.01 / gradients.norms()) / 0.01)
        own = settings.network.gradients(theta, one.x, one.y)
        expected = own.products(total) / own.norms()
        assert rows.score[index] == pytest.approx(float(expected[0]), rel=1e-3)


def test_the_blank_record_is_a_canary_too():
    record = training.AuditedRecord("blank")
    audit = training.WhiteBox(SETTINGS, DATA, 4, canary="record", record=record)
    assert audit.items == 61
    assert np.isfinite(rows_of(audit).score).all()


def test_all_models_may_start_from_the_same_weights():
    fixed = training.InitialWeights("fixed", seed=3)
    audit = training.WhiteBox(SETTINGS, DATA, 4, canary="record", initial=fixed)
    assert np.unique(rows_of(audit).score).size == 4
    assert audit._theta is not None  # what processes are sent


# -- what the scores follow -----------------------------------------------------------------------


@pytest.mark.parametrize(("noise_scale", "same"), [(1.0, True), (0.9, False)])
def test_scores_are_draws_of_the_pair_of_the_accountant(noise_scale, same):
    """The likelihood ratio of Dirac canaries is the privacy loss; a little less noise is seen."""
    settings = replace(
        SETTINGS,
        network=training.Network((64, 60, 10)),
        bug="scaled-noise",
        noise_scale=noise_scale,
    )
    audit = training.WhiteBoxOneRun(settings, NOTHING, 5, canaries=4000)
    inside, outside = sides(audit)
    rng = np.random.default_rng(1)
    pair = audit.reference
    p = stats.ks_2samp(inside, pair.draw_p(20_000, rng)).pvalue
    q = stats.ks_2samp(outside, pair.draw_q(20_000, rng)).pvalue
    assert (min(p, q) > 1e-3) == same


def test_dirac_canaries_of_one_model_are_independent_without_other_records():
    settings = replace(SETTINGS, network=training.Network((2, 2)))
    nothing = training.LabeledData(np.zeros((0, 2)), np.zeros(0, int), 2)
    audit = training.WhiteBoxOneRun(settings, nothing, 600, canaries=2, inclusion=1.0)
    scores = rows_of(audit).score.reshape(-1, 2)
    assert stats.spearmanr(*scores.T).pvalue > 1e-3


def test_independent_models_have_independent_scores():
    audit = training.WhiteBox(SETTINGS, DATA, 20)
    with ThreadPoolExecutor(1) as executor:
        scores = training.run_training_audit(audit, executor=executor).result
    assert (scores.n_p, scores.n_q, scores.sampling) == (10, 10, "independent runs")
    assert scores.larger_is_member
    assert audit.heuristic_reference is None
    assert audit.reference == wb.DPSGDPair(1.0, 0.3, 8)


# -- statistics -----------------------------------------------------------------------------------


def fed(name, settings, products, norms=1.0, released=None):
    """The statistic of products, shape (steps, canaries)."""
    statistic = step_statistic(name)(settings, products.shape[1])
    for step in products:
        statistic.add(step, norms, np.zeros(3) if released is None else released)
    return statistic.scores()


def test_the_likelihood_ratio_is_the_privacy_loss_of_the_steps():
    products = np.random.default_rng(0).normal(0, 2, (8, 30))
    step = wb.SubsampledGaussianPair(0.3, 1.0)
    expected = step.privacy_loss(products).sum(axis=0)
    np.testing.assert_allclose(fed("likelihood-ratio", SETTINGS, products), expected, rtol=1e-12)
    whole = replace(SETTINGS, sample_rate=1)
    expected = (products - 0.5).sum(axis=0)
    np.testing.assert_allclose(fed("likelihood-ratio", whole, products), expected, rtol=1e-12)


def test_the_likelihood_ratio_knows_that_a_short_gradient_moves_less():
    products = np.random.default_rng(0).normal(0, 2, (8, 30))
    # A shift of s with noise σ is a shift of 1 with noise σ/s.
    step = wb.SubsampledGaussianPair(0.3, 4.0)
    expected = step.privacy_loss(products / 0.25).sum(axis=0)
    found = fed("likelihood-ratio", SETTINGS, products, norms=0.25)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert not fed("likelihood-ratio", SETTINGS, products, norms=0.0).any()


def test_the_likelihood_ratio_stands_huge_products():
    products = np.array([[1e6, -1e6]] * 2)
    found = fed("likelihood-ratio", SETTINGS, products)
    assert np.isfinite(found).all()
    assert found[0] > 1e6
    assert found[1] < 0


def test_sum_spread_and_smallness():
    products = np.array([[1.0, -1.0], [3.0, -1.0], [2.0, -1.0]])
    np.testing.assert_array_equal(fed("sum", SETTINGS, products), [6, -3])
    np.testing.assert_array_equal(fed("spread", SETTINGS, products), [2, 0])
    three = replace(SETTINGS, steps=3)
    released = np.array([3.0, 0.0, 4.0])
    found = fed("smallness", three, products[:, :1], released=released)
    np.testing.assert_allclose(found, [-25 / 3])


def test_what_is_released_is_scaled_by_the_claimed_divisor_and_norm():
    settings = replace(SETTINGS, expected_batch=0.5, clip=4.0)
    statistic = step_statistic("sum")(settings, 1)
    watch = statistic.watch_gradients(DiracCanaries(np.array([2])), 1.0)
    released = np.array([0, 0, 8.0, 0], dtype=np.float32)
    watch(0, released, released)
    np.testing.assert_allclose(statistic.scores(), [1.0])
    np.testing.assert_array_equal(released, [0, 0, 8, 0])  # which nobody may change


def test_each_statistic_has_its_name_and_says_what_it_is():
    assert list(STATISTICS) == ["likelihood-ratio", "sum", "spread", "smallness"]
    for name, kind in STATISTICS.items():
        assert kind.name == name
        assert kind.title
        assert kind.about


# -- plans and bad input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "audit",
    [
        training.WhiteBox(SETTINGS, DATA, 6, canary="record", statistic="sum"),
        training.WhiteBox(SETTINGS, DATA, 6, canary="random", canary_norm=3.0),
        training.WhiteBoxOneRun(SETTINGS, DATA, 2, canaries=30, left_out=10, inclusion=0.75),
        training.WhiteBoxOneRun(SETTINGS, DATA, 2, canary="random", canaries=30),
    ],
)
def test_an_audit_is_made_again_from_its_parameters(audit):
    again = training.make_audit(audit.parameters)
    assert type(again) is type(audit)
    assert again.parameters == audit.parameters
    np.testing.assert_array_equal(rows_of(again).score, rows_of(audit).score)


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        (training.WhiteBox, {"canary": "birds"}, "canary must be one of"),
        (training.WhiteBox, {"canary_norm": 0}, "canary_norm must be"),
        (training.WhiteBox, {"statistic": "mean"}, "statistic must be one of"),
        (training.WhiteBox, {"models": 3}, "models must be a whole number of at least 4"),
        (training.WhiteBox, {"settings": NOISELESS}, "needs noise"),
        (
            training.WhiteBox,
            {"settings": replace(NOISELESS, clip=np.inf), "statistic": "sum"},
            "settings.clip is infinite",
        ),
        (
            training.WhiteBox,
            {"canary": "record", "record": training.AuditedRecord("row", 60)},
            "record.row must be below the 60",
        ),
        (training.WhiteBoxOneRun, {"canary": "record"}, "canary must be one of"),
        (training.WhiteBoxOneRun, {"canaries": 0}, "canaries must be a whole number of at least 1"),
        (training.WhiteBoxOneRun, {"canaries": 600, "left_out": 51}, "at most 650 together"),
        (
            training.WhiteBoxOneRun,
            {"canary": "random", "canaries": 160_000},
            "at most 153846 together",
        ),
        (training.WhiteBoxOneRun, {"inclusion": 1.5}, r"inclusion must lie in \(0, 1\]"),
        (training.WhiteBoxOneRun, {"inclusion": 0}, "inclusion must be"),
        (training.WhiteBoxOneRun, {"statistic": "smallness"}, "one value of a model"),
    ],
)
def test_bad_arguments_are_refused(kind, arguments, message):
    given = {"settings": SETTINGS, "data": DATA, "models": 10} | arguments
    with pytest.raises(ValueError, match=message):
        kind(**given)
