"""Uploaded files that are a score table of many records: `read_table_upload`."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from workbench.pages.core.upload import UploadedFile
from workbench.scores.parsing.limits import LIMITS
from workbench.scores.sample import ScoresError
from workbench.tables.read import read_score_table
from workbench.tables.recognition import is_score_table
from workbench.tables.table import ScoreTable

#: Files of an archive, and characters of a name in it.
MOST_FILES, LONGEST_NAME = 20_000, 200


def read_table_upload(
    upload: tuple[UploadedFile, ...],
    transposed: str | None = None,
    augmentations: str | None = None,
) -> ScoreTable | None:
    """The score table that uploaded files hold; None where they are no score table.

    Signals, such as logits, are taken as scores.

    Parameters
    ----------
    upload : tuple of UploadedFile
        A table, an npz or a zip file of a folder, or the arrays of one folder.
    transposed, augmentations : str, optional
        As of `read_score_table`.

    Raises
    ------
    ScoresError
        They are a score table that cannot be read, or an archive that is refused.
    """
    if not upload:
        return None
    with tempfile.TemporaryDirectory(prefix="workbench-table-") as home:
        folder = Path(home) / "table"
        folder.mkdir()
        place = _placed(upload, folder)
        if not is_score_table(place):
            if any(file.name.lower().endswith(".zip") for file in upload):
                raise ScoresError(
                    f"“{upload[0].name}” holds no score table of a known layout: see "
                    "wb.read_score_table for the folders that are read"
                )
            return None
        found = read_score_table(
            place,
            transposed=transposed,
            augmentations=augmentations,
            name=Path(upload[0].name).stem,
        )
    return found if isinstance(found, ScoreTable) else found.as_scores()


def _placed(upload: tuple[UploadedFile, ...], folder: Path) -> Path:
    """Where the files are under names of their own."""
    for file in upload:
        if file.name.lower().endswith(".zip") and len(upload) == 1:
            _unpack(file, folder)
            inner = list(folder.iterdir())
            return inner[0] if len(inner) == 1 and inner[0].is_dir() else folder
        target = folder / (PurePosixPath(file.name.replace("\\", "/")).name or "file")
        if isinstance(file.source, Path):
            target.symlink_to(file.source.absolute())
        else:
            target.write_bytes(file.source)
    return target if len(upload) == 1 else folder


def _unpack(file: UploadedFile, folder: Path) -> None:
    """Unpack an archive, with limits of its size and without leaving the folder."""
    source = file.source if isinstance(file.source, Path) else folder.parent / "upload.zip"
    if isinstance(file.source, bytes):
        source.write_bytes(file.source)
    left = int(LIMITS.file_size)
    try:
        with zipfile.ZipFile(source) as archive:
            entries = [one for one in archive.infolist() if not one.is_dir()]
            if len(entries) > MOST_FILES:
                raise ScoresError(
                    f"“{file.name}” holds {len(entries):,} files, more than {MOST_FILES:,}"
                )
            for entry in entries:
                parts = PurePosixPath(entry.filename.replace("\\", "/")).parts
                if ".." in parts or PurePosixPath(*parts).is_absolute() or not parts:
                    raise ScoresError(f"“{file.name}” names files outside of its folder")
                if any(len(part) > LONGEST_NAME or "\0" in part for part in parts):
                    raise ScoresError(f"“{file.name}” has a name of more than {LONGEST_NAME} signs")
                target = folder.joinpath(*parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                left -= _copied(archive, entry, target, left, file.name)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise ScoresError(f"“{file.name}” cannot be unpacked: {error}") from error


def _copied(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, most: int, name: str
) -> int:
    """Bytes of an entry, which is copied; what it states of its size is not believed."""
    size = 0
    with archive.open(entry) as source, open(target, "wb") as copy:
        while block := source.read(2**20):
            size += len(block)
            if size > most:
                raise ScoresError(f"“{name}” is larger unpacked than what is read at a time")
            copy.write(block)
    return size
