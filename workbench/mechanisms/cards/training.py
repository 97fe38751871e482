"""Cards of gradient descent."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from workbench.claims.renyi import RenyiDP
from workbench.mechanisms import gradient_descent
from workbench.mechanisms.base import Domain, Mechanism
from workbench.mechanisms.cards.shared import KONG

TITLE = "Gradient descent"

_STEPS = 10
_GD_CLAIM = RenyiDP(1.5, 1.0)
_GD_SIGMA = math.sqrt(_STEPS * _GD_CLAIM.order / (2 * _GD_CLAIM.epsilon_0))

CARDS = (
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
        KONG,
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
        KONG,
    ),
)
