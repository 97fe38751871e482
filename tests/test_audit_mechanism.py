"""The audit of a mechanism: what it claims, what it survives, that it says the same anywhere."""

from dataclasses import replace

import numpy as np

import workbench as wb
from workbench.bounds.binomial import clopper_pearson_lower, clopper_pearson_upper
from workbench.testers.allowed import (
    allowed_total_variation,
    claim_parameter,
    parameter_of_total_variation,
)
from workbench.testers.base import Finding, Tester, Witness

PAIR = (np.array([0.0, 1.0]), np.array([0.0]))


class Above(Witness):
    """The event that a number lies above the fitting part's median."""

    def __init__(self, claim, p, q):
        self.claim, self.at = claim, np.median(np.concatenate([p, q]))
        self.promise = abs(np.mean(p > self.at) - np.mean(q > self.at))

    def measure(self, p, q, confidence):
        side = (1 - confidence) / 4  # two directions, two sides

        def at_least(a, b):
            k, m = np.sum(a > self.at), np.sum(b > self.at)
            low = clopper_pearson_lower(k, a.size, side)
            return float(low - clopper_pearson_upper(m, b.size, side))

        tv = max(at_least(p, q), at_least(q, p))
        bound = wb.Bound(
            "total variation", tv, "held-out", "hockey-stick classifier", "independent runs",
            p.size, q.size, confidence,
        )  # fmt: skip
        parameter = parameter_of_total_variation(self.claim, max(tv, 0.0))
        return Finding(bound, self.claim, allowed_total_variation(self.claim), parameter)

    def strength(self, outputs):
        return np.where(outputs > self.at, 1.0, -1.0)


class Threshold(Tester):
    """Quick and simple; the engine needs no more."""

    name = "threshold"

    def refuses(self, claim, example):
        return "it takes numbers of one column" if example.ndim > 1 else None

    def fit(self, p, q, claim, rng):
        return Above(claim, p, q)

    def detectable(self, claim, n_p, n_q, confidence):
        return (claim_parameter(claim) or 0) + 10 / np.sqrt(n_p)


def laplace(dataset, size, rng):
    """The sum of records between 0 and 1: 1-DP."""
    return np.sum(dataset) + rng.laplace(size=size)


def leaky(dataset, size, rng):
    """A tenth of the noise: 10-DP."""
    return np.sum(dataset) + rng.laplace(scale=0.1, size=size)


def audit(mechanism, claim="pure(1)", **settings):
    asked = {"datasets": PAIR, "testers": (Threshold(),), "trials": 3, "samples": 1000} | settings
    return wb.audit_mechanism(mechanism, claim, **asked)


def values(result):
    """All that must not depend on where it was computed."""
    trials = tuple(replace(trial, seconds=0.0) for trial in result.trials)
    return replace(result, trials=trials, seconds=0.0).to_dict()


def test_a_leak_is_found_and_a_private_mechanism_is_not_accused():
    found = audit(leaky)
    assert found.verdict == "violation found"
    assert found.best.finding.parameter > 1
    none = audit(laplace)
    assert none.verdict == "none found"
    assert none.best is not None
    assert "does not show that the mechanism is private" in none.in_words()
