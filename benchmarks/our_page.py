"""The workbench's page on as many scores as the baseline's.

python -m benchmarks.our_page PORT
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np

from benchmarks.baseline_page import N
from workbench.pages.scores.page import ScoresPage
from workbench.scores.sample import Scores
from workbench.server.app import Tab, serve
from workbench.server.options import ServerOptions

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    scores = Scores(rng.normal(1, 1, N), rng.normal(0, 1, N), name="normal")
    page = Tab(partial(ScoresPage, scores))
    serve([page], ServerOptions(port=int(sys.argv[1])), open_at=None)
