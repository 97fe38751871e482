"""Hoeffding's limits of both rates: valid at every size, and wider than Clopper–Pearson's."""

import numpy as np

import workbench as wb


def lower(successes, trials, error):
    """The one-sided limit below (Hoeffding 1963, Theorem 1)."""
    return np.maximum(successes / trials - np.sqrt(np.log(1 / error) / (2 * trials)), 0)


def upper(successes, trials, error):
    """The one-sided limit above."""
    return np.minimum(successes / trials + np.sqrt(np.log(1 / error) / (2 * trials)), 1)


HOEFFDING = wb.CountInterval.of_rates("Hoeffding", "pointwise", lower, upper)
