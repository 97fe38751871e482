"""Files as tools and people export them, made anew: name of a layout -> what writes it."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import sqlite3
import struct
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

RNG = np.random.default_rng(40)
N_P, N_Q = 50, 70
P, Q = RNG.normal(1, 1, N_P).round(6), RNG.normal(0, 1, N_Q).round(6)
ROWS = pd.DataFrame({"score": np.r_[P, Q], "member": np.repeat([1, 0], [N_P, N_Q])})
CELLS = ROWS.to_numpy().tolist()
FULL = {"double_precision": 15}

#: One loss for each epoch, as trackers draw it.
CURVE = pd.DataFrame(
    {
        "step": np.arange(30),
        "train_loss": 2 * 0.9 ** np.arange(30),
        "val_loss": 2.1 * 0.92 ** np.arange(30),
    }
)


def _text(name, text):
    return lambda folder: _written(folder / name, text.encode())


def _bytes(name, data):
    return lambda folder: _written(folder / name, data)


def _written(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def _npz(name, **arrays):
    def write(folder):
        np.savez(folder / name, **arrays)
        return folder / name

    return write


def _npy(name, array):
    def write(folder):
        np.save(folder / name, array)
        return folder / name

    return write


def _zip(name, **files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in files.items():
            archive.writestr(file.replace("__", "."), text)
    return _bytes(name, made.getvalue())


def _parquet(name, frame):
    def write(folder):
        pa.parquet.write_table(pa.Table.from_pandas(frame), folder / name)
        return folder / name

    return write


def _feather(name, frame):
    def write(folder):
        frame.to_feather(folder / name)
        return folder / name

    return write


def _lira(folder):
    """Logits and memberships of 16 models and 40 records."""
    scores, keep = RNG.normal(size=(16, 40)), np.tile(np.arange(16)[:, None] % 2 == 0, (1, 40))
    keep[:, ::2] = ~keep[:, ::2]
    (folder / "lira").mkdir()
    np.save(folder / "lira" / "scores.npy", scores)
    np.save(folder / "lira" / "keep.npy", keep)
    return folder / "lira"


def _sqlite(folder):
    with sqlite3.connect(folder / "runs.db") as database:
        ROWS.to_sql("scores", database, index=False)
    database.close()
    return folder / "runs.db"


def _lines(rows):
    return "\n".join(json.dumps(row) for row in rows)


_CSV = ROWS.to_csv(index=False)
_HDF = b"\x89HDF\r\n\x1a\n" + bytes(64)
_MAT = b"MATLAB 5.0 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x01IM" + bytes(64)
_HEAD = json.dumps({"scores": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
_SAFE = struct.pack("<Q", len(_HEAD)) + _HEAD + bytes(8)

#: What is opened by `wb.read_scores`, in the order of the table in docs/export-layouts.md.
LAYOUTS = {
    "csv of pandas": _text("scores.csv", _CSV),
    "csv of pandas with its index": _text("scores.csv", ROWS.to_csv()),
    "csv of R (write.csv)": _text(
        "scores.csv",
        '"","score","member"\n'
        + "".join(f'"{i}",{s},{"TRUE" if m else "FALSE"}\n' for i, (s, m) in enumerate(CELLS, 1)),
    ),
    "table of R (write.table)": _text(
        "scores.txt",
        '"score" "member"\n'
        + "".join(f'"{i}" {s} {int(m)}\n' for i, (s, m) in enumerate(CELLS, 1)),
    ),
    "European csv": _text("scores.csv", ROWS.to_csv(index=False, sep=";", decimal=",")),
    "Unicode text of Excel": _bytes(
        "scores.txt", ROWS.to_csv(index=False, sep="\t").encode("utf-16")
    ),
    "tab separated": _text("scores.tsv", ROWS.to_csv(index=False, sep="\t")),
    "tab separated without a header": _text(
        "scores.tsv", ROWS.to_csv(index=False, header=False, sep="\t")
    ),
    "numpy.savetxt of one group": _text("members.txt", "\n".join(map(str, P))),
    "numpy.savetxt of two columns": _text(
        "scores.txt", "\n".join(f"{s:.18e} {m:.18e}" for s, m in CELLS)
    ),
    "csv with lines of comments": _text("scores.csv", f"# attack: LiRA\n# seed: 3\n{_CSV}"),
    "csv with percent signs": _text(
        "scores.csv", "confidence,member\n" + "".join(f"{50 + s:.2f}%,{int(m)}\n" for s, m in CELLS)
    ),
    "csv with printed tensors": _text(
        "scores.csv", "score,member\n" + "".join(f"tensor({s}),{int(m)}\n" for s, m in CELLS)
    ),
    "csv.gz of pandas": _bytes("scores.csv.gz", gzip.compress(_CSV.encode())),
    "zip with a csv": _zip("scores.zip", scores__csv=_CSV),
    "zip with several files": _zip("scores.zip", scores__csv=_CSV, notes__txt="of Monday"),
    "json of pandas, records": _text("scores.json", ROWS.to_json(orient="records", **FULL)),
    "json of pandas, columns": _text("scores.json", ROWS.to_json(orient="columns", **FULL)),
    "json of pandas, index": _text("scores.json", ROWS.to_json(orient="index", **FULL)),
    "json of pandas, split": _text("scores.json", ROWS.to_json(orient="split", **FULL)),
    "json of pandas, table": _text("scores.json", ROWS.to_json(orient="table", **FULL)),
    "json of pandas, values": _text("scores.json", ROWS.to_json(orient="values", **FULL)),
    "JSON lines": _text("scores.jsonl", _lines(ROWS.to_dict("records"))),
    "JSON lines, nested": _text(
        "scores.jsonl", _lines({"output": {"score": s}, "member": bool(m)} for s, m in CELLS)
    ),
    "json of two groups, nested": _text(
        "report.json",
        json.dumps({"predictions": {"member": P.tolist(), "nonmember": Q.tolist()}, "raw": []}),
    ),
    "Weights & Biases, table": _text(
        "scores.table.json",
        json.dumps(
            {"columns": ["score", "member"], "data": CELLS, "ncols": 2, "nrows": len(CELLS)}
        ),
    ),
    "Weights & Biases, history": _text(
        "history.csv", CURVE.rename(columns={"step": "_step"}).to_csv(index=False)
    ),
    "MLflow, log_table": _text(
        "scores.json", json.dumps({"columns": ["score", "member"], "data": CELLS})
    ),
    "MLflow, file of a metric": _text(
        "train_loss.txt",
        "".join(f"{17e11 + i:.0f} {loss} {i}\n" for i, loss in enumerate(CURVE.train_loss)),
    ),
    "TensorBoard, csv of a scalar": _text(
        "loss.csv",
        "Wall time,Step,Value\n"
        + "".join(f"{17e8 + i},{i},{v}\n" for i, v in enumerate(CURVE.train_loss)),
    ),
    "TensorBoard, events": _bytes("events.out.tfevents.1700000000.host", bytes(range(64))),
    "Hugging Face Trainer, log history": _text(
        "trainer_state.json",
        json.dumps(
            {"log_history": [{"loss": v, "step": i} for i, v in enumerate(CURVE.train_loss)]}
        ),
    ),
    "privacy-meter, npz": _npz(
        "attack_result_0.npz", scores=ROWS.score.to_numpy(), memberships=ROWS.member.to_numpy()
    ),
    "LiRA, folder of npy": _lira,
    "MICO, prediction.csv": _text("prediction.csv", ",".join(f"{x:.6f}" for x in RNG.random(100))),
    "Kaggle, submission": _text(
        "submission.csv",
        "id,prediction\n" + "".join(f"{i},{s}\n" for i, (s, _) in enumerate(CELLS)),
    ),
    "scikit-learn, y_true and y_score": _npz(
        "attack.npz", y_true=ROWS.member.to_numpy(), y_score=ROWS.score.to_numpy()
    ),
    "scikit-learn, ROC with numbers": _text(
        "roc.json",
        json.dumps(
            {
                "fpr": [0.0, 0.1, 0.5, 1.0],
                "tpr": [0.0, 0.6, 0.9, 1.0],
                "n_pos": N_P,
                "n_neg": N_Q,
            }
        ),
    ),
    "scikit-learn, ROC without numbers": _text(
        "roc.json", json.dumps({"fpr": [0.0, 0.1, 0.5, 1.0], "tpr": [0.0, 0.6, 0.9, 1.0]})
    ),
    "scikit-learn, area alone": _text("auc.json", '{"roc_auc": 0.76}'),
    "scikit-learn, confusion matrix": _text(
        "result.json", '{"confusion_matrix": [[55, 15], [12, 38]]}'
    ),
    "npz of two arrays": _npz("scores.npz", p=P, q=Q),
    "npy of two columns": _npy("scores.npy", ROWS.to_numpy()),
    "npz of logits and labels": _npz(
        "outputs.npz",
        logits=RNG.normal(size=(60, 10)),
        labels=np.arange(60) % 10,
        member=np.arange(60) % 2,
    ),
    "parquet": _parquet("scores.parquet", ROWS),
    "parquet with lists": _parquet(
        "scores.parquet",
        pd.DataFrame({"score": [[s, s + 0.1] for s in ROWS.score], "member": ROWS.member}),
    ),
    "feather": _feather("scores.feather", ROWS),
    "PyTorch, torch.save": _zip("scores.pt", scores__data__pkl="x"),
    "pickle": _bytes("scores.pkl", pickle.dumps(P.tolist())),
    "joblib": _bytes("scores.joblib", pickle.dumps(Q.tolist())),
    "safetensors": _bytes("scores.safetensors", _SAFE),
    "Excel": _zip("scores.xlsx", workbook__xml="<workbook/>"),
    "MATLAB": _bytes("scores.mat", _MAT),
    "HDF5": _bytes("scores.h5", _HDF),
    "R, saveRDS": _bytes("scores.rds", gzip.compress(b"X\n\x00\x00\x00\x03")),
    "Stata": _bytes("scores.dta", b"<stata_dta><header><release>118"),
    "SPSS": _bytes("scores.sav", b"$FL2@(#) SPSS DATA FILE"),
    "SQLite": _sqlite,
    "YAML": _text("scores.yaml", "members: [1.5, 0.2]\nnonmembers: [0.1, -0.3]\n"),
    "HTML": _text("scores.html", ROWS.head().to_html()),
}
