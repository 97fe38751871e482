"""Domains, pairs of datasets and sources that several cards share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.mechanisms.base import Domain

KONG = "Kong, Muñoz Medina, Ribero and Syed (2023), DP-Auditorium, §6"
LIBRARY = "MeanMechanism of DP-Auditorium (google/differential-privacy), {}"
SVT = "Lyu, Su, Li (2017), Algorithm {}"
DING = "Ding, Wang, Wang, Zhang, Kifer (2018), Algorithm {}"
GAP = "Ding, Wang, Zhang, Kifer (2019); Wang, Ding, Kifer, Zhang (2020), CheckDP, {}"
CHECKDP = "Wang, Ding, Kifer, Zhang (2020), CheckDP, {}"
SNIPER = "Bichsel, Steffen, Bogunovic, Vechev (2021), DP-Sniper, {}"

UNIT = Domain(0, 1)
BITS = Domain(0, 1, columns=5, integer=True)
QUERIES = Domain(0, 1, columns=10, integer=True)

ONE_TO_TWO = (np.array([1.0]), np.array([1.0, 1.0]))
ONE_AND_NOUGHT = (np.array([1.0]), np.array([1.0, 0.0]))
NOUGHT_OR_ONE = (np.array([0.0]), np.array([1.0]))


def user(
    same: int, first: list[int], second: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """``same`` users who answer 1 throughout, and one who changes from ``first`` to ``second``."""
    ones = np.ones((same, len(first)))
    return np.vstack([ones, [first]]), np.vstack([ones, [second]])


LAST_ABOVE = user(3, [0] * 9 + [1], [1] * 9 + [0])
HALF_ABOVE = user(3, [0] * 5 + [1] * 5, [1] * 5 + [0] * 5)
