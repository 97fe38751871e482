"""`Page`: the state of a page, and the decorators that mark what is drawn from it.

A page knows no front end. It is a ``param.Parameterized`` class: its parameters are the state, and
its decorated methods draw items from them::

    import param

    from workbench.figures import Style, axis, chart, line
    from workbench.pages import Control, Page, Section, figure


    class Coin(Page):
        title = "A coin"
        about = "How often does each side of a coin come up?"
        controls = (Section("Coin", (Control("heads"),)),)

        heads = param.Number(0.5, bounds=(0, 1), label="Chance of heads")

        @figure("Chances", needs=("heads",), caution="Says nothing about your coin.")
        def chances(self):
            "How often each side comes up."
            curve = line(Style("chance", "p"), [0, 1], [self.heads, 1 - self.heads])
            summary = f"Heads come up with chance {self.heads}."
            return chart([curve], axis("Side", 0, 1), axis("Chance", 0, 1), summary=summary)

`workbench.testing.check_page` checks a page. That of another package is named by an entry point of
the group ``workbench.pages``.

The docstring of a decorated method is the help text that people read on the page.

A front end draws ``page.sections`` and ``page.items()``, and draws an item again when one of
``page.inputs(item)``, the parameters that it depends on, changes; `workbench.pages.core.session`
does this for all front ends. Long work is a job; see `workbench.pages.core.jobs`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, ClassVar, Literal, Self, TypeVar

import param

from workbench import _checks
from workbench.audits.items import TONES, Tone
from workbench.bounds.bound import Bound
from workbench.figures.kit.layout import PARTS
from workbench.pages.core.jobs import Job, Jobs
from workbench.pages.core.part import Part
from workbench.pages.core.settings import Files, restore, settable, sliders
from workbench.pages.core.sliders import widen
from workbench.pages.core.state import PageState
from workbench.workspaces.home import given_workspace
from workbench.workspaces.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Control:
    """A parameter that people can set, or a job that they can run.

    Attributes
    ----------
    name : str
        Name of the parameter or of the job. The type of the parameter chooses the widget: a
        bounded Number is a slider, a Selector a dropdown, a Boolean a switch, an Event a button,
        an Upload a file field. A job is a button that starts it, and cancels it while it runs.
    when : callable, optional
        ``when(page)`` is True while the control is offered. By default it always is.
    menu : bool
        True if the dashboard has it in its bar, and not among the controls of the page.
    given : bool, optional
        True if only pages about an object that is given in Python have it; False if they do not,
        such as a choice of data.
    """

    name: str
    when: Callable[[Any], bool] | None = None
    menu: bool = False
    given: bool | None = None

    def offered(self, page: Page) -> bool:
        """True if the page offers the control in its present state."""
        when = self.when
        return when is None or bool(when(page))


@dataclass(frozen=True)
class Section:
    """A heading and the controls under it."""

    title: str
    controls: tuple[Control, ...]


@dataclass(frozen=True)
class Item:
    """A figure, number or sentence that is drawn from the state of a page.

    Attributes
    ----------
    name : str
        Name of the page's method that draws it.
    kind : {"figure", "number", "sentence"}
        A figure is a plotly dict with color roles; a number is a ``Bound`` or a ``Fact``; a
        sentence is text, or the `Answer` of the page.
    needs : tuple of str
        The parameters and derived results that it depends on.
    help, formula, caution : str
        What it shows, its formula, and the limits of what it says.
    span : int
        Width of a figure in twelfths of the page. Its layout may name a
        height in pixels, which it then has at least.
    drag : mapping of str to str
        Names of draggable shapes, and the parameter that the x position of each sets.
    click : str, optional
        Name of the page's method that is called with the (x, y) that was clicked.
    folded : bool
        True for a figure that the dashboard shows when it is asked for, or a number that it shows
        as what the answer of the page rests on.
    place : {"answer", "head", "strip", "text", "foot"}
        Position of a sentence: large under the title, for the answer of the page; small under the
        title, where one line of it is shown; under the numbers, for warnings that must stay in
        view; under the charts; or small under the charts.
    slow : bool
        True if drawing takes so long that the charts should not wait for it while a slider moves.
        A front end may draw it once nothing has changed for a moment; a figure stays until then.
    main : bool
        True for the number that answers the question of the page.
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
    folded: bool = False
    place: Literal["answer", "head", "strip", "text", "foot"] = "text"
    slow: bool = False
    main: bool = False


