"""Files for browsers, compressed once in a process."""

from __future__ import annotations

import gzip
import hashlib
from functools import cached_property
from pathlib import Path


class PackedFile:
    """A file for browsers; it is read once, when it is first asked for.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    """

    def __init__(self, path: Path):
        self.path = path

    @cached_property
    def digest(self) -> str:
        """Hash of the content, 16 hexadecimal digits."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()[:16]

    @cached_property
    def packed(self) -> bytes:
        """The content, compressed with gzip."""
        # The time stamp is left out, so that the same file gives the same bytes.
        return gzip.compress(self.path.read_bytes(), compresslevel=9, mtime=0)

    def content(self) -> bytes:
        """The content as it is."""
        return gzip.decompress(self.packed)


#: The chart library: plotly.js with lines, bars and pies.
PLOTLY = PackedFile(Path(__file__).parent / "browser" / "vendor" / "plotly-basic.min.js")
