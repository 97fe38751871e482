"""Odd arguments end in a result, a ValueError or a TypeError with a remedy; see benchmarks."""

import datetime
import math
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from threadpoolctl import threadpool_info

import workbench as wb
from benchmarks import _valid_calls as valid
from benchmarks.odd_calls import GOOD, Long, outcomes
from workbench import _checks

HUGE = 10**400

SCORES = valid.scores()

PAIR = wb.GaussianPair(1)

RNG = np.random.default_rng(0)

#: The other fields of a comparison.
REST = {"confidence": 0.95, "fpr": 0, "a_lower": 0, "a_upper": 0, "b_lower": 0, "b_upper": 0}

FRAME = pd.DataFrame({"score": [1.0, 2.0, 3.0, 4.0], "member": [0, 0, 1, 1]})


# -- all of it -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_public_call_has_an_example_that_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    valid.audited().save("loaded.json")
    calls = valid.calls()
    assert len(calls) > 300
    for call in calls:
        for variant in range(len(call.variants)):
            if call.name in valid.REFUSED:
                with pytest.raises(ValueError, match="has no scores of its own"):
                    call.function()(**call.arguments())
            else:
                call.function()(**call.arguments(variant))


@pytest.mark.slow
@pytest.mark.parametrize("many", [1500, pytest.param(4500, marks=pytest.mark.exhaustive)])
def test_odd_arguments_end_in_a_result_a_value_error_or_a_type_error(many):
    ends = list(outcomes(many, seed=0))
    assert [f"{o.end}: {o.call}: {o.said}" for o in ends if o.end not in GOOD] == []
    found = Counter(o.end for o in ends)
    assert found["result"] > many / 15  # what is odd for one is valid for another
    assert found["ValueError"] > many / 3
    assert found["TypeError"] > many / 5


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: wb.binomial.clopper_pearson_lower(2, 10, error=-HUGE), "error must lie in"),
        (
            lambda: wb.tpr_from_counts(tp=4, fp=1, tn=4, fn=Long(10**9), fpr=0.1),
            "10,000,000 values",
        ),
        (lambda: PAIR.profile(range(10**9)), "10,000,000 values that are not in memory"),
        (lambda: PAIR.profile([range(10**30)]), "10,000,000 values that are not in memory"),
        (lambda: PAIR.sample(10**9), "n_p must be at most 50,000,000"),
        (lambda: wb.coverage("simultaneous", PAIR, delta=1e-5, reps=10**9), "at most 1,000,000"),
        (lambda: wb.mechanisms.dp_gd([1], 10**9, RNG, sigma=1), "must be at most 50,000,000"),
        (lambda: wb.mechanisms.dp_gd([1], 3, RNG, sigma=1, steps=10**9), "steps at most 10,000"),
    ],
)
def test_lengths_and_sizes_are_refused_before_memory_is_taken(call, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        call()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda: wb.onerun.false_claims("pure(1)", None, canaries=30, delta=1e-5),
            "mechanism must be a workbench CanaryMechanism; got 'pure(1)' (str)",
        ),
        (lambda: wb.onerun.printed_bit_error(0), "pair must be a workbench HasTradeoff; got 0"),
        (lambda: wb.mechanisms.dp_gd([1.0], 3, 1.5, sigma=1), "rng must be a generator"),
        (lambda: wb.training.write_result("x.csv", "pure(1)"), "result must be a workbench Scores"),
        (lambda: wb.training.make_audit([1]), "parameters must be a mapping"),
        (lambda: valid.audited().shrink(domain=1j), "domain must be a workbench.Domain or Table"),
        (lambda: PAIR.sample(5, seed="one"), "seed must be a whole number"),
        (lambda: wb.Comparison(a={}, b={}, **REST), "a of Comparison must be"),
    ],
)
def test_objects_in_place_of_protocols_and_records(call, says):
    with pytest.raises(TypeError, match=re.escape(says)):
        call()


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b"], ids=["long", "zero"])
def test_a_name_that_no_file_can_have_is_that_of_a_missing_file(name):
    for call in (
        lambda: wb.recorded_file("0" * 64, name),
        lambda: wb.recorded_scores("0" * 64, files=[name]),
    ):
        with pytest.raises(wb.WorkspaceError, match="0" * 64):
            call()
    kept = wb.workspace().files.keep("canaries.csv", b"score,included")
    with pytest.raises(wb.WorkspaceError, match="cannot be written"):
        wb.recorded_file(kept, name)


