"""Bounds from counts on the grid lose less than one percent against those from all rows."""

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.scores.counting.one_pass import count_scores

N = 200_000


def subsampled(rng, mean):
    return np.where(rng.random(N) < 0.02, rng.normal(3 * mean, 1, N), rng.normal(0, 1, N))


SAMPLES = {
    "Gaussian": lambda rng, mean: rng.normal(mean, 1, N),
    "far": lambda rng, mean: rng.normal(4 * mean, 1, N),
    "near": lambda rng, mean: rng.normal(0.2 * mean, 1, N),
    "offset": lambda rng, mean: 1e6 + 1e-3 * rng.normal(mean, 1, N),
    "Laplace": lambda rng, mean: rng.laplace(mean, 1, N),
    "subsampled": subsampled,
    "Cauchy": lambda rng, mean: mean + rng.standard_cauchy(N),
    "lognormal": lambda rng, mean: np.exp(3 * rng.normal(0.5 * mean, 1, N)),
    "losses": lambda rng, mean: -np.exp(rng.normal(-7 - 2 * mean, 3, N)),
    "confidences": lambda rng, mean: 1 - np.exp(np.minimum(rng.normal(-7 - 2 * mean, 2, N), 0)),
    "counts": lambda rng, mean: rng.poisson(5 + mean, N),
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_bounds_are_those_of_all_rows(tmp_path, kind):
    rng = np.random.default_rng(7)
    p, q = SAMPLES[kind](rng, 1.0), SAMPLES[kind](rng, 0.0)
    rows = pd.DataFrame({"score": np.concatenate([p, q]), "member": np.repeat([1, 0], N)})
    rows.sample(frac=1, random_state=0).to_parquet(tmp_path / "a.parquet")
    exact, counted = wb.tradeoff_band(wb.Scores(p, q)), None
    scores = count_scores(tmp_path / "a.parquet")
    assert (scores.grid is None) == (kind == "counts")
    counted = wb.tradeoff_band(scores)
    for of in (
        lambda band: band.epsilon(1e-5),
        lambda band: band.epsilon(1e-2),
        lambda band: band.mu(),
        lambda band: band.total_variation(),
        lambda band: band.tpr(1e-3),
        lambda band: band.tpr(1e-2),
    ):
        assert of(counted).value == pytest.approx(of(exact).value, rel=0.01)


def test_the_error_of_the_grid_is_stated(tmp_path):
    rng = np.random.default_rng(8)
    score = rng.normal(size=1000)
    frame = pd.DataFrame({"score": score, "member": np.arange(1000) % 2})
    frame.to_csv(tmp_path / "a.csv", index=False)
    counted = count_scores(tmp_path / "a.csv")
    assert "a cell is at most 2^-12 of its distance from" in counted.grid
    assert "Counts at the ends of cells are exact." in counted.grid
    center = np.quantile(score, 0.5, method="lower")
    for values, rows in ((np.sort(score), counted.values),):
        nearest = rows[np.searchsorted(rows, values)]
        assert (nearest >= values).all()
        assert (nearest - values <= 2.0**-12 * np.abs(nearest - center) + 1e-15).all()
