"""`ContentFiles`: files in a folder, each named by the SHA-256 of its content."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from workbench.workspaces.storing.entry import file_hash
from workbench.workspaces.storing.held import CAN_HOLD, delete_left, new_file

_HASH = re.compile("[0-9a-f]{64}")

#: What the name of a file begins with while it is written.
_UNFINISHED = "unfinished-"


def is_hash(text: object) -> bool:
    """Whether a value can be the SHA-256 of a content."""
    return isinstance(text, str) and _HASH.fullmatch(text) is not None


class ContentFiles:
    """The files of a folder, which only their owner may read.

    A file is written under another name, and renamed when all of it is on the disk: a file of a
    hash is complete, or damaged from outside. Nothing is overwritten, unless it is damaged.

    Parameters
    ----------
    folder : Path
        Made when it is first written to.
    suffix : str
        Of the names, after the hash.
    """

    def __init__(self, folder: Path, suffix: str = ""):
        self._folder, self._suffix = folder, suffix

    def path(self, digest: str) -> Path:
        """Where the content of this hash is, or would be."""
        return self._folder / f"{digest}{self._suffix}"

    def read(self, digest: str) -> bytes | None:
        """The content of a hash; None where there is none, or where the file is damaged."""
        if not is_hash(digest):  # it may come from a stranger, and name another file
            return None
        try:
            content = self.path(digest).read_bytes()
        except FileNotFoundError:
            return None
        return content if file_hash(content) == digest else None

    def write(self, content: bytes) -> str:
        """Keep content, and return its hash.

        Raises
        ------
        OSError
            It cannot be written; then nothing is left behind.
        """
        digest = file_hash(content)
        if self.read(digest) is not None:
            return digest
        self._folder.mkdir(mode=0o700, exist_ok=True)
        unfinished, descriptor = new_file(self._folder, _UNFINISHED)
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                if CAN_HOLD:  # while it is held: nobody tidies it away
                    os.replace(unfinished, self.path(digest))
            if not CAN_HOLD:
                os.replace(unfinished, self.path(digest))
        except OSError:
            with suppress(OSError):
                unfinished.unlink()
            raise
        return digest

    def delete(self, digest: str) -> None:
        """Delete the content of a hash."""
        self.path(digest).unlink(missing_ok=True)

    def size(self) -> int:
        """Bytes of all files."""
        found = 0
        with suppress(FileNotFoundError), os.scandir(self._folder) as files:
            for file in files:
                with suppress(FileNotFoundError):  # another program deleted it
                    found += file.stat().st_size
        return found

    def tidy(self, used: Collection[str], age: float) -> None:
        """Delete what nobody uses, and what was never finished.

        Parameters
        ----------
        used : collection of str
            Hashes of the content that stays.
        age : float
            Seconds; younger files stay, because another program may be about to use them. What a
            program was writing when it was killed goes at once.
        """
        delete_left(self._folder, _UNFINISHED)
        for path in self._folder.glob("*"):
            with suppress(OSError):
                finished = not path.name.startswith(_UNFINISHED)
                unused = path.name.removesuffix(self._suffix) not in used
                if finished and unused and path.stat().st_mtime < time.time() - age:
                    path.unlink()
