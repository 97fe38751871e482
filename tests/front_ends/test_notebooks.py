"""Every notebook runs, states the right figures, and is stored clean.

A notebook ends with a dict ``stated`` of computed values. A cell appended here prints it as JSON;
the expectations come from closed forms and from the literature, not from a run.
"""

from __future__ import annotations

import html
import json
import math
import re
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from helpers.answers_to_questions import ANSWERS
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter, SlidesExporter

import workbench as wb
from workbench import selection
from workbench.audits.series.spending import confidence_at

FOLDER = Path(__file__).parents[2] / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("[0-9]*.ipynb"))

#: Seconds for one cell on a slow, shared machine.
PATIENCE = 300

#: Checks answers to the questions, each by the cell of the notebook that does so.
ASK = """
import json
found = []
for question, answer, cell in {asked!r}:
    globals()[f"answer_{{question}}"] = eval(answer)
    found.append(eval(cell))
print(json.dumps([[one.status, one.words] for one in found]))
"""

REPORT = "import json; print(json.dumps({name: float(value) for name, value in stated.items()}))"

#: Notebook -> stated name -> (value, tolerance). A tolerance of half a unit is that of rounding;
#: wider ones are the simulation error of a mean or a share.
EXPECTED: dict[str, dict[str, tuple[float, float]]] = {
    "01-what-an-audit-sees": {
        "TV of the pair, exact": (0.38292492, 5e-5),  # 2Φ(1/2) − 1
        "ε at δ = 1e-5, exact": (4.37717810, 5e-4),
        "δ at ε = 1, exact": (0.12693674, 5e-5),  # Φ(−1/2) − e Φ(−3/2)
        "ε refuted by the best threshold, exact rates": (4.37717810, 5e-4),
    },
    "02-total-variation-by-histogram": {
        "slope of the error at P = Q, simulated": (-1 / 3, 0.03),
        "slope of the error at μ = 1, simulated": (-1 / 2, 0.06),
        "mean TV̂ with 20 bins at P = Q, simulated": (0.0777682, 0.003),  # √(19/1000π)
        "TV for σ = 1, exact": (0.38292492, 5e-5),
        "lower limit at P = Q": (0, 0),
    },
    "03-which-bounds-survive-tuning": {
        "pointwise, fixed: share of false claims, simulated": (0, 0.05),
        "pointwise, tuned: share of false claims, simulated": (0.11, 0.03),
        "log-ratio, tuned: share of false claims, simulated": (0.92, 0.05),
        "simultaneous: share of false claims, simulated": (0, 0.05),
        "simultaneous bound on the lucky sample": (0, 0),
    },
    "04-the-subsampled-gaussian": {
        "TV, exact": (0.22610482, 5e-5),  # q (2Φ(1/2σ) − 1)
        "μ with a floor of 3.17e-5, exact": (2.471, 5e-4),
        "local μ at α = 1.35e-3, exact": (2.00, 5e-3),
        "local μ at α = 7.6e-24, exact": (3.13, 5e-3),
        "limit 1/σ": (3.33, 5e-3),
        "posterior mass, smallest, σ = 0.35": (0, 1e-3),  # refuted
        "posterior mass, smallest, σ = 0.29": (0.5, 0.45),  # nowhere refuted
        "histogram's curve to the exact one, α ≥ 0.001, simulated": (0, 0.01),
    },
    "05-laplace-and-wrong-families": {
        "ε of Laplace μ = 1, exact": (1 - 2e-5, 1e-4),  # μ + 2 log(1 − δ)
        "ε of a Gaussian with the TV of Laplace, exact": (4.53005, 5e-4),
        "ε of the subsampled Gaussian, exact": (16.66065, 5e-4),
        "ε of a Gaussian with its TV, exact": (2.32876, 5e-4),
        "TV of unequal variances, exact": (0.19358009, 5e-5),
        "unequal variances by thresholds": (0.0485, 0.0485),  # at most the best threshold's 0.097
        "unequal variances, folded": (0.165, 0.028),  # more than thresholds see, below the truth
    },
    "06-from-tv-to-epsilon": {
        "ε at μ = 1, exact": (4.37717810, 5e-4),
        "√n · se of μ = 3 by TV, exact": (2.73, 5e-3),
        "√n · se of μ = 3 at ε = μ²/2, exact": (8.38, 5e-3),
        "√n · sd of μ = 3 by TV, simulated": (2.73, 0.13),
        "√n · sd of μ = 3 at ε = μ²/2, simulated": (8.38, 0.4),
        "half width of HIST's TV interval, done right": (0.0092, 5e-5),
        "σ from HIST's estimate, low end": (0.267, 1e-3),
        "σ from HIST's estimate, high end": (0.334, 1e-3),
        "σ by the sharper limits, low end": (0.29, 0.01),
        "σ by the sharper limits, high end": (0.324, 0.01),
    },
    "07-your-own-scores": {
        "missing losses, kept": (16, 12),  # 2% of 800
    },
    "08-what-the-mechanism-promises": {
        "ε of DP-SGD, lower limit": (1.828, 0.01),
        "ε of DP-SGD, upper limit": (1.828, 0.01),
        "μ of the central limit": (0.41452163, 5e-5),  # 0.01 √(1000 (e − 1))
        "ε of the central limit": (1.61771, 5e-5),
        "ε of four Gaussian releases, exact": (9.99725615, 5e-4),  # that of μ = 2
        "σ for (1, 1e-5), Gaussian": (3.73063163, 5e-5),  # BALLE18
        "ε at the multiplier for (2, 1e-5)": (2, 5e-5),
        "claims refuted, of four": (2, 0),  # the false ones
        "p-value of gdp(1.1), which is true": (0.525, 0.475),  # above 0.05
        "too few scores to judge (4, 1e-5)": (1, 0),
        "tight μ, floor 3.17e-5": (2.471, 5e-4),
        "tight μ, floor 1e-12": (2.9953810, 5e-4),
        "tight μ of Laplace": (1.03006400, 5e-4),  # 2Φ⁻¹(1 − e^−½/2)
        "ε of ten steps, accurate": (3.95899561, 5e-4),  # dp_accounting, connect-the-dots
        "ε of ten steps, heuristic": (4.16, 0.2),  # above the accurate one
        "infinite mass of 200 bins": (0.0025, 0.0024),
        "μ by histogram, d = 1000, simulated": (0.70710678, 0.03),  # 1/√(1 + n/d)
        "μ by mean and variance, d = 1000, simulated": (0.70710678, 0.03),
        "μ by histogram, d = 10^6, simulated": (0.99950037, 0.04),
        "μ by mean and variance, d = 10^6, simulated": (0.99950037, 0.03),
    },
    "16-watching-your-own-training": {
        "ε of the accountant, many runs": (1.693, 0.01),  # dp_accounting, connect-the-dots
        "ε of the accountant, canaries": (1.853, 0.01),
        "μ of the accountant": (0.491, 0.005),
        "accuracy with canaries": (0.9, 0.05),
        "step at which it was refuted": (100, 100),
    },
    "10-choosing-a-bound": {
        "Bayesian interval, low end": (1.2849, 1e-4),
        "Bayesian interval, high end": (1.5690, 1e-4),
        "worst miss of Clopper–Pearson, n = 100": (0.025, 0.025),
        "worst miss of Jeffreys below one half, n = 100": (0.147, 1e-3),
        "unequal variances by thresholds": (0.303, 0.303),  # at most the best threshold's 0.606
        "unequal variances, learned": (1.106, 0.195),  # 70% of the truth, 1.301, and more
        "Gaussian claim on Laplace scores, truth 1": (2.9, 0.3),
        "false claims of the simultaneous bound": (0.05, 0.05),
        "false claims of tuned Katz-log limits": (0.35, 0.15),
    },
    "09-one-run": {
        "μ from 309 errors in 1000 bits": (0.8582, 5e-5),
        "ε from 309 errors in 1000 bits, exact": (3.670, 5e-4),
        "ε from 309 errors in 1000 bits, Hoeffding": (3.305, 5e-4),
        "ε from 1587 errors in 10 000 bits": (9.688, 5e-4),
        "STEINKE23, 90 of 100 right": (1.6261, 5e-5),
        "MAHLOUJIFAR24, 90 of 100 right": (2.456, 5e-4),
        "2 of 20 right": (0, 0),
        "direct bit error, response": (0.4703, 5e-5),
        "printed bit error, response": (0.4583, 5e-5),
        "direct bit error, subsampled": (0.387, 5e-4),
        "printed bit error, subsampled": (0.322, 5e-4),
        "false claims with interference, simulated": (0, 0.05),
        "false claims of bits, all revealed, simulated": (0.1, 0.03),  # whenever they are revealed
        "false claims of STEINKE23, all revealed, simulated": (0, 0.05),
        "randomized-response: BITS minus STEINKE23, mean": (0, 0.01),
    },
    "11-tuning-is-not-free": {
        "worked example, pure ε": (2.96, 5e-3),
        "worked example, ε at δ = 1e-5": (2.925, 5e-4),
        "L = 10, Rényi": (1.12, 5e-3),
        "L = 10, direct": (1.043, 5e-4),
        "L = 10, worst order found": (1.754, 5e-4),
        "L = 100, Rényi": (6.276, 5e-4),
        "L = 100, direct": (5.88, 5e-3),
        "L = 100, worst order found": (11.62, 5e-3),
        "L = 10, any score": (3.279, 5e-4),
        "geometric, generic": (5.434, 5e-4),
        "geometric, worst order found": (3.97, 5e-3),
        "geometric, direct": (2.49, 5e-3),
        "audit of the worst order": (3.23, 0.74),  # above the direct bound, below the order's own
    },
    "12-test-a-mechanism": {
        "private mean: violations": (0, 0),
        "δ at ε = 1, exact": (0.09196986, 5e-5),  # 1/4e
        "δ at ε = 1 by the hockey-stick tester": (0.08, 0.012),
        "δ at ε = 1 by the histogram tester": (0.08, 0.012),
        "δ at ε = 1 by the MMD tester": (0.07, 0.022),
        "total variation that pure(1) allows": (0.46211716, 5e-5),  # (e − 1)/(e + 1)
        "Rényi divergence of order 1.5": (0.597, 0.097),  # above the claim, below log 2
        "own function, repaired: violations": (0, 0),
        "doubled median: ε at least, by random": (1.5, 0.5),  # above the claim, below 2ε
        "doubled median: ε at least, by bandit": (1.5, 0.5),
        "randomized response with a coin: ε at least": (1.82, 0.042),
        "fixed seed: findings that count": (0, 0),
        "rare leak: violations": (0, 0),
        "trap: violations": (0, 0),
        "trap, told: violations": (1, 0),
        "chance of no rare leak": (0.98019867, 5e-5),  # e^−0.02
        "share found at ε = 1": (0.07, 0.07),  # at most 5%, and three standard errors
        "share found at the ε that is detectable": (0.9, 0.1),  # at least 80%
    },
    "13-keep-and-report-an-audit": {
        "first night that refutes the claim": (7, 0),
        "error probability that eight nights spent": (0.04444444, 5e-7),  # 5% · 8/9
        "numbers found again": (10, 0),
        "claimed ε, exact": (4.37717810, 5e-4),
    },
    "14-many-records": {
        # Each of 500 bounds is wrong with a probability of 1 to 5%: one of them nearly always is.
        "null tables with a largest bound above 0, of 20": (20, 0),
        "null tables with a worst-record bound above 0, of 20": (0, 3),  # 5%, 2 standard errors
        "five of μ = 4, exceeding ε = 1": (5, 0),
        "ε of μ = 4, exact": (24.38161088, 5e-8),
        "wrong labels on the list": (6, 0),
        "mean area of null records, split": (0.5, 0.02),
        "mean area of null records, leave-one-out": (0.43, 0.02),
        "null tables with a false bound, leave-one-out, of 20": (20, 0),  # 150 of 150 elsewhere
    },
    "15-auditing-a-model-you-trained": {
        "ε by the accountant": (11.284, 5e-3),  # dp_accounting
        "tight μ by the accountant": (2.060, 5e-3),
        "share of the accountant's μ, no other data": (0.85, 0.1),
        "one-shot without noise": (1.6, 1.3),
        # A right training is refuted in at most 5% of the audits.
        "refuted without a bug": (0, 0),
        "unclipped gradient, black-box": (1, 0),
        "no noise, black-box": (1, 0),
        "no noise, white-box": (1, 0),
        "half of the noise, white-box": (1, 0),
        "controls that caught their bug": (3, 0),
        "controls that accused the right training": (0, 0),
        "the folder has the same scores": (1, 0),
        "bundled run with a bug refuted": (1, 0),
    },
    "17-where-scores-come-from": {
        "LiRA by hand, largest difference": (0, 1e-4),
        "true positive rate at 0.1%, threshold": (0.001, 0.002),
        "true positive rate at 0.1%, LiRA": (0.08, 0.05),
        # True is 0. A bound above 0 is false: by far where labels leak, by luck elsewhere.
        "attack judged on the rows it was fitted to": (2.3, 1.3),
        "attack judged on other rows": (0, 0.5),
        "trained on neither, same scanner": (0, 0.5),
        "trained on neither, later scanner": (2.4, 0.9),
        "gray value, no model": (4.569, 5e-3),
        "pixels, no model": (1.4, 0.4),
        "throws with a bound above 0, of 20": (0, 3),  # 5%, 2 standard errors
        "ε of one record, exact": (1.99309140, 5e-4),  # μ = 1/2
        "ε of four releases, exact": (4.37717810, 5e-4),  # μ = √4/2
    },
    "18-bets-on-both-tails": {
        # Means of 100 runs, three standard errors; at most what is asked of the method.
        "outputs to refute, Laplace mean": (121, 17),
        "outputs to refute, Gaussian mean": (75, 10),
        "outputs to refute, μ = 1, claim 0.5": (142, 22),
        "ε of a column, the larger": (0, 0.2),
        "share refuted, predictable": (0, 0.05),
        "share refuted, peeking": (0.1, 0.05),
    },
    "19-a-bug-in-a-published-private-mean": {
        "published: violations": (1, 0),
        "negative outputs, one person": (0.7475, 4e-3),  # a (2 − a) with a = e^(−ε/2)/2
        "P − e^ε Q of the event, simulated": (0.1237, 6e-3),
        "δ by hand": (0.123756, 1e-6),  # e^(−ε)/8
        "total variation of Exp and its double": (0.25, 1e-4),
        "mended: violations": (0, 0),
    },
    "20-how-much-of-tv-is-bias": {
        "TV where nothing leaks, 400 each": (0.085, 0.006),  # Σ √(p/(πn)) over Scott's bins
        "TV where nothing leaks, 1000 each": (0.062, 0.004),
        "cross-fitted, 1000 each": (0, 0.008),  # at most 0 in the mean
        "ε of the floor, 400 each": (0.78, 0.06),
        "1000 pairs, μ = 1": (1.03, 5e-3),  # 760 of 1000: Φ(1/√2)
        "2000 single canaries, μ = 1": (0.72, 5e-3),  # 1382 of 2000: Φ(1/2)
        "one training, groups apart": (0.38292492, 0.02),  # 2Φ(1/2) − 1
        "pooled, groups apart": (0, 0.02),
    },
    "21-does-this-synthetic-table-leak": {
        "scale of the private generator's noise": (9, 0),  # nine tables of counts, ε = 1
        "leaking, ε at least": (2.7, 0.7),  # it copies 88 of about 221 records
        "private, ε at least": (0.5, 0.5),  # at most its claim
        "wrong, ε at least": (3.0, 1.0),
        "private, claim refuted": (0, 0),
        "wrong, claim refuted": (1, 0),
        "30 of 30 guesses right, δ = 0": (2.25366436, 5e-4),  # the odds of 0.05^(1/30)
        "p-value of the split by age": (0, 1e-3),  # so that the bound is withdrawn
        "estimate for the split by age": (2.3, 1.5),  # though nothing leaked
        "one patient, private": (0.5, 0.5),
        "one patient, wrong": (2.1, 0.9),  # above its claim
    },
    "22-auditing-a-fine-tuned-language-model": {
        "right of 100": (100, 0),
        "ε at least, without noise": (3.493, 5e-3),  # log of the odds of 0.05^(1/100), and δ
        "rank 1 of 60 commits": (60, 0),
        "ε at least, commits": (9.879, 0.02),  # log 999 and the odds of 0.05^(1/60)
        "ε at least, commits not seen": (0, 0),
        "ε at least, score chosen on a share": (4.18, 0.3),
        "ε at least, private": (1.8, 1.0),  # at most its claim
        "mean exposure without a leak": (1.4363, 1e-3),  # (log₂ 1000^1000 − log₂ 1000!)/1000
    },
    "23-labels-and-local-reports": {
        "remembers, ε at least": (1.0, 0.5),  # of two labels, its own counts half
        "private, ε at least": (0.5, 0.5),  # at most its ε of 1
        "nothing known, uniform law": (2.2, 0.6),  # though nothing leaked
        "nothing known, right law": (0, 0.2),
        "uniform law, void": (1, 0),
        "wrong laws refused": (4, 0),  # all but the right one
        "coins before, ε at least": (1.5, 0.5),
        "share of labels replaced": (0.5, 0.08),
        "randomized response of 20, claim 1": (0.93, 0.07),
        "optimized unary, claim 1": (0.93, 0.07),
        "kept bit, claim 1": (1.45, 0.1),  # at most log(e + 2) = 1.55
    },
    "24-nobody-flipped-a-coin": {
        "claimed without a model": (1.55, 0.2),  # where ε is 0
        "TV of the populations, at least": (0.29, 0.09),  # of 0.383
        "shifted audits that would claim a leak, of 150": (112, 20),
        "called valid, of 200": (0, 0),
        "c of the baseline": (0.65, 0.15),  # of 0.8
        "c + ε of the attack": (1.57, 0.23),  # of 1.8
        "ε on the condition": (0.93, 0.3),  # of 1
        "ε with a weak baseline": (1.45, 0.3),  # above 1, and nothing in the data says so
        "forgot, ε at most": (0.28, 0.1),
        "forgot half, ε at least": (0.65, 0.15),
        "over-forgot, ε at least": (0.92, 0.2),
        "scores that would decide": (1304, 30),
    },
}

