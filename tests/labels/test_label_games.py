"""Games of labels: the coin between two labels of a record is fair, and bounds keep their level."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom, binomtest

import workbench as wb
from workbench.labels.game import SECOND_DRAW
from workbench.labels.law import LabelsError, read_law
from workbench.onerun.guesses import LABEL_CONDITIONS

ERROR = 0.05

#: Name -> n, K -> the law of the label of each of n records.
LAWS = {
    "uniform": lambda n, k: np.full((n, k), 1 / k),
    "skewed": lambda n, k: np.tile(shares(0.5 ** np.arange(min(k, 40)), k), (n, 1)),
    "for each record": lambda n, k: np.random.default_rng(k).dirichlet(np.full(k, 0.5), n),
    "some certain": lambda n, k: some_certain(n, k),
    "two of many": lambda n, k: (
        np.eye(k)[np.arange(n) % k] * 0.7 + np.eye(k)[(np.arange(n) + 1) % k] * 0.3
    ),
}


def shares(weights, k):
    found = np.zeros(k)
    found[: len(weights)] = weights
    return found / found.sum()


def some_certain(n, k):
    law = np.random.default_rng(k + 1).dirichlet(np.ones(k), n)
    law[::3] = np.eye(k)[np.arange(n)[::3] % k]
    return law


def drawn(law, rng):
    return (rng.random((len(law), 1)) > law.cumsum(axis=1)).sum(axis=1).clip(0, law.shape[1] - 1)


def randomized(labels, k, epsilon, rng):
    """Each label with probability e^ε/(e^ε + K − 1), otherwise another one."""
    lies = rng.random(len(labels)) > math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    return np.where(lies, (labels + rng.integers(1, k, len(labels))) % k, labels)


# -- the coins ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAWS)
def test_given_both_labels_each_was_trained_on_with_probability_one_half(name):
    """Exactly, by the law of (y, ỹ) that the game states: every ordered pair of two labels."""
    for k in (2, 3, 7):
        for p in LAWS[name](4, k):
            both = np.outer(p, p)  # y by the law, ỹ by the game
            np.testing.assert_allclose(both, both.T)


def test_a_wrong_law_loads_the_coins_by_twice_its_error_and_no_more():
    rng = np.random.default_rng(0)
    for eta in (0.1, 0.5):
        true = rng.dirichlet(np.ones(4))
        worst = true * np.exp(eta * np.array([1, -1, 1, -1]))
        odds = np.log(np.outer(true, worst) / np.outer(worst, true))
        assert np.abs(odds).max() == pytest.approx(2 * eta)
        stated = worst / worst.sum()  # sums to 1 at the cost of nothing: the factor cancels
        again = np.log(np.outer(true, stated) / np.outer(stated, true))
        np.testing.assert_allclose(again, odds, atol=1e-12)


@pytest.mark.statistical
@pytest.mark.parametrize("name", LAWS)
def test_the_game_draws_what_its_law_says(name):
    """χ²-like: the mean number of canaries, and which label is shown first, over 300 games."""
    n, k = 60, 5
    law = LAWS[name](n, k)
    expected = n - (law**2).sum()
    rng = np.random.default_rng(1)
    pairs, firsts, lows = 0, 0, 0
    for seed in range(300):
        labels = drawn(law, rng)
        shown = wb.LabelGame(labels, law, seed=seed).pairs
        own = np.where(shown.trained_on_first, shown.first, shown.second)
        assert (own == labels[shown.records]).all()
        assert (shown.first != shown.second).all()
        pairs += shown.records.size
        firsts += shown.trained_on_first.sum()
        lows += (own < np.where(shown.trained_on_first, shown.second, shown.first)).sum()
    spread = math.sqrt(300 * expected)
    assert abs(pairs - 300 * expected) < 4 * spread
    assert binomtest(int(firsts), pairs).pvalue > 1e-4
    assert binomtest(int(lows), pairs).pvalue > 1e-4, "the smaller label is as likely the own one"


def test_a_label_that_the_law_excludes_is_never_drawn():
    law = read_law(np.zeros(2000, int), [[0.0, 1e-12, 1 - 1e-12, 0.0]] * 2000, None)
    found = law.draw(50, np.random.default_rng(0))
    assert set(np.unique(found)) <= {1, 2}


# -- the level ------------------------------------------------------------------------------------


@cache
def is_false(pairs, guesses, correct, epsilon):
    made = wb.Guesses(
        pairs, guesses, correct, design="matched-pairs", condition=LABEL_CONDITIONS[0]
    )
    return wb.one_run_bound(made, delta=0.0, method="sharp").value > epsilon + 1e-9


def of_record(p, epsilon, abstains):
    """P[no canary, a right guess, a wrong guess, no guess] of one record, by all (y, ỹ, report).

    The training reports each label by k-ary randomized response at ε. The attacker names that of
    the two labels which was reported; otherwise one of them by a coin, or none.
    """
    k = len(p)
    found = np.zeros(4)
    for y, other, told in itertools.product(range(k), repeat=3):
        mass = (
            p[y] * p[other] * (math.exp(epsilon) if told == y else 1) / (math.exp(epsilon) + k - 1)
        )
        if y == other:
            found[0] += mass
        elif told == y:
            found[1] += mass
        elif told == other:
            found[2] += mass
        elif abstains:
            found[3] += mass
        else:
            found[1:3] += mass / 2
    return found


def level(law, epsilon, abstains):
    """P[the bound is above ε], exactly: a convolution over records of what each may come to."""
    size = len(law) + 1
    masses = {(0, 0, 0): 1.0}
    for p in law:
        none, right, wrong, idle = of_record(p, epsilon, abstains)
        grown = {}
        for (pairs, guesses, correct), mass in masses.items():
            for step, part in (
                ((0, 0, 0), none), ((1, 1, 1), right), ((1, 1, 0), wrong), ((1, 0, 0), idle),
            ):  # fmt: skip
                if part * mass > 0:
                    at = (pairs + step[0], guesses + step[1], correct + step[2])
                    grown[at] = grown.get(at, 0.0) + mass * part
        masses = grown
    assert abs(sum(masses.values()) - 1) < 1e-9
    assert max(pairs for pairs, _, _ in masses) < size
    return sum(
        mass for (pairs, guesses, correct), mass in masses.items()
        if guesses and is_false(pairs, guesses, correct, epsilon)
    )  # fmt: skip


@pytest.mark.parametrize("abstains", [False, True])
@pytest.mark.parametrize("name", LAWS)
def test_the_level_is_kept_exactly_at_the_edge_of_label_privacy(name, abstains):
    """Randomized response on labels, K = 2, 3, 5, at ε = 0.5 and 1.5: at most 5%."""
    for k, n in ((2, 24), (3, 16), (5, 12)):
        for epsilon in (0.5, 1.5):
            assert level(LAWS[name](n, k), epsilon, abstains) <= ERROR


def test_the_level_is_used_and_not_half_or_twice_of_it():
    """Given the number of pairs, the right guesses are binomial: one count less is above 5%."""
    right = math.exp(1.0) / (math.exp(1.0) + 1)
    for pairs in range(10, 60):  # with fewer, nothing is refuted
        least = next(c for c in range(pairs + 1) if is_false(pairs, pairs, c, 1.0))
        assert binom.sf(least - 1, pairs, right) <= ERROR < binom.sf(least - 2, pairs, right)


@pytest.mark.statistical
@pytest.mark.parametrize("k", [2, 10, 100])
@pytest.mark.parametrize("name", LAWS)
def test_the_level_is_kept_by_whole_games(name, k):
    """200 games of 150 records; refused where at most 5% is refuted at 0.1%."""
    epsilon, n, runs = 1.0, 150, 200
    law = LAWS[name](n, k)
    rng = np.random.default_rng(k)
    false = 0
    for seed in range(runs):
        labels = drawn(law, rng)
        told = randomized(labels, k, epsilon, rng)
        game = wb.LabelGame(labels, law, seed=seed)
        # The law is right, so that its test is left out here: it could only take bounds away.
        made = game._untested(np.eye(k)[told]).guess(threshold=0.0)
        false += wb.one_run_bound(made, delta=0.0, method="sharp").value > epsilon
    assert binomtest(false, runs, ERROR, alternative="greater").pvalue > 1e-3


@pytest.mark.statistical
def test_coins_before_the_training_need_no_law():
    """All records have the label 0 of ten; the others are replaced by a law that is absurd."""
    n, k, epsilon, runs = 150, 10, 1.0, 400
    absurd = np.eye(k)[np.full(n, 3)] * 0.9 + 0.1 / k
    rng = np.random.default_rng(3)
    false = 0
    for seed in range(runs):
        game = wb.LabelGame.plan(np.zeros(n, int), absurd, seed=seed)
        told = randomized(game.training_labels, k, epsilon, rng)
        # The attacker knows the law, and that the true label is 0, and is not helped by it.
        scores = np.eye(k)[told]
        false += game.epsilon(scores, delta=0.0).value > epsilon
    assert binomtest(false, runs, ERROR, alternative="greater").pvalue > 1e-3


# -- misuse ---------------------------------------------------------------------------------------


def test_a_wrong_law_shows_a_leak_where_there_is_none_and_is_void():
    """The uniform law of labels of which one is ten times as frequent; the model knows nothing."""
    rng = np.random.default_rng(5)
    law = np.tile([10 / 12, 1 / 12, 1 / 12], (600, 1))
    labels = drawn(law, rng)
    prior = np.log(law)  # what any model of these records knows
    wrong = wb.LabelGame(labels, [1 / 3, 1 / 3, 1 / 3], seed=5).epsilon(prior, delta=0.0)
    assert wrong.value > 1
    assert "do not follow the stated law" in wrong.void
    right = wb.LabelGame(labels, law, seed=5).epsilon(prior, delta=0.0)
    assert right.value == 0
    assert right.void is None


def test_a_law_that_is_wrong_by_a_factor_costs_twice_its_logarithm():
    rng = np.random.default_rng(6)
    law = np.full((400, 3), 1 / 3)
    labels = drawn(law, rng)
    game = wb.LabelGame(labels, law, seed=6)
    plain = game.epsilon(np.eye(3)[labels], delta=0.0)
    careful = game.epsilon(np.eye(3)[labels], delta=0.0, law_error=0.5)
    assert careful.value == pytest.approx(plain.value - 1)
    assert "e^0.5" in careful.note
    assert careful.at_confidence(0.9).value == pytest.approx(plain.at_confidence(0.9).value - 1)
    planned = wb.LabelGame.plan(labels, law, seed=6)
    with pytest.raises(LabelsError, match="nothing rests"):
        planned.epsilon(np.eye(3)[labels], delta=0.0, law_error=0.5)


def test_the_level_with_a_law_that_is_wrong_by_the_stated_factor():
    """Exactly, as above, but the labels follow p and the game draws from π: P[ε < bound − 2η]."""
    eta, epsilon, n = 0.3, 1.0, 20
    p = np.array([0.5, 0.5])
    stated = p * np.exp([-eta, eta])
    stated /= stated.sum()  # within e^±η of p but for a common factor, which cancels
    masses = {(0, 0): 1.0}
    told_right = math.exp(epsilon) / (math.exp(epsilon) + 1)
    for _ in range(n):
        grown = {}
        for (pairs, correct), mass in masses.items():
            for y, other in itertools.product(range(2), repeat=2):
                chance = p[y] * stated[other]
                # The attacker knows both laws and the report, and names what is more likely.
                for told in range(2):
                    report = told_right if told == y else 1 - told_right
                    odds = (epsilon if told == 0 else -epsilon) + math.log(
                        p[0] * stated[1] / (p[1] * stated[0])
                    )
                    right = (odds > 0) == (y == 0)
                    step = (1, int(right)) if y != other else (0, 0)
                    at = (pairs + step[0], correct + step[1])
                    grown[at] = grown.get(at, 0.0) + mass * chance * report
        masses = grown
    false = sum(
        mass for (pairs, correct), mass in masses.items()
        if pairs and is_false(pairs, pairs, correct, epsilon + 2 * eta)
    )  # fmt: skip
    assert false <= ERROR


# -- what a game gives ----------------------------------------------------------------------------


def example(design="redrawn", seed=1, n=200):
    rng = np.random.default_rng(0)
    law = rng.dirichlet([1, 1, 1], size=n)
    labels = drawn(law, rng)
    if design == "planned":
        return wb.LabelGame.plan(labels, law, seed=seed)
    return wb.LabelGame(labels, law, seed=seed)


def test_a_game_is_made_again_from_what_it_keeps():
    for design in ("redrawn", "planned"):
        one, two = example(design, seed=9), example(design, seed=9)
        assert one.to_frame().equals(two.to_frame())
        assert (one.training_labels == two.training_labels).all()
        assert not one.to_frame().equals(example(design, seed=10).to_frame())


def test_a_second_draw_for_the_same_labels_is_void():
    rng = np.random.default_rng(11)
    law = rng.dirichlet([1, 1, 1], size=120)
    labels = drawn(law, rng)
    scores = np.log(law)
    first = wb.LabelGame(labels, law, seed=1)
    assert first.epsilon(scores, delta=0.0).void is None
    second = wb.LabelGame(labels, law, seed=2)
    assert second.epsilon(scores, delta=0.0).void == SECOND_DRAW
    assert second.guess(scores).void == SECOND_DRAW


def test_training_labels_are_those_that_the_pairs_say():
    game = example("planned")
    shown = game.pairs
    own = np.where(shown.trained_on_first, shown.first, shown.second)
    assert (game.training_labels[shown.records] == own).all()
    changed = game.training_labels != game.law.labels
    assert 0.3 < changed.mean() < 0.7
    after = example("redrawn")
    assert (after.training_labels == after.law.labels).all()


def test_only_stated_canaries_are_randomized_by_a_plan():
    chosen = np.arange(200) < 50
    game = wb.LabelGame.plan(np.zeros(200, int), classes=[0, 1, 2], canaries=chosen, seed=1)
    assert set(game.pairs.records) == set(range(50))
    assert (game.training_labels[50:] == 0).all()


def test_labels_may_have_names():
    labels = ["cat", "dog", "dog", "cat", "cow", "cow"] * 5
    game = wb.LabelGame(labels, [0.3, 0.4, 0.3], classes=["cat", "cow", "dog"], seed=1)
    assert game.law.labels[:6].tolist() == [0, 2, 2, 0, 1, 1]
    with pytest.raises(LabelsError, match="'owl' is not among the classes"):
        wb.LabelGame([*labels, "owl"], [0.3, 0.4, 0.3], classes=["cat", "cow", "dog"])


def test_its_run_has_all_methods_for_coins_and_no_others():
    game = example()
    run = game.run(np.eye(3)[game.law.labels])
    made = run.guess(k_in=20, k_out=20)
    assert made.condition == LABEL_CONDITIONS[0]
    for method in ("steinke", "sharp", "fdp"):
        bound = wb.one_run_bound(made, delta=1e-5, method=method)
        assert bound.assumption == LABEL_CONDITIONS[0]
        assert bound.terms[-2:] == ("if labels follow the stated law", "replacing a label")
    for method in ("bits", "abstain"):
        with pytest.raises(ValueError, match="do not influence each other"):
            wb.one_run_bound(run.guess(threshold=0.0), delta=1e-5, method=method)
    with pytest.raises(wb.ScoresError, match="no scores of its own"):
        run.as_scores()
    with pytest.raises(wb.ScoresError, match="no scores of its own"):
        wb.one_run_score_bound(run, delta=1e-5)
    part = run.part(np.arange(run.canaries) < 30)
    assert part.guess(threshold=0.0).condition == LABEL_CONDITIONS[0]
    assert wb.tune_one_run(run, delta=0.0, method="sharp").held_out.assumption == made.condition


def test_a_verdict_is_about_replacing_a_label():
    game = example()
    made = game.guess(np.eye(3)[game.law.labels])
    verdict = wb.judge_guesses(made, "pure(1)")
    assert verdict.refuted
    assert verdict.relation == "replacing a label"
    assert "labels that follow the stated law, replacing a label" in verdict.explain()


def test_guesses_by_chance_show_nothing_and_ties_are_coins():
    game = example(n=1000)
    flat = game.guess(np.zeros((1000, 3)))
    assert abs(flat.accuracy - 0.5) < 4 * 0.5 / math.sqrt(flat.guesses)
    some = game.guess(np.zeros((1000, 3)), guesses=101)
    assert some.guesses == 101


def test_scores_that_are_missing_or_infinite_are_kept():
    game = example()
    scores = np.log(
        np.eye(3)[game.law.labels] + 0.0,
        where=np.eye(3)[game.law.labels] > 0,
        out=np.full((200, 3), -np.inf),
    )
    assert game.guess(scores).correct == game.guess(scores).guesses
    scores[:, 0] = np.nan
    assert np.isfinite(game.differences(scores)).sum() + np.isinf(
        game.differences(scores)
    ).sum() == (game.pairs.records.size)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"probabilities": [[0.5, 0.6]] * 4}, "sum to 1.1"),
        ({"probabilities": [[1.5, -0.5]] * 4}, "not logits"),
        ({"probabilities": [[0.5, 0.5]] * 3}, "for 4 records"),
        ({"probabilities": [1.0]}, "at least two labels"),
        ({"probabilities": None}, "must state the law"),
        ({"labels": [0, 1, 2, 0]}, "got 2 for record 2"),
        ({"labels": [0, 1, 0.5, 0]}, "got 0.5 for record 2"),
        ({"labels": [[0, 1], [1, 0]]}, "1-d"),
        ({"probabilities": [[1.0, 0.0]] * 4, "labels": [0, 0, 0, 0]}, "two different labels"),
        ({"classes": ["a", "a"]}, "each once"),
        ({"classes": ["a", "b", "c"]}, "one class for each column"),
        ({"design": "thrown"}, "design must be one of"),
    ],
)
def test_bad_input_says_what_is_wrong(given, said):
    call = {"labels": [0, 1, 1, 0], "probabilities": [[0.5, 0.5]] * 4, "seed": 1}
    with pytest.raises(ValueError, match=said):
        wb.LabelGame(**call | given)


def test_scores_and_guesses_of_another_size_are_refused():
    game = example()
    with pytest.raises(LabelsError, match="a row for each record"):
        game.guess(np.zeros((3, 3)))
    with pytest.raises(LabelsError, match="at most the"):
        game.guess(np.zeros((200, 3)), guesses=500)
    with pytest.raises(ValueError, match="condition= is of pairs"):
        wb.Guesses(10, 5, 3, condition=LABEL_CONDITIONS[0])
    with pytest.raises(ValueError, match="condition must be one of"):
        wb.Guesses(10, 5, 3, design="matched-pairs", condition="hope")


def test_it_reads_well():
    game = example()
    text = repr(game)
    assert "200 records, 3 labels" in text
    assert "seed 1" in text
    assert "p-value of the law" in game._repr_html_()
    assert "after the training" in game.explain()
    planned = example("planned")
    assert planned.law_test is None
    assert "before the training" in planned.explain()
    bound = planned.epsilon(np.eye(3)[planned.training_labels], delta=0.0)
    assert str(bound).endswith("assuming fair coins of labels, replacing a label)")
