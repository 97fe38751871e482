"""How often `wb.label_law_test` refuses right and wrong laws: ``python -m benchmarks.label_laws``.

Arguments: number of labels, of records, and of repetitions (3, 1000 and 200 by default).
"""

from __future__ import annotations

import sys
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import workbench as wb

FEATURES = 5


def laws(
    x: NDArray[np.float64], law: NDArray[np.float64], labels: NDArray[np.int64], seed: int
) -> dict[str, NDArray[np.float64]]:
    """The right law, wrong ones, and proxies that were fitted to these labels."""
    k = law.shape[1]
    fitted = {
        "forest on these labels": RandomForestClassifier(25, random_state=seed),
        "neighbors on these labels": KNeighborsClassifier(5),
        "regression on these labels": LogisticRegression(max_iter=500),
    }
    found = {
        "right": law,
        "uniform": np.full_like(law, 1 / k),
        "rows in another order": np.random.default_rng(seed).permutation(law),
        "columns in another order": np.roll(law, 1, axis=1),
        "too sure": softmax(np.log(law) / 0.7, axis=1),
        "not sure enough": softmax(np.log(law) / 2, axis=1),
    }
    for name, model in fitted.items():
        proxy = np.full_like(law, 0.001 / k)
        model.fit(x, labels)
        proxy[:, model.classes_] += 0.999 * model.predict_proba(x)
        found[name] = proxy / proxy.sum(axis=1, keepdims=True)
    return found


def main(labels: int = 3, records: int = 1000, repetitions: int = 200) -> None:
    refused: dict[tuple[str, bool], list[bool]] = defaultdict(list)
    for seed in range(repetitions):
        rng = np.random.default_rng([7, seed, labels])
        x = rng.normal(size=(records, FEATURES))
        power = x @ rng.normal(size=(FEATURES, labels)) + 0.5 * rng.normal(size=labels)
        law = softmax(power, axis=1)
        drawn = (rng.random((records, 1)) > law.cumsum(axis=1)).sum(axis=1).clip(0, labels - 1)
        for name, stated in laws(x, law, drawn, seed).items():
            for features in (None, x):
                test = wb.label_law_test(drawn, stated, features=features, seed=seed)
                refused[name, features is not None].append(not test.passed)
    for (name, known), found in refused.items():
        sys.stdout.write(f"{name}, {'with' if known else 'no'} features: {np.mean(found):.3f}\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
