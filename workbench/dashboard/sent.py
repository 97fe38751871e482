"""What a browser has of a page, so that only changes are sent; and the first state of a page."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from workbench import _json
from workbench.assets import board as assets
from workbench.assets.controls import Controls
from workbench.pages.core.page import Page

#: Name of an item -> its parts as JSON; see `workbench.assets.board.parts`.
Parts = dict[str, dict[str, str]]


class Sent:
    """Hashes of the parts that a browser has."""

    def __init__(self, hashes: Mapping[str, Any] | None = None):
        self.hashes = {name: dict(marks) for name, marks in (hashes or {}).items()}
        #: What it has for certain, by group and name: the same object need not be compared.
        self._compared: dict[str, dict[str, Any]] = {}

    def items(self, parts: Parts) -> str:
        """The items, or their parts, that the browser does not have, as a JSON object."""
        drawn = self._others("items", parts)
        news = [(name, self._news(name, own)) for name, own in drawn.items()]
        return (
            "{" + ",".join([f"{_json.dumps_ascii(name)}:{new}" for name, new in news if new]) + "}"
        )

    def _news(self, name: str, parts: dict[str, str]) -> str:
        known = self.hashes.get(name, {})
        self.hashes[name] = hashes = {key: hash(text) for key, text in parts.items()}
        changed = [f'"{key}":{parts[key]}' for key in parts if known.get(key) != hashes[key]]
        if len(hashes) != len(known) or changed:
            head = [] if "all" in parts else [f'"traces":{len(parts) - 1}']
            return "{" + ",".join([*head, *changed]) + "}"
        return ""

    def forget(self, group: str, name: str) -> None:
        """Have an entry sent again at the next change.

        Parameters
        ----------
        group : str
            Such as ``"controls"``.
        name : str
            The entry of the group.
        """
        self.hashes.get(group, {}).pop(name, None)
        self._compared.get(group, {}).pop(name, None)

    def changed(self, group: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """The entries of a group that the browser does not have.

        Parameters
        ----------
        group : str
            Such as ``"controls"``.
        values : mapping
            The present entries of the group.
        """
        known = self.hashes.setdefault(group, {})
        changed = {}
        for name, value in self._others(group, values).items():
            mark = hash(repr(value))
            if known.get(name) != mark:
                known[name], changed[name] = mark, value
        return changed

    def _others(self, group: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """The entries of a group that are other objects than at the last comparison."""
        known = self._compared.setdefault(group, {})
        others = {name: value for name, value in values.items() if known.get(name) is not value}
        known.update(others)
        return others


@dataclass(frozen=True)
class FirstState:
    """The first state of a page, drawn once for all visitors.

    Attributes
    ----------
    text : str
        Its frame, items, controls and settings as JSON.
    sent : dict
        Hashes of the parts of the text.
    parts : dict
        The items as JSON; see `Parts`.
    drawn_from : dict of str to tuple
        The values that each item was drawn from; see `Page.drawn_from`.
    """

    text: str
    sent: dict[str, Any]
    parts: Parts
    drawn_from: dict[str, tuple[Any, ...]]


def first_state(page: Page) -> FirstState:
    """The first state of a page, slow items included."""
    sent = Sent()
    parts = {item.name: assets.parts(page.draw(item)) for item in page.items()}
    text = whole(page, Controls(page), parts, sent)
    drawn_from = {item.name: page.drawn_from(item) for item in page.items()}
    return FirstState(text, sent.hashes, parts, drawn_from)


def whole(
    page: Page,
    controls: Controls,
    parts: Parts,
    sent: Sent,
    more: Mapping[str, Any] | None = None,
) -> str:
    """A page with everything that a browser needs to draw it, as JSON.

    Parameters
    ----------
    page : Page
    controls : Controls
        Of the page.
    parts : dict
        Its items; see `Parts`.
    sent : Sent
        Notes what the browser has then.
    more : mapping, optional
        Further entries of the message.
    """
    state = {
        "frame": assets.frame(type(page)),
        "sections": controls.sections(),
        **news(page, controls, page.settings(), assets.jobs(page), sent),
        **(more or {}),
    }
    return f'{assets.content(state)[:-1]},"items":{sent.items(parts)}}}'


def news(
    page: Page,
    controls: Controls,
    settings: Mapping[str, Any],
    jobs: Mapping[str, str],
    sent: Sent,
    names: Collection[str] | None = None,
) -> dict[str, Any]:
    """What the browser does not have, besides the items.

    Parameters
    ----------
    page : Page
    controls : Controls
        Of the page.
    settings : mapping
        The settings that may have changed.
    jobs : mapping
        The states of its jobs; see `workbench.assets.board.jobs`.
    sent : Sent
        What the browser has.
    names : collection of str, optional
        The parameters whose controls and settings are compared; by default all.
    """
    if names is not None:
        settings = {name: settings[name] for name in names if name in settings}
    return {
        "controls": sent.changed("controls", controls.states(names)),
        "settings": sent.changed("settings", settings),
        "jobs": sent.changed("jobs", jobs),
        "message": page.message,
    }
