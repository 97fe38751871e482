"""Tables of people, split by coins, and synthetic tables with copies of some of them."""

import numpy as np
import pandas as pd


def people(n, seed):
    """A table with an id, a constant, and columns of five kinds, some cells missing."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    since = pd.Timestamp("2010-01-01") + pd.to_timedelta(rng.integers(0, 4000, n), "D")
    return pd.DataFrame(
        {
            "id": 10_000 * seed + np.arange(n),
            "age": np.where(rng.random(n) < 0.05, np.nan, age),
            "pay": np.exp(rng.normal(10 + age / 100, 1)).round(2),
            "city": rng.choice([f"city {k}" for k in range(12)], n),
            "smokes": rng.choice(["yes", "no"], n),
            "since": since,
            "country": "NO",
        }
    )


def three(n=600, seed=0, copies=0.0, share=0.5, noise=0.01):
    """A training and a holdout table by coins, and a synthetic one with near-copies of members."""
    rng = np.random.default_rng(seed)
    table = people(n, seed)
    inside = rng.random(n) < share
    train, holdout = table[inside], table[~inside]
    copied = train.sample(round(copies * len(train)), random_state=seed).copy()
    copied["pay"] *= np.exp(rng.normal(0, noise, len(copied)))
    made = people(len(train) - len(copied), 1000 + seed)
    return train, holdout, pd.concat([made, copied], ignore_index=True)