# -- something that is not Scores ----------------------------------------------------------------

OF_SCORES = sorted(
    {
        (call.name, name)
        for call in valid.calls()
        for name in call.parameters
        if not call.constructs
        and not call.name.startswith("explore")
        and call.name not in ("read_score_table", "Auditor.correct")  # a column, and an array
        and (name == "scores" or (call.name == "compare" and name in "ab"))
    }
)


@pytest.mark.parametrize(
    "value",
    [None, [1, 2, 3], FRAME, "scores.csv", valid.band()],
    ids=["None", "list", "table", "text", "band"],
)
@pytest.mark.parametrize(("name", "parameter"), OF_SCORES)
def test_what_is_no_scores_is_told_how_to_become_some(name, parameter, value):
    (call,) = (call for call in valid.calls() if call.name == name)
    for variant in range(len(call.variants)):
        arguments = call.arguments(variant) | {parameter: value}
        with pytest.raises(TypeError, match=re.escape("wb.Scores(p, q) or wb.read_scores(...)")):
            call.function()(**arguments)


def test_a_table_is_no_side():
    with pytest.raises(TypeError, match=re.escape("wb.read_scores(...)")):
        wb.Scores(FRAME)
    with pytest.raises(ValueError, match="P holds dates"):
        wb.Scores(np.array(["2020-01-01", "2020-01-02"], "datetime64[D]"), [1, 2])


@pytest.mark.parametrize("value", ["no", 0.5, None, math.nan])
def test_the_direction_is_true_or_false(value):
    for call in (
        lambda: wb.Scores([1, 2], [0, 1], larger_is_member="" if value is None else value),
        lambda: SCORES.with_direction(value),
        lambda: wb.OneRun([1, 2], [0, 1], larger_is_member=value),
        lambda: wb.AnytimeAudit(1e-5, larger_is_member=value),
    ):
        with pytest.raises(ValueError, match="larger_is_member must be True or False, got"):
            call()


# -- something else that is of another class -----------------------------------------------------

COUNTS = valid.counts()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: wb.hockey_stick_limits([1, 2]), "make one with wb.histogram"),
        (lambda: wb.posterior_mass([1, 2], PAIR), "wb.Counts(tp=, fp=, tn=, fn=)"),
        (lambda: wb.posterior_mass(COUNTS, [1, 2]), "such as wb.GaussianPair(1)"),
        (
            lambda: wb.power([1, 2], claim_epsilon=0.5, delta=1e-5, n=60),
            "a pair such as wb.GaussianPair(1)",
        ),
        (lambda: wb.gdp_fit([1, 2]), "source must be Scores, a Histogram"),
        (lambda: wb.tune_one_run([1, 2], delta=1e-5), "wb.read_one_run(...)"),
        (lambda: wb.tune_one_run(valid.one_run(), [1], delta=1e-5), "a wb.Threshold or wb.Ends"),
        (lambda: wb.selection.epsilon([1, 2], 0.5, delta=1e-5), "NegativeBinomial(1, 0.01)"),
        (lambda: wb.selection.worst_order(None, 0.5, delta=1e-5), "NegativeBinomial(1, 0.01)"),
        (lambda: wb.selection.simulate(valid.runs(), 0.5, 40, score="best"), "Monotone()"),
        (lambda: wb.selection.Monotone().best([-1.0], 0.5, 7), "np.random.default_rng(seed)"),
        (
            lambda: wb.coverage("simultaneous", PAIR, delta=1e-5, executor=2),
            "client.get_executor()",
        ),
        (
            lambda: wb.audit_mechanism(valid.noisy_sum, "pure(1)", domain=[0, 1]),
            "such as wb.Domain(high=9)",
        ),
    ],
)
def test_another_class_is_told_which_one_is_meant(call, says):
    with pytest.raises(TypeError, match=re.escape(says)):
        call()


