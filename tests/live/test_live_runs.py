"""Live audits of independent runs: the bounds, the file, bad input."""

import resource
import threading
from contextlib import contextmanager

import numpy as np
import pytest

import workbench as wb

PAIR = wb.GaussianPair(2)


def fed(audit, scores, runs=slice(None)):
    """The audit after some runs, in turn with the record and without it."""
    for p, q in zip(scores.p[runs], scores.q[runs], strict=True):
        audit.add(p, True)
        audit.add(q, False)
    return audit


@pytest.fixture
def scores():
    return PAIR.sample(300, seed=4)


def test_the_bounds_are_those_of_the_same_scores_at_once(scores):
    audit = fed(wb.live.Audit(1e-5), scores)
    assert audit.bound.value == wb.anytime_epsilon(scores, 1e-5).value > 0
    assert audit.mu.value == wb.anytime_mu(scores).value > 0
    assert (audit.bound.guarantee, audit.bound.assumption) == ("anytime", "independent runs")
    path = wb.anytime_path(scores, 1e-5)
    np.testing.assert_array_equal(audit.state.values, path.values)
    assert audit.runs == 600
    assert audit.scores.n_p == 300


def test_the_order_of_the_two_kinds_of_runs_does_not_matter(scores):
    audit = wb.live.Audit(1e-5)
    for q in scores.q[:100]:
        audit.add(q, False)
    for p, q in zip(scores.p[:100], scores.q[100:200], strict=True):
        audit.add(p, True)
        audit.add(q, False)
    assert audit.state.seen == 100
    assert audit.bound.value == fed(wb.live.Audit(1e-5), scores, slice(100)).bound.value


def test_a_claim_is_refuted_for_good_at_the_row_where_the_evidence_is_enough(scores):
    audit = wb.live.Audit(claim="approx(0.5, 1e-5)")
    refuted_at = None
    for k, (p, q) in enumerate(zip(*scores, strict=True), start=1):
        audit.add(p, True)
        audit.add(q, False)
        if refuted_at is None and audit.refuted:
            refuted_at = k
    counts = wb.betting_counts(scores)
    assert refuted_at == counts.evidence(0.5, 1e-5).refuted_at(0.95, 300) is not None
    assert audit.state.refuted_at == refuted_at
    assert "refuted" in audit.state.verdict
    assert not fed(wb.live.Audit(claim=PAIR), scores).refuted


def test_the_file_is_one_of_scores_that_may_also_be_followed(scores, tmp_path):
    path = tmp_path / "scores.csv"
    audit = fed(wb.live.Audit(path=path), scores, slice(50))
    file = wb.GrowingFile(path)
    assert file.new_rows().size == 100  # each row is there when the call returns
    fed(audit, scores, slice(50, 300))
    audit.close()
    read = wb.read_scores(path)
    assert wb.anytime_epsilon(read, 1e-5).value == audit.bound.value
    np.testing.assert_array_equal(read.samples.in_order()[0], scores.p)
    assert file.new_rows().size == 500
    assert audit.name == "scores"


def test_losses_are_turned_in_the_file(tmp_path):
    path = tmp_path / "losses.csv"
    scores = PAIR.sample(300, seed=4)
    audit = wb.live.Audit(path=path, larger_is_member=False)
    for p, q in zip(*scores, strict=True):
        audit.add(-p, True)
        audit.add(-q, False)
    audit.close()
    assert audit.bound.value == wb.anytime_epsilon(scores, 1e-5).value
    assert wb.anytime_epsilon(wb.read_scores(path), 1e-5).value == audit.bound.value


@pytest.mark.parametrize("before", [0, 1, 7, 100])
def test_an_audit_is_resumed_as_if_it_had_not_stopped(scores, tmp_path, before):
    path = tmp_path / "scores.csv"
    with wb.live.Audit(path=path, claim="approx(0.5, 1e-5)") as first:
        fed(first, scores, slice(before))
    second = wb.live.Audit(path=path, claim="approx(0.5, 1e-5)", resume=True)
    assert second.runs == 2 * before
    fed(second, scores, slice(before, 300)).close()
    whole = fed(wb.live.Audit(claim="approx(0.5, 1e-5)"), scores)
    assert second.bound.value == whole.bound.value
    assert second.state.refuted_at == whole.state.refuted_at
    assert wb.read_scores(path).n_p == 300


