"""`PageState`: the parameters of a page, and the results that are cached from them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Self, TypeVar

import param

from workbench.pages.core.shared import shared_result

M = TypeVar("M")


class PageState(param.Parameterized):
    """Parameters, and results that depend on them directly or through other results."""

    def __init__(self, **params: Any):
        self._kept: dict[str, tuple[tuple[Any, ...], Any]] = {}
        super().__init__(**params)

    @classmethod
    @cache
    def marked(cls, mark: str, kind: type[M]) -> tuple[M, ...]:
        """The objects of a kind that decorators left on the methods of the class.

        Parameters
        ----------
        mark : str
            The attribute of the method that holds the object.
        kind : type
            Its type. An object is replaced by a later one of the same name.

        Returns
        -------
        tuple
            In the order of definition, those of base classes first.
        """
        seen: dict[str, M] = {}
        for base in reversed(cls.__mro__):
            for value in vars(base).values():
                found = getattr(value, mark, None)
                if isinstance(found, kind):
                    seen[found.name] = found  # type: ignore[attr-defined]
        return tuple(seen.values())

    @classmethod
    def parameters_of(cls, needs: tuple[str, ...]) -> frozenset[str]:
        """Names of the parameters that ``needs`` depend on, directly or through derived results."""
        found: set[str] = set()
        open_needs = list(needs)
        while open_needs:
            need = open_needs.pop()
            if need in cls.param:
                found.add(need)
            else:
                open_needs += getattr(cls, need)._needs
        return frozenset(found)

    def values_of(self, needs: tuple[str, ...]) -> tuple[Any, ...]:
        """Present values of parameters and derived results; see `same`."""
        return tuple(self._value(need) for need in needs)

    def cached(
        self, name: str, needs: tuple[str, ...], method: Callable[[Any], Any], shared: str = ""
    ) -> Any:
        """The result of ``method(self)``, computed again only if one of its needs has changed.

        Parameters
        ----------
        name : str
            Name of the result.
        needs : tuple of str
            The parameters and derived results that it depends on.
        method : callable
            Computes the result from the page.
        shared : str
            Name under which all visitors share the result; "" keeps it to this page. See
            `workbench.pages.core.shared`.
        """
        key = self.values_of(needs)
        kept = self._kept.get(name)
        if kept is None or not same(kept[0], key):
            value = self._shared(shared, needs, method) if shared else method(self)
            kept = self._kept[name] = (key, value)
        return kept[1]

    def snapshot(self, watching: bool = False) -> Self:
        """A copy of the page for another thread: what is set on it does not change the page.

        Parameters
        ----------
        watching : bool
            Whether the copy itself reacts to what is set on it, as the page does.
        """
        # Not copy.copy: param would have the page's own watchers act on the copy from then on.
        twin = object.__new__(type(self))
        own = copy.copy(self._param__private)
        own.values, own.params, own.watchers = dict(own.values), dict(own.params), {}
        state = {name: value for name, value in vars(self).items() if name != "param"}
        vars(twin).update(state, _param__private=own, _kept=dict(self._kept))
        if watching:
            own.watchers = self._watchers_of(twin)
        return twin

    def _watchers_of(self, twin: Self) -> dict[str, dict[str, list[Any]]]:
        """The watchers that are methods of the page, as methods of its copy."""
        return {
            name: {
                what: [
                    one._replace(inst=twin, fn=one.fn.__func__.__get__(twin))
                    for one in watchers
                    if getattr(one.fn, "__self__", None) is self
                ]
                for what, watchers in kinds.items()
            }
            for name, kinds in self._param__private.watchers.items()
        }

    def _shared(self, name: str, needs: tuple[str, ...], method: Callable[[Any], Any]) -> Any:
        values = {name: getattr(self, name) for name in sorted(self.parameters_of(needs))}
        return shared_result(name, values, partial(method, self))

    def _value(self, need: str) -> Any:
        value = getattr(self, need)
        return value() if callable(value) and hasattr(value, "_needs") else value


def same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """True if two tuples are equal: by identity, or by value where they hold plain values.

    Parameters
    ----------
    a, b : tuple
        May hold further tuples. Other objects, such as arrays, are equal by identity only.
    """
    return len(a) == len(b) and all(map(_equal, a, b))


def _equal(x: Any, y: Any) -> bool:
    if x is y:
        return True
    if type(x) is not type(y):
        return False
    if isinstance(x, tuple):
        return same(x, y)
    return isinstance(x, str | int | float | bool) and x == y
