"""A program that saves audits and prints the key of each that was acknowledged, until it is killed.

python -m helpers.saving DATABASE_URL PICKLED_AUDIT COUNT
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from workbench.audits.archive import Archive
from workbench.audits.attachment import Attachment
from workbench.audits.storing.database import AuditsDatabase


def main(url: str, path: str, count: int) -> None:
    audit = pickle.loads(Path(path).read_bytes())
    archive = Archive(AuditsDatabase.at(url))
    sys.stdout.write("ready\n")
    for number in range(count):
        attached = Attachment.of("file", f"{number}.csv", f"{number}".encode() * 5000)
        saved = archive.save(audit, f"audit {number}", attachments=[attached])
        sys.stdout.write(f"{saved.key}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
