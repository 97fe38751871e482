"""Files that browsers load, compressed once; a new content has a new address, so they are kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tornado.web import HTTPError, RequestHandler, StaticFileHandler

from workbench.assets.board import HERE
from workbench.assets.packed import PLOTLY, PackedFile

#: What is served of the folder of assets.
_KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

_YEAR = 365 * 24 * 3600

_IMPORT = re.compile(r'^import .*?"\./([a-z_]+\.js)"', re.MULTILINE)

_OWN = {path.name: PackedFile(path) for path in sorted(HERE.iterdir()) if path.suffix in _KINDS}

#: Of all our files: the modules among them import each other, so they have one folder.
_DIGEST = hashlib.sha256("".join(file.digest for file in _OWN.values()).encode()).hexdigest()[:16]

#: Addresses of our files, and of plotly.js, relative to a page.
STATIC = f"./assets/{_DIGEST}"
PLOTLY_ADDRESS = f"./assets/{PLOTLY.digest}/{PLOTLY.path.name}"

#: All files by the part of their address after ``/assets/``.
FILES = {f"{_DIGEST}/{name}": file for name, file in _OWN.items()} | {
    PLOTLY_ADDRESS.removeprefix("./assets/"): PLOTLY
}


def modules(name: str) -> list[str]:
    """A module and all that it imports, which a browser finds only one after the other.

    Parameters
    ----------
    name : str
        Such as ``"page.js"``.
    """
    found = [name]
    for module in found:
        imported = _IMPORT.findall((HERE / module).read_text(encoding="utf-8"))
        found += [one for one in dict.fromkeys(imported) if one not in found]
    return found


#: Where `make docs` puts the documentation site, in a checkout.
DOCUMENTATION = Path(__file__).parents[3] / "docs" / "_build" / "html"


def has_documentation() -> bool:
    """Whether the documentation site was built."""
    return (DOCUMENTATION / "index.html").is_file()


class KeptFiles(RequestHandler):
    """Handler of files that browsers keep for a year without asking again."""

    def initialize(self, files: Mapping[str, PackedFile]) -> None:
        """Take the files, by their addresses."""
        self._files = files

    def get(self, address: str) -> None:
        """Send the file, compressed if the browser takes that; the server adds ``Vary``."""
        file = self._files.get(address)
        if file is None:
            raise HTTPError(404)
        self._digest = file.digest
        self.set_header("Content-Type", _KINDS[file.path.suffix])
        self.set_header("Cache-Control", f"public, max-age={_YEAR}, immutable")
        if "gzip" in self.request.headers.get("Accept-Encoding", ""):
            self.set_header("Content-Encoding", "gzip")
            self.write(file.packed)
        else:
            self.write(file.content())

    head = get

    def compute_etag(self) -> str | None:
        """The hash of the file, the same for both encodings of it."""
        return f'W/"{self._digest}"' if hasattr(self, "_digest") else None


def patterns() -> list[tuple[Any, ...]]:
    """Tornado routes of the files that browsers load."""
    site = {"path": str(DOCUMENTATION), "default_filename": "index.html"}
    return [
        *([(r"/docs/(.*)", StaticFileHandler, site)] if has_documentation() else []),
        (r"/assets/([0-9a-f]+/[a-z_.-]+)", KeptFiles, {"files": FILES}),
    ]


def pack() -> None:
    """Compress all files, so that the first visitor need not wait for it."""
    for file in FILES.values():
        _ = file.packed
