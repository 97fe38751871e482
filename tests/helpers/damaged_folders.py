"""Folders and files of score tables, damaged: what is in their files, and what files there are."""

from __future__ import annotations

import io
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.mutants import NASTY, flipped, lied, mutated, repeated, sprinkled, truncated
from helpers import table_layouts as layouts

Damage = Callable[[np.random.Generator, list[Path]], None]


#: Bytes of a file that is damaged further.
_MOST = 10**6


def sound(folder: Path) -> dict[str, Path]:
    """A folder or file of each layout and most of its variants, by name."""
    few, small = layouts.audit(8, 12), layouts.audit(6, 9, seed=1)
    folder.mkdir(parents=True, exist_ok=True)
    made = {
        "lira": layouts.lira(folder / "lira", few),
        "lira-plain": layouts.lira(folder / "lira-plain", few, augmentations=0, names="{m}"),
        "lira-logits": layouts.lira(folder / "lira-logits", few, logits=True),
        "meter": layouts.privacy_meter(folder / "meter", few),
        "meter-around": layouts.privacy_meter(folder / "meter-around", few, around=3),
        "statistics": layouts.shadow_statistics(folder / "statistics", few),
        "statistics-loss": layouts.shadow_statistics(folder / "statistics-loss", few, loss=True),
        "guard": layouts.privacy_guard(folder / "guard", few),
        "guard-csv": layouts.privacy_guard(folder / "guard-csv", few, kind="csv"),
        "matrix": layouts.vulnerability_matrix(folder / "vulnerability_matrix.csv"),
    }
    for end in ("csv", "tsv", "parquet", "feather", "json"):
        for form in ("long", "wide"):
            path = folder / f"{form}.{end}"
            frame = layouts.long_form(small) if form == "long" else layouts.wide_form(small)
            _write(frame, path)
            made[path.name] = path
    parts = folder / "parts"
    parts.mkdir()
    frame = layouts.long_form(small)
    for k in range(3):
        frame.iloc[k::3].to_parquet(parts / f"part-{k}.parquet", index=False)
    arrays = folder / "arrays"
    arrays.mkdir()
    np.save(arrays / "scores.npy", few.log_odds)
    np.save(arrays / "member.npy", few.member)
    np.savez(folder / "both.npz", scores=few.log_odds, member=few.member)
    np.savez_compressed(
        folder / "classes.npz", logits=np.zeros((8, 12, 3)), member=few.member, labels=few.labels
    )
    return made | {
        "parts": parts,
        "arrays": arrays,
        "both.npz": folder / "both.npz",
        "classes.npz": folder / "classes.npz",
    }


def _write(frame: pd.DataFrame, path: Path) -> None:
    if path.suffix in (".csv", ".tsv"):
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    elif path.suffix == ".json":
        frame.to_json(path, orient="records")
    else:
        getattr(frame, f"to_{path.suffix[1:]}")(path)


def damaged(rng: np.random.Generator, source: Path, to: Path) -> Path:
    """A copy with one to three damages."""
    if source.is_dir():
        shutil.copytree(source, to)
    else:
        to.mkdir()
        to = Path(shutil.copy(source, to / source.name))
    for _ in range(rng.integers(1, 4)):
        paths = sorted(to.rglob("*")) if to.is_dir() else [to]
        regular = [path for path in paths if path.is_file() and not path.is_symlink()]
        files = [path for path in regular if path.stat().st_size < _MOST]
        if not files:
            break
        ways = (_content, _content, _array, _array, *(_OF_FOLDERS if to.is_dir() else ()))
        ways[rng.integers(len(ways))](rng, files)
    return to


def _content(rng: np.random.Generator, files: list[Path]) -> None:
    """A file with damaged content."""
    path = files[rng.integers(len(files))]
    data = path.read_bytes() or b"\x00"
    if path.suffix == ".npy" and rng.random() < 0.5:  # in the header
        head = [lied, flipped, truncated, repeated, sprinkled][rng.integers(5)](rng, data[:128])
        data = head + data[128:]
    else:
        try:
            data = mutated(rng, path.name, data)
        except Exception:  # it is a damaged archive already
            data = flipped(rng, data)
    path.write_bytes(data)


def _array(rng: np.random.Generator, files: list[Path]) -> None:
    """A sound array of something else, or a column of it."""
    paths = [path for path in files if path.suffix in (".npy", ".npz")]
    if not paths:
        return _content(rng, files)
    path = paths[rng.integers(len(paths))]
    try:
        found = np.load(path, allow_pickle=False)
        held = {name: found[name] for name in found} if path.suffix == ".npz" else {"": found}
    except Exception:  # it is damaged already
        return _content(rng, files)
    if not held:
        return None
    name = list(held)[rng.integers(len(held))]
    held[name] = _other(rng, np.asarray(held[name]))
    out = io.BytesIO()
    if path.suffix == ".npz":
        np.savez(out, **held)
    else:
        np.save(out, held[""])
    path.write_bytes(out.getvalue())
    return None


