"""Bounds for tables keep their level when nothing leaks, and find what leaks."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

import workbench as wb
from benchmarks.record_bounds import LEAKS, NULLS, RECORDS, false_claims, leaking_table, strength
from workbench.onerun.steinke import sharp_p_value
from workbench.tables.bounds.bets import Bets
from workbench.tables.bounds.e_values import evidence_of, log_calibrated, log_e_values
from workbench.tables.bounds.exceeding import e_benjamini_hochberg
from workbench.tables.bounds.guesses import first_models, table_guesses

DELTA = 1e-5


def table(models=128, leaks=5, mu=4.0, seed=0, **rest):
    rng = np.random.default_rng(seed)
    made = leaking_table(rng, leaks, mu, models)
    return wb.ScoreTable(made.scores, made.member, **rest) if rest else made


def exactly_half(seed=0, leaks=5, mu=4.0):
    rng = np.random.default_rng(seed)
    member = rng.random((128, RECORDS)).argsort(axis=0) < 64
    return wb.ScoreTable(
        rng.normal(size=member.shape) + mu * member * (np.arange(RECORDS) < leaks), member
    )


# -- the level -----------------------------------------------------------------------------------

REPLICATES = 40
#: More false claims than this have a probability below 1e-4 at a level of 5%.
MOST_FALSE = binom.isf(1e-4, REPLICATES, 0.05) / REPLICATES


@pytest.mark.statistical
@pytest.mark.parametrize("null", NULLS)
def test_false_claims_stay_at_their_level(null):
    found = false_claims(null, REPLICATES, seed=1)
    uncorrected = found.pop("uncorrected")
    assert max(found.values()) <= MOST_FALSE
    assert uncorrected > MOST_FALSE  # the same test catches the method that fails


@pytest.mark.statistical
def test_guesses_would_fail_if_their_rule_had_seen_the_models_that_it_is_tested_on():
    false = 0
    for rng in np.random.default_rng(3).spawn(REPLICATES):
        null = NULLS["P = Q, independent records"].table(rng)
        in_view = np.argsort(-null.each_record(DELTA).counts.auc)[:3]
        scores = null.matrix[:, in_view]
        right = int(((scores > np.median(scores, axis=0)) == null.member[:, in_view]).sum())
        false += sharp_p_value(scores.size, scores.size, right, 0.0, DELTA) <= 0.05
    assert false / REPLICATES > MOST_FALSE


@pytest.mark.statistical
def test_the_mean_of_an_e_value_is_at_most_one():
    rng = np.random.default_rng(0)
    null = NULLS["each record leaks ε = 1"]
    values = np.concatenate([np.exp(log_e_values(null.table(rng), 1.0, 0.0)) for _ in range(20)])
    assert values.mean() <= 1 + 4 * values.std() / np.sqrt(values.size)
    assert np.exp(log_e_values(null.table(rng), 0.5, 0.0)).mean() > 2


# -- the strength --------------------------------------------------------------------------------


@pytest.mark.statistical
def test_five_leaking_records_are_bounded_far_above_each_of_them():
    values = strength(*LEAKS["5 records of μ = 4"], replicates=30, seed=0)
    assert values["held-out"].mean() >= 4
    assert values["held-out"].min() >= 2.3
    assert 2.4 <= values["simultaneous"].mean() <= 2.6
    assert values["e-values"].mean() >= 2.1


@pytest.mark.statistical
def test_one_leaking_record_is_bounded_better_than_by_limits_for_all():
    values = strength(*LEAKS["1 record of μ = 4"], replicates=30, seed=0)
    assert values["held-out"].mean() >= 2.9
    assert values["simultaneous"].mean() <= 2.3


def test_records_of_exactly_half_of_the_models_are_bounded_one_by_one():
    t = exactly_half()
    bound = t.worst_record(DELTA)
    assert bound.method == "held-out records"
    assert bound.assumption == "each record in exactly half of the models"
    assert "do not look like independent fair coins (exactly half)" in bound.note
    assert bound.value > t.worst_record(DELTA, method="simultaneous").value > 1.8


# -- what a bound says ---------------------------------------------------------------------------


def test_the_guesses_are_stated_and_give_the_bound():
    t = table()
    bound, found = t.worst_record(DELTA), table_guesses(t, DELTA, 0.05)
    assert set(found.records) == set(range(5))
    assert (bound.canaries, bound.guesses, bound.correct) == (
        found.coins, found.guesses, found.correct,
    )  # fmt: skip
    assert found.coins == 5 * (~first_models(t)).sum()
    assert bound.n_p + bound.n_q == found.coins
    p = sharp_p_value(found.coins, found.guesses, found.correct, bound.value, DELTA)
    assert 0.045 < p <= 0.05
    assert bound.guarantee == "held-out"
    assert "selected the 5 records" in bound.note
    assert "if every model drew every record by a fair coin" in bound.explain()


def test_scores_of_models_that_are_references_of_each_other_are_warned_of():
    warning = "does not hold for scores that were computed from other models"
    assert warning not in table().worst_record(DELTA).note
    unknown = table(sampling="unknown").worst_record(DELTA)
    assert warning in unknown.note
    assert unknown.assumption == "independent rows and fair coins"
    assert "the scores of each model depend on this model alone" in unknown.explain()
    assert table(sampling="unknown").leaking(1, DELTA).assumption == unknown.assumption


@pytest.mark.parametrize("method", ["held-out", "simultaneous", "e-values"])
def test_a_bound_keeps_its_data_and_its_sources(method):
    bound = table().worst_record(DELTA, method=method)
    assert bound.at_confidence(0.99).value < bound.value
    assert bound.at_confidence(0.95) == bound
    assert "dp_audit_workbench" in bound.cite()
    assert bound.delta == DELTA


@pytest.mark.parametrize("method", ["held-out", "simultaneous", "e-values"])
def test_bounds_do_not_depend_on_units_or_the_order_of_models_and_records(method):
    t = table()
    expected = t.worst_record(DELTA, method=method).value
    units = wb.ScoreTable(-1000 * t.scores[::-1], t.member[::-1], larger_is_member=False)
    models = t.of_models(np.random.default_rng(0).permutation(128))
    records = t.of_records(np.arange(t.n_records)[::-1])
    for changed in (units, models, records):
        assert changed.worst_record(DELTA, method=method).value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("method", ["held-out", "simultaneous", "e-values"])
def test_odd_scores_do_no_harm(method):
    t = table(leaks=3)
    scores = t.scores.copy()
    scores[3], scores[4, :100], scores[5, :5], scores[6] = 1e300, np.nan, np.inf, -np.inf
    value = wb.ScoreTable(scores, t.member).worst_record(DELTA, method=method).value
    assert value > 1.2  # four models of 128 are broken
    constant = wb.ScoreTable(np.ones_like(scores), t.member).worst_record(DELTA, method=method)
    assert constant.value == 0


@pytest.mark.parametrize("method", ["held-out", "simultaneous", "e-values"])
def test_missing_cells_are_not_looked_at(method):
    t = table(leaks=3)
    present = np.random.default_rng(1).random(t.member.shape) < 0.8
    made = [
        wb.ScoreTable(np.where(present, t.scores, gap), t.member & present, present=present)
        for gap in (0.0, 50.0)
    ]
    values = [one.worst_record(DELTA, method=method).value for one in made]
    assert min(values) > 1.5
    assert values[0] == values[1]


def test_few_models_and_odd_sizes_end_in_a_bound():
    for models in (4, 5, 7):
        rng = np.random.default_rng(models)
        member = np.array([[True, False] * 4] * models)
        member[: models // 2] ^= True
        t = wb.ScoreTable(rng.normal(size=member.shape), member)
        for method in ("held-out", "simultaneous", "e-values"):
            assert t.worst_record(DELTA, method=method).value >= 0


# -- groups, counts and lists --------------------------------------------------------------------


def test_groups_share_the_error_probability():
    made = table()
    t = wb.ScoreTable(made.scores, made.member, attributes={"class": np.arange(500) % 5 // 4})
    found = t.worst_of_groups("class", DELTA)
    assert set(found) == {0, 1}
    assert [b.confidence for b in found.values()] == pytest.approx([0.975, 0.975])
    alone = t.of_records(t.attributes["class"] == 1).worst_record(DELTA, confidence=0.975)
    assert found[1].value == alone.value
    assert "all of their bounds hold together at 95%" in found[0].note
    with pytest.raises(ValueError, match="by must be"):
        t.worst_of_groups("color", DELTA)


def test_a_count_is_holms():
    t = table()
    count = t.exceeding(1.5, DELTA)
    assert count.value == t.each_record(DELTA).at_least(1.5) == len(count.records)
    assert set(count.records) <= set(range(5))
    assert str(count) == (
        f"at least {int(count)} of 500 records exceed ε = 1.5 at δ = 1e-5 (95%, independent runs)"
    )


def test_a_list_has_the_leaking_records():
    t = table()
    listed = t.leaking(1.5, DELTA)
    assert set(listed.records) == set(range(5))
    assert listed.to_frame()["log_e_value"].is_monotonic_decreasing
    assert len(t.leaking(6, DELTA)) == 0
    assert "5 of 500 records exceed ε = 1.5" in listed._repr_html_()


def test_evidence_of_attacks_is_averaged():
    t = table()
    noise = wb.ScoreTable(np.random.default_rng(9).normal(size=t.scores.shape), t.member)
    one, both = t.leaking(1.0, DELTA), t.leaking(1.0, DELTA, attacks=(noise,))
    assert both.attacks == 2
    mean = (np.exp(one.log_e_values) + np.exp(noise.leaking(1.0, DELTA).log_e_values)) / 2
    assert np.exp(both.log_e_values) == pytest.approx(mean)
    assert set(both.records) == set(range(5))
    with pytest.raises(wb.ScoresError, match="same models and records"):
        t.leaking(1.0, DELTA, attacks=(table(seed=4),))


def test_e_benjamini_hochberg_is_the_published_procedure():
    e = np.log(np.array([1.0, 30.0, 50.0, 100.0, 0.0 + 1e-9]))
    # k-th largest against 5/(0.1 k): 50, 25, 16.7.
    assert e_benjamini_hochberg(e, 5, 0.1).tolist() == [False, True, True, True, False]
    assert not e_benjamini_hochberg(np.zeros(5), 5, 0.1).any()


def test_wealth_is_the_product_of_the_factors():
    evidence = np.array([[3.0], [-2.0], [0.5]])
    p, q3, q2 = (1 / (1 + np.exp(-x)) for x in (1.0, 3.0, 2.0))
    bets = q3 / p * (1 - q2) / (1 - p) / (1 + 0.01 * np.exp(-1)) ** 2
    assert Bets.of(evidence).log_wealth(1.0, 0.01)[0] == pytest.approx(np.log(bets))


def test_evidence_follows_from_the_models_before():
    t = table(models=40)
    order = np.argsort(t.keys)
    columns = np.arange(5)
    evidence = evidence_of(t, columns)
    scores, member = t.scores.copy(), t.member.copy()
    scores[order[30:]], member[order[30:]] = 7.0, True

    class Later:
        keys, matrix, present = t.keys, scores, None

    Later.member = member
    assert evidence_of(Later, columns)[:30] == pytest.approx(evidence[:30])


def test_calibrated_p_values_are_e_values():
    p = (np.arange(10**6) + 0.5) / 10**6
    assert 0.9 < np.exp(log_calibrated(p)).mean() <= 1
    assert (np.diff(log_calibrated(np.logspace(-12, 0, 500))) <= 1e-9).all()


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"table": np.ones(3)}, TypeError, "must be a workbench.ScoreTable"),
        ({"epsilon": -1}, ValueError, "epsilon"),
        ({"refuted": np.ones(3, bool)}, ValueError, "refuted must be 500 bools"),
    ],
)
def test_results_check_what_they_are_made_of(change, error, words):
    with pytest.raises(error, match=words):
        replace(table().exceeding(1, DELTA), **change)


# -- the average over records --------------------------------------------------------------------


def test_the_pooled_bound_says_what_it_is_about():
    t = table()
    bound, scores = t.pooled(DELTA), t.pooled_scores()
    assert scores.sampling == "one run"
    assert scores.n_p + scores.n_q == t.scores.size
    assert bound.assumption == "average over records, one run"
    assert "It bounds no single record" in bound.note
    assert "average" in bound.explain()
    assert bound.value == wb.tradeoff_band(scores).epsilon(DELTA).value


def test_pooled_scores_are_those_that_are_there():
    """A record that a model has no score of is no record outside of it."""
    scores = np.arange(12.0).reshape(4, 3)
    member = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1]], bool)
    present = np.array([[1, 0, 1], [1, 1, 1], [1, 1, 0], [0, 1, 1]], bool)
    pooled = wb.ScoreTable(scores, member, present=present).pooled_scores()
    assert sorted(pooled.p) == sorted(scores[member])
    assert sorted(pooled.q) == sorted(scores[present & ~member]) == [3, 5, 7]


def test_the_uncorrected_maximum_is_an_estimate():
    found = table(leaks=0).uncorrected_maximum(DELTA)
    assert found.guarantee == "estimate"
    assert found.confidence is None
    assert found.value > 0  # and nothing leaks
