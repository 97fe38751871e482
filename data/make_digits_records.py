"""Write the table of digits under many models: `python data/make_digits_records.py [folder]`.

Each model is a softmax regression on the records that fair coins chose for it, released with
Gaussian noise on its weights. Six of the records have a wrong label. The score of a record is the
log-odds that the model gives to the label it was trained with.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_digits

MODELS, RECORDS, MISLABELED = 128, 400, 6
CLASSES = 10
RIDGE, NOISE = 0.03, 1.2
SEED = 14


def trained(x: Any, label: Any) -> Any:
    """Weights, shape (features, classes), that minimize the sum of the losses and a ridge."""
    shape, truth = (x.shape[1], CLASSES), np.eye(CLASSES)[label]

    def objective(flat: Any) -> tuple[float, Any]:
        weights = flat.reshape(shape)
        logits = x @ weights
        logits -= logits.max(axis=1, keepdims=True)
        mass = np.exp(logits)
        total = mass.sum(axis=1, keepdims=True)
        loss = np.log(total).sum() - (logits * truth).sum() + RIDGE / 2 * (flat @ flat)
        return loss, (x.T @ (mass / total - truth) + RIDGE * weights).ravel()

    start = np.zeros(shape).ravel()
    options = {"maxiter": 300}
    return minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x.reshape(shape)


def log_odds(logits: Any, label: Any) -> Any:
    """Log-odds log p − log(1 − p) of the label's probability p."""
    rows = np.arange(label.size)
    own = logits[rows, label]
    others = logits.copy()
    others[rows, label] = -np.inf
    return own - np.logaddexp.reduce(others, axis=1)


def main(folder: Path) -> None:
    """Write the table into ``folder``."""
    rng = np.random.default_rng(SEED)
    digits = load_digits()
    row = np.sort(rng.permutation(digits.target.size)[:RECORDS])
    image, digit = digits.images[row], digits.target[row]
    label = digit.copy()
    wrong = rng.choice(RECORDS, MISLABELED, replace=False)
    label[wrong] = (label[wrong] + rng.integers(1, CLASSES, MISLABELED)) % CLASSES
    x = image.reshape(RECORDS, -1)
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    member = rng.random((MODELS, RECORDS)) < 0.5
    scores = np.empty(member.shape, dtype=np.float32)
    for m, chosen in enumerate(member):
        weights = trained(x[chosen], label[chosen])
        released = weights + NOISE * rng.normal(size=weights.shape)
        scores[m] = log_odds(x @ released, label)
    np.savez_compressed(
        folder / "digits-records.npz",
        scores=scores,
        member=member,
        label=label.astype(np.uint8),
        digit=digit.astype(np.uint8),
        row=row.astype(np.uint16),
        image=image.astype(np.uint8),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
