"""Theorems and algorithms of BITS, computed exactly.

The text prints no numbers for them: "printed" is what the printed formula gives, computed here
without the library, or what the theorem says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import bdtr, entr, ndtr, ndtri
from scipy.stats import binom

import workbench as wb
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.curves.error_rates import epsilon_of_point
from workbench.onerun.per_bit import exact_limit, hoeffding_limit
from workbench.pairs.families.gaussian import GaussianFamily

DELTA, ERROR = 1e-5, 0.05
MU = 1.0
#: Errors among bits: what the best guess makes at μ = 1 and at μ = 2.
COUNTS = ((1000, 309), (10_000, 1587))


def entropy(p: float | np.ndarray) -> np.ndarray:
    """Binary entropy in bits."""
    p = np.asarray(p, dtype=float)
    return (entr(p) + entr(1 - p)) / np.log(2)


def framework(run: Run) -> Found:
    """Figure 1 and Algorithms 1 and 2 are diagrams of what `OneRun` and `Scores` hold."""
    line = Line("generator, channel, decoder", "a diagram", "coins, training, guesses", "no number")
    return Found(Verdict.AS_DESCRIBED, [line])


def notation(run: Run) -> Found:
    line = Line("names of random variables", "no number", "coins, guesses, errors", "no number")
    return Found(Verdict.AS_DESCRIBED, [line])


def testing_region(run: Run) -> Found:
    """Theorem 1 and eq. 4: ε of the points of a curve, at most that of the pair, and attained."""
    alpha = np.r_[np.linspace(0.001, 0.999, 999), ndtr(np.linspace(-4.5, 4.5, 1001))]
    lines = []
    for pair in (wb.RandomizedResponsePair(1.0, DELTA), wb.GaussianPair(MU), wb.LaplacePair(MU)):
        shown = epsilon_of_point(alpha, pair.tradeoff(alpha), DELTA)
        lines.append(
            Line(
                f"largest ε by eq. 4 over the curve, {pair.name}",
                f"{pair.epsilon(DELTA):.3f}",
                float(np.max(shown)),
                "exact, over 2000 points",
            )
        )
    return Found(Verdict.EQUAL, lines)


# -- one bit --------------------------------------------------------------------------------------


def two_bits(mixed: float) -> dict[str, float]:
    """Two bits through Gaussian noise of μ, the second added to the first's score with a weight.

    Returns rates of errors of the first bit, and its informations of Theorem 5, in bits.
    """
    own, other = np.meshgrid([-0.5, 0.5], [-0.5, 0.5], indexing="ij")
    one = ndtr(MU * (own + mixed * other))  # guessed 1, by own and other bit
    joint = np.stack([1 - one, one], axis=-1) / 4

    def information(table: np.ndarray) -> float:
        rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
        return float((table * np.log2(table / (rows * columns))).sum())

    alone = information(joint.sum(axis=1))
    given = np.mean([information(2 * joint[:, b]) for b in (0, 1)])
    errors = (one[0].mean() + 1 - one[1].mean()) / 2
    gaps = [
        float(beta - wb.GaussianPair(MU).tradeoff(float(alpha)))
        for alpha, beta in ((one[0, 0], 1 - one[1, 0]), (one[0, 1], 1 - one[1, 1]))
    ]
    mean = float(1 - one[1].mean() - wb.GaussianPair(MU).tradeoff(float(one[0].mean())))
    return {
        "errors": float(errors),
        "alone": alone,
        "given": float(given),
        "least gap": min(gaps),
        "gap": mean,
    }


def noisy_transmission(run: Run) -> Found:
    """Property 1 and Corollary 1: β − f(α) of the first of two bits, given the second or not."""
    lines = [
        Line(
            f"β − f(α) {which}; it is mixed in with weight {mixed:g}",
            "at least 0",
            f"{abs(round(two_bits(mixed)[key], 12)):.4f}",
            f"exact, Gaussian, μ = {MU:g}",
        )
        for mixed in (0.0, 0.5, 1.0)
        for which, key in (
            ("given the other bit, least", "least gap"),
            ("on average over it", "gap"),
        )
    ]
    return Found(Verdict.AS_DESCRIBED, lines)


def mixtures(run: Run) -> Found:
    """Lemma 1: hockey-sticks of mixtures of pairs with one curve never exceed that curve's."""
    edges = np.r_[-np.inf, np.linspace(-4, 5, 40), np.inf]
    p, q = np.diff(ndtr(edges - MU)), np.diff(ndtr(edges))
    factors = np.exp(np.linspace(-4, 4, 41))[:, None]
    rng, most = run.rng(1), -np.inf
    alone = np.maximum(p - factors * q, 0).sum(axis=1)
    for _ in range(1000):
        parts = rng.integers(2, 6)
        weights = rng.dirichlet(np.ones(parts))
        orders = [rng.permutation(p.size) for _ in range(parts)]
        mixed_p = sum(w * p[order] for w, order in zip(weights, orders, strict=True))
        mixed_q = sum(w * q[order] for w, order in zip(weights, orders, strict=True))
        mixed = np.maximum(mixed_p - factors * mixed_q, 0).sum(axis=1)
        most = max(most, float(np.max(mixed - alone)))
    line = Line(
        "largest excess of δ(ε) of 1000 mixtures over that of their parts",
        "at most 0",
        "none" if most < 1e-12 else most,
        "exact for each mixture",
    )
    return Found(Verdict.AS_DESCRIBED, [line])


