"""Score files of all formats, and the same damaged: for tests and `benchmarks.hostile_files`."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import feather, parquet

ROWS = 60

#: What lengths, offsets and counts are replaced by, besides neighbors of what they were.
LIES = (0, 1, -1, 7, 255, 2**16, 2**31 - 1, -(2**31), 2**33, 2**40, 2**62, 2**63 - 1, -(2**63))

#: What text is damaged with.
NASTY = (
    *(b",", b";", b"\t", b"\n", b"\r", b'"', b"'", b".", b"-", b"e9", b"e999", b"nan", b"inf"),
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xf0\x9f\x98\x80", b"true", b"null"),
    *(b"[", b"]", b"{", b"}", b":", b"\\ud800", b"9" * 40, b"[" * 50, b",,,,", b'""', b" " * 99),
)


@cache
def samples() -> dict[str, bytes]:
    """Name of a file -> its content: what people have, in every format and most of its variants."""
    rng = np.random.default_rng(0)
    p, q = rng.normal(1, 1, ROWS), rng.normal(0, 1, ROWS)
    pair = pd.DataFrame({"p": p, "q": q})
    rows = pd.DataFrame(
        {
            "id": [f"run-{i}" for i in range(2 * ROWS)],
            "score": np.r_[p, q].round(3),
            "member": np.repeat(["in", "out"], ROWS),
            "epoch": np.arange(2 * ROWS, dtype=np.int32),
            "flag": np.arange(2 * ROWS) % 3 == 0,
        }
    )
    empty = pair.mask(pair > 1.5)
    coded = rows.astype({"member": "category"})
    found = {
        "pair.csv": pair.to_csv(index=False).encode(),
        "rows.csv": rows.to_csv(index=False).encode(),
        "commas.csv": rows.to_csv(index=False, sep=";", decimal=",").encode(),
        "empty.tsv": empty.to_csv(index=False, sep="\t").encode(),
        "wide.txt": pair.to_csv(index=False).encode("utf-16"),
        "records.json": rows.to_json(orient="records").encode(),
        "columns.json": json.dumps({"p": p.tolist(), "q": q.tolist()}).encode(),
        "index.json": rows.to_json().encode(),
        "split.json": rows.to_json(orient="split").encode(),
        "table.json": rows.to_json(orient="table").encode(),
        "by-index.json": rows.to_json(orient="index").encode(),
        "values.json": pair.to_json(orient="values").encode(),
        "nested.json": json.dumps(_nested(p, q)).encode(),
        "roc.json": json.dumps(_roc(p, q)).encode(),
        "records.jsonl": rows.to_json(orient="records", lines=True).encode(),
        "numbers.ndjson": "\n".join(json.dumps({"score": s, "member": 1}) for s in p).encode(),
        "report.json": json.dumps(_report(p, q)).encode(),
        "one.npy": _npy(p),
        "fields.npy": _npy(
            np.array(list(zip(p, q, strict=True)), dtype=[("p", ">f8"), ("q", "f4")])
        ),
        "text.npy": _npy(np.array(["in", "out", "1.5"] * 9)),
        "stored.npz": _npz(zipfile.ZIP_STORED, p=p, q=q),
        "deflated.npz": _npz(zipfile.ZIP_DEFLATED, score=np.r_[p, q], member=rows["member"]),
    }
    fields = np.array(list(zip(p, q, strict=True)), dtype=[("p", ">f8"), ("q", "f4")])
    found["fields.npy"] = _npy(fields)
    csv, lines = found["rows.csv"], found["records.jsonl"]
    for name, content in {"rows.csv": csv, "records.jsonl": lines}.items():
        found[f"{name}.gz"] = gzip.compress(content, mtime=0)
        found[f"{name}.bz2"] = bz2.compress(content)
        found[f"{name}.xz"] = lzma.compress(content)
        found[f"{name}.zst"] = pa.compress(content, "zstd", asbytes=True)
        found[f"{name}.zip"] = _zipped(name, content)
    frames = {"pair": pair, "rows": rows, "empty": empty, "coded": coded}
    for compression in ("uncompressed", "lz4", "zstd"):
        for name, frame in frames.items():
            found[f"{name}-{compression}.feather"] = _written(
                lambda file, f=frame, c=compression: feather.write_feather(f, file, compression=c)
            )
    for compression in (None, "lz4", "zstd"):
        for name, frame in frames.items():
            found[f"{name}-{compression}.arrow"] = _streamed(frame, compression)
    for compression in ("none", "snappy", "zstd"):
        for name, frame in frames.items():
            found[f"{name}-{compression}.parquet"] = _written(
                lambda file, f=frame, c=compression: parquet.write_table(
                    pa.Table.from_pandas(f), file, compression=c, row_group_size=50
                )
            )
    return found


def _report(p: np.ndarray, q: np.ndarray) -> dict[str, object]:
    """Scores within the nested report of a tool, and a run whose scores are elsewhere."""
    records = {"member_prob": [*p, *q], "member": [1] * p.size + [0] * q.size}
    runs = {"instance_0": {"individual": records}, "instance_1": {"individual_file": "a.npz"}}
    return {"LiRA_0a1b": {"attack_experiment_logger": {"attack_instance_logger": runs}}}


def _nested(p: np.ndarray, q: np.ndarray) -> dict[str, object]:
    """Scores two levels down, beside what is none."""
    scores = {"member": p.tolist(), "nonmember": q.tolist()}
    return {"run": {"predictions": scores}, "settings": {"lr": 0.1, "sizes": [64, 10]}, "raw": []}


def _roc(p: np.ndarray, q: np.ndarray) -> dict[str, object]:
    """The rates at every score, and the numbers of both groups."""
    at = np.sort(np.r_[p, q])[::-1, None]
    rates = {"fpr": (q >= at).mean(axis=1).tolist(), "tpr": (p >= at).mean(axis=1).tolist()}
    return {**rates, "auc": 0.76, "n_members": p.size, "n_nonmembers": q.size}


def _zipped(name: str, content: bytes) -> bytes:
    def write(file: io.BytesIO) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)

    return _written(write)


def mutants(seed: int, count: int, suffix: str = "") -> Iterator[tuple[str, bytes]]:
    """Damaged files of all formats, or of one, in turn: the same for the same seed.

    Parameters
    ----------
    seed, count : int
    suffix : str
        How the names of the files end that are damaged.
    """
    rng = np.random.default_rng(seed)
    chosen = {name: data for name, data in samples().items() if name.endswith(suffix)}
    names = list(chosen)
    for i in range(count):
        name = names[i % len(names)]
        yield name, mutated(rng, name, chosen[name])


def mutated(rng: np.random.Generator, name: str, data: bytes) -> bytes:
    """The content with some damage of its format's kind."""
    if name.endswith(".npz") and rng.random() < 0.5:
        return _rezipped(rng, data)
    ways = _OF_BYTES
    if name.endswith((".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson")):
        ways = _OF_TEXT
    elif name.endswith((".feather", ".arrow")):
        ways = (*_OF_BYTES, lied, lied, lied)
    for _ in range(rng.integers(1, 4)):
        data = ways[rng.integers(len(ways))](rng, data) or b"\x00"
    return data


