"""SDMetrics of three tables, or a table by SDV: python _in_sdv.py FOLDER metrics | GENERATOR SEED.

It needs sdv and sdmetrics alone. GENERATOR is "copula" or "ctgan"; the table is written to
``synthetic.csv``. It prints, as JSON, scores and CPU seconds.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

#: Epochs of CTGAN: few, as on a CPU.
EPOCHS = 100


def metrics(folder: Path, kinds: dict[str, str]) -> dict[str, Any]:
    """Privacy scores of SDMetrics, 1 the best."""
    from sdmetrics.single_table import DCRBaselineProtection, DCROverfittingProtection

    train, holdout, synthetic = (_read(folder, one) for one in ("train", "holdout", "synthetic"))
    metadata = _metadata(kinds)
    start = time.process_time()
    return {
        "DCRBaselineProtection": DCRBaselineProtection.compute(train, synthetic, metadata, "table"),
        "DCROverfittingProtection": DCROverfittingProtection.compute(
            train, synthetic, holdout, metadata, "table"
        ),
        "cpu": time.process_time() - start,
    }


def generate(folder: Path, kinds: dict[str, str], name: str, seed: int) -> dict[str, Any]:
    """A synthetic table as large as the training table."""
    from sdv.metadata import Metadata
    from sdv.single_table import CTGANSynthesizer, GaussianCopulaSynthesizer

    np.random.seed(seed)  # noqa: NPY002  (which these packages draw from)
    train = _read(folder, "train")
    metadata = Metadata.load_from_dict(_metadata(kinds))
    start = time.process_time()
    if name == "ctgan":
        import torch

        torch.manual_seed(seed)
        torch.set_num_threads(1)
        synthesizer = CTGANSynthesizer(metadata, epochs=EPOCHS, enable_gpu=False)
    else:
        synthesizer = GaussianCopulaSynthesizer(metadata)
    synthesizer.fit({"table": train})
    made = synthesizer.sample(len(train))
    made = made["table"] if isinstance(made, dict) else made
    made.to_csv(folder / "synthetic.csv", index=False)
    return {"cpu": time.process_time() - start}


def _metadata(kinds: dict[str, str]) -> dict[str, Any]:
    columns = {name: {"sdtype": kind} for name, kind in kinds.items()}
    return {"tables": {"table": {"columns": columns}}, "relationships": []}


def _read(folder: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(folder / f"{name}.csv", parse_dates=["since"])


def main(folder: Path, what: str, seed: str = "0") -> None:
    warnings.simplefilter("ignore")
    kinds = json.loads((folder / "kinds.json").read_text())
    found = (
        metrics(folder, kinds) if what == "metrics" else generate(folder, kinds, what, int(seed))
    )
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
