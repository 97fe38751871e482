"""Files that come to a page and go from it.

`Upload` is the parameter that holds uploaded files, and `UploadedFile` one of them. `Download` is
the parameter of a file that the page offers, and `OfferedFile` what it is then.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import param

from workbench.scores.parsing.source import read_table
from workbench.scores.table import DataTable


@dataclass(frozen=True)
class UploadedFile:
    """An uploaded file, whose content is in memory or on the disk of the server.

    Files are equal if their names and hashes are.

    Parameters
    ----------
    name : str
        As its owner calls it.
    size : int
        Bytes.
    sha256 : str
        Hash of the content.
    source : Path or bytes
        The content, or where it is.
    """

    name: str
    size: int
    sha256: str
    source: Path | bytes = field(repr=False, compare=False)

    @classmethod
    def of(cls, name: str, content: bytes) -> Self:
        """A file with its content in memory."""
        return cls(name, len(content), hashlib.sha256(content).hexdigest(), content)

    def content(self) -> bytes:
        """The bytes of the file; a ValueError if it is no longer there.

        They are in memory then: use `table` for files that may be large.
        """
        if isinstance(self.source, bytes):
            return self.source
        try:
            return self.source.read_bytes()
        except OSError:
            raise self._gone() from None

    def table(self) -> DataTable:
        """The columns of the file, read in a process of its own.

        Raises
        ------
        ScoresError
            The file cannot be read; see `workbench.scores.parsing.source.read_table`.
        ValueError
            It is no longer there.
        """
        if isinstance(self.source, Path) and not self.source.exists():
            raise self._gone()
        return read_table(self.source, filename=self.name)

    def _gone(self) -> ValueError:
        return ValueError(f"{self.name} must be uploaded again")


class Upload(param.Parameter):
    """Parameter type of uploaded files; its value is a tuple of `UploadedFile`.

    It can be set to pairs of (filename, bytes), too.

    Parameters
    ----------
    default : tuple
    dropped : bool
        Whether it takes files that are dropped on the page of a dashboard, which otherwise opens
        them as scores.
    **more
        As for ``param.Parameter``.
    """

    __slots__ = ["dropped"]

    def __init__(self, default: Any = (), *, dropped: bool = False, **more: Any):
        self.dropped = dropped
        super().__init__(default, **more)

    def __set__(self, obj: Any, value: Any) -> None:
        """Set it, with each pair made a file."""
        super().__set__(obj, None if value is None else tuple(map(_file, value)))

    def setting(self, value: Any) -> list[list[Any]]:
        """The files as name, size and SHA-256."""
        return [[file.name, file.size, file.sha256] for file in value or ()]

    def from_setting(self, setting: Any, file: Callable[[str], bytes | None]) -> Any:
        """The files of a `setting`; a ValueError if one is not there.

        Parameters
        ----------
        setting : list
            See `setting`.
        file : callable
            ``file(sha256)`` returns the content of a file, or None.
        """
        files = [(name, file(sha256)) for name, _, sha256 in setting]
        missing = [name for name, content in files if content is None]
        if missing:
            raise ValueError(f"{' and '.join(missing)} must be uploaded again")
        return tuple(files)


class NothingOffered(ValueError):  # noqa: N818
    """Raised where a page has no file to offer now; says why in a sentence."""


@dataclass(frozen=True)
class OfferedFile:
    """A file that a page offers.

    Attributes
    ----------
    name : str
    content : bytes
    """

    name: str
    content: bytes = field(repr=False)


class Download(param.Event):
    """Parameter type of a button with which people save a file of the page.

    Parameters
    ----------
    makes : str
        Name of the method of the page that returns the `OfferedFile`, or raises `NothingOffered`.
    media_type : str
    **more
        As for ``param.Event``. The page does not hear of the button.
    """

    __slots__ = ["makes", "media_type"]

    def __init__(
        self, *, makes: str = "", media_type: str = "application/octet-stream", **more: Any
    ):
        self.makes, self.media_type = makes, media_type
        super().__init__(**more)


def offered_file(page: Any, name: str) -> OfferedFile:
    """The file of a page that one of its `Download` buttons saves.

    Raises
    ------
    KeyError
        The page offers no such file.
    NothingOffered
        It has none now; the message says why.
    """
    if name not in page.parameters_of_type(Download):
        raise KeyError(name)
    made: OfferedFile = getattr(page, page.param[name].makes)()
    return made


def _file(given: Any) -> UploadedFile:
    if isinstance(given, UploadedFile):
        return given
    name, content = given
    if not isinstance(name, str) or not isinstance(content, bytes):
        raise ValueError(f"an uploaded file is a name and its bytes; got {type(content).__name__}")
    return UploadedFile.of(name, content)
