"""What scores, counts and bounds demonstrate: never above the truth more often than stated."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

import workbench as wb
from workbench.bounds.counts.binomial import clopper_pearson_upper
from workbench.risks.evidence import evidence_of

BASELINES = np.r_[np.geomspace(1e-4, 0.5, 60), np.linspace(0.5, 1, 30)[1:]]


def scores(p_ones, n_p, q_ones, n_q):
    """Scores of 0 and 1."""
    p = np.repeat([0.0, 1.0], [n_p - p_ones, p_ones])
    q = np.repeat([0.0, 1.0], [n_q - q_ones, q_ones])
    return wb.Scores(p, q, True, "independent runs")


def true_success(tpr, fpr, kappa):
    """1 − f of a coin with probability ``tpr`` for members and ``fpr`` for others, exactly."""
    toward_never = np.where(kappa <= fpr, tpr * kappa / max(fpr, 1e-300), 1.0)
    toward_always = 1 - (1 - tpr) * (1 - kappa) / (1 - fpr)
    return np.where(kappa <= fpr, toward_never, toward_always)


def counts(p_ones, n_p, q_ones, n_q):
    """The same as counts."""
    return wb.Counts(tp=p_ones, fn=n_p - p_ones, fp=q_ones, tn=n_q - q_ones)


def probability_of_false_limits(tpr, fpr, n_p, n_q, made, confidence=0.95):
    """Over all data sets: that ``at_least`` is above the truth at *some* baseline."""
    truth = true_success(tpr, fpr, BASELINES)
    total = 0.0
    for i, j in product(range(n_p + 1), range(n_q + 1)):
        weight = binom.pmf(i, n_p, tpr) * binom.pmf(j, n_q, fpr)
        if weight < 1e-9:
            continue
        shown = evidence_of(made(i, n_p, j, n_q), confidence).success(BASELINES)
        if (shown > truth + 1e-12).any():
            total += weight
    return total


PAIRS = [(0.5, 0.5), (0.9, 0.4), (0.35, 0.1), (0.97, 0.03)]


@pytest.mark.slow
@pytest.mark.parametrize(("tpr", "fpr"), PAIRS)
def test_scores_exceed_the_truth_somewhere_in_at_most_5_percent_of_all_data_sets(tpr, fpr):
    assert probability_of_false_limits(tpr, fpr, 14, 14, scores) <= 0.05


@pytest.mark.parametrize(("tpr", "fpr"), PAIRS)
def test_counts_exceed_the_truth_somewhere_in_at_most_5_percent_of_all_data_sets(tpr, fpr):
    assert probability_of_false_limits(tpr, fpr, 40, 30, counts) <= 0.05


def test_the_limits_of_counts_share_the_error_in_halves():
    # At a rate that is just above a limit, the limit is missed with nearly all of its error.
    curve = evidence_of(counts(30, 40, 5, 40), 0.95).curve
    inner = curve.alpha[1], curve.beta[1]
    limits = [float(clopper_pearson_upper(k, 40, 0.025)) for k in (5, 10)]
    assert inner == pytest.approx(limits, rel=1e-12)
    missed = binom.cdf(5, 40, inner[0]) + binom.cdf(10, 40, inner[1])
    assert missed == pytest.approx(0.05, rel=1e-9)  # of both together, at most


def test_the_band_of_scores_is_read_at_every_baseline_from_one_event():
    s = wb.GaussianPair(1.5).sample(400, seed=3)
    risk = wb.risk(s, baseline=0.01)
    band = wb.tradeoff_band(s)
    for kappa in (1e-4, 0.01, 0.2, 0.9):
        lower = max(band.tpr(kappa).value, kappa)
        assert risk.at(kappa).at_least <= lower
        assert risk.at(kappa).at_least == pytest.approx(lower, rel=1e-9)
    assert risk.advantage.at_least == band.total_variation().value
    assert risk.confidence == 0.95
    assert wb.risk(s, baseline=0.01, confidence=0.99).at_least < risk.at_least
    assert wb.risk(band, baseline=0.01).at_least == risk.at_least


def test_dragging_the_baseline_touches_no_scores(monkeypatch):
    risk = wb.risk(wb.GaussianPair(1.5).sample(400, seed=3), baseline=0.01, claim="gdp(1.5)")
    risk.curve()

    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(wb.Scores, "tail_counts", refuse)
    monkeypatch.setattr("workbench.bounds.simultaneous.band.band_tests", refuse)
    for kappa in np.geomspace(1e-5, 0.9, 40):
        ends = risk.at(float(kappa)).success
        assert kappa <= ends.at_least <= ends.at_most


@pytest.mark.statistical
def test_scores_of_a_true_pair_seldom_show_more_than_it_allows():
    pair, false = wb.GaussianPair(1.0), 0
    truth = np.exp(np.asarray(pair.log_rates(BASELINES)[1]))
    for seed in range(300):
        shown = evidence_of(pair.sample(150, seed=seed), 0.95).success(BASELINES)
        false += bool((shown > truth + 1e-12).any())
    assert false <= 23  # P(Bin(300, 0.05) > 23) < 0.02


def test_guessing_shows_the_baseline_and_no_more():
    risk = wb.risk(wb.GaussianPair(0).sample(60, seed=1), baseline=0.03)
    assert risk.at_least == 0.03
    assert risk.odds.at_least == 1
    assert "beyond guessing" in risk.sentence()


# -- bounds on a number ---------------------------------------------------------------------------


def bound(quantity, value, side="lower", guarantee="pointwise", **at):
    high = value + 1 if side == "two" else None
    confidence = None if guarantee in ("estimate", "proven") else 0.95
    return wb.Bound(
        quantity, value, guarantee, "test", "independent runs", 10, 10, confidence,
        wb.QuantityArguments(**at), side=side, high=high,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("of", "claim"),
    [
        (bound("epsilon", 2.0, delta=1e-5), wb.ApproxDP(2.0, 1e-5)),
        (bound("epsilon", 2.0, "two", delta=1e-5), wb.ApproxDP(2.0, 1e-5)),
        (bound("mu", 0.7), wb.GDP(0.7)),
        (bound("delta", 0.3, epsilon=1.0), wb.ApproxDP(1.0, 0.3)),
        (bound("total variation", 0.3), wb.ApproxDP(0.0, 0.3)),
    ],
    ids=lambda of: getattr(of, "quantity", ""),
)
def test_a_bound_on_a_number_shows_what_no_claim_of_its_form_can_promise(of, claim):
    for kappa in (1e-6, 0.01, 0.3):
        risk = wb.risk(of, baseline=kappa)
        of_claim = wb.risk(claim, baseline=kappa).at_most
        assert risk.at_least <= of_claim
        assert risk.at_least == pytest.approx(max(of_claim, kappa), rel=1e-9)
        assert risk.at_most is None
        assert "rule out every promise" in risk.sentence()


def test_beside_a_claim_the_bound_is_said_in_its_form():
    of = bound("epsilon", 2.0, delta=1e-5)
    for claim in ("pure(3)", "approx(3, 1e-5)", "approx(3, 1e-3)", "gdp(1)", "zcdp(0.8)"):
        risk = wb.risk(of, baseline=0.01, claim=claim)
        least = risk.evidence.form
        assert type(least) is type(risk.claim)
        # The strongest claim of the form is compatible with the bound; a stronger one is refuted.
        assert least.epsilon(1e-5) >= 2.0 - 1e-6
        assert least.parameter < risk.claim.parameter
        assert not risk.contradicted
        assert risk.at_least < risk.at_most
        assert risk.advantage.at_least < risk.advantage.at_most


@pytest.mark.parametrize(
    ("of", "claim"),
    [
        (bound("epsilon", 0.0, delta=1e-3), None),
        (bound("epsilon", 0.0, delta=1e-3), "approx(1, 1e-3)"),
        (bound("epsilon", 2.0, delta=1e-5), "approx(1, 1e-3)"),  # a larger δ allows any such ε
        (bound("epsilon", 2.0, delta=0), "gdp(1)"),  # no Gaussian pair has an ε at δ = 0
        (bound("mu", 0.0), "gdp(1)"),
    ],
)
def test_a_bound_that_refutes_no_claim_of_the_form_shows_nothing(of, claim):
    risk = wb.risk(of, baseline=0.01, claim=claim)
    assert risk.at_least == 0.01
    assert risk.advantage.at_least == 0
    assert not risk.contradicted


def test_beside_a_pair_a_bound_says_whether_it_is_refuted_and_nothing_at_one_baseline():
    pair = wb.LaplacePair(1.5)
    fine = wb.risk(bound("epsilon", 1.4, delta=0), baseline=0.01, claim=pair)
    wrong = wb.risk(bound("epsilon", 1.6, delta=0), baseline=0.01, claim=pair)
    assert (fine.at_least, wrong.at_least) == (None, None)
    assert (fine.contradicted, wrong.contradicted) == (False, True)
    assert math.isnan(fine.curve([0.5]).at_least[0])
    assert fine.advantage.at_least is None
    gain = wb.risk(bound("total variation", 0.3), baseline=0.01, claim=pair).advantage
    assert gain.at_least == 0.3 < gain.at_most


@pytest.mark.parametrize(
    ("of", "claim", "false"),
    [
        (bound("epsilon", 2.0, delta=1e-5), "approx(1.9, 1e-5)", True),
        (bound("epsilon", 2.0, delta=1e-5), "approx(2, 1e-5)", False),
        (bound("epsilon", 0.0, delta=1e-5), "pure(0)", False),
        (bound("mu", 1.0), "gdp(0.9)", True),
        (bound("mu", 1.0), "pure(0.1)", False),  # no theorem is asked that would say so
        (bound("total variation", 0.5), "gdp(1)", True),
        (bound("delta", 0.2, epsilon=1.0), "pure(1)", True),
    ],
)
def test_a_bound_refutes_a_claim_that_implies_less(of, claim, false):
    assert wb.risk(of, baseline=0.05, claim=claim).contradicted == false


def test_scores_that_show_more_than_the_claim_allows_contradict_it_there():
    s = wb.GaussianPair(3).sample(300, seed=0)
    risk = wb.risk(s, baseline=0.05, claim="gdp(0.5)")
    assert risk.contradicted
    assert "broken" in risk.sentence()
    assert not wb.risk(s, baseline=0.05, claim="gdp(3)").contradicted


def test_a_true_positive_rate_is_an_event_at_its_own_rate():
    risk = wb.risk(bound("tpr", 0.4, fpr=0.1), baseline=0.1)
    assert risk.at_least == pytest.approx(0.4)
    assert risk.at(0.05).at_least == pytest.approx(0.2)  # half of the accusations dropped
    assert risk.at(0.55).at_least == pytest.approx(0.7)  # half of the others accused, too
    assert risk.advantage.at_least == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("of", "says"),
    [
        (bound("epsilon", 2.0, guarantee="estimate", delta=1e-5), "it is an estimate"),
        (bound("epsilon", 2.0, "upper", delta=1e-5), "it is an upper limit"),
        (bound("mu", 1.0).voided("chosen after looking"), "chosen after looking"),
        (bound("auc", 0.7), "says nothing about success"),
        (bound("precision", 0.7, prior=0.1), "says nothing about success"),
        (bound("renyi", 0.7, order=2.0), "says nothing about success"),
    ],
)
def test_bounds_that_demonstrate_nothing_of_the_kind_are_refused(of, says):
    with pytest.raises(ValueError, match=says):
        wb.risk(of, baseline=0.1)


def test_a_group_needs_a_claim():
    s = wb.GaussianPair(1).sample(50, seed=0)
    with pytest.raises(ValueError, match="needs a claim"):
        wb.risk(s, baseline=0.1, group=2)
    risk = wb.risk(s, baseline=0.1, group=2, claim="gdp(1)")
    assert risk.at_least == wb.risk(s, baseline=0.1).at_least
    assert risk.at_most > wb.risk("gdp(1)", baseline=0.1).at_most


def test_bounds_of_one_run_and_infinite_ones():
    found = wb.one_run_bound(canaries=200, guesses=60, correct=58, delta=1e-5)
    risk = wb.risk(found, baseline=0.01, claim="approx(8, 1e-5)")
    assert 0.01 < risk.at_least < risk.at_most
    for claim in ("pure(1)", "approx(1, 1e-5)", "gdp(1)", "zcdp(1)", "renyi(2, 1)"):
        risk = wb.risk(bound("epsilon", math.inf, delta=1e-5), baseline=0.01, claim=claim)
        assert risk.contradicted
        assert 0.01 <= risk.at_least <= 1
    assert wb.risk(bound("mu", math.inf), baseline=0.01, claim="gdp(1)").contradicted
    endless = wb.risk(bound("epsilon", math.inf, delta=0.0), baseline=0.01)
    assert endless.at_least == pytest.approx(1)