def _other(rng: np.random.Generator, a: np.ndarray) -> np.ndarray:
    ways: list[Callable[[], np.ndarray]] = [
        lambda: a[:-1],
        lambda: a[:0],
        lambda: a.reshape(-1),
        lambda: a.T,
        lambda: a[..., None],
        lambda: a[None],
        lambda: np.zeros((0, 5)),
        lambda: np.float64(3.0),
        lambda: np.broadcast_to(np.array(7), a.shape).copy(),
        lambda: a.astype("U9"),
        lambda: a.astype("S3"),
        lambda: a.astype(complex),
        lambda: a.astype(np.float16),
        lambda: a.astype(">f8"),
        lambda: a.astype(np.int64) * 2**62,
        lambda: a.astype(np.uint8) + 250,
        lambda: a.astype("datetime64[s]"),
        lambda: a.astype("timedelta64[D]"),
        lambda: np.full(a.shape, np.nan),
        lambda: np.full(a.shape, np.inf),
        lambda: np.where(rng.random(a.shape) < 0.2, np.nan, a.astype(float)),
        lambda: a.astype(float) * 1e308,
        lambda: np.zeros(a.shape, bool),
        lambda: np.zeros(a.shape, [("p", "f8"), ("q", "i4")]),
        lambda: np.repeat(a, 2, axis=0) if a.ndim else a,
        lambda: np.zeros(a.shape, "V4"),
        lambda: np.zeros((1,) * 20),
    ]
    with np.errstate(all="ignore"):
        try:
            return ways[rng.integers(len(ways))]()
        except (TypeError, ValueError, IndexError, OverflowError):
            return np.zeros(3)


# -- of folders -----------------------------------------------------------------------------------


def _one(rng: np.random.Generator, files: list[Path]) -> Path:
    return files[rng.integers(len(files))]


def _missing(rng: np.random.Generator, files: list[Path]) -> None:
    _one(rng, files).unlink()


def _swapped(rng: np.random.Generator, files: list[Path]) -> None:
    one, other = _one(rng, files), _one(rng, files)
    data = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(data)


def _folder_instead(rng: np.random.Generator, files: list[Path]) -> None:
    path = _one(rng, files)
    path.unlink()
    path.mkdir()


def _empty(rng: np.random.Generator, files: list[Path]) -> None:
    _one(rng, files).write_bytes(b"")


def _special(rng: np.random.Generator, files: list[Path]) -> None:
    """A link to a device, to nothing, to itself, to its folder; a pipe."""
    path = _one(rng, files)
    path.unlink()
    targets = ["/dev/zero", "/dev/null", "/nothing/here", path.name, "..", "/proc/self/mem"]
    which = int(rng.integers(len(targets) + 1))
    if which < len(targets):
        path.symlink_to(targets[which])
    else:
        os.mkfifo(path)


def _named(rng: np.random.Generator, files: list[Path]) -> None:
    """A file or its folder under another name, or twice."""
    path = _one(rng, files)
    if rng.random() < 0.5 and len({file.parent for file in files}) > 1:
        path = path.parent
    numbers = re.findall(r"\d+", path.name)
    which = numbers[rng.integers(len(numbers))] if numbers else ""
    stem = path.name.replace(which, "{}", 1) if which else f"{path.stem}{{}}{path.suffix}"
    number = ["9" * 30, "-1", "", "1e5", "٣", "²", "0x1", "1_0", " 3", "0" * 40 + "1", "\udcff"]
    names = [stem.replace("{}", number[rng.integers(len(number))]), NASTY[3].decode(), "a'\"<b>"]
    target = path.with_name(names[rng.integers(len(names))][:200] or "x")
    if target.exists() or target == path:
        return
    if rng.random() < 0.5:
        path.rename(target)
    elif path.is_dir():
        shutil.copytree(path, target, symlinks=True, ignore=shutil.ignore_patterns("nothing"))
    else:
        target.write_bytes(path.read_bytes())


def _sparse(rng: np.random.Generator, files: list[Path]) -> None:
    """A large file of nothing."""
    with _one(rng, files).open("r+b") as file:
        file.truncate(int(rng.choice([10**6, 10**8, 3 * 10**9])))


_OF_FOLDERS: tuple[Damage, ...] = (
    *(_missing, _missing, _swapped, _folder_instead, _empty, _special, _named, _named, _sparse),
)
