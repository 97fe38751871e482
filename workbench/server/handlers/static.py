"""Files that browsers load, compressed once; a new content has a new address, so they are kept."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from tornado.web import HTTPError, StaticFileHandler

from workbench.assets.board import HERE
from workbench.assets.packed import PLOTLY, PackedFile
from workbench.server.handlers.base import Handler
from workbench.server.network.headers import digest

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


class KeptFiles(Handler):
    """Handler of files that browsers keep for a year without asking again."""

    until_the_end = True

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

    def compute_etag(self) -> str | None:
        """The hash of the file, the same for both encodings of it."""
        return f'W/"{self._digest}"' if hasattr(self, "_digest") else None


#: A script in a page, without an address of its own.
_INLINE = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL)


class DocumentationHandler(Handler, StaticFileHandler):
    """Handler of the documentation site, whose pages have scripts and styles in them.

    A page may run those that it had when it was built, by their hashes. Sphinx and its theme set
    styles in attributes, so styles are not restricted.
    """

    head = StaticFileHandler.head

    def parse_url_path(self, url_path: str) -> str:
        """The path of a file in the site.

        Raises
        ------
        HTTPError
            It leads through what is hidden, such as Sphinx's ``.doctrees`` with folders of the
            machine that built the site, or is no path.
        """
        parts = url_path.split("/")
        if "\0" in url_path or any(part.startswith(".") for part in parts):
            raise HTTPError(404)
        return str(super().parse_url_path(url_path))

    def set_extra_headers(self, path: str) -> None:
        """Set the policy of a page of the site."""
        self.set_header("Cache-Control", "no-cache")
        file = Path(self.absolute_path or "")
        if file.suffix == ".html":
            self.set_header("Content-Security-Policy", _site_policy(file, file.stat().st_mtime_ns))


@lru_cache(maxsize=256)
def _site_policy(file: Path, version: int) -> str:
    """The policy of a page of the documentation site; another version has another one."""
    scripts = dict.fromkeys(_INLINE.findall(file.read_text(encoding="utf-8", errors="replace")))
    return "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src 'self'", *map(digest, scripts)]),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'self'",
        ]
    )


def patterns() -> list[tuple[Any, ...]]:
    """Tornado routes of the files that browsers load."""
    site = {"path": str(DOCUMENTATION), "default_filename": "index.html"}
    return [
        *([(r"/docs/(.*)", DocumentationHandler, site)] if has_documentation() else []),
        (r"/assets/([0-9a-f]+/[a-z_.-]+)", KeptFiles, {"files": FILES}),
    ]


def pack() -> None:
    """Compress all files, so that the first visitor need not wait for it."""
    for file in FILES.values():
        _ = file.packed
