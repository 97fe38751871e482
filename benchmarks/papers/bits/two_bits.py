"""BITS, two bits that interfere, exactly: Corollary 1, Theorem 5, Figure 5, equation 26."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

import workbench as wb
from benchmarks.papers.bits.one_bit import DELTA, MU, ONE_RUN, entropy
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run


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


ITEMS = (
    Item(
        "Prop. 1, Cor. 1",
        "A bit is hard to recover",
        f"{ONE_RUN}; `wb.GaussianPair.tradeoff`",
        noisy_transmission,
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
