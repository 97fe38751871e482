"""Audits of local reports: sharp, at their level, and they find a bug that was published."""

import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest

import workbench as wb
from workbench.mechanisms import local_protocol
from workbench.mechanisms.local_protocols.protocols import PROTOCOLS, LocalProtocol

PRIVATE = [name for name in PROTOCOLS if name != "unary-kept-bit"]


def test_the_level_is_exact_for_randomized_response_at_its_edge():
    """All users are named one value, and the right ones are binomial: P[bound above ε] ≤ 5%."""
    used = []
    for k in (2, 10, 100, 1000):
        for epsilon in (0.5, 2.0, 5.0):
            for n in (50, 1000):
                right = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
                counts = np.arange(n + 1)
                masses = binom.pmf(counts, n, right)
                false = 0.0
                for c, mass in zip(counts[::-1].tolist(), masses[::-1].tolist(), strict=True):
                    made = wb.Guesses(n, n, c, values=k)
                    if wb.one_run_bound(made, delta=0.0, method="sharp").value <= epsilon + 1e-9:
                        break
                    false += mass
                assert false <= 0.05
                used.append(false)
    assert max(used) > 0.03


@pytest.mark.statistical
@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("k", [2, 10])
def test_the_level_is_kept_with_sets_and_numbers_that_follow_from_the_reports(name, k):
    """200 audits of 200 users at ε = 1; refused where at most 5% is refuted at 0.1%."""
    protocol = local_protocol(name, values=k, epsilon=1.0)
    false = sum(wb.audit_local_reports(protocol, 200, seed=seed).refuted for seed in range(200))
    assert binomtest(false, 200, 0.05, alternative="greater").pvalue > 1e-3


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("k", [2, 10, 100])
def test_the_bound_comes_close_to_the_claim(name, k):
    """Within 0.15 of ε = 1 with 20,000 users, also where reports speak for many values alike."""
    found = wb.audit_local_reports(local_protocol(name, k, 1.0), 20_000, seed=2)
    assert 0.85 < found.bound.value < 1.05
    assert found.guesses.values == k


def test_naming_one_value_alone_would_not():
    """The optimized unary encoding of 100 values speaks for 27 at once."""
    found = wb.audit_local_reports(local_protocol("optimized-unary", 100, 1.0), 20_000, seed=2)
    assert 15 < found.guesses.top < 40


@pytest.mark.parametrize("epsilon", [0.25, 1.0])
def test_the_published_bug_is_found_and_no_more_is_claimed(epsilon):
    found = wb.audit_local_reports(local_protocol("unary-kept-bit", 10, epsilon), 20_000, seed=3)
    assert found.refuted
    assert epsilon < found.bound.value < math.log(math.exp(epsilon) + 2)
    assert "is refuted" in found.explain()
    assert "refuted" in str(found)
    assert "right" in found._repr_html_()


def test_a_protocol_of_your_own():
    """Reports that shift the value by noise; and one that tells it."""

    def noisy(values, rng):
        return values + rng.laplace(scale=4.0, size=values.size)

    def likely(reports):
        return -np.abs(reports[:, None] - np.arange(5)) / 4

    honest = wb.audit_local_reports(LocalProtocol("noisy", 5, 1.0, noisy, likely), 5000, seed=1)
    assert not honest.refuted
    assert honest.bound.value > 0.4
    told = LocalProtocol("told", 5, 1.0, lambda v, rng: v, lambda r: np.eye(5)[r] * 50)
    assert wb.audit_local_reports(told, 500, seed=1).refuted


def test_scores_that_are_wrong_cost_power_alone():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(10, 10))
    silly = LocalProtocol(
        "silly", 10, 1.0, local_protocol("k-randomized-response", 10, 1.0).report,
        lambda reports: table[np.asarray(reports).ravel()],
    )  # fmt: skip
    false = sum(wb.audit_local_reports(silly, 200, seed=seed).refuted for seed in range(60))
    assert binomtest(false, 60, 0.05, alternative="greater").pvalue > 1e-3
    missing = LocalProtocol(
        "missing", 3, 1.0, lambda v, rng: v, lambda r: np.full((len(r), 3), np.nan)
    )
    assert wb.audit_local_reports(missing, 300, seed=1).bound.value < 0.6


def test_two_values_are_no_memberships():
    found = wb.audit_local_reports(local_protocol("symmetric-unary", 2, 1.0), 500, seed=1)
    assert found.bound.assumption == "independent uniform values"
    assert "one of 2 values" in found.bound.note
    assert found.to_frame().shape[0] == 1


@pytest.mark.statistical
@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("k", [2, 7])
def test_scores_are_the_log_likelihood_of_reports(name, k):
    """Up to a number for each report, by the shares of 50,000 reports of two values."""
    epsilon = 1.0
    protocol = local_protocol(name, k, epsilon)
    of = [protocol.reports_of(np.full(50_000, v), seed=v) for v in (0, 1)]
    rows, where = np.unique(np.concatenate(of), axis=0, return_inverse=True)
    counts = [np.bincount(w, minlength=len(rows)) for w in np.split(where.ravel(), 2)]
    often = (counts[0] > 1000) & (counts[1] > 1000)
    ratio = np.log(counts[0][often] / counts[1][often])
    scores = protocol.scores_of(rows[often])
    stated = scores[:, 0] - scores[:, 1]
    if name == "unary-kept-bit":  # it states what it claims
        assert np.abs(ratio).max() > epsilon * 1.2
    else:
        np.testing.assert_allclose(ratio, stated, atol=0.2)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: local_protocol("rappor2", 5, 1.0), "name must be one of"),
        (lambda: local_protocol("symmetric-unary", 1, 1.0), "at least 2"),
        (lambda: local_protocol("symmetric-unary", 5, -1.0), "epsilon"),
        (lambda: local_protocol("symmetric-unary", 5, 1.0).reports_of([5]), "0 to 4"),
        (lambda: wb.audit_local_reports(local_protocol("symmetric-unary", 5, 1.0), 0), "users"),
        (
            lambda: wb.audit_local_reports(local_protocol("symmetric-unary", 500, 1.0), 10**6),
            "fewer users",
        ),
        (
            lambda: LocalProtocol("x", 3, 1.0, lambda v, r: v, lambda r: r).scores_of([1, 2]),
            "a column for each of 3 values",
        ),
        (
            lambda: LocalProtocol("x", 3, 1.0, lambda v, r: v[:1], lambda r: r).reports_of([1, 2]),
            "a report for each",
        ),
    ],
)
def test_bad_input_says_what_is_wrong_of_protocols(call, said):
    with pytest.raises(ValueError, match=said):
        call()
