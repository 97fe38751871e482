"""Every import is declared: in the core, or in the extra that its folder belongs to."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

import workbench as wb
from workbench.software.extras import EXTRAS

PACKAGE = Path(wb.__file__).parent
PROJECT = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]

#: Distributions that are called otherwise than what they install.
CALLED = {
    "IPython": "ipython",
    "argon2": "argon2-cffi",
    "bayes_opt": "bayesian-optimization",
    "jupyter_client": "jupyter-client",
    "jupyter_core": "jupyter-core",
    "prometheus_client": "prometheus-client",
    "psycopg": "psycopg",
    "sklearn": "scikit-learn",
}

#: The extras whose packages a folder may import, besides the core; a longer path goes first.
FOLDERS = {
    "": (),
    "assets": ("reports",),
    "audits": ("workspace",),
    "bounds": ("mechanisms",),
    "cli": ("workspace",),
    "cli/serving": ("panel", "serve"),
    "dashboard": ("serve",),
    "explorables": ("reports",),
    "figures": ("paper", "panel"),
    "jupyter": ("lab",),
    "live": ("lab",),
    "live/canaries": ("opacus",),
    "live/trainers": ("opacus",),
    "pages": ("reports",),
    "panel": ("panel",),
    "populations": ("mechanisms",),
    "processes": ("mechanisms",),
    "pytest_plugin": ("dev",),
    "reports": ("reports",),
    "scores": ("files",),
    "server": ("serve",),
    "server/apps": ("panel", "serve"),
    "slides": ("lab",),
    "storing": ("workspace",),
    "synthetic": ("mechanisms",),
    "tables": ("files",),
    "testing": ("reports",),
    "testers": ("mechanisms",),
    "text": ("opacus",),
    "training": ("files", "mechanisms"),
    "views": ("lab", "panel"),
    "workspaces": ("workspace",),
}


def distributions(requirements):
    """Names of distributions, with those of our own extras among them."""
    found = set()
    for line in requirements:
        name, extras = re.match(r"([\w.-]+)(?:\[([\w,-]+)\])?", line).groups()
        if name == PROJECT["name"]:
            for extra in extras.split(","):
                found |= distributions(PROJECT["optional-dependencies"][extra])
        else:
            found.add(name.lower())
    return found


def declared(folder):
    """Distributions that the modules of a folder may import."""
    names = [folder, *(str(parent) for parent in Path(folder).parents)]
    extras = next(FOLDERS[name] for name in [*names, ""] if name in FOLDERS)
    return distributions(PROJECT["dependencies"]).union(
        *(distributions(PROJECT["optional-dependencies"][extra]) for extra in extras)
    )


def imports(tree):
    """Top-level packages that a module imports anywhere, but for type checkers alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("require"):
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                top = first.value.partition(".")[0]
                if top in EXTRAS:
                    yield top
        yield from imports(node)


def undeclared(path, root=PACKAGE):
    """Packages that a module imports and its folder does not declare."""
    folder = path.parent.relative_to(root).as_posix()
    known = declared("" if folder == "." else folder)
    for top in imports(ast.parse(path.read_text(encoding="utf-8"))):
        if top != "workbench" and top not in sys.stdlib_module_names:
            name = CALLED.get(top, top).lower()
            if name not in known:
                yield f"{path.relative_to(root)} imports {top}, and {name} is not declared for it"


def test_every_import_is_declared():
    assert [one for path in sorted(PACKAGE.rglob("*.py")) for one in undeclared(path)] == []


@pytest.mark.parametrize(
    ("folder", "line"),
    [
        ("scores", "import requests"),
        ("bounds", "def f():\n    import pyarrow.csv"),
        ("curves", "from sklearn.base import clone"),
        ("live/drawing", "import torch"),
        ("reports", "if True:\n    from tornado import web"),
    ],
)
def test_an_import_that_is_not_declared_is_found(folder, line, tmp_path):
    path = tmp_path / folder / "one.py"
    path.parent.mkdir(parents=True)
    path.write_text(line)
    assert len(list(undeclared(path, tmp_path))) == 1


def test_an_import_for_type_checkers_alone_needs_no_declaration(tmp_path):
    path = tmp_path / "one.py"
    path.write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pyarrow\n")
    assert not list(undeclared(path, tmp_path))


def test_the_core_needs_three_packages():
    assert distributions(PROJECT["dependencies"]) == {"numpy", "scipy", "pandas"}


def test_each_extra_has_what_it_is_named_for():
    """The command of a message installs the package that the message misses."""
    wrong = {
        package: extra
        for package, extra in EXTRAS.items()
        if CALLED.get(package, package).lower()
        not in distributions(PROJECT["optional-dependencies"][extra])
    }
    assert wrong == {}


def test_all_has_every_extra_of_users():
    extras = PROJECT["optional-dependencies"]
    everything = distributions(extras["all"])
    for extra in extras.keys() - {"all", "dev", "docs", "opacus"}:
        assert distributions(extras[extra]) <= everything, extra


def test_every_direct_dependency_has_a_version_in_the_constraints():
    lines = (PACKAGE.parent / "constraints.txt").read_text(encoding="utf-8").split()
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    extras = PROJECT["optional-dependencies"]
    users = distributions(
        one for extra in extras.keys() - {"dev", "docs"} for one in extras[extra]
    ) | distributions(PROJECT["dependencies"])
    assert {name for name in users if name.replace("_", "-") not in pinned} == set()


def test_the_documentation_lists_every_extra():
    text = (PACKAGE.parent / "docs" / "installation.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert set(rows) == PROJECT["optional-dependencies"].keys() - {"dev", "docs", "opacus"}
    assert "`opacus`" in text