#: Notebook -> texts that a reader of the HTML page must find.
HEADLINES = {
    "01-what-an-audit-sees": ["0.3829", "4.377", "0.1269"],
    "02-total-variation-by-histogram": ["0.3829", "n^(-0.33)", "TV ≥ 0 (pointwise, 95%"],
    "03-which-bounds-survive-tuning": ["claims too much in", "ε at δ = 1e-5 ≥ 0 (simultaneous"],
    "04-the-subsampled-gaussian": ["0.2261", "2.471", "2.475", "3.333"],
    "05-laplace-and-wrong-families": ["4.530", "16.661", "2.329", "0.1936"],
    "06-from-tv-to-epsilon": ["2.73", "8.38", "0.2261", "0.266", "0.335"],
    "07-your-own-scores": ["simultaneous, 95%, independent runs", "kairouz2015composition"],
    "08-what-the-mechanism-promises": [
        "≤ ε ≤ 1.82824",
        "9.997",
        "3.7306",
        "is refuted with 95% confidence",
        "Too few samples",
        "2.471",
        "2.475",
        "2.995",
        "3.959",
        "infinite mass 0.0024",
    ],
    "10-choosing-a-bound": [
        "1.28 to 1.57",
        "held-out, 95%",
        "per group",
        "The scores rule out that the pair is",
    ],
    "09-one-run": ["≥ 3.67 (pointwise", "1.6261", "2.456", "0.4583", "not valid"],
    "11-tuning-is-not-free": ["2.96", "2.925", "1.04", "6.28", "11.6", "3.96", "independent runs"],
    "12-test-a-mechanism": [
        "violation found: ε ≥",
        "does not show that the mechanism is private",
        "0.0920",
        "0.4621",
        "1.862",
        "confirmed on fresh samples",
        "ignores its rng",
    ],
    "13-keep-and-report-an-audit": [
        "fixed in advance",
        "fixed -1.8",
        "9 of 10 numbers differ",
        "none of them makes a false statement",
        "10 of 10 numbers were found again",
    ],
    "14-many-records": [
        "average over records, one run",
        "above 0 in 20 of 20 tables",
        "independent fair coins of all models",
        "if rows are independent",
        "at least 8 of 400 records exceed ε = 1",
        "on null tables: 0 by exceeding, 0 by leaking",
    ],
    "15-auditing-a-model-you-trained": [
        "ε = 11.28 at δ = 1e-5, tight μ = 2.06",
        "(simultaneous, 95%, independent runs)",
        "(simultaneous, 95%, one run)",
        "independent fair coins",
        "none            not refuted       not refuted",
        "scaled-noise    not refuted       refuted",
        "same-seed, 60 models: refuted; without the bug: not refuted",
        'claim = "accountant"',
        "the same scores: True from seed 1",
    ],
    "16-watching-your-own-training": [
        "(anytime, 95%, independent runs)",
        "(anytime, 95%, independent fair coins)",
        "refuted, by ",
        "PrivacyEngine().make_private",
        "wb.live.watch_opacus(optimizer, audit)",
        "wb.live.insert_tensors(canaries",
        "jax.vmap(jax.grad(loss))",
    ],
    "17-where-scores-come-from": [
        "PrivacyEngine().make_private",
        "jax.vmap(jax.grad(loss)",
        'np.savez("table.npz"',
        "if the pair is Gaussian (cannot be checked), independent bits",
        "same rows:     ε at δ = 1e-5 ≥ ",
        "of 20 throws",
        "1.993, for four: 9.997",
        "1.993, for four: 4.377",
    ],
    "18-bets-on-both-tails": [
        "pure(0.1) is refuted by ",
        "(anytime, 95%, assuming independent rows)",
        "true claim refuted: predictable",
    ],
    "19-a-bug-in-a-published-private-mean": [
        "δ by hand 0.1238",
        "total variation between Exp and its double: 0.2500",
    ],
    "20-how-much-of-tv-is-bias": [
        "400 scores each, nothing leaks: TV plain 0.08",
        "one-shot-private:      TV plain 0.115",
        "simultaneous, 95%, if members were drawn at random, substituting a record",
        "1,000 pairs: ε ≥ 1.03 (substituting);   2,000 single canaries: ε ≥ 0.72",
    ],
    "21-does-this-synthetic-table-leak": [
        "442 patients: 222 for the generator, 220 held out",
        "private: pure(1), 9 tables of counts, so noise of scale 9 on each count",
        "(held-out, 95%, independent fair coins)",
        "The claim “pure(1)” is refuted with 95% confidence (independent fair coins, add/remove)",
        "(estimate, training and held-out records of one population)",
        "(simultaneous, 95%, independent runs)",
    ],
    "22-auditing-a-fine-tuned-language-model": [
        "100 of 100 guesses are right: ε at δ = 1e-5 ≥ 3.49 (pointwise, 95%, independent fair",
        "60 of 60 have rank 1; mean 9.97 bits",
        "ε at δ = 1e-5 ≥ 9.87 (pointwise, 95%, if values follow the stated law)",
        "pure(3): refuted",
        "CanaryTextError: 1 of 400 secrets occur in the texts",
    ],
    "23-labels-and-local-reports": [
        "the likeliest label is right for 84% of the records",
        "(pointwise, 95%, if labels follow the stated law, replacing a label)",
        "(pointwise, 95%, assuming fair coins of labels, replacing a label)",
        "uniform:             p = 0.0015  refused, by features",
        "The claim ε = 1 of unary-kept-bit is refuted.",
    ],
    "24-nobody-flipped-a-coin": [
        "(estimate, members and non-members of one population)",
        "this classifier did not find one, which does not show that there is none",
        "called valid: 0",
        "times as likely among members)",
        "refuted by the baseline",
        "equivalent to ε = 0.5 at δ = 0.02",
        "scores of each would show it in every second audit",
    ],
}

