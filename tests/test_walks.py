"""The two walks of the documentation are those of a real run: the modules exist, in this order."""

import re
import sys

import numpy as np
import pytest
from helpers.servers import ROOT
from helpers.traces import Trace, drag_step

import workbench as wb

WALKS = ROOT / "docs" / "two-walks.md"


def listed(title):
    """The modules in the numbered list of a section, in their order."""
    text = WALKS.read_text(encoding="utf-8")
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]
    steps = re.findall(r"^\d+\. .*(?:\n   .*)*", section, re.MULTILINE)
    named = re.findall(r"`([a-z_.]+)`", "\n".join(steps))
    return [name for name in named if "." in name]


def first_visits(trace, names):
    return [name for name in trace.modules if name in names]


def file_to_bound(folder):
    rng = np.random.default_rng(0)
    rows = [f"{x:.4f},{member}" for member in (0, 1) for x in rng.normal(member, 1, 1000)]
    path = folder / "scores.csv"
    path.write_text("score,member\n" + "\n".join(rows))

    def bound():
        return wb.epsilon_lower_bound(wb.read_scores(path, larger_is_member=True), delta=1e-5)

    bound()  # modules are imported, and a process that reads is ready
    trace = Trace()
    sys.setprofile(trace.note)
    try:
        bound()
    finally:
        sys.setprofile(None)
    return trace


@pytest.mark.parametrize(
    ("title", "walk"),
    [
        ("How a gesture becomes a picture", lambda folder: drag_step("scores", "threshold")),
        ("How a file becomes a bound", file_to_bound),
    ],
    ids=["gesture", "file"],
)
def test_the_documentation_names_the_modules_in_their_order(title, walk, tmp_path):
    names = listed(title)
    assert len(names) > 12
    assert first_visits(walk(tmp_path), names) == names


def test_what_comes_after_a_drag_exists():
    text = WALKS.read_text(encoding="utf-8")
    for name in set(re.findall(r"`((?:[a-z_]+\.)+[a-z_]+)`", text)) - {"tests/test_walks.py"}:
        module = ROOT / "workbench" / (name.replace(".", "/") + ".py")
        assert module.is_file() or name.startswith("wb."), name
