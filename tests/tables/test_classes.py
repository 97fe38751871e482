"""An axis of classes is none of augmentations; the score of classes is the log-odds of the true."""

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

import workbench as wb
from workbench.cli import main
from workbench.scores.class_outputs import output_kind

MODELS, RECORDS, CLASSES = 32, 60, 10
RNG = np.random.default_rng(7)
MEMBER = RNG.random((MODELS, RECORDS)) < 0.5
LABELS = RNG.integers(0, CLASSES, RECORDS)
LOGITS = RNG.normal(size=(MODELS, RECORDS, CLASSES))
LOGITS[:, np.arange(RECORDS), LABELS] += np.where(MEMBER, 8.0, 2.0)


def true_log_odds():
    found = np.empty((MODELS, RECORDS))
    for m, r in np.ndindex(found.shape):
        others = np.delete(LOGITS[m, r], LABELS[r])
        found[m, r] = LOGITS[m, r, LABELS[r]] - np.log(np.exp(others).sum())
    return found


def saved(folder, **arrays):
    np.savez(folder / "t.npz", member=MEMBER, **arrays)
    return folder / "t.npz"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("logits", LOGITS),
        ("outputs", LOGITS - LOGITS.mean(axis=2, keepdims=True)),
        ("probs", softmax(LOGITS, axis=2)),
        ("scores", softmax(LOGITS, axis=2)),
        ("log_probs", log_softmax(LOGITS, axis=2)),
        ("predictions", softmax(LOGITS, axis=2).astype(np.float32)),
    ],
)
@pytest.mark.parametrize("labels", ["labels", "y", "targets"])
def test_with_labels_the_score_is_the_log_odds_of_the_class(tmp_path, name, values, labels):
    table = wb.read_score_table(saved(tmp_path, **{name: values, labels: LABELS}))
    assert table.scores.shape == (MODELS, RECORDS)
    np.testing.assert_allclose(table.scores, true_log_odds(), rtol=1e-3, atol=1e-3)
    assert table.larger_is_member
    assert table.worst_record(1e-5).value > 1


def test_records_first_and_labels_of_another_name(tmp_path):
    path = saved(tmp_path, logits=LOGITS.transpose(1, 0, 2), kinds=LABELS, records=np.arange(60))
    with pytest.raises(wb.ScoresError, match="labels="):
        wb.read_score_table(path)
    table = wb.read_score_table(path, labels="kinds")
    np.testing.assert_allclose(table.scores, true_log_odds())
    with pytest.raises(wb.ScoresError, match="no array 'x'"):
        wb.read_score_table(path, labels="x")


@pytest.mark.parametrize("name", ["scores", "logits", "stat"])
@pytest.mark.parametrize("k", [2, 3, 10])
def test_without_labels_an_axis_is_asked_for(tmp_path, name, k):
    path = saved(tmp_path, **{name: LOGITS[:, :, :k]})
    with pytest.raises(wb.ScoresError, match=r"augmentations=.*classes"):
        wb.read_score_table(path)
    table = wb.read_score_table(path, augmentations="mean")
    np.testing.assert_allclose(table.matrix, LOGITS[:, :, :k].mean(axis=2))


def test_labels_that_are_not_those_of_the_axis_are_no_answer(tmp_path):
    """Ten augmentations, and labels of ten classes: nothing shows that they belong together."""
    scores = RNG.normal(size=LOGITS.shape)
    with pytest.raises(wb.ScoresError, match="open whether"):
        wb.read_score_table(saved(tmp_path, scores=scores, labels=LABELS))
    with pytest.raises(wb.ScoresError, match="open whether"):
        wb.read_score_table(saved(tmp_path, logits=LOGITS, labels=LABELS + 1))


def test_probabilities_without_labels_are_of_classes(tmp_path):
    with pytest.raises(wb.ScoresError, match=r"10 probabilities .* of classes"):
        wb.read_score_table(saved(tmp_path, probs=softmax(LOGITS, axis=2)))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (softmax(LOGITS, axis=2), "probabilities"),
        (softmax(LOGITS, axis=2).astype(np.float16), "probabilities"),
        (log_softmax(LOGITS, axis=2), "log-probabilities"),
        (LOGITS, ""),
        (np.full((4, 5, 3), 0.5), ""),
        (np.full((4, 5, 3), np.nan), ""),
    ],
)
def test_what_sums_to_one_is_of_classes(values, kind):
    assert output_kind(values) == kind


def test_python_asks_as_well():
    with pytest.raises(wb.ScoresError, match="augmentations='mean'"):
        wb.ScoreTable(LOGITS, MEMBER)
    assert wb.ScoreTable(LOGITS, MEMBER, augmentations="max").matrix.shape == (MODELS, RECORDS)
    assert wb.ScoreTable(LOGITS[:, :, :1], MEMBER).augmentations == "mean"
    with pytest.raises(wb.ScoresError, match="10 classes"):
        wb.SignalTable(softmax(LOGITS, axis=2), MEMBER, kind="probability")


def test_the_command_line_names_its_option(tmp_path, capsys):
    path = saved(tmp_path, scores=LOGITS[:, :, :2])
    assert main(["records", str(path)]) == 2
    assert "--augmentations 'mean'" in capsys.readouterr().err
    assert main(["records", str(path), "--augmentations", "mean"]) == 0


def test_outputs_of_one_record_are_no_column(tmp_path):
    path = tmp_path / "outputs_in.npy"
    np.save(path, LOGITS[0])
    with pytest.raises(wb.ScoresError, match=r"classes.*log-odds"):
        wb.read_scores(path)


@pytest.mark.parametrize("kind", ["logits", "probs"])
def test_outputs_beside_labels_are_scores(tmp_path, kind):
    outputs = LOGITS[0] if kind == "logits" else softmax(LOGITS[0], axis=1)
    np.savez(tmp_path / "t.npz", member=MEMBER[0], labels=LABELS, **{kind: outputs})
    found = wb.read_scores(tmp_path / "t.npz")
    np.testing.assert_allclose(sorted(found.p), sorted(true_log_odds()[0, MEMBER[0]]), rtol=1e-6)
    assert wb.read_one_run(tmp_path / "t.npz").canaries == RECORDS
