"""`AuditPackage`: an audit with its figures and attachments as one file, and back.

The file is a zip archive of ``manifest.json``, ``audit.json`` (the audit card), ``figures.json``
and ``attachments/0001`` and so on. The manifest has the version of the format, and the size and the
SHA-256 of every other file. Files come from strangers: sizes are checked before anything is
unpacked, and no name in the file becomes a path.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from workbench import _checks, _json
from workbench.audits.attachment import KINDS, Attachment
from workbench.audits.audit import Audit
from workbench.audits.errors import ArchiveError
from workbench.audits.storing.figure_text import from_text, to_text
from workbench.audits.storing.stored_card import audit_of_card

#: Version of the file format.
FORMAT = 1

#: Bytes of the file, and of a part in JSON. Attachments are not packed: no file unpacks to more.
MOST_BYTES, MOST_JSON = 2**30, 2**24

#: Attachments of an audit.
MOST_ATTACHMENTS = 1000

_MANIFEST, _CARD, _FIGURES = "manifest.json", "audit.json", "figures.json"
_ATTACHMENT = re.compile(r"attachments/\d{4}", re.ASCII)
_KEY = re.compile("[0-9a-f]{16}")

#: The time of every part, so that the same audit is the same file.
_TIME = (2000, 1, 1, 0, 0, 0)

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,  # a part with a password
    NotImplementedError,  # a part that is packed in another way
    KeyError,
    TypeError,
    ValueError,
    AttributeError,
    RecursionError,
)


@dataclass(frozen=True)
class AuditPackage:
    """An audit with its attachments, as one file."""

    audit: Audit
    attachments: tuple[Attachment, ...] = ()

    def to_bytes(self) -> bytes:
        """The content of the file, the same for the same audit."""
        parts = {
            _CARD: _json.dumps_ascii(
                {**_json.loads(self.audit.text), "key": self.audit.key}, indent=1
            ),
            _FIGURES: to_text(self.audit.figures),
        }
        files = {name: text.encode("ascii") for name, text in parts.items()}
        names = [f"attachments/{number:04}" for number in range(1, len(self.attachments) + 1)]
        if any(len(content) > MOST_JSON for content in files.values()):
            raise ArchiveError(
                f"the card or the figures have more than {MOST_JSON >> 20} MB, too much for a file"
            )
        files |= {n: one.content for n, one in zip(names, self.attachments, strict=True)}
        manifest = {
            "format": FORMAT,
            "program": "dp-audit-workbench",
            "files": {
                name: {"sha256": sha256(content).hexdigest(), "size": len(content)}
                for name, content in files.items()
            },
            "attachments": [
                {"file": name, "kind": one.kind, "name": one.name, "data": one.data}
                for name, one in zip(names, self.attachments, strict=True)
            ],
        }
        files = {_MANIFEST: _json.dumps_ascii(manifest, indent=1).encode("ascii"), **files}
        written = io.BytesIO()
        with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                packed = zipfile.ZIP_STORED if name in names else zipfile.ZIP_DEFLATED
                archive.writestr(zipfile.ZipInfo(name, _TIME), content, packed)
        return written.getvalue()


def read_package(file: str | Path | bytes) -> AuditPackage:
    """The audit of a file that `AuditPackage.to_bytes` made.

    Raises
    ------
    ArchiveError
        Another file, a damaged one, or one of a newer version.
    """
    content = _content(file)
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise ArchiveError(
            "this is no file of a saved audit, which is a zip file; save one by 'workbench audits "
            "export' or workspace.audits.export"
        )
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _read(archive)
    except ArchiveError:
        raise
    except _BROKEN as error:
        raise _damaged(str(error) or type(error).__name__) from error


def _content(file: str | Path | bytes) -> bytes:
    if isinstance(file, bytes):
        content = file
    else:
        _checks.instance(file, (str, Path), "file", "a path, or the bytes of a file")
        path = Path(file)
        try:
            with open(path, "rb") as opened:
                content = opened.read(MOST_BYTES + 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ArchiveError(f"{_checks.shown(str(path))} cannot be read: {reason}") from error
    if len(content) > MOST_BYTES:
        raise ArchiveError(f"the file has more than {MOST_BYTES >> 20} MB; no saved audit has")
    return content


def _read(archive: zipfile.ZipFile) -> AuditPackage:
    parts = _parts(archive)
    manifest = _json.loads(_unpacked(archive, parts[_MANIFEST]))
    version = manifest["format"]
    if not isinstance(version, int) or version > FORMAT:
        raise ArchiveError(
            f"the file was written by a newer version of the workbench (format "
            f"{_checks.shown(version)}; this one reads {FORMAT}); update this program"
        )
    described = manifest["files"]
    if set(described) != set(parts) - {_MANIFEST}:
        raise _damaged("parts are missing, or there are others than its list names")
    figures = from_text(_part(archive, parts, described, _FIGURES))
    card = _part(archive, parts, described, _CARD)
    values = _json.loads(card)
    key = values.get("key")
    audit = audit_of_card(
        card, figures, key if isinstance(key, str) and _KEY.fullmatch(key) else ""
    )
    if {**audit.to_dict(), "key": key} != values:
        raise ArchiveError(
            "this is no card of an audit: it has other fields than the workbench writes"
        )
    return AuditPackage(audit, tuple(_attachments(archive, parts, manifest)))


def _parts(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The parts of a file by name, none twice, none too large, none that is not ours."""
    parts: dict[str, zipfile.ZipInfo] = {}
    if len(archive.infolist()) > MOST_ATTACHMENTS + 3:
        raise ArchiveError("the zip file has too many parts; it is no saved audit")
    for part in archive.infolist():
        known = part.filename in (_MANIFEST, _CARD, _FIGURES)
        if not known and not _ATTACHMENT.fullmatch(part.filename):
            raise ArchiveError(
                f"the zip file holds {_checks.shown(part.filename)}; it is no saved audit"
            )
        if part.filename in parts:
            raise _damaged(f"it holds {part.filename} twice")
        parts[part.filename] = part
    if {_MANIFEST, _CARD, _FIGURES} - set(parts):
        raise ArchiveError("the zip file is no saved audit: it has no audit.json of ours")
    return parts


