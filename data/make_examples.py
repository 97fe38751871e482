"""Write the synthetic examples: `python data/make_examples.py [folder]`.

Every example has its own seed, so the same numbers come out each time and in any order. What each
one is for, and its true privacy loss, stands on its card (`<name>.toml`).
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd


def gaussian(folder: Path) -> None:
    """N(1, 1) against N(0, 1)."""
    rng = np.random.default_rng(1)
    p, q = rng.normal(1, 1, 10_000), rng.normal(0, 1, 10_000)
    pd.DataFrame({"in": p, "out": q}).to_csv(
        folder / "gaussian.csv", index=False, float_format="%.5f", lineterminator="\n"
    )


def laplace(folder: Path) -> None:
    """Lap(1, 1) against Lap(0, 1)."""
    rng = np.random.default_rng(2)
    p, q = rng.laplace(1, 1, 10_000), rng.laplace(0, 1, 10_000)
    pd.DataFrame({"train": p, "test": q}).to_csv(
        folder / "laplace.tsv", sep="\t", index=False, float_format="%.5f", lineterminator="\n"
    )


def subsampled_gaussian(folder: Path) -> None:
    """The record joins the sum with probability 1/4; noise 0.3."""
    rng = np.random.default_rng(3)
    n, rate, sigma = 100_000, 0.25, 0.3
    p = (rng.random(n) < rate) + rng.normal(0, sigma, n)
    q = rng.normal(0, sigma, n)
    np.savez_compressed(
        folder / "subsampled-gaussian.npz", p=p.astype(np.float32), q=q.astype(np.float32)
    )


def unequal_variances(folder: Path) -> None:
    """N(0, 1.5²) against N(0, 1): members are far out on either side."""
    rng = np.random.default_rng(4)
    n = 20_000
    scores = np.concatenate([rng.normal(0, 1.5, n), rng.normal(0, 1, n)])
    memberships = np.repeat([1, 0], n)
    order = rng.permutation(2 * n)
    np.savez_compressed(
        folder / "unequal-variances.npz",
        scores=scores[order].astype(np.float32),
        memberships=memberships[order].astype(np.int8),
    )


def ties(folder: Path) -> None:
    """A count released with two-sided geometric noise at ε = 1."""
    rng = np.random.default_rng(5)
    n, stop = 20_000, 1 - np.exp(-1)
    noise = rng.geometric(stop, (2, n)) - rng.geometric(stop, (2, n))
    text = json.dumps({"p": (1 + noise[0]).tolist(), "q": noise[1].tolist()})
    (folder / "ties.json").write_text(text + "\n", encoding="utf-8")


def no_leak(folder: Path) -> None:
    """One distribution on both sides, the sizes unequal."""
    rng = np.random.default_rng(6)
    p, q = pd.Series(rng.normal(0, 1, 3000)), pd.Series(rng.normal(0, 1, 2000))
    pd.DataFrame({"member": p, "nonmember": q}).to_csv(
        folder / "no-leak.csv", index=False, float_format="%.5f", lineterminator="\n"
    )


def messy(folder: Path) -> None:
    """Losses exp(N(−1.5, 1)) against exp(N(0, 1)), as a spreadsheet of another country saves them.

    Each loss is missing with probability 0.015 and infinite with probability 0.005, on both sides.
    """
    rng = np.random.default_rng(7)
    n_p, n_q = 1600, 1400
    member = rng.permutation(np.repeat([True, False], [n_p, n_q]))
    loss = np.exp(rng.normal(np.where(member, -1.5, 0.0), 1))
    fate = rng.random(n_p + n_q)
    missing = rng.choice(["", "NaN", "n/a"], n_p + n_q)
    remark = rng.choice(["", "", "", "", "restarted", "checked"], n_p + n_q)
    with open(folder / "messy.csv", "w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\r\n")
        writer.writerow(["Record id", "Group", "Loss", "Remark"])
        for i in range(n_p + n_q):
            text = f"{loss[i]:.4f}".replace(".", ",")
            if fate[i] < 0.02:
                text = missing[i] if fate[i] < 0.015 else "inf"
            group = "member" if member[i] else "non-member"
            writer.writerow([10_000 + i, group, text, remark[i]])


def main(folder: Path) -> None:
    """Write every synthetic example into ``folder``."""
    for make in (gaussian, laplace, subsampled_gaussian, unequal_variances, ties, no_leak, messy):
        make(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
