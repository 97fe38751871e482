"""Risks by anonymeter of three tables; it needs anonymeter alone: python _in_anonymeter.py FOLDER.

It prints, as JSON, the risk and its 95% interval for each attack, and the CPU seconds.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

ATTACKS = 300


def risks(train: Any, holdout: Any, synthetic: Any) -> dict[str, list[Any]]:
    """Attack -> risk, lower and upper end."""
    attacks = min(ATTACKS, len(holdout))
    columns = list(train.columns)
    half = columns[: len(columns) // 2], columns[len(columns) // 2 :]
    shared = {"ori": train, "syn": synthetic, "control": holdout, "n_attacks": attacks}
    evaluators = {
        "singling out, one column": (SinglingOutEvaluator(**shared), {"mode": "univariate"}),
        "singling out, three columns": (SinglingOutEvaluator(**shared), {"mode": "multivariate"}),
        "linkability": (LinkabilityEvaluator(**shared, aux_cols=half), {}),
        "inference of smokes": (
            InferenceEvaluator(
                **shared, aux_cols=[one for one in columns if one != "smokes"], secret="smokes"
            ),
            {},
        ),
    }
    found: dict[str, list[Any]] = {}
    for name, (evaluator, how) in evaluators.items():
        try:
            evaluator.evaluate(**how)
            risk = evaluator.risk(confidence_level=0.95)
            found[name] = [float(risk.value), *map(float, risk.ci)]
        except Exception as error:
            found[name] = [f"{type(error).__name__}: {error}"[:200]]
    return found


def main(folder: Path) -> None:
    warnings.simplefilter("ignore")
    tables = [pd.read_csv(folder / f"{one}.csv") for one in ("train", "holdout", "synthetic")]
    for one in tables:
        one["since"] = (pd.to_datetime(one["since"]) - pd.Timestamp("2000-01-01")).dt.days
        one["smokes"] = one["smokes"].astype(str)
        one["region"] = one["region"].astype(object)
    start = time.process_time()
    found = risks(*tables)
    print(json.dumps({"risks": found, "cpu": time.process_time() - start}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
