"""Split of the fitting part, and the sizes that fitting expects of the measurement."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.testers.learning.outputs import OutputsError

#: Expected while fitting: fresh outputs for each one of the fitting part, and the confidence of the
#: measurement. Witnesses choose again once both are known.
EXPECTED, EXPECTED_CONFIDENCE = 4, 0.95

#: A prediction is a limit one standard error below the estimate: √(2 log(1/α)) = 1.
ONE_ERROR = -math.expm1(-0.5)


def halves(
    x: NDArray[Any], rng: np.random.Generator, side: str
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two random halves: one to learn on, and one to choose on.

    Parameters
    ----------
    x : array
    rng : numpy.random.Generator
    side : str
        What error messages call the sample.

    Raises
    ------
    OutputsError
        Fewer than 4 outputs.
    """
    if len(x) < 4:
        raise OutputsError(
            f"side {side} has {len(x)} outputs to fit a tester on, too few to learn and to choose; "
            "it needs at least 4"
        )
    order = rng.permutation(len(x))
    half = len(x) // 2
    return x[order[:half]], x[order[half:]]
