"""`Sender`: the thread that sends what waits, so that a training waits only so long for a tracker.

One thread for each tracker and folder, and only while something is sent. What it could not send
stays in the folder. A call waits for the thread up to its limit; once a thread was waited for in
vain, later calls do not wait for it again.
"""

from __future__ import annotations

import logging
import time
from threading import TIMEOUT_MAX, RLock, Thread

from workbench.trackers.entries import LogEntry
from workbench.trackers.runs import TrackedRun
from workbench.trackers.waiting import WaitingFolder

log = logging.getLogger(__name__)

#: After so many failures in a row the tracker is taken to be away.
FAILURES = 2


class Sender:
    """Sends the entries of a folder to the tracker of a run.

    Parameters
    ----------
    run : TrackedRun
    folder : WaitingFolder
    """

    def __init__(self, run: TrackedRun, folder: WaitingFolder):
        self.run, self.folder = run, folder
        self._lock = RLock()
        self._thread: Thread | None = None
        self._waited_in_vain = self._warned = False
        self._error: Exception | None = None

    def send(self, seconds: float) -> int:
        """How many entries still wait, after at most so many seconds.

        Parameters
        ----------
        seconds : float
        """
        end = time.monotonic() + min(seconds, TIMEOUT_MAX / 2)
        waiting = self._number()
        while waiting:
            thread = self._begun()
            if thread is None:
                break
            thread.join(0 if self._waited_in_vain else max(end - time.monotonic(), 0))
            before, waiting = waiting, self._number()
            if thread.is_alive():
                self._waited_in_vain = True
                break
            if self._error is not None or waiting >= before:
                break
        self._say(waiting)
        return waiting

    def _number(self) -> int:
        return len(self.folder.entries(self.run.kind, self.run.where))

    def _begun(self) -> Thread | None:
        """The thread; None where the system starts none."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._waited_in_vain, self._error = False, None
                self._thread = Thread(target=self._send_all, name="workbench-tracker", daemon=True)
                try:
                    self._thread.start()
                except RuntimeError as error:
                    self._thread, self._error = None, error
            return self._thread

    def _send_all(self) -> None:
        failures = 0
        for path, entry in self.folder.entries(self.run.kind, self.run.where):
            with self.folder.taken(path) as sending:
                if sending is None:
                    continue
                try:
                    tried = sending.tried
                    sending.begins()
                    self.run.send(entry, tried)
                    sending.done()
                    failures = 0
                except Exception as error:  # whatever a tracker raises
                    self._error = error
                    failures += 1
            if failures == FAILURES:
                return
        self.folder.tidy()

    def _say(self, waiting: int) -> None:
        """A warning once, until everything was sent."""
        if not waiting:
            self._warned = False
        elif not self._warned:
            self._warned = True
            why = "it does not answer" if self._error is None else repr(self._error)[:300]
            log.warning(
                "%s took no entry (%s); %d wait in %s, and are sent by the next "
                "wb.trackers.log or wb.trackers.flush",
                *(self.run.kind, why, waiting, self.folder.path),
            )


def sent_at_once(run: TrackedRun, entry: LogEntry, seconds: float) -> bool:
    """Whether a tracker took an entry that could not be kept, within so many seconds.

    Parameters
    ----------
    run : TrackedRun
    entry : LogEntry
    seconds : float
    """
    taken: list[bool] = []

    def send() -> None:
        try:
            run.send(entry, tried=False)
            taken.append(True)
        except Exception:  # whatever a tracker raises
            log.warning("%s took no entry", run.kind, exc_info=True)

    thread = Thread(target=send, name="workbench-tracker", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the system starts no threads
        return False
    thread.join(min(seconds, TIMEOUT_MAX))
    return bool(taken)


_senders: dict[tuple[str, str, str, str], Sender] = {}
_all = RLock()


def sender_of(run: TrackedRun, folder: WaitingFolder) -> Sender:
    """The sender of a run and a folder, the same for each call; it goes on with the newest object.

    Parameters
    ----------
    run : TrackedRun
    folder : WaitingFolder
    """
    with _all:
        key = (run.kind, run.where, run.run, str(folder.path))
        found = _senders.setdefault(key, Sender(run, folder))
        found.run = run  # one of W&B that was resumed is another object
        return found
