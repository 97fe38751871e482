"""Limits of an attacker's success: closed forms to the last digits, groups, and what is refused."""

import math

import numpy as np
import pytest
from scipy.special import ndtri

import workbench as wb
from workbench.risks.attacks import ATTACKS
from workbench.risks.success import success

BASELINES = (1e-12, 1e-9, 1e-4, 0.01, 0.2, 0.5, 0.9, 0.999)
MOST = 1 + 3e-12  # what rounding up may add, of itself


def pure(epsilon, kappa):
    return min(math.exp(epsilon) * kappa, 1 - math.exp(-epsilon) * (1 - kappa))


def approx(epsilon, delta, kappa):
    return min(delta + math.exp(epsilon) * kappa, 1 - math.exp(-epsilon) * (1 - delta - kappa), 1.0)


def at_most(claim, kappa, **more):
    return wb.risk(claim, baseline=kappa, **more).at_most


def test_the_limits_are_those_of_the_closed_forms_from_above():
    mpmath = pytest.importorskip("mpmath")
    mpmath.mp.dps = 40

    def quantile(x):
        z = mpmath.mpf(float(ndtri(float(x))))
        for _ in range(4):
            z -= (mpmath.ncdf(z) - x) / mpmath.npdf(z)
        return z

    for kappa in BASELINES:
        x = mpmath.mpf(kappa)
        for epsilon in (1e-6, 0.1, 1, 5, 20):
            e = mpmath.exp(mpmath.mpf(epsilon))
            truth = min(e * x, 1 - (1 - x) / e)
            assert truth <= at_most(wb.PureDP(epsilon), kappa) <= truth * MOST
            d = mpmath.mpf(1e-7)
            truth = min(d + e * x, 1 - (1 - d - x) / e)
            assert truth <= at_most(wb.ApproxDP(epsilon, 1e-7), kappa) <= truth * MOST
        for mu in (1e-6, 0.3, 1, 6):
            truth = mpmath.ncdf(quantile(x) + mpmath.mpf(mu))
            assert truth <= at_most(wb.GDP(mu), kappa) * (1 + 1e-12)
            assert at_most(wb.GDP(mu), kappa) <= truth * (1 + 1e-10)


def test_perfect_privacy_leaves_the_baseline_to_the_last_digit():
    for claim in ("gdp(0)", "pure(0)", "approx(0, 0)", "zcdp(0)"):
        for kappa in (1e-9, 0.1, 0.3, 0.7):
            risk = wb.risk(claim, baseline=kappa, group=7)
            assert risk.at_most == kappa
            assert risk.advantage.at_most == 0
            assert risk.odds.at_most == 1


@pytest.mark.parametrize(
    "pair",
    [
        wb.SubsampledGaussianPair(0.3, 0.7),
        wb.DiscreteLaplacePair(1, 1),
        wb.ProfileTablePair((0.0, 1.0, 2.0), (0.4, 0.1, 0.01)),
        wb.ComposedPair(wb.LaplacePair(0.5), 4),
        wb.DPSGDPair(1.0, 0.1, 20),
        wb.RenyiPair((2.0, 8.0), (0.5, 1.5)),
    ],
    ids=lambda pair: pair.name,
)
def test_of_other_pairs_the_profile_gives_the_symmetrized_trade_off_function(pair):
    kappa = np.array([1e-4, 0.01, 0.1, 0.4, 0.8])
    found = success(pair, kappa)
    # The trade-off function itself may be a coarser limit: fewer lines, or a grid of losses.
    power = 1 - np.asarray(pair.tradeoff(kappa))
    assert (found <= power * (1 + 1e-9)).all()
    assert found == pytest.approx(power, rel=2e-4)
    # It is a minimum of lines, each of which is an upper limit: none on a fine grid is below.
    epsilon = np.linspace(-12, 12, 20_001)
    lines = np.asarray(pair.profile(epsilon)) + np.exp(epsilon) * kappa[:, None]
    assert (found <= lines.min(axis=1) * (1 + 1e-9)).all()