#: Lower bounds that must lie at or below the truth: notebook -> stated name -> truth.
TRUTHS = {
    "22-auditing-a-fine-tuned-language-model": {"ε at least, private": 4.0},
    "01-what-an-audit-sees": {"from 2000 runs per group": 4.37717810},
    "02-total-variation-by-histogram": {"lower limit at μ = 1": 0.38292492},
    "03-which-bounds-survive-tuning": {"simultaneous bound where μ = 1, mean": 4.37717810},
    "04-the-subsampled-gaussian": {"μ from 10 000 scores per group": 3.3334},
    "05-laplace-and-wrong-families": {"Laplace, 100 000 scores per group": 1.0},
    "10-choosing-a-bound": {
        "simultaneous bound, μ = 1, n = 1000, mean": 4.37717810,
        "held-out bound, μ = 1, n = 1000, mean": 4.37717810,
        "unequal variances, learned": 1.3012,
    },
    "08-what-the-mechanism-promises": {"ε of ten steps, composed band": 3.95899561},
    "07-your-own-scores": {
        "main result": 7.05,  # 98% of a Gaussian pair with μ = 1.5
        "by a Gaussian yardstick": 1.5,
        "membership advantage": 0.5359,
    },
    "09-one-run": {
        "corrected for tuning, one run of μ = 1": 4.37717810,
        "held out, one run of μ = 1": 4.37717810,
        "Laplace as Laplace": 1.0,
    },
    "11-tuning-is-not-free": {
        "audit of the monotone score": 2.4903,
        "audit of the worst order": 3.967,
    },
    "12-test-a-mechanism": {
        "δ at ε = 1 by the hockey-stick tester": 0.09196986,  # 1/4e
        "δ at ε = 1 by the histogram tester": 0.09196986,
        "δ at ε = 1 by the MMD tester": 0.09196986,
        "Rényi divergence of order 1.5": 0.69314719,  # log 2
        "own function: ε at least": 8.59,  # log(2 n/log 400), no overlap among n = 16 000 per group
        "own function: ε on fresh runs": 9.277,  # log(2 n/log 20)
        "doubled median: ε at least, by random": 2.0,
        "doubled median: ε at least, by bandit": 2.0,
        "randomized response with a coin: ε at least": 1.86200,  # log(1 + 2e)
    },
    "13-keep-and-report-an-audit": {
        "simultaneous bound of release 3": 4.37717810,
        "bound at the planned threshold": 4.37717810,
        "simultaneous bound of release 4": 8.78695586,  # μ = 1.8
    },
    "14-many-records": {
        "five of μ = 4, simultaneous": 24.38161088,
        "five of μ = 4, held-out": 24.38161088,
        "five of μ = 4, e-values": 24.38161088,
        "five of μ = 4, exceeding ε = 1": 5,
    },
    "15-auditing-a-model-you-trained": {
        **dict.fromkeys(
            (
                "ε, black-box",
                "ε, black-box, worst case",
                "ε, white-box",
                "ε, white-box, one run",
                "ε, white-box, no other data",
            ),
            11.289,
        ),
        **dict.fromkeys(
            (
                "μ, black-box",
                "μ, black-box, worst case",
                "μ, white-box",
                "μ, white-box, one run",
                "μ, white-box, no other data",
            ),
            2.065,
        ),
    },
    "16-watching-your-own-training": {
        "anytime bound after 600 runs": 1.693,
        "bound from canaries, right": 1.853,
        "μ, fair coins": 0.491,
        "μ, band": 0.491,
    },
    "17-where-scores-come-from": {
        "one record": 1.99309140,
        "four records of a person": 9.99725615,  # μ = 2
        "four releases": 4.37717810,
    },
    "19-a-bug-in-a-published-private-mean": {"δ at ε = 0.01, lower limit": 0.12376},
    "20-how-much-of-tv-is-bias": {"ε by pairs, with DP": 16.0},  # twice the accountant's 8
    "23-labels-and-local-reports": {
        "private, ε at least": 1.0,
        "randomized response of 20, claim 1": 1.0,
        "optimized unary, claim 1": 1.0,
        "kept bit, claim 1": 1.5514447,  # log(e + 2)
    },
}


