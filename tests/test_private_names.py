"""Names that other libraries keep to themselves, and may take away in any release."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections import defaultdict
from pathlib import Path

import pytest

import workbench
from workbench import server

PACKAGE = Path(workbench.__file__).parent

#: Where there is no public way, with the reason. A line that is no longer needed is deleted.
USED = {
    "_request_summary": "Tornado: else its warnings have the query of a request, maybe with a key",
    "_is_protocol": "typing: is_protocol() comes with Python 3.13",
    "_is_runtime_protocol": "typing: as _is_protocol",
    "_upgrade_revs": "Alembic: the steps between two revisions, without an environment of its own",
    "_option_string_actions": "argparse: the options of a command",
    "_AppendAction": "argparse: whether an option may be repeated",
    "_unscaled_dash_pattern": "matplotlib: the dashes of a line, which get_linestyle() leaves out",
    "_param__private": "param: the values of a copy of a page, without its watchers",
    "_send_msg": "Panel: a message to a component; the public way loads React from another host",
    "_processes": "concurrent.futures: the processes of a pool that is given up",
}

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


def test_no_private_name_of_another_library_is_used():
    parsed = dict(trees())
    own = {name for tree in parsed.values() for name in own_names(tree)}
    found = defaultdict(set)
    for path, tree in parsed.items():
        for name in foreign(tree, own):
            found[name].add(path)
    for path, name in overridden(server):
        found[name].add(path)
    assert {name: paths for name, paths in found.items() if name not in USED} == {}
    assert USED.keys() - found.keys() == set()


@pytest.mark.parametrize(
    "line",
    [
        "serving._tornado.settings",
        "from tornado.web import _ArgDefaultMarker",
        "import tornado._locale_data",
        "getattr(blank, '_OAUTH_USER_URL', '')",
        "class A(B):\n    def f(self):\n        return self._finished",
    ],
)
def test_a_private_name_is_found(line):
    tree = ast.parse(line)
    assert list(foreign(tree, set(own_names(tree))))
