"""`label_law_test`: do labels follow a stated law?

**Level.** Labels are drawn from the law many times. If the true labels follow it, they and the
draws are exchangeable, so that the rank of the true ones among all is uniform: exact at any size,
for any law, and for all statistics together (`workbench.labels.residuals`).

**What it sees.** A law that is too sure of itself, permuted, or of other shares of labels; and, as
far as ``features`` tell, one that is wrong only for some records: a uniform law of labels that are
equally frequent is refused by what depends on the records alone. A proxy that was fitted to these
labels gives itself away where it is too likely (forests, neighbors, networks that remember), or
where its residuals are *too small*: a regression leaves sums of residuals of 0 over its features.
A smooth regression of two labels without ``features`` may pass: **that a law was not fitted to
these labels must be known, and is not tested for good.**

**Where it is refused** (p ≤ `LAW_LEVEL`), bounds of the game are void. One game in a hundred loses
its bounds though the law is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from workbench import _checks
from workbench._markup import table
from workbench.curves.validation import Floats
from workbench.labels.law import LabelLaw, LabelsError, read_law
from workbench.labels.residuals import p_values_of_all, statistics_of
from workbench.scores import chance

if TYPE_CHECKING:
    import pandas as pd

#: P-values at which a law is refused.
LAW_LEVEL = 0.01

#: Draws of all labels from the law, and numbers that are held at once.
DRAWS, _AT_ONCE = 1999, 2 * 10**6

#: Columns of features, at most.
_MOST_FEATURES = 1000

#: Statistic -> what it compares, in words.
STATISTICS = {
    "likelihood": "the likelihood of the labels",
    "closeness": "how close their likelihood is to what the law expects",
    "labels": "the number of records with each label",
    "sureness": "how often the likeliest label is right, by its probability",
    "features": "residuals over the features",
}


@dataclass(frozen=True)
class LabelLawTest:
    """Whether labels follow a stated law.

    Attributes
    ----------
    records, values : int
        Number of records, and of labels.
    p_value : float
        Of all statistics together; exact.
    statistics : tuple of str
        What was compared; what cannot vary under the law is left out.
    p_values : ndarray, shape (statistics,)
        Two-sided, of each alone.
    impossible : int
        Records with a label of probability 0.
    draws : int
        Number of draws from the law; the p-value is at least 1/(draws + 1).
    seed : int
        The random number from which they followed.
    """

    records: int
    values: int
    p_value: float
    statistics: tuple[str, ...]
    p_values: Floats
    impossible: int
    draws: int
    seed: int

    def __post_init__(self) -> None:
        _checks.fields(self)
        if self.p_values.shape != (len(self.statistics),):
            raise ValueError(
                f"p_values must have one entry for each of the {len(self.statistics)} statistics, "
                f"got shape {self.p_values.shape}"
            )

    @property
    def passed(self) -> bool:
        """Whether nothing contradicts the law."""
        return self.p_value > LAW_LEVEL

    @property
    def finding(self) -> str:
        """The statistic with the smallest p-value; "" without any."""
        return self.statistics[int(np.argmin(self.p_values.round(6)))] if self.statistics else ""

    def explain(self) -> str:
        """The finding in plain sentences."""
        if self.passed:
            return (
                f"Nothing contradicts the law of the labels (p = {self.p_value:.2g} over "
                f"{len(self.statistics)} statistics of {self.records:,} records). That does not "
                "show that it is right, nor that it was not fitted to these labels."
            )
        if self.impossible:
            return (
                f"The labels do not follow the law: {self.impossible:,} records have a label of "
                "probability 0."
            )
        return (
            f"The labels do not follow the law (p = {self.p_value:.2g}): most of all "
            f"{STATISTICS[self.finding]} is not what the law gives. A proxy that was fitted to "
            "these labels is refused too."
        )

    def to_frame(self) -> pd.DataFrame:
        """One row for each statistic: ``statistic``, ``compares``, ``p_value``."""
        import pandas as pd

        return pd.DataFrame(
            {
                "statistic": list(self.statistics),
                "compares": [STATISTICS[name] for name in self.statistics],
                "p_value": self.p_values,
            }
        )

    def _repr_html_(self) -> str:
        rows = [
            (STATISTICS[name], f"p = {p:.2g}")
            for name, p in zip(self.statistics, self.p_values, strict=True)
        ]
        return table("Test of the law of labels", rows, self.explain())


def label_law_test(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    features: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    seed: int | np.random.Generator | None = None,
) -> LabelLawTest:
    """Test of whether labels follow a stated law, on which `LabelGame` rests.

    Parameters
    ----------
    labels, probabilities, classes
        As in `LabelGame`.
    features : array_like, shape (n, d), optional
        What is known of the records, such as their inputs, and does not depend on the labels. A law
        that is wrong for some records and right on the whole is found by these alone.
    seed : int or numpy.random.Generator, optional
        A number that was drawn by chance. By default one from the operating system, the same for
        the same labels in a process.

    Returns
    -------
    LabelLawTest
        Refused where its p-value is at most 0.01.

    Raises
    ------
    LabelsError
        Labels, probabilities or features that do not fit together.

    Notes
    -----
    Level: exact, by the rank of the labels among 1,999 draws from the law (Barnard 1963).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> law = rng.dirichlet([1, 1, 1], size=500)
    >>> labels = [rng.choice(3, p=row) for row in law]
    >>> wb.label_law_test(labels, law, seed=1).passed
    True
    >>> too_sure = law**2 / (law**2).sum(axis=1, keepdims=True)
    >>> wb.label_law_test(labels, too_sure, seed=1).passed
    False
    """
    law = read_law(labels, probabilities, classes)
    given = chance.checked_seed(seed)
    return test_of(law, features, chance.seed_of(law.fingerprint("redrawn"), given))


def test_of(law: LabelLaw, features: ArrayLike | None, seed: int) -> LabelLawTest:
    """The test of a law that was read.

    Parameters
    ----------
    law : LabelLaw
    features : array_like, shape (n, d), optional
    seed : int
    """
    known = None if features is None else standardized(features, law.records)
    impossible = int((law.of_labels(law.labels) == 0).sum())
    parts = [statistics_of(law, law.labels[None], known)]
    rng = chance.generator(seed, "permutations", 1)
    step = max(_AT_ONCE // law.records, 1)
    for start in range(0, DRAWS, step):
        drawn = law.draw(min(step, DRAWS - start), rng)
        parts.append(statistics_of(law, drawn, known))
    pool = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    pool = {name: values for name, values in pool.items() if np.ptp(values) > 1e-9}
    each: dict[str, Floats] = {}
    together: Floats = np.ones(1)
    if pool:
        together, each = p_values_of_all(pool)
    return LabelLawTest(
        records=law.records,
        values=law.values,
        p_value=0.0 if impossible else float(together[0]),
        statistics=tuple(each),
        p_values=np.array([p[0] for p in each.values()]),
        impossible=impossible,
        draws=DRAWS,
        seed=seed,
    )


def standardized(features: ArrayLike, records: int) -> Floats:
    """Features with mean 0 and standard deviation 1, shape (n, d); LabelsError for other shapes."""
    x = _checks.array(features, "features")
    x = x[:, None] if x.ndim == 1 else x
    if x.ndim != 2 or len(x) != records or not 0 < x.shape[1] <= _MOST_FEATURES:
        raise LabelsError(
            f"features must have a row for each of the {records} records and 1 to "
            f"{_MOST_FEATURES} columns, got the shape {np.shape(features)}"
        )
    if not np.isfinite(x).all():
        raise LabelsError("features must be finite numbers; fill in what is missing")
    spread = x.std(axis=0)
    return np.asarray((x - x.mean(axis=0)) / np.where(spread > 0, spread, 1))