def test_small_baselines_keep_their_digits_without_a_closed_form():
    # One sampled step, T(Q→P) against Q: e^loss is at most 1 + q(e^{...} − 1), in closed form.
    pair = wb.SubsampledGaussianPair(0.01, 1.0)
    for kappa in (1e-9, 1e-12):
        truth = float(np.exp(pair.log_rates(kappa)[1]))  # in its own tail
        assert at_most(pair, kappa) == pytest.approx(truth, rel=1e-6)
        assert at_most(pair, kappa) >= truth


def test_a_claim_that_allows_less_than_its_pair_promises_less():
    claim = wb.RenyiDP(8, 0.5)
    for kappa in (0.001, 0.1, 0.6):
        of_claim = 1 - float(claim.min_tradeoff(np.array([kappa]))[0])
        assert of_claim <= at_most(claim, kappa) <= of_claim + 1e-9
        assert at_most(claim, kappa) <= at_most(claim.dominating_pair, kappa)


def test_limits_rise_with_the_claim_and_the_baseline():
    kappas = np.geomspace(1e-6, 1, 60)
    for claims in (("gdp(0.5)", "gdp(1)"), ("pure(1)", "pure(2)"), ("zcdp(0.1)", "zcdp(0.5)")):
        low, high = (wb.risk(one, baseline=0.1).curve(kappas).at_most for one in claims)
        assert (low <= high).all()
        assert (np.diff(low) >= 0).all()
        assert (low >= kappas).all()
        assert high[-1] == 1


# -- groups ----------------------------------------------------------------------------------------


def test_groups_multiply_epsilon_and_mu():
    for kappa in (1e-9, 0.01, 0.3):
        for k in (2, 5):
            of_group = at_most("pure(0.3)", kappa, group=k)
            assert of_group <= pure(0.3 * k, kappa) * MOST**k
            if kappa < 0.1:  # beyond, (1 − f)∘(1 − f) allows less than kε-DP
                assert of_group == pytest.approx(pure(0.3 * k, kappa), rel=1e-11)
            assert at_most("gdp(0.3)", kappa, group=k) == pytest.approx(
                at_most(wb.GDP(0.3 * k), kappa), rel=1e-10
            )
            assert at_most("laplace(0.3)", kappa, group=k) == pytest.approx(
                at_most(wb.LaplacePair(0.3 * k), kappa), rel=1e-10
            )


def test_groups_of_approximate_privacy_are_those_of_the_textbook_where_it_is_sharp():
    # (kε, δ (e^{kε} − 1)/(e^ε − 1)): the first line of the trade-off function.
    epsilon, delta, k, kappa = 0.4, 1e-4, 3, 0.001
    delta_k = delta * math.expm1(k * epsilon) / math.expm1(epsilon)
    assert at_most(f"approx({epsilon}, {delta})", kappa, group=k) == pytest.approx(
        approx(k * epsilon, delta_k, kappa), rel=1e-11
    )


def test_the_advantage_of_a_group_is_the_largest_gain():
    for claim in ("approx(0.5, 1e-3)", "gdp(0.4)", "dpsgd(1, 0.1, 10)"):
        for k in (1, 3):
            risk = wb.risk(claim, baseline=0.1, group=k)
            curve = risk.curve(np.linspace(0, 1, 401))
            gain = float((curve.at_most - curve.baseline).max())
            assert gain <= risk.advantage.at_most + 1e-9
            assert gain == pytest.approx(risk.advantage.at_most, abs=5e-3)


# -- what follows ----------------------------------------------------------------------------------


