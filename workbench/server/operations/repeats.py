"""`RepeatFilter`: one line a minute for what is logged again and again, with how often it was."""

from __future__ import annotations

import copy
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

#: Seconds between two lines of a kind, and kinds that are remembered.
EVERY, _MOST = 60.0, 1000


@dataclass
class _Kind:
    """A warning or an error that may come again."""

    written: float
    count: int = 0  # of those that were left out since
    last: logging.LogRecord | None = None


class RepeatFilter(logging.Filter):
    """Filter of a handler that writes a warning or an error of one kind once a minute.

    Two records are of one kind if they have the same logger, the same first line, and an exception
    of the same type from the same place. The next line of a kind has the number of records that it
    stands for as ``count``. It is written with the first record of any kind after the minute.

    Parameters
    ----------
    handler : logging.Handler
        The one that it is a filter of.
    in_words : bool
        Whether the number is a part of the message.
    clock : callable, optional
        Seconds.
    """

    def __init__(
        self,
        handler: logging.Handler,
        in_words: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ):
        super().__init__()
        self._handler, self._in_words, self._clock = handler, in_words, clock
        self._kinds: OrderedDict[tuple[object, ...], _Kind] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def install(cls, handler: logging.Handler, in_words: bool = False) -> None:
        """Have a handler leave out repeated records.

        Parameters
        ----------
        handler : logging.Handler
        in_words : bool
            See `RepeatFilter`.
        """
        handler.addFilter(cls(handler, in_words))

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written now."""
        due: list[logging.LogRecord] = []
        with self._lock:
            now = self._clock()
            while self._kinds:
                kind = next(iter(self._kinds.values()))
                if now - kind.written < EVERY and len(self._kinds) <= _MOST:
                    break
                self._kinds.popitem(last=False)
                if kind.last is not None:
                    due.append(self._counted(kind.last, kind.count))
            is_new = record.levelno < logging.WARNING or self._is_new(record, now)
        for one in due:
            with self._handler.lock or threading.RLock():
                self._handler.emit(one)
        return is_new

    def _is_new(self, record: logging.LogRecord, now: float) -> bool:
        key = _kind_of(record)
        known = self._kinds.get(key)
        if known is None:
            self._kinds[key] = _Kind(now)
            return True
        known.count, known.last = known.count + 1, record
        return False

    def _counted(self, record: logging.LogRecord, count: int) -> logging.LogRecord:
        """A record that stands for several."""
        counted = copy.copy(record)
        if self._in_words:
            times = "once more" if count == 1 else f"{count:,} times more"
            counted.msg, counted.args = f"{_message(record)} ({times})", None
            counted.exc_info = counted.exc_text = None  # as of the line before
        else:
            counted.count = count
        return counted


def _message(record: logging.LogRecord) -> str:
    """The first line of a message."""
    try:
        text = record.getMessage()
    except (TypeError, ValueError, KeyError):  # wrong arguments, which the formatter tells
        text = str(record.msg)
    return text.split("\n", 1)[0]


def _kind_of(record: logging.LogRecord) -> tuple[object, ...]:
    error = record.exc_info[1] if record.exc_info else None
    place = error.__traceback__ if error is not None else None
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = None if place is None else (place.tb_frame.f_code.co_filename, place.tb_lineno)
    return record.name, record.levelno, _message(record), type(error), where
