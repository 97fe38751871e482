"""Logistic noise on a count: P = Logistic(1/s) against Q = Logistic(0), in units of the scale s."""

import numpy as np

import workbench as wb


def logistic(scale):
    """The pair of a count of sensitivity 1 with logistic noise of this scale: (1/s)-DP."""
    mu = 1 / scale

    def tradeoff(alpha):
        # Q(x > t) = α is 1/(1 + e^t), and P(x ≤ t) = 1/(1 + e^(μ − t)).
        return (1 - alpha) / (1 - alpha + np.exp(mu) * alpha)

    def profile(epsilon):
        # The loss exceeds ε above t with e^−t = u; P(x > t) − e^ε Q(x > t), without a difference.
        # expm1, as 1 - exp is 0 just below μ, where δ is not.
        below = -np.expm1((np.minimum(epsilon, mu) - mu) / 2)
        u = below / np.expm1((np.minimum(epsilon, mu) + mu) / 2)
        return np.exp(mu) * u * below / (1 + np.exp(mu) * u)

    def sample(n, rng):
        return rng.logistic(mu, 1, n), rng.logistic(0, 1, n)

    def privacy_loss(score):
        return mu + 2 * (np.logaddexp(0, -score) - np.logaddexp(0, mu - score))

    return wb.Pair.from_functions(
        name=f"Logistic, s = {scale:g}",
        parameters={"scale": scale},
        profile=profile,
        tradeoff=tradeoff,
        sample=sample,
        privacy_loss=privacy_loss,
    )


LOGISTIC = wb.PairKind("Logistic", logistic, {"scale": (0.2, 10)})
