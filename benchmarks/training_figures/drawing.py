"""Charts in the style of the notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STYLE = Path(__file__).parents[2] / "notebooks" / "workbench.mplstyle"
#: Colors of P and of Q, and of what both are compared with.
P, Q, REFERENCE, THIRD = "#0B63B5", "#B4530A", "#1A1D21", "#1B7F3B"


@contextmanager
def chart(out: Path, name: str, columns: int = 1, width: float = 4.2) -> Iterator[Any]:
    """Axes side by side, written as SVG and PNG in the end."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    with plt.style.context(STYLE):
        figure, axes = plt.subplots(1, columns, figsize=(width * columns, 3.4), squeeze=False)
        yield axes[0]
        for kind in ("svg", "png"):
            figure.savefig(out / f"{name}.{kind}", dpi=160)
        plt.close(figure)
