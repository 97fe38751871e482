"""The workbench's page as a component of Panel, on as many scores as the baseline's.

python -m benchmarks.panel_page PORT
"""

from __future__ import annotations

import sys

import numpy as np
import panel as pn

import workbench as wb
from benchmarks.baseline_page import N

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    scores = wb.Scores(rng.normal(1, 1, N), rng.normal(0, 1, N), name="normal")
    pn.serve({"/": lambda: wb.dashboard(scores)}, port=int(sys.argv[1]), show=False)
