"""`Requests`: questions of browsers that are answered in a thread that may wait, in their order.

A browser asks with a number of its own, and is answered when it is done::

    {"kind": "audit", "do": "list", "request": 3, "text": "ledger", "offset": 0}
    {"page": "", "audits": {"request": 3, "answer": {…}}}
    {"page": "", "audits": {"request": 3, "problem": "…"}}
"""

from __future__ import annotations

import logging
from functools import partial

from workbench.dashboard.gestures import handlers
from workbench.dashboard.visitor.browsers import Reader
from workbench.dashboard.worker import Turns
from workbench.pages.core.gestures import Message
from workbench.pages.core.queue import LatestWins, Task

logger = logging.getLogger(__name__)


class Requests:
    """Questions of one visitor, answered one after the other.

    Parameters
    ----------
    entry : str
        The entry of the messages that answer, such as "audits"; in `GESTURES` it is what answers.
    answers : object, optional
        Has the methods that answer; by default they are those of a subclass.
    """

    def __init__(self, entry: str, answers: object = None):
        self._entry = entry
        answers = self if answers is None else answers
        self._answers = {
            name.partition(" ")[2]: getattr(answers, method)
            for name, method in handlers(entry).items()
        }
        turns = Turns()
        self._queue = LatestWins(self._turn, lambda turn, blocks: turns.submit(turn, True))
        self._serial = 0

    @property
    def size(self) -> int:
        """Questions that wait."""
        return self._queue.size

    def ask(self, gesture: Message, reader: Reader) -> None:
        """Answer a question later."""
        self.post(partial(self._answer, gesture, reader))
        reader.tell(handled=int(gesture["serial"]))

    def post(self, task: Task) -> None:
        """Run a task in a thread, after what was asked before."""
        self._serial += 1
        self._queue.post(self._serial, task)

    def _turn(self, tasks: list[Task]) -> None:
        for task in tasks:
            task()

    def _answer(self, gesture: Message, reader: Reader) -> None:
        try:
            answer: Message = {"answer": self._answers[gesture["do"]](gesture)}
        except Exception as error:
            level = logging.DEBUG if isinstance(error, ValueError) else logging.WARNING
            logger.log(level, "a request failed", exc_info=True)
            answer = {"problem": words(error)}
        reader.tell(**{self._entry: {"request": gesture.get("request"), **answer}})


def words(error: Exception) -> str:
    """What went wrong, in a sentence."""
    if isinstance(error, TimeoutError):
        return "The page is at work. Nothing was lost: try again when its numbers are there."
    if not isinstance(error, ValueError | OSError):
        return f"This did not work: {error!r}. Nothing was lost."
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
