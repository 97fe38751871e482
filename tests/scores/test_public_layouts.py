"""Synthetic copies of the files of public tools: each opens without an option, each trap is named.

The copies are made here, from the shapes and names that the tools write.
"""

import json
import logging

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from workbench import ScoresError, read_scores
from workbench.scores import opening
from workbench.scores.parsing.limits import ReadLimits

RNG = np.random.default_rng(17)
N_IN, N_OUT = 60, 40
IN, OUT = RNG.normal(1, 1, N_IN), RNG.normal(0, 1, N_OUT)
SCORES = np.r_[IN, OUT]
LABELS = np.repeat([1, 0], [N_IN, N_OUT])
ORDER = RNG.permutation(N_IN + N_OUT)
SCORES, LABELS = SCORES[ORDER], LABELS[ORDER]
IN, OUT = SCORES[LABELS == 1], SCORES[LABELS == 0]


def arrow_folder(folder, columns, parts=1):
    """A folder as `datasets.Dataset.save_to_disk` writes it."""
    folder.mkdir(parents=True)
    table = pa.table(columns)
    size = -(-len(table) // parts)
    for i in range(parts):
        path = folder / f"data-{i:05d}-of-{parts:05d}.arrow"
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
            stream.write_table(table.slice(i * size, size), max_chunksize=7)
    names = [{"filename": f"data-{i:05d}-of-{parts:05d}.arrow"} for i in range(parts)]
    (folder / "state.json").write_text(json.dumps({"_data_files": names, "_split": None}))
    (folder / "dataset_info.json").write_text(json.dumps({"features": {}}))
    return folder


def privacy_meter(path, scores=SCORES, labels=LABELS):
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        path,
        fpr=np.linspace(0, 1, 9),
        tpr=np.linspace(0, 1, 9) ** 0.5,
        auc=0.7,
        one_tenth_fpr=0.1,
        zero_fpr=0.0,
        scores=scores,
        memberships=labels.astype(bool),
    )
    return path


def leakpro(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "result_name": "rmia",
        "id": path.stem,
        "config": {"attack": "rmia", "params": {"gamma": 2}},
        "signal_values": SCORES.tolist(),
        "true_labels": LABELS.tolist(),
        "tpr": [0.0, 0.5, 1.0],
        "fpr": [0.0, 0.1, 1.0],
        "roc_auc": 0.7,
        "fixed_fpr": {"TPR@1.0%FPR": 0.1},
        "tp": [0, 30, 60],
        "fp": [0, 4, 40],
        "tn": [40, 36, 0],
        "fn": [60, 30, 0],
    }
    path.write_text(json.dumps(content))
    return path


def sacro(folder, instances=1, apart=True, lira=False):
    """The report of SACRO-ML, with the results of records in it or beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    logger = {}
    for i in range(instances):
        records = {"member_prob": (SCORES + i).tolist(), "member": LABELS.tolist(), "n_pos": 3}
        if lira:
            records["score"] = records.pop("member_prob")
            records["label"] = RNG.integers(0, 2, SCORES.size).tolist()  # the class of a record
            records |= {name: SCORES.tolist() for name in ("target_logit", "out_prob", "out_mean")}
        logger[f"instance_{i}"] = {"AUC": 0.7, "TPR": 0.5, "n_pos_test_examples": 60}
        if apart:
            name = f"lira_individual_0a1b2c3d_instance_{i}.npz"
            np.savez_compressed(folder / name, **{k: np.asarray(v) for k, v in records.items()})
            logger[f"instance_{i}"]["individual_file"] = name
        else:
            logger[f"instance_{i}"]["individual"] = {
                k: v for k, v in records.items() if isinstance(v, list)
            }
    attack = {
        "log_id": "0a1b2c3d-1111-2222-3333-444455556666",
        "metadata": {"attack_name": "LiRA Attack"},
        "attack_experiment_logger": {"attack_instance_logger": logger},
    }
    report = {"LiRA Attack_0a1b2c3d-1111-2222-3333-444455556666": attack}
    (folder / "report.json").write_text(json.dumps(report, indent=4))
    return folder / "report.json"


def bb_audit(folder):
    """All that bb-audit-dpsgd leaves in its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "mia_scores.npy", SCORES - 9)
    np.save(folder / "mia_labels.npy", LABELS.astype(float))
    np.save(folder / "losses_in.npy", IN - 9)
    np.save(folder / "losses_out.npy", OUT - 9)
    np.save(folder / "outputs_in.npy", np.zeros((N_IN, 10)))
    np.save(folder / "outputs_out.npy", np.zeros((N_OUT, 10)))
    np.save(folder / "emp_eps_loss.npy", [1.5])
    return folder


