"""Scores know whether their direction was stated; values under a mask are never counted."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.bounds.counts.counts import Counts
from workbench.testing import assert_not_refuted

RNG = np.random.default_rng(3)
LOSSES_IN, LOSSES_OUT = -RNG.normal(1, 1, 500), -RNG.normal(0, 1, 500)
CLAIM = "approx(2, 1e-5)"


def wrong_way(**options):
    return wb.Scores(LOSSES_IN, LOSSES_OUT, **options)


@pytest.mark.parametrize("ask", [wb.judge, assert_not_refuted])
@pytest.mark.parametrize("counted", [False, True])
def test_no_verdict_in_a_direction_that_nobody_stated(ask, counted):
    scores = wrong_way()
    scores = wb.CountedScores.of(scores) if counted else scores
    assert not scores.direction_stated
    with pytest.raises(wb.ScoresError, match="larger_is_member=False; if the two groups"):
        ask(scores, CLAIM)
    assert wb.judge(scores.with_direction(True), CLAIM).verdict == "not refuted"
    right = scores.with_direction(False)
    assert right.direction_stated
    assert wb.judge(right, "approx(0.5, 1e-5)").refuted


def test_no_verdict_on_a_frame_of_losses_either(caplog):
    frame = pd.DataFrame({"x": np.r_[LOSSES_IN, LOSSES_OUT], "member": np.repeat([1, 0], 500)})
    with pytest.raises(wb.ScoresError, match="is not judged"):
        wb.judge(wb.read_scores(frame), CLAIM)
    assert wb.judge(wb.read_scores(frame, larger_is_member=True), CLAIM).verdict == "not refuted"


def test_bounds_say_it_in_their_note():
    scores = wrong_way()
    band = wb.tradeoff_band(scores)
    found = [band.epsilon(1e-5), band.mu(), wb.anytime_epsilon(scores, delta=1e-5)]
    assert all("nobody stated that larger" in bound.note for bound in found)
    for stated in (True, False):
        note = wb.tradeoff_band(wrong_way(larger_is_member=stated)).mu().note
        assert "nobody stated" not in (note or "")
    fine = wb.tradeoff_band(wb.Scores(LOSSES_OUT, LOSSES_IN)).mu()
    assert "nobody stated" not in (fine.note or "")


def test_the_view_in_a_notebook_says_it():
    with pytest.warns(UserWarning, match="nobody stated"):
        wb.explore((LOSSES_IN, LOSSES_OUT))


@pytest.mark.parametrize("name", ["ce_loss", "loss", "NLL", "member_loss"])
def test_series_that_are_named_like_losses_warn(name):
    p, q = pd.Series(LOSSES_IN, name=name), pd.Series(LOSSES_OUT, name=name)
    with pytest.warns(
        UserWarning, match=f"“{name}” may mean a loss; state larger_is_member"
    ) as said:
        wb.Scores(p, q)
    assert said[0].filename == __file__
    with pytest.warns(UserWarning, match="may mean a loss"):
        wb.explore((p, q))


def test_series_do_not_warn_where_the_direction_is_stated_or_nothing_is_named():
    p, q = pd.Series(LOSSES_IN, name="loss"), pd.Series(LOSSES_OUT, name="loss")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for stated in (True, False):
            wb.Scores(p, q, larger_is_member=stated)
        wb.Scores(p.rename("score"), q.rename(None))
        wb.Scores(p.rename(3), q.rename(("loss", 1)))


def test_what_is_made_of_scores_keeps_whether_it_was_stated():
    scores = wrong_way()
    assert not pickle.loads(pickle.dumps(scores)).direction_stated
    assert not scores.part_of_sorted(np.arange(500) < 50, np.arange(500) < 50).direction_stated
    assert scores.rescored(np.negative, "").direction_stated
    assert wrong_way(larger_is_member=True).direction_stated
    assert wb.GaussianPair(1).sample(100, seed=0).direction_stated
    with pytest.raises(ValueError, match="True or False"):
        wrong_way(larger_is_member="no")


def test_a_workspace_keeps_it():
    workspace = wb.Workspace()
    kept = workspace.add_scores(wrong_way(), "losses")
    assert not workspace.scores(kept.key).direction_stated


def masked(values, at=1):
    values = np.asarray(values)
    return np.ma.array(values, mask=np.arange(values.size).reshape(values.shape) < at)


X = np.arange(6.0)
SIDES = np.array([1, 0, 1, 0, 1, 0])
TABLE, MEMBER = RNG.normal(size=(4, 6)), RNG.random((4, 6)) < 0.5


@pytest.mark.parametrize(
    "call",
    [
        lambda: wb.Scores(masked(X), X),
        lambda: wb.Scores(X, masked(X, 3)),
        lambda: wb.Scores(X, X + 1, clusters=(masked(X), X + 10)),
        lambda: wb.CountedScores(masked(X), [1] * 6, [2] * 6),
        lambda: wb.CountedScores(X, masked([1] * 6), [2] * 6),
        lambda: wb.OneRun(masked(X), SIDES),
        lambda: wb.OneRun(X, masked(SIDES)),
        lambda: wb.ScoreTable(masked(TABLE), MEMBER),
        lambda: wb.ScoreTable(TABLE, masked(MEMBER)),
        lambda: wb.ScoreTable(TABLE, MEMBER, present=masked(np.ones_like(MEMBER))),
        lambda: wb.ScoreTable(TABLE, MEMBER, attributes={"class": masked(X)}),
        lambda: wb.SignalTable(masked(TABLE), MEMBER),
        lambda: wb.epsilon_from_counts(tp=masked([9])[0], fp=1, tn=9, fn=1, delta=0),
        lambda: Counts(tp=masked([9]), fp=1, tn=9, fn=1),
        lambda: wb.Scores(X, X + 1).tail_counts(masked(X)),
        lambda: wb.explore((masked(X), X)),
    ],
)
def test_masked_values_are_refused(call):
    with pytest.raises(ValueError, match="masked value"):
        call()


def test_a_mask_of_nothing_is_no_mask():
    assert wb.Scores(masked(X, 0), np.ma.array(X + 1)).n_p == 6
    assert wb.OneRun(masked(X, 0), SIDES).canaries == 6
