"""Files whose scores, labels or rows may be something else: a question, and nothing computed."""

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.cli import main
from workbench.onerun.read import read_one_run
from workbench.scores.layouts import repeats

RNG = np.random.default_rng(5)
N = 200
SCORES = RNG.normal(size=2 * N)
SIDES = np.repeat([1, 0], N)


def refused(frame, *texts, read=wb.read_scores, **options):
    with pytest.raises(wb.ScoresError) as error:
        read(frame, **options)
    for text in texts:
        assert text in str(error.value)


# -- labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [(1, 2), (1, 5), (0, 2), (2, 3), (0.0, 0.5)])
@pytest.mark.parametrize("name", ["member", "is_test", "label", "y", "anything"])
def test_numbers_that_are_no_yes_and_no_are_asked_for(labels, name):
    frame = pd.DataFrame({"score": SCORES, name: np.where(SIDES == 1, *labels)})
    refused(frame)
    found = wb.read_scores(frame, score="score", member=name, member_value=labels[0])
    np.testing.assert_array_equal(found.p, SCORES[:N])


@pytest.mark.parametrize("name", ["label", "labels", "y", "class", "target"])
@pytest.mark.parametrize("labels", [(1, 0), (1, -1), (True, False)])
def test_a_binary_class_is_no_membership(name, labels):
    frame = pd.DataFrame({"score": SCORES, name: np.where(SIDES == 1, *labels)})
    refused(frame, "may be the class", "member_value=")
    refused(frame, "may be the class", "included_value=", read=read_one_run)


def test_flags_beside_scores_are_no_scores():
    frame = pd.DataFrame({"train": SIDES, "test": 1 - SIDES, "score": SCORES})
    np.testing.assert_array_equal(wb.read_scores(frame).p, SCORES[:N])
    refused(frame.assign(test=SIDES), "'train', 'test'", "they differ", "member=")


def test_a_guess_of_an_attack_is_no_membership():
    words = np.where(SIDES == 1, "member", "nonmember")
    refused(pd.DataFrame({"score": SCORES, "prediction": words}))
    frame = pd.DataFrame({"score": SCORES, "prediction": words[::-1], "truth": words})
    assert sorted(wb.read_scores(frame).p) == sorted(SCORES[:N])


@pytest.mark.parametrize(
    "columns",
    [
        ("epoch", "train_loss", "test_loss"),
        ("step", "train_loss", "test_loss"),
        ("Step", "train/loss", "test/loss"),
        ("iteration", "in", "out"),
        ("train_loss", "test_loss"),
        ("epoch", "training loss", "test loss", "accuracy"),
    ],
)
def test_a_learning_curve_is_no_pair_of_scores(columns):
    values = {name: np.sort(RNG.random(60)) for name in columns}
    values |= {name: np.arange(60) for name in columns[:1] if name.lower() in ("epoch", "step")}
    p, q = columns[-2:] if "accuracy" not in columns else columns[1:3]
    refused(pd.DataFrame(values), "learning curve", f"p={p!r}", f"q={q!r}")
    assert wb.read_scores(pd.DataFrame(values), p=p, q=q).n_p == 60


def test_a_learning_curve_in_long_form_is_no_audit():
    epochs = {"epoch": np.repeat(np.arange(40), 2), "split": ["train", "test"] * 40}
    refused(pd.DataFrame(epochs | {"loss": RNG.random(80)}), "40 values of 'epoch'")


# -- rows that repeat -----------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("side", [1, 0])
def test_scores_that_are_all_there_several_times_are_asked_for(k, side):
    own = np.repeat(RNG.normal(size=N), k)
    frame = pd.DataFrame({"score": np.r_[own, RNG.normal(size=N)]})
    frame["member"] = np.repeat([side, 1 - side], [own.size, N])
    refused(frame, f"is there {k} times", "cluster='score'", "sampling=")
    refused(frame, f"is there {k} times", "keep one row", read=read_one_run)
    found = wb.read_scores(frame, cluster="score")
    assert (found.n_p, found.n_q) == (N, N)
    assert wb.read_scores(frame, sampling="independent runs").n_p + N > N
    columns = pd.DataFrame({"in": pd.Series(own), "out": pd.Series(RNG.normal(size=N))})
    refused(columns, f"is there {k} times")


@pytest.mark.parametrize(
    "scores",
    [
        SCORES,
        np.round(SCORES, 2),
        np.round(SCORES, 1),
        (SCORES > 0).astype(int),
        RNG.integers(0, 40, 2 * N),
        np.arange(2 * N) % 25,
        np.minimum(SCORES, 0),
    ],
)
def test_ties_are_no_copies(scores):
    assert wb.read_scores(pd.DataFrame({"score": scores, "member": SIDES})).n_p == N


def several(key, values, **more):
    """Each of 100 records once for each value of a key."""
    sides = RNG.integers(0, 2, 100)
    rows = [(r, v, RNG.normal(), sides[r]) for v in values for r in range(100)]
    return pd.DataFrame(rows, columns=["id", key, "score", "member"]).assign(**more)


