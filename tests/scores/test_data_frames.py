"""Data frames: results as tidy tables, and audits of the columns of a frame."""

import logging
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

import workbench as wb
import workbench.pandas
from benchmarks import _valid_calls as valid
from workbench import _frames

#: Public objects that are no results, or have no rows.
WITHOUT = {
    "what is given, not what is found": """
        ApproxDP GDP PureDP RenyiDP PairClaim ZCDP Anytime HeldOut OneQuestion Pointwise
        Simultaneous QuantityArguments Domain TableDomain Mechanism AdaptedMechanism Neighbors Ends
        Threshold Auditor BlockOrder
        Constant Monotone Noisy NegativeBinomial PointMass Poisson Table TwoPoint DPSGDSettings
        DiracCanaries RandomCanaries LabeledData Network AuditedRecord InitialWeights LossScore
        GalleryRun TrainingPlan PositiveControl BlackBox CanariesInOneRun FederatedCanaries
        ManyRecords OneShot WhiteBox WhiteBoxOneRun GradientCanaries RecordCanaries DPSGD Memoryless
        NameAndShame SharedGaussian RandomDirections ClaimArgument CountInterval PairKind
        LabeledScores PairOfColumns PairOfFiles Recognized FoundTable AttackView
        SinglingOut Linkability Inference Copies
        CopyingGenerator PrivateMarginals ForgottenMarginal PatternLaw LocalProtocol
    """,
    "functions of α, ε and δ, which answer at whatever is asked; their charts have the curves": """
        ComposedPair DPSGDPair DiscreteGaussianPair DiscreteLaplacePair ProfileTablePair RenyiPair
        GaussianPair LaplacePair FixedBatchPair TruncatedBatchPair MixturePair LastIteratePair
        ShuffledPair BallsInBinsPair BandedMatrixPair
        RandomizedResponsePair SubsampledGaussianPair FiniteSelection ComposedBand
        ComposedHistogram
    """,
    "still running, or a place: its states and entries have frames": """
        AnytimeAudit AnytimeVectorAudit GrowingFile LiveAudit CanaryAudit TrainingWatch Workspace
        DataSet
    """,
    "a part of a result that has a frame": """
        Trial SeriesAudit BettingCounts TrainingRun Model Ordering Feedback BestOfTrainings
    """,
}

LOSSES = pd.DataFrame(
    {
        "loss": [0.1, 0.2, 0.3, 0.25, 0.9, 0.8, 0.7, 0.75],
        "split": ["train"] * 4 + ["test"] * 4,
    }
)
HOW = {"score": "loss", "member": "split", "larger_is_member": False}


@cache
def result(name):
    return valid.OBJECTS[name]()


def reasons():
    return {name: why for why, names in WITHOUT.items() for name in names.split()}


# -- frames of results ---------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", valid.OBJECTS)
def test_a_result_has_a_tidy_frame_or_a_reason_why_not(name):
    made = result(name)
    assert hasattr(made, "to_frame") != (name in reasons())
    if name in reasons():
        return
    frame = made.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert isinstance(frame.index, pd.RangeIndex) or frame.index.is_unique
    assert frame.columns.is_unique
    if name == "AuditComparison":  # a column for each audit, under its name
        return
    for column in map(str, frame.columns):
        assert re.fullmatch(r"[A-Za-z][\w-]*", column), column
        cells = frame[column].map(lambda cell: isinstance(cell, list | dict | tuple | np.ndarray))
        assert not cells.any(), column


def test_the_reasons_are_of_public_objects():
    assert reasons().keys() <= valid.OBJECTS.keys()


def test_frames_have_a_row_for_each_thing():
    s = wb.Scores([1.0, 2, 3, np.nan], [0.0, 1, 1, 2], larger_is_member=True)
    h = wb.histogram(s, bins=2, range=(0, 4))
    frame = h.to_frame()
    assert frame["p_count"].tolist() == h.p_counts.tolist()
    assert frame["left"].tolist()[: h.bins] == h.edges[:-1].tolist()
    assert frame["right"].isna().sum() == h.p_counts.size - h.bins
    roc = wb.roc(s)
    frame = roc.to_frame()
    assert (frame["tpr"] * s.n_p).tolist() == roc.true_positives.tolist()
    band = wb.tradeoff_band(wb.GaussianPair(1).sample(60, seed=1))
    assert band.to_frame()["mu_at_least"].max() == pytest.approx(band.mu().value)
    curve = band.curve.to_frame()
    assert list(curve.columns) == ["alpha", "beta"]
    assert curve["alpha"].tolist() == band.curve.alpha.tolist()


def test_a_score_table_is_read_again_from_its_frame():
    table = result("ScoreTable")
    again = wb.read_score_table(table.to_frame(), larger_is_member=True)
    np.testing.assert_array_equal(again.scores, table.scores)
    np.testing.assert_array_equal(again.member, table.member)


def test_cells_without_a_score_and_augmentations():
    scores = np.arange(12.0).reshape(2, 3, 2)
    member = np.array([[1, 0, 0], [0, 1, 0]], bool)
    present = np.array([[1, 1, 0], [1, 1, 1]], bool)
    table = wb.ScoreTable(scores, member, present=present, augmentations="mean")
    frame = table.to_frame()
    assert frame.shape == (len(frame), 5)
    first = frame.iloc[0]
    assert {"augmentation", "model", "record", "score", "member"} == set(frame.columns)
    assert (first["model"], first["record"], first["member"]) == (0, 0, 1)
    assert not ((frame["model"] == 0) & (frame["record"] == 2)).any()


