"""The largest ε that runs prove: its level, its constant, and that no claim decides it."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

import workbench as wb
from workbench.bounds.counts.counts import Counts
from workbench.claims.unclaimed import Unclaimed
from workbench.mechanisms.gallery import mechanism
from workbench.testers.learning.sequences import learn_sequences
from workbench.testers.mechanism_audit import MechanismAudit
from workbench.testers.property_testers.event_tester import SHARE_OF_LARGEST, EventWitness
from workbench.testers.property_testers.events import Candidates, refute
from workbench.testers.property_testers.hockey_stick import HockeyStickTester
from workbench.testers.report import LARGEST

TESTERS = ("hockey-stick", "renyi", "mmd", "histogram")

#: Claims from nothing to far beyond what is measurable, and none.
CLAIMS = ("pure(0.5)", "pure(1.5)", "pure(3)", "pure(30)", None)


def laplace(rng, n, epsilon=1.0):
    return rng.laplace(epsilon, 1, n), rng.laplace(0, 1, n)


def prefix_sums(rng, n, epsilon=0.1):
    """Running sums of ten noisy counts, of which all are 1 on one side and 0 on the other."""
    noise = rng.laplace(0, 1 / epsilon, (2, n, 10))
    return np.cumsum(1 + noise[0], axis=1), np.cumsum(noise[1], axis=1)


# -- what is answered -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", TESTERS)
def test_the_answer_is_a_bound_on_epsilon(name):
    rng = np.random.default_rng(0)
    finding = wb.find_violation(*laplace(rng, 20_000), tester=name)
    bound = finding.bound
    assert 0.5 < bound.value < 1
    assert bound.value == finding.parameter
    assert (bound.quantity, bound.at.delta, bound.guarantee) == ("epsilon", 0.0, "held-out")
    assert bound.confidence == 0.95
    assert finding.allowed == math.inf
    assert not finding.violation
    assert wb.test_samples(*laplace(np.random.default_rng(0), 20_000), tester=name) == bound


def test_at_a_delta():
    rng = np.random.default_rng(1)
    p, q = rng.normal(1, 1, 40_000), rng.normal(0, 1, 40_000)
    found = [wb.find_violation(p, q, delta=delta).bound for delta in (0.1, 1e-2, 1e-5)]
    values = [bound.value for bound in found]
    assert values == sorted(values)
    for bound, delta in zip(found, (0.1, 1e-2, 1e-5), strict=True):
        assert bound.at.delta == delta
        assert bound.value < wb.GaussianPair(1).epsilon(delta)
    with pytest.raises(ValueError, match="infinite Rényi"):
        wb.find_violation(p, q, tester="renyi", delta=0.01)


def test_delta_and_a_claim_are_refused():
    with pytest.raises(ValueError, match="without a claim"):
        wb.find_violation(np.ones(50), np.ones(50), "pure(1)", delta=0.1)
    with pytest.raises(ValueError, match="delta"):
        wb.find_violation(np.ones(50), np.ones(50), delta=1.0)


def test_a_claim_of_the_mechanism_is_the_default():
    card = mechanism("randomized-response")
    own = wb.audit_mechanism(card, datasets=card.pair, trials=1, samples=2000)
    assert own.claim == card.claim
    assert own.verdict == "none found"
    free = wb.audit_mechanism(card, datasets=card.pair, trials=1, samples=2000, delta=0.0)
    assert free.claim == Unclaimed(0.0)
    assert free.verdict == LARGEST
    assert 0.6 < free.largest.value < 1


def test_an_audit_without_a_claim():
    def noisy(dataset, size, rng):
        return dataset.sum() + rng.laplace(0, 1, size)

    audit = wb.audit_mechanism(noisy, trials=3, samples=10_000, anytime=True)
    assert (audit.verdict, audit.violation, len(audit.trials)) == (LARGEST, False, 3)
    assert audit.in_words().startswith(f"ε ≥ {audit.largest.rounded} at δ = 0 (held-out, 95%")
    assert audit.largest.confidence == 0.95
    assert audit.best.finding.bound.confidence == pytest.approx(1 - 0.05 / 12)
    assert "without a claim" in audit.explain()
    assert "delta=0.0" in audit.code
    assert 0 < audit.least_detectable() < 0.2
    assert audit.too_weak(0.5) is None
    assert "too weak" in audit.too_weak(1e-3)
    again = MechanismAudit.from_dict(audit.to_dict())
    assert again.claim == audit.claim
    assert again.in_words() == audit.in_words()
    replay = audit.replay()
    assert replay.in_words().startswith("measured again on fresh samples: ε ≥ ")
    assert 0.5 < replay.finding.bound.value < 1
    assert "Nothing is claimed" in str(audit.figure().layout.meta or audit.plot())


# -- no claim decides what is reported -------------------------------------------------------------


def test_a_high_claim_does_not_hide_what_is_measured():
    """Of the same samples: 0.395 at claim 0.3 became 0 at claim 0.5."""
    p, q = prefix_sums(np.random.default_rng(3), 60_000)
    found = {
        claim: wb.find_violation(p, q, claim).parameter
        for claim in ("pure(0.3)", "pure(0.5)", "pure(0.9)", "pure(3)", None)
    }
    free = found[None]
    assert 0.4 < free < 1
    assert all(value > 0.75 * free for value in found.values()), found
    assert found["pure(0.9)"] > 0.9 * free
    assert found["pure(3)"] > 0.9 * free


@pytest.mark.parametrize("name", TESTERS)
def test_every_tester_reports_as_much_whatever_is_claimed(name):
    p, q = laplace(np.random.default_rng(4), 40_000)
    found = [wb.find_violation(p, q, claim, name).parameter for claim in CLAIMS]
    assert min(found) > 0.85 * max(found), found
    assert max(found) < 1


def test_two_events_share_the_error(monkeypatch):
    """Where it is in doubt whether the claim falls; the shares add up to the whole."""
    asked = []
    counted = EventWitness._counted

    def noting(self, ratio, event, p, q, confidence):
        asked.append(confidence)
        return counted(self, ratio, event, p, q, confidence)

    monkeypatch.setattr(EventWitness, "_counted", noting)
    rng = np.random.default_rng(5)
    p, q = laplace(rng, 2000)
    kinds = set()
    for claim in ("pure(0.1)", "pure(0.95)", "pure(1.05)", "pure(1.2)", "pure(30)", None):
        asked.clear()
        finding = wb.find_violation(p, q, claim)
        assert math.fsum(1 - c for c in asked) == pytest.approx(0.05, rel=1e-12)
        assert finding.bound.confidence == 0.95
        kinds.add(len(asked))
        if len(asked) == 2:
            assert 1 - asked[1] == pytest.approx(0.05 * SHARE_OF_LARGEST)
    assert kinds == {1, 2}


# -- the level -------------------------------------------------------------------------------------

#: (fresh draws of both sides, the true ε)
TRUE = {
    "laplace": (lambda rng, n: laplace(rng, n, 0.5), 0.5),
    "randomized response": (lambda rng, n: (rng.random(n) < 0.6, rng.random(n) < 0.4),
                            math.log(1.5)),
    "svt1": (lambda rng, n: tuple(
        mechanism("svt1")(d, n, rng) for d in mechanism("svt1").pair), 1.0),
}  # fmt: skip


@pytest.mark.statistical
@pytest.mark.parametrize(("name", "runs"), [("laplace", 450), ("randomized response", 450),
                                            ("svt1", 100)])  # fmt: skip
def test_the_largest_epsilon_exceeds_the_true_one_at_most_as_often_as_stated(name, runs):
    """1000 audits in all at 95%; fails at 1% significance."""
    draw, truth = TRUE[name]
    over = 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, 29])
        p, q = draw(rng, 300)
        tester = ("histogram", "hockey-stick")[seed % 2 or p.ndim - 1]  # the first has one column
        over += wb.find_violation(p, q, tester=tester, seed=rng).parameter > truth
    assert binomtest(over, runs, 0.05, "greater").pvalue > 0.01


def exact_level(error, n=60, rate=0.75):
    """Probability that the bound exceeds ε, over all counts of one event of randomized response."""
    from scipy.stats import binom

    candidates = Candidates(np.array([0.5]), np.array([n * 3 // 4]), np.array([n // 4]), n, n)
    event = candidates.largest(Unclaimed(), n, n).event
    true = math.log(rate / (1 - rate))
    shares = [binom.pmf(np.arange(n + 1), n, r) for r in (rate, 1 - rate)]
    total = 0.0
    for tp in range(n + 1):
        for fp in range(n + 1):
            mass = shares[0][tp] * shares[1][fp]
            if mass < 1e-6:
                continue
            counts = Counts(tp=tp, fp=fp, tn=n - fp, fn=n - tp)
            found = refute(Unclaimed(), event, counts, 1 - error, "held-out event")
            total += mass * (found.parameter > true)
    return total


def test_the_constant_of_the_bound():
    """Summed over all counts: it is the stated error, neither half nor twice of it."""
    assert 0.025 < exact_level(0.05) <= 0.05


# -- sequences -------------------------------------------------------------------------------------


def test_differences_of_running_sums_are_learned():
    p, q = prefix_sums(np.random.default_rng(6), 8000)
    linear, pieces = learn_sequences(p[:4000], q[:4000])
    exact = [
        0.1 * np.sum(np.abs(steps) - np.abs(steps - 1), axis=1)
        for steps in (np.diff(x[4000:], axis=1, prepend=0.0) for x in (p, q))
    ]
    truth = np.concatenate(exact)

    def correlation(ratio):
        return np.corrcoef(np.concatenate([ratio(p[4000:]), ratio(q[4000:])]), truth)[0, 1]

    assert correlation(pieces) > 0.8
    assert correlation(pieces) > correlation(linear) + 0.05


def test_numbers_among_flags_share_one_feature():
    """The released value of a sequence that stops: its size matters, wherever it stands."""
    rng = np.random.default_rng(7)

    def stopped(shift, n):
        x = np.full((n, 6), np.nan)
        x[np.arange(n), rng.integers(0, 6, n)] = rng.normal(shift, 1, n)
        return x

    (ratio,) = learn_sequences(stopped(0.5, 4000), stopped(0.0, 4000))
    fresh = stopped(0.0, 500)
    assert np.corrcoef(ratio(fresh), np.nansum(fresh, axis=1))[0, 1] > 0.9
    assert ratio(np.full((2, 6), np.nan)).shape == (2,)
    assert np.isfinite(ratio(np.full((2, 6), np.inf))).all()


def test_many_columns_are_left_to_others():
    rng = np.random.default_rng(8)
    wide = rng.normal(size=(300, 300))
    assert learn_sequences(wide, wide) == []


def test_the_tester_finds_running_sums():
    """The sum over ten components; trees and single columns show 0.2 at more runs than these."""
    p, q = prefix_sums(np.random.default_rng(9), 40_000)
    witness = HockeyStickTester().fit(p[:8000], q[:8000], Unclaimed(), np.random.default_rng(0))
    assert witness.measure(p[8000:], q[8000:], 0.95).bound.value > 0.35
