"""Canaries: what is read, what is guessed, what is refused, and what a choice costs."""

import logging

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.onerun.guesses import Ends, Threshold, coins_p_value
from workbench.onerun.tuning import abstentions, random_part, tune_one_run

DELTA = 1e-5


def gaussian_run(m=1000, mu=1.0, seed=0, **more):
    rng = np.random.default_rng(seed)
    included = rng.random(m) < 0.5
    return wb.OneRun(rng.standard_normal(m) + mu * included, included, **more)


SMALL = wb.OneRun([3.0, 1.0, 2.0, 0.0, 5.0], [1, 0, 0, 0, 1])


# -- guesses --------------------------------------------------------------------------------------


def test_a_threshold_guesses_all():
    guesses = SMALL.guess(threshold=1.5)  # in: 3, 2, 5
    assert (guesses.canaries, guesses.guesses, guesses.correct) == (5, 5, 4)
    assert (guesses.errors, guesses.accuracy, guesses.included) == (1, 0.8, 2)
    assert SMALL.guess(threshold=2.0).correct == 5  # a score at the threshold is out
    assert str(guesses.rule) == "threshold 1.5"


def test_the_ends_are_guessed_and_the_middle_is_not():
    guesses = SMALL.guess(k_in=1, k_out=2)  # 5 in; 0 and 1 out
    assert (guesses.guesses, guesses.correct) == (3, 3)
    assert SMALL.guess(k_in=3).correct == 2
    assert SMALL.guess(k_out=4).correct == 3
    assert SMALL.guess(k_in=2, k_out=3).correct == 5


def test_smaller_scores_may_speak_for_membership():
    losses = wb.OneRun([-3.0, -1.0, -2.0, 0.0, -5.0], [1, 0, 0, 0, 1], larger_is_member=False)
    assert losses.guess(threshold=-1.5).correct == SMALL.guess(threshold=1.5).correct
    assert losses.guess(k_in=1, k_out=2).correct == 3
    p, q = losses.as_scores()
    assert losses.as_scores().larger_is_member is False
    assert sorted(p) == [-5, -3]
    assert q.size == 3


def test_equal_scores_are_not_split_by_their_order():
    """A file sorted by inclusion must not win: ties fall at random."""
    run = wb.OneRun(np.zeros(2000), np.repeat([1, 0], 1000))
    correct = run.guess(k_in=500, k_out=500).correct
    assert 430 < correct < 570
    assert run.guess(k_in=500, k_out=500).correct == correct
    assert run.guess(k_in=500, k_out=500, seed=1).correct != correct


def test_scores_that_are_not_finite_keep_a_place():
    run = wb.OneRun([np.nan, -np.inf, np.inf, 0.0], [1, 0, 1, 0])
    assert run.guess(k_in=2, k_out=2).correct == 4
    assert run.guess(threshold=1.0).correct == 4
    assert "not finite" in run._repr_html_()


def test_guesses_become_bounds():
    run = gaussian_run()
    bound = wb.one_run_bound(
        run.guess(threshold=0.5), delta=DELTA, method="bits", family="gaussian"
    )
    assert bound.threshold == 0.5
    assert bound.n_p == run.members
    assert bound.n_p + bound.n_q == 1000
    assert 2 < bound.value < wb.GaussianPair(1).epsilon(DELTA)
    direct = wb.one_run_bound(
        canaries=1000,
        guesses=1000,
        correct=bound.correct,
        delta=DELTA,
        method="bits",
        family="gaussian",
        included=run.members,
    )
    assert direct.value == bound.value


def test_scores_of_one_run_say_so():
    run = gaussian_run()
    scores = run.as_scores()
    assert (scores.n_p, scores.n_q) == (run.members, 1000 - run.members)
    bound = wb.epsilon_lower_bound(scores, delta=DELTA)
    assert bound.assumption == "one run"
    assert "behave like independent ones" in bound.explain()
    assert 0 < bound.value < wb.GaussianPair(1).epsilon(DELTA)


def test_a_fixed_half_allows_what_looks_at_one_score_at_a_time():
    rng = np.random.default_rng(3)
    included = rng.permutation(np.repeat([True, False], 300))
    run = wb.OneRun(rng.standard_normal(600) + 2 * included, included, design="fixed-half")
    assert wb.one_run_bound(run.guess(threshold=1.0), delta=DELTA, method="bits").value > 0
    with pytest.raises(ValueError, match="its own score alone"):
        wb.one_run_bound(run.guess(k_in=300, k_out=300), delta=DELTA, method="bits")
    with pytest.raises(ValueError, match="fair coin"):
        wb.one_run_bound(run.guess(threshold=1.0), delta=DELTA, method="steinke")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({}, "needs a rule"),
        ({"threshold": 1.0, "k_in": 1}, "not both"),
        ({"k_in": 4, "k_out": 2}, "got 4 \\+ 2"),
        ({"k_in": -1}, "k_in must be a whole number"),
        ({"threshold": np.nan}, "threshold must be finite"),
    ],
)
def test_rules_that_are_none_are_refused(rule, words):
    with pytest.raises(ValueError, match=words):
        SMALL.guess(**rule)


