"""`Place`: the file and line of the code under test that called something."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, TracebackType
from typing import Any

from workbench import _checks
from workbench.mechanisms import adapting

#: Frames of these folders are on the way: the recorder itself, and libraries that call back.
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_ADAPTERS = os.path.dirname(os.path.abspath(adapting.__file__)) + os.sep
_LIBRARIES = tuple(f"{os.sep}{name}{os.sep}" for name in ("numpy", "pandas", "scipy"))


@dataclass(frozen=True, order=True)
class Place:
    """A line of the code under test.

    Attributes
    ----------
    file : str
        As Python knows it; an empty text where there is no line to name.
    line : int
    function : str
    """

    file: str = ""
    line: int = 0
    function: str = ""

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def short(self) -> str:
        """The last part of the file and the line: "means.py:60"."""
        return f"{os.path.basename(self.file)}:{self.line}" if self.file else "the mechanism"

    def __str__(self) -> str:
        return self.short


def by_an_adapter() -> bool:
    """Whether a draw is not of the code under test, but of what calls it."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(_ADAPTERS)


def caller() -> Place:
    """The line of the code under test that is running now."""
    frame = inspect.currentframe()
    while frame is not None and not _is_start(frame.f_code):
        if _is_theirs(frame.f_code.co_filename):
            code = frame.f_code
            return Place(code.co_filename, frame.f_lineno or 0, code.co_name)
        frame = frame.f_back
    return Place()


def place_of(function: Callable[..., Any]) -> Place:
    """Where a function is defined; an empty place where it has no Python code."""
    while not isinstance(getattr(function, "__code__", None), CodeType):
        names = ("__wrapped__", "func", "run", "function", "__func__")
        inner = next((x for name in names if (x := getattr(function, name, None))), None)
        call = type(function).__dict__.get("__call__")
        if inner is None and isinstance(getattr(call, "__code__", None), CodeType):
            inner = call
        if inner is None:
            return Place()
        function = inner
    while getattr(function, "__wrapped__", None) is not None:
        function = function.__wrapped__  # type: ignore[attr-defined]
    code = function.__code__
    return Place(code.co_filename, code.co_firstlineno, code.co_name)


def raised_at(error: BaseException) -> Place:
    """The innermost line of the code under test in a traceback."""
    found, at = Place(), error.__traceback__
    while isinstance(at, TracebackType):
        code = at.tb_frame.f_code
        if _is_theirs(code.co_filename):
            found = Place(code.co_filename, at.tb_lineno, code.co_name)
        at = at.tb_next
    return found


def _is_start(code: CodeType) -> bool:
    """Whether this is the recorder's own call of the code under test."""
    return code.co_name in ("run_once", "check_training") and code.co_filename.startswith(_HERE)


def _is_theirs(file: str) -> bool:
    if file.startswith((_HERE, _ADAPTERS, "<__array_function__")):
        return False
    return not ("site-packages" in file and any(name in file for name in _LIBRARIES))