@pytest.mark.parametrize("key", ["attack", "epoch", "augmentation", "seed", "checkpoint", "view"])
def test_a_second_key_over_the_same_records_is_a_choice(key):
    frame = several(key, [1, 2, 3])
    refused(frame, "of 100 values of 'id'", f"3 values of {key!r}", "cluster='id'",
            f"rows='{key}=1'")  # fmt: skip
    refused(frame, f"rows='{key}=1'", read=read_one_run)
    one = wb.read_scores(frame, rows=f"{key}=2")
    assert one.n_p + one.n_q == 100
    assert read_one_run(frame, rows=f"{key}=2").canaries == 100
    clustered = wb.read_scores(frame, cluster="id")
    assert clustered.n_p + clustered.n_q == 100
    refused(frame, f"no row of {key!r} holds '7'", "'1', '2', '3'", rows=f"{key}=7")
    refused(frame, "has no column of rows='x=1'", rows="x=1")


@pytest.mark.parametrize("key", ["attack", "epoch", "augmentation"])
def test_the_same_labels_for_each_value_of_a_key_are_the_same_records(key):
    frame = several(key, ["a", "b"]).drop(columns="id")
    refused(frame, "the same 100 labels", f"rows='{key}=a'")
    assert len(wb.read_scores(frame, rows=f"{key}=b").to_frame()) == 100


def test_rows_of_several_runs_and_numbers_of_rows_are_no_repeats():
    labels = {"score": SCORES, "member": SIDES}
    assert wb.read_scores(pd.DataFrame({"run": range(2 * N), "canary": 0, **labels})).n_p == N
    assert wb.read_scores(pd.DataFrame({"seed": [0, 1] * N, **labels})).n_p == N
    assert wb.read_scores(pd.DataFrame({"id": [*range(N), *range(N)], **labels})).n_p == N


def test_rows_of_many_models_are_a_table():
    frame = several("model", range(6))
    frame["member"] = RNG.integers(0, 2, 600)  # each model has records of its own
    refused(frame, "wb.read_score_table", "rows='model=0'")
    assert wb.read_score_table(frame).n_records == 100


def test_without_the_question_equal_distributions_leak():
    """What the question prevents: P = Q, every score of P several times."""
    false = {}
    for k in (1, 5):
        rng = np.random.default_rng(0)
        found = []
        for _ in range(60):
            p, q = np.repeat(rng.normal(size=200), k), rng.normal(size=200)
            scores = wb.Scores(p, q, larger_is_member=True, sampling="independent runs")
            found.append(wb.tradeoff_band(scores).total_variation().value > 0)
        false[k] = sum(found)
    assert false[1] <= 6  # at most 5% on average
    assert false[5] > 6


# -- the command line -----------------------------------------------------------------------------


def test_the_command_line_names_its_options(tmp_path, capsys):
    path = tmp_path / "a.csv"
    several("attack", ["loss", "lira"]).to_csv(path, index=False)
    assert main(["audit", str(path)]) == 2
    said = capsys.readouterr().err
    assert "--rows 'attack=loss'" in said
    assert "--cluster 'id'" in said
    assert main(["audit", str(path), "--rows", "attack=lira"]) == 0
    pd.DataFrame({"score": SCORES, "flag": SIDES}).to_csv(path, index=False)
    assert main(["audit", str(path)]) == 2
    assert "--member-value" in capsys.readouterr().err
    assert main(["audit", str(path), "--member-value", "1"]) == 0


@pytest.mark.parametrize("name", ["is_test", "nonmember"])
def test_a_loss_with_a_flag_of_non_members_refutes_a_claim(tmp_path, capsys, name):
    rng = np.random.default_rng(1)
    scores = np.r_[rng.normal(1, 1, 500), rng.normal(0, 1, 500)]
    path = tmp_path / "a.csv"
    frame = pd.DataFrame({"loss": 4 - scores, name: np.repeat([0, 1], 500)})
    frame.to_csv(path, index=False)
    claim = ["--claim", "approx(0.5, 1e-5)"]
    assert main(["audit", str(path), "--smaller-is-member", *claim]) == 1
    assert main(["audit", str(path), *claim]) == 4
    assert "exchanged" in capsys.readouterr().err


@pytest.mark.filterwarnings("error")
def test_the_largest_and_the_smallest_numbers_are_told_from_a_scale():
    grades, spread = np.arange(30.0), np.sort(np.random.default_rng(0).normal(size=40))
    for unit in (1.0, 5e306, 1e-300):
        assert repeats._is_scale(unit * grades)
        assert not repeats._is_scale(unit * spread)
    assert not repeats._is_scale(np.append(5e-324 * grades, 1.7e308))
    assert not repeats._is_scale(np.array([-1.7e308, *grades, 1.7e308]))
