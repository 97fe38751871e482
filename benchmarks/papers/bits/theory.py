"""Theorems and algorithms of BITS, computed exactly."""

from __future__ import annotations

import workbench as wb
from benchmarks.papers.item import Found, Item, Line, Verdict
from benchmarks.papers.run import Run


def bit_error(run: Run) -> Found:
    """Theorem 3: h⁻¹(1 − u_f(½)) beside (1 − TV_f)/2, which is never less."""
    fano = "The print goes through Fano's inequality; (1 − TV_f)/2 is the least bit error itself"
    lines = [
        Line(
            f"least bit error, {pair.name}",
            f"{wb.onerun.printed_bit_error(pair):.{digits}f}",
            (1 - pair.total_variation) / 2,
            "exact",
            fano if differs else "",
            None if differs else Verdict.EQUAL,
        )
        for pair, digits, differs in (
            (wb.GaussianPair(1.0), 4, False),
            (wb.LaplacePair(1.0), 4, False),
            (wb.RandomizedResponsePair(0.1, 0.01), 4, True),
            (wb.SubsampledGaussianPair(0.25, 0.3), 3, True),
        )
    ]
    return Found(Verdict.TIGHTER, lines)


ITEMS = (
    Item(
        "Thm. 3",
        "The least bit error under f-DP",
        "*One run*; `wb.onerun.printed_bit_error`; notebook 9",
        bit_error,
        quick=True,
    ),
)