# -- canaries -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "included", "more", "words"),
    [
        ([1.0, 2.0], [1, 0, 1], {}, "2 scores and 3 inclusions"),
        ([1.0, 2.0, 3.0], [1, 1, 1], {}, "all 3 canaries were in"),
        ([1.0, 2.0, 3.0], [0, 0, 0], {}, "all 3 canaries were out"),
        ([1.0, 2.0, 3.0], [1, 0, 2], {}, "got 2 for canary 2"),
        ([1.0, 2.0, 3.0], [1, 0, np.nan], {}, "got nan for canary 2"),
        ([1.0, "x", 3.0], [1, 0, 1], {}, "scores must be numbers"),
        ([1.0, 2.0], [["a"], ["b"]], {}, "included must be numbers"),
        ([1.0], [1], {}, "at least 2 canaries"),
        ([[1.0, 2.0]], [1, 0], {}, "1-d"),
        ([1.0, 2.0, 3.0], [1, 0, 1], {"ids": ["a", "b", "a"]}, "'a' occurs twice.*rows 0 and 2"),
        ([1.0, 2.0, 3.0], [1, 0, 1], {"ids": [7, 8, 7]}, "'7' occurs twice"),
        ([1.0, 2.0, 3.0], [1, 0, 1], {"ids": ["a", "b"]}, "2 ids for 3 canaries"),
        ([1.0, 2.0, 3.0], [1, 0, 1], {"design": "fixed-half"}, "got 2 of 3"),
        ([1.0, 2.0, 3.0], [1, 0, 1], {"design": "guess"}, "design must be one of"),
    ],
)
def test_canaries_that_cannot_be_audited_are_refused(scores, included, more, words):
    with pytest.raises(ValueError, match=words):
        wb.OneRun(scores, included, **more)


def test_the_coins_have_a_p_value():
    assert coins_p_value(500, 1000) == 1
    assert coins_p_value(560, 1000) == pytest.approx(coins_p_value(440, 1000))
    assert coins_p_value(560, 1000) == pytest.approx(1.68e-4, rel=0.02)
    lopsided = wb.OneRun(np.arange(100.0), np.arange(100) < 80)
    assert lopsided.coins_p_value < 1e-8
    assert "p-value" in wb.one_run_bound(lopsided.guess(threshold=50), delta=0, method="bits").note


def test_a_run_reads_well():
    assert repr(SMALL) == "OneRun(5 canaries, 2 in, larger is member-like, design='fair-coins')"
    named = wb.OneRun(SMALL.scores, SMALL.included, ids=list("abcde"), name="digits")
    assert "'digits'" in repr(named)
    assert list(named.to_frame().columns) == ["score", "included", "id"]
    assert "p-value of fair coins" in named._repr_html_()


# -- files ----------------------------------------------------------------------------------------


def test_canaries_come_from_a_file(tmp_path, caplog):
    run = gaussian_run(50, ids=[f"c{i}" for i in range(50)])
    path = tmp_path / "canaries.csv"
    run.to_frame().to_csv(path, index=False)
    with caplog.at_level(logging.INFO, logger="workbench.onerun.read"):
        read = wb.read_one_run(path)
    assert "canaries are named by 'id'" in caplog.text
    assert np.array_equal(read.scores, run.scores)
    assert np.array_equal(read.included, run.included)
    assert list(read.ids) == list(run.ids)
    assert read.name == "canaries"


def test_columns_and_labels_can_be_named():
    frame = pd.DataFrame(
        {"loss": [0.1, 0.9, 0.2], "other": [1, 2, 3], "group": ["x", "y", "x"], "who": list("abc")}
    )
    run = wb.read_one_run(
        frame,
        score="loss",
        included="group",
        included_value="x",
        id="who",
        larger_is_member=False,
        name="three",
    )
    assert run.included.tolist() == [True, False, True]
    assert list(run.ids) == ["a", "b", "c"]
    assert run.larger_is_member is False
    assert run.name == "three"
    words = pd.DataFrame({"score": [1.0, 2.0], "included": ["in", "out"]})
    assert wb.read_one_run(words).included.tolist() == [True, False]


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"score": [1.0, 2.0], "included": [1, 1]}, "all 2 canaries have included = 1"),
        ({"in": [1.0, 2.0], "out": [0.0, 1.0]}, "one row for each canary"),
        ({"score": [1.0, 2.0], "included": ["a", "b"]}, "included_value="),
        ({"score": [1.0, 2.0, 3.0], "included": [1, 0, None]}, "label column 'included' is empty"),
        (
            {"id": [1, 1, 2], "score": [1.0, 2.0, 3.0], "included": [1, 0, 1]},
            "'1' occurs twice",
        ),
    ],
)
def test_files_in_doubt_are_refused(frame, words):
    with pytest.raises(wb.ScoresError, match=words):
        wb.read_one_run(pd.DataFrame(frame))