@dataclass(frozen=True)
class Run:
    """A notebook after its run."""

    stated: dict[str, float]
    page: str
    seconds: float
    #: Question -> what its cell says when the notebook is run as it is stored.
    unanswered: dict[int, str]
    #: Question and answer -> status and words.
    answered: dict[tuple[int, str], tuple[str, str]]


def read(name: str) -> Any:
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def execute(notebook: Any, *more: str) -> list[str]:
    """Run in place, with more cells, which report; what each of them printed."""
    cells = [nbformat.v4.new_code_cell(one, id=f"report-{k}") for k, one in enumerate(more)]
    notebook.cells += cells
    resources = {"metadata": {"path": str(FOLDER)}}
    NotebookClient(notebook, timeout=PATIENCE, resources=resources).execute()
    del notebook.cells[-len(cells) :]
    return [cell.outputs[0].text for cell in cells]


def checks(notebook: Any) -> dict[int, Any]:
    """Question -> the cell that checks its answer."""
    cells = {cell.id: cell for cell in notebook.cells}
    return {question: cells[f"check-{question}-check"] for question in (1, 2, 3)}


@cache
def run(name: str) -> Run:
    notebook = read(name)
    asked = [
        (question, answer, checks(notebook)[question].source)
        for question, (right, wrong) in enumerate(ANSWERS[name], 1)
        for answer in (right, *wrong)
    ]
    began = time.monotonic()
    stated, found = map(json.loads, execute(notebook, REPORT, ASK.format(asked=asked)))
    seconds = time.monotonic() - began
    page, _ = HTMLExporter().from_notebook_node(notebook)
    unanswered = {k: cell.outputs[0].data["text/plain"] for k, cell in checks(notebook).items()}
    answered = {(k, answer): tuple(said) for (k, answer, _), said in zip(asked, found, strict=True)}
    return Run(stated, text_of(page), seconds, unanswered, answered)