# -- ways of damage -------------------------------------------------------------------------------


def lied(rng: np.random.Generator, data: bytes) -> bytes:
    """Some integers that look like lengths, offsets or counts say something else.

    In an arrow file these are the metadata of the buffers and the offsets of texts.
    """
    code, size = ("<q", 8) if rng.random() < 0.6 else ("<i", 4)
    values = np.frombuffer(data, code, count=len(data) // size)
    places = np.flatnonzero((values > 0) & (values <= 4 * len(data)))
    changed = bytearray(data)
    if places.size:
        for place in rng.choice(places, min(places.size, int(rng.integers(1, 4))), replace=False):
            was = int(values[place])
            near = (was + 1, was - 1, was + 8, was * 2, was * 1000, len(data), was + 2**20)
            lie = int(rng.choice(np.array(near if rng.random() < 0.5 else LIES, dtype=object)))
            most = 2 ** (8 * size - 1) - 1
            struct.pack_into(code, changed, int(place) * size, max(min(lie, most), -most - 1))
    return bytes(changed)


def flipped(rng: np.random.Generator, data: bytes) -> bytes:
    """Some bytes are others: anywhere, or near the beginning or the end."""
    changed = bytearray(data)
    low, high = [(0, len(data)), (0, 600), (len(data) - 1200, len(data))][rng.integers(3)]
    for place in rng.integers(max(low, 0), min(high, len(data)), int(rng.integers(1, 9))):
        changed[place] = rng.integers(256)
    return bytes(changed)


def truncated(rng: np.random.Generator, data: bytes) -> bytes:
    """The end is missing."""
    return data[: rng.integers(1, len(data) + 1)]


def cut(rng: np.random.Generator, data: bytes) -> bytes:
    """A piece is missing."""
    start = int(rng.integers(len(data)))
    return data[:start] + data[start + int(rng.integers(1, 64)) :]


def repeated(rng: np.random.Generator, data: bytes) -> bytes:
    """A piece comes twice, or over another."""
    start, to = rng.integers(len(data), size=2)
    piece = data[start : start + int(rng.integers(1, 300))]
    return data[:to] + piece + data[to + (len(piece) if rng.random() < 0.5 else 0) :]


def sprinkled(rng: np.random.Generator, data: bytes) -> bytes:
    """Signs that mean something stand where they should not."""
    for _ in range(rng.integers(1, 5)):
        place = int(rng.integers(len(data) + 1 if rng.random() < 0.5 else min(len(data), 60)))
        what = NASTY[rng.integers(len(NASTY))]
        data = data[:place] + what + data[place + int(rng.integers(0, 3)) :]
    return data


_OF_BYTES: tuple[Callable[[np.random.Generator, bytes], bytes], ...] = (
    *(lied, flipped, truncated, cut, repeated),
)
_OF_TEXT = (sprinkled, sprinkled, sprinkled, flipped, truncated, cut, repeated)


def _rezipped(rng: np.random.Generator, data: bytes) -> bytes:
    """The archive is sound, what is in it is not."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if rng.random() < 0.7:
                content = _OF_BYTES[rng.integers(len(_OF_BYTES))](rng, content)
            new.writestr(name, content)
    return out.getvalue()


# -- writing --------------------------------------------------------------------------------------


def _written(write: Callable[[io.BytesIO], object]) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def _streamed(frame: pd.DataFrame, compression: str | None) -> bytes:
    """An arrow stream of several batches."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    options = pa.ipc.IpcWriteOptions(compression=compression)
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema, options=options) as stream:
        stream.write_table(table, max_chunksize=50)
    return out.getvalue()


def _npy(array: np.ndarray) -> bytes:
    return _written(lambda file: np.save(file, array))


def _npz(compression: int, **arrays: object) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, array in arrays.items():
            archive.writestr(f"{name}.npy", _npy(np.array(list(array))))  # type: ignore[call-overload]
    return out.getvalue()