# -- choices --------------------------------------------------------------------------------------


def test_rules_can_be_scaled():
    assert Ends(10, 10).scaled(50, 100) == Ends(5, 5)
    assert Ends(1, 0).scaled(3, 100) == Ends(0, 1) or Ends(1, 0).scaled(3, 100) == Ends(1, 0)
    assert Ends(50, 50).scaled(33, 100).k_in + Ends(50, 50).scaled(33, 100).k_out == 33
    assert Threshold(0.5).scaled(3, 100) == Threshold(0.5)


def test_the_default_rules_are_stated():
    rules = abstentions(1000)
    assert rules[0] == Ends(500, 500)
    assert all(rule.k_in + rule.k_out >= 8 for rule in rules)
    assert len(rules) == 7
    assert len(set(abstentions(20, ratio=1.01))) == len(abstentions(20, ratio=1.01))
    with pytest.raises(ValueError, match="ratio must be above 1"):
        abstentions(20, ratio=1.0)


def test_what_tuning_would_have_claimed_and_what_may_be_claimed():
    run = gaussian_run(seed=5)
    tuning = tune_one_run(run, delta=DELTA, method="fdp", family="gaussian")
    assert tuning.claimed.value == max(bound.value for bound in tuning.pointwise)
    assert "was chosen because" in tuning.claimed.void
    assert tuning.claimed.badge == "not valid"
    assert tuning.simultaneous.guarantee == "simultaneous"
    assert tuning.simultaneous.confidence == 0.95
    assert tuning.simultaneous.value < tuning.claimed.value
    assert tuning.held_out.guarantee == "held-out"
    assert tuning.held_out.canaries < 1000
    assert tuning.held_out.void is None
    # The stated price: one rule of seven at a level of 5% / 7.
    alone = wb.one_run_bound(
        run.guess(**tuning.rule_simultaneous.arguments),
        delta=DELTA,
        method="fdp",
        family="gaussian",
        confidence=1 - 0.05 / 7,
    )
    assert tuning.simultaneous.value == alone.value


def test_thresholds_can_be_tuned_too():
    run = gaussian_run(seed=6)
    rules = [Threshold(t) for t in (0.0, 0.5, 1.0)]
    tuning = tune_one_run(run, rules, delta=DELTA, method="bits", family="gaussian")
    assert tuning.rule_claimed in rules
    assert tuning.held_out.threshold in (0.0, 0.5, 1.0)
    with pytest.raises(ValueError, match="rules is empty"):
        tune_one_run(run, [], delta=DELTA)


def test_the_parts_are_drawn_once_for_the_same_run():
    """In another order and in other units; sorted by inclusion too."""
    run = gaussian_run(400)
    part = random_part(run, 0.5)
    assert part.sum() == 200
    for order in (np.random.default_rng(1).permutation(400), np.argsort(run.included)):
        again = wb.OneRun(3 * run.scores[order], run.included[order], seed=run.seed)
        assert np.array_equal(random_part(again, 0.5), part[order])
    with pytest.raises(ValueError, match="too few for a held-out bound"):
        random_part(SMALL, 0.01)


def test_what_is_drawn_for_a_run_does_not_depend_on_scores_or_inclusions():
    """Guesses on equal scores of a sorted file are right half of the time, over many seeds."""
    correct = [
        wb.OneRun(np.zeros(40), np.repeat([1, 0], 20), seed=seed).guess(k_in=10, k_out=10).correct
        for seed in range(400)
    ]
    assert np.mean(correct) == pytest.approx(10, abs=4 * np.std(correct) / 20)
    assert np.var(correct) == pytest.approx(20 * 0.25 * (1 + 20 / 39), rel=0.5)


def test_a_fixed_half_has_no_held_out_part():
    rng = np.random.default_rng(3)
    included = rng.permutation(np.repeat([True, False], 100))
    run = wb.OneRun(rng.standard_normal(200), included, design="fixed-half")
    tuning = tune_one_run(run, [Threshold(0.0)], delta=DELTA, method="bits")
    assert tuning.held_out is None
    assert tuning.rule_held_out is None
