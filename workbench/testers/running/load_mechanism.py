"""`find_mechanism`: a mechanism by a gallery name, ``MODULE:FUNCTION`` or ``file.py:function``."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pkgutil
import sys
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from workbench._names import did_you_mean
from workbench.mechanisms.adapting.adapt import adapted as adapted_from
from workbench.mechanisms.adapting.adapt import mechanism_from
from workbench.mechanisms.adapting.adapted import AdaptedMechanism
from workbench.mechanisms.base import Mechanism


def find_mechanism(text: str, directory: str | Path | None = None) -> Mechanism | NamedMechanism:
    """The mechanism that a text names.

    This imports the named file or module, which runs its code.

    Parameters
    ----------
    text : str
        A name of the gallery (``"svt5"``); ``"MODULE:FUNCTION"``, the module found as ``python -m``
        would find it; or ``"path/to/file.py:function"``. What stands there may be anything that
        `mechanism_from` takes, and its result.
    directory : str or pathlib.Path, optional
        Where modules are searched first, and to which paths are relative; by default the current
        one.

    Returns
    -------
    Mechanism or NamedMechanism
        The first has its own claim, relation and domain. Both are callable, and can be sent to
        other processes.

    Raises
    ------
    ValueError
        No such name, module, file or function; an import that fails; an object that is no
        mechanism (see `mechanism_from`).

    Examples
    --------
    >>> wb.find_mechanism("svt5").name
    'svt5'
    """
    text = str(text).strip()
    place, colon, function = text.rpartition(":")
    if not colon:
        return _of_gallery(text)
    if not place or not function:
        raise ValueError(f"cannot read the mechanism {text!r}; write MODULE:FUNCTION")
    named = _named(place, function, directory)
    found = named.found
    _ = named.adapted  # raises now if it cannot be called
    return replace(found, run=named) if isinstance(found, Mechanism) else named


def find_object(text: str, directory: str | Path | None = None) -> Any:
    """What ``MODULE:NAME`` or ``path/to/file.py:NAME`` stands for, such as a domain.

    Parameters
    ----------
    text, directory
        As of `find_mechanism`.

    Raises
    ------
    ValueError
        No such module, file or name; an import that fails.
    """
    place, _, name = str(text).strip().rpartition(":")
    if not place or not name:
        raise ValueError(f"cannot read {text!r}; write MODULE:NAME or path/to/file.py:NAME")
    return _named(place, name, directory).found


def _named(place: str, name: str, directory: str | Path | None) -> NamedMechanism:
    directory = os.path.abspath(directory or os.curdir)
    source = _read(Path(directory, place)) if _is_path(place) else None
    return NamedMechanism(place, name, directory, source)


@dataclass(frozen=True, repr=False)
class NamedMechanism:
    """A function that other processes import by name.

    Attributes
    ----------
    place, function : str
        Module, or path of a file; and what is named in it.
    directory : str
        Where modules are looked for first, and what a path is relative to.
    source : str, optional
        The file's text. It travels along, so that editing the file during an audit changes nothing.
    """

    place: str
    function: str
    directory: str
    source: str | None = None

    @property
    def name(self) -> str:
        """What was typed."""
        return f"{self.place}:{self.function}"

    @cached_property
    def found(self) -> Any:
        """What the name stands for: a function, or a `Mechanism`."""
        if self.source is None:
            module = _import(self.place, self.directory)
        else:
            module = _execute(Path(self.directory, self.place), self.source)
        found: Any = module
        for part in self.function.split("."):
            if not hasattr(found, part):
                near = did_you_mean(part, (name for name in dir(found) if not name.startswith("_")))
                raise ValueError(f"{self.place} has no {self.function!r}{near}")
            found = getattr(found, part)
        return found

    @cached_property
    def adapted(self) -> AdaptedMechanism:
        """It as a mechanism, with its claim, relation and domain if it states them."""
        if isinstance(self.found, Mechanism | AdaptedMechanism):
            return replace(mechanism_from(self.found), name=self.name)
        return adapted_from(self.found, self.name)

    def __call__(self, dataset: Any, size: int, rng: np.random.Generator) -> Any:
        return self.adapted(dataset, size, rng)

    def __repr__(self) -> str:
        return f"NamedMechanism({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return NamedMechanism, (self.place, self.function, self.directory, self.source)


def _of_gallery(name: str) -> Mechanism:
    from workbench.mechanisms.gallery import GALLERY

    if name in GALLERY:
        return GALLERY[name]
    if _is_path(name):
        raise ValueError(f"name the function too: {name}:FUNCTION")
    raise ValueError(
        f"the gallery has no mechanism {name!r}{did_you_mean(name, GALLERY)}; a function of your "
        "own is written MODULE:FUNCTION or path/file.py:function"
    )


def _is_path(place: str) -> bool:
    return place.endswith(".py") or "/" in place or os.sep in place


def _read(path: Path) -> str:
    """The text of a Python file, as Python reads it."""
    if not path.is_file():
        siblings = path.parent.glob("*.py") if path.parent.is_dir() else ()
        near = did_you_mean(path.name, (each.name for each in siblings))
        raise ValueError(f"there is no file {path}{near}")
    try:
        return importlib.util.decode_source(path.read_bytes())
    except (SyntaxError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a Python file: {error}") from error


def _import(name: str, directory: str) -> ModuleType:
    """A module, looked for in the directory first."""
    _look_in(directory)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            package, _, module = name.rpartition(".")
            beside = pkgutil.iter_modules([os.path.join(directory, *package.split("."))])
            near = did_you_mean(module, (each.name for each in beside))
            raise ValueError(f"no module {name!r} is found from {directory}{near}") from error
        raise _broken(name, error) from error
    except (Exception, SystemExit) as error:
        raise _broken(name, error) from error


def _execute(path: Path, source: str) -> ModuleType:
    """A module of a file's text, executed once a process; what lies beside it can be imported."""
    path = path.resolve()
    digest = hashlib.sha256(f"{path}\n{source}".encode()).hexdigest()[:16]
    name = f"{path.stem}_{digest}"  # a name that shadows no other module
    if name in sys.modules:
        return sys.modules[name]
    _look_in(str(path.parent))
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # dataclasses look for their module there
    try:
        exec(compile(source, path, "exec"), vars(module))
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, (Exception, SystemExit)):
            raise _broken(str(path), error) from error
        raise
    return module


def _look_in(directory: str) -> None:
    if directory not in sys.path:
        sys.path.insert(0, directory)


def _broken(what: str, error: BaseException) -> ValueError:
    hint = ""
    if isinstance(error, ImportError) and "relative import" in str(error):
        hint = "; name a module of a package as PACKAGE.MODULE:FUNCTION"
    elif isinstance(error, SystemExit):
        hint = '; what a script does goes under `if __name__ == "__main__":`'
    return ValueError(f"{what} cannot be imported: {type(error).__name__}: {error}{hint}")
