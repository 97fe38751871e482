"""`SyntheticAudit`: what it finds, what it says, and what its numbers assume."""

import pickle

import numpy as np
import pandas as pd
import pytest
from helpers.people_in_tables import people, three

import workbench as wb
from workbench.onerun.bound import any_number_bound
from workbench.synthetic.attacks.base import Attack
from workbench.synthetic.audit import ALIKE
from workbench.synthetic.choice import best_rule, candidate_rules, log_odds


class Near(Attack):
    """The distance of pays, which the tests do not take from the library."""

    name, label = "near", "distance of pays"

    def fit(self, view, rows, member):
        made = np.sort(view.synthetic["pay"].to_numpy())
        pays = view.pool["pay"].to_numpy()

        def scores(places):
            x = pays[places]
            at = np.searchsorted(made, x)
            nearest = [made[np.clip(at + k, 0, made.size - 1)] for k in (-1, 0)]
            return -np.min([np.abs(np.log(x / near)) for near in nearest], axis=0)

        return scores


class Noise(Attack):
    """Numbers that have nothing to do with the records."""

    name, label = "noise", "noise"

    def fit(self, view, rows, member):
        numbers = np.random.default_rng(view.seed).normal(size=len(view.pool))
        return lambda places: numbers[places]


class Oracle(Attack):
    """Every membership that it was shown, and nothing of the others."""

    name, label = "oracle", "memberships that it was shown"

    def fit(self, view, rows, member):
        known = np.zeros(len(view.pool))
        known[rows] = np.where(member, 1.0, -1.0)
        return lambda places: known[places]


def audit(copies=0.2, n=1600, seed=0, **how):
    how = {"attacks": [Near(), Noise()], "seed": 1, **how}
    return wb.SyntheticAudit(*three(n, seed, copies, noise=1e-6), **how)


def test_copies_are_found_and_none_without_them():
    found = audit()
    bound = found.epsilon(1e-5)
    assert bound.value > 2
    assert (bound.guarantee, bound.assumption) == ("held-out", "independent fair coins")
    assert bound.seed == found.tables.seed
    assert found.chosen == "near"
    assert "Attack: distance of pays." in bound.note
    assert audit(copies=0).epsilon(1e-5).value < 0.5


def test_the_measured_share_is_counted_once():
    found = audit()
    assert found.one_run.canaries == 960
    assert found.one_run is found.attack("chosen").run
    made = found.attack("near").guess()
    bound = found.epsilon(1e-5)
    assert (bound.canaries, bound.guesses, bound.correct) == (960, made.guesses, made.correct)
    assert bound.value == any_number_bound(made, 1e-5).value
    fixed = wb.one_run_bound(made, delta=1e-5, method="sharp").value
    assert fixed - 0.1 < bound.value < fixed
    assert found.epsilon(0.0).value == wb.one_run_bound(made, delta=0.0, method="sharp").value
    assert bound.at_confidence(0.99).value < bound.value


def test_memberships_of_the_measured_share_are_never_shown():
    """An attack that knows all that it was shown knows nothing of what is measured."""
    found = audit(copies=0, attacks=[Oracle()])
    assert np.unique(found.one_run.scores).size == 1
    assert found.attacks[0].learned == 0
    other = audit(copies=0, attacks=[Oracle()], learning_share=0.7)
    assert other.one_run.canaries == 480


def test_shares_follow_from_the_number_of_the_tables():
    learning = [audit(seed=0, **{"attacks": [Noise()]})._learning for _ in range(2)]
    np.testing.assert_array_equal(*learning)
    tables = audit().tables
    # Neither share has more members than chance gives: 320 of 640 ± 16.
    assert abs(tables.included[learning[0]].sum() - 320) < 65


def test_all_attacks_are_measured_at_their_part_of_the_error():
    found = audit()
    both = found.epsilon(1e-5, attack="all")
    parts = [found.epsilon(1e-5, attack=name, confidence=0.975) for name in ("near", "noise")]
    assert both.value == max(part.value for part in parts)
    assert (both.guarantee, both.confidence) == ("simultaneous", 0.95)
    assert both.value < found.epsilon(1e-5).value
    assert found.epsilon(1e-5, attack="near").guarantee == "pointwise"
    with pytest.raises(ValueError, match=r"attack must be one of 'chosen', 'near', 'noise'; got"):
        found.epsilon(1e-5, attack="far")


def test_a_fixed_size_is_measured_by_pairs_of_the_measured_share():
    train, holdout, made = three(1600, 0, 0.2, share=0.75, noise=1e-6)
    found = wb.SyntheticAudit(
        train, holdout, made, split="fixed-size", attacks=[Near(), Noise()], seed=1
    )
    pairs = found.one_run
    assert isinstance(pairs, wb.MatchedPairs)
    measured = pairs.of
    assert measured.canaries == 960
    assert pairs.canaries == min(measured.members, 960 - measured.members)
    bound = found.epsilon(1e-5)
    assert bound.assumption == "fair coins of pairs of records"
    assert bound.value > 1
    assert "substituting a record" in bound.terms
    assert found.judge("pure(0.1)").relation == "substitution"
    assert found.scores.n_p + found.scores.n_q == 960


