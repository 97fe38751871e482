"""One run with a random part in, matched in pairs: the coins of pairs, and what follows."""

import itertools
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import workbench as wb
from workbench.onerun.half import matching
from workbench.onerun.half.matching import MatchedPairs, matched_pairs
from workbench.onerun.simulate import NameAndShame
from workbench.scores.sample import ScoresError

DELTA = 1e-5


def half(n, mu=1.0, seed=0, held_out=None, **more):
    rng = np.random.default_rng(seed)
    included = rng.permutation(np.repeat([True, False], (n, held_out or n)))
    design = "fixed-half" if held_out in (None, n) else "fixed-size"
    return wb.OneRun(
        rng.normal(mu * included), included, design=design, **{"seed": seed + 1} | more
    )


# -- the coins ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("members", "records"), [(2, 4), (2, 5), (3, 5), (3, 6)])
def test_given_the_pairs_all_orientations_are_equally_likely(members, records):
    """Every set of members with every random order: the code that matches, completely."""
    found = {}
    same = np.zeros(records)
    for chosen in itertools.combinations(range(records), members):
        included = np.isin(np.arange(records), chosen)
        for order in itertools.permutations(range(records)):
            inside, outside = matching._matched(included, same, np.array(order))
            pairs = frozenset(frozenset(pair) for pair in zip(inside, outside, strict=True))
            found.setdefault(pairs, Counter())[frozenset(inside.tolist())] += 1
    few = min(members, records - members)
    assert len(found) == math.comb(records, 2 * few) * math.prod(range(1, 2 * few, 2))
    for orientations in found.values():
        assert len(orientations) == 2**few
        assert len(set(orientations.values())) == 1


def test_within_groups_of_records_the_same_holds():
    labels = np.array([0, 0, 0, 1, 1, 1])
    found = {}
    for chosen in itertools.combinations(range(6), 3):
        included = np.isin(np.arange(6), chosen)
        for order in itertools.permutations(range(6)):
            inside, outside = matching._matched(included, labels, np.array(order))
            assert (labels[inside] == labels[outside]).all()
            pairs = frozenset(frozenset(pair) for pair in zip(inside, outside, strict=True))
            found.setdefault(pairs, Counter())[frozenset(inside.tolist())] += 1
    for pairs, orientations in found.items():
        assert len(orientations) == 2 ** len(pairs)
        assert len(set(orientations.values())) == 1


def test_the_number_of_right_guesses_keeps_its_limit_exactly_whatever_the_scores_share():
    """All halves of six records, all bijections, all answers of an interfering mechanism.

    Each record's answer is true with odds e^0.5; scores are moved by those of all others. ε of
    substitution is 1, so three right guesses have at most the probability (e/(1 + e))³.
    """
    odds, n = 0.5, 3
    right = 1 / (1 + math.exp(-odds))
    chance = 0.0
    for chosen in itertools.combinations(range(2 * n), n):
        held_out = [i for i in range(2 * n) if i not in chosen]
        for answers in itertools.product((0, 1), repeat=2 * n):
            true = sum(a == (i in chosen) for i, a in enumerate(answers))
            mass = right**true * (1 - right) ** (2 * n - true)
            x = np.array(answers) + 0.1 * np.roll(answers, 1) - 0.05 * sum(answers)
            for partners in itertools.permutations(held_out):
                d = x[list(chosen)] - x[list(partners)]
                chance += mass * math.prod(np.where(d > 0, 1.0, np.where(d == 0, 0.5, 0.0)))
    chance /= math.comb(2 * n, n) * math.factorial(n)
    assert 0.5**n < chance <= (math.e / (1 + math.e)) ** n


def test_nothing_follows_from_scores_or_the_order_of_rows():
    run = half(50)
    order = np.random.default_rng(5).permutation(100)
    again = wb.OneRun(
        run.scores[order], run.included[order], design="fixed-half", seed=run.seed, name="shuffled"
    )
    a, b = matched_pairs(run), matched_pairs(again)
    np.testing.assert_array_equal(np.sort(a.scores), np.sort(b.scores))
    moved = wb.OneRun(run.scores * 3 + 1, run.included, design="fixed-half", seed=run.seed)
    np.testing.assert_array_equal(matched_pairs(moved).first, a.first)


def test_a_sorted_file_of_scores_that_say_nothing_shows_nothing():
    """Over many seeds: as many right guesses as coins give, with their variance."""
    included = np.repeat([True, False], 50)
    scores = np.random.default_rng(0).normal(size=100)
    correct = [
        matched_pairs(wb.OneRun(scores, included, design="fixed-half", seed=seed))
        .guess(threshold=0)
        .correct
        for seed in range(400)
    ]
    # One half is fixed here, and what varies are the pairs: the mean is that of all pairs.
    share = np.mean(scores[:50, None] > scores[None, 50:])
    assert np.mean(correct) == pytest.approx(50 * share, abs=4 * np.std(correct) / 20)


