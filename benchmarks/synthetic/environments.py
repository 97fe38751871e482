"""Scripts that run in the environments of other packages, on tables in a folder."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd

HERE = Path(__file__).parent

#: Script -> the variable that names its interpreter.
PYTHONS = {
    "_in_anonymeter.py": "ANONYMETER_PYTHON",
    "_in_sdv.py": "SDV_PYTHON",
    "_in_dpmm.py": "DPMM_PYTHON",
}

#: What the columns hold, as the scripts are told.
KINDS = {
    "age": "numerical",
    "pay": "numerical",
    "region": "categorical",
    "since": "datetime",
    "smokes": "boolean",
    "weight": "numerical",
}


def written(folder: Path, **tables: pd.DataFrame) -> Path:
    """The folder, with each table as a csv file."""
    for name, one in tables.items():
        one.to_csv(folder / f"{name}.csv", index=False)
    (folder / "kinds.json").write_text(json.dumps(KINDS))
    return folder


def read(folder: Path, name: str) -> pd.DataFrame:
    """A table that a script wrote."""
    return pd.read_csv(folder / f"{name}.csv", parse_dates=["since"])


def answer(script: str, folder: Path, *arguments: str) -> dict[str, Any]:
    """What a script prints, as JSON; ``{"missing": why}`` where it cannot run."""
    python = os.environ.get(PYTHONS[script])
    if not python:
        return {"missing": f"{PYTHONS[script]} names no interpreter"}
    command = [python, str(HERE / script), str(folder), *arguments]
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=own)
    if run.returncode:
        return {"missing": run.stderr.strip().splitlines()[-1] if run.stderr.strip() else "failed"}
    found: dict[str, Any] = json.loads(run.stdout.strip().splitlines()[-1])
    return found
