"""The public namespaces: every name resolves, and importing one loads nothing heavy."""

import ast
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import workbench as wb
from workbench import _names

#: What completion of ``wb.`` shows besides a few functions and classes.
SPACES = [name for name in dir(wb) if isinstance(getattr(wb, name), ModuleType)]
#: Names that are defined on floors that are no namespaces.
ONLY_FLAT = {"audit"}


@pytest.mark.parametrize("name", ["mechanisms", "onerun", "selection", "training"])
def test_every_public_name_of_a_namespace_resolves(name):
    namespace = getattr(wb, name)
    assert len(namespace.__all__) > 10
    for public in namespace.__all__:
        assert getattr(namespace, public) is not None
    with pytest.raises(AttributeError, match="nothing"):
        namespace.nothing  # noqa: B018


@pytest.mark.parametrize(
    "name", [name for name in wb.__all__ if isinstance(getattr(wb, name), ModuleType)]
)
def test_a_module_is_found_by_a_program_that_has_imported_nothing_else(name):
    subprocess.run([sys.executable, "-c", f"import workbench; workbench.{name}"], check=True)


def test_a_namespace_and_the_flat_names_agree():
    assert wb.onerun.one_run_bound is wb.one_run_bound
    assert wb.mechanisms.Domain is wb.Domain
    assert wb.training.simulate_canaries is wb.simulate_canaries


def test_importing_a_lazy_namespace_loads_nothing_heavy():
    code = (
        "import sys, workbench.onerun, workbench.mechanisms, workbench.training, workbench.bounds; "
        "print([m for m in ('scipy', 'pandas', 'dp_accounting') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- what completion shows, and where the rest is --------------------------------------------------


def test_completion_shows_what_a_newcomer_needs():
    shown = dir(wb)
    assert 40 <= len(shown) <= 60
    assert {"Scores", "read_scores", "example", "explore", "epsilon_lower_bound"} <= set(shown)
    assert {"pairs", "judge", "workspace", "bounds", "tables"} <= set(shown)
    assert set(shown) <= set(wb.__all__)
    assert not {"same_number", "recorded_scores", "bound_texts", "card_schema", "palette"} & {
        *shown
    }


def test_every_other_name_is_in_a_namespace_that_completion_shows():
    inside = {name for space in SPACES for name in dir(getattr(wb, space))}
    assert set(wb.__all__) - set(dir(wb)) - inside == set(_names.HIDDEN)


def test_a_name_is_in_the_namespace_of_the_folder_that_defines_it():
    listed = ast.parse(Path(wb.__file__).with_name("__init__.pyi").read_text(encoding="utf-8"))
    found = 0
    for line in listed.body:
        if isinstance(line, ast.ImportFrom) and line.module:
            folder = line.module.split(".")[0]
            for name in (alias.name for alias in line.names):
                if name not in ONLY_FLAT:
                    found += 1
                    assert getattr(getattr(wb, folder), name) is getattr(wb, name)
                    assert name in dir(getattr(wb, folder))
    assert found > 150


def test_a_tool_that_completes_shows_these_names():
    completer = pytest.importorskip("IPython.core.completer")
    found = completer.IPCompleter(namespace={"wb": wb}, use_jedi=False)
    found.use_jedi = False
    with completer.provisionalcompleter():
        texts = {each.text for each in found.completions("wb.", 3)}
    assert {"." + name for name in dir(wb)} == {t if t[0] == "." else f".{t}" for t in texts}


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("bounds.power.judge", "power"),
        ("pairs.gdp_regret", "gdp_regret"),
        ("estimators.roc", "roc"),
        ("scores.examples", "examples"),
        ("workspaces.workspace", "workspace"),
        ("following.follow", "follow"),
        ("selection.worst_order", "worst_order"),
    ],
)
def test_a_function_is_not_hidden_by_a_module_of_its_name(module, name):
    space = module.split(".")[0]
    code = (
        f"import workbench as wb, workbench.{module}, pickle; one = wb.{space}.{name}; "
        f"assert callable(one), one; assert pickle.loads(pickle.dumps(one)) is one; "
        f"from workbench.{space} import {name}; assert {name} is one"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_modules_of_a_namespace_are_imported_as_before():
    code = (
        "from workbench.bounds import quantities; import workbench.bounds.counts.binomial; "
        "from workbench.bounds.power.verdict import Verdict; import workbench as wb; "
        "assert Verdict is wb.Verdict is wb.bounds.Verdict; "
        "assert quantities is wb.bounds.quantities"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_former_ways_to_a_name_work():
    assert hasattr(wb, "same_number")
    assert not hasattr(wb, "same_numbers")
    assert not hasattr(wb.bounds, "nothing")
    from workbench import palette

    assert palette is wb.figures.palette
    assert pickle.loads(pickle.dumps(wb.GaussianPair)) is wb.GaussianPair
    names = {}
    exec("from workbench import *", names)
    assert set(wb.__all__) <= set(names)
    with pytest.raises(ImportError, match="epsilon_lower_bounds"):
        exec("from workbench import epsilon_lower_bounds")


@pytest.mark.parametrize(
    ("space", "wrong", "words"),
    [
        ("", "epsilon_lower_bounds", "workbench has no 'epsilon_lower_bounds'; did you mean eps"),
        ("", "readscores", r"did you mean read_scores\?"),
        ("", "gaussianpair", r"did you mean GaussianPair\?"),
        ("", "quux", r"workbench has no 'quux'; workbench.__all__ lists what there is"),
        ("bounds", "judgee", r"workbench.bounds has no 'judgee'; did you mean judge\?"),
        ("pairs", "read_scores", r"pairs has no 'read_scores'; it is workbench.read_scores"),
        ("live", "Audits", r"workbench.live has no 'Audits'; did you mean Audit\?"),
        ("", "_private", r"workbench has no '_private'$"),
    ],
)
def test_a_wrong_name_names_the_right_one(space, wrong, words):
    module = getattr(wb, space) if space else wb
    with pytest.raises(AttributeError, match=words):
        getattr(module, wrong)


def test_python_asks_for_modules_without_a_search_for_names(monkeypatch):
    def searched(*given):
        raise AssertionError(given)

    monkeypatch.setattr(_names, "did_you_mean", searched)
    package = import_module("workbench.bounds")
    assert not hasattr(package, "__path_of_nothing__")
    assert "lower_bounds" in _names._modules(str(Path(package.__file__).parent))
