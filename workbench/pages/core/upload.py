"""`Upload`: the parameter that holds uploaded files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import param


class Upload(param.Parameter):
    """Parameter type of uploaded files; its value is a tuple of (filename, bytes)."""

    def setting(self, value: Any) -> list[list[Any]]:
        """The files as name, size and SHA-256."""
        return [
            [name, len(content), hashlib.sha256(content).hexdigest()]
            for name, content in value or ()
        ]

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