@dataclass(frozen=True)
class Answer:
    """The answer to the question of a page: the headline, and what it rests on.

    Attributes
    ----------
    words : str
        A few words, such as "Refuted" or "Nothing to conclude yet".
    evidence : str
        Half a line: numbers with their guarantee, what is missing, or why nothing may be concluded.
    tone : {"bad", "good", "open", "void"}
        What it means: a leak or violation is shown; what was asked holds; nothing is shown; or
        nothing may be concluded.
    """

    words: str
    evidence: str = ""
    tone: Tone = "open"

    def __post_init__(self) -> None:
        _checks.one_of(self.tone, "tone", TONES)
        if not self.words.strip():
            raise ValueError("an answer has words, such as Answer('Nothing to conclude yet')")

    def __str__(self) -> str:
        return f"{self.words}: {self.evidence}" if self.evidence else self.words


@dataclass(frozen=True)
class Fact:
    """A number without uncertainty, such as a sample size.

    An empty text is not drawn: the page does without the number then.
    """

    text: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.note})" if self.note else self.text

    def __format__(self, spec: str) -> str:
        """The text by a format of texts, such as ``f"{fact:>12}"``."""
        return format(self.text, spec)


def is_left_out(value: object) -> bool:
    """Whether what a page drew is a number that it does without; see `Fact`."""
    return isinstance(value, Fact) and not value.text


class NotChosen(str):
    """A reason why a bound is not valid yet: nobody has chosen what it rests on.

    As the ``void`` of a bound it has the front end ask for the choice instead of showing a number
    that nobody wanted.

    Parameters
    ----------
    reason : str
        The text itself.
    ask : str
        What to choose, such as "choose a threshold".
    """

    ask: str

    def __new__(cls, reason: str, ask: str = "") -> NotChosen:
        """The reason, which is the text, with the request."""
        made = super().__new__(cls, reason)
        made.ask = ask
        return made


class FixedInAdvance(str):
    """The note of a bound whose threshold or bins a plan fixed in advance.

    Parameters
    ----------
    text : str
        The note itself.
    plan : str
        Label of the plan, such as "plan 3fa9c1d2".
    """

    term: str

    def __new__(cls, text: str, plan: str = "") -> FixedInAdvance:
        """The note, with what the terms of the number add."""
        made = super().__new__(cls, text)
        made.term = f"fixed in advance ({plan})"
        return made


def fixed_term(bound: Bound) -> str:
    """By which plan a bound was fixed in advance; "" if by none, or if it is void."""
    note = bound.note
    return note.term if isinstance(note, FixedInAdvance) and not bound.void else ""


def terms_of(bound: Bound) -> tuple[str, ...]:
    """The terms of a bound on a page: its own, with the plan next to the guarantee."""
    guarantee, *rest = bound.terms
    fixed = fixed_term(bound)
    return (guarantee, fixed, *rest) if fixed else bound.terms


def figure(
    title: str,
    needs: tuple[str, ...],
    span: int = 6,
    formula: str = "",
    caution: str = "",
    drag: Mapping[str, str] | None = None,
    click: str | None = None,
    folded: bool = False,
    slow: bool = False,
) -> Callable[[F], F]:
    """Decorator that marks a method of a page as a figure.

    The method returns what `workbench.figures.kit.layout.chart` makes, as the functions of
    `workbench.figures` do: a plotly dict with color roles, a summary, and all that reports and
    snapshots read. Another one raises a ValueError where it is drawn. The docstring of the method
    is the help text that people read beside the figure, so write it for them.

    Parameters
    ----------
    title, needs, span, formula, caution, drag, click, folded, slow
        See `Item`.
    """

    def mark(method: F) -> F:
        @wraps(method)
        def drawn(self: Page) -> Any:
            return _complete(method(self), method.__qualname__)

        _mark(
            drawn,
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
                folded=folded,
                slow=slow,
            ),
        )
        return drawn  # type: ignore[return-value]

    return mark


