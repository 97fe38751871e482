"""`PageLink`: a page with its settings and the names of its data, as text for an address.

The text is base64 (with ``-`` and ``_``) of a version number, a checksum and compressed JSON. It
never holds data nor the key of a private data set: who opens it must have the data, or is asked for
the file.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from workbench import _checks, _json
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.draws import DRAW
from workbench.workspaces.errors import LinkError
from workbench.workspaces.reading import Reading
from workbench.workspaces.sources import EXAMPLE, FileSource
from workbench.workspaces.workspace import Workspace

VERSION = 1

#: Characters of a link's text, and bytes of what it says: more are no link of ours.
LONGEST_TEXT = 100_000
_LONGEST_CONTENT = 1_000_000

_CHECKSUM = 8
_WRONG = "This link was cut or changed on its way: ask for it again, and copy all of it."


@dataclass(frozen=True)
class DataReference:
    """A data set as a link names it.

    Parameters
    ----------
    parameter : str
        The parameter of the page that holds the data set.
    name : str
    sha256 : str
        Hash of its content; "" for examples and draws.
    key : str
        Of an example or a draw; "" for other data sets.
    reading : mapping
        How it is read, as `Reading.to_dict`; empty for examples and draws.
    files : tuple of str
        Names of the files that it came from, members first; empty for other sources.

    Raises
    ------
    LinkError
        A private key, something else than text, or neither key nor hash.
    """

    parameter: str
    name: str
    sha256: str = ""
    key: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("parameter", "name", "sha256", "key"):
            if not isinstance(getattr(self, name), str):
                raise LinkError(f"{name} must be text, got {_checks.shown(getattr(self, name))}")
        if self.key and not self.key.startswith((EXAMPLE, DRAW)):
            raise LinkError(
                "a link holds the key of an example or a draw only; name other data by their hash"
            )
        if not all(isinstance(one, str) for one in self.files):
            raise LinkError(f"names of files must be text, got {_checks.shown(self.files)}")
        if not isinstance(self.reading, Mapping):
            raise LinkError(f"a reading must be a mapping, got {_checks.shown(self.reading)}")
        if not self.key and not re.fullmatch("[0-9a-f]{64}", self.sha256):
            raise LinkError(f"no hash of a data set: {_checks.shown(self.sha256)}")

    @classmethod
    def of(cls, parameter: str, dataset: DataSet) -> DataReference:
        """The reference to a data set."""
        if dataset.virtual:
            return cls(parameter, dataset.name, dataset.sha256, dataset.key)
        source = dataset.source
        files = source.names if isinstance(source, FileSource) else ()
        return cls(parameter, dataset.name, dataset.sha256, "", dataset.reading.to_dict(), files)

    def find(self, workspace: Workspace) -> DataSet | None:
        """The data set in a workspace, if possible one read as in the link; None where its file is
        needed.

        Raises
        ------
        WorkspaceError
            An example that does not exist, a draw with values out of range.
        """
        if self.key:
            return workspace.dataset(self.key)
        same = [one for one in workspace.datasets if one.sha256 == self.sha256]
        alike = [one for one in same if not self.read_otherwise(one)]
        return next(iter([*alike, *same]), None)

    def read_otherwise(self, dataset: DataSet) -> str:
        """The choice by which a data set of the same content is read in another way, in words.

        Returns
        -------
        str
            Such as "the direction of the score"; "" if scores are the same.

        Raises
        ------
        WorkspaceError
            The link does not say how the data are read.
        """
        return (
            Reading.from_dict(self.reading).changed_choice(dataset.reading) if self.reading else ""
        )


@dataclass(frozen=True)
class PageLink:
    """A page, its settings and its data.

    Parameters
    ----------
    page : str
        The page's name.
    settings : mapping of str to JSON values
        All parameters but those that hold data.
    data : tuple of DataReference

    Raises
    ------
    LinkError
        Values that JSON does not hold, or a setting that holds a data set.
    """

    page: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    data: tuple[DataReference, ...] = ()

    def __post_init__(self) -> None:
        if not (isinstance(self.page, str) and isinstance(self.settings, Mapping)):
            raise LinkError("a link needs the name of a page, and its settings by name")
        private = {one.parameter for one in self.data} & set(self.settings)
        if private:
            raise LinkError(
                f"{', '.join(sorted(private))}: a data set belongs to the data of a link, "
                "not to its settings"
            )
        object.__setattr__(self, "data", tuple(self.data))

    @classmethod
    def of(
        cls, page: str, settings: Mapping[str, Any], datasets: Mapping[str, DataSet | None]
    ) -> PageLink:
        """The link to a page.

        Parameters
        ----------
        page : str
        settings : mapping
            All settings of the page; those that hold data sets are left out.
        datasets : mapping of str to DataSet or None
            The parameters of the page that hold data sets, None where there is none.
        """
        public = {name: value for name, value in settings.items() if name not in datasets}
        found = [DataReference.of(name, one) for name, one in datasets.items() if one is not None]
        return cls(page, public, tuple(found))

    def text(self) -> str:
        """The link as text for an address; `read_link` reads it.

        Raises
        ------
        LinkError
            Settings that JSON does not hold, or that are too long for an address.
        """
        values = {
            "page": self.page,
            "settings": dict(self.settings),
            "data": [
                [one.parameter, one.name, one.sha256, one.key, dict(one.reading)]
                for one in self.data
            ],
            # Apart from the data, where earlier versions look for nothing.
            "files": {one.parameter: list(one.files) for one in self.data if one.files},
        }
        try:
            content = _json.dumps_ascii(values, separators=(",", ":")).encode()
        except (TypeError, ValueError) as error:
            raise LinkError(f"these settings do not fit into a link: {error}") from None
        body = bytes([VERSION]) + zlib.compress(content, level=9)
        text = base64.urlsafe_b64encode(_checksum(body) + body).decode().rstrip("=")
        if len(content) > _LONGEST_CONTENT or len(text) > LONGEST_TEXT:
            raise LinkError(f"these settings do not fit into a link: {len(content):,} characters")
        return text


def read_link(text: str) -> PageLink:
    """The link that a text stands for.

    Parameters
    ----------
    text : str
        May come from a stranger.

    Returns
    -------
    PageLink
        Pages and settings that do not exist, or are out of range, are for the page to refuse.

    Raises
    ------
    LinkError
        The text was cut or changed, or was made by a newer version.
    """
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST_TEXT:
        raise LinkError(_WRONG)
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text):
        raise LinkError(_WRONG)
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        raise LinkError(_WRONG) from None
    checksum, body = raw[:_CHECKSUM], raw[_CHECKSUM:]
    if not body or checksum != _checksum(body):
        raise LinkError(_WRONG)
    if body[0] > VERSION:
        raise LinkError(
            "This link was made by a newer version of the workbench: update this one, or ask for a "
            "link from the version that you have."
        )
    try:
        unpacking = zlib.decompressobj()
        content = unpacking.decompress(body[1:], _LONGEST_CONTENT)
        if not unpacking.eof:
            raise LinkError(_WRONG)
        values = _json.loads(content)
        files = dict(values["files"]) if "files" in values else {}
        data = tuple(
            replace(DataReference(*one), files=tuple(files.get(one[0], ())))
            for one in values["data"]
        )
        return PageLink(values["page"], values["settings"], data)
    except LinkError:
        raise
    except (zlib.error, ValueError, TypeError, KeyError, RecursionError):
        raise LinkError(_WRONG) from None


def _checksum(body: bytes) -> bytes:
    return sha256(b"workbench link" + body).digest()[:_CHECKSUM]
