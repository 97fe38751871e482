"""The public names of `wb.live`."""

import subprocess
import sys

import pytest

import workbench as wb


def test_every_public_name_of_live_resolves():
    assert {"Audit", "CanaryAudit", "watch_opacus", "watch_torch"} <= set(wb.live.__all__)
    for name in wb.live.__all__:
        assert getattr(wb.live, name).__doc__
    with pytest.raises(AttributeError, match="nothing"):
        wb.live.nothing  # noqa: B018


def test_an_audit_needs_no_package_of_training_and_no_notebook():
    code = (
        "import sys, workbench as wb\n"
        "audit = wb.live.Audit()\n"
        "audit.add(1.0, True)\n"
        "canaries = wb.live.GradientCanaries.dirac(10, 20, sample_rate=1.0)\n"
        "wb.live.CanaryAudit(canaries, steps=1).observe(canaries.insert([[0.0] * 20])[0])\n"
        "wb.live.watch_opacus, wb.live.watch_torch\n"
        "heavy = ('torch', 'opacus', 'jax', 'IPython', 'ipywidgets', 'param', 'plotly')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
