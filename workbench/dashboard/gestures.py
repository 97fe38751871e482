"""`GESTURES`: all that visitors can do, whether it needs an editor, and what carries it out.

The permissions and the table in ``docs/accounts.md`` come from here, and so does the way of a
gesture to its handler.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Gesture:
    """Something that a visitor can do.

    Attributes
    ----------
    name : str
        The ``kind`` of the message, and what it asks to ``do`` where the kind has several.
    handler : str
        What carries it out: "page" and "upload" for those about one page, "connection" for what
        concerns one browser, else a part of `VisitorSession` and its method.
    editors : str
        What only editors may do, in words; "" for what everybody may do.
    """

    name: str
    handler: str
    editors: str = ""


_SHARE = "share data sets and audits"

GESTURES: Mapping[str, Gesture] = {
    one.name: one
    for one in (
        Gesture("set", "page"),
        Gesture("drag", "page"),
        Gesture("click", "page"),
        Gesture("dismiss", "page"),
        Gesture("risk", "page"),
        Gesture("job", "page", "run jobs"),
        Gesture("files", "upload", "upload files"),
        Gesture("chunk", "upload", "upload files"),
        Gesture("show", "connection"),
        Gesture("look", "connection"),
        Gesture("undo", "undo.undo"),
        Gesture("redo", "undo.redo"),
        Gesture("reset", "undo.reset"),
        Gesture("restore", "undo.bring_back"),
        Gesture("link", "links.make"),
        Gesture("open link", "links.open"),
        Gesture("data sets", "data.refresh"),
        Gesture("choose", "data.choose"),
        Gesture("rename", "data.rename", "rename data sets"),
        Gesture("remove", "data.remove"),  # of their own, which takes nothing from others
        Gesture("purge", "data.purge"),
        Gesture("import", "importing.begin", "add data sets"),
        Gesture("close import", "importing.cancel"),
        Gesture("audit list", "audits.search"),
        Gesture("audit record", "audits.record"),
        Gesture("audit open", "audits.open"),
        Gesture("audit compare", "audits.compare"),
        Gesture("audit series", "audits.series"),
        Gesture("audit plans", "audits.plans"),
        Gesture("audit kept", "audits.kept"),
        Gesture("audit propose", "audits.propose", "save audits"),
        Gesture("audit save", "audits.save", "save audits"),
        Gesture("audit import", "audits.import_file", "import audits"),
        Gesture("audit remove", "audits.remove"),
        Gesture("audit restore", "audits.restore"),
        Gesture("share list", "shares.access"),
        Gesture("share people", "shares.people", _SHARE),
        Gesture("share add", "shares.add", _SHARE),
        Gesture("share add everyone", "shares.add", _SHARE),
        Gesture("share link", "shares.link", _SHARE),
        Gesture("share revoke", "shares.revoke"),
        Gesture("share accept", "shares.accept"),
        Gesture("share leave", "shares.leave"),
    )
}

#: Controls that keep something when they are set, and what only editors may do by that.
CONTROLS: Mapping[str, str] = {
    "accept": "add data sets",
    "open_on_scores": "add data sets",
    "open_result": "add data sets",
    "store_plan": "store plans",
    "take_snapshot": "add data sets",
    "upload": "upload files",
}

#: What only editors may do, where a gesture is not known.
UNKNOWN = "do this"


def name_of(message: Mapping[str, Any]) -> str:
    """The name of the gesture that a message of a browser is."""
    kind = str(message.get("kind", ""))
    return f"{kind} {message['do']}" if "do" in message else kind


def for_editors(message: Mapping[str, Any]) -> str:
    """What a message asks for that only editors may do, in words; "" if everybody may."""
    gesture = GESTURES.get(name_of(message))
    if gesture is None:
        return UNKNOWN
    if gesture.name == "set":
        return CONTROLS.get(str(message.get("name", "")), "")
    return gesture.editors


def handlers(part: str) -> dict[str, str]:
    """The methods of a part of `VisitorSession`, by the names of the gestures."""
    methods = {one.name: one.handler.partition(".") for one in GESTURES.values()}
    return {name: method for name, (owner, _, method) in methods.items() if owner == part}
