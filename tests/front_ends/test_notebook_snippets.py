"""The snippets of notebooks for other frameworks run, and the workbench opens what they write.

Each of them is run where its framework is installed. JAX is in no extra of the workbench.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import nbformat
import pytest

import workbench as wb

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "17-where-scores-come-from.ipynb"
SNIPPETS = [
    code
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells
    if cell.cell_type == "markdown"
    for code in re.findall(r"^```python\n(.*?)^```", cell.source, flags=re.MULTILINE | re.DOTALL)
]

#: The slowest takes ten seconds of CPU time.
PATIENCE = 600


def written(framework: str, module: str, folder: Path) -> Path:
    """What the snippet of a framework writes into an empty folder."""
    if find_spec(module) is None:
        pytest.skip(f"{framework} is not installed")
    code = next(code for code in SNIPPETS if code.startswith(f"# {framework}: "))
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment,
        timeout=PATIENCE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (path,) = folder.iterdir()
    return path


def auc(scores: Any) -> float:
    return float(wb.roc(scores).auc)


@pytest.mark.slow
def test_shadow_models_of_pytorch_open_as_a_table_for_attacks(tmp_path):
    table = wb.read_score_table(written("PyTorch", "torch", tmp_path))
    assert table.scores.shape == (64, 300)
    assert not table.larger_is_member
    signals = wb.SignalTable(table.scores, table.member, kind="loss")
    lira = signals.lira(fixed_variance=True).pooled_scores()
    assert 0.55 < auc(table.pooled_scores()) < auc(lira)


@pytest.mark.slow
def test_canaries_of_opacus_open_as_one_run(tmp_path):
    run = wb.read_one_run(written("Opacus", "opacus", tmp_path), larger_is_member=False)
    assert run.scores.size == 500
    assert 200 < run.included.sum() < 300  # fair coins, 4.5 standard deviations
    bound = wb.one_run_bound(run.guess(k_in=50, k_out=50), delta=1e-5)
    assert "independent fair coins" in str(bound)


@pytest.mark.slow
def test_models_of_jax_open_as_scores(tmp_path):
    scores = wb.read_scores(written("JAX", "jax", tmp_path), sampling="independent runs")
    assert (scores.n_p, scores.n_q) == (200, 200)
    bound = wb.epsilon_lower_bound(scores, delta=1e-5)
    assert 0.5 < bound.value < wb.GaussianPair(2).epsilon(1e-5)  # 100 steps with noise 5


def test_every_snippet_names_its_framework():
    assert [code.split(":")[0] for code in SNIPPETS] == ["# PyTorch", "# Opacus", "# JAX"]