def test_what_holds_for_all_rows_stands_in_each():
    frame = wb.error_rates(wb.GaussianPair(1).sample(60, seed=1), [0.0, 0.5]).to_frame()
    assert frame["confidence"].tolist() == [0.95, 0.95]
    assert wb.Counts(4, 1, 3, 2).to_frame().to_dict("records") == [
        {"tp": 4, "fp": 1, "tn": 3, "fn": 2}
    ]


def test_scores_are_left_out_of_frames():
    columns, constants = _frames.columns_of(result("FamilyFit"))
    assert "scores" not in {*columns, *constants}


# -- df.audit ------------------------------------------------------------------------------------


def test_an_audit_of_a_frame_has_bounds_verdicts_and_charts():
    p, q = wb.GaussianPair(2.0).sample(300, seed=1)
    frame = pd.DataFrame({"loss": [*-p, *-q], "split": ["train"] * 300 + ["test"] * 300})
    audited = frame.audit(**HOW)
    scores = wb.read_scores(frame, **HOW)
    assert audited.scores.same_arrays(scores)
    assert audited.epsilon(1e-5) == wb.epsilon_lower_bound(scores, 1e-5)
    assert audited.epsilon(1e-5, guarantee="one question").guarantee == "one question"
    assert audited.mu() == wb.mu_lower_bound(scores)
    assert audited.verdict("gdp(1)").refuted
    assert audited.verdict(wb.GaussianPair(4.0), confidence=0.9).confidence == 0.9
    assert audited.band(0.9).confidence == 0.9
    assert audited.histogram(bins=5).bins == 5
    assert audited.roc().auc == wb.roc(scores).auc
    assert audited.explore().page.scores.same_arrays(scores)
    told = audited.to_frame()
    assert told["quantity"].tolist() == ["mu", "total variation"]
    assert told["value"].tolist() == [bound.value for bound in audited.bounds]
    assert "simultaneous" in audited._repr_html_()
    assert repr(audited) == f"AuditedFrame({scores!r})"


def test_the_direction_of_losses_is_stated_or_warned_of(caplog):
    with caplog.at_level(logging.WARNING):
        open_ = LOSSES.audit(score="loss", member="split")
    assert "may mean a loss" in caplog.text
    assert open_.scores.larger_is_member
    assert not open_.scores.direction_stated
    caplog.clear()
    stated = LOSSES.audit(**HOW).scores
    assert "may mean a loss" not in caplog.text
    assert not stated.larger_is_member
    assert stated.direction_stated


def test_labels_in_doubt_are_asked_for():
    frame = LOSSES.rename(columns={"split": "label"}).assign(label=[1, 2] * 4)
    with pytest.raises(wb.ScoresError, match="member_value"):
        frame.audit(score="loss", member="label", larger_is_member=False)


@pytest.mark.parametrize("read", ["audit", "wb"])
@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"score": "los"}, "score='los' is no column of the frame; did you mean 'loss'?"),
        ({"member": "splits"}, "member='splits' is no column of the frame; did you mean 'split'?"),
        ({"cluster": "zzz"}, "cluster='zzz' is no column of the frame; its columns are 'loss'"),
    ],
)
def test_an_unknown_column_is_refused_with_those_like_it(read, wrong, says):
    call = LOSSES.audit if read == "audit" else LOSSES.wb.scores
    with pytest.raises(ValueError, match=re.escape(says)):
        call(**HOW | wrong)


def test_many_columns_are_not_all_listed():
    frame = pd.DataFrame({f"c{i}": [1.0] for i in range(40)})
    with pytest.raises(ValueError, match=r"'c11', …$"):
        _frames.named_columns(frame, [("score", "unlike")])


def table_frame():
    frame = valid.table_frame()
    return frame.rename(columns={"model": "run", "record": "row", "score": "value", "member": "in"})


COLUMNS = {"model": "run", "record": "row", "score": "value", "member": "in"}


def test_a_table_of_a_frame():
    table = table_frame().audit.table(**COLUMNS, larger_is_member=True)
    np.testing.assert_array_equal(table.scores, result("ScoreTable").scores)
    assert valid.table_frame().audit.table().n_records == 5
    assert table.each_record(delta=1e-5).to_frame()["record"].tolist()[0] == 0


def test_a_table_says_how_it_read_losses():
    frame = table_frame().rename(columns={"value": "loss"})
    table = frame.audit.table(**COLUMNS | {"score": "loss"})
    assert not table.larger_is_member
    assert any("'loss' is read as a loss" in note for note in table.notes)


@pytest.mark.parametrize("wrong", COLUMNS)
def test_an_unknown_column_of_a_table_is_refused(wrong):
    with pytest.raises(ValueError, match=f"{wrong}='ruin' is no column of the frame; did you mean"):
        table_frame().rename(columns={"row": "rains"}).audit.table(
            **COLUMNS | {"record": "rains"} | {wrong: "ruin"}
        )
