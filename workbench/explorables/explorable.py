"""`Explorable`: an idea, the page that shows it, what can be moved, and three questions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.assets.board import frame
from workbench.assets.stored_states import States, StateStore, add_moving, moving, slider_of
from workbench.explorables.questions import CheckedQuestion
from workbench.pages.core.page import Item, Page
from workbench.progress import Report, silent


@dataclass(frozen=True)
class Explorable:
    """One idea, shown by a page whose sliders are moved without a server.

    Its title and its question are in the registry.

    Attributes
    ----------
    about : tuple of str
        Paragraphs that explain the idea.
    make : callable
        Returns the page, in the state that the file begins with.
    items : tuple of str
        Names of the numbers, charts and sentences of the page that it shows, in their order there.
    moves : mapping of str to collection of float, or int
        Parameters of the page that have a slider, with its places; or how many of those that the
        page's own slider has.
    tries : tuple of str
        What to try, and to look at.
    questions : tuple of CheckedQuestion
        Three.
    page : str
        Name of the page of the dashboard that shows the same for a reader's own data.
    notebook : str
        The notebook that has the lesson, by its number.
    helps : mapping of str to str
        Help on items in place of the page's, which may speak of sliders that are not here.
    """

    about: tuple[str, ...]
    make: Callable[[], Page]
    items: tuple[str, ...]
    moves: Mapping[str, Collection[float] | int]
    tries: tuple[str, ...]
    questions: tuple[CheckedQuestion, CheckedQuestion, CheckedQuestion]
    page: str
    notebook: str
    helps: Mapping[str, str] = field(default_factory=dict)

    def shown(self, page: Page) -> list[Item]:
        """The items of the page that are shown.

        Raises
        ------
        ValueError
            A name that the page does not have.
        """
        found = [item for item in page.items() if item.name in self.items]
        missing = set(self.items) - {item.name for item in found}
        if missing:
            raise ValueError(f"the page {type(page).__name__} has no items {sorted(missing)}")
        return found

    def states(self, report: Report = silent) -> States:
        """What the items show at each place of the sliders.

        Parameters
        ----------
        report : Report, optional
            Takes the progress.
        """
        page, store = self.make(), StateStore()
        items = self.shown(page)
        sliders = [slider_of(page, name, places) for name, places in self.moves.items()]
        on = moving(page, items, list(self.moves))
        drawn: dict[str, dict[str, Any]] = {
            item.name: {"sliders": [], "drawings": [store.add(page.draw(item))]}
            for item in items
            if not on[item.name]
        }
        moved = add_moving(page, items, on, sliders, store, report)
        return States(tuple(sliders), drawn | moved, store.drawings, store.contents)

    def frame(self) -> dict[str, Any]:
        """What the board holds and never changes, of the items that are shown."""
        whole = frame(type(self.make()))
        return whole | {
            "jobs": [],
            **{
                kind: [self._item(one) for one in whole[kind] if one["name"] in self.items]
                for kind in ("figures", "numbers", "sentences")
            },
        }

    def _item(self, item: dict[str, Any]) -> dict[str, Any]:
        drag = {shape: name for shape, name in item["drag"].items() if name in self.moves}
        text = self.helps.get(item["name"], item["help"])
        return item | {"folded": False, "drag": drag, "help": text}
