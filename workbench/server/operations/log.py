"""The log of a server that people share: one line for each record, without anything of theirs.

A record has its time, level, logger and message, the id of the request, and the fields of `FIELDS`
that it was given as ``extra``. Nothing that people typed, loaded or hold as a secret gets in:

- An exception is its type and the places in the code; its message is left out, since messages quote
  the bad value. This also holds for an exception among the arguments of a message.
- Messages of other packages, and of what computes, lose their arguments, but for numbers.
- Sequences of characters as long as our keys and tokens, and queries of addresses, are left out.
- Control characters are escaped, so that no name can forge a line.

A warning or an error that is repeated has one line a minute; see `repeats`.

On the own computer of the owner, `on_terminal` is called in place of `install`: the terminal shows
what went wrong.
"""

from __future__ import annotations

import logging
import re
import sys
import threading
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench import _json
from workbench._markup import visible
from workbench.server.operations.access import PREFIX, REQUEST
from workbench.server.operations.repeats import RepeatFilter

#: What a record may have as ``extra``.
FIELDS = (
    "event",
    "person",
    "method",
    "path",
    "status",
    "milliseconds",
    "address",
    "network",
    "account",
    "provider",
    "role",
    "limit",
    "job",
    "outcome",
    "seconds",
    "count",
)

#: Fields that are keys of people.
_KEYS = ("person", "account")

#: Where messages are made of what is known to be nobody's.
OURS = ("workbench.server", "workbench.dashboard", "workbench.cli")

#: Other packages that write to the terminal themselves.
_OTHERS = ("bokeh", "panel", "param", "tornado", "asyncio", "alembic", "sqlalchemy", "py.warnings")

#: Keys, tokens and signed cookies: nothing of ours that is this long is a word.
_SECRET = re.compile(r"[A-Za-z0-9_|=-]{40,}")
_QUERY = re.compile(r"\?[^\s\"'()]*")

#: Characters of a message, and of a field.
_LONGEST = 2000
_LONGEST_FIELD = 300

_PACKAGES = Path(__file__).parents[3]


class SharedFormatter(logging.Formatter):
    """Base class of the formatters of a log that several people's requests are in."""

    def entry(self, record: logging.LogRecord) -> dict[str, Any]:
        """What is written of a record."""
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
        }
        request = REQUEST.get()
        if request:
            entry["request"] = request
        for name in FIELDS:
            value = getattr(record, name, None)
            if isinstance(value, str) and value:
                longest = PREFIX if name in _KEYS else _LONGEST_FIELD
                entry[name] = _without_secrets(value[:longest])
            elif isinstance(value, bool | int | float):
                entry[name] = value
        if record.exc_info and record.exc_info[1] is not None:
            entry["exception"] = list(_story(record.exc_info[1]))
        return entry


class JSONFormatter(SharedFormatter):
    """One JSON object for each record, in one line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        return _json.dumps_ascii(self.entry(record), default=str)


class LineFormatter(SharedFormatter):
    """One line for each record, for people."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        entry = self.entry(record)
        head = [entry.pop(name) for name in ("time", "level", "logger", "message")]
        head[1] = head[1].upper()
        story = entry.pop("exception", [])
        parts = [*head, *(f"{name}={value}" for name, value in entry.items()), *story]
        return " ".join(visible(str(part)) for part in parts)


def install(form: str, level: str, access: bool = True) -> None:
    """Write all records of this process to the standard error, as several people's log.

    Parameters
    ----------
    form : str
        "text" or "json".
    level : str
        "debug", "info", "warning" or "error": of the server. Of everything else, warnings and
        errors are written.
    access : bool
        Whether every request is a record.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JSONFormatter() if form == "json" else LineFormatter())
    RepeatFilter.install(handler)
    root = logging.getLogger()
    for one in [one for one in root.handlers if isinstance(one, logging.StreamHandler)]:
        root.removeHandler(one)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    for name in _OTHERS:
        other = logging.getLogger(name)
        other.handlers.clear()
        other.propagate = True
        other.setLevel(logging.NOTSET)
    logging.getLogger("workbench").setLevel(logging.NOTSET)
    for name in OURS:
        logging.getLogger(name).setLevel(level.upper())
    log_requests(access)
    logging.captureWarnings(True)
    threading.excepthook = _log_thread


def on_terminal() -> None:
    """Write records to the terminal of the owner as they are, but no requests."""
    log_requests(False)
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            RepeatFilter.install(handler, in_words=True)


def log_requests(wanted: bool) -> None:
    """Have every request be a record, or none."""
    level = logging.NOTSET if wanted else logging.WARNING
    logging.getLogger("workbench.server.operations.access").setLevel(level)


def _log_thread(failed: threading.ExceptHookArgs) -> None:
    if failed.exc_value is not None:
        where = (failed.exc_type, failed.exc_value, failed.exc_traceback)
        logging.getLogger("workbench").error("a thread failed", exc_info=where)


def _message(record: logging.LogRecord) -> str:
    """The message of a record without what may be somebody's."""
    ours = record.name.startswith(OURS)
    if record.name == "py.warnings":
        return "a warning of a package"
    known = _ours if ours else _foreign
    try:
        if isinstance(record.args, dict):
            text = record.msg % {name: known(value) for name, value in record.args.items()}
        elif record.args:
            text = str(record.msg) % tuple(known(value) for value in record.args)
        else:
            text = str(known(record.msg) if isinstance(record.msg, BaseException) else record.msg)
    except (TypeError, ValueError, KeyError):
        text = str(record.msg)
    text = text if ours else text.split("\n", 1)[0]
    return _without_secrets(text)[:_LONGEST]


def _ours(value: Any) -> Any:
    if isinstance(value, BaseException):
        return type(value).__name__
    # Of a traceback in words, whose last line has the message, only its beginning.
    return value.split("\n", 1)[0] if isinstance(value, str) else value


def _foreign(value: Any) -> Any:
    return value if isinstance(value, bool | int | float) else f"({type(value).__name__})"


def _without_secrets(text: str) -> str:
    return _SECRET.sub("…", _QUERY.sub("", text))


def _story(error: BaseException) -> Iterator[str]:
    """Types of an exception and of what led to it, each with the places in the code."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        frames = traceback.extract_tb(found.__traceback__)
        places = [f"{_short(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames]
        yield f"{type(found).__name__} at {' < '.join(reversed(places)) or 'an unknown place'}"
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def _short(file: str) -> str:
    """The name of a file in our package, or in another one, without the folders of the computer."""
    path = Path(file)
    if path.is_relative_to(_PACKAGES):
        return str(path.relative_to(_PACKAGES))
    return "/".join(path.parts[-2:])
