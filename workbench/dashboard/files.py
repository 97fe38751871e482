"""Uploaded files, put together from the pieces in which a browser sends them."""

from __future__ import annotations

from typing import Any

#: Largest number of bytes of one upload, all its files together.
MAX_UPLOAD = 2**30


class UploadError(ValueError):
    """Raised for an upload that is too large, or whose pieces do not fit together."""


class Receiver:
    """The upload of a session; a new one replaces an unfinished one."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._sizes: list[int] = []
        self._pieces: list[list[bytes]] = []

    def take(self, gesture: dict[str, Any]) -> tuple[tuple[str, bytes], ...] | None:
        """The files as (name, content) after the last piece, None before it.

        Parameters
        ----------
        gesture : dict
            ``{"kind": "files", "files": [[name, size], …]}`` announces the files;
            ``{"kind": "chunk", "file": k, "content": bytes}`` is the next piece of the k-th.

        Raises
        ------
        UploadError
            The files are too large, or a piece is longer than what is missing of its file.
        """
        if gesture["kind"] == "files":
            self._announce(gesture["files"])
        else:
            self._add(gesture["file"], gesture["content"])
        if any(sum(map(len, p)) < n for p, n in zip(self._pieces, self._sizes, strict=True)):
            return None
        content = [b"".join(pieces) for pieces in self._pieces]
        files = tuple(zip(self._names, content, strict=True))
        self._names, self._sizes, self._pieces = [], [], []
        return files or None

    def _announce(self, files: list[Any]) -> None:
        names, sizes = [str(name) for name, _ in files], [int(size) for _, size in files]
        if min(sizes, default=-1) < 0:
            raise UploadError("no file was chosen; choose one or two")
        if sum(sizes) > MAX_UPLOAD:
            raise UploadError(
                f"{' and '.join(names)}: {sum(sizes) / 2**20:,.0f} MB are more than the "
                f"{MAX_UPLOAD / 2**20:,.0f} MB that can be uploaded; serve the file with "
                "'workbench serve FILE' or read it in Python with wb.read_scores"
            )
        self._names, self._sizes, self._pieces = names, sizes, [[] for _ in files]

    def _add(self, file: int, content: bytes) -> None:
        if not 0 <= file < len(self._sizes):
            return  # of an upload that was refused or replaced
        pieces = self._pieces[file]
        if sum(map(len, pieces)) + len(content) > self._sizes[file]:
            self._names, self._sizes, self._pieces = [], [], []
            raise UploadError("the upload was mixed up on its way; choose the file again")
        pieces.append(bytes(content))
