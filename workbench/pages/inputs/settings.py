"""Settings that most pages have: δ, the confidence, and marks for choices made after looking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import param

from workbench import _checks
from workbench._format import percent
from workbench.bounds.bound import Bound
from workbench.pages.core.sliders import LogNumber, number_of

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

    Provides ``looked`` (which choice it was; empty for none), ``looked_words``, ``certified``,
    ``_set_quietly`` and ``_turn_to``. Classes may extend ``CHOICES``, and override
    ``shows_results`` and ``reread``.
    """

    #: Parameters whose change after looking marks the bounds, and how messages call them.
    CHOICES: ClassVar[Mapping[str, str]] = {"confidence": "the confidence"}

    confidence = confidence_selector(
        "Set this before looking at results. Changing it afterwards marks the bounds as not valid."
    )
    looked = param.String("", precedence=-1, doc="What was changed after results were seen.")

    def __init__(self, **params: Any):
        self._quiet = False
        self._audit = ""
        self._audits: dict[str, tuple[str, dict[str, Any]]] = {}
        super().__init__(**params)
        # After the watchers that take new data into view, which clear the mark.
        self.param.watch(self._doubt, list(self.CHOICES), precedence=1)

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
        return bound.voided(self.looked_words) if self.looked_words and not bound.void else bound

    def _doubt(self, *events: Any) -> None:
        if not self._quiet and self.shows_results:
            self.looked = self.CHOICES[events[-1].name]

    def _turn_to(self, audit: str) -> None:
        """Take the mark of other data: theirs, or what was changed since they were last in view.

        Parameters
        ----------
        audit : str
            Names the data; "" for data that are not remembered.
        """
        if self._audit:
            chosen = {name: getattr(self, name) for name in self.CHOICES}
            self._audits[self._audit] = self.looked, chosen
        self._audit = audit
        looked, chosen = self._audits.get(audit, ("", {}))
        changed = [name for name, value in chosen.items() if getattr(self, name) != value]
        self.looked = self.CHOICES[changed[-1]] if changed else looked

    def _set_quietly(self, **values: Any) -> None:
        """Set parameters on the page's own account: nothing is loaded or marked because of it."""
        before, self._quiet = self._quiet, True
        try:
            self.param.update(values)
        finally:
            self._quiet = before


class ResetSetting(ChosenAfterLooking):
    """A button that sets controls to their defaults and removes the mark of `ChosenAfterLooking`.

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
        self._set_quietly(**{name: self.param[name].default for name in self.RESETS})
        self.restart()
        self.looked = ""
