"""Figures of the papers and of the method sheet that need training, made again.

python -m benchmarks.training_figures [NAME ...] [--scale 0.1] [--out build/training-figures]

`row` has the lines of the table: source, what, theirs, ours, and what ours guarantees. `drawing`
has the style and the pieces of the charts. Each of the other modules makes one group of figures,
with ``rows(scale, out)``.
"""

from __future__ import annotations

import importlib
from pathlib import Path

from benchmarks.training_figures.row import Row

#: The groups of figures, in the order in which they are made: those that train least come first.
GROUPS = ("simulated_canaries", "one_shot", "black_box", "white_box")
#: Share of the models that a full run trains, when all benchmarks are run.
QUICK = 0.1


def rows(names: tuple[str, ...], scale: float, out: Path) -> list[Row]:
    """The lines of the named groups, whose charts are written into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    found: list[Row] = []
    for name in names:
        found += importlib.import_module(f"{__name__}.{name}").rows(scale, out)
    return found


def main() -> list[tuple[str, str, str]]:
    """Lines for `python -m benchmarks`, from a tenth of the models."""
    found = rows(GROUPS, QUICK, Path("build", "training-figures"))
    return [(f"{r.source}: {r.what}", f"{r.ours} ({r.guarantee})", r.theirs) for r in found]