def test_pairs_that_look_at_scores_would_show_a_leak_where_there_is_none():
    """Each member with a held-out record of a rank 20 lower: nearly all guesses are right."""
    rng = np.random.default_rng(1)
    members, held_out = np.sort(rng.normal(size=200)), np.sort(rng.normal(size=200))
    correct = int((members[20:] > held_out[:-20]).sum())
    cheat = {"canaries": 180, "correct": correct, "design": "matched-pairs"}
    assert wb.one_run_bound(180, delta=DELTA, **cheat).value > 1
    fair = matched_pairs(wb.Scores(members, held_out, sampling="one run", seed=3))
    assert stats.binomtest(fair.guess(threshold=0).correct, 200).pvalue > 1e-3


# -- bounds ---------------------------------------------------------------------------------------


GAIN = re.findall(
    r"^\| ([\d.]+) \| ([\d,]+) \| ([\d.]+) \| ([\d.]+) \|$",
    (Path(__file__).parents[2] / "docs" / "which-bound.md").read_text(encoding="utf-8"),
    re.M,
)


def test_the_documentation_has_three_strengths_and_sizes():
    assert len(GAIN) == 9
    assert ("1", "2,000", "1.03", "0.72") in GAIN


@pytest.mark.parametrize(("mu", "records", "of_pairs", "of_singles"), GAIN)
def test_pairs_beside_twice_as_many_single_canaries(mu, records, of_pairs, of_singles):
    """Gaussian scores; guesses that are right as often as expected, each for its relation."""
    mu, n = float(mu), int(records.replace(",", "")) // 2
    pairs = int(n * stats.norm.cdf(mu / math.sqrt(2)))
    alone = int(2 * n * stats.norm.cdf(mu / 2))
    ours = wb.one_run_bound(n, canaries=n, correct=pairs, delta=DELTA, design="matched-pairs")
    singles = wb.one_run_bound(2 * n, canaries=2 * n, correct=alone, delta=DELTA)
    assert (f"{ours.value:.2f}", f"{singles.value:.2f}") == (of_pairs, of_singles)
    assert ours.value > 1.2 * singles.value
    assert (ours.n_p, ours.n_q) == (n, n)
    assert ours.value < wb.GaussianPair(mu * math.sqrt(2)).epsilon(DELTA)


def test_every_bound_states_that_members_were_random_and_what_is_substituted():
    pairs = matched_pairs(half(300))
    tuned = wb.tune_one_run(pairs, delta=DELTA)
    bounds = [
        *(wb.one_run_bound(pairs.guess(threshold=0), delta=DELTA, method=m)
          for m in ("steinke", "sharp", "fdp", "bits", "abstain")),
        tuned.simultaneous, tuned.held_out, wb.one_run_mu_bound(pairs.guess(k_in=9, k_out=9)),
    ]  # fmt: skip
    for bound in bounds:
        assert "if members were drawn at random" in bound.terms
        assert bound.terms[-1] == "substituting a record"
        assert ("assuming independent pairs" in bound.terms) == ("bits" in bound.assumption)
        assert "substituting" in bound.note
        assert "as likely the other way" in bound.explain() or "pair" in bound.assumption
        assert bound.seed == pairs.chance == 1
        assert not bound.void
    assert wb.one_run_score_bound(pairs, delta=DELTA).note.endswith("for substituting one.")


def test_another_seed_for_the_same_data_is_a_second_try():
    run = half(200, seed=11)
    first = matched_pairs(run)
    assert first.guess(threshold=0).void is None
    other = wb.OneRun(run.scores, run.included, design="fixed-half", seed=99)
    second = matched_pairs(other)
    assert "second try" in wb.one_run_bound(second.guess(threshold=0), delta=DELTA).void
    assert "second try" in wb.tune_one_run(second, delta=DELTA).held_out.void


def test_samples_of_one_run_are_matched_by_the_same_number():
    run = half(80, seed=4)
    scores = run.as_scores()
    a, b = matched_pairs(run), matched_pairs(scores)
    np.testing.assert_array_equal(np.sort(np.abs(a.scores)), np.sort(np.abs(b.scores)))
    assert a.guess(threshold=0).correct == b.guess(threshold=0).correct
    with pytest.raises(ScoresError, match="independent runs"):
        matched_pairs(wb.GaussianPair(1.0).sample(50, seed=1))


