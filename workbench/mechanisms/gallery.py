"""The gallery of mechanisms: private ones, and broken ones with a wrong claim.

Each entry refers to a function of this package. Its ``pair`` is a pair of neighboring datasets on
which a broken mechanism leaks more than it claims, and a private one close to what it claims.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import _checks
from workbench.claims.gdp import GDP
from workbench.claims.pure import PureDP
from workbench.claims.renyi import RenyiDP
from workbench.mechanisms import counts, gradient_descent, means, selection, svt
from workbench.mechanisms.base import Domain, Mechanism
from workbench.software.plugins import Registry

if TYPE_CHECKING:
    import pandas as pd

#: Order of the Rényi claims, as in Kong et al. (2023).
ORDER = 1.5

_KONG = "Kong, Muñoz Medina, Ribero and Syed (2023), DP-Auditorium, §6"
_SVT = "Lyu, Su, Li (2017), Algorithm {}"
_UNIT = Domain(0, 1)
_BITS = Domain(0, 1, columns=5, integer=True)
_QUERIES = Domain(0, 1, columns=10, integer=True)
_MEAN_CLAIM = RenyiDP(ORDER, 0.05)
_MEAN_SIGMA = math.sqrt(ORDER / _MEAN_CLAIM.epsilon_0)
_STEPS = 10
_GD_CLAIM = RenyiDP(ORDER, 1.0)
_GD_SIGMA = math.sqrt(_STEPS * ORDER / (2 * _GD_CLAIM.epsilon_0))
_ONE_TO_TWO = (np.array([1.0]), np.array([1.0, 1.0]))
_ONE_AND_NOUGHT = (np.array([1.0]), np.array([1.0, 0.0]))


def _user(same: int, first: list[int], second: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """``same`` users who answer 1 throughout, and one who changes from ``first`` to ``second``."""
    ones = np.ones((same, len(first)))
    return np.vstack([ones, [first]]), np.vstack([ones, [second]])


_LAST_ABOVE = _user(3, [0] * 9 + [1], [1] * 9 + [0])
_HALF_ABOVE = _user(3, [0] * 5 + [1] * 5, [1] * 5 + [0] * 5)
_SCHOOL = np.array([[0.0, 1, 1, 1, 1]] * 2)

_CARDS = (
    Mechanism(
        "laplace-mean",
        "Laplace mean (DPLaplace)",
        means.laplace_mean,
        PureDP(1),
        True,
        "add-remove",
        _UNIT,
        "Sum and count with Laplace noise, ε/2 each; their ratio.",
        _ONE_TO_TWO,
        _KONG,
    ),
    Mechanism(
        "laplace-mean-true-scale",
        "Laplace mean, noise scaled by the true count (NonDPLaplace1)",
        means.laplace_mean_true_scale,
        PureDP(1),
        False,
        "add-remove",
        _UNIT,
        "The noise scale reveals the number of records.",
        _ONE_TO_TWO,
        _KONG,
    ),
    Mechanism(
        "laplace-mean-true-count",
        "Laplace mean, true count in the mean (NonDPLaplace2)",
        means.laplace_mean_true_count,
        PureDP(1),
        False,
        "add-remove",
        _UNIT,
        "The noise is scaled by a noisy count, the mean by the true one: occasionally there "
        "is far too little noise. Outputs can exceed 1e12.",
        _ONE_AND_NOUGHT,
        _KONG,
    ),
    Mechanism(
        "gaussian-mean",
        "Gaussian mean (DPGaussian)",
        partial(means.gaussian_mean, sigma=_MEAN_SIGMA),
        _MEAN_CLAIM,
        True,
        "add-remove",
        _UNIT,
        "Sum and count with Gaussian noise, half of the Rényi ε each; their ratio.",
        _ONE_TO_TWO,
        _KONG,
    ),
    Mechanism(
        "gaussian-mean-true-scale",
        "Gaussian mean, noise scaled by the true count (NonDPGaussian1)",
        partial(means.gaussian_mean_true_scale, sigma=_MEAN_SIGMA),
        _MEAN_CLAIM,
        False,
        "add-remove",
        _UNIT,
        "The noise scale reveals the number of records.",
        _ONE_TO_TWO,
        _KONG,
    ),
    Mechanism(
        "gaussian-mean-true-count",
        "Gaussian mean, true count in the mean (NonDPGaussian2)",
        partial(means.gaussian_mean_true_count, sigma=_MEAN_SIGMA),
        _MEAN_CLAIM,
        False,
        "add-remove",
        _UNIT,
        "The noise is scaled by a noisy count, the mean by the true one: often there is too "
        "little noise.",
        _ONE_AND_NOUGHT,
        _KONG,
    ),
    Mechanism(
        "gaussian-sum",
        "Gaussian sum",
        means.gaussian_sum,
        GDP(1),
        True,
        "add-remove",
        _UNIT,
        "A sum of values clipped to [0, 1], with Gaussian noise.",
        _ONE_TO_TWO,
        "Dong, Roth, Su (2022), §2",
    ),
    Mechanism(
        "gaussian-sum-unclipped",
        "Gaussian sum, without clipping",
        means.gaussian_sum_unclipped,
        GDP(1),
        False,
        "add-remove",
        Domain(-5, 5),
        "The noise is calibrated for values in [0, 1], but values up to 5 are summed.",
        (np.array([1.0]), np.array([1.0, 5.0])),
    ),
    Mechanism(
        "noisy-max",
        "Report noisy max",
        selection.noisy_max,
        PureDP(1),
        True,
        "add-remove",
        _BITS,
        "The column with the largest noisy count.",
        (_SCHOOL, np.vstack([_SCHOOL, [1, 0, 0, 0, 0]])),
        "Dwork, Roth (2014), §3.3",
    ),
    Mechanism(
        "noisy-max-value",
        "Report noisy max, with its value",
        selection.noisy_max_value,
        PureDP(1),
        False,
        "add-remove",
        _BITS,
        "Releases the largest noisy count instead of its column, with the noise of one count.",
        (np.zeros((1, 5)), np.vstack([np.zeros(5), np.ones(5)])),
        "Ding, Wang, Wang, Zhang, Kifer (2018), §4.1",
    ),
    Mechanism(
        "median",
        "Median by the exponential mechanism",
        selection.median,
        PureDP(1),
        True,
        "add-remove",
        _UNIT,
        "A point near the middle, by the numbers of records below and above it.",
        (np.array([0.2]), np.array([0.2, 1.0])),
        "Smith (2011); Gillenwater, Joseph, Kulesza (2021)",
    ),
    Mechanism(
        "median-doubled",
        "Median by the exponential mechanism, sensitivity taken as half",
        partial(selection.median, sensitivity=0.25),
        PureDP(1),
        False,
        "add-remove",
        _UNIT,
        "The exponent is twice what the sensitivity allows, so it is 2ε-DP.",
        (np.array([0.2]), np.array([0.2, 1.0])),
    ),
    Mechanism(
        "svt1",
        "Sparse vector 1 (Lyu, Su, Li)",
        svt.svt1,
        PureDP(1),
        True,
        "substitute",
        _QUERIES,
        "Which of ten counts are above a threshold, until one is.",
        _LAST_ABOVE,
        _SVT.format(1),
    ),
    Mechanism(
        "svt2",
        "Sparse vector 2 (Dwork, Roth)",
        svt.svt2,
        PureDP(1),
        True,
        "substitute",
        _QUERIES,
        "Which of ten counts are above a threshold, until two are; a new threshold after each.",
        _user(3, [0] * 8 + [1, 1], [1] * 8 + [0, 0]),
        _SVT.format(2),
    ),
    Mechanism(
        "svt3",
        "Sparse vector 3 (releases the noisy count)",
        svt.svt3,
        PureDP(1),
        False,
        "substitute",
        _QUERIES,
        "Releases the noisy count that passed, which narrows down the noisy threshold.",
        _HALF_ABOVE,
        _SVT.format(3),
    ),
    Mechanism(
        "svt4",
        "Sparse vector 4 (noise for one answer and one direction)",
        svt.svt4,
        PureDP(1),
        False,
        "substitute",
        _QUERIES,
        "The query noise does not grow with the number of answers: 1.75ε for one answer.",
        _HALF_ABOVE,
        _SVT.format(4),
    ),
    Mechanism(
        "svt5",
        "Sparse vector 5 (no query noise)",
        svt.svt5,
        PureDP(1),
        False,
        "substitute",
        _QUERIES,
        "Noise on the threshold only: the order of two counts is revealed.",
        _user(2, [0] * 9 + [1], [1] * 9 + [0]),
        _SVT.format(5),
    ),
    Mechanism(
        "svt6",
        "Sparse vector 6 (never stops)",
        svt.svt6,
        PureDP(1),
        False,
        "substitute",
        _QUERIES,
        "Any number of answers above, with the noise of one.",
        _HALF_ABOVE,
        _SVT.format(6),
    ),
    Mechanism(
        "dp-gd",
        "DP-GD in one dimension",
        partial(gradient_descent.dp_gd, sigma=_GD_SIGMA, steps=_STEPS),
        _GD_CLAIM,
        True,
        "add-remove",
        Domain(-10, 10),
        "Ten steps of gradient descent on clipped gradients with Gaussian noise.",
        (np.array([10.0]), np.array([10.0, 10.0])),
        _KONG,
    ),
    Mechanism(
        "dp-gd-half-noise",
        "DP-GD with half of the noise",
        partial(gradient_descent.dp_gd, sigma=_GD_SIGMA, steps=_STEPS, noise_factor=0.5),
        _GD_CLAIM,
        False,
        "add-remove",
        Domain(-10, 10),
        "Microbatches clipped as if they were records: half of the noise that is accounted for.",
        (np.array([10.0]), np.array([10.0, 10.0])),
        _KONG,
    ),
    Mechanism(
        "randomized-response",
        "Randomized response",
        counts.randomized_response,
        PureDP(1),
        True,
        "substitute",
        Domain(0, 1, max_records=5, integer=True),
        "Every bit, flipped with some probability.",
        (np.array([0.0]), np.array([1.0])),
        "Warner (1965)",
    ),
    Mechanism(
        "randomized-response-coin",
        "Randomized response with an extra coin flip",
        counts.randomized_response_coin,
        PureDP(1),
        False,
        "substitute",
        Domain(0, 1, max_records=5, integer=True),
        "Where it should lie it flips a coin, and so tells the truth half of the time.",
        (np.array([0.0]), np.array([1.0])),
    ),
    Mechanism(
        "histogram",
        "Histogram",
        counts.noisy_histogram,
        PureDP(1),
        True,
        "add-remove",
        _UNIT,
        "Counts of four bins with Laplace noise.",
        (np.array([0.1]), np.array([0.1, 0.9])),
        "Dwork, McSherry, Nissim, Smith (2006)",
    ),
    Mechanism(
        "histogram-empty-bins",
        "Histogram, empty bins left alone",
        counts.noisy_histogram_empty_bins,
        PureDP(1),
        False,
        "add-remove",
        _UNIT,
        "Noise on occupied bins only: an exact 0 reveals that a bin is empty.",
        (np.array([0.1]), np.array([0.1, 0.9])),
    ),
)


def _taken(name: str, found: Any) -> Mechanism:
    """The mechanism of a plug-in, after a try (ValueError or TypeError that says what is wrong)."""
    card = _checks.instance(found, Mechanism, "it", "a wb.Mechanism")
    if card.name != name:
        raise ValueError(f"its name is {_checks.shown(card.name)}, which must be {name!r}")
    outputs = np.asarray(card(card.pair[0], 2, np.random.default_rng(0)))
    if outputs.shape[:1] != (2,):
        raise ValueError(f"2 runs must give an array with 2 rows, got the shape {outputs.shape}")
    return card


#: Name -> mechanism: ours, then those of plug-ins.
GALLERY: Registry[Mechanism] = Registry(
    "workbench.mechanisms", {card.name: card for card in _CARDS}, _taken
)


def mechanism(name: str) -> Mechanism:
    """A mechanism of the gallery.

    Parameters
    ----------
    name : str
        As in `mechanism_gallery`.

    Returns
    -------
    Mechanism

    Raises
    ------
    ValueError
        An unknown name; the message lists the names.
    """
    if name not in GALLERY:
        raise ValueError(f"no mechanism {name!r}; there are {', '.join(GALLERY)}")
    return GALLERY[name]


def mechanism_gallery() -> pd.DataFrame:
    """Table of the mechanisms of the gallery.

    Returns
    -------
    pandas.DataFrame
        One row for each mechanism: name, title, claim, private, neighboring_relation, about.
    """
    import pandas as pd

    columns = ("name", "title", "claim", "private", "neighboring_relation", "about")
    rows = [[getattr(card, column) for column in columns] for card in GALLERY.values()]
    table = pd.DataFrame(rows, columns=list(columns))
    return table.assign(claim=table["claim"].map(str))
