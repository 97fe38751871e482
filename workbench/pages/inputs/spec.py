"""`Spec`: the state of a page as plain values that restore it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import param

from workbench import _checks
from workbench.pages.core.page import Page
from workbench.scores.refusals import did_you_mean

#: Types of the values that a state consists of.
PLAIN = (str, int, float, bool, type(None))


class Spec:
    """The state of a page, compared with its state at the start.

    Parameters
    ----------
    page : Page
        The page.
    fresh : Page, optional
        A page in the state at the start; by default that is the present state of ``page``.
    """

    def __init__(self, page: Page, fresh: Page | None = None):
        self._page = page
        self._fresh, self._fresh_data = _state(fresh or page), _data(fresh or page)

    def state(self) -> dict[str, Any]:
        """All parameters that are plain values and do not follow from others."""
        return _state(self._page)

    def changes(self) -> dict[str, Any]:
        """The values that differ from those at the start; all controls if the data differ."""
        other_data = _data(self._page) is not self._fresh_data
        controls = self._page.control_names()
        return {
            name: value
            for name, value in self.state().items()
            if self._fresh[name] != value or (other_data and name in controls)
        }

    def restore(self, spec: Mapping[str, Any]) -> None:
        """Set the values of a spec section by section, as other controls may depend on the data.

        Raises
        ------
        ValueError
            A name that is not one of `state`, or a value that a control does not take.
        """
        page, known = self._page, self.state()
        spec = page.renamed(spec)
        for name in spec:
            if name not in known:
                near = did_you_mean(name, known)
                raise ValueError(f"spec: this page has no setting {_checks.shown(name)}{near}")
        spec, controls = page.independent(spec), page.control_names()
        hidden = {name for name in known if name not in controls}
        with page.restoring():
            page.param.update({name: spec[name] for name in hidden if name in spec})
            for section in page.sections:
                names = [control.name for control in section.controls if control.name in spec]
                page.param.update({name: spec[name] for name in names})
            # A mark such as "chosen after looking" is part of a state, not of its restoring.
            page.param.update({name: spec.get(name, self._fresh[name]) for name in hidden})


def _state(page: Page) -> dict[str, Any]:
    follows = {*page.not_settings(), *(job.into for job in page.jobs().values())}
    return {
        name: getattr(page, name)
        for name in page.param
        if name not in follows
        and not isinstance(page.param[name], param.Event)
        and isinstance(getattr(page, name), PLAIN)
    }


def _data(page: Page) -> Any:
    """The value that other defaults depend on, such as the scores; None if there is none."""
    return page.param.values().get(page.rests_on)
