"""HIST Figures 8 to 10: black-box audits of single records, 10,000 models on each side.

The paper trains 64-200-10 networks with and without a record of MNIST and draws two trade-off
curves: the Gaussian one of a threshold, and that of a histogram with 10 bins. They agree for a
record whose losses look Gaussian, and part for one whose losses are skewed. Here: scikit-learn's
digits, and the plans `black-box-*`. The default takes the finished runs of these plans that come
with the package, 5000 models on each side, and trains the others.

The records were chosen by the losses of other models than those that are shown, and so are the
threshold and the bins: a choice by the scores themselves would be a selection.

**Skewness does not bend a trade-off curve.** An increasing map of the scores leaves the curve as
it is, and gives them any skewness; so the curves agree here for the skewed record, too. They part
where no map makes P and Q two Gaussians of equal variance: for records whose gradient has no other
records' to compete with, in models that know all others already. There each batch with the record
moves the loss by as much as the noise does, and the number of such batches is random: P is a
mixture, wider than Q. So it is for a mislabeled digit, whose losses have hardly any skewness, and
for a blank image.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import kurtosis, rankdata, skew

import workbench as wb
from benchmarks.papers.drawing import REFERENCE, THIRD, P, Q
from benchmarks.papers.item import Chart, Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.training.audits.rows import Rows

DELTA, CONFIDENCE, BINS = 1e-5, 0.99, 10
ALPHA = np.linspace(0, 1, 201)
#: Models of a part that is kept, of the pilot, and of the whole: full scale and default.
PART, PILOT, MODELS = 500, (1000, 400), (20_000, 2000)
PILOT_SEED = 77


@dataclass(frozen=True)
class Record:
    """A record that is audited.

    Attributes
    ----------
    name, plan : str
        The plan has the settings of its training.
    seed : int
        Of the models that are shown; none of them was looked at before.
    changes : AuditedRecord, optional
        In place of the plan's record.
    """

    name: str
    plan: str
    seed: int
    record: wb.training.AuditedRecord | None = None

    @property
    def audit(self) -> wb.training.BlackBox:
        """What is trained and scored."""
        audit: Any = wb.training.read_plan(self.plan).audit
        return audit if self.record is None else replace(audit, record=self.record)


GAUSSIAN = Record("row 5", "black-box-gaussian", 218)
SKEWED = Record("row 100", "black-box-skewed", 218)
MISLABELED = Record(
    "row 5 mislabeled", "black-box-blank", 219, wb.training.AuditedRecord("mislabeled", 5)
)
BLANK = Record("a blank image", "black-box-blank", 218)


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


def losses(audit: wb.training.BlackBox, seed: int, models: range) -> dict[str, list[float]]:
    """Losses of the record, of models with it and without it."""
    rows = Rows.joined([audit.score_model(i, audit.generator(seed, i)) for i in models])
    return {"p": rows.score[rows.included], "q": rows.score[~rows.included]}  # type: ignore[dict-item]


def trained(run: Run, record: Record, seed: int, models: int) -> wb.Scores:
    """Scores of so many models, half of them with the record."""
    parts = []
    for start in range(0, models, PART):
        some = range(start, min(start + PART, models))
        key = f"{record.name}, seed {seed}, models {some.start} to {some.stop}"
        parts.append(run.kept(key, partial(losses, record.audit, seed, some)))
    p, q = ([x for part in parts for x in part[side]] for side in ("p", "q"))
    return wb.Scores(p, q, larger_is_member=False, sampling="independent runs")


def shown(run: Run, record: Record) -> tuple[wb.Scores, Curves]:
    """Scores of the record, and the methods as they were chosen on a pilot."""
    scale = 0 if run.full else 1
    pilot = trained(run, record, PILOT_SEED + run.seed, PILOT[scale])
    if not run.full and record.record is None:
        scores = wb.example(record.plan)
    else:
        scores = trained(run, record, record.seed + 1000 * run.seed, MODELS[scale])
    return scores, Curves.chosen_on(pilot)


def normal_scores(scores: wb.Scores) -> wb.Scores:
    """The scores after an increasing map that makes the pooled sample normal."""
    pooled = np.concatenate([scores.p, scores.q])
    mapped = ndtri(rankdata(pooled) / (pooled.size + 1))
    parts = mapped[: scores.n_p], mapped[scores.n_p :]
    return wb.Scores(*parts, larger_is_member=scores.larger_is_member, sampling=scores.sampling)


def change_by_map(scores: wb.Scores) -> float:
    """Largest change of the trade-off curve of all thresholds by `normal_scores`."""
    before, after = (wb.roc(s).curve.tradeoff(ALPHA) for s in (scores, normal_scores(scores)))
    return float(np.abs(before - after).max())


def shape(scores: wb.Scores) -> str:
    """Skewness and kurtosis of both samples."""
    return ", ".join(f"{skew(x):.2f} and {kurtosis(x):.2f}" for x in (scores.p, scores.q))


def gap_line(
    record: Record, scores: wb.Scores, curves: Curves, printed: str, why: str = ""
) -> Line:
    """Whether the two curves part."""
    gap, chance = curves.gap(scores), curves.gap_by_chance(scores, seed=0)
    part = gap > chance
    return Line(
        f"{record.name}: largest gap of the Gaussian and the histogram's curve",
        printed,
        f"{gap:.3f}: they {'part' if part else 'agree'}; Gaussians have ≤ {chance:.3f}",
        "estimate; simulated 99% quantile",
        why,
        Verdict.NOT_REPRODUCED if why else None,
    )


def bounds(record: Record, scores: wb.Scores, curves: Curves) -> list[Line]:
    """ε by each method, and what the accountant says."""
    upper = record.audit.settings.pair.epsilon(DELTA)
    mu = wb.mu_lower_bound(scores, CONFIDENCE, "pointwise", curves.threshold)
    histogram, band = curves.histogram(scores), wb.tradeoff_band(scores, CONFIDENCE)
    family = wb.family_check(scores, "gaussian", CONFIDENCE)
    what = f"{record.name}: ε at δ = 1e-5 {{}}, accountant {upper:.1f}"
    return [
        Line(
            what.format("of the threshold's μ"),
            "a curve",
            f"{wb.GaussianPair(mu.value).epsilon(DELTA):.2f}",
            f"pointwise 99%, if Gaussian, which is {'' if family.refuted else 'not '}refuted",
        ),
        Line(what.format("of 10 bins"), "a curve", f"{histogram.epsilon(DELTA):.2f}", "estimate"),
        Line(
            what.format("of the band"),
            "none",
            f"≥ {np.floor(100 * band.epsilon(DELTA).value) / 100:.2f}",
            "simultaneous 99%",
        ),
    ]


def gaussian(run: Run) -> Found:
    """Figure 8."""
    scores, curves = shown(run, GAUSSIAN)
    lines = [
        Line(
            f"{GAUSSIAN.name}: skewness and kurtosis of P, Q, {scores.n_p} models each",
            "0.2 and 0.1",
            shape(scores),
            "estimate",
        ),
        gap_line(GAUSSIAN, scores, curves, "curves agree"),
        *bounds(GAUSSIAN, scores, curves),
    ]
    return Found(verdict(run), lines, (tradeoffs("fig-8", GAUSSIAN, scores, curves),))


def skewed(run: Run) -> Found:
    """Figure 9."""
    scores, _ = shown(run, SKEWED)
    mapped = normal_scores(scores)
    lines = [
        Line(
            f"{SKEWED.name}: skewness and kurtosis of P, Q, {scores.n_p} models each",
            "0.7 and 0.8",
            shape(scores),
            "estimate",
        ),
        Line(
            "the same after an increasing map of the losses",
            "not shown",
            shape(mapped),
            "estimate",
        ),
        Line(
            "largest change of the trade-off curve by that map",
            "not shown",
            f"{change_by_map(scores):.0e}",
            "exact",
            "a trade-off curve does not depend on the unit of the score, and skewness does",
        ),
    ]
    return Found(verdict(run), lines, (histograms("fig-9", scores, mapped),))


def parting(run: Run) -> Found:
    """Figure 10."""
    scores, curves = shown(run, SKEWED)
    why = (
        "skewness does not bend a trade-off curve: an increasing map makes the losses normal and "
        "leaves the curve as it is"
    )
    lines = [
        gap_line(SKEWED, scores, curves, "curves part", why),
        *bounds(SKEWED, scores, curves),
    ]
    charts = [tradeoffs("fig-10", SKEWED, scores, curves)]
    for record in (MISLABELED, BLANK):
        scores, curves = shown(run, record)
        lines += [
            Line(
                f"{record.name}: skewness and kurtosis of P, Q, {scores.n_p} models each",
                "not shown",
                shape(scores),
                "estimate",
            ),
            gap_line(record, scores, curves, "curves part"),
            *bounds(record, scores, curves),
        ]
        name = f"fig-10-{record.name.split()[-1]}"
        charts.append(tradeoffs(name, record, scores, curves))
    return Found(verdict(run), lines, tuple(charts))


def verdict(run: Run) -> Verdict:
    """Of an item at this scale."""
    return Verdict.AS_DESCRIBED if run.full else Verdict.REDUCED


def histograms(name: str, scores: wb.Scores, mapped: wb.Scores) -> Chart:
    """Histograms of the losses, as they are and after the map."""

    def draw(panels: Any) -> None:
        titles = ("Losses", "After an increasing map")
        for axes, drawn, title in zip(panels, (scores, mapped), titles, strict=True):
            edges = np.histogram_bin_edges(np.concatenate([drawn.p, drawn.q]), 60)
            for x, color, label in ((drawn.p, P, "with the record"), (drawn.q, Q, "without it")):
                axes.hist(x, edges, density=True, histtype="step", color=color, label=label)
            axes.set(title=title, xlabel="score", ylabel="density")
        panels[1].legend(frameon=False)

    caption = "Both panels have the same trade-off curve; only the left one is skewed."
    return Chart(name, draw, caption, columns=2)


def tradeoffs(name: str, record: Record, scores: wb.Scores, curves: Curves) -> Chart:
    """Trade-off curves of one record."""
    mu = curves.threshold_mu(scores)
    drawn = [
        (wb.GaussianPair(mu).tradeoff(ALPHA), Q, "-", f"threshold, Gaussian μ ≈ {mu:.2f}"),
        (curves.histogram(scores).tradeoff(ALPHA), P, "-", "histogram, 10 bins"),
        (wb.tradeoff_band(scores, CONFIDENCE).tradeoff(ALPHA), THIRD, "-", "band, 99%"),
        (record.audit.settings.pair.tradeoff(ALPHA), REFERENCE, "--", "accountant"),
    ]

    def draw(panels: Any) -> None:
        (axes,) = panels
        for beta, color, style, label in drawn:
            axes.plot(ALPHA, beta, color=color, ls=style, label=label)
        axes.set(xlabel="False positive rate", ylabel="False negative rate")
        axes.set_title(f"{record.name[0].upper()}{record.name[1:]}")
        axes.legend(frameon=False)

    caption = (
        f"Trade-off curves of {record.name}, {scores.n_p} models on each side: two estimates, the "
        "simultaneous band, and what the accountant promises."
    )
    return Chart(name, draw, caption, width=5.2)


ITEMS = (
    Item(
        "Fig. 8",
        "A record whose losses look Gaussian",
        "*Train models*; `wb.training.BlackBox`; notebook 15",
        gaussian,
    ),
    Item(
        "Fig. 9",
        "Losses that are skewed",
        "*Families*; `wb.training.BlackBox`; notebook 5",
        skewed,
    ),
    Item(
        "Fig. 10",
        "Curves that part",
        "*Train models*, *Families*; `wb.training.AuditedRecord`; notebook 5",
        parting,
    ),
)
