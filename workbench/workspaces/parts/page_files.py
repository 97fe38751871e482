"""`PageFiles`: uploaded files that are no data sets, such as canaries or a table of claims."""

from __future__ import annotations

from workbench import _checks
from workbench.workspaces.parts.catalog import Catalog
from workbench.workspaces.parts.storage import Storage
from workbench.workspaces.storing.entry import file_hash


class PageFiles:
    """Files by the SHA-256 of their content, those of the base included."""

    def __init__(self, storage: Storage, catalog: Catalog):
        self._storage, self._catalog = storage, catalog

    def keep(self, name: str, content: bytes) -> str:
        """The SHA-256 of a file's content, which is kept."""
        _checks.text(name, "name")
        _checks.instance(content, bytes, "content", "the bytes of a file")
        digest = file_hash(content)
        with self._storage.lock:
            if self._storage.store.files.get(digest) is None:
                self._storage.require_room(len(content))
            self._storage.store.files.put(digest, name, content)
        return digest

    def get(self, sha256: str) -> bytes | None:
        """The content of a file that was kept, or None."""
        _checks.text(sha256, "sha256")
        with self._storage.lock:
            found = self._storage.store.files.get(sha256)
        base = self._catalog.base
        return base.file(sha256) if found is None and base is not None else found