def symmetric_channel(run: Run) -> Found:
    """Figure 2: at α = β the channel is the binary symmetric one, with capacity 1 − h(p)."""
    pair = wb.GaussianPair(MU)
    p = (1 - pair.total_variation) / 2
    line = Line(
        f"information at α = β, Gaussian, μ = {MU:g}, bits",
        f"{1 - float(entropy(p)):.6f}",
        float(wb.onerun.mutual_information(pair, 0.5)),
        "exact",
    )
    return Found(Verdict.EQUAL, [line])


PAIRS = (
    wb.GaussianPair(0.5),
    wb.GaussianPair(1.0),
    wb.GaussianPair(2.0),
    wb.RandomizedResponsePair(1.0, DELTA),
    wb.RandomizedResponsePair(4.0, DELTA),
)


def by_grid(pair: wb.pairs.Pair, prior: float) -> float:
    """u_f(p) by eq. 18 as printed, over a million points."""
    corner = (1 - pair.total_variation) / 2
    x = np.r_[ndtr(np.linspace(-8, 8, 500_001)), np.linspace(0, 1, 500_001), corner]
    f = np.asarray(pair.tradeoff(x))
    return float(
        np.max(
            entropy(prior * f + (1 - prior) * (1 - x))
            - prior * entropy(f)
            - (1 - prior) * entropy(x)
        )
    )


def information(run: Run) -> Found:
    """Theorem 2 and Figure 3: u_f(p) of several trade-off functions."""
    lines = [
        Line(
            f"u_f({prior:g}), {pair.name}, bits",
            f"{by_grid(pair, prior):.5f}",
            float(wb.onerun.mutual_information(pair, prior)),
            "exact to 1e-9",
        )
        for pair in PAIRS
        for prior in (0.5, 0.1)
    ]
    prior = np.linspace(0, 1, 101)
    curves = [np.asarray(wb.onerun.mutual_information(pair, prior)) for pair in PAIRS]

    def draw(panels: Any) -> None:
        (axes,) = panels
        for pair, curve in zip(PAIRS, curves, strict=True):
            axes.plot(prior, curve, label=pair.name)
        axes.set(xlabel="Probability p of being in", ylabel="u_f(p), bits", xlim=(0, 1))
        axes.legend(frameon=False, fontsize=8)

    chart = Chart("fig-3", draw, "Fig. 3: most information of a guess about a coin; exact", 1, 6.4)
    return Found(Verdict.EQUAL, lines, (chart,))


def bit_error(run: Run) -> Found:
    """Theorem 3: h⁻¹(1 − u_f(½)) beside (1 − TV_f)/2, which is never less."""
    fano = "the print goes through Fano's inequality; (1 − TV_f)/2 is the least bit error itself"
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


# -- many bits ------------------------------------------------------------------------------------


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


# -- interference ---------------------------------------------------------------------------------


def achievability(run: Run) -> Found:
    """Theorem 5 and Figure 5: two bits, the second mixed into the score of the first."""
    most = float(wb.onerun.mutual_information(wb.GaussianPair(MU), 0.5))
    lines = []
    for mixed in (0.0, 0.5, 1.0):
        found = two_bits(mixed)
        chain = (1 - float(entropy(found["errors"])), found["alone"], found["given"], most)
        lines.append(
            Line(
                f"1 − h(p), MI, MI given the other bit, u_f(½); mixed in with weight {mixed:g}",
                "a chain of ≤",
                " ≤ ".join(f"{value:.4f}" for value in chain),
                f"exact, Gaussian, μ = {MU:g}",
            )
        )
    lines.append(
        Line(
            "MI and MI given the other bit, for a decoder that guesses the other bit",
            "equal only without interference",
            "0 = 0, with interference",
            "exact",
            "the difference is MI(B₁; B₂ | B̂₁), which is 0 also where B̂₁ depends on B₂ alone",
            Verdict.MISPRINT,
        )
    )
    weights = np.linspace(0, 2, 41)
    curves = [two_bits(float(weight)) for weight in weights]

    def draw(panels: Any) -> None:
        (axes,) = panels
        axes.axhline(most, color=REFERENCE, ls="--", label="u_f(½)")
        for key, color, label in (
            ("given", THIRD, "MI given the other bit"),
            ("alone", P, "MI"),
        ):
            axes.plot(weights, [one[key] for one in curves], color=color, label=label)
        error = [1 - float(entropy(one["errors"])) for one in curves]
        axes.plot(weights, error, color=Q, ls=":", label="1 − h(bit error)")
        axes.set(xlabel="Weight of the other bit", ylabel="Bits", ylim=(0, None))
        axes.legend(frameon=False, fontsize=8)

    caption = f"Theorem 5 for two bits through Gaussian noise, μ = {MU:g}; exact"
    return Found(Verdict.AS_DESCRIBED, lines, (Chart("thm-5", draw, caption, 1, 6.4),))


