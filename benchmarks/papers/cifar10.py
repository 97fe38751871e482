"""CIFAR-10, where its binary files are at hand: nothing is downloaded.

The files ``data_batch_1.bin`` to ``data_batch_5.bin`` of "CIFAR-10 binary version" (Krizhevsky
2009) have 10,000 records each, of one byte for the label and 3072 for the image: red, green and
blue, each 32 × 32. Put them into ``build/papers/cifar-10-batches-bin``, or name their folder in the
environment variable ``CIFAR10``.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from benchmarks.papers import FOLDER
from workbench.training import LabeledData

#: Bytes of a record: its label, and 32 × 32 pixels in three colors.
RECORD = 1 + 3 * 32 * 32
#: What a line says where the files are not at hand.
NEEDED = "CIFAR-10 does not come with a package; `benchmarks.papers.cifar10` takes its binary files"


def folder() -> Path:
    """Where the files are expected."""
    return Path(os.environ.get("CIFAR10") or FOLDER / "cifar-10-batches-bin")


def cifar10(records: int | None = None) -> LabeledData | None:
    """The first records of the training files, pixels in [0, 1]; None where there are none.

    Parameters
    ----------
    records : int, optional
        All by default.

    Raises
    ------
    ValueError
        A file that is not whole.
    """
    files = sorted(folder().glob("data_batch_*.bin"))
    if not files:
        return None
    read = [np.fromfile(file, np.uint8) for file in files]
    for file, found in zip(files, read, strict=True):
        if not found.size or found.size % RECORD:
            raise ValueError(
                f"{file} must have records of {RECORD} bytes, got {found.size} bytes; copy the "
                "binary version of CIFAR-10 again"
            )
    rows = np.concatenate(read).reshape(-1, RECORD)[:records]
    pixels = rows[:, 1:].astype(np.float32) / np.float32(255)
    return LabeledData(pixels, rows[:, 0].astype(np.intp), 10, "cifar-10")
