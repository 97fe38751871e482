"""The bound of two Gaussians with own variances (arXiv 2606.12733), for comparison.

Limits for the means and the variances of P and of Q, four shares of the error, are a box; ε at δ is
the smallest over the box, from the exact hockey-stick divergence of two Gaussians.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.stats import chi2, norm, t

import workbench as wb


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
