"""The example package, built, installed and used: library, command line, served menu, processes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.servers import ROOT, free_port, running

#: Reads a large file in a process of its own, where the layout has to be known, too.
LIBRARY = """
import sys, warnings
warnings.simplefilter("error")
import numpy as np
import workbench as wb
assert not any(name.startswith("wb_logistic") for name in sys.modules)

claim = wb.parse_claim("logistic(scale=2)")
pair = wb.named_pair("logistic", scale=2.0)
assert claim == wb.PairClaim(pair) and pair.epsilon(0) == 0.5
assert "wb_logistic.page" not in sys.modules  # only what was asked for

counts = dict(tp=40, fp=3, tn=47, fn=10)
hoeffding = wb.epsilon_from_counts(**counts, delta=0.0, interval="hoeffding")
assert 0 < hoeffding.value < wb.epsilon_from_counts(**counts, delta=0.0).value

scores = wb.read_scores("notes.csv", sampling="independent runs")
counted = wb.read_scores("notes.csv", sampling="independent runs", counted=True)
assert scores.n_p == counted.n_p == 300
assert wb.judge(scores, "logistic(0.1)").refuted is False
assert wb.judge(scores, "logistic(10)").refuted

page = wb.explore("logistic").page
assert page.title == "Logistic noise"
counts_page = wb.explore(wb.Counts(**counts)).page
assert "hoeffding" in counts_page.by_interval()
lab = wb.explore(pair).page
assert lab.pair_kind == "logistic" and lab.pair_logistic_scale == 2.0
made = {}
exec(wb.explore(pair).to_code(), made)
stated = wb.explore(scores, claim="logistic(2)").page
assert stated.claim_kind == "logistic"
assert wb.mechanism("logistic-count").private
report = wb.audit(scores, claim="logistic(2)").report("audit.txt")
assert "ε" in report.read_text(encoding="utf-8")

space = wb.Workspace()
key = "draw:logistic?scale=2.0&n=500&seed=1"
drawn = space.scores(key)
assert drawn.n_p == 500 and drawn.name.startswith("Logistic")
saved = wb.audit(scores).to_dict()
assert set(wb.software.plugins()["status"]) == {"loaded"}
print("fine")
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Environment variables with which programs find the example package."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(ROOT / "examples" / "plugin", folder / "source")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    offline = {**os.environ, "PIP_NO_INDEX": "1"}
    build = ["wheel", "--no-deps", "--no-build-isolation", "-w", "wheels", "./source"]
    subprocess.run([*pip, *build], cwd=folder, env=offline, check=True)
    (wheel,) = (folder / "wheels").glob("wb_logistic-1.0-*.whl")
    target = ["install", "--no-deps", "--target", "site", str(wheel)]
    subprocess.run([*pip, *target], cwd=folder, env=offline, check=True)
    path = os.pathsep.join([str(folder / "site"), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "WORKBENCH_HOME": str(folder / "home")}


@pytest.fixture
def notes(tmp_path):
    """The folder of a file of the example's layout: 300 rows of each group, far apart."""
    rows = (f"{i / 100 + 2 * (i % 2)},{i % 2}" for i in range(600))
    (tmp_path / "notes.csv").write_text("\n".join(["attack_loss,was_in", *rows]))
    return tmp_path


def run(command, installed, folder):
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=installed, capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_the_library_has_what_the_package_adds(installed, notes):
    assert run(["-c", LIBRARY], installed, notes).strip().endswith("fine")


@pytest.mark.slow
def test_the_command_line_has_it(installed, notes):
    listed = run(["-m", "workbench", "plugins"], installed, notes)
    assert listed.count("loaded") == 6
    assert "workbench.pairs" in listed
    assert "wb-logistic 1.0" in listed
    audit = ["-m", "workbench", "audit", "notes.csv", "--claim", "logistic(10)"]
    said = run([*audit, "--sampling", "independent runs"], installed, notes)
    assert "no leakier than Logistic, s = 10" in said
    assert "logistic-count" in run(["-m", "workbench", "mechanisms"], installed, notes)
    run(["-m", "workbench", "report", "notes.csv", "-o", "audit.txt"], installed, notes)
    assert (notes / "audit.txt").read_text(encoding="utf-8").startswith("scores")


@pytest.mark.slow
def test_the_served_menu_has_its_page(installed, notes):
    from urllib.request import urlopen

    port = free_port()
    command = [sys.executable, "-m", "workbench", "serve", "--port", str(port), "--no-open"]
    with running(command, f"http://localhost:{port}/", notes / "log", env=installed) as url:
        start = urlopen(url).read().decode()
        assert "How much does a count with logistic noise leak?" in start
        page = urlopen(f"{url}logistic").read().decode()
        assert "Trade-off function" in page
        scores = urlopen(f"{url}scores").read().decode()
        assert "Hoeffding" in scores
        assert '"logistic"' in scores or "Logistic" in scores
    assert "left out" not in (notes / "log").read_text()


@pytest.mark.slow
def test_its_own_tests_pass(installed):
    tests = str(ROOT / "examples" / "plugin" / "tests")
    said = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", tests], installed, Path(tests))
    assert "6 passed" in said


def test_the_example_names_its_entry_points_as_the_documentation_does():
    text = (ROOT / "docs" / "writing-a-plug-in.md").read_text(encoding="utf-8")
    project = (ROOT / "examples" / "plugin" / "pyproject.toml").read_text(encoding="utf-8")
    groups = [line for line in project.splitlines() if line.startswith("[project.entry-points")]
    assert len(groups) == 6
    assert all(json.loads(line.strip("[]").partition("points.")[2]) in text for line in groups)
