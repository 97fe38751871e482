"""The structure of the package: floors, cycles, names, sizes of folders, and what users import."""

import ast
import json
import re
import subprocess
import sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import workbench as wb

PACKAGE = Path(wb.__file__).parent

NUMERICS = (
    "scores",
    "pairs",
    "risks",
    "curves",
    "estimators",
    "bounds",
    "coverage_lab",
    "claims",
    "onerun",
    "following",
    "mechanisms",
    "testers",
    "selection",
    "populations",
    "synthetic",
    "tables",
    "text",
    "training",
)
FLOORS = [
    ("processes",),
    NUMERICS,
    ("storing",),
    ("audits",),
    ("workspaces",),
    ("figures",),
    ("pages",),
    ("assets",),
    ("reports",),
    ("dashboard", "explorables", "jupyter", "live", "panel", "slides", "views"),
    ("server",),
    ("cli", "testing", "pytest_plugin"),
]
#: What each floor may import from outside, besides the standard library.
OUTSIDE = {
    "processes": {"numpy", "cloudpickle", "threadpoolctl"},
    "numerics": {
        "numpy",
        "scipy",
        "pandas",
        "pyarrow",
        "sklearn",
        "bayes_opt",
        "cloudpickle",
    },
    "storing": {"sqlalchemy", "alembic"},
    "audits": {"numpy", "pandas", "sqlalchemy", "alembic"},
    "workspaces": {"numpy", "pandas", "pyarrow", "sqlalchemy", "alembic", "platformdirs"},
    "figures": {"numpy", "matplotlib", "plotly"},
    "pages": {"numpy", "param"},
}


def imports(path):
    """Top-level packages, and floors of the workbench, that a module imports anywhere."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def floor_of(name):
    return next((i for i, floor in enumerate(FLOORS) if name in floor), None)


def faults(path):
    """Imports of a module that its floor does not allow."""
    mine = floor_of(path.relative_to(PACKAGE).parts[0].removesuffix(".py"))
    if mine is None:  # checks, the public names
        return
    floor = "numerics" if FLOORS[mine] is NUMERICS else FLOORS[mine][0]
    for module in imports(path):
        top, *rest = module.split(".")
        if top == "workbench" and rest and floor_of(rest[0]) is not None:
            if floor_of(rest[0]) > mine:
                yield f"{path.relative_to(PACKAGE)} imports {module} from a floor above"
        elif floor in OUTSIDE and top not in sys.stdlib_module_names | {
            "workbench",
            *OUTSIDE[floor],
        }:
            yield f"{path.relative_to(PACKAGE)}: the floor {floor} does without {top}"


def test_imports_go_downward():
    assert [fault for path in sorted(PACKAGE.rglob("*.py")) for fault in faults(path)] == []


def test_an_import_from_above_is_found(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    module = tmp_path / "scores" / "one.py"
    module.parent.mkdir()
    module.write_text("import pandas\n\nfrom workbench.pages import x\nimport workbench.scores\n")
    assert any("from a floor above" in fault for fault in faults(module))
    assert all("workbench.scores" not in fault for fault in faults(module))


def test_importing_the_library_loads_nothing_heavy():
    heavy = (
        "panel, plotly, ipywidgets, pandas, scipy, pyarrow, dp_accounting, sklearn, param, bokeh, "
        "sqlalchemy, alembic, platformdirs, matplotlib"
    )
    code = f"import sys, workbench; print([m for m in {heavy.split(', ')!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_transforms_are_those_of_numpy():
    # SciPy's keep the tables of the last sixteen lengths, for as long as the program runs.
    taken = re.compile(r"scipy\.fft import (?!next_fast_len$)|scipy import fft|fftconvolve", re.M)
    found = [path for path in PACKAGE.rglob("*.py") if taken.search(path.read_text("utf-8"))]
    assert not found


def test_every_public_name_resolves():
    assert {"Bound", "Scores", "selection"} <= set(wb.__all__)
    for name in wb.__all__:
        assert getattr(wb, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        wb.nothing  # noqa: B018


def module_name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path, known):
    """Modules of the workbench that a module imports anywhere, also within functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in known else node.module


