"""Error rate and power of a series of audits: `python -m benchmarks.series`.

1000 series of 50 audits each, of mechanisms that just keep their claim: how often is the claim
refuted at all? And of mechanisms that leak more: which share is found, and how would other ways to
spend the error probability do? The run fails if a series refutes a true claim too often, or if
audits at 95% confidence each are not caught with it."""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta

import workbench as wb
from workbench.audits.series.spending import confidence_at
from workbench.bounds.power.power import critical_counts, detector
from workbench.bounds.simultaneous.rank_band import rank_grid
from workbench.claims.base import Claim

AUDITS, REPLICATES, SIZE = 50, 1000, 500
CONFIDENCE = 0.95
SEED = 15


@dataclass(frozen=True)
class Setting:
    """A claim, and a mechanism that is drawn from.

    Attributes
    ----------
    name : str
    claim : Claim
    draw : callable
        (rng, shape) -> scores of members and of non-members, continuous and larger for members.
    """

    name: str
    claim: Claim
    draw: Callable


def gaussian(mu):
    """Scores of N(μ, 1) against N(0, 1)."""
    return lambda rng, shape: (rng.normal(mu, 1, shape), rng.normal(0, 1, shape))


def response(epsilon):
    """Answers of randomized response, ties broken at random."""
    truth = 1 / (1 + math.exp(-epsilon))

    def draw(rng, shape):
        p, q = rng.random(shape) < truth, rng.random(shape) > truth
        return p + 0.5 * rng.random(shape), q + 0.5 * rng.random(shape)

    return draw


NULL = (
    Setting("Gaussian pair, claim gdp(1)", wb.GDP(1), gaussian(1)),
    Setting("randomized response, claim pure(1)", wb.PureDP(1), response(1)),
    Setting("no leak, claim pure(0)", wb.PureDP(0), gaussian(0)),
)


def series_constant(position):
    """The confidence of each audit where nothing is spent: every one at 95%."""
    return CONFIDENCE


def refutations(setting, confidence_of=confidence_at, audits=AUDITS, size=SIZE,
                replicates=REPLICATES, seed=SEED):  # fmt: skip
    """Which audits of simulated series refute the claim, shape (replicates, audits).

    Parameters
    ----------
    setting : Setting
    confidence_of : callable
        Position in the series -> confidence of the audit.
    audits, size, replicates : int
        Audits in a series, scores per group in an audit, and simulated series.
    seed : int
    """
    rng, ranks = np.random.default_rng(seed), rank_grid(size)
    found = np.zeros((replicates, audits), dtype=bool)
    for k in range(1, audits + 1):
        critical = critical_counts(setting.claim.min_tradeoff, size, size, confidence_of(k))
        p, q = setting.draw(rng, (replicates, size))
        thresholds = -np.sort(-q, axis=1)[:, ranks - 1]
        for threshold, enough in zip(thresholds.T, critical, strict=True):
            found[:, k - 1] |= (p > threshold[:, None]).sum(axis=1) >= enough
    return found


def interval(count, n, confidence=0.99):
    """The Clopper–Pearson interval of a rate."""
    tail = (1 - confidence) / 2
    low = beta.ppf(tail, count, n - count + 1) if count else 0.0
    high = beta.ppf(1 - tail, count + 1, n - count) if count < n else 1.0
    return float(low), float(high)


# -- other ways to spend α = 1 − CONFIDENCE ------------------------------------------------------

_KNOWN = np.arange(1, 10**6 + 1, dtype=float)
_LORD = np.log(np.maximum(_KNOWN, 2)) / (_KNOWN * np.exp(np.sqrt(np.log(_KNOWN))))

#: Share of α at position k. The sum of the third sequence beyond 10⁷ is an integral.
SEQUENCES = {
    "1/(k(k+1))": lambda k: 1 / (k * (k + 1)),
    "k^-1.6": lambda k: k**-1.6 / 2.2857656,
    "Javanmard–Montanari": lambda k: _LORD[k - 1] / 12.64510788741652,
    "1/50 each, no further audit": lambda k: 1 / 50,
}


def power_table(sizes=(1000, 2000), claimed=1.0, actual=1.25):
    """Rows (n, k, power by sequence) against a Gaussian leak."""
    for n in sizes:
        for k in (1, 2, 5, 10, 20, 50):
            rates = {
                name: detector(
                    wb.GDP(claimed).min_tradeoff, n, n, 1 - (1 - CONFIDENCE) * share(k), 0
                ).power(wb.GaussianPair(actual).tradeoff)
                for name, share in SEQUENCES.items()
            }
            yield n, k, rates


def main():
    """Measure, print, and say whether the series keep their confidence."""
    wrong = []
    for setting in NULL:
        for name, confidence_of in (("series", confidence_at), ("95% each", series_constant)):
            found = refutations(setting, confidence_of)
            count = int(found.any(axis=1).sum())
            low, high = interval(count, REPLICATES)
            print(f"{setting.name:<36} {name:<10} any false refutation in {count / REPLICATES:.1%} "
                  f"of {REPLICATES} series (99%: {low:.1%} to {high:.1%})")  # fmt: skip
            if name == "series" and low > 1 - CONFIDENCE:
                wrong.append(f"{setting.name}: more than {1 - CONFIDENCE:.0%}")
            if name != "series" and low <= 1 - CONFIDENCE:
                wrong.append(f"{setting.name}: audits at 95% each are not caught")
    for mu in (1.2, 1.3, 1.5):
        leak = Setting("leak", wb.GDP(1), gaussian(mu))
        found = refutations(leak, replicates=200)
        first = np.where(found.any(axis=1), found.argmax(axis=1) + 1, np.inf)
        print(f"leak of μ = {mu} where 1 is claimed, {SIZE} + {SIZE} scores: found by audit 1, 10, "
              f"50 in {', '.join(f'{np.mean(first <= k):.0%}' for k in (1, 10, 50))}; the 50th "
              f"audit alone finds it in {found[:, -1].mean():.0%}")  # fmt: skip
    print("power against μ = 1.25 where 1 is claimed, by audit and sequence")
    for n, k, rates in power_table():
        print(f"  n = {n}, k = {k:>2}: " + ", ".join(f"{s} {r:.0%}" for s, r in rates.items()))
    for text in wrong:
        print(f"FAILED: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