def text_of(page: str) -> str:
    """What a reader sees of an HTML page."""
    page = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def off(stated: dict[str, float], expected: dict[str, tuple[float, float]]) -> list[str]:
    """The stated figures that are missing or further from the expected than the tolerance."""
    return [
        f"{name}: stated {stated.get(name)}, expected {value} ± {tolerance}"
        for name, (value, tolerance) in expected.items()
        if not abs(stated.get(name, float("nan")) - value) <= tolerance + 1e-12
    ]


#: Notebooks that train or simulate for a minute; `make coverage` runs them.
LONG = (
    "12-test-a-mechanism",
    "15-auditing-a-model-you-trained",
    "16-watching-your-own-training",
    "18-bets-on-both-tails",
)

# One worker runs a notebook, however many tests look at it.
each = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.xdist_group(name)] + [pytest.mark.exhaustive] * long)
        for name, long in ((name, name in LONG) for name in NAMES)
    ],
)


def test_the_long_notebooks_are_notebooks():
    assert set(LONG) <= set(NAMES)


@each
def test_it_runs_and_states_the_right_figures(name):
    result = run(name)
    print(f"{name}: {result.seconds:.1f} s")  # noqa: T201
    assert off(result.stated, EXPECTED[name]) == []


@each
def test_its_lower_bounds_are_true(name):
    stated = run(name).stated
    for what, truth in TRUTHS.get(name, {}).items():
        assert 0 < stated[what] <= truth, what