def number(
    title: str,
    needs: tuple[str, ...],
    formula: str = "",
    caution: str = "",
    slow: bool = False,
    main: bool = False,
    folded: bool = False,
) -> Callable[[F], F]:
    """Decorator that marks a method of a page as a number of its strip.

    The method returns a `Bound` or a `Fact`. Its docstring is the help text that people read, as
    with `figure`.

    Parameters
    ----------
    title, needs, formula, caution, slow, main, folded
        See `Item`. One or two numbers of a page are main.
    """

    def mark(method: F) -> F:
        help_text = inspect.getdoc(method) or ""
        item = Item(
            *(method.__name__, "number", title, needs, help_text, formula, caution),
            slow=slow,
            main=main,
            folded=folded,
        )
        return _mark(method, item)

    return mark


def sentence(
    needs: tuple[str, ...],
    place: Literal["answer", "head", "strip", "text", "foot"] = "text",
    slow: bool = False,
) -> Callable[[F], F]:
    """Decorator that marks a method of a page as a sentence.

    The method returns plain text; an empty text is not drawn. For the answer see `answer`.

    Parameters
    ----------
    needs, place, slow
        See `Item`.
    """

    def mark(method: F) -> F:
        item = Item(method.__name__, "sentence", "", needs, place=place, slow=slow)
        return _mark(method, item)

    return mark


def answer(needs: tuple[str, ...], slow: bool = False) -> Callable[[F], F]:
    """Decorator that marks a method as the answer of its page: a page has at most one.

    The method returns an `Answer`, the headline under the title.

    Parameters
    ----------
    needs, slow
        See `Item`.
    """
    return sentence(needs, place="answer", slow=slow)


def derived(needs: tuple[str, ...], shared: bool = False) -> Callable[[F], F]:
    """Decorator that caches a method's result until one of its needs changes.

    Parameters
    ----------
    needs : tuple of str
        The parameters and derived results that it depends on.
    shared : bool
        True if all visitors share the result; see `workbench.pages.core.shared`. It must then
        depend on nothing but its needs.
    """

    def mark(method: F) -> F:
        name = method.__name__
        shared_name = f"{method.__module__}.{method.__qualname__}" if shared else ""

        @wraps(method)
        def cached(self: Page | Part) -> Any:
            return self.cached(name, needs, partial(method, self), shared_name)

        cached._needs = needs  # type: ignore[attr-defined]
        return cached  # type: ignore[return-value]

    return mark


