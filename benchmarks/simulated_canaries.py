"""10,000 simulated canaries in one training: four bounds beside public figures (arXiv 2606.12733).

σ = 3, q = 1/11, 11 steps an epoch, δ = 1e-5. A canary is in by a fair coin; its score is the sum,
over the steps, of the inner products with what is released: a binomial number of inclusions plus
noise for one that is in, noise alone for one that is out. Canaries are independent, as those are
that change one parameter each. Means over five trainings, with their standard error.

"Box" is the bound of two Gaussians with own variances of arXiv 2606.12733: limits for the means and
the variances of P and of Q, four shares of the error, are a box; ε at δ is the smallest over the
box, from the exact hockey-stick divergence of two Gaussians.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.stats import chi2, norm, t

import workbench as wb
from workbench.onerun.tuning import abstentions

HEADING = ("what", "measured", "public figure")
TRAININGS = 5
SIGMA, RATE, PER_EPOCH, CANARIES, DELTA = 3.0, 1 / 11, 11, 10_000, 1e-5
#: Epochs, and the figures to hold against.
PRINTED = {
    20: {"accountant": 1.91, "STEINKE23": 0.44, "box": 1.63, "Gaussian": 1.56, "band": 0.78},
    100: {"accountant": 4.63, "STEINKE23": 1.22, "box": 4.52, "Gaussian": 4.17, "band": 2.06},
    200: {"accountant": 6.91, "STEINKE23": 1.86, "box": 5.79, "Gaussian": 6.32, "band": 3.05},
}
TITLES = {
    "STEINKE23": f"STEINKE23, one of {len(abstentions(CANARIES))} numbers of guesses, paid for",
    "box": "means and variances in a box, two Gaussians",
    "Gaussian": "our Gaussian bound, equal variances",
    "band": "our band over all thresholds",
}
GUARANTEES = {
    "STEINKE23": "simultaneous 95%, fair coins",
    "box": "pointwise 95%, if Gaussian, independent canaries",
    "Gaussian": "pointwise 95%, if Gaussian of equal variance, independent canaries",
    "band": "simultaneous 95%, independent canaries",
}


def one_run(epochs: int, rng: np.random.Generator) -> wb.OneRun:
    """Scores of the canaries of one training."""
    steps = epochs * PER_EPOCH
    included = rng.random(CANARIES) < 0.5
    inclusions = np.where(included, rng.binomial(steps, RATE, CANARIES), 0)
    noise = SIGMA * np.sqrt(steps) * rng.standard_normal(CANARIES)
    return wb.OneRun(inclusions + noise, included)


def bounds(run: wb.OneRun) -> dict[str, float]:
    """Lower bounds on ε at δ by every method."""
    scores = run.as_scores()
    return {
        "STEINKE23": wb.tune_one_run(run, delta=DELTA).simultaneous.value,
        "box": box_epsilon(scores, DELTA),
        "Gaussian": wb.parametric_bound(scores, "gaussian", delta=DELTA).value,
        "band": wb.epsilon_lower_bound(scores, delta=DELTA).value,
    }


def hockey_stick(epsilon: float, m: float, s: float) -> float:
    """H of N(m, s²) from N(0, 1), at e^ε."""
    # P exceeds e^ε Q where a quadratic a x² + b x + c is positive.
    a, b = (1 - 1 / s**2) / 2, m / s**2
    c = -(m**2) / (2 * s**2) - np.log(s) - epsilon
    if abs(a) < 1e-12:
        if abs(b) < 1e-12:
            return max(1 - np.exp(epsilon), 0.0)
        above = -c / b
        tails = norm.sf((above - m) / s), norm.sf(above)
        if b < 0:
            tails = norm.cdf((above - m) / s), norm.cdf(above)
        return float(tails[0] - np.exp(epsilon) * tails[1])
    discriminant = b**2 - 4 * a * c
    if discriminant <= 0:
        return max(1 - np.exp(epsilon), 0.0) if a > 0 else 0.0
    low, high = np.sort((-b + np.array([-1, 1]) * np.sqrt(discriminant)) / (2 * a))
    inside = [norm.cdf((high - m) / s) - norm.cdf((low - m) / s), norm.cdf(high) - norm.cdf(low)]
    if a > 0:
        inside = [
            norm.cdf((low - m) / s) + norm.sf((high - m) / s),
            norm.cdf(low) + norm.sf(high),
        ]
    return float(max(inside[0] - np.exp(epsilon) * inside[1], 0.0))


def epsilon_of(m_p: float, s_p: float, m_q: float, s_q: float, delta: float) -> float:
    """ε at δ of N(m_p, s_p²) and N(m_q, s_q²), the larger of both directions."""

    def direction(m: float, s: float) -> float:
        if hockey_stick(0.0, m, s) <= delta:
            return 0.0
        high = 1.0
        while hockey_stick(high, m, s) > delta:
            high *= 2
        return float(brentq(lambda e: hockey_stick(e, m, s) - delta, 0, high, xtol=1e-6))

    return max(
        direction((m_p - m_q) / s_q, s_p / s_q),
        direction((m_q - m_p) / s_p, s_q / s_p),
    )


def box_epsilon(scores: wb.Scores, delta: float, confidence: float = 0.95) -> float:
    """Lower bound on ε at δ, if both samples are of Gaussians and all scores are independent."""
    share = (1 - confidence) / 4
    sides = []
    for x in (scores.p, scores.q):
        n, spread = x.size, float(x.std(ddof=1))
        half = spread / np.sqrt(n) * float(t.isf(share / 2, n - 1))
        variances = spread**2 * (n - 1) / chi2.isf([share / 2, 1 - share / 2], n - 1)
        sides.append((float(x.mean()) - half, float(x.mean()) + half, *np.sqrt(variances)))
    (low_p, high_p, *deviations_p), (low_q, high_q, *deviations_q) = sides
    # The divergence decreases as the means approach each other.
    distance = max(low_p - high_q, low_q - high_p, 0.0)
    found = [
        minimize(
            lambda s: epsilon_of(distance, s[0], 0.0, s[1], delta),
            start,
            method="Nelder-Mead",
            bounds=[deviations_p, deviations_q],
            options={"xatol": 1e-4 * start[0], "fatol": 1e-4},
        )
        for start in ((deviations_p[1], deviations_q[1]), (deviations_p[0], deviations_q[1]))
    ]
    return float(min(one.fun for one in found))


def mean_and_error(values: Iterable[float]) -> str:
    """Mean of several trials, and the standard error of that mean."""
    found = np.array(list(values))
    if found.size < 2:
        return f"{found.mean():.2f}"
    return f"{found.mean():.2f} ± {found.std(ddof=1) / np.sqrt(found.size):.2f}"


def main() -> list[tuple[str, str, str]]:
    """A line for each number of epochs and each bound."""
    found = []
    for epochs, printed in PRINTED.items():
        rng = np.random.default_rng(epochs)
        trials = [bounds(one_run(epochs, rng)) for _ in range(TRAININGS)]
        accountant = wb.DPSGDPair(SIGMA, RATE, epochs * PER_EPOCH).epsilon(DELTA)
        found.append(
            (f"{epochs} epochs, accountant", f"{accountant:.2f}", f"{printed['accountant']}")
        )
        for name, title in TITLES.items():
            value = mean_and_error(trial[name] for trial in trials)
            found.append(
                (f"{epochs} epochs, {title}", f"{value} ({GUARANTEES[name]})", f"{printed[name]}")
            )
    return found
