"""Settings that most pages have: δ, the confidence, and marks for choices made after looking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import param

from workbench import _checks
from workbench._format import percent
from workbench.bounds.bound import Bound
from workbench.pages.core.sliders import LogNumber, number_of
from workbench.workspaces.seen.memory import Sight
from workbench.workspaces.seen.record import SeenRecord

#: Confidence levels that every page offers.
LEVELS = (0.9, 0.95, 0.99, 0.999, 0.9999)

#: log₁₀ of the least δ that can be typed, and of 1.
LOG_DELTA = (-100, 0)


class ConfidenceSelector(param.Selector):
    """A confidence level: a dropdown of `LEVELS`, and of another one that was set in Python.

    Audits of a series have levels of their own.
    """

    def setting(self, value: float) -> str | float:
        """The label of one of `LEVELS`; another level itself, as labels are rounded."""
        return percent(value) if value in LEVELS else value

    def from_setting(self, setting: str | float, file: Any = None) -> float:
        """The level of a `setting` (ValueError or KeyError otherwise)."""
        if isinstance(setting, str):
            return float(self.get_range()[setting])
        return _checks.confidence(setting)

    def get_range(self) -> dict[str, float]:
        """The levels by label, with those that the page had when it was asked before."""
        page = self.owner
        own = isinstance(page, param.Parameterized)
        value = getattr(page, str(self.name)) if own else self.default
        if value not in self.objects:  # only a page has such a level, never its class
            self.objects = {**super().get_range(), percent(value): value}
        return dict(super().get_range())

    def _validate(self, val: Any) -> None:
        if val not in LEVELS:
            _checks.confidence(val)


def confidence_selector(doc: str) -> ConfidenceSelector:
    """A dropdown of confidence levels, 95% at first."""
    return ConfidenceSelector(
        default=0.95, objects={percent(c): c for c in LEVELS}, label="Confidence", doc=doc
    )


class DeltaSetting(param.Parameterized):
    """The δ of (ε, δ), on a logarithmic slider.

    Provides ``log_delta`` (the saved setting) and ``delta``.
    """

    log_delta = LogNumber(
        -5.0,
        bounds=LOG_DELTA,
        inclusive_bounds=(True, False),
        softbounds=(-12, -1),
        step=0.5,
        label="δ",
        doc="The δ of (ε, δ)-differential privacy.",
    )

    @property
    def delta(self) -> float:
        """The δ that the slider shows."""
        return number_of(self.log_delta)


class ConfidenceSetting(param.Parameterized):
    """The confidence level of the page's bounds.

    Provides ``confidence``.
    """

    confidence = confidence_selector("The share of audits in which a bound of this kind holds.")


class ChosenAfterLooking(ConfidenceSetting):
    """Marks bounds as not valid when a choice that they rest on was made after seeing results.

    What was seen belongs to the data, not to the page: the workspace keeps it
    (`workbench.workspaces.seen`), and other windows, notebooks and programs add to it. The choices
    under which the first results were shown were made before; every other one is marked, on all
    pages alike, until it is what it was.

    Provides ``looked`` (which choice it was; empty for none), ``looked_words``, ``certified``,
    ``note_shown``, ``recall`` and ``_set_quietly``. Classes may extend ``CHOICES``, ``sights`` and
    ``choices``, and override ``shows_results`` and ``reread``. Without ``sights`` every change of a
    choice while results are shown is marked.
    """

    #: Parameters whose change after looking marks the bounds, and how messages call them.
    CHOICES: ClassVar[Mapping[str, str]] = {"confidence": "the confidence"}

    confidence = confidence_selector(
        "Set this before looking at results. Changing it afterwards marks the bounds as not valid."
    )
    looked = param.String("", precedence=-1, doc="What was changed after results were seen.")

    def __init__(self, **params: Any):
        self._quiet = False
        self._restores = False
        self._noted: Any = None  # what was noted as shown last
        super().__init__(**params)
        # After the watchers that take new data into view, which clear the mark.
        self.param.watch(self._doubt, list(self.CHOICES), precedence=1)

    @property
    def sights(self) -> tuple[Sight, ...]:
        """The data in view, as the workspace knows them; none where it does not."""
        return ()

    @property
    def choices(self) -> dict[str, Any]:
        """The choices that the results rest on, by the names under which they are kept."""
        return {name: getattr(self, name) for name in self.CHOICES}

    @property
    def shows_results(self) -> bool:
        """Whether there are results in view, because of which a choice may be made."""
        return True

    @property
    def reread(self) -> str:
        """The choice of how the data are read that was changed after results were shown."""
        return ""

    @property
    def looked_words(self) -> str:
        """Why bounds are not valid; empty while they are."""
        changed = self.looked or self.reread
        return f"{changed} was changed after results were seen" if changed else ""

    @property
    def looked_sentence(self) -> str:
        """`looked_words` as a sentence to append; empty while bounds are valid."""
        return f" The guarantee is not valid: {self.looked_words}." if self.looked_words else ""

    def certified(self, bound: Bound) -> Bound:
        """The bound, marked as not valid if a choice was made after looking."""
        self.note_shown()
        return bound.voided(self.looked_words) if self.looked_words and not bound.void else bound

    # -- what was seen -------------------------------------------------------------------------

    @property
    def shown_before(self) -> tuple[SeenRecord, ...]:
        """What was shown of the data in view, by whatever: the records of those that were seen."""
        if not hasattr(self, "workspace"):  # in another process
            return ()
        known = (self.workspace.seen.of(one.data) for one in self.sights)
        return tuple(one for one in known if one is not None and one.shown is not None)

    def note_shown(self, **before: Any) -> None:
        """Note that results are shown with the present choices.

        Parameters
        ----------
        **before : object
            Values that choices had until now, by name.
        """
        if self._restores or not self.shows_results or not hasattr(self, "workspace"):
            return
        sights = self.sights
        choices = {**self.choices, **before}
        noted = [(one.digest, one.kept) for one in sights], choices, id(self.workspace.seen)
        if not sights or noted == self._noted:
            return
        by = f"the page “{self.title}”"  # type: ignore[attr-defined]
        results = tuple(item.name for item in self.numbers())  # type: ignore[attr-defined]
        # What was changed after results of an earlier page is not the first choice.
        unknown = {name: None for name, words in self.choice_words.items() if words == self.looked}
        for one in sights:
            first = {} if self.workspace.seen.was_shown(one.data) else unknown
            self.workspace.seen.show(one, {**choices, **first}, by, results)
        self._noted = noted
        self.recall()

    @property
    def choice_words(self) -> Mapping[str, str]:
        """What messages call the choices that mark bounds, by name."""
        return self.CHOICES

    def recall(self, arriving: bool = False, last: str = "") -> None:
        """Mark what differs from the choices that the first results of the data rest on.

        Parameters
        ----------
        arriving : bool
            Whether the data have just come into view: marks of others do not count.
        last : str
            The choice that was changed last.
        """
        known = self.shown_before
        if arriving:
            self._set_quietly(looked="")
        if known:
            self._mark(self._changed(known), last)

    def _changed(self, known: tuple[SeenRecord, ...]) -> list[str]:
        """The choices that differ from those that the first results rest on."""
        now = self.choices
        found = []
        for name, words in self.choice_words.items():
            first = [one.first[name] for one in known if name in one.first]
            other = now[name] is not None and any(one != now[name] for one in first)
            if other or (not first and words == self.looked):
                found.append(name)
        return found

    def _mark(self, changed: list[str], last: str) -> None:
        """Set the marks of these choices."""
        if self.looked and self.looked not in self.choice_words.values():
            return  # such as another file, which stays chosen after looking
        words = [self.choice_words[name] for name in changed]
        if last in changed or self.looked not in words:
            looked = self.choice_words[last] if last in changed else next(iter(words), "")
            self._set_quietly(looked=looked)

    @contextmanager
    def restoring(self) -> Iterator[None]:
        """Context in which settings of an earlier page are set: nobody chooses anything in it."""
        before, self._restores = self._restores, True
        try:
            yield
        finally:
            self._restores = before
        if not before:
            self.recall()

    def _doubt(self, *events: Any) -> None:
        if self._quiet or not self.shows_results:
            return
        if not self.sights:
            self.looked = self.CHOICES[events[-1].name]
        elif not self._restores:
            self.note_shown(**{event.name: event.old for event in events})
            self.recall(last=events[-1].name)

    def _set_quietly(self, **values: Any) -> None:
        """Set parameters on the page's own account: nothing is loaded or marked because of it."""
        before, self._quiet = self._quiet, True
        try:
            self.param.update(values)
        finally:
            self._quiet = before


class ResetSetting(ChosenAfterLooking):
    """A button that sets controls to their defaults, after which `ChosenAfterLooking` marks them.

    Provides ``reset``. Classes name the controls in ``RESETS`` and may extend ``restart``.
    """

    #: Parameters that the button sets to their defaults.
    RESETS: ClassVar[tuple[str, ...]] = ("log_delta", "confidence")

    reset = param.Event(label="Reset", doc="Restores the controls.")

    def __init__(self, **params: Any):
        super().__init__(**params)
        self.param.watch(self._reset, "reset")

    def restart(self) -> None:
        """Set what depends on the data as if they had just come into view."""

    def _reset(self, *events: Any) -> None:
        self.note_shown()
        self._set_quietly(**{name: self.param[name].default for name in self.RESETS})
        self.restart()
        self.recall(arriving=True)
