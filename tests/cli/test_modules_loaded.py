"""What commands, and the first calls of the library, import: nothing that they do not use."""

import os
import subprocess
import sys

import numpy as np
import pytest

from workbench.cli import COMMANDS

#: Packages whose import takes long, or that most work does without.
HEAVY = (
    *("pandas", "pyarrow", "scipy.optimize", "scipy.stats", "scipy.signal", "scipy.interpolate"),
    *("sqlalchemy", "alembic", "param", "panel", "bokeh", "plotly", "tornado", "matplotlib"),
    *("sklearn", "dp_accounting", "IPython", "multiprocessing"),
)

#: What a program prints last: the packages among those that it has imported.
_SAY = "print([name for name in {names!r} if name in sys.modules])"


def loaded(program, folder, names=HEAVY):
    """Names of the modules that a program has imported at its end."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{program}\n{_SAY.format(names=names)}"],
        cwd=folder,
        env={**os.environ, "WORKBENCH_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return set(eval(done.stdout.splitlines()[-1]))


def of_commands(*commands):
    """A program that runs commands, whatever their exit status."""
    return f"""
from contextlib import suppress
from workbench.cli import main
for command in {commands!r}:
    with suppress(SystemExit):
        main(command.split())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with scores of both groups."""
    here = tmp_path_factory.mktemp("loaded")
    rng = np.random.default_rng(0)
    for name, labels in (("scores.csv", (1, 0)), ("names.csv", ("in", "out"))):
        groups = zip((1, 0), labels, strict=True)
        rows = [f"{x},{label}" for mean, label in groups for x in rng.normal(mean, 1, 400)]
        (here / name).write_text("\n".join(["score,member", *rows]))
    return here


def test_what_names_no_command_imports_no_command(folder):
    program = of_commands("", "--help", "--version", "adit", "--nothing")
    assert loaded(program, folder, ("numpy", "scipy", *HEAVY)) == set()
    assert loaded(program, folder, tuple(f"workbench.cli.{add.partition(':')[0]}"
                                         for add, _ in COMMANDS.values())) == set()  # fmt: skip


def test_the_help_of_a_command_imports_what_is_in_it(folder):
    assert loaded(of_commands(*(f"{name} --help" for name in COMMANDS)), folder) == set()
    few = ("slides --help", "audits --help", "audits", "audits list --hlp", "examples --help")
    assert loaded(of_commands(*few), folder, ("numpy", "scipy")) == set()
    few = ("users --help", "backup --help", "restore --help", "plan --help", "report --help")
    assert loaded(of_commands(*few), folder, ("scipy", "workbench.workspaces.workspace")) == set()


#: Command -> the packages of `HEAVY` that it uses.
USED = {
    "audit scores.csv": set(),
    "audit names.csv --format json": set(),
    "audit scores.csv --trusted": {"pandas", "pyarrow"},
    "mechanisms": set(),
    "data list": {"sqlalchemy"},
    "audits list": {"sqlalchemy"},
    "plan list": {"sqlalchemy"},
    "users list": {"sqlalchemy", "tornado", "multiprocessing"},
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("command", "used"), USED.items(), ids=USED)
def test_a_command_imports_what_it_uses(command, used, folder):
    program = f"from workbench.cli import main\nassert main({command.split()!r}) == 0"
    assert loaded(program, folder) == used


def test_an_audit_that_is_not_saved_imports_no_workspace_and_no_page(folder):
    names = ("workbench.workspaces.workspace", "workbench.audits.audit", "workbench.pages.core")
    assert loaded(of_commands("audit scores.csv"), folder, names) == set()


#: Call -> the packages of `HEAVY` that it uses.
CALLS = {
    "wb.DPSGDPair(1, 0.01, 1000).epsilon(1e-5)": set(),
    "wb.FixedBatchPair(2, 10, 1000, 1000).epsilon(1e-5)": set(),
    "wb.ComposedPair(wb.RandomizedResponsePair(0.4, 0), 6).epsilon(1e-5)": set(),
    "wb.epsilon_lower_bound(wb.Scores([2.0, 3, 4], [1.0, 2, 3]), delta=1e-5)": set(),
    "wb.tradeoff_band(wb.Scores([2.0, 3, 4], [1.0, 2, 3])).tpr(0.1)": set(),
    "wb.roc(wb.Scores([2.0, 3, 4], [1.0, 2, 3])).epsilon(0.1)": set(),
    "wb.read_scores('scores.csv')": set(),
    "wb.parse_claim('gdp(1)')": set(),
    "wb.epsilon_from_counts(tp=40, fp=10, tn=40, fn=10, delta=1e-5)": set(),
    "wb.read_scores('scores.csv', trusted=True)": {"pandas", "pyarrow"},
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("call", "used"), CALLS.items(), ids=CALLS)
def test_a_call_imports_what_it_uses(call, used, folder):
    assert loaded(f"import workbench as wb\n{call}", folder) == used


def test_the_process_that_parses_imports_the_parsers_of_a_kind_alone(folder):
    program = """
from workbench.scores.parsing import reader
for kind in {kinds}:
    reader._prepared({{"prepare": kind}})
"""
    names = ("scipy", "pandas", "pyarrow", "workbench.cli", "workbench.bounds", *HEAVY)
    assert loaded(program.format(kinds=()), folder, names) == set()
    assert loaded(program.format(kinds=(".csv", ".json")), folder, names) == {"pandas", "pyarrow"}
    assert loaded(program.format(kinds=(".npz",)), folder, names) == {"scipy"}
