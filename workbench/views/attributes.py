"""`PageAttributes`: the controls, numbers and jobs of a page as attributes of its view."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import param

from workbench._names import did_you_mean
from workbench.bounds.bound import Bound
from workbench.figures.plotly_figures import PlotlyFigures
from workbench.pages.core.page import Answer, Fact, Item, Page
from workbench.pages.core.session import PageSession
from workbench.views.settings import in_words, plain_names, plain_value, translated

if TYPE_CHECKING:
    import pandas as pd


class PageAttributes:
    """Mixin of `View`: reads and sets the page by name."""

    _session: PageSession

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        page = self.page
        if name == "param":  # not a property: param takes that of a class for its own
            return page.param
        if name in page.jobs():
            return partial(self._run, name)
        if name in self._controls and isinstance(page.param[name], param.Event):
            return partial(self.update, **{name: True})  # called, it happens
        if name in page.param:
            return getattr(page, name)
        if name in self._numbers:
            return page.draw(self._numbers[name])
        if name in (plain := plain_names(page)):
            return plain_value(page, plain[name])
        raise AttributeError(self._unknown(name))

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name in (*self._controls, *plain_names(self.page)) or self._is_former(name, value):
            self.update(**{name: value})
        elif name in dir(self):
            raise AttributeError(f"{name!r} follows from the controls and cannot be set")
        else:
            raise AttributeError(self._unknown(name))

    def __dir__(self) -> list[str]:
        own = {
            *self._controls,
            *plain_names(self.page),
            *self._numbers,
            *self.page.jobs(),
            *("param", "scores"),
        }
        return sorted({*super().__dir__(), *own})

    @property
    def page(self) -> Page:
        """The page, whose parameters are the state; see `workbench.pages.core.page`."""
        return self._session.page

    @property
    def bound(self) -> Bound:
        """The main result: the first number of the page that is a `Bound`.

        Raises
        ------
        ValueError
            The page shows none now.
        """
        found = [value for value in self.numbers.values() if isinstance(value, Bound)]
        if not found:
            raise ValueError(f"the page {self.page.title!r} shows no bound now")
        return found[0]

    @property
    def answer(self) -> Answer | None:
        """The answer to the question of the page, its headline; None for a page without one."""
        item = self.page.answer_item()
        return None if item is None else self.page.draw(item)

    @property
    def numbers(self) -> dict[str, Bound | Fact]:
        """All numbers that the page shows, by name."""
        return self.page.drawn_numbers()

    @property
    def figures(self) -> PlotlyFigures:
        """The charts of the page by name, as `plotly.graph_objects.Figure`.

        Each is drawn when it is asked for; see `workbench.save_figure`, too.
        """
        page = self.page
        return PlotlyFigures(
            {item.name: (item.title, partial(page.draw, item)) for item in page.figures()}
        )

    def update(self, **controls: Any) -> None:
        """Set several controls at once, with one redraw.

        Parameters
        ----------
        **controls
            Names of controls and their values; an event happens, whatever its value. A number on a
            logarithmic slider, such as ``log_delta``, is also set as itself: ``delta=1e-6``.

        Raises
        ------
        AttributeError
            A name that is not a control of this view.
        ValueError
            A value that the control does not take. Numbers may lie beyond the slider, as typed ones
            on the page, and it then reaches them.
        """
        named = self.page.renamed(controls)
        if named != controls:
            former = ", ".join(sorted(controls))
            now = ", ".join(sorted(named.keys() - controls.keys()))
            warnings.warn(f"{former} is now set by {now}", FutureWarning, stacklevel=3)
            controls = named
        controls = translated(self.page, controls)
        for name in controls:
            if name not in self._controls:
                raise AttributeError(self._unknown(name))
        events = [n for n in controls if isinstance(self.page.param[n], param.Event)]
        self._set({n: v for n, v in controls.items() if n not in events}, events)

    def to_frame(self) -> pd.DataFrame:
        """All numbers, one row each: name, title, text, and the fields of `Bound`."""
        import pandas as pd

        rows = []
        for name, value in self.numbers.items():
            row = {"name": name, "title": self._numbers[name].title}
            if isinstance(value, Fact):
                rows.append({**row, "text": value.text})
            else:
                rows.append({**row, "text": value.rounded, **value.to_dict()})
        return pd.DataFrame(rows)

    def _set(self, values: dict[str, Any], events: list[str]) -> None:
        with in_words(self.page, values):
            self.page.param.update(values)
        for name in events:
            self._session.fire(name)

    def _draw(self) -> None:
        raise NotImplementedError

    def _is_former(self, name: str, value: Any) -> bool:
        """Whether an earlier version had a setting of this name, which others replace."""
        return name not in self.page.renamed({name: value})

    def _run(self, job: str) -> Any:
        try:
            return self.page.work.run(job, after=self._draw)
        finally:
            self._draw()

    @property
    def _controls(self) -> list[str]:
        page = self.page
        return [name for name in page.control_names() if name in page.param]

    @property
    def _numbers(self) -> dict[str, Item]:
        return {item.name: item for item in self.page.numbers()}

    def _unknown(self, name: str) -> str:
        logs = {name: plain for plain, name in plain_names(self.page).items()}
        controls = [logs.get(name, name) for name in self._controls]
        names = [*controls, *self._numbers, "bound"]
        hint = did_you_mean(name, names) or f"; there are {', '.join(names)}"
        return f"this view has no {name!r}{hint}"
