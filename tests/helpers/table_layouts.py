"""Synthetic copies of the layouts in which public tools write tables of models × records."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Audit:
    """What a tool measured: log-odds, larger for members, and who was in which model."""

    log_odds: np.ndarray
    member: np.ndarray
    labels: np.ndarray

    @property
    def probability(self):
        return 1 / (1 + np.exp(-self.log_odds))


def audit(models=16, records=40, seed=0, design="exactly half"):
    rng = np.random.default_rng(seed)
    if design == "exactly half":
        member = rng.random((models, records)).argsort(axis=0) < models // 2
    elif design == "complementary pairs":
        half = rng.random((models // 2, records)) < 0.5
        member = np.stack([half, ~half], axis=1).reshape(models, records)
    else:
        member = rng.random((models, records)) < 0.5
    log_odds = rng.normal(size=member.shape) + 2 * member
    return Audit(log_odds, member, rng.integers(0, 3, records))


def lira(folder, found, *, names="experiment-{m}_{n}", augmentations=2, logits=False, epoch=20):
    """score.py of tensorflow/privacy research/mi_lira_2021."""
    n_models, n = found.member.shape
    for m in range(n_models):
        one = folder / names.format(m=m, n=n_models, s=1000 + 7 * m)
        kind = "logits" if logits else "scores"
        (one / kind).mkdir(parents=True)
        np.save(one / "keep.npy", found.member[m])
        settings = {"expid": m, "num_experiments": n_models, "epochs": epoch, "seed": 3 * m}
        (one / "hparams.json").write_text(json.dumps(settings))
        for end in (epoch // 2, epoch):
            scores = found.log_odds[m] + (end < epoch)
            if augmentations:
                scores = np.stack([scores + 0.1 * a for a in range(augmentations)], axis=1)
            if logits:
                scores = _logits(scores[:, None, :], found.labels)
            np.save(one / kind / f"{end:010d}.npy", scores)
    np.save(folder / "y_train.npy", found.labels)
    np.save(folder / "x_train.npy", np.zeros((n, 4, 4, 3), np.uint8) + np.arange(n, dtype=np.uint8)
            .reshape(-1, 1, 1, 1))  # fmt: skip
    return folder


def _logits(log_odds, labels, classes=3):
    """Logits (records, 1, augmentations, classes) whose log-odds are those."""
    z = np.zeros((*log_odds.shape, classes))
    own = np.arange(classes) == labels[:, None, None, None]
    z += np.where(own, (log_odds + np.log(classes - 1))[..., None], 0.0)
    return z.astype(np.float32)


def privacy_meter(folder, found, *, signals=("rmia",), population=25, around=0, subset=None):
    """models/ and signals/ of ml_privacy_meter 2.0."""
    (folder / "models").mkdir(parents=True)
    (folder / "signals").mkdir()
    np.save(folder / "models" / "memberships.npy", found.member)
    (folder / "models" / "models_metadata.json").write_text("{}")
    p = found.probability.T.astype(np.float32)  # (records, models)
    if subset is not None:
        p = p[:subset]
    for name in signals:
        if around:
            p_around = np.repeat(p, around, axis=0)
            p_around *= 1 - 0.01 * np.tile(np.arange(around), len(p))[:, None].astype(np.float32)
            np.save(folder / "signals" / f"{name}_ramia_signals.npy", p_around)
            continue
        np.save(folder / "signals" / f"{name}_signals.npy", p)
        if population:
            rng = np.random.default_rng(1)
            pop = rng.random((population, len(found.member))).astype(np.float32)
            np.save(folder / "signals" / f"{name}_signals_pop.npy", pop)
    return folder


def hugging_face(folder, columns, shards=1):
    """A data set of Hugging Face's `datasets`, as save_to_disk writes it."""
    import pyarrow as pa

    folder.mkdir(parents=True)
    table = pa.table(columns)
    n = -(-table.num_rows // shards)
    files = []
    for k in range(shards):
        part = table.slice(k * n, n)
        files.append({"filename": f"data-{k:05d}-of-{shards:05d}.arrow"})
        path = str(folder / files[-1]["filename"])
        with pa.OSFile(path, "wb") as sink, pa.ipc.new_stream(sink, part.schema) as writer:
            writer.write_table(part, max_chunksize=7)
    features = {name: {"_type": "Value"} for name in table.column_names}
    (folder / "dataset_info.json").write_text(json.dumps({"features": features}))
    (folder / "state.json").write_text(json.dumps({"_data_files": files}))
    return folder


def shadow_statistics(folder, found, *, models=True, loss=False, shards=2, keep=None):
    """Shadow model statistics of privacy-estimates."""
    columns = {"sample_index": [], "split": [], "label": []}
    for side in ("in", "out"):
        for name in ("logits", "loss_list", "model_index"):
            columns[f"{name}_{side}"] = []
        columns[f"lira_mean_{side}"] = []
    for r, label in enumerate(found.labels):
        columns["sample_index"].append(100 + r)
        columns["split"].append("train")
        columns["label"].append(int(label))
        for side, rows in (("in", found.member[:, r]), ("out", ~found.member[:, r])):
            which = np.flatnonzero(rows)
            z = np.zeros((which.size, 3), np.float32)
            z[:, label] = found.log_odds[which, r] + np.log(2)
            columns[f"logits_{side}"].append(z.tolist())
            columns[f"loss_list_{side}"].append((-np.log(found.probability[which, r])).tolist())
            columns[f"model_index_{side}"].append(which.tolist())
            columns[f"lira_mean_{side}"].append(float(found.log_odds[which, r].mean()))
    left = [] if models else ["model_index_in", "model_index_out"]
    left += ["logits_in", "logits_out"] if loss else ["loss_list_in", "loss_list_out"]
    columns = {k: v for k, v in columns.items() if k not in left and (keep is None or k in keep)}
    return hugging_face(folder, columns, shards)


def privacy_guard(folder, found, *, kind="parquet"):
    """df_train_merge, df_test_merge and df_population of PrivacyGuard's RMIA attack."""
    folder.mkdir(parents=True)
    inside = found.member[0]
    frame = pd.DataFrame({"user_id": np.arange(inside.size) + 5})
    frame["score_orig"] = found.probability[0]
    for k in range(1, len(found.member)):
        frame[f"score_ref_{k - 1}"] = found.probability[k]
        frame[f"member_ref_{k - 1}"] = found.member[k]
    rng = np.random.default_rng(2)
    population = pd.DataFrame(rng.random((9, len(found.member))))
    population.columns = ["score_orig", *(f"score_ref_{k}" for k in range(len(found.member) - 1))]
    for name, part in (
        ("df_train_merge", frame[inside]),
        ("df_test_merge", frame[~inside]),
        ("df_population", population),
    ):
        if kind == "csv":
            part.to_csv(folder / f"{name}.csv", index=False)
        else:
            part.to_parquet(folder / f"{name}.parquet", index=False)
    return folder


def vulnerability_matrix(path, n=30):
    """vulnerability_matrix.csv of SACRO-ML's MetaAttack."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"is_member": np.repeat([1, 0], n // 2)})
    frame["qmia_mean"] = rng.random(n) / 2 + frame["is_member"] / 2
    frame["qmia_vuln"] = frame["qmia_mean"] > 0.5
    frame["struct_k"] = np.where(frame["is_member"] == 1, 3.0, np.nan)
    frame["mia_mean"] = frame["mia_gmean"] = frame["qmia_mean"]
    frame["n_vulnerable"] = frame["qmia_vuln"].astype(int)
    frame.index = pd.Index([f"record_{i}" for i in range(n)], name="record")
    frame.to_csv(path)
    return path


def long_form(found, names=("model", "record", "score", "member")):
    """A row for each model and record, in random order."""
    m, r = np.indices(found.member.shape)
    columns = (m, r, found.log_odds, found.member.astype(int))
    frame = pd.DataFrame({n: c.ravel() for n, c in zip(names, columns, strict=True)})
    return frame.sample(frac=1, random_state=4, ignore_index=True)


def wide_form(found, score="score_{}", member="member_{}"):
    """A row for each record."""
    frame = pd.DataFrame({"record_id": [f"r{i}" for i in range(found.labels.size)]})
    for m in range(len(found.member)):
        frame[score.format(m)] = found.log_odds[m]
        frame[member.format(m)] = found.member[m].astype(int)
    frame["label"] = found.labels
    return frame