def test_no_modules_import_each_other_in_a_circle():
    paths = {module_name(path): path for path in PACKAGE.rglob("*.py")}
    graph = {
        name: {m for m in imported_modules(path, paths) if m in paths and m != name} - {"workbench"}
        for name, path in paths.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_a_public_class_name_is_unique():
    homes = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(module_name(path))
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


#: A folder with more modules answers no longer "where do I add ...?".
MOST_MODULES = 14


def test_folders_stay_small():
    modules = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        if path.name != "__init__.py":
            modules[str(path.parent.relative_to(PACKAGE))].append(path.stem)
    assert {folder: found for folder, found in modules.items() if len(found) > MOST_MODULES} == {}


def test_every_folder_says_what_is_in_it():
    """The docstring of a package names each of its modules and folders."""
    for init in PACKAGE.rglob("__init__.py"):
        said = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))) or ""
        inside = {
            path.stem
            for path in init.parent.iterdir()
            if path.suffix == ".py" or (path / "__init__.py").is_file()
        }
        if init.parent != PACKAGE:
            missing = {name for name in inside - {"__init__"} if not re.search(rf"`{name}`", said)}
            assert not missing, f"{init} does not name {sorted(missing)}"


#: What users import: these, and nothing inside them.
PUBLIC = {"workbench", "workbench.testing", "workbench.pandas"} | {
    f"workbench.{name}"
    for name in (
        "selection",
        "onerun",
        "mechanisms",
        "live",
        "populations",
        "synthetic",
        "text",
        "training",
    )
}


def shown_code():
    """Code that users read: notebooks, and what the README quotes."""
    root = PACKAGE.parent
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield path, "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    yield root / "README.md", (root / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "text"), [pytest.param(path, text, id=path.name) for path, text in shown_code()]
)
def test_shown_code_imports_public_names_only(path, text):
    deep = set(re.findall(r"\b(?:from|import) (workbench[\w.]*)", text)) - PUBLIC
    assert not deep, f"{path.name} imports {sorted(deep)}"


# -- one way to run something in another process ---------------------------------------------------

#: What starts processes, or holds them to limits, wherever it stands in a name with dots.
ELSEWHERE = re.compile(
    r"\b(subprocess|multiprocessing|loky|joblib|psutil|pty|prctl|prlimit|setr?limit)\."
    r"|create_subprocess|ProcessPoolExecutor"
    r"|\bos\.(fork|forkpty|posix_spawnp?|spawn[lv]p?e?|exec[lv]p?e?|system|popen|kill|killpg)\."
)
#: Names that only read what the system or another process says.
_HARMLESS = {"subprocess.PIPE", "subprocess.DEVNULL"}

#: Modules outside `workbench.processes` that may all the same, and why.
ELSEWHERE_ALLOWED = {
    "server/network/connections.py": {"resource.setrlimit"}  # raises the limit of the server itself
}


def ways(source):
    """Names of a module's text by which it starts processes or limits them."""
    tree = ast.parse(source)
    known = {}  # what a name in the module stands for
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            known |= {
                alias.asname or alias.name.partition(".")[0]: (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
                for alias in node.names
            }
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            known |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    names = set(known.values())
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, _, rest = ast.unparse(node).partition(".")
            # Of what is no module, such as the value of a call, the last name alone.
            names.add(f"{known[first]}.{rest}" if first in known else f"?.{node.attr}")
    return {
        name
        for name in names - _HARMLESS
        if not name.startswith("workbench.") and ELSEWHERE.search(f"{name}.")
    }


def test_processes_are_started_in_one_folder_only():
    found = {
        str(path.relative_to(PACKAGE)): ways(path.read_text(encoding="utf-8"))
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] != "processes"
    }
    assert {name: used for name, used in found.items() if used} == ELSEWHERE_ALLOWED


@pytest.mark.parametrize(
    "way",
    [
        "import subprocess\nsubprocess.run(['ls'])",
        "from subprocess import check_output as reading",
        "import os\nif os.fork(): pass",
        "import os as system\nsystem.spawnvp(0, 'ls', [])",
        "from os import posix_spawn",
        "import multiprocessing as mp\nmp.get_context('spawn').Process()",
        "from multiprocessing.pool import Pool",
        "from concurrent.futures import ProcessPoolExecutor",
        "import concurrent.futures\nconcurrent.futures.ProcessPoolExecutor(2)",
        "import asyncio\nasyncio.create_subprocess_exec('ls')",
        "def f():\n    import resource\n    resource.setrlimit(1, (0, 0))",
        "from resource import prlimit",
        "import joblib.externals.loky",
        "import psutil",
        "import ctypes\nctypes.CDLL(None).prctl(1, 9)",
    ],
)
def test_a_seventh_way_is_found(way):
    assert ways(way)


def test_what_reads_or_uses_our_own_is_no_way():
    code = "import os, resource\nfrom workbench.processes import child\n"
    assert not ways(code + "os.getpid(); resource.getrlimit(7); child.Child(print)")
