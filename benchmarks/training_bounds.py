"""How much of the accountant's μ audits of trained models find: white-box and black-box.

White-box, σ = 1, q = 0.01, 1000 steps: 10^4 Dirac canaries are in one model, and as many or 90,000
others are not, which costs only their scores. The bound is distribution-free and holds for all
thresholds ("band"); the one at a threshold that the accountant's pair alone decides is pointwise.
The accountant's μ is the tight one over error rates of at least 10^-6; 10^4 canaries do not show
rates below 10^-4, so the share of that μ is given too.

Black-box, ε = 10 at δ = 10^-5: 100 digits in each of 100 steps, a blank record with and without,
models of 64-200-10 that start from weights which know the digits. Its first layer has a gradient in
the biases alone. Random initial weights are shown beside.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import workbench as wb
from workbench import training

Row = tuple[str, str, str]

EPSILON, DELTA = 10.0, 1e-5

#: Models with other seeds, for the spread of the white-box bound.
SEEDS = 10


def main() -> list[Row]:
    """Rows: what, measured, target."""
    return [*white_box(), *black_box()]


# -- white-box ------------------------------------------------------------------------------------


def white_box() -> Iterator[Row]:
    digits = training.labeled_data("digits")
    settings = training.DPSGDSettings(
        training.Network((64, 1400, 10)),
        steps=1000,
        sample_rate=0.01,
        noise_multiplier=1,
        expected_batch=100,
        optimizer="sgd",
    )
    alone = training.WhiteBoxOneRun(
        settings, digits.take(slice(0)), SEEDS, canaries=10_000, inclusion=1.0, left_out=90_000
    )
    yield from shares("10^4 canaries in, 90,000 out", alone, "≥ 80%")
    even = replace(alone, left_out=10_000)
    yield from shares("10^4 canaries in, 10^4 out", even, "")
    coins = replace(alone, inclusion=0.5, left_out=0)
    yield from shares("10^4 canaries, in by fair coins", coins, "")


def shares(what: str, audit: training.WhiteBoxOneRun, target: str) -> Iterator[Row]:
    """What each model shows, and what all of them show together."""
    run = training.run_training_audit(audit, seed=0)
    pair = audit.settings.pair
    trials = [audit.collect(run.rows.of_models([model])) for model in range(audit.models)]
    threshold = planned_threshold(pair, trials[0].n_p, trials[0].n_q)
    bands = [wb.mu_lower_bound(scores).value for scores in trials]
    fixed = wb.Pointwise(threshold, "joint")
    planned = [wb.mu_lower_bound(scores, guarantee=fixed).value for scores in trials]
    mu, seen = pair.gdp_mu(), pair.gdp_mu(floor=1e-4)
    seconds = run.cpu_seconds / audit.models
    yield f"white-box, {what}: band", f"{spread(bands, mu)}; {seconds:.1f} CPU s a model", target
    yield f"white-box, {what}: threshold {threshold:.1f}", spread(planned, mu), target
    yield f"white-box, {what}: band, of μ at error rates ≥ 10^-4", spread(bands, seen), ""
    together = wb.mu_lower_bound(audit.collect(run.rows)).value
    shown = f"{together:.3f}, {together / mu:.0%} of {mu:.3f}"
    yield f"white-box, {what}: band of {SEEDS} models together", shown, target


def spread(values: list[float], mu: float) -> str:
    of = [value / mu for value in values]
    reached, above = sum(share >= 0.8 for share in of), sum(share > 1 for share in of)
    return (
        f"median {statistics.median(of):.1%} of {mu:.3f}; {len(of)} models {min(of):.0%} to "
        f"{max(of):.0%}, {reached} reach 80%, {above} above it (5% may be)"
    )


def planned_threshold(pair: wb.Pair, n_p: int, n_q: int) -> float:
    """The threshold with the largest bound for the counts that the pair lets expect."""
    rng = np.random.default_rng(0)
    p, q = pair.draw_p(400_000, rng), pair.draw_q(400_000, rng)

    def bound(threshold: float) -> float:
        tp, fp = round(n_p * (p > threshold).mean()), round(n_q * (q > threshold).mean())
        counted = {"tp": tp, "fn": n_p - tp, "fp": fp, "tn": n_q - fp}
        return wb.mu_from_counts(**counted, interval="clopper-pearson").value

    return max((float(t) for t in np.arange(-1, 1.05, 0.1)), key=bound)


# -- black-box ------------------------------------------------------------------------------------


def black_box() -> Iterator[Row]:
    steps = 100
    noise = wb.noise_multiplier_for(epsilon=EPSILON, delta=DELTA, sample_rate=1, steps=steps)
    settings = training.DPSGDSettings(
        training.Network((64, 200, 10)),
        steps=steps,
        sample_rate=1,
        noise_multiplier=noise,
        expected_batch=100,
        learning_rate=0.1,
        optimizer="sgd",
    )
    worst = training.BlackBox(
        settings,
        training.labeled_data("digits").take(slice(0, 100)),
        10_000,
        record=training.AuditedRecord("blank"),
        initial=training.InitialWeights("pretrained"),
    )
    yield found("worst-case initial weights, 2 × 5000 models", worst, "≥ 50%")
    random = replace(worst, initial=training.InitialWeights(), models=2000)
    yield found("random initial weights, 2 × 1000 models", random, "")


def found(what: str, audit: training.BlackBox, target: str) -> Row:
    run = training.run_training_audit(audit, seed=0)
    scores = audit.collect(run.rows)
    mu = audit.settings.pair.gdp_mu()
    bound = wb.mu_lower_bound(scores).value
    epsilon = wb.epsilon_lower_bound(scores, delta=DELTA).value
    shown = (
        f"μ ≥ {bound:.3f}, {bound / mu:.0%} of {mu:.3f}; ε ≥ {epsilon:.2f} of {EPSILON:g}; "
        f"{run.cpu_seconds:.0f} CPU s"
    )
    return f"black-box, {what}", shown, target