def _unpacked(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    """The content of a part, which is never longer than the part says."""
    packed = part.compress_type != zipfile.ZIP_STORED
    if packed and (part.compress_type != zipfile.ZIP_DEFLATED or _ATTACHMENT.match(part.filename)):
        raise _damaged(f"{part.filename} is packed in another way")
    if packed and part.file_size > MOST_JSON:
        raise ArchiveError(f"{part.filename} has more than {MOST_JSON >> 20} MB; no audit has")
    if not packed and part.file_size > part.compress_size:
        raise _damaged(f"{part.filename} is shorter than it says")
    with archive.open(part) as opened:
        return opened.read(part.file_size)


def _part(
    archive: zipfile.ZipFile,
    parts: Mapping[str, zipfile.ZipInfo],
    described: Mapping[str, Any],
    name: str,
) -> bytes:
    content = _unpacked(archive, parts[name])
    if sha256(content).hexdigest() != described[name]["sha256"]:
        raise _damaged(f"{name} changed since it was written")
    return content


def _attachments(
    archive: zipfile.ZipFile, parts: Mapping[str, zipfile.ZipInfo], manifest: Mapping[str, Any]
) -> list[Attachment]:
    found = []
    for one in manifest["attachments"]:
        texts = [one["kind"], one["name"], one["data"]]
        if not all(isinstance(text, str) for text in texts) or one["kind"] not in KINDS:
            raise _damaged("an attachment has no kind or name")
        content = _part(archive, parts, manifest["files"], one["file"])
        found.append(Attachment.of(one["kind"], one["name"], content, one["data"]))
    return found


def _damaged(why: str) -> ArchiveError:
    return ArchiveError(f"the file is damaged: {why}. Get another copy of it")
