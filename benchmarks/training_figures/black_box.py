"""Koskela and Mohammadi (2024), Figures 8 to 10: black-box audits of single records.

The paper trains 64-200-10 networks with and without a record of MNIST, 10,000 times each, and draws
two trade-off curves: the Gaussian one of a threshold, and that of a histogram with 10 bins. They
agree for a record whose losses look Gaussian, and part for one whose losses are skewed. Here:
scikit-learn's digits, the plans `black-box-*`, 5000 models each, and a blank image as a third
record.

The records were chosen by the losses of other models than those that are shown, and so are the
threshold and the bins: a choice by the scores themselves would be a selection. The seed is not that
of the bundled runs either, which were looked at while this was written.

Skewness alone does not bend a trade-off curve, which no monotone transformation of the scores
changes. What bends it is the random number of batches that a record is in, where each moves the
loss by as much as the noise does. That needs a record whose gradient has no other records' to
compete with: the blank image, in models that know all others already.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.stats import kurtosis, skew

import workbench as wb
from benchmarks.training_figures.drawing import REFERENCE, THIRD, P, Q, chart
from benchmarks.training_figures.row import Row

DELTA, CONFIDENCE, BINS = 1e-5, 0.99, 10
PILOT_SEED, PILOT, SEED = 77, 1000, 218
ALPHA = np.linspace(0, 1, 201)
#: Plan, figures, and what the paper says of a record of this kind.
RECORDS = (
    ("black-box-gaussian", "HIST Fig. 8", "0.2, 0.1", "curves agree"),
    ("black-box-skewed", "HIST Figs. 9, 10", "0.7, 0.8", "curves part"),
    ("black-box-blank", "(blank image)", "–", "–"),
)


@dataclass(frozen=True)
class Curves:
    """The two methods, with their choices made on a pilot.

    Attributes
    ----------
    threshold : float
    low, high : float
        Range of the bins.
    """

    threshold: float
    low: float
    high: float

    @classmethod
    def chosen_on(cls, pilot: wb.Scores) -> Curves:
        """The threshold with the largest limit of μ on the pilot, and its range."""
        candidates = pilot.quantile(np.linspace(0.02, 0.98, 97))
        limits = [wb.mu_lower_bound(pilot, CONFIDENCE, "pointwise", t).value for t in candidates]
        pooled = np.concatenate([pilot.p, pilot.q])
        low, high = np.quantile(pooled, [0.01, 0.99])
        return cls(float(candidates[np.argmax(limits)]), float(low), float(high))

    def threshold_mu(self, scores: wb.Scores) -> float:
        """Estimated μ at the threshold."""
        return wb.gdp_fit(scores, "threshold", threshold=self.threshold).value

    def histogram(self, scores: wb.Scores) -> wb.Histogram:
        """Ten bins."""
        return wb.histogram(scores, bins=BINS, range=(self.low, self.high))

    def gap(self, scores: wb.Scores) -> float:
        """Largest distance between the histogram's curve and the Gaussian one."""
        gaussian = wb.GaussianPair(self.threshold_mu(scores)).tradeoff(ALPHA)
        return float(np.abs(self.histogram(scores).tradeoff(ALPHA) - gaussian).max())

    def gap_by_chance(self, scores: wb.Scores, seed: int) -> float:
        """What 99% of the gaps stay below if both samples were of Gaussians of equal variance."""
        rng = np.random.default_rng(seed)
        p, q = scores.p, scores.q
        spread = np.sqrt((p.var() + q.var()) / 2)
        gaps = [
            self.gap(
                wb.Scores(
                    p.mean() + spread * rng.standard_normal(p.size),
                    q.mean() + spread * rng.standard_normal(q.size),
                    larger_is_member=scores.larger_is_member,
                )
            )
            for _ in range(300)
        ]
        return float(np.quantile(gaps, 0.99))


def trained(name: str, models: int, seed: int) -> wb.Scores:
    """Scores of so many models of a plan, with another seed."""
    audit = replace(wb.training.read_plan(name).audit, models=models)
    return wb.training.run_training_audit(audit, seed).result


