"""What a page is: one state, and the controls, figures, numbers and help that follow from it.

A page knows no front end. It is a ``param.Parameterized`` whose parameters are the state, and whose
decorated methods say what is drawn from it::

    class Coin(Page):
        title = "A coin"
        controls = (Section("Coin", (Control("heads"),)),)

        heads = param.Number(0.5, bounds=(0, 1), label="Chance of heads")

        @figure("Chances", needs=("heads",), caution="Says nothing about your coin.")
        def chances(self):
            "How often each side comes up."
            return {"data": [...], "layout": {...}}

A renderer draws ``page.controls``, ``page.figures()``, ``page.numbers()`` and ``page.sentences()``,
and redraws an item when ``page.inputs(item)``, the parameters that it rests on, change.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ClassVar, Literal, TypeVar

import param

F = TypeVar("F", bound=Callable[..., Any])


class Upload(param.Parameter):
    """One or more files handed in by a person: a tuple of (filename, bytes)."""


@dataclass(frozen=True)
class Control:
    """A parameter that people may set, and when it is offered.

    Attributes
    ----------
    name : str
        The parameter. Its type chooses the widget: a bounded Number is a slider, a Selector a
        dropdown, a Boolean a switch, an Event a button, an Upload a file field.
    when : callable, optional
        ``when(page)`` is True while the control is offered; always, by default.
    """

    name: str
    when: Callable[[Any], bool] | None = None


@dataclass(frozen=True)
class Section:
    """Controls under one heading."""

    title: str
    controls: tuple[Control, ...]


@dataclass(frozen=True)
class Item:
    """One thing on the page that is drawn from its state.

    Attributes
    ----------
    name : str
        The page's method that draws it.
    kind : {"figure", "number", "sentence"}
        A figure is a plotly dict with colour roles; a number is a ``Bound`` or a ``Fact``; a
        sentence is text.
    needs : tuple of str
        The parameters and derived results that it rests on.
    help, formula, caution : str
        What it is, its formula, and what it does not promise.
    span : int
        Width of a figure in twelfths of the page.
    drag : mapping of str to str
        Name of a draggable shape -> the parameter that its x sets.
    click : str, optional
        The page's method called with the (x, y) that was clicked.
    place : {"head", "strip", "foot"}
        Where a sentence stands: small under the title, plain under the numbers, or small under
        the charts.
    """

    name: str
    kind: Literal["figure", "number", "sentence"]
    title: str
    needs: tuple[str, ...]
    help: str = ""
    formula: str = ""
    caution: str = ""
    span: int = 6
    drag: Mapping[str, str] = field(default_factory=dict)
    click: str | None = None
    place: Literal["head", "strip", "foot"] = "strip"


@dataclass(frozen=True)
class Fact:
    """A number that is simply counted, such as a sample size; it needs no guarantee."""

    text: str
    note: str = ""


def figure(
    title: str,
    needs: tuple[str, ...],
    span: int = 6,
    formula: str = "",
    caution: str = "",
    drag: Mapping[str, str] | None = None,
    click: str | None = None,
) -> Callable[[F], F]:
    """Mark a method that returns a plotly dict; see `Item` for the arguments."""

    def mark(method: F) -> F:
        return _mark(
            method,
            Item(
                name=method.__name__,
                kind="figure",
                title=title,
                needs=needs,
                help=inspect.getdoc(method) or "",
                formula=formula,
                caution=caution,
                span=span,
                drag=drag or {},
                click=click,
            ),
        )

    return mark


def number(
    title: str, needs: tuple[str, ...], formula: str = "", caution: str = ""
) -> Callable[[F], F]:
    """Mark a method that returns a `Bound` or a `Fact` for the strip of numbers."""

    def mark(method: F) -> F:
        help_text = inspect.getdoc(method) or ""
        item = Item(method.__name__, "number", title, needs, help_text, formula, caution)
        return _mark(method, item)

    return mark


def sentence(
    needs: tuple[str, ...], place: Literal["head", "strip", "foot"] = "strip"
) -> Callable[[F], F]:
    """Mark a method that returns plain words; an empty text is not drawn."""

    def mark(method: F) -> F:
        return _mark(method, Item(method.__name__, "sentence", "", needs, place=place))

    return mark


def derived(needs: tuple[str, ...]) -> Callable[[F], F]:
    """Cache a method's result for as long as what it needs stays the same."""

    def mark(method: F) -> F:
        name = method.__name__

        @wraps(method)
        def cached(self: Page) -> Any:
            key = tuple(self._value(need) for need in needs)
            kept = self._kept.get(name)
            if kept is None or not _same(kept[0], key):
                kept = self._kept[name] = (key, method(self))
            return kept[1]

        cached._needs = needs  # type: ignore[attr-defined]
        return cached  # type: ignore[return-value]

    return mark


class Page(param.Parameterized):
    """Base of all pages; see the module's docstring."""

    title: ClassVar[str] = ""
    about: ClassVar[str] = ""
    controls: ClassVar[tuple[Section, ...]] = ()

    message = param.String("", precedence=-1, doc="What went wrong last, in plain words.")

    def __init__(self, **params: Any):
        self._kept: dict[str, tuple[tuple[Any, ...], Any]] = {}
        super().__init__(**params)

    @classmethod
    def figures(cls) -> list[Item]:
        """The page's figures, in the order in which they are written."""
        return [item for item in cls._items() if item.kind == "figure"]

    @classmethod
    def numbers(cls) -> list[Item]:
        """The strip of numbers, in the order in which they are written."""
        return [item for item in cls._items() if item.kind == "number"]

    @classmethod
    def sentences(cls) -> list[Item]:
        """The texts under the strip."""
        return [item for item in cls._items() if item.kind == "sentence"]

    @classmethod
    def inputs(cls, item: Item) -> frozenset[str]:
        """The parameters that an item rests on, directly or through derived results."""
        found: set[str] = set()
        open_needs = list(item.needs)
        while open_needs:
            need = open_needs.pop()
            if need in cls.param:
                found.add(need)
            else:
                open_needs += getattr(cls, need)._needs
        return frozenset(found)

    def draw(self, item: Item) -> Any:
        """The item as it stands now."""
        return getattr(self, item.name)()

    @classmethod
    def _items(cls) -> Iterator[Item]:
        seen: dict[str, Item] = {}
        for base in reversed(cls.__mro__):
            for value in vars(base).values():
                item = getattr(value, "_item", None)
                if isinstance(item, Item):
                    seen[item.name] = item
        return iter(seen.values())

    def _value(self, need: str) -> Any:
        value = getattr(self, need)
        return value() if callable(value) and hasattr(value, "_needs") else value


def _mark(method: F, item: Item) -> F:
    method._item = item  # type: ignore[attr-defined]
    return method


def _same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Equal by identity, or by value for the plain values that widgets hold."""
    plain = (str, int, float, bool, tuple, type(None))
    return all(
        x is y or (isinstance(x, plain) and type(x) is type(y) and x == y)
        for x, y in zip(a, b, strict=True)
    )
