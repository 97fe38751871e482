"""Programs that are killed while they save, and what must be there afterwards."""

from __future__ import annotations

import pickle
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE

from helpers.programs import program
from helpers.servers import ROOT
from workbench.audits.archive import Archive
from workbench.audits.audit import Audit
from workbench.audits.storing.database import AuditsDatabase

#: Saves that each program would make.
SAVES = 100


@dataclass(frozen=True)
class Kills:
    """What was acknowledged before programs were killed, and what was found afterwards."""

    acknowledged: int
    found: int
    half_written: int
    unfinished: int


def kill_while_saving(url: str, audit: Audit, folder: Path, times: int, seed: int) -> Kills:
    """Kill programs with SIGKILL at random moments of 100 saves; check all that was acknowledged.

    Parameters
    ----------
    url : str
        Of the database.
    audit : Audit
    folder : Path
        For a file.
    times : int
        Programs to be killed, one after the other.
    seed : int
    """
    pickled = folder / "audit.pickle"
    pickled.write_bytes(pickle.dumps(audit))
    moments = random.Random(seed)
    keys: list[str] = []
    unfinished = 0
    for _ in range(times):
        told = _killed(url, pickled, moments)
        unfinished += len(told) < SAVES
        keys += told
    database = AuditsDatabase.at(url)
    archive = Archive(database)
    there = [one.key for one in archive.search()]
    assert set(keys) <= set(there), "an audit that was acknowledged is missing"
    for key in there:
        opened = archive[key]  # its hashes are verified
        assert opened.code == audit.code
        assert len(opened.figures) == len(audit.figures)
        assert len(archive.attachments(key)) == 1
    with database.reading() as connection:
        counts = {
            table: connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()
            for table in ("audits", "cards", "figures", "attachments")
        }
    database.close()
    return Kills(len(keys), len(there), len(set(counts.values())) - 1, unfinished)


def _killed(url: str, pickled: Path, moments: random.Random) -> Sequence[str]:
    command = [sys.executable, "-m", "helpers.saving", url, str(pickled), str(SAVES)]
    with program(command, cwd=ROOT / "tests", stdout=PIPE, text=True, env=_environment()) as saving:
        assert saving.stdout is not None
        assert saving.stdout.readline() == "ready\n"
        wanted = moments.randrange(SAVES - 10)
        told = []
        for line in saving.stdout:  # to a random save, and into the middle of the next one
            told.append(line.strip())
            if len(told) > wanted:
                break
        time.sleep(moments.random() * 0.03)
        saving.kill()
        told += [line.strip() for line in saving.stdout if line.endswith("\n")]
    return told


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(ROOT)}
