"""Limits for all records: as those of each record alone, at its share of the error budget."""

import numpy as np
import pytest

import workbench as wb
from workbench.progress import Cancelled
from workbench.tables.bounds.each_record import holm

DELTA = 1e-5


def leaking(models=128, records=30, leaks=3, mu=4.0, seed=0, **rest):
    rng = np.random.default_rng(seed)
    member = rng.random((models, records)) < 0.5
    scores = rng.normal(size=member.shape) + mu * member * (np.arange(records) < leaks)
    return wb.ScoreTable(scores, member, **rest)


def test_a_limit_is_the_band_of_the_record_at_its_share_of_the_budget():
    table = leaking()
    limits = table.each_record(DELTA)
    for record in range(5):
        alone = wb.tradeoff_band(table.record(record), 1 - 0.05 / 30).epsilon(DELTA)
        # The band inverts its three most promising ranks only.
        assert limits.values[record] >= alone.value - 1e-3
        assert limits.values[record] <= alone.value + 0.02
    assert limits.values[3:].max() == 0
    assert set(limits.order[:3]) == {0, 1, 2}
    assert (np.diff(limits.values[limits.order]) <= 0).all()


def test_a_limit_refutes_at_its_level_and_hardly_more():
    limits = leaking().each_record(DELTA)
    share = 0.05 / 30
    at = limits.values[0]
    assert limits.p_values(at)[0] <= share
    assert limits.p_values(at + 0.02)[0] > share


@pytest.mark.parametrize("direction", [True, False])
def test_counts_are_those_of_a_plain_loop(direction):
    table = leaking(models=40, records=7, larger_is_member=direction)
    for group in table.each_record(DELTA).counts.groups:
        for record, counts in zip(group.records, group.counts, strict=True):
            inside = table.member[:, record]
            p, q = table.matrix[inside, record], np.sort(table.matrix[~inside, record])[::-1]
            assert (p.size, q.size) == (group.n_p, group.n_q)
            assert counts.tolist() == [int((p > q[k - 1]).sum()) for k in group.ranks]


def test_the_area_under_the_curve_counts_pairs():
    table = leaking(models=40, records=7)
    auc = table.each_record(DELTA).counts.auc
    inside = table.member[:, 2]
    p, q = table.matrix[inside, 2], table.matrix[~inside, 2]
    assert auc[2] == pytest.approx((p[:, None] > q).mean())


def test_missing_cells_are_left_out_and_their_scores_not_looked_at():
    whole = leaking(models=40, records=6)
    present = np.random.default_rng(1).random(whole.member.shape) < 0.9
    scores = np.where(present, whole.scores, np.nan)
    table = wb.ScoreTable(scores, whole.member & present, present=present)
    other = wb.ScoreTable(np.where(present, scores, 99.0), table.member, present=present)
    assert (table.n_in + table.n_out).tolist() == present.sum(axis=0).tolist()
    assert table.record(0).n_q == table.n_out[0]
    group = table.each_record(DELTA).counts.groups[0]
    record = group.records[0]
    q = np.sort(scores[present[:, record] & ~table.member[:, record], record])[::-1]
    p = scores[table.member[:, record], record]
    assert group.counts[0].tolist() == [int((p > q[k - 1]).sum()) for k in group.ranks]
    assert other.each_record(DELTA).values.tolist() == table.each_record(DELTA).values.tolist()


def test_nan_is_the_most_member_like_outcome():
    member = np.arange(60)[:, None] % 2 == 0
    shown = wb.ScoreTable(np.where(member, np.nan, 0.0), member, sampling="independent runs")
    hidden = wb.ScoreTable(np.where(member, 0.0, np.nan), member, sampling="independent runs")
    assert shown.each_record(DELTA).values[0] > 1
    assert hidden.each_record(DELTA).values[0] == 0


def test_ties_are_no_evidence():
    member = np.random.default_rng(0).random((200, 50)) < 0.5
    table = wb.ScoreTable(np.zeros(member.shape), member)
    limits = table.each_record(DELTA)
    assert limits.values.max() == 0
    assert abs(np.nanmean(limits.counts.auc) - 0.5) < 0.02


def test_the_order_of_the_models_does_not_matter():
    table = leaking(models=60, records=8)
    order = np.random.default_rng(2).permutation(60)
    shuffled = table.of_models(order)
    assert shuffled.each_record(DELTA).values.tolist() == table.each_record(DELTA).values.tolist()


def test_distribution_counts_records_at_each_limit():
    limits = leaking().each_record(DELTA)
    values, least = limits.distribution
    for value, n in zip(values, least, strict=True):
        assert n == (limits.values >= value).sum()


def test_holm_is_the_textbook_procedure():
    p = np.array([0.01, 0.04, 0.03, 0.005, 1.0])
    assert holm(p, 4, 0.05).tolist() == [True, False, False, True, False]
    assert holm(np.full(3, 1e-9), 3, 0.05).all()
    assert not holm(np.ones(3), 3, 0.05).any()


def test_at_least_is_more_than_the_limits_show_together():
    limits = leaking(records=500, leaks=40).each_record(DELTA)
    assert (limits.values > 1.5).sum() <= limits.at_least(1.5) <= 40


def test_progress_rises_and_cancels():
    seen = []

    def report(fraction=None, message=None, partial=None):
        seen.append(fraction)
        if len(seen) > 1:
            raise Cancelled

    with pytest.raises(Cancelled):
        leaking().each_record(DELTA, progress=report)
    assert seen == sorted(seen)


def test_a_frame_has_the_records_in_order():
    table = leaking(records=5, leaks=1)
    named = wb.ScoreTable(
        table.scores, table.member, records=list("abcde"), attributes={"class": np.arange(5)}
    )
    frame = named.each_record(DELTA).to_frame()
    assert frame["record"].iloc[0] == "a"
    assert frame["class"].iloc[0] == 0
    assert "ε ≥" in named.each_record(DELTA)._repr_html_()


def test_records_in_all_models_or_in_none_are_left_out():
    table = leaking(models=40, records=6, leaks=2)
    member = table.member.copy()
    member[:, 4], member[:, 5] = True, False
    limits = wb.ScoreTable(table.scores, member).each_record(DELTA)
    assert np.isnan(limits.estimates[4:]).all()
    assert limits.values[4:].tolist() == [0, 0]
    assert limits.p_values(0)[4:].tolist() == [1, 1]
    with pytest.raises(wb.ScoresError, match="none of the 2 records is in at least two"):
        wb.ScoreTable(table.scores[:, :2], member[:, 4:]).each_record(DELTA)


def test_the_worst_record_is_one_question_at_its_share_of_the_budget():
    table = leaking()
    worst, limits = table.worst_record(DELTA, method="simultaneous"), table.each_record(DELTA)
    alone = [
        wb.epsilon_lower_bound(table.record(r), DELTA, 1 - 0.05 / 30, "one question").value
        for r in range(3)
    ]
    assert worst.value == pytest.approx(max(alone), abs=0.02)
    assert worst.value > 1.03 * limits.values.max()


def test_the_worst_record_keeps_its_level():
    """Of 100 tables without a leak, more than 12 bounds above 0 have a chance below 0.2%."""
    false = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        member = rng.random((64, 40)) < 0.5
        table = wb.ScoreTable(rng.normal(size=member.shape), member)
        false += table.worst_record(0.0, method="simultaneous").value > 0
    assert false <= 12
