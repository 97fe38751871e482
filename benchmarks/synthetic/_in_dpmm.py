"""A private synthetic table by dpmm: python _in_dpmm.py FOLDER mst | aim EPSILON SEED.

It needs dpmm alone. The domain is stated, not read off the table, and the table is written to
``synthetic.csv``. It prints, as JSON, CPU seconds.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
from dpmm.pipelines import AIMPipeline, MSTPipeline

#: What the columns can hold: general knowledge.
DOMAIN: dict[str, Any] = {
    "age": {"lower": 18, "upper": 95},
    "pay": {"lower": 0, "upper": 500_000},
    "region": {"categories": ["north", "east", "south", "west", "islands"]},
    "since": {"lower": 0, "upper": 1800},
    "smokes": {"categories": ["False", "True"]},
    "weight": {"lower": 20, "upper": 140},
}
START = pd.Timestamp("2019-01-01")


def main(folder: Path, name: str, epsilon: str, seed: str) -> None:
    warnings.simplefilter("ignore")
    train = pd.read_csv(folder / "train.csv", parse_dates=["since"])
    train["since"] = (train["since"] - START).dt.days.astype(float)
    for column in ("region", "smokes"):
        own = pd.CategoricalDtype(DOMAIN[column]["categories"])
        train[column] = train[column].astype(str).astype(own)
    for column in ("age", "pay", "since", "weight"):
        train[column] = train[column].clip(DOMAIN[column]["lower"], DOMAIN[column]["upper"])
    kind = {"mst": MSTPipeline, "aim": AIMPipeline}[name]
    start = time.process_time()
    # A tenth of the budget is for the bins.
    pipeline = kind(
        epsilon=0.9 * float(epsilon), delta=1e-5, proc_epsilon=0.1 * float(epsilon), n_jobs=1
    )
    pipeline.fit(train, domain=DOMAIN, random_state=int(seed))
    made = pipeline.generate(n_records=len(train), random_state=int(seed) + 1)
    days = pd.to_timedelta(made["since"].round(), unit="D")
    made["since"] = (START + days).dt.strftime("%Y-%m-%d")
    made.to_csv(folder / "synthetic.csv", index=False)
    print(json.dumps({"cpu": time.process_time() - start}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