def panoramia(path):
    columns = {
        "member": LABELS,
        "baseline_pred": RNG.random(SCORES.size),
        "mia_mlp10_pred": 1 / (1 + np.exp(-SCORES)),
        "mia_mlp100_pred": 1 / (1 + np.exp(-2 * SCORES)),
    }
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def auditbench(folder, epochs=(9,), kinds=("",)):
    folder.mkdir(parents=True, exist_ok=True)
    for epoch in epochs:
        for kind in kinds:
            np.savetxt(folder / f"in_scores_{kind}{epoch:06d}.csv", IN)
            np.savetxt(folder / f"out_scores_{kind}{epoch:06d}.csv", OUT)
    (folder / "hparams.json").write_text(json.dumps({"epochs": 10}))
    np.savetxt(folder / "inclusion_mask.csv", LABELS)
    return folder


def privacy_guard(folder, ending="parquet"):
    folder.mkdir(parents=True, exist_ok=True)
    for name, x in (("df_train_user", IN), ("df_test_user", OUT)):
        frame = pd.DataFrame({"user_id": [f"u{i // 2}" for i in range(x.size)], "score": x})
        frame["score_orig"], frame["score_mean"] = x - 1, 0.1
        path = folder / f"{name}.{ending}"
        frame.to_parquet(path) if ending == "parquet" else frame.to_csv(path, index=False)
    return folder


def opened(path, caplog, **options):
    """The scores, and what was said of them."""
    caplog.clear()
    with caplog.at_level(logging.INFO, "workbench"):
        scores = read_scores(path, **options)
    return scores, caplog.text


def check(scores, p=IN, q=OUT):
    assert scores.larger_is_member
    assert (scores.n_p, scores.n_q) == (len(p), len(q))
    np.testing.assert_allclose(scores.p, p)
    np.testing.assert_allclose(scores.q, q)


def refused(path, *facts, **options):
    with pytest.raises(ScoresError) as caught:
        read_scores(path, **options)
    for fact in facts:
        assert fact in str(caught.value)


# -- each layout, without an option ------------------------------------------------------------


def test_ml_privacy_meter(tmp_path, caplog):
    path = privacy_meter(tmp_path / "report" / "exp" / "attack_result_0.npz")
    for source in (path, tmp_path, tmp_path / "report"):
        scores, said = opened(source, caplog)
        check(scores)
        assert "ml_privacy_meter result: scores, memberships" in said


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_privacy_guard(tmp_path, caplog, ending):
    scores, said = opened(privacy_guard(tmp_path, ending), caplog)
    check(scores)
    assert "PrivacyGuard frames: df_train_user, df_test_user. Rows share 'user_id'" in said
    files = tmp_path / f"df_train_user.{ending}", tmp_path / f"df_test_user.{ending}"
    check(opened(files[0], caplog, path_q=files[1])[0])
    train, test = (tmp_path / f"df_{side}_user.{ending}" for side in ("train", "test"))
    with pytest.raises(ScoresError, match="u0"):  # both groups have users of that name
        read_scores(train, path_q=test, cluster="user_id")


