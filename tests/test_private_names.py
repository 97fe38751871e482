"""Names that other libraries keep to themselves, and may take away in any release."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import platform
from collections import defaultdict
from pathlib import Path

import param
import pytest

import workbench
from workbench import server
from workbench.software.private_names import PRIVATE_NAMES, PrivateName, moved

PACKAGE = Path(workbench.__file__).parent

#: The module that has them all, each with the reason.
THERE = "workbench/software/private_names.py"

#: Public in spite of their names, as their documentation says; and what we put on functions.
DOCUMENTED = {
    "_exit",
    "_asdict",
    "_replace",
    "_fields",
    "_repr_html_",
    "_repr_mimebundle_",
    "_needs",
}


def trees():
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE.parent).as_posix()
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def private(name):
    return name.startswith("_") and not name.startswith("__") and name not in DOCUMENTED


def own_names(tree):
    """Names that a module defines: functions, classes, variables, attributes, arguments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                yield node.attr
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "__setattr__":
            yield from (a.value for a in node.args if isinstance(a, ast.Constant))


def foreign(tree, own):
    """Private names of others that a module reads, imports, or asks for by a string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and private(node.attr) and node.attr not in own:
            yield node.attr
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("workbench"):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            yield from filter(private, names)
        elif isinstance(node, ast.Import):
            yield from (n for a in node.names for n in a.name.split(".") if private(n))
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "setattr"):
            texts = [a.value for a in node.args[1:2] if isinstance(a, ast.Constant)]
            yield from (t for t in texts if private(str(t)) and t not in own)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "attrgetter":
            texts = [str(a.value) for a in node.args if isinstance(a, ast.Constant)]
            yield from (t for t in texts if private(t) and t not in own)


def overridden(folder):
    """Private methods of others that our classes define, or call by the same name."""
    for found in pkgutil.walk_packages(folder.__path__, f"{folder.__name__}."):
        if ".migrations" in found.name or found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__ != module.__name__:
                continue
            theirs = {
                name
                for base in kind.__mro__
                if not base.__module__.startswith("workbench")
                for name in vars(base)
            }
            for name, value in vars(kind).items():
                ours = inspect.isfunction(value) and value.__module__ == module.__name__
                if ours and private(name) and name in theirs:
                    yield f"{module.__name__.replace('.', '/')}.py", name


def test_private_names_of_other_libraries_are_used_in_one_module():
    parsed = dict(trees())
    own = {name for tree in parsed.values() for name in own_names(tree)}
    found = defaultdict(set)
    for path, tree in parsed.items():
        for name in foreign(tree, own):
            found[name].add(path)
    for path, name in overridden(server):
        found[name].add(path)
    assert found == {one.name: {THERE} for one in PRIVATE_NAMES}


def test_installed_versions_have_the_private_names():
    assert list(moved()) == []


def test_a_name_that_moved_is_told_with_the_library_and_its_version():
    gone = PrivateName("_gone", "param", lambda: param.Parameterized, "a trial", ("2.1", "2.4"))
    assert list(moved((gone,))) == [
        f"param {param.__version__} has no _gone in Parameterized, as versions from 2.1 to 2.4 "
        "have. It is for: a trial"
    ]
    (told,) = moved((PrivateName("_gone", "", object, "a trial", ("3.11", "3.13")),))
    assert told.startswith(f"Python {platform.python_version()} has no _gone in object,")


@pytest.mark.parametrize(
    "line",
    [
        "serving._tornado.settings",
        "from tornado.web import _ArgDefaultMarker",
        "import tornado._locale_data",
        "getattr(blank, '_OAUTH_USER_URL', '')",
        "attrgetter('_OAUTH_USER_URL')",
        "class A(B):\n    def f(self):\n        return self._finished",
    ],
)
def test_a_private_name_is_found(line):
    tree = ast.parse(line)
    assert list(foreign(tree, set(own_names(tree))))
