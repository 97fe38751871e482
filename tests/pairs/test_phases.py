"""Pairs of several kinds composed: against dp_accounting, exact sums, and their own equals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import workbench as wb
from workbench.claims.pair import PairClaim
from workbench.claims.parse import MOST_TERMS, parse_claim, text_of
from workbench.pairs.accounting import pld

HISTORIES = [
    [(1.0, 0.01, 500), (2.0, 0.01, 500)],
    [(0.8, 0.02, 100), (1.2, 0.005, 400), (4.0, 0.1, 30)],
]
DELTAS = (1e-3, 1e-5, 1e-9)
RELATIONS = ("add-remove", "substitute")


def theirs(history, relation, width=1e-4):
    """The composition of dp_accounting."""
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import privacy_loss_distribution as losses

    named = {
        "add-remove": NeighboringRelation.ADD_OR_REMOVE_ONE,
        "substitute": NeighboringRelation.REPLACE_ONE,
    }[relation]
    parts = [
        losses.from_gaussian_mechanism(
            sigma,
            sampling_prob=rate,
            neighboring_relation=named,
            value_discretization_interval=width,
        ).self_compose(steps)
        for sigma, rate, steps in history
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total.compose(part)
    return total


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("history", HISTORIES)
def test_phases_are_those_of_dp_accounting(history, relation):
    pair, other = wb.ComposedPair.from_history(history, relation), theirs(history, relation)
    for delta in DELTAS:
        known = other.get_epsilon_for_delta(delta)
        low, high = pair.epsilon_interval(delta)
        assert high == pytest.approx(known, rel=1e-3)
        assert low <= known * (1 + 1e-9)
        assert high <= low * (1 + 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("history", HISTORIES)
def test_small_deltas_are_below_both_accountants(history):
    from dp_accounting import dp_event
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant()
    for sigma, rate, steps in history:
        step = dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(sigma))
        accountant.compose(dp_event.SelfComposedDpEvent(step, steps))
    pair = wb.ComposedPair.from_history(history)
    for delta in (1e-12, 1e-14, 1e-16):
        assert pair.epsilon(delta) <= accountant.get_epsilon(delta)
    known = theirs(history, "add-remove").get_epsilon_for_delta(1e-12)
    assert pair.epsilon(1e-12) == pytest.approx(known, rel=5e-3)


def test_equal_phases_are_one_training():
    one = wb.DPSGDPair(1, 0.05, 30)
    both = wb.ComposedPair([wb.DPSGDPair(1, 0.05, 15)] * 2)
    epsilon = [0.0, 0.5, 1.0, 2.0]
    np.testing.assert_array_equal(both.profile(epsilon), one.profile(epsilon))


def test_the_order_of_phases_and_how_they_are_cut_do_not_matter():
    a, b = wb.DPSGDPair(1, 0.05, 10), wb.DPSGDPair(3, 0.1, 20)
    known = wb.ComposedPair([wb.DPSGDPair(1, 0.05, 20), b]).epsilon([1e-3, 1e-6])
    for pairs in ([a, b, a], [b, a, a], [wb.ComposedPair([a, a]), b]):
        assert wb.ComposedPair(pairs).epsilon([1e-3, 1e-6]) == pytest.approx(known, rel=1e-6)
    twice = wb.ComposedPair([a, b], 2).epsilon(1e-5)
    assert wb.ComposedPair([a, b]).compose(2).epsilon(1e-5) == twice
    assert wb.ComposedPair([a, b, a, b]).epsilon(1e-5) == pytest.approx(twice, rel=1e-9)


def test_gaussian_pairs_are_one_gaussian_pair():
    pair = wb.ComposedPair([wb.GaussianPair(3), wb.DPSGDPair(0.25, 1, 1)])
    assert pair.closed_form == wb.GaussianPair(5)
    assert pair.exact
    assert pair.renyi_divergence(3) == pytest.approx(wb.GaussianPair(5).renyi_divergence(3))


def outcomes(epsilon, delta):
    """Probabilities of randomized response under P and Q."""
    e = math.exp(epsilon)
    p = np.array([delta, (1 - delta) * e / (1 + e), (1 - delta) / (1 + e), 0.0])
    return p, p[::-1]


@pytest.mark.parametrize(
    "responses",
    [
        [(0.5, 0.0), (1.0, 1e-3)],
        [(0.3, 0.0), (0.7, 0.0), (0.7, 0.01)],
        [(0.4, 0.02), (math.sqrt(2), 0.0)],
    ],
)
def test_randomized_responses_are_sums_over_all_answers(responses):
    p, q = np.ones(1), np.ones(1)
    for one in responses:
        these = outcomes(*one)
        p, q = np.outer(p, these[0]).ravel(), np.outer(q, these[1]).ravel()
    pair = wb.ComposedPair([wb.RandomizedResponsePair(*one) for one in responses])
    for epsilon in (0.0, 0.2, 0.9, 1.3, 2.5):
        truth = max(
            np.maximum(one - math.exp(epsilon) * other, 0).sum() for one, other in ((p, q), (q, p))
        )
        low, high = pair.profile_interval(epsilon)
        assert low - 1e-12 <= truth <= high + 1e-15
        assert high == pytest.approx(truth, rel=2e-4, abs=1e-11)


@pytest.mark.slow
def test_laplace_and_gaussian_are_those_of_dp_accounting():
    from dp_accounting.pld import privacy_loss_distribution as losses

    width = {"value_discretization_interval": 1e-4}
    known = losses.from_laplace_mechanism(2, **width)
    known = known.compose(losses.from_gaussian_mechanism(2, **width)).self_compose(2)
    pair = wb.ComposedPair([wb.LaplacePair(0.5), wb.GaussianPair(0.5)], 2)
    assert pair.epsilon(1e-5) == pytest.approx(known.get_epsilon_for_delta(1e-5), rel=1e-6)


def test_bounded_losses_have_a_bound_at_delta_zero():
    pair = wb.ComposedPair([wb.LaplacePair(0.5), wb.RandomizedResponsePair(1, 0)], 3)
    assert pair.epsilon(0.0) == pytest.approx(4.5)


def test_both_sides_draw_the_losses_of_all_steps():
    pair = wb.ComposedPair([wb.DPSGDPair(2, 0.3, 3), wb.LaplacePair(0.5), wb.GaussianPair(0.4)], 2)
    scores = pair.sample(20_000, seed=3)
    error = np.exp(scores.q).std() / math.sqrt(scores.n_q)
    assert np.exp(scores.q).mean() == pytest.approx(1, abs=5 * error)  # E_Q[dP/dQ]
    assert np.exp(-scores.p).mean() == pytest.approx(1, abs=0.05)
    assert wb.epsilon_lower_bound(scores, delta=1e-3).value <= pair.epsilon(1e-3)


def test_masses_of_several_kinds_are_convolved():
    rng = np.random.default_rng(7)
    parts = [
        (rng.dirichlet(np.ones(n)), first, k) for n, first, k in ((5, -2, 3), (9, 1, 2), (2, 0, 1))
    ]
    total = np.ones(1)
    for masses, _, k in parts:
        for _ in range(k):
            total = np.convolve(total, masses)
    start, found, lost = pld.convolve(parts)
    assert start == -2 * 3 + 1 * 2
    np.testing.assert_allclose(found, total, atol=1e-15)
    assert lost < 1e-12


def test_the_range_of_several_kinds_holds_all_but_the_tail():
    shares = ((0.3, 200), (0.01, 1000))
    parts = [(np.array([1 - share, share]), k) for share, k in shares]
    first, last = pld.convolution_range(parts, 1e-9)
    from scipy.stats import binom

    total = np.convolve(*(binom.pmf(np.arange(k + 1), k, share) for share, k in shares))
    assert total[:first].sum() + total[last + 1 :].sum() <= 1e-9
    assert total[first + 20 :].sum() < 1 - 1e-9  # and no wider than needed by much


# -- from figures, and what is refused -------------------------------------------------------------


def test_a_history_is_read_as_opacus_keeps_it():
    known = wb.ComposedPair([wb.DPSGDPair(1, 0.01, 500), wb.DPSGDPair(2, 0.01, 500)])
    rows = [(1.0, 0.01, 500), (2.0, 0.01, 500)]
    for history in (rows, np.array(rows), ((x, 0.01, np.int64(500)) for x in (1, 2))):
        assert wb.ComposedPair.from_history(history) == known
    substitute = wb.ComposedPair.from_history([(1, 0.1, 5)], "substitute")
    assert substitute.pair == (wb.DPSGDPair(1, 0.1, 5, "substitute"),)


@pytest.mark.parametrize(
    ("history", "words"),
    [
        ([], "1 to 1000 pairs"),
        ([(1, 0.01)], "steps"),
        ([1, 0.01, 500], "steps"),
        ("1, 0.01, 500", "steps"),
        ([(0, 0.01, 500)], "noise_multiplier"),
        ([(1, 0.01, 2.5)], "whole number"),
        ([(1, 0.01, 500)] * 1001, "1 to 1000 pairs"),
        ({1: 2}, "steps"),
    ],
)
def test_what_is_no_history_is_refused(history, words):
    with pytest.raises(ValueError, match=words):
        wb.ComposedPair.from_history(history)


@pytest.mark.parametrize("pairs", [[], "gaussian", [wb.GaussianPair(1), 2], 3, None])
def test_what_is_no_sequence_of_pairs_is_refused(pairs):
    with pytest.raises(ValueError, match="pair"):
        wb.ComposedPair(pairs)


def test_names_are_short_where_there_are_many():
    pair = wb.ComposedPair.from_history([(1 + i, 0.01, 5) for i in range(30)])
    assert pair.name.endswith("+ 27 further ones")
    assert pair.short == "DP-SGD in 30 phases"
    assert wb.ComposedPair([wb.LaplacePair(1), wb.GaussianPair(1)]).short == "2 releases together"


# -- as text ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        (
            "dpsgd(1, 0.01, 500) + dpsgd(2, 0.01, 500)",
            wb.ComposedPair([wb.DPSGDPair(1, 0.01, 500), wb.DPSGDPair(2, 0.01, 500)]),
        ),
        ("10 * laplace(0.1)", wb.ComposedPair(wb.LaplacePair(0.1), 10)),
        (
            "dpsgd(1, 0.01, 500, relation=substitute)",
            wb.DPSGDPair(1, 0.01, 500, "substitute"),
        ),
        ("subsampled-gaussian(0.1, 2)", wb.SubsampledGaussianPair(0.1, 2)),
        (
            "2 * randomized-response(1, 0) + gaussian(1)",
            wb.ComposedPair(
                [wb.ComposedPair(wb.RandomizedResponsePair(1, 0), 2), wb.GaussianPair(1)]
            ),
        ),
    ],
)
def test_text_names_a_composition_and_is_found_again(text, pair):
    claim = parse_claim(text)
    assert claim == PairClaim(pair)
    assert text_of(claim) == text
    spaced = text.replace(" ", "").upper()
    assert parse_claim(spaced) == claim


def test_arguments_may_be_named_and_left_out():
    text = "dpsgd(noise=1, rate=1e-2, steps=500, relation=add-remove)+dpsgd(2,.01,500,substitute)"
    found = parse_claim(text).pair.pair
    assert [one.neighboring_relation for one in found] == ["add-remove", "substitute"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("approx(1, 1e-5) + laplace(1)", "only pairs are composed"),
        ("2 * pure(1)", "only pairs are composed"),
        ("laplace(1) +", "cannot read the claim"),
        ("+ laplace(1)", "cannot read the claim"),
        ("laplace(1) laplace(2)", "cannot read the claim"),
        ("laplace(1) + (laplace(2))", "cannot read the claim"),
        ("0 * laplace(1)", "whole number of at least 1"),
        ("1.5 * laplace(1)", "whole number of at least 1"),
        ("dpsgd(1, 0.01, 5, user)", "relation must be one of"),
        ("dpsgd(1, 0.01, 5,)", r"dpsgd takes \(noise, rate, steps, relation=…\)"),
        ("dpsgd(1, 0.01)", r"dpsgd takes \(noise, rate, steps, relation=…\)"),
        (" + ".join(["laplace(1)"] * (MOST_TERMS + 1)), "at most 20 pairs"),
    ],
)
def test_other_text_is_refused_in_words(text, words):
    with pytest.raises(ValueError, match=words):
        parse_claim(text)


def test_a_composition_that_text_cannot_nest_has_none():
    inner = wb.ComposedPair([wb.LaplacePair(1), wb.GaussianPair(1)])
    one = wb.LaplacePair(1)
    nested = wb.ComposedPair(inner, 2), wb.ComposedPair([inner, one])
    for pair in (*nested, wb.ComposedPair([one]), wb.ComposedPair([one] * 21)):
        assert text_of(PairClaim(pair)) == ""


def test_a_claim_of_phases_is_refuted_by_scores_that_leak_more():
    phases = parse_claim("dpsgd(1, 0.01, 50) + dpsgd(2, 0.01, 50)")
    scores = wb.GaussianPair(2).sample(2000, seed=0)
    assert wb.judge(scores, phases).refuted
    private = phases.pair.sample(1000, seed=1)
    assert not wb.judge(private, phases).refuted
    for relation, more in itertools.pairwise(RELATIONS):
        history = [(1, 0.01, 50), (2, 0.01, 50)]
        assert wb.ComposedPair.from_history(history, relation).epsilon(
            1e-5
        ) < wb.ComposedPair.from_history(history, more).epsilon(1e-5)