# -- numbers that no float holds, and no numbers -------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda: wb.epsilon_lower_bound(SCORES, HUGE),
        lambda: wb.epsilon_lower_bound(SCORES, 1e-5, -HUGE),
        lambda: wb.epsilon_lower_bound(SCORES, 1e-5, guarantee="pointwise", threshold=HUGE),
        lambda: wb.Scores([HUGE, 1], [1, 2]),
        lambda: wb.OneRun([HUGE, 1], [0, 1]),
        lambda: wb.AnytimeAudit(1e-5).update([HUGE]),
        lambda: wb.Counts(tp=HUGE, fp=1, tn=1, fn=1),
        lambda: wb.epsilon_from_counts(tp=10**25, fp=1, tn=1, fn=1, delta=1e-5),
        lambda: wb.GaussianPair(HUGE),
        lambda: PAIR.epsilon(HUGE),
        lambda: PAIR.profile([HUGE, 1]),
        lambda: PAIR.tradeoff(np.array([HUGE], dtype=object)),
        lambda: PAIR.gdp_mu(HUGE),
        lambda: valid.band().delta(HUGE),
        lambda: SCORES.tail_counts(HUGE),
        lambda: SCORES.samples.most_member_like_q(HUGE),
        lambda: wb.roc(SCORES).tpr(HUGE),
        lambda: wb.compare(SCORES, SCORES, fpr=HUGE),
        lambda: wb.posterior_parameter(COUNTS, wb.GaussianPair, (0, HUGE)),
        lambda: wb.coverage("simultaneous", PAIR, delta=1e-5, reps=10**25),
        lambda: wb.DPSGDPair.from_training(
            batch_size=1, dataset_size=9, epochs=HUGE, noise_multiplier=1
        ),
        lambda: wb.ProfileTablePair([0, HUGE], [0.1, 0]),
        lambda: valid.audited().replay(valid.noisy_sum, time_limit=HUGE),
        lambda: wb.selection.epsilon(valid.runs(), 0.5, delta=1e-5, orders=[HUGE]),
    ],
)
def test_integers_that_no_float_holds_are_quoted_in_short(call):
    with pytest.raises(ValueError, match=r"0000…|10{25}$") as told:
        call()
    assert len(str(told.value)) < 400


def test_a_huge_label_is_one_that_no_row_holds():
    with pytest.raises(ValueError, match="no row of 'member' holds '1000"):
        wb.read_scores(FRAME, score="score", member="member", member_value=HUGE)


@pytest.mark.parametrize(
    "value",
    [
        np.array(["2020-01-01"], "datetime64[D]"),
        np.array([5], "timedelta64[D]"),
        np.array([1 + 2j]),
        [datetime.date(2020, 1, 1)],
        [[1], [1, 2]],
    ],
    ids=["date", "duration", "complex", "object", "ragged"],
)
def test_dates_and_complex_numbers_are_no_numbers(value):
    with pytest.raises(ValueError, match="must be a number"):
        PAIR.profile(value)
    with pytest.raises(ValueError, match="an e-value must be a number"):
        wb.e_benjamini_hochberg(value)
    with pytest.raises(ValueError, match="delta must be a number"):
        _checks.delta(value[0])


# -- empty, without a dimension, and of the least size -------------------------------------------