def test_precision_and_odds_follow_by_bayes():
    risk = wb.risk("approx(2, 1e-5)", baseline=0.01, prior=0.2)
    tpr = risk.at_most
    assert risk.precision.at_most == pytest.approx(0.2 * tpr / (0.2 * tpr + 0.8 * 0.01))
    assert risk.odds.at_most == pytest.approx(tpr / 0.01)
    prior, post = 0.2 / 0.8, risk.precision.at_most / (1 - risk.precision.at_most)
    assert post / prior == pytest.approx(risk.odds.at_most)
    guess = wb.risk("pure(1)", baseline=0.25, attack="attribute")
    assert guess.odds.at_most == pytest.approx((guess.at_most / (1 - guess.at_most)) * 3)
    assert guess.precision is None
    assert wb.risk(wb.ApproxDP(0, 0.9), baseline=0.2, attack="attribute").odds.at_most > 40


def test_pure_privacy_limits_the_bayes_factor_by_e_to_the_epsilon_at_every_baseline():
    for kappa in (1e-12, 0.01, 0.3, 0.9):
        assert wb.risk("pure(1.5)", baseline=kappa).odds.at_most <= math.exp(1.5) * MOST


def test_all_attacks_share_one_limit_and_say_what_they_need():
    limits = {wb.risk("gdp(1)", baseline=0.03, attack=name).at_most for name in ATTACKS}
    assert len(limits) == 1
    for name, kind in ATTACKS.items():
        assert kind.name == name
        assert kind.needs.endswith(".")
        assert kind.source


def test_a_risk_at_another_baseline_is_the_same_as_asked_for_it():
    risk = wb.risk("gdp(1)", baseline=0.01, attack="attribute", group=2)
    assert risk.at(0.3).at_most == at_most("gdp(1)", 0.3, group=2)
    assert risk.at(0.3).attack == "attribute"
    frame = risk.curve([0.1, 0.3]).to_frame()
    assert frame["at_most"][1] == risk.at(0.3).at_most
    assert frame["at_least"].isna().all()


def test_words_cells_and_charts():
    risk = wb.risk("gdp(1)", baseline=0.01, prior=0.5)
    row = risk.to_frame().iloc[0]
    assert row["success_at_most"] == risk.at_most
    assert row["precision_at_most"] == risk.precision.at_most
    assert row["claim"] == "gdp(1)"
    assert str(risk) == risk.sentence()
    assert "1 in 100" in risk.sentence()
    assert repr(risk) == "Risk('membership', baseline=0.01, at_most=0.09236)"
    assert "≤ 0.0924" in risk._repr_html_()
    pytest.importorskip("plotly")
    assert risk.figure().layout.title.text == "Success of an attacker"


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"baseline": 0}, "baseline must lie strictly between 0 and 1"),
        ({"baseline": 1.0}, "baseline must lie strictly between 0 and 1"),
        ({"baseline": 0.1, "attack": "singling out"}, "did you mean 'singling-out'"),
        ({"baseline": 0.1, "attack": "attribute", "prior": 0.1}, "is for attack='membership'"),
        ({"baseline": 0.1, "prior": 1.5}, "prior must lie strictly"),
        ({"baseline": 0.1, "group": 0}, "group must be a whole number of at least 1"),
        ({"baseline": 0.1, "group": 1001}, "group must be at most 1,000"),
        ({"baseline": 0.1, "claim": "gdp(2)"}, "the first argument is a claim already"),
    ],
)
def test_arguments_out_of_range_are_refused_with_a_remedy(given, says):
    with pytest.raises(ValueError, match=says):
        wb.risk("gdp(1)", **given)


def test_other_objects_are_refused_with_what_to_give():
    for of in (3, None, [1, 2], wb.mechanism("noisy-max")):
        with pytest.raises(ValueError, match="of an audit give its bound"):
            wb.risk(of, baseline=0.1)
    with pytest.raises(ValueError, match="cannot read the claim"):
        wb.risk("safe", baseline=0.1)
    with pytest.raises(ValueError, match="is a heuristic"):
        wb.risk(wb.LastIteratePair(1.0, 0.1, 10), baseline=0.1)
    with pytest.raises(ValueError, match="nothing is claimed"):
        wb.risk(wb.claims.unclaimed.Unclaimed(0.0), baseline=0.1)
    with pytest.raises(ValueError, match="needs a promise or evidence"):
        wb.Risk("membership", 0.1)
