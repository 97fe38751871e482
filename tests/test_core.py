"""What `pip install dp-audit-workbench` gives, without extras, and without threads and processes.

Each test runs a program in a new interpreter that lacks the rest (`helpers/core_only.py`).
"""

import ast
import re
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from helpers.core_only import LACKING, run

import workbench as wb

ROOT = Path(wb.__file__).parents[1]
COMMAND = "pip install 'dp-audit-workbench[{}]'"

FILES = """
import json
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
p, q = rng.normal(1, 1, 3000), rng.normal(0, 1, 3000)
np.save("p.npy", p)
np.save("q.npy", q)
np.savez("scores.npz", p=p, q=q)
with open("scores.json", "w") as file:
    json.dump({"p": p.tolist(), "q": q.tolist()}, file)
frame = pd.DataFrame({"score": np.r_[p, q], "member": np.repeat([1, 0], 3000)})
frame.to_csv("scores.csv", index=False)
"""

CALLS = """
import workbench as wb

s = wb.read_scores("scores.csv", seed=0)
for other in (
    wb.read_scores("scores.npz"),
    wb.read_scores("scores.json"),
    wb.read_scores("p.npy", path_q="q.npy"),
    wb.read_scores(frame),
):
    assert np.array_equal(np.sort(other.p), np.sort(s.p))

answers = {
    "epsilon": wb.epsilon_lower_bound(s, delta=1e-5),
    "mu": wb.mu_lower_bound(s),
    "held-out": wb.epsilon_lower_bound(s, delta=1e-5, guarantee="held-out"),
    "anytime": wb.epsilon_lower_bound(s, delta=1e-5, guarantee="anytime"),
    "tpr": wb.tradeoff_band(s).tpr(0.01),
    "parametric": wb.parametric_bound(s, "gaussian", delta=1e-5),
    "counts": wb.epsilon_from_counts(tp=400, fp=100, tn=400, fn=100, delta=1e-5),
    "one run": wb.one_run_bound(canaries=1000, guesses=1000, correct=691, delta=1e-5),
    "gdp fit": wb.gdp_fit(s),
    "binormal fit": wb.binormal_fit(s).mu,
    "histogram": wb.histogram(s, bins=20).total_variation,
    "roc": wb.roc(s).auc,
    "ordering": wb.tradeoff_band(wb.learn_ordering(s).scores).epsilon(0.05),
    "gaussian": wb.GaussianPair(1.0).epsilon(1e-5),
    "laplace": wb.LaplacePair(1.0).epsilon(1e-5),
    "response": wb.RandomizedResponsePair(1.0, 0.0).total_variation,
    "dp-sgd": wb.DPSGDPair(noise_multiplier=1, sample_rate=0.01, steps=10).epsilon(1e-5),
    "subsampled": wb.SubsampledGaussianPair(q=0.25, sigma=0.3).epsilon(1e-5),
    "claims": [
        wb.judge(s, claim)
        for claim in ("approx(2, 1e-5)", "pure(1)", "gdp(0.5)", "renyi(2, 1)", wb.GaussianPair(0.3))
    ],
    "samples": wb.samples_needed(wb.GaussianPair(1.0), claim_epsilon=1, delta=1e-5),
    "records": wb.example_table("digits-records").worst_record(1e-5),
    "compare": wb.compare(s, wb.example("laplace")),
    "false bounds": wb.coverage("simultaneous", "no-leak", n=100, reps=20, delta=1e-5).values.sum(),
    "mechanism": wb.test_samples(s.p[:500], s.q[:500], "pure(1)", seed=0),
}
for name, answer in answers.items():
    print(name, answer)
"""


@cache
def in_the_core():
    return output(run(FILES + CALLS))


def output(done):
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "lacking", [LACKING, ("resource",)], ids=["a browser", "processes that do not start"]
)
def test_bounds_tables_pairs_claims_and_files_need_no_extra_and_no_process(lacking):
    serial = run(FILES + CALLS, serial=True, lacking=lacking)
    assert output(serial) == in_the_core()
    assert in_the_core().count("\n") > 20
    assert "'scores.csv': read without limits of memory and time" in serial.stderr


@pytest.mark.slow
def test_the_python_section_of_the_readme_runs_in_the_core():
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Python\n")[1]
    first = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    assert len(ast.parse(first).body) > 20
    program = FILES + first.replace("reps=200", "reps=20")
    output(run(program))


def test_importing_and_a_first_bound_load_no_more_than_they_use():
    program = """
import sys
import workbench as wb
assert not {"numpy", "scipy", "pandas"} & sys.modules.keys()
wb.epsilon_lower_bound(wb.example("subsampled-gaussian"), delta=1e-5)
extra = {"sklearn", "threadpoolctl", "multiprocessing", "concurrent.futures.process"}
print(sorted(extra & sys.modules.keys()))
"""
    assert output(run(program, extras=("sklearn", "threadpoolctl"))) == "[]\n"


#: What needs an extra, and which.
NEEDS = {
    "wb.example('black-box-gaussian')": "files",
    "wb.read_scores('x.parquet')": "files",
    "wb.read_scores('x.parquet', trusted=True)": "files",
    "wb.read_scores('scores.csv', counted=True)": "files",
    "wb.read_score_table('x.parquet')": "files",
    "wb.learn_ordering_nd(np.ones((99, 2)), np.zeros((99, 2)))": "mechanisms",
    "wb.training.labeled_data('digits')": "mechanisms",
    "wb.save_figure(wb.roc(wb.example('gaussian')), 'x.pdf')": "paper",
    "wb.audit(wb.example('gaussian'))": "reports",
    "wb.workspace()": "workspace",
    "wb.workspace('here')": "workspace",
    "wb.Workspace().audits": "workspace",
    "wb.Archive": "workspace",
    "wb.explore(wb.example('gaussian'))": "lab",
}