def variance(run: Run) -> Found:
    """Equation 26."""
    p = (1 - wb.GaussianPair(MU).total_variation) / 2
    found = wb.onerun.study(
        wb.onerun.Memoryless(wb.GaussianPair(MU)),
        {"bits": wb.onerun.Auditor("bits", "gaussian")},
        delta=DELTA,
        canaries=(1000,),
        seeds=2000,
        seed=run.rng(3),
    )
    lines = [
        Line(
            f"variance of the mean error of 1000 memoryless bits, μ = {MU:g}, over V_min",
            "1",
            f"{found.variance_ratio[0] * found.bit_error.mean() / p:.2f}",
            "estimate, 2000 runs, standard error 0.03",
        ),
        Line(
            "least variance of the mean error of two bits with interference, over V_min",
            "at least 1",
            "0",
            "exact",
            "guesses B₁ ⊕ J and B₂ ⊕ J ⊕ 1 with one fair coin J: each tells nothing of its bit, and"
            " always exactly one is wrong; the variance argument needs that errors do not cancel",
            Verdict.MISPRINT,
        ),
    ]
    return Found(Verdict.AS_DESCRIBED, lines)


def neyman_pearson(run: Run) -> Found:
    """Theorem 6: no test of an interval beats the trade-off function of a pair."""
    lines = []
    for pair, scale in ((wb.LaplacePair(MU), 1.0), (wb.GaussianPair(MU), 1.0)):
        ends = np.r_[-np.inf, np.linspace(-6, 8, 141), np.inf]
        low, high = np.meshgrid(ends, ends, indexing="ij")
        inside = low < high
        cdf = ndtr if isinstance(pair, wb.GaussianPair) else _laplace_cdf
        alpha = cdf(high[inside] / scale) - cdf(low[inside] / scale)
        beta = 1 - cdf(high[inside] - MU) + cdf(low[inside] - MU)
        gap = float(np.min(beta - np.asarray(pair.tradeoff(np.clip(alpha, 0, 1)))))
        lines.append(
            Line(
                f"least β − f(α) over 10,000 intervals, {pair.name}",
                "0",
                max(gap, 0.0) if gap > -1e-12 else gap,
                "exact",
            )
        )
    return Found(Verdict.EQUAL, lines)


def _laplace_cdf(x: np.ndarray) -> np.ndarray:
    return np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)


ONE_RUN = "*One run*"
ITEMS = (
    Item(
        "Thm. 1",
        "Testing region of (ε, δ)-DP",
        "*Counts*; `wb.epsilon_from_counts`",
        testing_region,
        True,
    ),
    Item(
        "Fig. 1, Alg. 1, 2",
        "Audit as transmission of bits",
        f"{ONE_RUN}; `wb.onerun.OneRun`",
        framework,
        True,
    ),
    Item("Table 1", "Notation", f"{ONE_RUN}; `wb.onerun.OneRun`, `wb.Guesses`", notation, True),
    Item(
        "Prop. 1, Cor. 1",
        "A bit is hard to recover",
        f"{ONE_RUN}; `wb.GaussianPair.tradeoff`",
        noisy_transmission,
        True,
    ),
    Item(
        "Lemma 1",
        "A mixture tells no more",
        "*Known pairs*; `wb.GaussianPair.profile`",
        mixtures,
        True,
    ),
    Item(
        "Fig. 2",
        "One bit as a binary channel",
        f"{ONE_RUN}; `wb.onerun.mutual_information`",
        symmetric_channel,
        True,
    ),
    Item(
        "Thm. 2, Fig. 3",
        "Most information about a bit",
        f"{ONE_RUN}; `wb.onerun.mutual_information`, `wb.onerun.bit_error_curves`; notebook 9",
        information,
        True,
    ),
    Item(
        "Thm. 3",
        "The least bit error under f-DP",
        f"{ONE_RUN}; `wb.onerun.printed_bit_error`; notebook 9",
        bit_error,
        True,
    ),
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
    Item(
        "Thm. 5, Fig. 5",
        "Two bits with interference",
        f"{ONE_RUN}; `wb.onerun.interference_study`; notebook 9",
        achievability,
        True,
    ),
    Item("Eq. 26", "Variance of the mean error", f"{ONE_RUN}; `wb.onerun.Study`", variance, True),
)
APPENDIX = (
    Item(
        "Thm. 6",
        "Lemma of Neyman and Pearson",
        "*Known pairs*; `wb.LaplacePair.tradeoff`",
        neyman_pearson,
        True,
    ),
)
