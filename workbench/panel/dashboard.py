"""``wb.dashboard``: pages as an app of Panel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workbench import _checks
from workbench.claims.base import Claim
from workbench.pages.core.page import Page
from workbench.pages.inputs.code import page_name
from workbench.pairs.base import Pair
from workbench.panel import component  # first: it names a Panel that is missing or too old
from workbench.views.explore import explore
from workbench.views.view import View

from panel.layout import Tabs  # isort: skip
from panel.viewable import Viewer  # isort: skip


#: The open tab in the colors around it: on a dark page Panel writes black on black.
TABS = ":host .bk-tab.bk-active { color: inherit; background: none; border-color: currentcolor; }"


class Dashboard(Viewer):
    """Views in an app of Panel; `dashboard` makes them.

    Parameters
    ----------
    views : dict of str to View
        The views by name.
    titles : list of str
        What is said on their tabs.
    theme : {"light", "dark"}, optional
        That of Panel by default.
    """

    def __init__(self, views: dict[str, View], titles: list[str], theme: str | None = None):
        super().__init__()
        #: The views by name.
        self.views = views
        self._titles = titles
        for view in views.values():
            if theme is not None:
                view.__panel__().theme = theme

    def __repr__(self) -> str:
        return f"Dashboard of {', '.join(self._titles)}"

    __str__ = __repr__

    @property
    def pages(self) -> dict[str, Page]:
        """The pages by name, whose parameters are their state."""
        return {name: view.page for name, view in self.views.items()}

    def __panel__(self) -> Any:
        shown = [view.__panel__() for view in self.views.values()]
        if len(shown) == 1:
            return shown[0]
        tabs = zip(self._titles, shown, strict=True)
        return Tabs(*tabs, dynamic=True, sizing_mode="stretch_width", stylesheets=[TABS])


def dashboard(
    *subjects: Any,
    claim: Claim | Pair | str | None = None,
    theme: str | None = None,
    show: Iterable[str] | None = "all",
    controls: Iterable[str] | None = None,
    **settings: Any,
) -> Dashboard:
    """Pages as an app of Panel: a `panel.viewable.Viewer`, for ``panel serve`` and layouts.

    Parameters
    ----------
    *subjects
        What `explore` takes: scores, a path, counts, a pair, the name of a page, …; or a `View`. A
        dict gives each a title. Several have a tab each. Without any, the page of scores offers
        the data sets of `workspace`.
    claim : Claim, Pair or str, optional
        As in `explore`, of all subjects.
    theme : {"light", "dark"}, optional
        That of Panel by default.
    show, controls, **settings
        As in `explore`; by default everything is shown.

    Returns
    -------
    Dashboard
        ``pages`` and ``views`` are its parts by name: the name of the page, such as ``"scores"``,
        or the title.

    Raises
    ------
    MissingPackage
        Panel is not installed.
    ScoresError, ValueError
        As `explore`.

    Examples
    --------
    >>> app = wb.dashboard(wb.example("gaussian"), claim="gdp(1)")
    >>> app.views["scores"].threshold = 0.5
    >>> app.servable()  # doctest: +SKIP
    """
    if theme is not None:
        _checks.one_of(theme, "theme", component.THEMES)
    views: dict[str, View] = {}
    titles: list[str] = []
    for title, subject in _named(subjects or (None,)):
        view = subject
        if not isinstance(subject, View):
            view = explore(subject, show, controls, claim=claim, **settings)
        name, said = _new(title or page_name(view.page), views), title or view.page.title
        views[name] = view
        titles.append(_new(said, titles))
    return Dashboard(views, titles, theme)


def _named(subjects: Iterable[Any]) -> Iterable[tuple[str, Any]]:
    """Titles, "" for none, and subjects."""
    for subject in subjects:
        if isinstance(subject, Mapping):
            yield from subject.items()
        else:
            yield "", subject


def _new(name: str, known: Iterable[str]) -> str:
    """The name with a number, if it is known already."""
    taken = set(known)
    numbered = (f"{name} {k}" for k in range(2, len(taken) + 3))
    return next(one for one in (name, *numbered) if one not in taken)
