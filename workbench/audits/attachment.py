"""`Attachment`: scores or a file that is kept with an audit."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Self

#: Kinds of attachments.
KINDS = ("table", "source", "file")


@dataclass(frozen=True)
class Attachment:
    """Scores or a file that is kept with an audit.

    Parameters
    ----------
    kind : {"table", "source", "file"}
        A table of a data set as a parquet file, the source of a data set as JSON, or a file as it
        was uploaded.
    name : str
        Of the table, the data set or the file.
    sha256 : str
        Hash of the content.
    content : bytes
    data : str
        The parameter of the `AuditData` that a table or a source belongs to; "" for a file.
    """

    kind: str
    name: str
    sha256: str
    content: bytes = field(repr=False)
    data: str = ""

    @classmethod
    def of(cls, kind: str, name: str, content: bytes, data: str = "") -> Self:
        """An attachment with the hash of its content.

        Parameters
        ----------
        kind, name, content, data
            As of the class.
        """
        return cls(kind, name, sha256(content).hexdigest(), content, data)

    @property
    def whole(self) -> bool:
        """Whether the content has its hash."""
        return sha256(self.content).hexdigest() == self.sha256