@pytest.mark.parametrize("split", ["given", "coin"])
def test_a_split_that_was_not_random_gives_estimates(split):
    table = people(1600, 1).sort_values("pay")
    train, holdout = table[:800], table[800:]
    found = wb.SyntheticAudit(train, holdout, train, split=split, attacks=[Near()], seed=1)
    bound = found.epsilon(1e-5)
    assert (bound.guarantee, bound.confidence, bound.assumption) == ("estimate", None, ALIKE)
    assert bound.value > 2
    assert "not random" in bound.note or "not drawn at random" in bound.note
    assert found.epsilon(1e-5, attack="all").guarantee == "estimate"
    verdict = found.judge("approx(1, 1e-5)")
    assert verdict.void
    assert not verdict.refuted
    assert "was not random" in found.explain()
    assert set(found.to_frame()["guarantee"]) == {"estimate"}


def test_a_second_number_for_the_same_tables_is_a_second_try():
    first = audit(seed=5)
    assert first.epsilon(1e-5).void is None
    second = audit(**{"seed": 5} | {"attacks": [Near()]})
    assert second.epsilon(1e-5).void is None
    tables = three(1600, 5, 0.2, noise=1e-6)
    third = wb.SyntheticAudit(*tables, attacks=[Near()], seed=2)
    assert "second try" in third.epsilon(1e-5).void
    assert "second try" in third.judge("pure(0.1)").void


def test_units_are_canaries():
    rng = np.random.default_rng(0)
    table = people(1800, 1).assign(who=np.arange(1800) // 3)
    inside = (rng.random(600) < 0.5)[table["who"]]
    train, holdout = table[inside], table[~inside]
    copied = train[train["who"] % 5 == 0].drop(columns="who")
    made = pd.concat([people(600, 2), copied])
    found = wb.SyntheticAudit(train, holdout, made, unit="who", attacks=[Near()], seed=1)
    assert found.one_run.canaries == 360
    bound = found.epsilon(1e-5)
    assert bound.value > 1
    assert "A canary is a unit with all of its records." in bound.note


def test_verdicts_on_claims():
    found = audit(claim="approx(1, 1e-5)")
    assert found.judge().refuted
    assert found.judge("approx(1, 1e-5)").verdict == "refuted"
    assert found.judge(wb.GDP(0.3)).refuted
    assert found.judge(wb.GaussianPair(0.3)).refuted
    assert found.judge("approx(20, 1e-5)").verdict in ("not refuted", "too few samples")
    with pytest.raises(ValueError, match="there is no claim to judge; give one such as"):
        audit(copies=0).judge()
    assert "is refuted" in found.explain()


def test_texts_tables_and_charts():
    found = audit(name="release 3")
    assert repr(found).startswith("SyntheticAudit('release 3', 1,600 records")
    text = found.explain()
    for part in (
        "1,600 records",
        "Of 2 attacks, distance of pays did best",
        "ε at δ = 1e-5",
        "an id",
    ):
        assert part in text
    frame = found.to_frame()
    assert frame["attack"].tolist() == ["near", "noise"]
    assert frame["chosen"].tolist() == [True, False]
    assert "distance of pays" in found._repr_html_()
    assert found.figure() is not None
    scores = found.scores
    assert scores.sampling == "one run"
    assert scores.held_out
    assert wb.epsilon_lower_bound(scores, delta=1e-5).guarantee == "held-out"
    assert pickle.loads(pickle.dumps(found.attacks[0].run)).canaries == 960


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="split must be one of 'coin', 'fixed-size', 'given'"):
        audit(split="coins")
    with pytest.raises(ValueError, match="attacks must be one of 'distance'"):
        audit(attacks=["distanze"])
    with pytest.raises(ValueError, match="attacks is empty"):
        audit(attacks=[])
    with pytest.raises(ValueError, match="attacks has two of one name: noise, noise"):
        audit(attacks=[Noise(), Noise()])
    with pytest.raises(ValueError, match="learning_share must lie strictly between 0 and 1"):
        audit(learning_share=1)
    with pytest.raises(ValueError, match="the learning share has 2 records"):
        audit(learning_share=0.001)
    with pytest.raises(ValueError, match="cannot read the claim"):
        audit(claim="safe")
    with pytest.raises(ValueError, match="duplicates must be one of 'keep', 'remove'"):
        audit(duplicates="drop")
    with pytest.raises(ValueError, match="delta must lie in"):
        audit().epsilon(1)


# -- the choice ------------------------------------------------------------------------------------


def test_rules_are_chosen_by_their_bounds():
    rng = np.random.default_rng(0)
    included = rng.random(800) < 0.5
    scores = rng.normal(size=800)
    scores[np.flatnonzero(included)[:60]] += 20  # members that are surely known
    run = wb.OneRun(scores, included, seed=1)
    rule, learned = best_rule(run)
    assert rule.k_out == 0
    assert 30 <= rule.k_in <= 60
    assert learned > 2
    assert all(2 * rule.k_in <= 801 for rule in candidate_rules(800))
    # Without a leak no bound is chosen by its value, and the rule is the luckiest.
    assert best_rule(wb.OneRun(rng.normal(size=800), included, seed=1))[1] < 0.6


def test_log_odds_rise_with_the_rank_and_shrink():
    rng = np.random.default_rng(0)
    ranks = (rng.permutation(500) + 1) / 500
    member = np.where(ranks > 0.9, True, rng.random(500) < 0.45)
    odds = log_odds(ranks, member)
    at = odds(np.linspace(0, 1, 200))
    assert (np.diff(at) > 0).all()
    assert at[-1] == pytest.approx(np.log(51), abs=0.2)  # of 50 members and no other
    assert abs(at[100]) < 0.5