@pytest.mark.parametrize(("n", "held_out"), [(30, 50), (50, 30)])
def test_the_smaller_group_is_matched_completely(n, held_out):
    run = half(n, held_out=held_out)
    pairs = matched_pairs(run)
    assert (pairs.canaries, pairs.left_over) == (30, 20)
    assert run.included[np.where(pairs.included, pairs.first, pairs.second)].all()
    assert not run.included[np.where(pairs.included, pairs.second, pairs.first)].any()
    with pytest.raises(ValueError, match=r"matched_pairs\(run\)"):
        wb.one_run_bound(run.guess(threshold=0.5), delta=DELTA, method="bits")
    assert wb.tune_one_run(pairs, delta=DELTA).simultaneous.value >= 0


def test_losses_are_turned_and_scores_that_are_not_finite_are_compared():
    included = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    scores = np.array([np.nan, -np.inf, 1.0, 2.0, np.nan, -np.inf, 3.0, np.inf])
    run = wb.OneRun(scores, included, larger_is_member=False, design="fixed-half", seed=2)
    pairs = matched_pairs(run)
    assert not np.isnan(pairs.scores).any()
    x = np.where(np.isnan(scores), 1e9, np.nan_to_num(-scores, posinf=1e6, neginf=-1e6))
    np.testing.assert_array_equal(np.sign(pairs.scores), np.sign(x[pairs.first] - x[pairs.second]))


def test_all_firsts_may_be_in():
    """Which record is called the first is drawn, and may be the member in every pair."""
    both = [matched_pairs(half(2, seed=seed)).members for seed in range(40)]
    assert {0, 1, 2} == set(both)
    guesses = matched_pairs(half(2)).guess(k_in=1, k_out=1)
    assert (guesses.canaries, guesses.included, guesses.design) == (2, None, "matched-pairs")


def test_pairs_of_ones_own():
    """A coin for each pair of records, without matching: the first record in row order."""
    run = wb.OneRun([0.3, -1.2, 2.0, -0.1], [1, 0, 1, 1], design="matched-pairs")
    guesses = run.guess(threshold=0)
    assert (guesses.correct, guesses.seed) == (3, None)
    assert "substituting a record" in str(wb.one_run_bound(guesses, delta=0))
    with pytest.raises(ScoresError, match="all 3 canaries were in"):
        wb.OneRun([1.0, 2.0, 3.0], [1, 1, 1], design="matched-pairs")
    with pytest.raises(ScoresError, match="pairs already"):
        matched_pairs(run)


def test_what_is_none_is_refused():
    run = half(20)
    with pytest.raises(ScoresError, match="1 pairs"):
        matched_pairs(wb.OneRun([1.0, 2.0, 3.0], [1, 0, 0], design="fixed-size"))
    with pytest.raises(ScoresError, match="3 labels"):
        matched_pairs(run, within=[1, 2, 3])
    with pytest.raises(TypeError, match=r"OneRun or workbench\.Scores"):
        matched_pairs([1, 2, 3])
    pairs = matched_pairs(run)
    how = {"run": run, "first": pairs.first, "second": pairs.second}
    with pytest.raises(ScoresError, match="whether the first record was in"):
        MatchedPairs(pairs.scores, ~pairs.included, **how)
    with pytest.raises(ValueError, match="must be 'matched-pairs'"):
        MatchedPairs(pairs.scores, pairs.included, design="fair-coins", **how)
    twice = np.where(pairs.included, pairs.first, pairs.first[~pairs.included][0])
    with pytest.raises(ScoresError, match="twice"):
        MatchedPairs(pairs.scores, pairs.included, **how | {"first": twice})
    with pytest.raises(ValueError, match="leave out included="):
        wb.Guesses(10, 5, 3, included=5, design="matched-pairs")


def test_a_frame_and_a_part():
    pairs = matched_pairs(half(30))
    assert list(pairs.to_frame()) == ["score", "included", "first", "second"]
    part = pairs.part(np.arange(30) < 12)
    assert (part.canaries, part.design) == (12, "matched-pairs")
    assert "30 pairs" in repr(pairs)
    assert "seed" in pairs._repr_html_()


def test_classes_keep_to_themselves():
    run = half(40)
    labels = np.arange(80) % 4
    pairs = matched_pairs(run, within=labels)
    assert (labels[pairs.first] == labels[pairs.second]).all()


def test_revealing_all_at_once_breaks_no_bound_from_coins():
    """Each is right with probability at most δ: what breaks bounds that need independence."""
    rng = np.random.default_rng(0)
    member = rng.permutation(np.repeat([True, False], 200))
    scores = NameAndShame(0.999).draw(member[None], rng)[0]
    pairs = matched_pairs(wb.OneRun(scores, member, design="fixed-half", seed=1))
    guesses = pairs.guess(threshold=0)
    assert guesses.correct == 200
    assert wb.one_run_bound(guesses, delta=0.999, method="sharp").value == 0