@each
def test_its_page_holds_every_headline_number_as_text(name):
    result = run(name)
    missing = [text for text in HEADLINES[name] if text not in result.page]
    assert missing == []
    for what in result.stated:
        assert f"{what}: " in result.page


@each
def test_its_questions_check_their_answers(name):
    result = run(name)
    assert len(ANSWERS[name]) == 3
    assert all(said.startswith("… Not answered yet") for said in result.unanswered.values())
    for question, (right, wrong) in enumerate(ANSWERS[name], 1):
        status, words = result.answered[question, right]
        assert status == "right", f"question {question}: {words}"
        assert len(words) > len("Right. "), "says why"
        for answer in wrong:
            status, words = result.answered[question, answer]
            assert status == "wrong", f"question {question}, {answer}: {words}"


@each
def test_the_answers_to_its_questions_are_not_in_sight(name):
    cells = read(name).cells
    for question, (right, _) in enumerate(ANSWERS[name], 1):
        [start] = [k for k, cell in enumerate(cells) if cell.id == f"check-{question}-question"]
        asked, given, check = cells[start : start + 3]
        assert asked.source.startswith(f"**Question {question}.** ")
        assert given.source == f"answer_{question} = ..."
        assert check.source.startswith(f"wb.teaching.check(\n    answer_{question},")
        assert check.metadata.jupyter.source_hidden
        assert check.metadata.tags == ["hide-input"]
        number = rf"(?<![\d.]){re.escape(right)}(?![\d.])"
        assert right in ("True", "False") or not re.search(number, asked.source)


