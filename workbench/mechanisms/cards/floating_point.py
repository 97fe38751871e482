"""Cards of noise in floating point."""

from __future__ import annotations

from workbench.claims.pure import PureDP
from workbench.mechanisms import floating_point
from workbench.mechanisms.base import Mechanism
from workbench.mechanisms.cards.shared import NOUGHT_OR_ONE, UNIT

TITLE = "Floating point"

CARDS = (
    Mechanism(
        "laplace-inversion",
        "Laplace sum by inversion, in double precision",
        floating_point.laplace_inversion,
        PureDP(1),
        False,
        "substitute",
        UNIT,
        "The low bits of an output tell which sum was added to the noise.",
        NOUGHT_OR_ONE,
        "Mironov (2012); DP-Sniper, floating-point experiment",
    ),
    Mechanism(
        "laplace-grid",
        "Laplace sum, rounded to a grid",
        floating_point.laplace_grid,
        PureDP(1),
        True,
        "substitute",
        UNIT,
        "The output of laplace-inversion, rounded to a multiple of 2⁻¹⁰.",
        NOUGHT_OR_ONE,
        "Mironov (2012), §5",
    ),
    Mechanism(
        "laplace-snapping",
        "Laplace sum by the snapping mechanism",
        floating_point.laplace_snapping,
        PureDP(1),
        True,
        "substitute",
        UNIT,
        "Noise with all its digits, rounded to a power of two and clamped.",
        NOUGHT_OR_ONE,
        "Mironov (2012), Theorem 1; LaplaceFixed of DP-Sniper",
    ),
)