def rows(scale: float, out: Path) -> list[Row]:
    """10,000 models of each record at full scale, half of them with it."""
    found: list[Row] = []
    for name, source, shape, word in RECORDS:
        curves = Curves.chosen_on(trained(name, PILOT, PILOT_SEED))
        scores = trained(name, max(round(10_000 * scale / 2) * 2, 400), SEED)
        found += record_rows(name, source, shape, word, scores, curves)
        draw(out, name, scores, curves)
    return found


def record_rows(
    name: str, source: str, shape: str, word: str, scores: wb.Scores, curves: Curves
) -> list[Row]:
    """Lines of one record."""
    claim = wb.training.read_plan(name).audit.reference
    what = f"{name}, n = {scores.n_p} each, {{}}"
    gap, chance = curves.gap(scores), curves.gap_by_chance(scores, seed=0)
    family = wb.family_check(scores, "gaussian", CONFIDENCE)
    mu = wb.mu_lower_bound(scores, CONFIDENCE, "pointwise", curves.threshold)
    histogram = curves.histogram(scores)
    band = wb.tradeoff_band(scores, CONFIDENCE)
    gaussian = wb.GaussianPair(mu.value).epsilon(DELTA)
    upper = claim.epsilon(DELTA)
    shapes = ", ".join(f"{skew(x):.2f} and {kurtosis(x):.2f}" for x in (scores.p, scores.q))
    values = (gaussian, histogram.epsilon(DELTA), band.epsilon(DELTA).value)
    return [
        Row(source, what.format("skewness and kurtosis of P, Q"), shape, shapes, "estimate"),
        Row(
            source,
            what.format("largest gap of GDP and histogram curves"),
            word,
            f"{gap:.3f} ({'part' if gap > chance else 'agree'}: Gaussians have ≤ {chance:.3f})",
            "estimate; simulated 99% quantile",
        ),
        Row(
            source,
            what.format("Gaussian scores"),
            "",
            "refuted" if family.refuted else "not refuted",
            "simultaneous 99%",
        ),
        Row(
            source,
            what.format("ε of the threshold's μ"),
            f"< {upper:.1f}, accountant",
            f"{gaussian:.2f} (μ ≥ {mu.value:.3f})",
            "pointwise 99%, if Gaussian",
        ),
        Row(
            source,
            what.format("ε of the histogram"),
            f"< {upper:.1f}, accountant",
            f"{values[1]:.2f}",
            "estimate",
        ),
        Row(
            source,
            what.format("ε of our band"),
            f"< {upper:.1f}, accountant",
            f"{values[2]:.2f} ({'all' if max(values) < upper else 'NOT ALL'} below)",
            "simultaneous 99%",
        ),
    ]


def draw(out: Path, name: str, scores: wb.Scores, curves: Curves) -> None:
    """Histogram of the losses, and the trade-off curves."""
    claim = wb.training.read_plan(name).audit.reference
    with chart(out, name, columns=2) as (losses, tradeoff):
        edges = np.histogram_bin_edges(np.concatenate([scores.p, scores.q]), 60)
        for x, color, label in ((scores.p, P, "with the record"), (scores.q, Q, "without it")):
            losses.hist(x, edges, density=True, histtype="step", color=color, label=label, lw=1.6)
        losses.set(xlabel="Loss of the record", ylabel="Density")
        losses.set_title(wb.training.GalleryRun(name).title)
        losses.legend(frameon=False)
        mu = curves.threshold_mu(scores)
        for y, color, style, label in (
            (wb.GaussianPair(mu).tradeoff(ALPHA), Q, "-", f"Gaussian, μ = {mu:.2f}"),
            (curves.histogram(scores).tradeoff(ALPHA), P, "-", "histogram, 10 bins"),
            (wb.tradeoff_band(scores, CONFIDENCE).tradeoff(ALPHA), THIRD, "-", "band, 99%"),
            (claim.tradeoff(ALPHA), REFERENCE, "--", "accountant"),
        ):
            tradeoff.plot(ALPHA, y, color=color, ls=style, label=label, lw=1.6)
        tradeoff.set(xlabel="False positive rate", ylabel="False negative rate")
        tradeoff.legend(frameon=False)
