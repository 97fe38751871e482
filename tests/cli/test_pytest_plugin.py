"""The pytest plugin: in test runs of their own, also with pytest-xdist."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import workbench as wb
from workbench.pytest_plugin.audits import PrivacyAudit
from workbench.pytest_plugin.records import Record, budget_in_words
from workbench.pytest_plugin.report import FORMATS, write_audit_report

ROOT = Path(__file__).parents[2]
PLUGIN = "workbench.pytest_plugin.hooks"

SUITE = """
import numpy as np
import workbench as wb

QUICK = {"testers": ("hockey-stick",), "trials": 4, "samples": 4000}


def private(dataset, size, rng):
    return np.sum(dataset) + rng.laplace(size=size)


def broken(dataset, size, rng):
    return np.sum(dataset) + rng.laplace(scale=0.01, size=size)


def test_private(privacy_audit):
    audit = privacy_audit(private, "pure(1)", **QUICK)
    assert audit.seed == 7


def test_broken(privacy_audit):
    privacy_audit(broken, "pure(1)", confidence=0.99, **QUICK)


def test_scores(privacy_audit):
    privacy_audit(wb.GaussianPair(1).sample(800, seed=1), "gdp(1)")


def test_nothing():
    pass
"""


@pytest.fixture
def run(tmp_path):
    """Runs pytest with the plugin and nothing else that is installed."""

    def pytest_run(*options, suite=SUITE, plugins=(PLUGIN,)):
        (tmp_path / "test_suite.py").write_text(suite)
        named = [word for plugin in plugins for word in ("-p", plugin)]
        return subprocess.run(
            [sys.executable, "-m", "pytest", *named, "-q", "-p", "no:cacheprovider", *options],
            cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                 "PYTEST_ADDOPTS": "", "COLUMNS": "200", "OMP_NUM_THREADS": "1"},
        )  # fmt: skip

    return pytest_run


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_all_audits_of_a_run_are_in_the_report(run, tmp_path, workers):
    plugins = (PLUGIN, "xdist") if workers else (PLUGIN,)
    done = run("--audit-report", "audits.json", "--audit-seed", "7", *workers, plugins=plugins)
    assert done.returncode == 1, done.stdout
    assert "1 failed, 3 passed" in done.stdout
    assert "broken, which claims pure(1): violation found" in done.stdout
    assert "3 privacy audits: if all claims are true, the probability that any" in done.stdout
    assert "is at most 11%" in done.stdout
    assert "The report is in audits.json." in done.stdout
    report = json.loads((tmp_path / "audits.json").read_text())
    assert report["error_probability"] == pytest.approx(0.11)
    found = {one["test"].split("::")[1]: one for one in report["audits"]}
    assert found.keys() == {"test_private", "test_broken", "test_scores"}
    assert [found[name]["passed"] for name in sorted(found)] == [False, True, True]
    assert found["test_broken"]["verdict"] == "violation found"
    assert found["test_broken"]["confidence"] == 0.99
    assert found["test_private"]["seed"] == 7
    assert found["test_scores"]["seed"] is None


def test_a_report_that_cannot_be_written_is_told_and_ends_nothing(run):
    done = run("--audit-report", "no/folder/audits.md", suite="def test_one(): pass")
    assert done.returncode == 0, done.stdout
    assert "no/folder/audits.md cannot be written: No such file" in done.stdout


def test_an_ending_without_a_format_is_refused_before_a_test_runs(run):
    done = run("--audit-report", "audits.docx", suite="def test_one(): pass")
    assert done.returncode == 4
    assert "a report of audits ends in .html, .md, .json; got 'audits.docx'" in done.stderr


def test_the_setting_is_checked(run, tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\naudit_confidence = 95\n")
    suite = "def test_one(privacy_audit): pass"
    done = run(suite=suite)
    assert done.returncode == 1
    assert "audit_confidence = 95: confidence must lie" in done.stdout


def test_a_run_without_audits_imports_nothing(run):
    suite = """
import sys

def test_one():
    assert "workbench.pytest_plugin.hooks" in sys.modules
    assert [m for m in sys.modules if m.startswith("workbench.")] == [
        "workbench._names", "workbench.pytest_plugin", "workbench.pytest_plugin.hooks"
    ]
    assert not {"numpy", "scipy", "pandas"} & sys.modules.keys()
"""
    done = run(suite=suite)
    assert done.returncode == 0, done.stdout
    assert "privacy audits" not in done.stdout


def test_a_missing_package_fails_the_test_that_needs_it_and_no_other(run):
    suite = """
import sys

sys.modules["scipy"] = None

def test_audited(privacy_audit): pass

def test_other(): pass
"""
    done = run(suite=suite)
    assert done.returncode == 1
    assert "1 passed, 1 error" in done.stdout
    assert "scipy" in done.stdout


def test_the_entry_point_names_the_hooks():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"workbench": PLUGIN}


def one(**given):
    fields = {
        "test": "test_a.py::test_<b>", "subject": "release|x", "claim": "pure(1)",
        "verdict": "none found", "passed": True, "confidence": 0.95, "seed": 0,
        "summary": "nothing", "explanation": "Nothing was *found*.",
    }  # fmt: skip
    return Record(**{**fields, **given})


def test_the_budget_is_the_sum_of_the_error_probabilities():
    assert "1 privacy audit:" in budget_in_words([one()])
    assert budget_in_words([one(), one(confidence=0.99)]).endswith("is at most 6%")
    assert "is at most 1%" in budget_in_words([one(confidence=0.999)] * 10)
    assert "add up to 1.25" in budget_in_words([one()] * 25)


@pytest.mark.parametrize("ending", FORMATS)
def test_texts_are_escaped_in_every_format(tmp_path, ending):
    path = tmp_path / f"audits{ending}"
    write_audit_report(path, [one(), one(passed=False)])
    text = path.read_text(encoding="utf-8")
    if ending == ".json":
        assert [one["passed"] for one in json.loads(text)["audits"]] == [True, False]
    else:
        assert "<b>" not in text
        assert "the probability that any" in text
        assert "none found (the test failed)" in text.replace("\\", "")
    assert ending != ".md" or "|x" not in text
    write_audit_report(path, [])
    assert "No test made an audit" in path.read_text(encoding="utf-8") or ending == ".json"


def test_scores_need_a_claim_and_take_no_options_of_mechanisms():
    audit, scores = PrivacyAudit("test"), wb.GaussianPair(1).sample(200, seed=1)
    with pytest.raises(ValueError, match="what was promised of the scores"):
        audit(scores)
    with pytest.raises(ValueError, match="trials: an option of mechanisms"):
        audit(scores, "gdp(1)", trials=3)


def test_a_refuted_claim_of_scores_is_recorded_and_fails():
    kept = []
    audit = PrivacyAudit("test", keep=kept.append)
    with pytest.raises(AssertionError, match="is refuted"):
        audit(wb.GaussianPair(3).sample(800, seed=1), "gdp(1)")
    (record,) = kept
    assert record.verdict == "refuted"
    assert not record.passed
    assert Record.from_json(record.to_json()) == record
