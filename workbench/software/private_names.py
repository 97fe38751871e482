"""Names that other libraries keep to themselves and that are used here, all behind this module.

There is no public way to do what they do. Any release may take one away, so each stands here once,
with the versions that have it. `moved` says in a sentence which one an installed version lacks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from concurrent.futures import Executor

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class PrivateName:
    """A private name of another library.

    Attributes
    ----------
    name : str
    library : str
        The distribution; "" for the standard library.
    made : callable
        Makes something that has the name.
    reason : str
        What it is for, and why nothing public does.
    checked : (str, str)
        The oldest and the newest version of the library that has it.
    """

    name: str
    library: str
    made: Callable[[], Any]
    reason: str
    checked: tuple[str, str]


PRIVATE_NAMES = (
    PrivateName(
        "_param__private",
        "param",
        lambda: resolve_name("param:Parameterized")(),
        "the values of a page, and a copy of a page without its watchers",
        ("2.1.0", "2.4.2"),
    ),
    PrivateName(
        "_upgrade_revs",
        "alembic",
        lambda: resolve_name("alembic.script:ScriptDirectory"),
        "the steps between two versions of a database, without a file env.py",
        ("1.14.0", "1.20.1"),
    ),
    PrivateName(
        "_unscaled_dash_pattern",
        "matplotlib",
        lambda: resolve_name("matplotlib.lines:Line2D")([], []),
        "the dashes of a line, which get_linestyle() leaves out",
        ("3.10.7", "3.11.2"),
    ),
    PrivateName(
        "_send_msg",
        "panel",
        lambda: resolve_name("panel.custom:ReactiveESM"),
        "a message to a component; the public way loads React from another host",
        ("1.9.0", "1.9.4"),
    ),
    PrivateName(
        "_PATCHED_CURDOCS",
        "bokeh",
        lambda: resolve_name("bokeh.io.doc"),
        "the documents that are current, of which one stays so after a script that was ended",
        ("3.8.0", "3.10.2"),
    ),
    PrivateName(
        "_option_string_actions",
        "",
        lambda: resolve_name("argparse:ArgumentParser")(),
        "the options of a command",
        ("3.11", "3.13"),
    ),
    PrivateName(
        "_pava_pybind",
        "scipy",
        lambda: resolve_name("scipy.optimize"),
        "isotonic regression without the import of scipy.optimize, which takes as long as those of "
        "numpy and scipy.special together",
        ("1.15.0", "1.17.1"),
    ),
    PrivateName(
        "_processes",
        "",
        lambda: resolve_name("concurrent.futures:ProcessPoolExecutor")(1),
        "the processes of a pool that is given up, for the signal that ended one",
        ("3.11", "3.13"),
    ),
)


#: What param keeps of an object: ``values``, ``params``, ``watchers`` and more.
param_state: Callable[[Any], Any] = attrgetter("_param__private")


def set_param_state(parameterized: Any, state: Any) -> None:
    """Give an object, of which nothing is set yet, what param keeps of it."""
    vars(parameterized)["_param__private"] = state


def upgrade_steps(scripts: Any, destination: str, current: Any) -> Any:
    """The steps of Alembic scripts from one revision to another."""
    return scripts._upgrade_revs(destination, current)


def dash_lengths(line: Any) -> tuple[float, ...]:
    """The dashes of a matplotlib line in units of its width; empty for a solid one."""
    return tuple(line._unscaled_dash_pattern[1] or ())


def options_of(parser: argparse.ArgumentParser) -> Mapping[str, argparse.Action]:
    """The options of a command with their actions, by their names with the dashes."""
    return parser._option_string_actions


@cache
def _pava() -> Callable[..., Any] | None:
    """The compiled algorithm of scipy, alone; None where it is no file of its own."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    import scipy

    name = "scipy.optimize._pava_pybind"
    module = getattr(sys.modules.get("scipy.optimize"), "_pava_pybind", None)
    if module is None:
        spec = PathFinder.find_spec(name, [f"{folder}/optimize" for folder in scipy.__path__])
        if spec is None or spec.loader is None:
            return None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    return getattr(module, "pava", None)


def isotonic_blocks(y: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.intp]:
    """Where the levels of the isotonic regression of y begin, and y.size.

    The ``blocks`` of `scipy.optimize.isotonic_regression`, which is used where scipy keeps its
    algorithm elsewhere.

    Parameters
    ----------
    y, weights : ndarray, shape (n,)
        Weights are above 0.
    """
    import numpy as np

    pava = _pava()
    if pava is None:
        from scipy.optimize import isotonic_regression

        blocks: NDArray[np.intp] = isotonic_regression(y, weights=weights).blocks
        return blocks
    first = np.full(y.size + 1, -1, dtype=np.intp)
    *_, first, count = pava(np.array(y, dtype=float), np.array(weights, dtype=float), first)
    return np.asarray(first[: count + 1])


def send_to_browser(component: Any, message: dict[str, Any]) -> None:
    """Send a message to the script of a component of Panel, in every document that shows it."""
    component._send_msg(message)


@contextmanager
def current_documents_kept() -> Iterator[None]:
    """Afterwards Bokeh has the same current documents as before.

    It forgets to take one back where ``sys.exit`` ends the script of an app.
    """
    documents = resolve_name("bokeh.io.doc")._PATCHED_CURDOCS
    depth = len(documents)
    try:
        yield
    finally:
        del documents[depth:]


def processes_of(pool: Executor | None) -> list[Any]:
    """The processes of a pool; empty for one of threads, one that has ended, and none."""
    return list((getattr(pool, "_processes", None) or {}).values())


def moved(names: tuple[PrivateName, ...] = PRIVATE_NAMES) -> Iterator[str]:
    """Sentences, one for each name that the installed version of its library does not have."""
    from importlib.metadata import version
    from platform import python_version

    for one in names:
        made = one.made()
        if not hasattr(made, one.name):
            installed = version(one.library) if one.library else python_version()
            kind = made if isinstance(made, type) else type(made)
            oldest, newest = one.checked
            yield (
                f"{one.library or 'Python'} {installed} has no {one.name} in {kind.__name__}, as "
                f"versions from {oldest} to {newest} have. It is for: {one.reason}"
            )
