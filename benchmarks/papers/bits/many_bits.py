"""BITS, many bits: how errors become a bound, exactly.

Theorems 4 and 7, Algorithms 3 to 5 and Figure 4. "Printed" is what a printed formula or algorithm
gives, computed here without the library.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import bdtr, ndtr, ndtri
from scipy.stats import binom

import workbench as wb
from benchmarks.papers.bits.one_bit import DELTA, MU, ONE_RUN
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.onerun.per_bit import exact_limit, hoeffding_limit
from workbench.pairs.families.gaussian import GaussianFamily

ERROR = 0.05
#: Errors among bits: what the best guess makes at μ = 1 and at μ = 2.
COUNTS = ((1000, 309), (10_000, 1587))


def dominance(run: Run) -> Found:
    """Theorem 4, and the level that follows from it."""
    n, rng, least = 20, run.rng(2), np.inf
    for _ in range(1000):
        floor = rng.uniform(0.02, 0.45)
        errors = np.array([1.0])
        for p in rng.uniform(floor, 0.5, n):
            errors = np.convolve(errors, [1 - p, p])
        least = min(least, float(np.min(bdtr(np.arange(n), n, floor) - np.cumsum(errors)[:-1])))
    counts = np.arange(1001)
    pair = wb.GaussianPair(MU)
    p = (1 - pair.total_variation) / 2
    limits = np.array([exact_limit(int(k), 1000, ERROR) for k in counts])
    missed = binom.pmf(counts, 1000, p)[limits < p].sum()
    lines = [
        Line(
            "least P[errors ≥ a] of 20 bits, minus that of binomial errors, 1000 sets of rates",
            "at least 0",
            "none below 0" if least > -1e-12 else least,
            "exact for each set",
        ),
        Line(
            f"bound above the truth, 1000 bits at the least error, μ = {MU:g}",
            "at most 5%",
            f"{missed:.1%}",
            "exact",
        ),
    ]
    return Found(Verdict.AS_DESCRIBED, lines)


def hoeffding(run: Run) -> Found:
    """Equation 24 and Theorem 7."""
    n = 1000
    counts = np.arange(n + 1)
    limits = np.array([hoeffding_limit(int(k), n, ERROR) for k in counts])
    worst = float(np.max(bdtr(counts[limits < 1], n, limits[limits < 1])))
    lines = [
        Line(
            f"v({n}, 95%)",
            f"{np.sqrt(np.log(1 / ERROR) / (2 * n)):.5f}",
            hoeffding_limit(300, n, ERROR) - 0.3,
            "exact",
        ),
        Line(
            f"largest probability that the limit misses, n = {n}",
            "at most 5%",
            f"{worst:.1%}",
            "exact, over all rates",
            verdict=Verdict.AS_DESCRIBED,
        ),
    ]
    return Found(Verdict.EQUAL, lines)


def printed_limits(n: int) -> np.ndarray:
    """Algorithm 3 as printed, for each number of errors up to half of n; p_r starts at ½."""
    errors = np.arange(n // 2)
    low, high = np.full(errors.size, 0.001), np.full(errors.size, 0.5)
    p = (low + high) / 2
    for _ in range(60):
        # |p − (e/n + v)|, and v = p − F⁻¹(1 − γ; n, p)/n.
        above = (binom.ppf(ERROR, n, p) - errors) / n
        going = np.abs(above) > 1e-4
        if not going.any():
            break
        high = np.where(going & (above > 0), p, high)
        low = np.where(going & (above <= 0), p, low)
        p = np.where(going, (low + high) / 2, p)
    return p


def worst_miss(n: int) -> float:
    """The largest probability that a bit error exceeds its printed limit, over all bit errors."""
    limits = printed_limits(n)
    # Just above a limit, it misses, and so do the limits of all counts that are below it.
    highest = np.array([np.flatnonzero(limits <= limit).max() for limit in limits[limits < 0.49]])
    return float(np.max(bdtr(highest, n, limits[limits < 0.49])))


def algorithm_3(run: Run) -> Found:
    """Algorithm 3: the bisection stops at any p with the right quantile, not at the largest."""
    why = (
        "any p whose quantile is e/n ends the bisection (from 0.001 and ½), and the limit is the"
        " largest of them; ours is that one, Clopper and Pearson's"
    )
    lines = [
        Line(
            f"upper limit of the bit error, {errors} errors in {n} bits",
            f"{printed_limits(n)[errors]:.4f}",
            exact_limit(errors, n, ERROR),
            "95% upper limit",
            why,
        )
        for n, errors in ((100, 31), *COUNTS)
    ]
    lines += [
        Line(
            f"largest probability that the printed limit misses, n = {n}",
            "at most 5%",
            f"{worst_miss(n):.1%}; ours at most 5%",
            "exact, over all bit errors",
            why,
        )
        for n in (100, 1000, 10_000)
    ]
    return Found(Verdict.MISPRINT, lines)


def algorithm_4(run: Run) -> Found:
    """From f to (ε, δ): the printed bisection, on points of the curve, and the closed form."""
    x = ndtr(np.linspace(-12, 4, 200_001))[1:]
    lines = []
    for mu in (0.5, 1.0, 2.0):
        f = ndtr(ndtri(1 - x) - mu)
        with np.errstate(invalid="ignore", divide="ignore"):
            epsilon = np.log(np.maximum(1 - DELTA - f, 1e-300) / x).max()
        lines.append(
            Line(
                f"ε at δ = 1e-5, Gaussian, μ = {mu:g}",
                f"{epsilon:.3f}",
                wb.GaussianPair(mu).epsilon(DELTA),
                "exact",
            )
        )
    return Found(Verdict.EQUAL, lines)


def algorithm_5(run: Run) -> Found:
    """The whole audit, by both limits."""
    lines = []
    for n, errors in COUNTS:
        for method, limit in (("bits", exact_limit), ("bits-hoeffding", hoeffding_limit)):
            # As printed: the member of the family with that p_f, then its ε.
            mu = -2 * ndtri(limit(errors, n, ERROR))
            bound = wb.one_run_bound(
                n, canaries=n, correct=n - errors, delta=DELTA, method=method, family="gaussian"
            )
            words = "Algorithm 3" if method == "bits" else "eq. 24"
            lines.append(
                Line(
                    f"ε, {errors} errors in {n} bits, {words}",
                    f"{wb.GaussianPair(mu).epsilon(DELTA):.3f}",
                    bound.value,
                    "95% lower bound, if Gaussian, independent canaries",
                )
            )
    return Found(Verdict.EQUAL, lines)


def hypothetical(run: Run) -> Found:
    """Figure 4: how the limit of Algorithm 3 arises, and its advantage over Hoeffding's."""
    cases = ((100, 31), (1000, 309))
    found = [
        wb.onerun.hypothetical_limits(GaussianFamily(), canaries=n, correct=n - errors, delta=DELTA)
        for n, errors in cases
    ]
    lines = [
        Line(
            f"ε by the exact limit, minus that by Hoeffding's, {errors} errors in {n} bits",
            "above 0, most for small n",
            f"{one.exact:.2f} − {one.hoeffding:.2f} = {one.exact - one.hoeffding:.2f}",
            "95% lower bounds, if Gaussian, independent canaries",
        )
        for (n, errors), one in zip(cases, found, strict=True)
    ]

    def draw(panels: Any) -> None:
        for axes, (n, errors), one in zip(panels, cases, found, strict=True):
            axes.plot(one.bit_error, one.assumed, color=P, label="ε if p is the bit error")
            axes.plot(one.bit_error, one.followed, color=Q, label="ε at e/n + v(p)")
            axes.axhline(one.hoeffding, color=THIRD, ls=":", label="Hoeffding")
            axes.axvline(one.limit, color=REFERENCE, lw=1)
            axes.set(xlabel="Hypothetical bit error p", ylabel="ε at δ = 1e-5")
            axes.set_title(f"{errors} errors in {n:,} bits")
        panels[0].legend(frameon=False, fontsize=8)

    caption = "Fig. 4: left of the vertical line the assumed ε contradicts what follows from it"
    return Found(Verdict.AS_DESCRIBED, lines, (Chart("fig-4", draw, caption, 2),))


ITEMS = (
    Item(
        "Thm. 4",
        "Errors dominate binomial ones",
        f"{ONE_RUN}, *Coverage*; `wb.one_run_bound`",
        dominance,
        True,
    ),
    Item("Eq. 24, Thm. 7", "Limit by Hoeffding", f"{ONE_RUN}; `wb.one_run_bound`", hoeffding, True),
    Item(
        "Alg. 3",
        "Exact limit of the bit error",
        f"{ONE_RUN}; `wb.one_run_bound`",
        algorithm_3,
        True,
    ),
    Item(
        "Alg. 4", "From f to (ε, δ)", "*Known pairs*; `wb.GaussianPair.epsilon`", algorithm_4, True
    ),
    Item(
        "Alg. 5", "The lower bound", f"{ONE_RUN}; `wb.one_run_bound`; notebook 9", algorithm_5, True
    ),
    Item(
        "Fig. 4",
        "How the exact limit arises",
        f"{ONE_RUN}; `wb.onerun.hypothetical_limits`",
        hypothetical,
        True,
    ),
)
