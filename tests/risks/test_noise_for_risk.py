"""Noise for a risk or an advantage: it keeps what is asked for, and hardly less noise does not."""

import math

import pytest

import workbench as wb

LESS = 1 - 1e-9


def at_most(pair, kappa, group=1):
    return wb.risk(pair, baseline=kappa, group=group).at_most


RISKS = [(0.1, 0.01), (0.02, 0.01), (0.7, 0.01), (0.9, 0.6), (0.5, 1e-6), (0.9999, 0.999)]


@pytest.mark.parametrize(("risk", "kappa"), RISKS)
@pytest.mark.parametrize("group", [1, 4])
@pytest.mark.parametrize(
    ("noise", "pair"),
    [(wb.gaussian_sigma_for, wb.GaussianPair), (wb.laplace_scale_for, wb.LaplacePair)],
)
def test_the_noise_keeps_the_risk_and_a_little_less_does_not(noise, pair, risk, kappa, group):
    scale = noise(risk=risk, baseline=kappa, group=group)
    assert at_most(pair(1 / scale), kappa, group) <= risk
    # Near 1 a risk resolves noise less well.
    assert at_most(pair(1 / (scale * (1 - 1e-6))), kappa, group) > risk
    assert noise(risk=risk, baseline=kappa, group=group, sensitivity=3) == pytest.approx(3 * scale)


@pytest.mark.parametrize("advantage", [1e-6, 0.1, 0.9])
@pytest.mark.parametrize("group", [1, 3])
def test_noise_for_an_advantage(advantage, group):
    for noise, pair in (
        (wb.gaussian_sigma_for, wb.GaussianPair),
        (wb.laplace_scale_for, wb.LaplacePair),
    ):
        scale = noise(advantage=advantage, group=group)
        kept = wb.risk(pair(1 / scale), baseline=0.1, group=group).advantage.at_most
        less = wb.risk(pair(1 / (scale * 0.999)), baseline=0.1, group=group).advantage.at_most
        assert kept <= advantage * (1 + 1e-8)
        assert less > advantage


def test_closed_forms():
    assert wb.laplace_scale_for(0.5, 2.0) == 4.0
    assert wb.laplace_scale_for(risk=0.2, baseline=0.01) == pytest.approx(1 / math.log(20))
    assert wb.gaussian_mu_for(risk=0.5, baseline=0.5 * math.erfc(1 / math.sqrt(2))) == (
        pytest.approx(1.0, rel=1e-9)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "target",
    [{"risk": 0.05, "baseline": 0.01}, {"risk": 0.3, "baseline": 0.1}, {"advantage": 0.15}],
    ids=str,
)
def test_dp_sgd_keeps_the_target_and_with_less_noise_does_not(target):
    asked = {"sample_rate": 0.02, "steps": 300}
    sigma = wb.noise_multiplier_for(**asked, **target)

    def reached(noise):
        pair = wb.DPSGDPair(noise, 0.02, 300)
        if "advantage" in target:
            return wb.risk(pair, baseline=0.1).advantage.at_most
        return at_most(pair, target["baseline"])

    limit = target.get("risk", target.get("advantage"))
    assert reached(sigma) <= limit * (1 + 1e-11)
    assert reached(sigma * (1 - 1e-5)) > limit


def test_one_step_of_the_whole_data_is_gaussian_noise():
    kept = {"risk": 0.1, "baseline": 0.01}
    sigma = wb.noise_multiplier_for(**kept, sample_rate=1, steps=4)
    assert sigma == pytest.approx(2 * wb.gaussian_sigma_for(**kept))
    substituted = wb.noise_multiplier_for(
        **kept, sample_rate=1, steps=4, neighboring_relation="substitute"
    )
    assert substituted == pytest.approx(2 * sigma)
    assert at_most(wb.DPSGDPair(sigma, 1, 4), 0.01) <= 0.1


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "give epsilon and delta, risk and baseline, or advantage"),
        ({"risk": 0.1}, "risk and baseline, or advantage; got risk=0.1, baseline=None"),
        ({"epsilon": 1.0}, "epsilon and delta belong together"),
        ({"epsilon": 1.0, "delta": 1e-5, "risk": 0.1, "baseline": 0.01}, "and another target"),
        ({"advantage": 0.1, "risk": 0.1, "baseline": 0.01}, "advantage and another target"),
        ({"risk": 0.1, "baseline": 0.1}, "risk must be above the baseline 0.1"),
        ({"risk": 0.1, "baseline": 0.2}, "no noise makes an attacker worse"),
        ({"risk": 1.0, "baseline": 0.2}, "risk must lie strictly between 0 and 1"),
        ({"advantage": 0.0}, "advantage must lie strictly between 0 and 1"),
        ({"epsilon": 1.0, "delta": 1e-5, "group": 2}, "is of a risk or an advantage"),
        ({"risk": 0.1, "baseline": 0.01, "group": 0}, "group must be a whole number"),
    ],
)
def test_no_target_and_two_targets_are_refused(given, says):
    with pytest.raises(ValueError, match=says):
        wb.gaussian_sigma_for(**given)
    with pytest.raises(ValueError, match=says):
        wb.noise_multiplier_for(**given, sample_rate=1, steps=1)


def test_dp_sgd_needs_a_rate_and_steps():
    with pytest.raises(ValueError, match="sample_rate must be given"):
        wb.noise_multiplier_for(risk=0.1, baseline=0.01, steps=1)
    with pytest.raises(ValueError, match="steps must be given"):
        wb.noise_multiplier_for(1.0, 1e-5, 0.1)
    with pytest.raises(ValueError, match="epsilon and another target"):
        wb.laplace_scale_for(1.0, risk=0.1, baseline=0.01)