def test_what_cannot_be_resumed_is_refused(tmp_path):
    path = tmp_path / "scores.csv"
    with pytest.raises(ValueError, match="needs path="):
        wb.live.Audit(resume=True)
    wb.live.Audit(path=path).close()
    with pytest.raises(FileExistsError, match="resume=True"):
        wb.live.Audit(path=path)
    with path.open("a") as file:
        file.write("0.5,1")
    with pytest.raises(wb.ScoresError, match="last line"):
        wb.live.Audit(path=path, resume=True)
    path.write_text("")
    with pytest.raises(wb.ScoresError, match="not a file of a live audit"):
        wb.live.Audit(path=path, resume=True)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(wb.ScoresError, match="not a file of a live audit"):
        wb.live.Audit(path=path, resume=True)
    path.write_text("score,member\n0.1,1\n0.2,maybe\n")
    with pytest.raises(wb.ScoresError, match=r"line 3 of .*maybe"):
        wb.live.Audit(path=path, resume=True)


@contextmanager
def largest_file(size):
    """No file can be written beyond this size, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_costs_the_row_only(scores, tmp_path):
    path = tmp_path / "scores.csv"
    audit = fed(wb.live.Audit(path=path), scores, slice(40))
    written = path.read_bytes()
    with largest_file(len(written) + 4), pytest.raises(OSError, match="File too large"):
        audit.add(0.123456789, True)
    assert path.read_bytes() == written
    assert audit.runs == 80
    audit.add(0.123456789, True)
    audit.close()
    assert path.read_bytes() == written + b"0.123456789,1\n"


def test_bad_input_changes_nothing(scores, tmp_path):
    path = tmp_path / "scores.csv"
    audit = fed(wb.live.Audit(path=path), scores, slice(100))
    before = audit.bound, audit.runs, path.read_bytes()
    for bad, said in (
        ((float("nan"), True), "Do not leave the run out"),
        (("high", True), "score must be a number"),
        ((0.5, "no"), "member must be True or False"),
        ((0.5, True, 7), "run 7 is out of order: the next one is 200"),
        ((0.5, True, 201), "out of order"),
    ):
        with pytest.raises(ValueError, match=said):
            audit.add(*bad)
    assert (audit.bound, audit.runs, path.read_bytes()) == before
    audit.add(0.5, True, 200)
    audit.add(float("inf"), False, run=201)
    audit.close()
    audit.close()
    with pytest.raises(ValueError, match="closed"):
        audit.add(0.5, True)
    assert audit.runs == 202
    assert "closed" in repr(audit)
    assert wb.read_scores(path).n_q == 101


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"delta": 2}, "delta must lie in"),
        ({"confidence": 0.05}, "did you mean 0.95"),
        ({"claim": "approx(1)"}, "approx"),
        ({"claim": "none"}, "none"),
        ({"larger_is_member": "yes"}, "larger_is_member"),
    ],
)
def test_settings_out_of_range_are_named(given, said):
    with pytest.raises(ValueError, match=said):
        wb.live.Audit(**given)


def test_a_claim_of_another_kind_is_named():
    with pytest.raises(ValueError, match="claim must be a claim"):
        wb.live.Audit(claim=1.0)


def test_several_threads_may_feed_one_audit(scores, tmp_path):
    path = tmp_path / "scores.csv"
    audit = wb.live.Audit(path=path)
    parts = [slice(k, 300, 3) for k in range(3)]
    threads = [threading.Thread(target=fed, args=(audit, scores, part)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert audit.runs == 600
    audit.close()
    read = wb.read_scores(path)
    np.testing.assert_array_equal(np.sort(read.p), np.sort(scores.p))
    assert audit.bound.value == wb.anytime_epsilon(read, 1e-5).value


def test_sorted_scores_have_no_valid_bound():
    audit = wb.live.Audit()
    for p, q in zip(np.linspace(1, 3, 40), np.linspace(0, 2, 40), strict=True):
        audit.add(p, True)
        audit.add(q, False)
    assert "sorted by score" in audit.bound.void
    assert any("sorted by score" in note for note in audit.state.notes)
