"""Stored coverage is current if methods give the same values: what moves them, and what not."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import workbench as wb
from workbench import _checks
from workbench.coverage_lab import methods
from workbench.coverage_lab.measured import Measured
from workbench.coverage_lab.methods import METHODS
from workbench.coverage_lab.probes import PROBES, probe, same_values


@pytest.fixture(scope="module")
def stored():
    return Measured("1.0", (), {name: probe(name) for name in PROBES})


@pytest.fixture(autouse=True)
def _nothing_is_kept():
    methods._of_counts.cache_clear()
    yield
    methods._of_counts.cache_clear()


#: An estimate, and a limit that with many bins is decided by their number.
WITHOUT_A_LEVEL = ("gdp-of-histogram", "bins-canonne")


def test_every_method_has_values_that_say_something(stored):
    assert set(METHODS) < set(PROBES)
    for name, values in stored.probes.items():
        assert sum(value not in (0, 1) for value in values) >= 1, name


def test_nothing_is_stale_at_once(stored):
    assert stored.stale(PROBES) == []


def test_a_subject_without_values_is_stale():
    assert Measured("1.0", ()).stale(["simultaneous", "gaussian"]) == ["simultaneous", "gaussian"]


def test_round_off_makes_nothing_stale():
    assert same_values([1.0, 0.0, float("inf")], [1.00001, 0.0, float("inf")])
    assert not same_values([1.0], [1.001])
    assert not same_values([1.0, 2.0], [1.0])
    assert not same_values([0.0], [float("inf")])


@pytest.mark.parametrize("factor", [0.5, 2.0])
@pytest.mark.parametrize("name", [n for n in METHODS if n not in WITHOUT_A_LEVEL])
def test_another_level_makes_a_method_stale(name, factor, stored, monkeypatch):
    right = _checks.confidence
    monkeypatch.setattr(_checks, "confidence", lambda c: 1 - factor * (1 - right(c)))
    assert stored.stale([name]) == [name]


@pytest.mark.parametrize(
    ("where", "value", "subjects"),
    [
        ("bounds.counts.joint_exact.NUISANCE_SHARE", 0.3, ["exact"]),
        ("bounds.held_out.held_out.SHARE", 0.4, ["held-out", "held-out-splits"]),
        ("bounds.held_out.held_out.RANKS", 2, ["held-out"]),
        ("bounds.anytime.anytime._STEPS", 16, ["anytime"]),
        ("bounds.parametric.own_variances.RATIO_SHARE", 0.5, ["other methods"]),
        ("tables.bounds.guesses.SHARE", 0.5, ["score tables"]),
        ("tables.bounds.e_values._WARM_UP", 0.3, ["score tables"]),
        ("coverage_lab.methods.BINS", 10, ["bins-mcdiarmid", "bins-canonne"]),
        ("coverage_lab.methods.TRIED", 50, ["tuned-threshold", "tuned-katz-log"]),
    ],
)
def test_a_constant_makes_stale_what_it_moves(where, value, subjects, stored, monkeypatch):
    monkeypatch.setattr(f"workbench.{where}", value)
    assert stored.stale(subjects) == subjects
    untouched = [name for name in ("gaussian", "clopper-pearson") if name not in subjects]
    assert stored.stale(untouched) == []


# -- changes of the text ---------------------------------------------------------------------------

PACKAGE = Path(wb.__file__).parent
REWRITTEN = ("bounds", "curves", "tables", "onerun")


def rewritten(folder, replacements=()):
    """A copy of the package without comments and docstrings of functions, and a function more."""
    shutil.copytree(PACKAGE, folder / "workbench", ignore=shutil.ignore_patterns("__pycache__"))
    for package in REWRITTEN:
        for path in (folder / "workbench" / package).rglob("*.py"):
            if path.name != "__init__.py":
                path.write_text(_other_words(path.read_text(encoding="utf-8")), encoding="utf-8")
    for name, old, new in replacements:
        path = folder / "workbench" / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
    return folder


def _other_words(text):
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node):
            node.body[0].value = ast.Constant("Said in other words.")
    return ast.unparse(tree) + "\n\ndef _not_used_by_any_method():\n    return 0.5\n"


def values_of(folder):
    code = (
        "import json; from workbench.coverage_lab.probes import PROBES, probe; "
        "print(json.dumps({name: probe(name) for name in PROBES}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.exhaustive
@pytest.mark.slow
def test_docstrings_and_unused_functions_make_nothing_stale(tmp_path, stored):
    found = Measured("1.0", (), values_of(rewritten(tmp_path)))
    assert found.stale(PROBES) == []


@pytest.mark.slow
def test_a_constant_in_the_text_makes_stale_what_rests_on_it(tmp_path, stored):
    change = ("bounds/simultaneous/rank_band.py", "FOR_TIES = 0.04", "FOR_TIES = 0.2")
    found = Measured("1.0", (), values_of(rewritten(tmp_path, [change])))
    stale = found.stale(PROBES)
    assert {"simultaneous", "one-question", "learned-ordering", "score tables"} <= set(stale)
    assert not {"clopper-pearson", "gaussian", "anytime"} & set(stale)
