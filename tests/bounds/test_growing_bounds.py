"""Bounds and evidence that are updated: the same as at once, and valid at every look."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workbench as wb
from workbench.bounds.anytime.growing import GrowingCounts, GrowingEvidence, GrowingPath
from workbench.following.evidence import ClaimEvidence, ClaimLines
from workbench.following.following import Following

PAIR = wb.GaussianPair(0.8)
SCORES = PAIR.sample(700, seed=2)


def lines(scores):
    rows = zip(scores.p.tolist(), scores.q.tolist(), strict=True)
    return [json.dumps({"p": a, "q": b}) + "\n" for a, b in rows]


@pytest.mark.exhaustive
@given(cuts=st.lists(st.integers(0, 700), max_size=8))
@settings(max_examples=20, deadline=None)
def test_batch_boundaries_do_not_matter(cuts, tmp_path_factory):
    """Also those of a restart, which reads everything at once."""
    path = tmp_path_factory.mktemp("growing") / "scores.jsonl"
    path.touch()
    claim = wb.parse_claim("gdp(0.3)")
    watched = Following(wb.GrowingFile(path), claim)
    rows, seen = lines(SCORES), []
    ends = sorted(cuts)
    for start, stop in zip([0, *ends], [*ends, 700], strict=True):
        with open(path, "a") as out:
            out.writelines(rows[start:stop])
        while watched.update():
            pass
        seen.append(watched.state)
    anew = Following(wb.GrowingFile(path), claim)
    anew.update()
    for one in (watched.state, anew.state):
        assert one.epsilon.value == wb.anytime_epsilon(SCORES, 1e-5).value
        assert one.mu.value == wb.anytime_mu(SCORES).value
        assert one.total_variation.value == wb.anytime_total_variation(SCORES).value
    # Sums of floats differ in the last digits by how many looks are computed at once.
    assert watched.state.log_e == pytest.approx(anew.state.log_e, rel=1e-12)
    assert watched.state.refuted_at == anew.state.refuted_at
    np.testing.assert_allclose(watched.evidence().log, anew.evidence().log, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(watched.counts().counts, wb.betting_counts(SCORES).counts)
    mine, theirs = watched.path(1e-5, 0.95), wb.anytime_path(SCORES, 1e-5)
    np.testing.assert_array_equal(mine.n_p, theirs.n_p)
    np.testing.assert_array_equal(mine.values, theirs.values)
    assert [one.epsilon.value for one in seen] == sorted(one.epsilon.value for one in seen)


def test_the_e_value_against_an_approximate_claim_is_that_of_the_library():
    evidence = Following(wb.GrowingFile("none.csv"), wb.ApproxDP(0.5, 1e-5))
    evidence._p.append(SCORES.p)
    evidence._q.append(SCORES.q)
    evidence._evidence.advance(evidence._counts.advance(SCORES.p, SCORES.q))
    expected = wb.anytime_e_value(SCORES, 0.5, 1e-5).log
    assert evidence.evidence().log_at(700) == pytest.approx(expected, abs=1e-9)


def test_the_unpaired_scores_wait():
    path = GrowingPath(1e-5)
    bound = path.advance(SCORES.p, SCORES.q[:300]).bound
    assert bound.n_p == bound.n_q <= 300
    assert path.advance(SCORES.p, SCORES.q).bound.value == wb.anytime_epsilon(SCORES, 1e-5).value


def test_an_update_takes_only_the_new_rows(monkeypatch):
    counts, taken = GrowingCounts(), []
    add = counts._tally.add
    monkeypatch.setattr(counts._tally, "add", lambda p, q: taken.append(p.size) or add(p, q))
    for n in (100, 400, 410, 700):
        counts.advance(SCORES.p[:n], SCORES.q[:n])
    assert taken == [100, 300, 10, 290]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", ["approx(0.8, 1e-5)", "pure(0.7)", "gdp(0.8)", "zcdp(0.32)"])
def test_the_lines_of_a_claim_allow_what_the_claim_allows_and_no_more(text):
    """P(S) ≤ s·Q(S) + δ for every set S: δ is the largest hockey-stick divergence at log s."""
    claim = wb.parse_claim(text)
    found = ClaimLines.of(claim)
    for slope, intercept in set(zip(found.slopes, found.intercepts, strict=True)):
        delta = claim.max_delta(abs(float(np.log(slope))))
        expected = delta if slope >= 1 else 1 - slope + slope * delta
        assert intercept == pytest.approx(expected, abs=1e-9)
    levels = 2.0 ** -np.arange(1, 17)
    allowed = found.slopes * levels + found.intercepts
    if text == "gdp(0.8)":  # tangents of the trade-off curve
        np.testing.assert_allclose(allowed, 1 - claim.tradeoff(levels), rtol=2e-3)


@pytest.mark.statistical
@pytest.mark.parametrize("text", ["approx(1, 0)", "gdp(1)"])
def test_a_true_claim_is_announced_in_at_most_five_percent_of_streams(text):
    """The streams are looked at after every batch, and announced at the first refutation.

    The pair meets the claim with equality. A test of the same claim at one threshold, of the level
    that it has at each look alone, announces far more often.
    """
    claim, runs = wb.parse_claim(text), 200
    pair, lines_of_claim = claim.dominating_pair, ClaimLines.of(claim)
    slope = np.exp(1.0) if text == "approx(1, 0)" else 1.0
    announced = by_level = 0
    for seed in range(runs):
        scores = pair.sample(1000, seed=seed)
        counts, evidence = GrowingCounts(), GrowingEvidence(lines_of_claim)
        for n in range(40, 1001, 40):
            evidence.advance(counts.advance(scores.p[:n], scores.q[:n]))
        found = ClaimEvidence(claim, *evidence.path)
        announced += found.refuted_at(0.95, 1000) is not None
        middle = 0.5 * (max(scores.p.max(), scores.q.max()) + min(scores.p.min(), scores.q.min()))
        t = middle if text == "approx(1, 0)" else 0.5
        n = np.arange(1, 1001)
        a, b = (np.cumsum(x > t) / n for x in (scores.p, scores.q))
        allowed = claim.max_delta(float(np.log(slope)))
        spread = np.sqrt((a * (1 - a) + slope**2 * b * (1 - b)) / n)
        z = (a - slope * b - allowed)[39::40] / spread[39::40]
        by_level += bool(np.any(z > 1.645))
    assert announced <= 0.05 * runs
    assert by_level > 0.15 * runs


def test_a_false_claim_is_announced_at_the_same_row_for_good(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(lines(SCORES)))
    following = Following(wb.GrowingFile(path), wb.parse_claim("gdp(0.1)"))
    following.update()
    first = following.state.refuted_at
    assert 32 < first < 700
    with open(path, "a") as out:
        out.writelines(lines(wb.Scores(SCORES.q, SCORES.p)))  # speaks for the claim
    following.update()
    assert following.state.refuted_at == first


def test_rows_sorted_by_score_refute_nothing(tmp_path):
    path = tmp_path / "a.jsonl"
    ordered = wb.Scores(np.sort(SCORES.p), np.sort(SCORES.q))
    path.write_text("".join(lines(ordered)))
    following = Following(wb.GrowingFile(path), wb.parse_claim("gdp(0.1)"))
    following.update()
    assert following.state.refuted_at is None
    assert "sorted by score" in following.state.notes[-1]
    assert following.state.epsilon.void


def test_follow_ends_when_the_file_stops_and_says_why(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(lines(SCORES)))
    states = wb.follow(path, every=0.01)
    assert next(states).rows == 1400
    path.write_text("")
    last = next(states)
    assert "became shorter" in last.stopped
    assert next(states, None) is None
