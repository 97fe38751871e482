"""The workbench's page on as many scores as the baseline's.

python -m benchmarks.our_page PORT
"""

from __future__ import annotations

import io
import sys
from functools import partial

import numpy as np

from benchmarks.baseline_page import N
from workbench.dashboard.app import Tab, serve
from workbench.pages.scores.page import ScoresPage

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    file = io.BytesIO()
    np.savez(file, p=rng.normal(1, 1, N), q=rng.normal(0, 1, N))
    page = partial(ScoresPage, source="file", upload=(("normal.npz", file.getvalue()),))
    serve([Tab(page)], port=int(sys.argv[1]), open_browser=False)
