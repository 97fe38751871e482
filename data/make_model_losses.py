"""Write the losses of two real models: `python data/make_model_losses.py [folder]`.

Half of the records of a data set train an ensemble of full-grown trees, the other half is held
out. The score of a record is −log of the share of trees that vote for its true class; half a vote
is added to every class, so that no loss is infinite.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

TREES = 500


def losses(data: Any, model: Any, seed: int) -> pd.DataFrame:
    """One row a record: its number in the data set, its class, its loss, whether it trained."""
    records, classes = data.data, data.target
    order = np.random.default_rng(seed).permutation(classes.size)
    trained = np.zeros(classes.size, dtype=bool)
    trained[order[: classes.size // 2]] = True
    model.fit(records[trained], classes[trained])
    # Full-grown trees have pure leaves: the mean over the trees is the share of votes.
    shares = model.predict_proba(records)[np.arange(classes.size), classes]
    smoothed = (np.rint(TREES * shares) + 0.5) / (TREES + 0.5 * model.classes_.size)
    columns = {"record": np.arange(classes.size), "class": classes, "loss": -np.log(smoothed)}
    return pd.DataFrame({**columns, "trained_on": trained})


def digits(folder: Path) -> None:
    """Digits, random forest."""
    frame = losses(load_digits(), RandomForestClassifier(TREES, random_state=8), seed=8)
    frame.to_feather(folder / "digits-losses.feather")


def breast_cancer(folder: Path) -> None:
    """Breast cancer, extremely randomized trees, each grown on every training record."""
    frame = losses(load_breast_cancer(), ExtraTreesClassifier(TREES, random_state=9), seed=9)
    frame["split"] = np.where(frame.pop("trained_on"), "train", "test")
    frame.to_csv(
        folder / "breast-cancer-losses.csv",
        index=False,
        float_format="%.6f",
        lineterminator="\n",
    )


def main(folder: Path) -> None:
    """Write both examples into ``folder``."""
    digits(folder)
    breast_cancer(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
