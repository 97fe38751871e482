"""`PageState`: the parameters and parts of a page, and the results that are cached from them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from itertools import repeat
from operator import is_
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import param

from workbench.pages.core.part import MARKS, Part, WithParts, part_templates
from workbench.pages.core.shared import PLAIN, shared_result
from workbench.software.private_names import param_state, set_param_state

M = TypeVar("M")
T = TypeVar("T")


#: In place of a parameter that is at its default, of which param keeps no value.
_UNSET = object()


class LeftBehind:
    """In another process: the value of a parameter that the work did not say it needs.

    Parameters
    ----------
    name : str
        The parameter.
    """

    def __init__(self, name: str):
        self._name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return LeftBehind, (self._name,)

    def __getattr__(self, attribute: str) -> Any:
        raise AttributeError(f"{self._name!r} is not among the needs of this work")

    def __bool__(self) -> bool:
        raise RuntimeError(f"{self._name!r} is not among the needs of this work")


class _Kept(NamedTuple):
    """A cached result, what it needed, and the values of the parameters behind that."""

    key: tuple[Any, ...]
    value: Any
    behind: list[Any]

    def without_values(self) -> _Kept:
        """The same for another process, which compares what it needed."""
        return self._replace(behind=[LeftBehind("")] * len(self.behind))


class EveryResult:
    """Results for all values of what they need, where a page keeps those for the last values only.

    For copies of a page that are moved to many states, of which each has some results in common
    with others. It must not outlive this work, as nothing is ever dropped.
    """

    def __init__(self) -> None:
        self._found: dict[Hashable, tuple[Any, tuple[Any, ...]]] = {}

    def result(self, name: str, key: tuple[Any, ...], compute: Callable[[], T]) -> T:
        """The result of ``compute()``, computed once for each name and each key.

        Parameters
        ----------
        name : str
            Of the result.
        key : tuple
            What it needs; two keys are equal if `same` says so.
        compute : callable
        """
        at = name, _hashed(key)
        if at not in self._found:
            # The key is kept, too: it holds the objects that are known by their identity.
            self._found[at] = compute(), key
        return self._found[at][0]


class PageState(param.Parameterized, metaclass=WithParts):
    """Parameters and parts, and results that depend on parameters directly or through others."""

    #: Attributes that stay behind when a page goes to another process.
    stays: ClassVar[tuple[str, ...]] = ("param",)

    #: Parameters that follow from others and are no settings.
    follows: ClassVar[tuple[str, ...]] = ()

    _every: EveryResult | None = None

    def __init__(self, **params: Any):
        self._kept: dict[str, _Kept] = {}
        self._quiet = self._restores = False
        vars(self).update(self._parts_of(self, part_templates(type(self))))
        super().__init__(**params)

    def __getattr__(self, name: str) -> Any:
        """A result or an item of a part, which has a name of its own on the page."""
        part = type(self)._in_parts().get(name)
        if part is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(vars(self)[part], name)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts, in the order of definition."""
        return tuple(self._parts.values())

    @classmethod
    @cache
    def _overriding(cls, hook: str) -> tuple[str, ...]:
        parts = part_templates(cls).items()
        return tuple(n for n, one in parts if getattr(type(one), hook) is not getattr(Part, hook))

    def parts_with(self, hook: str) -> list[Part]:
        """The parts that do something in one of the methods that a page asks its parts."""
        return [vars(self)[name] for name in self._overriding(hook)]

    @property
    def _parts(self) -> dict[str, Part]:
        return {name: vars(self)[name] for name in part_templates(type(self))}

    @staticmethod
    def _parts_of(page: Any, parts: dict[str, Part]) -> dict[str, Part]:
        return {name: part.of(page) for name, part in parts.items()}

    def not_settings(self) -> frozenset[str]:
        """Names of the parameters, of the page and its parts, that are no settings."""
        in_parts = (name for part in self.parts for name in part.not_settings())
        return frozenset(("name", *self.follows, *in_parts))

    def renamed(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings of an earlier version in the names of today; see `Part.renamed`."""
        found = dict(settings)
        for part in self.parts_with("renamed"):
            found = part.renamed(found)
        return found

    def independent(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Those of settings that do not follow from others of them; see `Part.independent`."""
        chosen = self.renamed(settings)
        for part in self.parts_with("independent"):
            chosen = part.independent(chosen)
        return chosen

    @property
    def quiet(self) -> bool:
        """Whether the page itself sets parameters at the moment, and no person does."""
        return self._quiet

    @property
    def restores(self) -> bool:
        """Whether settings of an earlier page are set at the moment."""
        return self._restores

    def set_quietly(self, **values: Any) -> None:
        """Set parameters on the page's own account: nothing is loaded or marked because of it."""
        before, self._quiet = self._quiet, True
        try:
            self.param.update(values)
        finally:
            self._quiet = before

    @contextmanager
    def restoring(self) -> Iterator[None]:
        """Context in which settings of an earlier page are set: nobody chooses anything in it."""
        before, self._restores = self._restores, True
        try:
            yield
        finally:
            self._restores = before
        if not before:
            for part in self.parts:
                part.restored()

    @classmethod
    @cache
    def _in_parts(cls) -> dict[str, str]:
        """For each result, item and job of a part its name, and the name of the part."""
        found: dict[str, str] = {}
        for part, template in part_templates(cls).items():
            for base in type(template).__mro__:
                for name, value in vars(base).items():
                    if any(hasattr(value, mark) for mark in MARKS):
                        clicked = getattr(getattr(value, "_item", None), "click", None)
                        found |= dict.fromkeys(filter(None, (name, clicked)), part)
        return found

    @classmethod
    @cache
    def marked(cls, mark: str, kind: type[M]) -> tuple[M, ...]:
        """The objects of a kind that decorators left on the methods of the class and its parts.

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

        def look_through(owner: type) -> None:
            for base in reversed(owner.__mro__):
                for value in vars(base).values():
                    if isinstance(value, Part):
                        look_through(type(value))
                    elif isinstance(found := getattr(value, mark, None), kind):
                        seen[found.name] = found  # type: ignore[attr-defined]

        look_through(cls)
        return tuple(seen.values())

    @classmethod
    @cache
    def parameters_of_type(cls, kind: type[param.Parameter]) -> tuple[str, ...]:
        """Names of the parameters of a type, in the order of definition."""
        return tuple(name for name, one in cls.param.objects().items() if isinstance(one, kind))

    @classmethod
    def parameters_of(cls, needs: tuple[str, ...]) -> frozenset[str]:
        """Names of the parameters that ``needs`` depend on, directly or through derived results."""
        return frozenset(name for name in cls._behind(needs) if name in cls.param)

    @classmethod
    def _behind(cls, needs: tuple[str, ...]) -> frozenset[str]:
        """Names of parameters and derived results that ``needs`` are and depend on."""
        found: set[str] = set()
        open_needs = list(needs)
        while open_needs:
            need = open_needs.pop()
            if need not in found:
                found.add(need)
                open_needs += () if need in cls.param else cls._method(need)._needs
        return frozenset(found)

    @classmethod
    def _method(cls, name: str) -> Any:
        """The method of the class, or of a part, of this name."""
        part = cls._in_parts().get(name)
        return getattr(cls if part is None else type(part_templates(cls)[part]), name)

    def values_of(self, needs: tuple[str, ...]) -> tuple[Any, ...]:
        """Present values of parameters and derived results; see `same`."""
        return tuple(map(self._value, needs))

    def cached(
        self, name: str, needs: tuple[str, ...], compute: Callable[[], Any], shared: str = ""
    ) -> Any:
        """The result of ``compute()``, computed again only if one of its needs has changed.

        Parameters
        ----------
        name : str
            Name of the result.
        needs : tuple of str
            The parameters and derived results that it depends on.
        compute : callable
            Computes the result.
        shared : str
            Name under which all visitors share the result; "" keeps it to this page. See
            `workbench.pages.core.shared`.
        """
        values, kept = param_state(self).values, self._kept.get(name)
        behind = list(map(values.get, self._parameters_behind(needs), repeat(_UNSET)))
        if kept is not None and all(map(is_, kept.behind, behind)):  # none was set meanwhile
            return kept.value
        key = self.values_of(needs)
        if kept is not None and same(kept.key, key):
            value = kept.value
        else:
            share = partial(self._shared, shared, needs, compute) if shared else compute
            every = self._every
            value = share() if every is None else every.result(name, key, share)
        self._kept[name] = _Kept(key, value, behind)
        return value

    @classmethod
    @cache
    def _parameters_behind(cls, needs: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(cls.parameters_of(needs))

    def snapshot(self, watching: bool = False, every: EveryResult | None = None) -> Self:
        """A copy of the page for another thread: what is set on it does not change the page.

        Parameters
        ----------
        watching : bool
            Whether the copy itself reacts to what is set on it, as the page does.
        every : EveryResult, optional
            Where the copy keeps all its results, and looks for them.
        """
        # Not copy.copy: param would have the page's own watchers act on the copy from then on.
        twin = object.__new__(type(self))
        own = copy.copy(param_state(self))
        own.values, own.params, own.watchers = dict(own.values), dict(own.params), {}
        state = {name: value for name, value in vars(self).items() if name != "param"}
        state |= self._parts_of(twin, self._parts)
        vars(twin).update(state, _kept=dict(self._kept), _every=every)
        set_param_state(twin, own)
        if watching:
            own.watchers = self._watchers_of(twin)
        return twin

    def for_process(self, needs: tuple[str, ...]) -> tuple[Self, dict[str, Any]]:
        """A copy of the page that can be pickled, for work in another process.

        It has all plain settings, and of other values and cached results those that the work
        needs. The parameters react to nothing.

        Parameters
        ----------
        needs : tuple of str
            The parameters and derived results that the work depends on.

        Returns
        -------
        page : PageState
        values : dict of str to object
            Its values that are no plain settings, by parameter.
        """
        needed = self._behind(needs)
        twin = object.__new__(type(self))
        own = type(param_state(self))(
            initialized=True, explicit_no_refs=param_state(self).explicit_no_refs
        )
        values = dict(param_state(self).values)
        large = {name for name, value in values.items() if not _plain(value)}
        own.values = {
            name: LeftBehind(name) if name in large - needed else value
            for name, value in values.items()
        }
        state = {name: value for name, value in vars(self).items() if name not in self.stays}
        state |= {name: part.for_process(twin) for name, part in self._parts.items()}
        kept = {n: one.without_values() for n, one in self._kept.items() if n in needed}
        vars(twin).update(state, _kept=kept)
        set_param_state(twin, own)
        return twin, {name: values[name] for name in large & needed}

    def whole_for_process(self) -> Self:
        """A copy of the page that can be pickled, with all its values; it reacts as the page does.

        Cached results stay behind, and so does what `stays` names.
        """
        twin = self.snapshot(watching=True)
        mine, own = param_state(self), param_state(twin)
        fresh = type(mine)(initialized=True, explicit_no_refs=mine.explicit_no_refs)
        fresh.values, fresh.watchers = own.values, own.watchers
        for name, parameter in mine.params.items():
            fresh.params[name] = copied = copy.copy(parameter)
            copied.owner, copied.watchers = twin, {}
        for name in self.stays:
            twin.__dict__.pop(name, None)
        for part in twin.parts:
            for name in part.stays:
                part.__dict__.pop(name, None)
        vars(twin).update(_kept={})
        set_param_state(twin, fresh)
        return twin

    def _watchers_of(self, twin: Self) -> dict[str, dict[str, list[Any]]]:
        """The watchers that are methods of the page and its parts, as methods of its copy."""
        twins: dict[int, Any] = {
            id(mine): own for mine, own in zip(self.parts, twin.parts, strict=True)
        }
        twins[id(self)] = twin
        return {
            name: {
                what: [
                    one._replace(inst=twin, fn=one.fn.__func__.__get__(twins[id(one.fn.__self__)]))
                    for one in watchers
                    if id(getattr(one.fn, "__self__", None)) in twins
                ]
                for what, watchers in kinds.items()
            }
            for name, kinds in param_state(self).watchers.items()
        }

    def _shared(self, name: str, needs: tuple[str, ...], compute: Callable[[], Any]) -> Any:
        values = {name: getattr(self, name) for name in sorted(self.parameters_of(needs))}
        return shared_result(name, values, compute)

    def _value(self, need: str) -> Any:
        value = getattr(self, need)
        return value() if callable(value) and hasattr(value, "_needs") else value


def _plain(value: Any) -> bool:
    return isinstance(value, PLAIN) or (isinstance(value, tuple) and all(map(_plain, value)))


def same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """True if two tuples are equal: by identity, or by value where they hold plain values.

    Parameters
    ----------
    a, b : tuple
        May hold further tuples. Other objects, such as arrays, are equal by identity only.
    """
    return len(a) == len(b) and (all(map(is_, a, b)) or all(map(_equal, a, b)))


def _equal(x: Any, y: Any) -> bool:
    if x is y:
        return True
    if type(x) is not type(y):
        return False
    if isinstance(x, tuple):
        return same(x, y)
    return isinstance(x, str | int | float | bool) and x == y


def _hashed(value: Any) -> Hashable:
    """Equal for two values exactly where `same` is, as long as both exist."""
    if isinstance(value, tuple):
        return type(value), tuple(map(_hashed, value))
    return (type(value), value if isinstance(value, str | int | float | bool) else id(value))
