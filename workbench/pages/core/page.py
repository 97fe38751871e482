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
and redraws an item when ``page.inputs(item)``, the parameters that it rests on, change. Long work
is a job; see `workbench.pages.core.jobs`.
"""

from __future__ import annotations

import copy
import inspect
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial, wraps
from typing import Any, ClassVar, Literal, Self, TypeVar

import param

from workbench.pages.core.jobs import Job, JobState, Post, Run
from workbench.pages.core.shared import shared_result
from workbench.progress import Cancelled

F = TypeVar("F", bound=Callable[..., Any])

M = TypeVar("M", "Item", Job)

#: Seconds within which two clicks are one.
DOUBLE_CLICK = 0.4

#: Passes in which `Page.restore` sets parameters that depend on each other.
RESTORE_PASSES = 4


class Upload(param.Parameter):
    """One or more files handed in by a person: a tuple of (filename, bytes).

    A file that the server was started with comes as (filename, `workbench.scores.table.DataTable`):
    it was read once, for all visitors.
    """


@dataclass(frozen=True)
class Control:
    """A parameter that people may set, or a job that they may run, and when it is offered.

    Attributes
    ----------
    name : str
        The parameter. Its type chooses the widget: a bounded Number is a slider, a Selector a
        dropdown, a Boolean a switch, an Event a button, an Upload a file field. Or the job: a
        button that starts it, and cancels it while it runs.
    when : callable, optional
        ``when(page)`` is True while the control is offered; always, by default.
    """

    name: str
    when: Callable[[Any], bool] | None = None

    def offered(self, page: Page) -> bool:
        """Whether the page offers it now."""
        return self.when is None or bool(self.when(page))


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
        A figure is a plotly dict with color roles; a number is a ``Bound`` or a ``Fact``; a
        sentence is text.
    needs : tuple of str
        The parameters and derived results that it rests on.
    help, formula, caution : str
        What it is, its formula, and what it does not promise.
    span : int
        Width of a figure in twelfths of the page; its height is 300 pixels, or its layout's.
    drag : mapping of str to str
        Name of a draggable shape -> the parameter that its x sets.
    click : str, optional
        The page's method called with the (x, y) that was clicked.
    place : {"head", "strip", "foot"}
        Where a sentence stands: small under the title, plain under the numbers, or small under
        the charts.
    slow : bool
        It takes so long that charts under a moving slider should not wait for it. A renderer may
        draw it once the page has come to rest.
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
    slow: bool = False


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
    title: str,
    needs: tuple[str, ...],
    formula: str = "",
    caution: str = "",
    slow: bool = False,
) -> Callable[[F], F]:
    """Mark a method that returns a `Bound` or a `Fact` for the strip of numbers."""

    def mark(method: F) -> F:
        help_text = inspect.getdoc(method) or ""
        item = Item(method.__name__, "number", title, needs, help_text, formula, caution, slow=slow)
        return _mark(method, item)

    return mark


def sentence(
    needs: tuple[str, ...],
    place: Literal["head", "strip", "foot"] = "strip",
    slow: bool = False,
) -> Callable[[F], F]:
    """Mark a method that returns plain words; an empty text is not drawn."""

    def mark(method: F) -> F:
        item = Item(method.__name__, "sentence", "", needs, place=place, slow=slow)
        return _mark(method, item)

    return mark


def derived(needs: tuple[str, ...], shared: bool = False) -> Callable[[F], F]:
    """Cache a method's result for as long as what it needs stays the same.

    Parameters
    ----------
    needs : tuple of str
        The parameters and derived results that it rests on.
    shared : bool
        Whether all visitors share it; see `workbench.pages.core.shared`. It must rest on nothing
        but what it needs.
    """

    def mark(method: F) -> F:
        name, told = method.__name__, f"{method.__module__}.{method.__qualname__}"

        @wraps(method)
        def cached(self: Page) -> Any:
            key = self._values(needs)
            kept = self._kept.get(name)
            if kept is None or not same(kept[0], key):
                value = self._shared(told, needs, method) if shared else method(self)
                kept = self._kept[name] = (key, value)
            return kept[1]

        cached._needs = needs  # type: ignore[attr-defined]
        return cached  # type: ignore[return-value]

    return mark


class Page(param.Parameterized):
    """Base of all pages; see the module's docstring."""

    title: ClassVar[str] = ""
    menu: ClassVar[str] = ""  #: what the menu calls the page, where its title is too long for it
    about: ClassVar[str] = ""
    controls: ClassVar[tuple[Section, ...]] = ()
    rests_on: ClassVar[str] = "scores"  #: the parameter, if it has it, on which other defaults rest
    told: ClassVar[tuple[str, ...]] = ("message", "loaded")  #: texts that follow from other state

    message = param.String("", precedence=-1, doc="What went wrong last, in plain words.")
    job_states = param.Dict({}, precedence=-1, doc="The `JobState` of every job that was begun.")

    def __init__(self, **params: Any):
        self._kept: dict[str, tuple[tuple[Any, ...], Any]] = {}
        self._runs: dict[str, Run] = {}
        self._results: dict[str, Run] = {}
        self._turned: dict[str, float] = {}
        self._plain: dict[str, Any] | None = None
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
    def jobs(cls) -> dict[str, Job]:
        """The page's long work by name, in the order in which it is written."""
        return {job.name: job for job in cls._marked("_job", Job)}

    @classmethod
    def inputs(cls, item: Item | Job) -> frozenset[str]:
        """The parameters that an item rests on, directly or through derived results."""
        return cls._parameters(item.needs)

    @classmethod
    def _parameters(cls, needs: tuple[str, ...]) -> frozenset[str]:
        found: set[str] = set()
        open_needs = list(needs)
        while open_needs:
            need = open_needs.pop()
            if need in cls.param:
                found.add(need)
            else:
                open_needs += getattr(cls, need)._needs
        return frozenset(found)

    def drawn_from(self, item: Item) -> tuple[Any, ...]:
        """What the item is drawn from, as it stands; see `same`."""
        return self._values(item.needs)

    def draw(self, item: Item) -> Any:
        """The item as it stands now."""
        return getattr(self, item.name)()

    # -- settings that outlive the page ------------------------------------------------------------

    def settings(self, names: Collection[str] | None = None) -> dict[str, Any]:
        """All that JSON can hold of the state: a selector's choice as its label, files by name.

        Parameters
        ----------
        names : collection of str, optional
            The parameters that are asked for; all by default.
        """
        known = self._settable()
        chosen = known if names is None else known.keys() & set(names)
        return {name: _setting(self, known[name]) for name in chosen}

    def restore(self, settings: Mapping[str, Any]) -> list[str]:
        """Set the parameters to what `settings` returned on a page of this kind.

        Setting one parameter may change others, such as the threshold when the data change; hence
        several passes. Parameters without a control, such as a seed, come first and last.

        Parameters
        ----------
        settings : mapping of str to object
            May come from an older version or from a stranger: unknown names and values are left
            out.

        Returns
        -------
        list of str
            Labels of the parameters that could not be restored. Files cannot.
        """
        shown = [c.name for section in self.controls for c in section.controls]
        known = self._settable()
        hidden = [name for name in known if name not in shown]
        order = [*hidden, *(name for name in shown if name in known), *hidden]
        wanted = {name: settings[name] for name in known if name in settings}
        for _ in range(RESTORE_PASSES):
            for name in order:
                if name in wanted and _setting(self, known[name]) != wanted[name]:
                    with suppress(ValueError, TypeError, KeyError):
                        setattr(self, name, _from_setting(known[name], wanted[name]))
        lost = [name for name in wanted if _setting(self, known[name]) != wanted[name]]
        return [str(known[name].label) for name in lost]

    def _settable(self) -> dict[str, Any]:
        if self._plain is None:
            kinds = (param.Boolean, param.Number, param.String, param.Selector, Upload)
            self._plain = {
                name: parameter
                for name, parameter in self.param.objects().items()
                if isinstance(parameter, kinds)
                and not isinstance(parameter, param.Event)
                and name not in ("name", *self.told)
            }
        return self._plain

    # -- long work ---------------------------------------------------------------------------------

    def job_state(self, name: str) -> JobState:
        """How the job of this name stands."""
        state, job = self.job_states.get(name, JobState()), self.jobs()[name]
        run = self._results.get(job.into)
        if run is None or run.job != job or getattr(self, job.into) is None:
            return state
        stale = not same(run.inputs, self.inputs_of(job))
        shown = "this run" if run is self._runs[name] else "an earlier run"
        return replace(state, shown=shown, stale=stale)

    def start_job(self, name: str, post: Post = lambda key, change: change()) -> None:
        """Begin a job in a thread, unless it runs already.

        Parameters
        ----------
        name : str
            The job.
        post : callable
            Where changes of the page are made; see `workbench.pages.core.jobs.Post`. By default in
            the job's own thread.
        """
        if not self.job_state(name).running:
            self._begin(name, post).start()

    def press_job(self, name: str, post: Post) -> None:
        """What a job's button does: begin, or cancel while it runs; see `start_job`.

        A click just after the button's words changed was meant for the words before.
        """
        if time.monotonic() - self._turned.get(name, -DOUBLE_CLICK) < DOUBLE_CLICK:
            return
        if self.job_state(name).running:
            self.cancel_job(name)
        else:
            self.start_job(name, post)

    def run_job(self, name: str, told: Callable[[], None] = lambda: None) -> Any:
        """Do a job here and now, to its end.

        Parameters
        ----------
        name : str
            The job.
        told : callable, optional
            Is called after each change of the page.

        Returns
        -------
        The page's result, which is partial if the job was cancelled.

        Raises
        ------
        RuntimeError
            The job runs already.
        KeyboardInterrupt
            Ctrl-C; the page keeps the partial result.
        """
        if self.job_state(name).running:
            raise RuntimeError(f"{self.jobs()[name].title!r} is running already; cancel it first")

        def post(key: Any, change: Callable[[], None]) -> None:
            change()
            told()

        with suppress(Cancelled):
            self._begin(name, post)()
        return getattr(self, self.jobs()[name].into)

    def cancel_job(self, name: str) -> None:
        """Have a job stop at its next report; what it has reported stays."""
        if self.job_state(name).running:
            self._runs[name].cancel()
            self._mark_job(name, replace(self.job_states[name], message="Cancelling …"))

    def end_jobs(self) -> None:
        """Cancel all jobs and hear nothing more of them: nobody looks at the page any more."""
        for name, run in self._runs.items():
            run.mute()
            run.cancel()
            if self.job_state(name).running:
                self._mark_job(name, replace(self.job_states[name], status="cancelled"))

    def hear(self, run: Run, state: JobState, value: Any) -> None:
        """Take what a job tells; ``value`` is its result so far, or None."""
        into = run.job.into
        with param.parameterized.batch_call_watchers(self):
            if value is not None and value is not getattr(self, into):
                self._results[into] = run
                setattr(self, into, value)
            if state.error:
                self.message = f"{run.job.title}: {state.error}"
            self._mark_job(run.job.name, state)

    def inputs_of(self, job: Job) -> tuple[Any, ...]:
        """The parameters that a job rests on, as they stand."""
        return self._values(tuple(sorted(self.inputs(job))))

    def snapshot(self) -> Self:
        """The page as it stands, for a thread of its own: nothing that is set here changes it."""
        # Not copy.copy: param would have the page's own watchers act on the copy from then on.
        twin = object.__new__(type(self))
        own = copy.copy(self._param__private)
        own.values, own.params, own.watchers = dict(own.values), dict(own.params), {}
        state = {name: value for name, value in vars(self).items() if name != "param"}
        vars(twin).update(state, _param__private=own, _kept=dict(self._kept))
        return twin

    def _begin(self, name: str, post: Post) -> Run:
        run = self._runs[name] = Run(self, self.jobs()[name], post)
        self._mark_job(name, JobState("running"))
        return run

    def _mark_job(self, name: str, state: JobState) -> None:
        if state.running != self.job_state(name).running:
            self._turned[name] = time.monotonic()
        self.job_states = {**self.job_states, name: state}

    # -- what is marked ----------------------------------------------------------------------------

    @classmethod
    def _items(cls) -> tuple[Item, ...]:
        return cls._marked("_item", Item)

    @classmethod
    @cache
    def _marked(cls, mark: str, kind: type[M]) -> tuple[M, ...]:
        seen: dict[str, M] = {}
        for base in reversed(cls.__mro__):
            for value in vars(base).values():
                found = getattr(value, mark, None)
                if isinstance(found, kind):
                    seen[found.name] = found
        return tuple(seen.values())

    def _shared(self, name: str, needs: tuple[str, ...], method: Callable[[Any], Any]) -> Any:
        rests_on = {param: getattr(self, param) for param in sorted(self._parameters(needs))}
        return shared_result(name, rests_on, partial(method, self))

    def _values(self, needs: tuple[str, ...]) -> tuple[Any, ...]:
        return tuple(self._value(need) for need in needs)

    def _value(self, need: str) -> Any:
        value = getattr(self, need)
        return value() if callable(value) and hasattr(value, "_needs") else value


