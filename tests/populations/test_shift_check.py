"""`shift_check`: an exact p-value, and a gate that lets no bound through."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

import workbench as wb
from workbench.populations.shift import DIFFERENCE
from workbench.scores.sample import ALIKE, NOBODY_DREW
from workbench.synthetic.split_test import SPLIT_LEVEL, named_members


def features(mu, n, seed, width=2):
    return np.random.default_rng(seed).normal(mu, 1, (n, width))


def sentences(year, n, seed):
    rng = np.random.default_rng(seed)
    return [f"seen on {rng.integers(1, 28)} May {year + rng.integers(5)}" for _ in range(n)]


# -- what it finds ---------------------------------------------------------------------------------


def test_two_populations_are_told_apart_and_the_distance_is_below_the_truth():
    found = wb.shift_check(features(1, 1000, 0), features(0, 1000, 1), seed=1)
    assert found.apart
    assert found.p_value < 1e-20
    # Two normal laws at a distance of √2: TV = 2Φ(√2/2) − 1.
    assert 0.3 < found.total_variation.value < 0.5205
    assert "no privacy loss" in found.total_variation.note
    assert found.gate.casefold().startswith(DIFFERENCE)
    assert found.epsilon(1e-5).value <= wb.GaussianPair(np.sqrt(2)).epsilon(1e-5)


def test_one_population_passes_nothing():
    found = wb.shift_check(features(0, 500, 0), features(0, 500, 1), seed=1)
    assert not found.apart
    assert "does not show" in found.gate


@pytest.mark.parametrize("classifier", [None, "naive Bayes", "random forest"])
def test_texts_of_two_times_are_told_apart(classifier):
    found = wb.shift_check(
        sentences(2000, 100, 0), sentences(2010, 100, 1), classifier=classifier, seed=1
    )
    assert (found.kind, found.apart) == ("texts", True)
    alike = wb.shift_check(
        sentences(2000, 100, 0), sentences(2000, 100, 1), classifier=classifier, seed=1
    )
    assert alike.p_value > SPLIT_LEVEL


def test_tables_of_mixed_columns():
    rng = np.random.default_rng(0)
    tables = [
        pd.DataFrame(
            {
                "year": rng.integers(2010 + shift, 2020 + shift, 300),
                "town": rng.choice(["Ulm", "Bonn"], 300),
                "pay": rng.lognormal(10, 1, 300),
            }
        )
        for shift in (0, 4)
    ]
    assert wb.shift_check(*tables, seed=1).apart
    assert not wb.shift_check(*tables, columns={"year": "left out"}, seed=1).apart


def test_a_shift_in_the_dependence_of_columns_needs_a_classifier_that_sees_it():
    rng = np.random.default_rng(0)
    x, y, *noise = rng.normal(size=(4, 1500, 1))
    members = np.hstack([x, x + 0.3 * noise[0]])
    others = np.hstack([y, 0.3 * noise[1] - y])
    assert not wb.shift_check(members, others, seed=1).apart
    assert wb.shift_check(members, others, classifier="random forest", seed=1).apart


def test_an_estimator_of_ones_own():
    class Sum:
        def fit(self, x, y):
            self.seen = len(y)

        def decision_function(self, x):
            return x.sum(axis=1)

    found = wb.shift_check(
        features(1, 100, 0), features(0, 100, 1), classifier=Sum(), learning_share=0.25, seed=1
    )
    assert (found.classifier, found.learned, found.tested) == ("Sum", 50, 150)
    assert found.apart


# -- the p-value -----------------------------------------------------------------------------------


def test_the_p_value_is_the_hypergeometric_tail():
    was_in = np.repeat([True, False], [7, 13])
    scores = np.where(np.arange(20) < 5, 2.0, np.where(np.arange(20) < 18, 0.0, 1.0))
    named, hits, p = named_members(scores, was_in)
    assert (named, hits) == (7, 5)
    whole = sum(hypergeom.pmf(k, 20, 7, 7) for k in (5, 6, 7))
    assert p == pytest.approx(whole)


@pytest.mark.statistical
def test_the_level_of_the_p_value():
    pool = features(0, 120, 0)
    rng = np.random.default_rng(1)
    p = []
    for seed in range(150):
        order = rng.permutation(120)
        p.append(wb.shift_check(pool[order[:60]], pool[order[60:]], seed=seed).p_value)
    assert np.mean(np.array(p) <= 0.1) <= 0.1 + 3 * np.sqrt(0.09 / 150)
    assert np.mean(np.array(p) <= 0.5) > 0.25  # it is no constant


def test_all_follows_from_the_seed():
    members, others = features(1, 100, 0), features(0, 100, 1)
    a, b = (wb.shift_check(members, others, seed=7) for _ in range(2))
    assert (a.hits, a.seed) == (b.hits, 7)
    assert wb.shift_check(members[::-1], others, seed=7).hits == a.hits
    drawn = wb.shift_check(members + 5, others + 5)
    assert wb.shift_check(members + 5, others + 5).seed == drawn.seed


# -- the gate --------------------------------------------------------------------------------------


def numbers(run):
    """Every number that an audit of one run gives, by many ways."""
    guesses, scores = run.guess(k_in=20, k_out=20), run.as_scores()
    tuned = wb.tune_one_run(run, delta=1e-5)
    yield from (
        wb.one_run_bound(guesses, delta=1e-5),
        wb.one_run_bound(guesses, delta=0, method="sharp"),
        wb.one_run_bound(guesses, delta=1e-5, method="fdp"),
        wb.one_run_mu_bound(guesses, method="abstain"),
        tuned.claimed, tuned.simultaneous, tuned.held_out,
        wb.epsilon_lower_bound(scores, 1e-5),
        wb.epsilon_lower_bound(scores, 1e-5, guarantee="one question"),
        wb.epsilon_lower_bound(scores, 1e-5, guarantee="pointwise", threshold=0.0),
        wb.epsilon_lower_bound(scores, 1e-5, guarantee="anytime"),
        wb.mu_lower_bound(scores),
        wb.tradeoff_band(scores).total_variation(),
    )  # fmt: skip


def is_valid(bound):
    return bound.guarantee != "estimate" and bound.void is None


@pytest.mark.slow
@pytest.mark.statistical
def test_two_populations_without_any_training_give_no_valid_badge_in_1000_of_1000():
    """No model was trained: the scores are a feature, in which the two populations differ."""
    valid, found, detected = 0, 0, 0
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        members, others = rng.normal(1.5, 1, (100, 1)), rng.normal(0, 1, (100, 1))
        inside = np.repeat([True, False], 100)
        run = wb.OneRun(np.concatenate([members, others])[:, 0], inside, seed=seed)
        if seed % 10 == 0:  # also where a check was made, whatever it found
            check = wb.shift_check(members, others, seed=seed)
            detected += check.apart
            run = check.as_given(run)
        else:
            run = wb.OneRun(run.scores, inside, design="given", seed=seed)
        ways = numbers(run) if seed % 20 == 0 else [_first(run)]
        bounds = list(ways)
        valid += any(map(is_valid, bounds))
        found += any(bound.value > 0 for bound in bounds)
    assert valid == 0
    assert found == 1000  # each would have claimed a leak
    assert detected >= 90


def _first(run):
    return wb.one_run_bound(run.guess(k_in=20, k_out=20), delta=1e-5)


def test_no_number_of_a_given_run_is_valid_by_any_way():
    included = np.repeat([True, False], 100)
    scores = np.random.default_rng(0).normal(1.5 * included)
    run = wb.OneRun(scores, included, design="given", seed=1)
    bounds = [*numbers(run), wb.one_run_score_bound(run, delta=1e-5)]
    assert {bound.guarantee for bound in bounds} == {"estimate"}
    assert {bound.assumption for bound in bounds} == {ALIKE}
    assert all(bound.confidence is None for bound in bounds)
    assert all(NOBODY_DREW[1:] in bound.note for bound in bounds)
    assert bounds[0].value > 0.5
    # The same run with coins would give bounds.
    coins = wb.OneRun(scores, included, seed=1)
    assert is_valid(wb.one_run_bound(coins.guess(k_in=20, k_out=20), delta=1e-5))


def test_verdicts_pairs_risks_and_e_values_of_a_given_run():
    included = np.repeat([True, False], 200)
    run = wb.OneRun(np.arange(400.0)[::-1], included, design="given", seed=1)
    verdict = wb.judge_guesses(run.guess(k_in=50, k_out=50), "approx(1, 1e-5)")
    assert (verdict.verdict, verdict.refuted, verdict.void) == ("refuted", False, NOBODY_DREW)
    assert "≈" in str(verdict)
    scores = run.as_scores()
    assert scores.sampling == "given"
    assert wb.anytime_e_value(scores, epsilon=0.5, delta=1e-5).void == NOBODY_DREW
    for refused in (
        lambda: wb.judge(scores, "approx(1, 1e-5)"),
        lambda: wb.matched_pairs(run),
        lambda: wb.matched_pairs(scores),
        lambda: wb.risk(scores, baseline=0.5),
    ):
        with pytest.raises(ValueError, match=r"nobody drew|an estimate"):
            refused()


@pytest.mark.parametrize("design", ["fair-coins", "fixed-half", "matched-pairs"])
def test_the_gate_takes_back_what_was_stated(design):
    check = wb.shift_check(features(0, 50, 0), features(0, 50, 1), seed=1)
    included = np.repeat([True, False], 30)
    run = wb.OneRun(np.arange(60.0), included, design=design, seed=1)
    assert check.as_given(run).design == "given"
    assert check.as_given(wb.Guesses(100, 20, 15, design=design)).design == "given"
    scores = wb.GaussianPair(1).sample(100, seed=1)
    assert check.as_given(scores).sampling == "given"
    assert check.as_given(scores).chance == scores.chance
    bound = check.as_given(wb.epsilon_lower_bound(scores, 1e-5))
    assert (bound.badge, bound.relation) == ("estimate", "≈")
    with pytest.raises(TypeError, match="audited must be"):
        check.as_given("0.5")


def test_a_file_says_that_nobody_drew_who_was_in(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("score,member\n" + "".join(f"{i / 7},{int(i % 3 == 0)}\n" for i in range(60)))
    run = wb.read_one_run(path, design="given")
    assert run.design == "given"
    bound = wb.one_run_bound(run.guess(k_in=5, k_out=5), delta=1e-5)
    assert bound.guarantee == "estimate"
    again = wb.read_scores(path, sampling="given")
    assert wb.mu_lower_bound(again).guarantee == "estimate"


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("members", "others", "message"),
    [
        (np.zeros((5, 2)), np.ones((5, 2)), "at least|fewer|50"),
        (np.zeros((50, 2)), np.zeros((50, 3)), "members have 2 features and non_members 3"),
        (["a"] * 50, np.zeros((50, 2)), "members are texts and non_members arrays"),
        (["a"] * 10, ["b"] * 10, r"10 \+ 10 texts are too few"),
        (np.zeros((50, 2, 2)), np.zeros((50, 2, 2)), "a row for each record"),
        (pd.DataFrame({"a": range(60)}), pd.DataFrame({"b": range(60)}), "different columns"),
    ],
)
def test_wrong_records_are_refused(members, others, message):
    with pytest.raises(wb.ScoresError, match=message), warnings.catch_warnings():
        wb.shift_check(members, others, seed=1)


def test_wrong_arguments_are_refused():
    a, b = features(0, 50, 0), features(0, 50, 1)
    with pytest.raises(ValueError, match="classifier must be one of"):
        wb.shift_check(a, b, classifier="svm")
    with pytest.raises(ValueError, match="have fit"):
        wb.shift_check(a, b, classifier=3)
    with pytest.raises(ValueError, match="learning_share"):
        wb.shift_check(a, b, learning_share=1)
    with pytest.raises(wb.ScoresError, match="at least 2 on each side"):
        wb.shift_check(a, b[:1], seed=1)
    with pytest.raises(TypeError, match="members must be"):
        wb.shift_check("one text", ["another"])
    with pytest.raises(wb.ScoresError, match="columns="):
        wb.shift_check(["a"] * 50, ["b"] * 50, columns={"a": "numeric"})
