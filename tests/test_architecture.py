"""The floors of the house: each imports only downward, and the library stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import workbench as wb

PACKAGE = Path(wb.__file__).parent

NUMERICS = (
    "scores",
    "pairs",
    "curves",
    "estimators",
    "bounds",
    "coverage_lab",
    "claims",
    "onerun",
    "mechanisms",
    "testers",
    "selection",
    "training",
)
FLOORS = [
    NUMERICS,
    ("figures",),
    ("pages",),
    ("assets",),
    ("dashboard", "jupyter"),
    ("cli", "testing"),
]
#: What each floor may import from outside, besides the standard library.
OUTSIDE = {
    "numerics": {
        "numpy",
        "scipy",
        "pandas",
        "pyarrow",
        "sklearn",
        "dp_accounting",
        "bayes_opt",
        "cloudpickle",
    },
    "figures": {"numpy"},
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


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_imports_go_downward(path):
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    mine = floor_of(own)
    if mine is None:  # checks, the public names
        return
    floor = "numerics" if mine == 0 else FLOORS[mine][0]
    for module in imports(path):
        top, *rest = module.split(".")
        if top == "workbench" and rest and floor_of(rest[0]) is not None:
            assert floor_of(rest[0]) <= mine, f"{path} imports {module} from a floor above"
        elif floor in OUTSIDE and top not in sys.stdlib_module_names | {"workbench"}:
            assert top in OUTSIDE[floor], f"{path}: the floor {floor} does without {top}"


def test_importing_the_library_loads_nothing_heavy():
    heavy = (
        "panel, plotly, ipywidgets, pandas, scipy, pyarrow, dp_accounting, sklearn, param, bokeh"
    )
    code = f"import sys, workbench; print([m for m in {heavy.split(', ')!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_resolves():
    assert {"Bound", "Scores", "selection"} <= set(wb.__all__)
    for name in wb.__all__:
        assert getattr(wb, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        wb.nothing  # noqa: B018