@each
def test_it_is_stored_clean(name):
    notebook = read(name)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.kernelspec.display_name
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
            assert all(len(line) <= 100 for line in cell.source.splitlines()), cell.source
    assert (FOLDER / f"{name}.ipynb").stat().st_size < 50_000


@each
def test_it_ends_with_questions(name):
    last = read(name).cells[-1]
    assert last.cell_type == "markdown"
    assert last.source.startswith("## Questions")
    questions = re.findall(r"^(\d+)\. ", last.source, flags=re.MULTILINE)
    assert 3 <= len(questions) <= 5
    assert re.findall(r"^\*\*(\d+)\.\*\* ", last.source, flags=re.MULTILINE) == questions
    assert last.source.index("<details>") > last.source.index(f"{questions[-1]}. ")


@each
def test_it_makes_slides_without_the_code_of_charts(name):
    cells = read(name).cells
    kinds = {cell.metadata.slideshow.slide_type for cell in cells}
    assert kinds == {"slide", "subslide", "skip", "-"}
    for cell in cells:
        if cell.cell_type == "markdown" and cell.metadata.slideshow.slide_type != "skip":
            heading = cell.source.startswith("#")
            assert heading == (cell.metadata.slideshow.slide_type == "slide"), cell.source
            assert "\n## " not in cell.source
        if "plt.subplots" in cell.source:
            assert cell.metadata.tags == ["hide-input"]
            assert cell.metadata.jupyter.source_hidden


def answers(number):
    name = next(one for one in NAMES if one.startswith(number))
    return read(name).cells[-1].source.split("<details>")[1]


def never_overlapping(n):
    """The bound of n members whose scores are all larger than those of n others."""
    return wb.epsilon_lower_bound(wb.Scores(np.arange(n, 2 * n), np.arange(n)), delta=1e-5).value


GAUSSIAN, LAPLACE = wb.GaussianPair(1), wb.LaplacePair(1)
TWENTY = selection.PointMass(20)