@pytest.mark.slow
def test_an_audit_and_its_reports_need_no_database():
    program = """
import sys
import workbench as wb

audit = wb.audit(wb.example("gaussian"), claim="gdp(0.5)")
for name in ("audit.md", "audit.html", "audit.json"):
    audit.report(name)
    assert "refuted" in open(name, encoding="utf-8").read()
print(sorted({"sqlalchemy", "pyarrow", "tornado"} & sys.modules.keys()))
"""
    assert output(run(program, extras=("param",))) == "[]\n"


@pytest.mark.slow
def test_a_missing_extra_is_named_with_its_command():
    program = f"""
open("x.parquet", "wb").write(b"PAR1" + bytes(1000))
import workbench as wb

for call in {list(NEEDS)!r}:
    try:
        eval(call)
    except wb.MissingPackage as error:
        assert isinstance(error, ImportError) and isinstance(error, ValueError)
        print(error)
    else:
        print(call)
"""
    said = output(run(FILES + program)).splitlines()
    ends = [line.partition(", which is not installed; run: ")[2] for line in said]
    assert dict(zip(NEEDS, ends, strict=True)) == {
        call: COMMAND.format(extra) for call, extra in NEEDS.items()
    }


@pytest.mark.slow
def test_a_public_name_is_there_or_names_its_extra():
    program = """
import workbench as wb
for name in wb.__all__:
    try:
        getattr(wb, name)
    except wb.MissingPackage as error:
        assert str(error).endswith("]'"), error
        print(name)
"""
    lacking = set(output(run(program)).split())
    assert {"Scores", "Audit", "judge", "Workspace", "read_scores", "live"}.isdisjoint(lacking)
    assert {"explore", "audit", "Archive"} <= lacking


#: Commands, and the extra that each needs.
COMMANDS = {
    "serve": "serve",
    "users list": "serve",
    "audits list": "workspace",
    "data list": "workspace",
    "slides x.ipynb": "lab",
}


def test_a_command_without_its_extra_says_so_in_one_sentence():
    program = f"""
from workbench.cli import main

for command in {list(COMMANDS)!r}:
    assert main(command.split()) == 2, command
"""
    done = run(program)
    said = done.stderr.splitlines()
    assert output(done) == ""
    for (command, extra), line in zip(COMMANDS.items(), said, strict=True):
        words = f"which is not installed; run: {COMMAND.format(extra)}"
        assert line.startswith("workbench: "), command
        assert line.endswith(words), command


@pytest.mark.parametrize("serial", [False, True], ids=["", "without processes"])
def test_the_command_line_audits_files_in_the_core(serial):
    command = ["audit", "scores.csv", "--claim", "gdp(0.3)", "--format", "json"]
    program = f"import sys\nfrom workbench.cli import main\nsys.exit(main({command!r}))"
    done = run(FILES + program, serial=serial)
    assert done.returncode == 1  # refuted
    assert '"claims"' in done.stdout


def test_a_server_reads_no_file_without_a_process():
    program = """
from workbench.scores.parsing.reading_process import insist

insist()
import workbench as wb

try:
    wb.read_scores("scores.csv")
except wb.ScoresError as error:
    print(error)
"""
    said = output(run(FILES + program, serial=True))
    assert "'scores.csv' is not read: no process could be started for it" in said


def test_every_server_insists_on_processes(monkeypatch):
    called = []
    monkeypatch.setattr("workbench.server.app.insist", lambda: called.append(True) or 1 / 0)
    from workbench.server.app import make_server

    with pytest.raises(ZeroDivisionError):
        make_server([])
    assert called


def test_a_system_that_is_full_is_no_system_without_processes(monkeypatch):
    """A refusal that may be another one in a moment is told, and nothing is read here."""
    import errno

    from workbench.processes import child

    def full(*args, **options):
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(child.subprocess, "Popen", full)
    from workbench.scores.parsing import reading_process

    monkeypatch.setattr(reading_process, "_readers", reading_process._Readers())
    from workbench.scores.parsing.source import read_table

    with pytest.raises(wb.ScoresError, match="no process could be started for it"):
        read_table(b"p,q\n1,2\n", "x.csv")


def test_the_result_of_a_task_in_turn_is_that_of_the_pool(monkeypatch):
    from workbench.processes import pool
    from workbench.processes.serial import InTurn

    monkeypatch.setattr(pool, "_pool", InTurn())
    asked = []
    found = list(pool.map_in_processes(np.sqrt, [4, 9, 16], lambda **told: asked.append(told)))
    assert found == [(0, 2.0), (1, 3.0), (2, 4.0)]
    assert len(asked) == 3  # before each result: it can be cancelled between two tasks
    with pytest.raises(ZeroDivisionError):
        list(pool.map_in_processes(divmod_by, [1, 0]))


def divmod_by(number):
    return divmod(1, number)


def test_a_child_that_misses_a_package_says_which(tmp_path):
    """A process that reads is started by the same interpreter; its message reaches the person."""
    from workbench.processes.child import Child, ChildError, TimeLimit

    child = Child(miss)
    with pytest.raises(ChildError, match=re.escape(COMMAND.format("files"))) as caught:
        child.ask({}, TimeLimit(60))
    assert caught.value.reason == "refused"
    child.close()


def miss():
    from workbench.processes.serving import answer_requests
    from workbench.software.extras import require

    sys.modules["pyarrow"] = None
    answer_requests(lambda request, report: require("pyarrow", "parquet files need"))
