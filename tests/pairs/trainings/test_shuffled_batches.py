"""Shuffled batches: both curves against simulated trainings, their ends, the Poisson accountant."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

import workbench as wb
from workbench.pairs.trainings.largest_sum import LargestSumPair

RELATIONS = ("zero-out", "substitute")


def sums(pair, record, n, seed):
    """Noisy sums of all batches of one epoch, by an actual shuffle of three records a batch."""
    rng = np.random.default_rng(seed)
    values = np.full(3 * pair.batches, -1.0)
    values[0] = record
    drawn = rng.permuted(np.broadcast_to(values, (n, values.size)), axis=1)
    totals = drawn.reshape(n, pair.batches, 3).sum(axis=2)
    return totals + 3 + rng.normal(0, pair.noise_multiplier, totals.shape)


def losses(pair, x):
    """Log likelihood ratio of all sums: the best of all attacks on these data."""
    shift = 1.0 if pair.neighboring_relation == "zero-out" else 0.0
    variance = pair.noise_multiplier**2

    def log_mean(by):
        return np.logaddexp.reduce((2 * by * x - by**2) / (2 * variance), axis=1)

    return log_mean(2.0) - log_mean(shift)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("sigma", "batches"), [(0.6, 4), (1.0, 20), (2.0, 7)])
def test_attacks_on_simulated_epochs_lie_between_both_curves(relation, sigma, batches):
    n = 40_000
    pair = wb.ShuffledPair(sigma, batches, 1, relation)
    without = 0.0 if relation == "zero-out" else -1.0
    x_in, x_out = sums(pair, 1.0, n, 1), sums(pair, without, n, 2)
    alpha = np.array([0.003, 0.03, 0.1, 0.3, 0.6])
    found = {}
    for name, one, other in (
        ("largest", x_in.max(axis=1), x_out.max(axis=1)),
        ("best", losses(pair, x_in), losses(pair, x_out)),
    ):
        cuts = np.quantile(other, 1 - alpha)
        found[name] = (one[:, None] <= cuts).mean(axis=0)
    attack = np.asarray(pair.attack.tradeoff(alpha, symmetric=False))
    # Errors of a rate and of a quantile; a concave curve is at most as steep as (1 − f)/α.
    error = 5 * np.sqrt(0.25 / n) + 5 * np.sqrt(alpha / n) * (1 - attack) / alpha
    upper = np.asarray(pair.tradeoff(alpha))
    assert (found["best"] <= attack + error).all()
    assert (abs(found["largest"] - attack) <= error).all()
    assert (found["best"] >= upper - error).all()
    assert (upper <= attack + 1e-12).all()


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_profile_of_the_best_attack_lies_between_both_curves(relation):
    n = 60_000
    pair = wb.ShuffledPair(0.8, 12, 1, relation)
    loss = losses(pair, sums(pair, 1.0, n, 3))
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        gain = np.maximum(-np.expm1(epsilon - loss), 0.0)
        low, high = pair.profile_interval(epsilon)
        error = 5 * gain.std() / math.sqrt(n)
        forward = pair.attack.hockey_stick(epsilon)
        assert forward - error <= gain.mean() <= high + error
        assert 0 < low <= high


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("batches", [1, 3, 1000, 1_000_000])
def test_the_attack_has_the_events_above_a_threshold(relation, batches):
    """Written out: P[above c] = 1 − Φ(c/σ)^{T−1} Φ((c − 2)/σ), and none beats the curve."""
    pair = wb.ShuffledPair(0.7, batches, 1, relation)
    shift = 1.0 if relation == "zero-out" else 0.0
    c = np.linspace(-2, 6, 4001) / 0.7
    others = ndtr(c) ** (batches - 1)
    p, q = 1 - others * ndtr(c - 2 / 0.7), 1 - others * ndtr(c - shift / 0.7)
    for epsilon in (0.0, 1.0, 3.0):
        best = (p - math.exp(epsilon) * q).max()
        assert pair.attack.hockey_stick(epsilon) == pytest.approx(best, rel=2e-3, abs=1e-9)
        assert pair.profile(epsilon) >= best - 1e-12


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("epochs", [1, 4])
def test_with_one_batch_both_curves_are_gaussian(relation, epochs):
    pair = wb.ShuffledPair(1.5, 1, epochs, relation)
    change = 1.0 if relation == "zero-out" else 2.0
    gaussian = wb.GaussianPair(change * math.sqrt(epochs) / 1.5)
    low, high = pair.epsilon_interval(1e-5)
    assert high == gaussian.epsilon(1e-5)
    assert low == pytest.approx(high, rel=1e-3)
    assert low <= high


def test_epochs_are_composed_and_curves_do_not_cross():
    one, five = wb.ShuffledPair(0.8, 50), wb.ShuffledPair(0.8, 50, 5)
    assert one.compose(5) == five
    assert one.compose(5).epsilon(1e-5) == wb.GaussianPair(math.sqrt(5) / 0.8).epsilon(1e-5)
    delta = np.geomspace(1e-8, 0.5, 20)
    for pair in (one, five):
        low, high = pair.epsilon_interval(delta)
        assert (low <= high).all()
        assert (np.diff(low) <= 1e-9).all()
    assert (five.epsilon_interval(delta)[0] >= one.epsilon_interval(delta)[0]).all()
    scores = five.attack.sample(2000, seed=0)
    band = wb.epsilon_lower_bound(scores, delta=1e-5)
    assert 1.0 < band.value <= five.epsilon_interval(1e-5)[1]
    together = wb.ComposedPair([five, wb.GaussianPair(1.0)])
    assert together.epsilon(1e-5) == pytest.approx(
        wb.GaussianPair(math.hypot(math.sqrt(5) / 0.8, 1.0)).epsilon(1e-5), rel=1e-4
    )


@pytest.mark.parametrize(
    ("sigma", "poisson", "low", "high"),
    [(0.4, 4.089, 13.206, 13.207), (0.6, 0.275, 7.855, 8.004), (0.8, 0.062, 3.836, 5.680)],
)
def test_the_poisson_accountant_is_below_the_lower_curve(sigma, poisson, low, high):
    """10,000 batches at δ = 1e-5: the gap of arXiv 2403.17673."""
    claimed = wb.DPSGDPair(sigma, 1e-4, 10_000).epsilon(1e-5)
    assert claimed == pytest.approx(poisson, abs=1e-3)
    found = wb.ShuffledPair(sigma, 10_000).epsilon_interval(1e-5)
    assert found == (pytest.approx(low, abs=1e-3), pytest.approx(high, abs=1e-3))
    assert claimed < found[0]


def test_with_much_noise_the_attack_says_little_and_the_upper_curve_stays():
    """There the Poisson accountant may be right: nothing here says more than both curves do."""
    pair = wb.ShuffledPair(2.0, 10_000)
    claimed = wb.DPSGDPair(2.0, 1e-4, 10_000).epsilon(1e-5)
    low, high = pair.epsilon_interval(1e-5)
    assert low < claimed < high


def test_scores_of_the_attack_follow_its_distribution():
    pair = LargestSumPair(25, 2.0, 1.0, 0.9)
    rng = np.random.default_rng(4)
    for draw, shift in ((pair.draw_p, 2.0), (pair.draw_q, 1.0)):
        scores = np.sort(draw(20_000, rng))
        cdf = ndtr(scores / 0.9) ** 24 * ndtr((scores - shift) / 0.9)
        # Dvoretzky, Kiefer, Wolfowitz and Massart: one error in 10,000.
        steps = np.arange(scores.size) / scores.size
        assert abs(cdf - steps).max() < math.sqrt(math.log(2e4) / (2 * scores.size)) + 1e-4
    loss = pair.privacy_loss(np.linspace(-2, 8, 50))
    assert np.isfinite(loss).all()
    direct = np.log(_density(np.array([2.5]), 2.0) / _density(np.array([2.5]), 1.0))
    assert pair.privacy_loss(2.5) == pytest.approx(float(direct[0]), abs=0.02)


def _density(c, shift, h=1e-5):
    def cdf(x):
        return ndtr(x / 0.9) ** 24 * ndtr((x - shift) / 0.9)

    return (cdf(c + h) - cdf(c - h)) / (2 * h)


def test_what_the_pair_is():
    pair = wb.ShuffledPair(1.0, 100, 3, "substitute")
    assert pair == wb.ShuffledPair(**pair.parameters)
    assert "100 shuffled batches, 3 epochs, substitute" in pair.name
    assert "1 epoch" in wb.ShuffledPair(1.0, 100).name
    assert not pair.exact
    assert pair.closed_form is None
    assert not pair.heuristic
    assert pair.renyi_divergence(2.0) == pytest.approx(2 * 4 * 3 / 2)
    claim = wb.PairClaim(wb.ShuffledPair(0.8, 50))
    scores = wb.ShuffledPair(0.8, 50).attack.sample(3000, seed=1)
    assert not wb.judge(scores, claim).refuted
    assert wb.judge(scores, wb.DPSGDPair(0.8, 1 / 50, 50)).refuted


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wb.ShuffledPair(0, 10), "noise_multiplier"),
        (lambda: wb.ShuffledPair(1e-3, 10), "noise_multiplier must lie between"),
        (lambda: wb.ShuffledPair(1, 0), "batches"),
        (lambda: wb.ShuffledPair(1, 2.5), "batches"),
        (lambda: wb.ShuffledPair(1, 10, 0), "epochs"),
        (lambda: wb.ShuffledPair(1, 10, 1, "add-remove"), "neighboring_relation must be one of"),
        (lambda: wb.ShuffledPair(1, 10).sample(10), r"sample its attack, pair\.attack"),
        (lambda: wb.ShuffledPair(1, 10).privacy_loss(1.0), "no scores of its own"),
        (lambda: wb.ShuffledPair(1, 10).epsilon_interval(1.5), "delta"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