@pytest.mark.parametrize(
    ("number", "text", "value"),
    [
        ("01", "exact value is {:.2f}; at", lambda: GAUSSIAN.epsilon(0.01)),
        ("01", "exact value is {:.2f}. With", lambda: GAUSSIAN.epsilon(1e-5)),
        (
            "01",
            "About {:.0f}00 runs",
            lambda: wb.samples_needed(GAUSSIAN, claim_epsilon=2.0, delta=1e-5).n / 100,
        ),
        ("02", "The TV is {:.3f}.", lambda: wb.GaussianPair(0.2).total_variation),
        (
            "05",
            "{:.2f} instead of 0.79",
            lambda: wb.GaussianPair(wb.gdp_fit(LAPLACE, "tv").value).epsilon(0.1),
        ),
        ("05", "instead of {:.2f} at δ = 0.1.", lambda: LAPLACE.epsilon(0.1)),
        (
            "06",
            "σ = {:.3f} instead",
            lambda: (
                1
                / wb.mu_from_total_variation(
                    wb.SubsampledGaussianPair(0.25, 0.3).total_variation / 0.275
                )
            ),
        ),
        (
            "08",
            "small: {:.3f}",
            lambda: wb.DPSGDPair(4, 0.1, 1000).central_limit().epsilon(1e-5),
        ),
        ("08", "gives {:.3f}", lambda: wb.DPSGDPair(4, 0.1, 1000).epsilon_interval(1e-5)[1]),
        ("11", "{} for μ = 0.5", lambda: selection.epsilon(TWENTY, 0.5, delta=1e-5).rounded),
        (
            "11",
            "and ε ≤ {:.2f}",
            lambda: selection.epsilon(TWENTY, 0.5, delta=1e-5, bound="composition").value,
        ),
        (
            "11",
            "order found leaks {:.2f}",
            lambda: float(selection.worst_order(TWENTY, 0.5, delta=1e-5)),
        ),
        ("13", "1 − 0.05 / (8 · 9) = {:.4f}", lambda: confidence_at(8, 0.95)),
        (
            "11",
            "Rényi bound: {:.2f}",
            lambda: selection.epsilon(selection.PointMass(1), 1.0, delta=1e-5, bound="renyi").value,
        ),
        ("12", "δ(3) = {:.4f}", lambda: math.exp(-3) / 4),
        # Of N(0, 9) and N(0, 1) the likelihood ratio rises with |x|: Pr[3|X| > |Y|].
        ("14", "has an area of {:.2f}, if", lambda: 2 / math.pi * math.atan(3)),
        ("15", "ε = log n − 1.1: {:.1f} for 200", lambda: never_overlapping(200)),
        ("15", "{:.0f} for 9500", lambda: never_overlapping(9500)),
        ("16", "1/{:.0f} of it", lambda: 1 / (1 - confidence_at(19, 0.95)) * 0.05),
        ("17", "ε = {:.2f}: four", lambda: wb.GaussianPair(4).epsilon(1e-5)),
        ("17", "ε = {:.1f} at δ = 1e-5", lambda: wb.DPSGDPair(1, 0.2, 200).epsilon(1e-5)),
    ],
)
def test_numbers_in_the_answers(number, text, value):
    assert text.format(value()) in answers(number)


def test_slides_are_made():
    page, _ = SlidesExporter().from_notebook_node(read("01-what-an-audit-sees"))
    assert page.count("<section") >= 12
    assert "plt.style.use" not in page  # the cell that sets the style is skipped


@pytest.mark.exhaustive
def test_tuning_is_what_breaks_the_promise():
    """The shares of notebook 3 in their order; its point, whatever the exact figures."""
    stated = run("03-which-bounds-survive-tuning").stated
    share = {n.split(":")[0]: v for n, v in stated.items() if "share of false claims" in n}
    assert max(share["pointwise, fixed"], share["simultaneous"]) < 0.05
    assert 0.07 < share["pointwise, tuned"] < share["log-ratio, tuned"]


def test_naive_quadrature_fails_in_notebook_4():
    stated = run("04-the-subsampled-gaussian").stated
    assert stated["thresholds where dblquad is off by ½, σ = 0.29"] >= 5
    assert stated["thresholds where the grid is off by ½, σ = 0.29"] >= 1


def test_one_run_catches_the_bug_and_a_wrong_family_claims_too_much():
    stated = run("09-one-run").stated
    for claim in (1, 2, 4, 8):
        assert stated[f"flawed DP-SGD, claimed {claim}"] > claim
    assert stated["Laplace as Gaussian"] > 1
    assert stated["gaussian: BITS minus STEINKE23, mean"] > 1


@pytest.mark.exhaustive
def test_only_the_unit_that_was_claimed_keeps_its_claim():
    stated = run("17-where-scores-come-from").stated
    claim = stated["ε of one record, exact"]
    assert stated["one record"] <= claim < stated["four releases"]
    assert claim < stated["four records of a person"]


def test_looks_without_a_budget_break_the_promise():
    """The point of notebook 16, and that a flawed loop is told from the right one."""
    stated = run("16-watching-your-own-training").stated
    assert stated["above the truth with one budget, simulated"] <= 0.05
    assert stated["above the truth with 5% for each look, simulated"] > 0.3
    claim = stated["ε of the accountant, canaries"]
    assert stated["bound from canaries, right"] < claim
    assert stated["bound from canaries, a quarter of the noise"] > claim
    assert stated["runs until the flawed loop was refuted"] < 2000


def test_there_is_an_expectation_for_every_notebook_and_a_row_in_the_contents():
    assert set(EXPECTED) == set(HEADLINES) == set(NAMES)
    contents = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"({name}.ipynb)" in contents for name in NAMES)


def test_a_wrong_missing_or_undefined_figure_is_caught():
    expected = {"μ": (2.471, 5e-4)}
    assert off({"μ": 2.4711}, expected) == []
    assert off({"μ": 2.475}, expected) != []
    assert off({}, expected) != []
    assert off({"μ": float("nan")}, expected) != []


def test_a_failing_cell_is_caught():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0", id="bad")])
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        execute(notebook, REPORT)
