"""`log_ratio`: what one noisy release says on whether a sampled canary was in the training."""

from __future__ import annotations

import math

import numpy as np

from workbench.curves.validation import Floats


def log_ratio(x: Floats, sample_rate: float, shift: float) -> Floats:
    """Log likelihood ratio of (1 − q)·N(0, 1) + q·N(shift, 1) and N(0, 1).

    The sum over steps is the best score there is if the noise is Gaussian and nothing else points
    along the canary; any other score makes bounds valid, too.

    Parameters
    ----------
    x : ndarray
        The release along the canaries, in standard deviations of the noise.
    sample_rate : float
        q, in (0, 1].
    shift : float
        The clipped norm of a canary over the standard deviation of the noise.
    """
    present = math.log(sample_rate) + shift * x - shift**2 / 2
    if sample_rate == 1:
        return present
    return np.logaddexp(math.log1p(-sample_rate), present)
