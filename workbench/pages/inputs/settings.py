"""Parts that most pages have: δ, the confidence, and marks for choices made after looking."""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_
from typing import Any

import param

from workbench import _checks
from workbench._format import percent
from workbench.bounds.bound import Bound
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber, number_of
from workbench.software.private_names import param_state
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


class DeltaSetting(Part):
    """The δ of (ε, δ), on a logarithmic slider."""

    log_delta = LogNumber(
        -5.0,
        bounds=LOG_DELTA,
        inclusive_bounds=(True, False),
        softbounds=(-12, -1),
        step=0.5,
        label="δ",
        doc="(ε, δ)-differential privacy means P(A) ≤ e^ε Q(A) + δ for every event A. δ is usually "
        "chosen far below 1 / number of records.",
    )

    @property
    def value(self) -> float:
        """The δ that the slider shows."""
        return number_of(self.log_delta)


class ConfidenceSetting(Part):
    """The confidence level of bounds that no choice after looking can spoil."""

    confidence = confidence_selector("The share of audits in which a bound of this kind holds.")


class Validity(Part):
    """Marks bounds as not valid when a choice that they rest on was made after seeing results.

    What was seen belongs to the data, not to the page: the workspace keeps it
    (`workbench.workspaces.seen`), and other windows, notebooks and programs add to it. The choices
    under which the first results were shown were made before; every other one is marked, on all
    pages alike, until it is what it was. Without data that the workspace knows, every change of a
    choice while results are shown is marked.

    Parameters
    ----------
    choices : mapping of str to str
        Parameters whose change after looking marks the bounds, and how messages call them. Other
        parts add their own; see `Part.choices`.
    resets : tuple of str
        Parameters that the button “Reset” sets to their defaults.
    """

    confidence = confidence_selector(
        "Set this before looking at results. Changing it afterwards marks the bounds as not valid."
    )
    looked = param.String("", precedence=-1, doc="What was changed after results were seen.")
    reset = param.Event(label="Reset", doc="Restores the controls.")

    def __init__(
        self,
        choices: Mapping[str, str] = {"confidence": "the confidence"},
        resets: tuple[str, ...] = ("log_delta", "confidence"),
    ):
        super().__init__()
        self._marked, self._resets = choices, resets

    def start(self, given: frozenset[str]) -> None:
        """Watch the choices and the button."""
        self._noted: Any = None  # what was noted as shown last
        self._shown_at: tuple[Any, list[Any]] = None, []  # the data and all values at that time
        # After the watchers that take new data into view, which clear the mark.
        self.page.param.watch(self._doubt, list(self._marked), precedence=1)
        self.page.param.watch(self._reset, "reset")

    def choices(self) -> dict[str, Any]:
        """The present values of the marked choices."""
        return {name: getattr(self.page, name) for name in self._marked}

    def choice_words(self) -> Mapping[str, str]:
        """What messages call the marked choices."""
        return self._marked

    @property
    def words(self) -> str:
        """Why bounds are not valid; empty while they are."""
        judged = next(
            (part.why_not_valid() for part in self.page.parts_with("why_not_valid")), None
        )
        if judged is not None:
            return judged
        changed = self.looked or self.read_anew
        return f"{changed} was changed after results were seen" if changed else ""

    @property
    def sentence(self) -> str:
        """`words` as a sentence to append; empty while bounds are valid."""
        return f" The guarantee is not valid: {self.words}." if self.words else ""

    @property
    def read_anew(self) -> str:
        """The choice of how the data are read that was changed after results were shown."""
        return next(filter(None, (part.reread() for part in self.page.parts_with("reread"))), "")

    @property
    def in_view(self) -> bool:
        """Whether there are results in view, because of which a choice may be made."""
        return all(part.shows_results() for part in self.page.parts_with("shows_results"))

    def certified(self, bound: Bound) -> Bound:
        """The bound, marked as not valid if a choice was made after looking."""
        self.note_shown()
        return bound.voided(self.words) if self.words and not bound.void else bound

    # -- what was seen -------------------------------------------------------------------------

    @property
    def shown_before(self) -> tuple[SeenRecord, ...]:
        """What was shown of the data in view, by whatever: the records of those that were seen."""
        if not hasattr(self.page, "workspace"):  # in another process
            return ()
        known = (self.page.workspace.seen.of(one.data) for one in self._sights())
        return tuple(one for one in known if one is not None and one.shown is not None)

    def note_shown(self, **before: Any) -> None:
        """Note that results are shown with the present choices.

        Parameters
        ----------
        **before : object
            Values that choices had until now, by name.
        """
        page = self.page
        if page.restores or not hasattr(page, "workspace") or not self.in_view:
            return
        sights, seen = self._sights(), page.workspace.seen
        data = [(one.digest, one.kept) for one in sights], id(seen)
        values = list(param_state(page).values.values())
        known, shown = self._shown_at
        unchanged = data == known and len(values) == len(shown) and all(map(is_, values, shown))
        if unchanged and not before:  # nor are the choices, which follow from these
            return
        self._shown_at = data, [] if before else values
        choices = {**self._all_choices(), **before}
        noted = data, choices
        if not sights or noted == self._noted:
            return
        by = f"the page “{page.title}”"
        results = tuple(item.name for item in page.numbers())
        # What was changed after results of an earlier page is not the first choice.
        words = self.all_words()
        unknown = {name: None for name, what in words.items() if what == self.looked}
        for one in sights:
            first = {} if seen.was_shown(one.data) else unknown
            seen.show(one, {**choices, **first}, by, results)
        self._noted = noted
        self.recall()

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
            self.page.set_quietly(looked="")
        if known:
            self._mark(self._changed(known), last)
        for part in self.page.parts_with("recalled"):
            part.recalled(known, arriving)

    def restored(self) -> None:
        """Mark the settings that were restored."""
        self.recall()

    def _sights(self) -> tuple[Sight, ...]:
        return tuple(one for part in self.page.parts_with("sights") for one in part.sights())

    def _all_choices(self) -> dict[str, Any]:
        parts = self.page.parts_with("choices")
        return {k: value for part in parts for k, value in part.choices().items()}

    def all_words(self) -> dict[str, str]:
        """What messages call the choices that mark bounds, by name."""
        parts = self.page.parts_with("choice_words")
        return {k: words for part in parts for k, words in part.choice_words().items()}

    def _changed(self, known: tuple[SeenRecord, ...]) -> list[str]:
        """The choices that differ from those that the first results rest on."""
        now = self._all_choices()
        found = []
        for name, words in self.all_words().items():
            first = [one.first[name] for one in known if name in one.first]
            other = now[name] is not None and any(one != now[name] for one in first)
            if other or (not first and words == self.looked):
                found.append(name)
        return found

    def _mark(self, changed: list[str], last: str) -> None:
        """Set the marks of these choices."""
        names = self.all_words()
        for part in self.page.parts_with("judge_changed"):
            changed = part.judge_changed(changed)
        if self.looked and self.looked not in names.values():
            return  # such as another file, which stays chosen after looking
        words = [names[name] for name in changed]
        if last in changed or self.looked not in words:
            looked = names[last] if last in changed else next(iter(words), "")
            self.page.set_quietly(looked=looked)

    def _doubt(self, *events: Any) -> None:
        page = self.page
        if page.quiet or not self.in_view:
            return
        if not self._sights():
            self.looked = self._marked[events[-1].name]
        elif not page.restores:
            self.note_shown(**{event.name: event.old for event in events})
            self.recall(last=events[-1].name)

    def _reset(self, *events: Any) -> None:
        page = self.page
        for part in page.parts:
            part.before_reset()
        self.note_shown()
        page.set_quietly(**{name: page.param[name].default for name in self._resets})
        for part in page.parts:
            part.restart()
        self.recall(arriving=True)