def test_one_score_per_user(tmp_path):
    privacy_guard(tmp_path)
    test = pd.read_parquet(tmp_path / "df_test_user.parquet")
    test["user_id"] = "other " + test["user_id"]
    test.to_parquet(tmp_path / "df_test_user.parquet")
    scores = read_scores(tmp_path, cluster="user_id", cluster_rule="max")
    assert (scores.n_p, scores.n_q, scores.sampling) == (N_IN // 2, N_OUT // 2, "clustered")


def test_jax_privacy(tmp_path, caplog):
    np.savez(tmp_path / "canaries.npz", in_canary_scores=IN, out_canary_scores=OUT)
    scores, said = opened(tmp_path / "canaries.npz", caplog)
    check(scores)
    assert "jax_privacy canary scores: in_canary_scores, out_canary_scores." in said


@pytest.mark.parametrize("parts", [1, 3])
def test_privacy_estimates(tmp_path, caplog, parts):
    arrow_folder(tmp_path / "scores", {"score": SCORES}, parts)
    arrow_folder(tmp_path / "challenge_bits", {"challenge_bit": LABELS}, parts)
    (tmp_path / "dp_parameters.json").write_text('{"noise_multiplier": 1.0}')
    scores, said = opened(tmp_path, caplog)
    check(scores)
    assert "privacy-estimates result: score, challenge_bit" in said
    assert (
        "labels from 'challenge_bits' (arrow), on the assumption that their order is that" in said
    )
    both = tmp_path / "challenge_bits"
    check(read_scores(tmp_path / "scores", path_labels=both))


def test_privacy_estimates_in_one_folder_or_csv(tmp_path, caplog):
    columns = {"score": SCORES, "challenge_bit": LABELS}
    check(opened(arrow_folder(tmp_path / "both", columns, 2), caplog)[0])
    pd.DataFrame(columns).to_csv(tmp_path / "both.csv", index=False)
    scores, said = opened(tmp_path / "both.csv", caplog)
    check(scores)
    assert "privacy-estimates result" in said


def test_leakpro(tmp_path, caplog):
    path = leakpro(tmp_path / "data_objects" / "rmia-3f.json")
    for source in (path, path.parent, tmp_path):
        scores, said = opened(source, caplog)
        check(scores)
        assert "LeakPro result: signal_values, true_labels." in said


@pytest.mark.parametrize("lira", [True, False])
@pytest.mark.parametrize("apart", [True, False])
def test_sacro_ml(tmp_path, caplog, apart, lira):
    path = sacro(tmp_path, apart=apart, lira=lira)
    name = "score" if lira else "member_prob"
    for source in (path, tmp_path):
        scores, said = opened(source, caplog)
        check(scores)
        assert f"SACRO-ML report: instance_0.{name}, instance_0.member." in said
    if apart:
        alone = tmp_path / "lira_individual_0a1b2c3d_instance_0.npz"
        scores, said = opened(alone, caplog)
        check(scores)
        assert f"SACRO-ML result: {name}, member." in said


def test_bb_audit_dpsgd(tmp_path, caplog):
    bb_audit(tmp_path)
    scores, said = opened(tmp_path, caplog)
    check(scores, IN - 9, OUT - 9)
    assert "bb-audit-dpsgd result: scores, labels. Each row is one trained model" in said
    scores, said = opened(
        tmp_path / "mia_scores.npy", caplog, path_labels=tmp_path / "mia_labels.npy"
    )
    check(scores, IN - 9, OUT - 9)
    assert "on the assumption that their order" in said


def test_losses_that_are_negated(tmp_path, caplog):
    bb_audit(tmp_path)
    (tmp_path / "mia_scores.npy").unlink()
    pair = {"path_q": tmp_path / "losses_out.npy"}
    for source, options in ((tmp_path, {}), (tmp_path / "losses_in.npy", pair)):
        scores, said = opened(source, caplog, **options)
        check(scores, IN - 9, OUT - 9)
        assert "none is above 0: they are negated losses, larger for members" in said
        assert "WARNING" not in said


def test_auditbench(tmp_path, caplog):
    scores, said = opened(auditbench(tmp_path), caplog)
    check(scores)
    assert "auditbench result: in_scores_000009, out_scores_000009." in said


def test_panoramia(tmp_path, caplog):
    path = panoramia(tmp_path / "mia_baseline_default_0.csv")
    scores, said = opened(path, caplog, score="mia_mlp10_pred")
    check(scores, 1 / (1 + np.exp(-IN)), 1 / (1 + np.exp(-OUT)))
    assert "PANORAMIA attack" in said
    assert "without access to the model" not in said
    _, said = opened(path, caplog, score="baseline_pred")
    assert "“baseline_pred” is the baseline without access to the model" in said


@pytest.mark.parametrize(
    ("score", "member"),
    [
        ("signal_values", "true_labels"),
        ("scores", "memberships"),
        ("x", "keep"),
        ("score", "is_member"),
        ("x", "challenge_bit"),
        ("member_prob", "member"),
    ],
)
def test_words(score, member):
    frame = pd.DataFrame({"record": np.arange(SCORES.size) / 7, member: LABELS, score: SCORES})
    check(read_scores(frame.drop(columns="record")))


# -- several to choose from --------------------------------------------------------------------


def test_several_columns_of_scores_are_named(tmp_path):
    path = panoramia(tmp_path / "mia_baseline_default_0.csv")
    refused(
        path,
        "3 columns that may hold the scores, 'baseline_pred', 'mia_mlp10_pred', 'mia_mlp100_pred'",
        "choose one with score=",
        "before you look",
        "without access to the model",
    )
    frame = pd.DataFrame({"a": SCORES, "b": -SCORES, "is_member": LABELS})
    refused(frame, "2 columns that may hold the scores, 'a', 'b'", "score=")
    check(read_scores(frame, score="a"))


@pytest.mark.parametrize("apart", [True, False])
def test_several_runs_of_sacro_ml(tmp_path, apart):
    path = sacro(tmp_path, 2, apart)
    refused(path, "'instance_0.member_prob', 'instance_1.member_prob'", "score=")
    check(read_scores(path, score="instance_1.member_prob"), IN + 1, OUT + 1)


def test_several_epochs_and_kinds(tmp_path):
    folder = auditbench(tmp_path, (9, 19))
    refused(
        folder,
        "2 pairs of score files",
        "in_scores_000009.csv + out_scores_000009.csv",
        "in_scores_000019.csv",
        "path_q=",
    )
    check(read_scores(folder / "in_scores_000019.csv", path_q=folder / "out_scores_000019.csv"))
    other = auditbench(tmp_path / "kinds", (9,), ("", "sum_", "optimal_"))
    refused(other, "3 pairs of score files", "in_scores_sum_000009.csv")


def test_several_results(tmp_path):
    for i in range(3):
        privacy_meter(tmp_path / "report" / "exp" / f"attack_result_{i}.npz")
    privacy_meter(tmp_path / "report" / "attack_result_average.npz")
    refused(tmp_path, "3 files, one per attack or model", "attack_result_0.npz", "before you look")
    for name in ("rmia", "lira"):
        leakpro(tmp_path / "leakpro" / "data_objects" / f"{name}.json")
    refused(tmp_path / "leakpro", "2 files", "'lira.json', 'rmia.json'")


# -- traps -------------------------------------------------------------------------------------


def test_averaged_models(tmp_path, caplog):
    scores, labels = np.tile(SCORES, 3), np.tile(LABELS, 3)
    path = privacy_meter(tmp_path / "report" / "attack_result_average.npz", scores, labels)
    for source in (path, tmp_path):
        refused(
            source,
            "'attack_result_average' (npz) concatenates the scores of several models",
            "not independent",
            "attack_result_0.npz",
            "wb.read_score_table",
            "sampling=",
        )
    stated, said = opened(path, caplog, sampling="one run")
    assert (stated.n_p, stated.assumption) == (3 * N_IN, "one run")
    assert "concatenates the scores of several models" in said


def test_plain_losses_are_warned_of(tmp_path, caplog):
    np.save(tmp_path / "losses_in.npy", 9 - IN)
    np.save(tmp_path / "losses_out.npy", 9 - OUT)
    _, said = opened(tmp_path, caplog)
    assert "WARNING" in said
    assert "“losses_in” and “losses_out” may mean a loss" in said
    assert "bb-audit" not in said
    scores, said = opened(tmp_path, caplog, larger_is_member=False)
    assert (scores.larger_is_member, "WARNING" in said) == (False, False)


def test_losses_of_both_signs_are_not_taken_for_negated(tmp_path, caplog):
    np.save(tmp_path / "losses_in.npy", IN)
    np.save(tmp_path / "losses_out.npy", OUT)
    _, said = opened(tmp_path, caplog)
    assert "negated" not in said
    assert "WARNING" in said


def test_another_number_of_labels(tmp_path):
    bb_audit(tmp_path)
    np.save(tmp_path / "mia_labels.npy", LABELS[:-1])
    refused(tmp_path, "has 100 scores, but 'mia_labels' (npy) has 99 labels", "nothing was used")


def test_labels_in_place_of_the_other_group(tmp_path):
    bb_audit(tmp_path)
    refused(
        tmp_path / "mia_scores.npy",
        "'mia_labels' (npy) holds labels, not the scores of a group",
        "path_labels=",
        path_q=tmp_path / "mia_labels.npy",
    )


def test_both_a_file_of_q_and_one_of_labels(tmp_path):
    bb_audit(tmp_path)
    refused(
        tmp_path / "losses_in.npy",
        "exclude each other",
        path_q=tmp_path / "losses_out.npy",
        path_labels=tmp_path / "mia_labels.npy",
    )


def test_labels_that_are_sorted_in_another_way(caplog):
    scores = pd.DataFrame({"id": np.arange(100), "score": SCORES})
    labels = pd.DataFrame({"id": np.arange(100), "member": LABELS})
    found, said = opened(scores, caplog, path_labels=labels)
    check(found)
    assert "in the same order by the column 'id' of both" in said
    refused(scores, "'id'", "not the same", "sort both", path_labels=labels[::-1])


def test_labels_with_a_column_that_the_scores_have(caplog):
    scores = pd.DataFrame({"score": SCORES, "member": 1 - LABELS})
    check(opened(scores, caplog, path_labels=pd.DataFrame({"member": LABELS}))[0])


def test_labels_file_with_several_columns():
    labels = pd.DataFrame({"a": LABELS, "b": 1 - LABELS})
    scores = pd.DataFrame({"score": SCORES})
    refused(scores, "open which column", "'a', 'b'", "member=", path_labels=labels)
    check(read_scores(scores, path_labels=labels, member="a", member_value=1))


def test_labels_that_are_all_one(tmp_path):
    bb_audit(tmp_path)
    np.save(tmp_path / "mia_labels.npy", np.ones(100))
    refused(tmp_path, "holds only '1'")


def test_decisions_are_no_scores(tmp_path):
    np.save(tmp_path / "mia_scores.npy", SCORES > 0)
    np.save(tmp_path / "mia_labels.npy", LABELS)
    refused(tmp_path, "decisions, not scores")


def test_scores_that_are_text(tmp_path):
    content = {"signal_values": ["high", *map(str, SCORES[1:])], "true_labels": LABELS.tolist()}
    (tmp_path / "a.json").write_text(json.dumps(content))
    refused(tmp_path / "a.json", "'high' is not a number")


def test_arrow_files_that_are_missing_or_cut_off(tmp_path):
    columns = {"score": SCORES, "challenge_bit": LABELS}
    folder = arrow_folder(tmp_path / "both", columns, 3)
    last = folder / "data-00002-of-00003.arrow"
    content = last.read_bytes()
    last.write_bytes(content[:-8])
    refused(folder, "'data-00002-of-00003.arrow' is cut off", "nothing of it was used")
    last.write_bytes(content[:200])
    refused(folder, "damaged, truncated or no arrow file")
    last.unlink()
    refused(folder, "2 of the 3 arrow files", "nothing was used")


def test_arrow_parts_that_together_need_too_much_memory(tmp_path, monkeypatch):
    columns = {"score": SCORES, "challenge_bit": LABELS}
    folder = arrow_folder(tmp_path / "both", columns, 3)
    small = ReadLimits(memory=1000, memory_per_byte=0)
    monkeypatch.setattr(opening, "LIMITS", small)  # of the parts together; each is read as ever
    refused(folder, "the 3 arrow files", "trusted=True")
    check(read_scores(folder, trusted=True))


def test_arrow_parts_of_other_columns(tmp_path):
    folder = arrow_folder(tmp_path / "both", {"score": SCORES, "challenge_bit": LABELS}, 2)
    other = arrow_folder(tmp_path / "other", {"x": SCORES}, 2)
    name = "data-00001-of-00002.arrow"
    (folder / name).write_bytes((other / name).read_bytes())
    refused(folder, "no parts of one data set")


def test_a_report_without_the_files_beside_it(tmp_path):
    path = sacro(tmp_path)
    (tmp_path / "lira_individual_0a1b2c3d_instance_0.npz").unlink()
    refused(path, "holds no scores of records", "report_individual=True")


def test_a_report_that_names_files_elsewhere_reads_none_of_them(tmp_path):
    path = sacro(tmp_path / "outputs")
    report = json.loads(path.read_text())
    attack = next(iter(report.values()))
    instance = attack["attack_experiment_logger"]["attack_instance_logger"]["instance_0"]
    instance["individual_file"] = "../secret.npz"
    path.write_text(json.dumps(report))
    np.savez(tmp_path / "secret.npz", member_prob=SCORES + 5, member=LABELS)
    check(read_scores(path))  # what is beside it by its own name


@pytest.mark.parametrize(
    "name", ["keep.npy", "memberships.npy", "experiment-0_16", "x_signals.npy"]
)
def test_folders_of_tables_are_sent_to_their_reader(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    refused(tmp_path, "many models", "wb.read_score_table")


def test_folders_without_scores(tmp_path):
    refused(tmp_path, "is a folder in which no scores are recognized", "none")
    (tmp_path / "notes.md").write_text("x")
    refused(tmp_path, "'notes.md'")


def test_a_recognized_layout_can_be_overridden(tmp_path):
    path = leakpro(tmp_path / "a.json")
    frame = pd.DataFrame({"signal_values": SCORES, "true_labels": LABELS, "other": -SCORES})
    check(read_scores(frame, score="other"), -IN, -OUT)
    check(read_scores(frame, member_value=0), OUT, IN)
    turned = read_scores(path, larger_is_member=False, member_value="0")
    assert (turned.larger_is_member, turned.n_p) == (False, N_OUT)
