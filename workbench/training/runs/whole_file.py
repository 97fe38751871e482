"""`write_whole`: files that are complete or not there."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

#: What the name of a file begins with while it is written.
UNFINISHED = ".unfinished-"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, or leave what was there before.

    Raises
    ------
    OSError
        It cannot be written, as on a full disk.
    """
    unfinished = path.with_name(f"{UNFINISHED}{secrets.token_hex(8)}")
    try:
        with open(unfinished, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise
