"""Train the bundled runs: `python data/make_training_runs.py [folder] [name ...]`.

Each is the run of the plan of its name in `plans/`. Its scores become `<name>.parquet`, and its
provenance (parameters, seed, hash of the data, versions, dates, CPU seconds) an entry of
`training-runs.json`. All together take about ten minutes on one core.
"""

from __future__ import annotations

import json
import logging
import shutil
import sys
import tempfile
from pathlib import Path

from workbench.training import read_plan, run_training_audit
from workbench.training.runs.gallery import NAMES, PROVENANCE


def main(folder: Path, names: tuple[str, ...] = NAMES) -> None:
    """Write the runs of some plans into ``folder``."""
    provenance = folder / PROVENANCE
    entries = json.loads(provenance.read_bytes()) if provenance.is_file() else {}
    for name in names:
        with tempfile.TemporaryDirectory() as temporary:
            run = run_training_audit(read_plan(name), folder=Path(temporary, "run"))
            shutil.copy(Path(temporary, "run", "scores.parquet"), folder / f"{name}.parquet")
        entries[name] = run.provenance
        logging.info("%s: %d models, %.0f CPU seconds", name, run.models, run.cpu_seconds)
    ordered = {name: entries[name] for name in NAMES if name in entries}
    text = json.dumps(ordered, indent=1, ensure_ascii=False)
    provenance.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    main(target, tuple(sys.argv[2:]) or NAMES)