class Page(PageState):
    """Base class of all pages; see the docstring of the module.

    Parameters
    ----------
    given : object, optional
        The object of Python that the page is about, on pages that can be about one.
    workspace : Workspace, optional
        The data sets that the page can show; by default those of a new workspace.
    **params
        Values of parameters.
    """

    title: ClassVar[str] = ""
    about: ClassVar[str] = ""
    controls: ClassVar[tuple[Section, ...]] = ()
    main: ClassVar[tuple[str, ...]] = ()  #: one or two controls that a phone shows below the charts
    stays: ClassVar[tuple[str, ...]] = (*PageState.stays, "_settable", "workspace")
    follows: ClassVar[tuple[str, ...]] = ("message", "loaded")  #: texts that follow from the state
    takes: ClassVar[str] = "scores"  #: the kind of data sets that the page is about: or "table"
    shows_live: ClassVar[bool] = False  #: whether it shows a file while rows are appended to it
    rests_on: ClassVar[str] = (
        "scores"  #: the parameter, if it has it, that other defaults depend on
    )

    work = Jobs()

    _settable: dict[str, param.Parameter] | None = None

    message = param.String("", precedence=-1, doc="The last error message, in plain words.")

    def __init__(self, given: Any = None, workspace: Workspace | None = None, **params: Any):
        #: The page that a control has asked for; a front end goes there and clears it.
        self.goes_to = ""
        #: Settings that the page there takes, by name, as `settings` has them.
        self.goes_with: dict[str, Any] = {}
        #: The object that the page is about; None where a data set of the workspace is chosen.
        self.given = given
        if workspace is None:
            workspace = Workspace() if given is None else given_workspace()
        #: The data sets that the page can show.
        self.workspace = workspace
        super().__init__(**params)
        # No slider may stand beyond its own range, whoever set the number.
        shown = sliders(type(self))
        for name in shown:
            widen(self.param[name], getattr(self, name))
        self.param.watch(self._widen, shown)
        for part in self.parts:
            part.start(frozenset(params))

    @property
    def sections(self) -> tuple[Section, ...]:
        """The controls that this page has: those of its class, as far as `Control.given` says."""
        other = self.given is None
        found = ((s.title, [c for c in s.controls if c.given is not other]) for s in self.controls)
        return tuple(Section(title, tuple(kept)) for title, kept in found if kept)

    @property
    def data_key(self) -> str:
        """Key of the data set in view; "" on pages without data."""
        return next((part.data_key() for part in self.parts_with("data_key")), "")

    @property
    def given_scores(self) -> Mapping[str, Any]:
        """Scores or a table given in Python, by the parameter that otherwise chooses a data set."""
        return {k: one for part in self.parts for k, one in part.given_scores().items()}

    def at_start(self) -> Self:
        """A page of this kind about the same object, in the state at the start."""
        return type(self)(self.given)

    def follow(self, key: str | None) -> None:
        """Take a data set into view.

        Parameters
        ----------
        key : str or None
            Of the workspace; None for the data set that the page begins with. Pages without data,
            and those about an object that is given, ignore it.
        """
        for part in self.parts:
            part.follow(key)

    def still_true(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Those of settings kept earlier that still describe the data set in view."""
        return dict(settings)

    def note_shown(self) -> None:
        """Take note that results of the page are shown now."""
        for part in self.parts_with("note_shown"):
            part.note_shown()

    def refresh(self) -> None:
        """Take note of data sets that were added, renamed, removed or read in another way."""
        for part in self.parts:
            part.refresh()

    @classmethod
    def asks_risk(cls) -> bool:
        """Whether its answer leads to the page Risk: it or a part overrides `about_risk`."""
        return cls.about_risk is not Page.about_risk or bool(cls._overriding("about_risk"))

    def about_risk(self) -> dict[str, Any]:
        """Settings with which the page Risk is about the same claim, scores or counts."""
        asked = [part.about_risk() for part in self.parts_with("about_risk")]
        return {name: value for one in asked for name, value in one.items()}

    def ask_risk(self) -> None:
        """Ask for the page Risk, with the settings of `about_risk`."""
        self.goes_to, self.goes_with = "risk", self.about_risk()

    @property
    def settable(self) -> dict[str, param.Parameter]:
        """The parameters that are settings, by name."""
        if self._settable is None:
            self._settable = settable(self)
        return self._settable

    def settings(self, names: Collection[str] | None = None) -> dict[str, Any]:
        """The settings by name: a selector's choice as its label, files by name, size and SHA-256.

        Parameters
        ----------
        names : collection of str, optional
            Names of parameters; all by default.

        Returns
        -------
        dict of str to object
            Values that JSON can hold.
        """
        chosen = self.settable if names is None else self.settable.keys() & set(names)
        return {name: self.value_of(name) for name in chosen}

    def value_of(self, name: str) -> Any:
        """A setting as a JSON value; see `settings`."""
        parameter, value = self.settable[name], getattr(self, name)
        if hasattr(parameter, "setting"):
            return parameter.setting(value)
        if isinstance(parameter, param.Selector):
            offered = parameter.get_range().items()
            return next((label for label, one in offered if one == value), None)
        return value

    def restore(self, settings: Mapping[str, Any], file: Files = lambda sha256: None) -> list[str]:
        """Set the settings of another page; see `workbench.pages.core.settings.restore`."""
        with self.restoring():
            return restore(self, settings, self.control_names(), file)

    def control_names(self) -> list[str]:
        """Names of the controls, in the order of the page."""
        return [control.name for section in self.sections for control in section.controls]

    @classmethod
    def jobs(cls) -> dict[str, Job]:
        """The page's jobs by name, in the order of definition."""
        return {job.name: job for job in cls.marked("_job", Job)}

    @classmethod
    def figures(cls) -> list[Item]:
        """The figures, in the order of definition."""
        return [item for item in cls.items() if item.kind == "figure"]

    @classmethod
    def numbers(cls) -> list[Item]:
        """The numbers of the strip, in the order of definition."""
        return [item for item in cls.items() if item.kind == "number"]

    @classmethod
    def sentences(cls) -> list[Item]:
        """The sentences, in the order of definition."""
        return [item for item in cls.items() if item.kind == "sentence"]

    @classmethod
    def answer_item(cls) -> Item | None:
        """The answer of the page, or None; TypeError where it has several."""
        found = [item for item in cls.sentences() if item.place == "answer"]
        if len(found) > 1:
            names = " and ".join(item.name for item in found)
            raise TypeError(f"{cls.__name__} has several answers, {names}; a page has one")
        return found[0] if found else None

    @classmethod
    def items(cls) -> list[Item]:
        """The figures, numbers and sentences, each kind in the order of definition."""
        kinds = ("figure", "number", "sentence")
        return sorted(cls.marked("_item", Item), key=lambda item: kinds.index(item.kind))

    @classmethod
    def inputs(cls, item: Item | Job) -> frozenset[str]:
        """Names of the parameters that an item depends on, directly or through derived results."""
        return cls.parameters_of(item.needs)

    def drawn_from(self, item: Item) -> tuple[Any, ...]:
        """Present values of what the item needs; see `workbench.pages.core.state.same`."""
        return self.values_of(item.needs)

    def draw(self, item: Item) -> Any:
        """The item in the present state: a plotly dict, `Bound`, `Fact`, `Answer` or text."""
        self.note_shown()
        return getattr(self, item.name)()

    def drawn_numbers(self) -> dict[str, Bound | Fact]:
        """The numbers that the page has in its present state, by name."""
        drawn = {item.name: self.draw(item) for item in self.numbers()}
        return {name: value for name, value in drawn.items() if not is_left_out(value)}

    def dragged(self, item: Item, x: float) -> float:
        """The value for the place on the axis of a figure to which a line was dragged.

        Parameters
        ----------
        item : Item
            The figure.
        x : float
            By default, the value itself.
        """
        return x

    def _widen(self, *events: Any) -> None:
        for event in events:
            widen(self.param[event.name], event.new)


def _complete(figure: Any, name: str) -> Any:
    """The figure, if it has all that screen readers, reports and snapshots show."""
    layout = (figure.get("layout") if isinstance(figure, dict) else None) or {}
    summary = layout.get("meta", {}).get("summary")
    if not (isinstance(summary, str) and summary.strip()):
        raise ValueError(
            f"the figure {name} has no summary, which screen readers and reports need: give the "
            'chart one sentence on what it shows, as layout["meta"] = {"summary": "…"}, or draw it '
            "with workbench.figures.kit.layout.chart"
        )
    lacks = [part for part in PARTS if part not in layout]
    without_mode = [trace for trace in figure["data"] if "mode" not in trace]
    if lacks or without_mode:
        raise ValueError(
            f"the figure {name} lacks {', '.join(lacks) or 'the mode of a trace'}, which reports "
            "and snapshots draw: make it of the marks of workbench.figures.kit.marks, with "
            "workbench.figures.kit.layout.chart"
        )
    return figure


def _mark(method: F, item: Item) -> F:
    method._item = item  # type: ignore[attr-defined]
    return method
