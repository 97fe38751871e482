"""Overlap of attacks against direct counts, and limits from several attacks together."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import workbench as wb


def table(leak, name, models=64, records=40, seed=0):
    """Records of which those in ``leak`` have scores that are 6 larger with them."""
    rng = np.random.default_rng(0)
    member = rng.random((models, records)) < 0.5
    scores = np.random.default_rng(seed).normal(size=member.shape)
    scores[:, leak] += 6 * member[:, leak]
    return wb.ScoreTable(scores, member, name=name)


def three():
    return [
        table([0, 1, 2, 3], "a", seed=1),
        table([2, 3, 4], "b", seed=2),
        table([3, 9], "c", seed=3),
    ]


@pytest.mark.parametrize("threshold", ["pooled", "each record"])
def test_each_attack_finds_what_leaks(threshold):
    overlap = wb.compare_attacks(three(), fpr=0.05, threshold=threshold)
    assert overlap.names == ("a", "b", "c")
    found = [set(np.flatnonzero(row)) for row in overlap.found]
    assert found == [{0, 1, 2, 3}, {2, 3, 4}, {3, 9}]
    assert overlap.numbers.tolist() == [4, 3, 2]
    for (i, one), (j, other) in itertools.product(enumerate(found), repeat=2):
        assert overlap.jaccard[i, j] == len(one & other) / len(one | other)
    assert dict(overlap.intersections) == {
        (): 34,
        ("a",): 2,
        ("a", "b"): 1,
        ("a", "b", "c"): 1,
        ("b",): 1,
        ("c",): 1,
    }
    assert overlap.intersections[0] == ((), 34)


def test_the_pooled_threshold_against_a_direct_count():
    tables = three()
    scores, member = tables[0].scores, tables[0].member
    overlap = wb.compare_attacks(tables, fpr=0.013)
    # The smallest score that at most this share of the non-members exceeds.
    out = np.sort(scores[~member])
    threshold = next(t for t in out if (out > t).mean() <= 0.013)
    for r in range(40):
        expected = (scores[member[:, r], r] > threshold).mean()
        assert overlap.true_positive_rates[0, r] == pytest.approx(expected, abs=1e-15)


def test_the_threshold_of_a_record_against_a_direct_count():
    tables = three()
    scores, member = tables[1].scores, tables[1].member
    overlap = wb.compare_attacks(tables, fpr=0.1, threshold="each record")
    for r in range(40):
        out = np.sort(scores[~member[:, r], r])[::-1]
        rank = next(k for k in range(out.size, 0, -1) if k / (out.size + 1) <= 0.1)
        expected = (scores[member[:, r], r] > out[rank - 1]).mean()
        assert overlap.true_positive_rates[1, r] == pytest.approx(expected, abs=1e-15)


def test_the_false_positive_rate_of_each_record_is_kept_on_average():
    rng = np.random.default_rng(5)
    member = rng.random((40, 4000)) < 0.5
    null = wb.ScoreTable(rng.normal(size=member.shape), member)
    overlap = wb.compare_attacks({"x": null, "y": null}, fpr=0.1, threshold="each record")
    # P = Q: the true positive rate is the false positive rate; mean of 4000, sd about 0.09.
    assert np.nanmean(overlap.true_positive_rates) <= 0.1 + 3 * 0.09 / np.sqrt(4000)
    assert np.nanmean(overlap.true_positive_rates) >= 0.05


def test_losses_missing_cells_and_nan():
    one = three()[0]
    losses = wb.ScoreTable(-one.scores, one.member, larger_is_member=False)
    overlap = wb.compare_attacks({"scores": one, "losses": losses}, fpr=0.05)
    np.testing.assert_array_equal(*overlap.true_positive_rates)
    # Cells that are not there count neither as members nor as others.
    present = np.random.default_rng(3).random(one.member.shape) < 0.8
    scores = np.where(present, one.scores, 50)
    some = wb.ScoreTable(scores, one.member & present, present=present)
    rate = wb.compare_attacks({"x": some, "y": one}, fpr=0.05).true_positive_rates[0]
    out = np.sort(one.scores[present & ~one.member])
    threshold = out[out.size - 1 - int(0.05 * out.size)]
    inside = np.where(present & one.member, one.scores, np.nan)
    expected = np.nansum(inside > threshold, axis=0) / (present & one.member).sum(axis=0)
    np.testing.assert_allclose(rate, expected, atol=1e-15)
    # A NaN that is there is the most member-like score.
    scores = np.array(one.scores)
    scores[one.member[:, 20], 20] = np.nan
    rate = wb.compare_attacks({"x": wb.ScoreTable(scores, one.member), "y": one}, fpr=0.05)
    assert rate.true_positive_rates[0, 20] == 1


def test_blocks_change_nothing(monkeypatch):
    whole = wb.compare_attacks(three(), fpr=0.1, threshold="each record")
    monkeypatch.setattr("workbench.tables.attacks.overlap._BLOCK", 64 * 7)
    parts = wb.compare_attacks(three(), fpr=0.1, threshold="each record")
    np.testing.assert_array_equal(whole.true_positive_rates, parts.true_positive_rates)


def test_the_share_of_models_decides():
    overlap = wb.compare_attacks(three(), fpr=0.05, share=0.01)
    everything = wb.compare_attacks(three(), fpr=0.05, share=1.0)
    assert (overlap.numbers > everything.numbers).all()


def test_a_frame_has_one_row_for_each_record():
    frame = wb.compare_attacks(three(), fpr=0.05).to_frame()
    assert list(frame) == ["record", "a", "b", "c", "found_by"]
    assert frame["found_by"].tolist()[:10] == [1, 1, 2, 3, 1, 0, 0, 0, 0, 1]


def test_limits_of_several_attacks_divide_the_error():
    tables = three()
    together = wb.compare_attacks(tables, fpr=0.05).each_record(delta=1e-5, confidence=0.95)
    alone = [t.each_record(delta=1e-5, confidence=1 - 0.05 / 3).values for t in tables]
    np.testing.assert_array_equal(together.values, np.max(alone, axis=0))
    assert together.best[9] == "c"
    assert together.best[20] == ""
    assert together.refuted(0.5).sum() == 6
    assert set(together.order[:6]) == {0, 1, 2, 3, 4, 9}


def test_a_list_from_all_attacks_averages_their_e_values():
    tables = three()
    together = wb.compare_attacks(tables, fpr=0.05).leaking(0.1, delta=1e-5)
    assert set(together.records) == {0, 1, 2, 3, 4, 9}
    e = np.array([np.exp(t.leaking(0.1, delta=1e-5).log_e_values) for t in tables])
    np.testing.assert_allclose(np.exp(together.log_e_values), e.mean(axis=0), rtol=1e-9)


def test_several_attacks_on_a_null_table_rarely_refute():
    """Of 300 null tables with three attacks at most 5% + 3 standard errors have a limit above 0."""
    wrong = uncorrected = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        member = rng.random((48, 5)) < 0.5
        scores = rng.normal(size=(3, 48, 5))
        tables = {f"attack {i}": wb.ScoreTable(x, member) for i, x in enumerate(scores)}
        overlap = wb.compare_attacks(tables, fpr=0.1)
        wrong += (overlap.each_record(delta=0.0).values > 0).any()
        each = [t.each_record(delta=0.0).values for t in tables.values()]
        uncorrected += (np.max(each, axis=0) > 0).any()
    assert wrong <= 300 * 0.05 + 3 * np.sqrt(300 * 0.05 * 0.95)
    assert uncorrected > wrong


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fpr": 0}, "fpr must lie strictly between"),
        ({"fpr": 1e-5}, "too few for a false positive rate of 1e-05"),
        ({"fpr": 0.01, "threshold": "each record"}, "for each record; choose at least 0.02"),
        ({"fpr": 0.1, "threshold": "record"}, "threshold must be one of"),
        ({"fpr": 0.1, "share": 0}, r"share must lie in \(0, 1\]"),
        ({"fpr": 0.1, "tables": three()[:1]}, "at least two attacks"),
        ({"fpr": 0.1, "tables": [three()[0]] * 2}, "two attacks have the same name"),
        (
            {"fpr": 0.1, "tables": [three()[0], table([0], "d", records=39)]},
            "'a' and 'd' are of different records, 40 and 39",
        ),
    ],
)
def test_what_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        wb.compare_attacks(**{"tables": three(), **change})


def test_something_else_is_not_a_table():
    with pytest.raises(TypeError, match="each of tables must be a ScoreTable"):
        wb.compare_attacks([1, 2], fpr=0.1)
