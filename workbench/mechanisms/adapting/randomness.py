"""Generators that a mechanism was not given: numpy's and Python's global ones, and its own."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

#: Names of code that makes a generator, or asks the operating system, where no seed reaches.
_MAKERS = frozenset({"default_rng", "RandomState", "SystemRandom", "secrets", "urandom"})

#: How deep, and how many objects, are looked through for generators.
_DEEP, _MOST = 5, 1000


@dataclass(frozen=True)
class Randomness:
    """The generators that a mechanism keeps.

    Attributes
    ----------
    generators : tuple
        Those whose state can be set.
    unreached : tuple of str
        What no seed reaches: functions that make generators, and those of the operating system.
    """

    generators: tuple[Any, ...]
    unreached: tuple[str, ...]


@contextmanager
def seeded(rng: np.random.Generator, mechanism: Any) -> Iterator[None]:
    """Within it, generators are in states drawn from ``rng``; afterwards as they were.

    These are numpy's and Python's global ones, and those that the mechanism keeps.

    Parameters
    ----------
    rng : numpy.random.Generator
    mechanism : object
    """
    kept = randomness_of(mechanism).generators
    with ExitStack() as undo:
        undo.callback(np.random.set_state, np.random.get_state())  # noqa: NPY002
        np.random.seed(int(rng.integers(2**32)))  # noqa: NPY002
        undo.callback(random.setstate, random.getstate())
        random.seed(int(rng.integers(2**63)))
        for one in kept:
            undo.callback(_set(one, int(rng.integers(2**32))))
        yield


def _set(generator: Any, seed: int) -> Callable[[], None]:
    """Set the state of a generator by a seed; what puts it back."""
    if isinstance(generator, random.Random):
        former = generator.getstate()
        generator.seed(seed)
        return lambda: generator.setstate(former)
    if isinstance(generator, np.random.RandomState):
        legacy = generator.get_state(legacy=False)
        generator.seed(seed)
        return lambda: generator.set_state(legacy)
    bits = generator.bit_generator
    before = bits.state
    bits.state = type(bits)(seed).state
    return lambda: setattr(bits, "state", before)


def randomness_of(mechanism: Any) -> Randomness:
    """The generators that a mechanism keeps.

    They are looked for in attributes, containers, closures, defaults, partial arguments, and in
    the globals that its code names; not in other modules.

    Parameters
    ----------
    mechanism : object
    """
    found: dict[int, Any] = {}
    unreached: dict[str, None] = {}
    seen: set[int] = set()
    level = [mechanism]
    for _ in range(_DEEP):
        inner: list[Any] = []
        for one in level:
            if id(one) in seen or len(seen) > _MOST:
                continue
            seen.add(id(one))
            if isinstance(one, random.SystemRandom):
                unreached["random.SystemRandom"] = None
            elif _settable(one):
                found[id(one)] = one
            else:
                inner += _parts(one, unreached)
        level = inner
    return Randomness(tuple(found.values()), tuple(unreached))


def _settable(x: Any) -> bool:
    if isinstance(x, np.random.RandomState):
        return x.get_state(legacy=False)["bit_generator"] == "MT19937"
    return isinstance(x, np.random.Generator | random.Random)


def _parts(x: Any, unreached: dict[str, None]) -> list[Any]:
    """What an object keeps, as far as generators may be in it."""
    if x is None or isinstance(x, str | bytes | int | float | complex | np.ndarray | ModuleType):
        return []
    if isinstance(x, FunctionType):
        names = _names(x.__code__)
        unreached.update(dict.fromkeys(sorted(names & _MAKERS)))
        cells = [cell.cell_contents for cell in x.__closure__ or () if _filled(cell)]
        given = [x.__globals__[name] for name in names if name in x.__globals__]
        return [*cells, *(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values(), *given]
    if isinstance(x, functools.partial):
        return [x.func, *x.args, *x.keywords.values()]
    if isinstance(x, dict):
        return list(x.values()) if len(x) <= _MOST else []
    if isinstance(x, list | tuple | set | frozenset):
        return list(x) if len(x) <= _MOST else []
    if isinstance(x, type):
        return []
    bound = getattr(x, "__self__", None)  # of a method, also of one in C
    if bound is not None and not isinstance(bound, ModuleType):
        return [bound, getattr(x, "__func__", None)]
    kept = list(getattr(x, "__dict__", {}).values())
    return [*kept, *(vars(kind).get("__call__") for kind in type(x).__mro__)]


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _names(code: CodeType) -> set[str]:
    """The names that code uses, and the functions in it."""
    names = set(code.co_names)
    for one in code.co_consts:
        if isinstance(one, CodeType):
            names |= _names(one)
    return names
