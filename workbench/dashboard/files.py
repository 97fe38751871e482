"""Uploaded files on their way from browsers to the disk of the server, piece by piece.

A browser sends a piece once the last one was answered. Pieces are written in threads of their own,
in the order in which they came from all people, so that several uploads share these fairly. This
process holds no more of a file than the pieces under way.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from workbench.dashboard.limits import LimitError, ServerLimits
from workbench.pages.core.gestures import Message
from workbench.pages.core.queue import LatestWins, Task
from workbench.pages.core.upload import UploadedFile
from workbench.workspaces.storing.held import delete_left, new_folder

logger = logging.getLogger(__name__)

#: Threads in which pieces are written.
WRITING = ThreadPoolExecutor(max_workers=2, thread_name_prefix="workbench-uploads")

#: Largest number of bytes of a piece, of pieces of one page that wait, and of files at once.
MOST_PIECE, MOST_WAITING, MOST_FILES = 4 * 2**20, 4, 100

#: Characters of the name of a file.
LONGEST_NAME = 255

#: Bytes of the disk that an upload must leave free.
LEFT_FREE = 100 * 2**20

#: Kinds of gestures that are an upload; see `Receiver.take`.
KINDS = ("files", "chunk")

MIXED_UP = "the upload was mixed up on its way; choose the file again"

#: What an upload came to: its files, None while pieces are missing, or why it was refused.
Outcome = tuple[UploadedFile, ...] | None | ValueError


class UploadError(ValueError):
    """Raised for an upload whose pieces do not fit together, or that the disk does not take."""


class UploadFolder:
    """The folder in which a server keeps uploads; those of servers that have ended are deleted.

    Parameters
    ----------
    folder : Path, optional
        In it, every server has a folder of its own. By default a temporary one, which ends with
        the program.
    limits : ServerLimits, optional
        Limits of one upload.
    """

    def __init__(self, folder: Path | None = None, limits: ServerLimits | None = None):
        self.limits = ServerLimits() if limits is None else limits
        self._lock = Lock()
        self._base, self._folder = folder, Path()
        self._hold: int | None = None
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        if folder is not None:
            delete_left(folder, "")

    @property
    def path(self) -> Path:
        """The folder, made when it is first needed; only this user can look into it."""
        with self._lock:
            if self._base is None:
                self._temporary = tempfile.TemporaryDirectory(prefix="workbench-uploads-")
                self._base = Path(self._temporary.name)
            if self._folder == Path() or not self._folder.is_dir():
                self._base.mkdir(mode=0o700, parents=True, exist_ok=True)
                if self._hold is not None:
                    os.close(self._hold)
                self._folder, self._hold = new_folder(self._base, "")
            return self._folder

    def check(self, names: Sequence[str], size: int) -> None:
        """Refuse an upload that is too large, or that the disk cannot hold.

        Parameters
        ----------
        names : sequence of str
            Names of its files.
        size : int
            Bytes of all of them.

        Raises
        ------
        LimitError
            It is larger than `ServerLimits.upload`.
        UploadError
            There is no room on the disk.
        """
        if size > self.limits.upload:
            raise LimitError(
                f"{_listed(names)}: {size / 2**20:,.0f} MB are more than the "
                f"{self.limits.upload / 2**20:,.0f} MB of one upload",
                "--max-upload",
            )
        try:
            free = shutil.disk_usage(self.path).free
        except OSError as error:
            raise _of_disk(error) from error
        if size + LEFT_FREE > free:
            raise UploadError(
                f"the disk of the server has no room for {size / 2**20:,.0f} MB; tell whoever runs "
                "it, or save the scores alone, as npz or parquet"
            )

    def file(self) -> tuple[Any, Path]:
        """A new file with a random name, open to be written, and its path."""
        number, path = tempfile.mkstemp(dir=self.path)  # only this user can read it
        return os.fdopen(number, "wb", buffering=0), Path(path)


class _Incoming:
    """A file of which pieces are missing."""

    def __init__(self, name: str, size: int, folder: UploadFolder):
        self.name, self.size, self.received = name, size, 0
        self._hash = hashlib.sha256()
        self._file, self.path = folder.file()

    def add(self, piece: bytes) -> None:
        """Write a piece."""
        if self.received + len(piece) > self.size:
            raise UploadError(MIXED_UP)
        self.received += len(piece)
        self._hash.update(piece)
        view = memoryview(piece)
        while len(view):
            view = view[self._file.write(view) :]

    def whole(self) -> UploadedFile:
        """The file, of which no piece is missing."""
        self._file.close()
        return UploadedFile(self.name, self.size, self._hash.hexdigest(), self.path)

    def drop(self) -> None:
        """Delete it."""
        with suppress(OSError):
            self._file.close()
        _delete(self.path)


def announced(gesture: Message) -> int:
    """Bytes of all files that a gesture announces; see `Receiver.take`."""
    return sum(int(size) for _, size in gesture["files"])


class Receiver:
    """The upload of a page; a new one replaces an unfinished one.

    A file that was received is deleted when nothing refers to its `UploadedFile` any longer, and
    at the latest at `end`.

    Parameters
    ----------
    folder : UploadFolder
    allow : callable, optional
        ``allow(size)`` raises LimitError if the person may not upload so many bytes.
    """

    def __init__(self, folder: UploadFolder, allow: Callable[[int], None] = lambda size: None):
        self._folder, self._allow = folder, allow
        self._queue = LatestWins(_run, lambda turn, blocks: WRITING.submit(turn))
        self._lock = Lock()
        self._sender: Any = None
        self._incoming: list[_Incoming] = []
        self._waiting = self._number = 0
        self._kept: list[weakref.finalize[Any, Any]] = []
        self._ended = False

    def take(self, gesture: Message, sender: Any, answer: Callable[[Outcome], None]) -> None:
        """Take a gesture of an upload; to be called on the event loop.

        Parameters
        ----------
        gesture : dict
            ``{"kind": "files", "files": [[name, size], …]}`` announces the files;
            ``{"kind": "chunk", "file": k, "content": bytes}`` is the next piece of the k-th.
        sender : object
            Who sent it: pieces of others than who announced the files are ignored.
        answer : callable
            Is called in a thread, once, with what it came to; see `Outcome`.

        Raises
        ------
        KeyError, TypeError, ValueError
            It is no such gesture; there is no answer.
        """
        task: Callable[[], Outcome]
        if gesture["kind"] == "files":
            names = [str(name) for name, _ in gesture["files"]]
            sizes = [size for _, size in gesture["files"]]
            if not all(isinstance(size, int) for size in sizes):
                raise TypeError("the size of a file is an integer")
            task = partial(self._announce, names, sizes, sender)
        else:
            content = gesture["content"]
            if not isinstance(content, bytes):
                raise TypeError("the content of a piece is bytes")
            task = partial(self._add, int(gesture["file"]), content, sender)
        with self._lock:
            self._number += 1
            self._waiting += 1
            if self._waiting > MOST_WAITING or len(gesture.get("content", b"")) > MOST_PIECE:
                task = self._refuse  # who does not wait for answers would fill the memory
        self._queue.post(self._number, partial(self._carry_out, task, answer))

    def leave(self, sender: Any) -> None:
        """Drop what a browser that is gone has not finished.

        Parameters
        ----------
        sender : object
            See `take`.
        """
        self._queue.post(("leave", id(sender)), partial(self._leave, sender))

    def end(self) -> None:
        """Delete all files, and take no more."""
        self._ended = True
        self._queue.post("end", self._delete_all)

    # -- in the threads ----------------------------------------------------------------------------

    def _carry_out(self, task: Callable[[], Outcome], answer: Callable[[Outcome], None]) -> None:
        with self._lock:
            self._waiting -= 1
        found: Outcome
        try:
            found = None if self._ended else task()
        except ValueError as error:
            found = error
        except OSError as error:
            logger.warning("an upload could not be written: %s", error.strerror)
            found = _of_disk(error)
        if isinstance(found, ValueError):
            self._drop()
        answer(found)

    def _announce(self, names: list[str], sizes: list[int], sender: Any) -> Outcome:
        self._drop()
        if min(sizes, default=-1) < 0:
            raise UploadError("no file was chosen; choose one or two")
        if len(sizes) > MOST_FILES:
            raise UploadError(f"{len(sizes)} files are too many; choose one or two")
        if max(map(len, names)) > LONGEST_NAME:
            raise UploadError(
                f"the name of a file has more than {LONGEST_NAME} characters; give it a shorter one"
            )
        self._folder.check(names, sum(sizes))
        self._allow(sum(sizes))
        self._sender = sender
        for name, size in zip(names, sizes, strict=True):
            self._incoming.append(_Incoming(name, size, self._folder))
        return self._finished()

    def _add(self, file: int, piece: bytes, sender: Any) -> Outcome:
        if sender is not self._sender or not 0 <= file < len(self._incoming):
            return None  # of an upload that was refused or replaced
        self._incoming[file].add(piece)
        return self._finished()

    def _refuse(self) -> Outcome:
        raise UploadError(MIXED_UP)

    def _finished(self) -> Outcome:
        if any(one.received < one.size for one in self._incoming):
            return None
        incoming, self._incoming, self._sender = self._incoming, [], None
        found = tuple(one.whole() for one in incoming)
        self._kept = [kept for kept in self._kept if kept.alive]
        self._kept += (weakref.finalize(one, _delete, one.source) for one in found)
        return found

    def _leave(self, sender: Any) -> None:
        if sender is self._sender:
            self._drop()

    def _drop(self) -> None:
        incoming, self._incoming, self._sender = self._incoming, [], None
        for one in incoming:
            one.drop()

    def _delete_all(self) -> None:
        self._drop()
        for delete in self._kept:
            delete()


def _run(tasks: list[Task]) -> None:
    for task in tasks:
        try:
            task()
        except Exception:
            logger.exception("a piece of an upload failed")


def _delete(path: Any) -> None:
    with suppress(OSError):
        Path(path).unlink()


def _of_disk(error: OSError) -> UploadError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return UploadError(
            "the disk of the server is full; tell whoever runs it. Nothing of the upload was kept"
        )
    return UploadError(
        f"the server cannot write the upload ({error.strerror}); tell whoever runs it. Nothing of "
        "the upload was kept"
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    return " and ".join(names[:2]) + more
