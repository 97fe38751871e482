"""A small page of the same shape as the real one, to test the dashboard against.

Run as a script it serves itself, with the origins, on the port and within the seconds given.
"""

from __future__ import annotations

import sys
import time
from functools import partial

import numpy as np
import param
from scipy.special import ndtr, ndtri

from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments
from workbench.figures.kit.axes import axis
from workbench.figures.kit.layout import chart
from workbench.figures.kit.marks import (
    Style,
    histogram,
    label,
    line,
    markers,
    rule,
)
from workbench.pages.core.jobs import job
from workbench.pages.core.page import (
    Control,
    Fact,
    Page,
    Section,
    derived,
    figure,
    number,
    sentence,
)
from workbench.pages.core.upload import Upload
from workbench.parallel import map_in_processes

N = 200_000


def power_of_one(shift, threshold, seed):
    """The power of a threshold in a small sample, slowly."""
    time.sleep(0.1)
    return float(np.mean(np.random.default_rng(seed).normal(shift, 1, 1000) > threshold))


class DemoPage(Page):
    """Two Gaussians, a threshold, and what follows."""

    title = "Scores to ε"
    about = "How well can an attacker tell members from non-members, and what does it say about ε?"
    controls = (
        Section(
            "Data",
            (
                Control("source"),
                Control("upload", when=lambda page: page.source == "Your files"),
                Control("shift", when=lambda page: page.source == "Gaussian"),
                Control("draw_again", when=lambda page: page.source == "Gaussian"),
            ),
        ),
        Section(
            "Audit",
            (
                Control("threshold"),
                Control("width"),
                Control("log_delta"),
                Control("confidence"),
            ),
        ),
        Section("Again", (Control("samples"), Control("repeat"))),
        Section(
            "Compare with", (Control("show_reference"), Control("reference"), Control("reset"))
        ),
    )

    source = param.Selector(
        default="Gaussian",
        objects=["Gaussian", "Laplace", "Your files"],
        label="Scores",
        doc="Where the scores come from.",
    )
    upload = Upload(label="Choose files", doc="One file a side, or one with both.")
    shift = param.Number(1.0, bounds=(0, 4), step=0.1, label="Distance", doc="Between the means.")
    draw_again = param.Event(label="Draw again")
    threshold = param.Number(
        0.5,
        bounds=(-4.0, 5.0),
        step=0.01,
        label="Threshold",
        doc="Scores above it are called members.",
    )
    width = param.Number(0.1, bounds=(0.05, 1.0), step=0.05, label="Bin width")
    log_delta = param.Integer(-5, bounds=(-9, -1), label="log₁₀ δ")
    confidence = param.Number(0.95, bounds=(0.8, 0.99), step=0.01, label="Confidence")
    show_reference = param.Boolean(True, label="Show the reference")
    reference = param.Number(1.0, bounds=(0.1, 4), step=0.1, label="Reference μ")
    reset = param.Event(label="Reset")
    samples = param.Integer(50, bounds=(50, 2000), step=50, label="Small samples")
    seed = param.Integer(0, precedence=-1)
    slow = param.Number(0.0, precedence=-1)
    scores = param.Parameter(precedence=-1)
    powers = param.Parameter(precedence=-1)

    def __init__(self, **params):
        super().__init__(**params)
        self._fill()

    @param.depends("source", "shift", "seed", watch=True)
    def _fill(self):
        if self.source == "Your files":
            return
        rng = np.random.default_rng(self.seed)
        draw = rng.normal if self.source == "Gaussian" else rng.laplace
        p, q = np.sort(draw(self.shift, 1, N)), np.sort(draw(0, 1, N))
        self.scores = (p, q)
        low, high = (-4.0, 5.0) if self.source == "Gaussian" else (-8.0, 9.0)
        step = 0.01 if self.source == "Gaussian" else 0.1
        with param.parameterized.batch_call_watchers(self):
            self.param.threshold.step = step
            self.param.threshold.bounds = (low, high)
            self.threshold = round(min(max(self.threshold, low), high), 2)

    @param.depends("draw_again", watch=True)
    def _draw_again(self):
        self.seed += 1

    @param.depends("reset", watch=True)
    def _reset(self):
        self.param.update(threshold=0.5, width=0.1, log_delta=-5, confidence=0.95, reference=1.0)

    @param.depends("upload", watch=True)
    def _read(self):
        name, data = self.upload[0].name, self.upload[0].content()
        if name.startswith("slow"):
            time.sleep(3)
        if name.endswith(".csv"):
            values = np.array([float(x) for x in data.decode().split()])
        elif name.endswith(".npy"):
            values = np.frombuffer(data[128:], dtype=np.float64)
        else:
            self.message = f"{name}: no scores were found in this file; is it a csv or npy file?"
            return
        self.message = ""
        half = len(values) // 2
        self.scores = np.sort(values[:half]), np.sort(values[half:])

    @derived(needs=("scores", "threshold"))
    def rates(self):
        p, q = self.scores
        above = [1 - np.searchsorted(side, self.threshold) / len(side) for side in (q, p)]
        return float(above[0]), float(above[1])

    @derived(needs=("scores",))
    def curve(self):
        p, q = self.scores
        t = np.linspace(q[0], p[-1], 400)
        return t, 1 - np.searchsorted(q, t) / len(q), np.searchsorted(p, t) / len(p)

    def _bound(self, quantity, value, guarantee, **more):
        p, q = self.scores
        return Bound(
            quantity,
            value,
            guarantee,
            "demo",
            "independent runs",
            len(p),
            len(q),
            confidence=None if guarantee == "estimate" else self.confidence,
            **more,
        )

    @figure(
        "Score distributions",
        needs=("scores", "threshold", "width"),
        span=7,
        formula="p̂(x) = count in the bin ÷ (n · width)",
        caution="The histogram is a picture; no bound rests on its bins.",
        drag={"threshold": "threshold"},
    )
    def histogram(self):
        "Histogram of the scores of members and non-members. Drag the line to move the threshold."
        p, q = self.scores
        low, high = self.param.threshold.bounds
        edges = np.arange(low, high + self.width, self.width)
        drawn = []
        for side, role, name in ((p, "p", "members"), (q, "q", "non-members")):
            counts = np.diff(np.searchsorted(side, edges)) / (len(side) * self.width)
            drawn.append(histogram(Style(name, role, width=1.5), edges, counts))
        words = f"threshold {self.threshold:.2f}"
        return chart(
            [
                *drawn,
                rule(Style("", "ink"), x=self.threshold, drag="threshold"),
                label(self.threshold, 0.52, words, "ink", ha="left", dx=4, drag="threshold"),
                label(self.shift + 1, 0.35, "members", "p", ha="left"),
                label(-1, 0.35, "non-members", "q", ha="right"),
            ],
            axis("score", low, high),
            axis("density", 0, 0.55),
            summary=f"Two histograms, cut at {self.threshold:.2f}.",
            revision=self.source,
        )

    @figure(
        "Trade-off curve",
        needs=("curve", "rates", "reference", "show_reference"),
        span=5,
        formula="T(α) = inf { 1 − P(φ) : Q(φ) ≤ α }",
        click="choose",
    )
    def tradeoff(self):
        "Error rates of every threshold test. Click the curve to choose its threshold."
        _, fpr, fnr = self.curve()
        at, power = self.rates()
        alpha = np.linspace(0, 1, 201)
        drawn = [
            line(Style("observed", "p"), fpr, fnr),
            markers(Style("threshold", "ink"), [at], [1 - power], outline=None),
        ]
        if self.show_reference:
            style = Style("reference", "muted", "dot", 1.5)
            drawn.append(line(style, alpha, ndtr(ndtri(1 - alpha) - self.reference)))
        return chart(
            [*drawn, label(0.55, 0.2, "observed", "p", ha="left")],
            axis("false positive rate", 0, 1),
            axis("false negative rate", 0, 1),
            summary="A falling curve.",
        )

    def choose(self, x, y):
        t, fpr, _ = self.curve()
        self.threshold = round(float(np.interp(-x, -fpr, t)), 2)

    @figure(
        "Privacy profile",
        needs=("scores", "width", "log_delta"),
        span=6,
        caution="An estimate: it may lie on either side of the truth.",
    )
    def profile(self):
        "δ(ε) from the histogram."
        p, q = self.scores
        edges = np.arange(-8, 9, self.width)
        a, b = (np.diff(np.searchsorted(side, edges)) / len(side) for side in (p, q))
        epsilon = np.linspace(0, 5, 201)
        delta = np.array([np.maximum(a - np.exp(e) * b, 0).sum() for e in epsilon])
        level = 10.0**self.log_delta
        estimate = Style("histogram estimate", "p")
        return chart(
            [
                line(estimate, epsilon, np.where(delta > 0, delta, np.nan)),
                rule(Style("", "muted", "dash", 1.5), y=level, start=0, end=5),
            ],
            axis("ε", 0, 5),
            axis("δ", -9, 0, log=True, step=2),
            summary="A falling curve on a logarithmic axis.",
            height=300 if self.log_delta >= -5 else 360,
        )

    @figure("μ at every threshold", needs=("curve", "threshold", "reference"), span=6)
    def mu(self):
        "The Gaussian-DP parameter that each threshold alone implies."
        t, fpr, fnr = self.curve()
        with np.errstate(invalid="ignore", divide="ignore"):
            mu = ndtri(1 - fpr) - ndtri(fnr)
        return chart(
            [
                line(Style("observed", "p"), t, mu),
                rule(Style("", "ink"), x=self.threshold),
                rule(Style("", "muted", "dot"), y=self.reference),
            ],
            axis("threshold", *self.param.threshold.bounds),
            axis("μ", -0.5, 3),
            summary="A nearly flat curve.",
        )

    @number("Total variation", needs=("scores", "width"), formula="½ Σ |p − q|")
    def total_variation(self):
        "Half the area between the histograms."
        p, q = self.scores
        edges = np.arange(-8, 9, self.width)
        a, b = (np.diff(np.searchsorted(side, edges)) / len(side) for side in (p, q))
        return self._bound("total variation", float(abs(a - b).sum() / 2), "estimate")

    @number("ε at the threshold", needs=("rates", "confidence", "log_delta"))
    def epsilon_here(self):
        "The loss that this threshold alone shows."
        at, power = self.rates()
        value = np.log(max(power - 10.0**self.log_delta, 1e-9) / max(at, 1e-9))
        return self._bound(
            "epsilon", max(float(value), 0), "pointwise", at=QuantityArguments(10.0**self.log_delta)
        ).voided("the threshold was moved")

    @number("ε, best threshold", needs=("curve", "confidence", "log_delta"))
    def epsilon_best(self):
        "The largest loss over all thresholds."
        return self._bound(
            "epsilon", 2.9412, "simultaneous", at=QuantityArguments(10.0**self.log_delta)
        )

    @number("μ at the threshold", needs=("rates", "confidence"))
    def mu_here(self):
        "The Gaussian-DP parameter that this threshold implies."
        at, power = self.rates()
        value = ndtri(power) - ndtri(at)
        return self._bound(
            "mu", float(value), "pointwise", family="Gaussian", checked="not refuted"
        )

    @number("Scores", needs=("scores",))
    def sizes(self):
        "How many scores were read."
        p, q = self.scores
        return Fact(f"{len(p) + len(q):,}", f"{len(p):,} members, {len(q):,} non-members")

    @job(
        "Repeat with small samples", needs=("shift", "threshold", "seed", "samples"), into="powers"
    )
    def repeat(self, report):
        "The power of the threshold in samples of 1,000 members."
        powers = ()
        seeds = np.random.SeedSequence(self.seed).spawn(self.samples)
        one = partial(power_of_one, self.shift, self.threshold)
        for _, power in map_in_processes(one, seeds, report):
            powers = (*powers, power)
            done = len(powers)
            report(done / self.samples, f"{done} of {self.samples} samples", powers)
        return powers

    @number("Power, repeated", needs=("powers",))
    def spread(self):
        "Mean power over the repetitions, and how much it varies."
        if self.powers is None:
            return Fact("–", "not repeated yet")
        spread = f"± {np.std(self.powers):.3f} in {len(self.powers)} samples"
        return Fact(f"{np.mean(self.powers):.3f}", spread)

    @sentence(needs=("threshold", "rates"))
    def words(self):
        at, power = self.rates()
        return (
            f"At threshold {self.threshold:.2f} an attacker finds {power:.1%} of the members "
            f"and accuses {at:.1%} of the others."
        )


if __name__ == "__main__":
    from demo_page import DemoPage  # as the processes of jobs know it

    from workbench.server.app import Tab, serve
    from workbench.server.options import ServerOptions

    origins = [one for one in sys.argv[1:] if one.startswith("http")]
    port, *within = sys.argv[1 + len(origins) :]
    more = {"stop_within": float(within[0])} if within else {}
    if origins:
        more["origins"] = [*origins, f"http://localhost:{port}"]
    serve([Tab(DemoPage)], ServerOptions(port=int(port), **more), open_at=None)
