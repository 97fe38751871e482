"""`Run`: the scale and the seed of a run of items, and the parts that it keeps."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


def cpu() -> float:
    """CPU seconds of this process so far, and of its children that have ended."""
    return sum(os.times()[:4])


@dataclass
class Run:
    """One run of a paper's items.

    Attributes
    ----------
    folder : Path
        Of the paper, in which parts are kept.
    full : bool
        At the paper's scale.
    seed : int
    read : float
        CPU seconds that the parts took which were read and not computed.
    """

    folder: Path
    full: bool = False
    seed: int = 0
    read: float = 0.0

    def rng(self, *stream: int) -> np.random.Generator:
        """A generator of this run; different numbers give independent ones."""
        return np.random.default_rng([self.seed, *stream])

    @property
    def parts(self) -> Path:
        """Folder of the parts of this scale and seed."""
        return self.folder / f"{'full' if self.full else 'small'}-{self.seed}"

    def kept(self, key: str, function: Callable[[], Any]) -> Any:
        """What a function returns, as JSON has it; a full run computes it once.

        Parameters
        ----------
        key : str
            Names the part and all of its settings, unique within the paper.
        function : callable
            Returns numbers, texts, lists, dicts or arrays.

        Returns
        -------
        Any
            Arrays and tuples as lists, keys of dicts as texts, whether it was computed or read.
        """
        file = self.parts / f"{re.sub(r'[^A-Za-z0-9.=+-]+', '_', key)}.json"
        if self.full and file.exists():
            stored = json.loads(file.read_text(encoding="utf-8"))
            self.read += stored["cpu"]
            return stored["value"]
        start = cpu()
        value = function()
        text = json.dumps({"key": key, "cpu": cpu() - start, "value": value}, default=_plain)
        if self.full:
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part")
            part.write_text(text, encoding="utf-8")
            part.replace(file)  # whole, or not at all
        return json.loads(text)["value"]

    def forget(self) -> None:
        """Delete the parts of this scale and seed."""
        shutil.rmtree(self.parts, ignore_errors=True)


def _plain(value: Any) -> Any:
    """Arrays and NumPy's numbers as JSON has them."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"a kept part must be JSON, got {type(value).__name__}")