@pytest.mark.parametrize("together", [wb.average_e_values, wb.multiply_e_values])
@pytest.mark.parametrize("values", [np.array(0.5), np.float64(0.5), [0.5, None], "ab"])
def test_what_is_no_list_of_e_values(together, values):
    with pytest.raises(TypeError, match=re.escape("an EValue, as of wb.anytime_e_value")):
        together(values)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: wb.posterior_parameter(COUNTS, wb.GaussianPair, []), "must be a pair (low, high)"),
        (lambda: wb.compare(SCORES, SCORES, fpr=[]), "fpr is empty"),
        (lambda: SCORES.samples.most_member_like_q([math.inf]), "from 1 to the 60 scores of Q"),
        (lambda: SCORES.samples.most_member_like_q(-(2**62)), "from 1 to the 60 scores of Q"),
        (
            lambda: wb.DPSGDPair.from_training(
                batch_size=5e-324, dataset_size=9, epochs=1, noise_multiplier=1
            ),
            "epochs · dataset_size / batch_size must be finite",
        ),
        (lambda: wb.simulate_canaries(20, 10, 1e308), "sigma must be at most 1e150"),
        (
            lambda: wb.explore(wb.Scores(1.7e308 * np.linspace(-1, 1, 50), np.linspace(-1, 1, 50))),
            "divide them by a constant",
        ),
        (lambda: SCORES.part_of_sorted([0.5], [0.5]), "p must be 60 bools"),
        (lambda: valid.one_run().part("text"), "rows must be 40 bools"),
        (lambda: wb.histogram(wb.Scores([-1.7e308, 0], [0, 1.7e308]), 3), "divide the scores"),
        (lambda: wb.Coverage.quantile(valid.OBJECTS["Coverage"](), [0.5, None]), "level must be"),
    ],
)
def test_indices_and_sizes_are_told(call, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        call()


@pytest.mark.parametrize("rule", ["scott", "fd", "plugin", "wand", "knuth", "quantile"])
def test_every_rule_has_bins_for_the_least_numbers(rule):
    least = 5e-324 * np.random.default_rng(0).integers(0, 5, (2, 50))
    found = wb.histogram(wb.Scores(*least), rule=rule)
    assert found.bins >= 1
    assert found.p_counts.sum() == found.q_counts.sum() == 50


def test_a_bound_at_the_least_rate_can_be_shown():
    bound = valid.band().tpr(5e-324)
    assert "TPR at FPR 4.94e-324" in repr(bound)
    assert bound.explain()


def test_what_a_bound_was_asked_is_a_number():
    bound = wb.parametric_bound(SCORES, quantity="delta", epsilon=np.array(0.5))
    assert type(bound.epsilon) is float
    with pytest.raises(TypeError, match="reason must be text"):
        bound.voided(0.5)
    with pytest.raises(TypeError, match="name must be text"):
        wb.Scores([1, 2], [0, 1], name=np.zeros(2))


def test_a_rule_gives_each_score_a_score():
    with pytest.raises(ValueError, match="the rule must return one score for each of 60 and 60"):
        SCORES.rescored(lambda x: x[:2], "other runs")


@pytest.mark.parametrize("method", ["mcdiarmid", "canonne"])
def test_limits_at_an_epsilon_whose_exponential_no_float_holds(method):
    lower, upper = wb.hockey_stick_limits(wb.histogram(SCORES, 8), 1e308, method=method)
    assert (lower.value, upper.value) == (0, 1)


# -- results -------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [{"value": math.nan}, {"side": "two", "high": math.nan}])
def test_no_bound_is_nan(bad):
    given = {"value": 0.5, "guarantee": "estimate", "method": "", "assumption": ""}
    with pytest.raises(ValueError, match=r"must be a number( or None)?; got nan"):
        wb.Bound(**{"quantity": "epsilon", "n_p": 2, "n_q": 2, **given, **bad})
    with pytest.raises(ValueError, match="log of EValue must be a number; got nan"):
        wb.EValue(math.nan, 0.1, 1e-5, 2, 2, "")


class CountsThreads(ClassifierMixin, BaseEstimator):
    """Notes how many threads it may use."""

    def fit(self, x, y):
        from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: F401

        self.classes_ = np.unique(y)
        self.threads_ = {p["num_threads"] for p in threadpool_info() if p["user_api"] == "openmp"}
        return self

    def decision_function(self, x):
        return x[:, 0]


def test_few_rows_are_learned_in_one_thread():
    # Threads that wait for each other while other programs want the cores took minutes.
    p, q = np.random.default_rng(0).normal(size=(2, 300, 2))
    learned = wb.learn_ordering_nd(p, q, CountsThreads(), share=1e-12)
    assert learned.rule.classifier.threads_ == {1}


# -- what a message quotes -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "0.5"),
        ("x" * 500, "'" + "x" * 58 + "…"),
        (10**5000, "<int>"),
        (FRAME, "<DataFrame>"),
        (np.zeros((2, 2)), "array([[0., 0.], [0., 0.]])"),
    ],
    ids=["number", "text", "integer", "table", "array"],
)
def test_bad_values_are_shown_in_one_short_line(value, shown):
    assert _checks.shown(value) == shown