def _setting(page: Page, parameter: Any) -> Any:
    """A parameter's value as JSON can hold it."""
    value = getattr(page, parameter.name)
    if isinstance(parameter, Upload):
        return [[name, _size(content)] for name, content in value or ()]
    if isinstance(parameter, param.Selector):
        return next((name for name, one in parameter.get_range().items() if one == value), None)
    return value


def _size(content: Any) -> int:
    """A file's bytes, or the values of one that was read."""
    return len(content) if isinstance(content, bytes) else sum(map(len, content.columns.values()))


def _from_setting(parameter: Any, setting: Any) -> Any:
    """The value that `_setting` returned; an error if there is none."""
    if isinstance(parameter, Upload):
        raise ValueError("the content of a file is not part of the settings")
    if isinstance(parameter, param.Selector):
        return parameter.get_range()[setting]
    return setting


def _mark(method: F, item: Item) -> F:
    method._item = item  # type: ignore[attr-defined]
    return method


def same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Whether two tuples are equal: by identity, or by value where they hold plain values."""
    return len(a) == len(b) and all(map(_equal, a, b))


def _equal(x: Any, y: Any) -> bool:
    if x is y:
        return True
    if type(x) is not type(y):
        return False
    if isinstance(x, tuple):
        return same(x, y)
    return isinstance(x, str | int | float | bool) and x == y
