"""Bounds from the four counts of one attack: ε, δ, μ, total variation, TPR and precision.

All of them share these arguments and what they raise:

tp, fp, tn, fn : int
    Runs with the record that the attack called in (tp) and out (fn); runs without it that the
    attack called in (fp) and out (tn).
confidence : float
    0.95 for 95 %. Of the lower limit, or of both ends together.
interval : str
    "clopper-pearson" and "exact" keep their level: pointwise, for an attack fixed before these
    runs and runs that are independent. "exact" tests both counts together and mostly says more.
    "jeffreys", "wilson", "katz-log" (ε and precision only) and "bayesian" are approximate: for
    comparison with tools that use them.
sided : {"lower", "two"}
    A lower limit, or an interval. The upper end of an interval says what *this attack* shows at
    most, nothing about the mechanism.
n_p, n_q : int, optional
    Runs a side, where they are known: counts that do not add up to them are refused.

Raises ValueError for negative or fractional counts, a side without runs, counts that do not add
up, an argument out of range, and an interval that has no meaning for the quantity.

A bound that shows nothing carries a `note` with the n that would do, where even an attack without
errors would have shown nothing.
"""

from __future__ import annotations

from typing import Literal

from workbench.bounds import quantities
from workbench.bounds.bound import Bound
from workbench.bounds.counts.counts import Counts
from workbench.bounds.counts.intervals import bound

Interval = Literal["clopper-pearson", "exact", "jeffreys", "wilson", "katz-log", "bayesian"]
Sided = Literal["lower", "two"]


def epsilon_from_counts(
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    delta: float,
    confidence: float = 0.95,
    interval: Interval = "clopper-pearson",
    sided: Sided = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
) -> Bound:
    """Lower bound on ε at δ from the four counts of one attack.

    Parameters
    ----------
    delta : float
        In [0, 1).
    tp, fp, tn, fn, confidence, interval, sided, n_p, n_q
        As in `workbench.bounds.counts.from_counts`.

    Returns
    -------
    Bound
        max{0, log((TPR − δ)/FPR), log((TNR − δ)/FNR)} at the limits of the rates (KAIROUZ15).

    Raises
    ------
    ValueError
        Counts that are none or do not add up, an argument out of range.
    """
    counts = _counts(tp, fp, tn, fn, n_p, n_q)
    return bound(counts, quantities.Epsilon(delta), confidence, interval, sided)


def delta_from_counts(
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    epsilon: float,
    confidence: float = 0.95,
    interval: Interval = "clopper-pearson",
    sided: Sided = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
) -> Bound:
    """Lower bound on δ at ε: max{0, TPR − e^ε FPR, TNR − e^ε FNR} of one attack.

    Parameters
    ----------
    epsilon : float
        At least 0.
    tp, fp, tn, fn, confidence, interval, sided, n_p, n_q
        As in `workbench.bounds.counts.from_counts`.

    Raises
    ------
    ValueError
        Counts that are none or do not add up, an argument out of range, "katz-log".
    """
    counts = _counts(tp, fp, tn, fn, n_p, n_q)
    return bound(counts, quantities.Delta(epsilon), confidence, interval, sided)


def mu_from_counts(
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    confidence: float = 0.95,
    interval: Interval = "clopper-pearson",
    sided: Sided = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
) -> Bound:
    """Lower bound on μ: Φ⁻¹(TPR) − Φ⁻¹(FPR) of one attack (NASR23); no Gaussian is assumed.

    Parameters
    ----------
    tp, fp, tn, fn, confidence, interval, sided, n_p, n_q
        As in `workbench.bounds.counts.from_counts`.

    Raises
    ------
    ValueError
        Counts that are none or do not add up, an argument out of range, "katz-log".
    """
    return bound(_counts(tp, fp, tn, fn, n_p, n_q), quantities.Mu(), confidence, interval, sided)


def total_variation_from_counts(
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    confidence: float = 0.95,
    interval: Interval = "clopper-pearson",
    sided: Sided = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
) -> Bound:
    """Lower bound on the total variation: TPR − FPR of one attack, its advantage.

    Parameters
    ----------
    tp, fp, tn, fn, confidence, interval, sided, n_p, n_q
        As in `workbench.bounds.counts.from_counts`.

    Raises
    ------
    ValueError
        Counts that are none or do not add up, an argument out of range, "katz-log".
    """
    counts = _counts(tp, fp, tn, fn, n_p, n_q)
    return bound(counts, quantities.TotalVariation(), confidence, interval, sided)


def tpr_from_counts(
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    fpr: float,
    confidence: float = 0.95,
    interval: Interval = "clopper-pearson",
    sided: Sided = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
) -> Bound:
    """The true positive rate that an attack reaches at a false positive rate.

    The attack's own error rates and mixtures with guessing bound the trade-off function from
    above, as in `TradeoffBand.tpr`.

    Parameters
    ----------
    fpr : float
        Strictly between 0 and 1; what guessing reaches.
    tp, fp, tn, fn, confidence, interval, sided, n_p, n_q
        As in `workbench.bounds.counts.from_counts`.

    Raises
    ------
    ValueError
        Counts that are none or do not add up, an argument out of range, "katz-log".
    """
    counts = _counts(tp, fp, tn, fn, n_p, n_q)
    return bound(counts, quantities.TruePositiveRate(fpr), confidence, interval, sided)


def precision_from_counts(
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    prior: float,
    confidence: float = 0.95,
    interval: Interval = "clopper-pearson",
    sided: Sided = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
) -> Bound:
    """The share of members among those whom the attack accuses, at a stated prior.

    Parameters
    ----------
    prior : float
        Probability of being a member before the attack, strictly between 0 and 1; what guessing
        reaches. Not the share of runs with the record, unless people are members that often.
    tp, fp, tn, fn, confidence, interval, sided, n_p, n_q
        As in `workbench.bounds.counts.from_counts`.

    Raises
    ------
    ValueError
        Counts that are none or do not add up, an argument out of range.
    """
    counts = _counts(tp, fp, tn, fn, n_p, n_q)
    return bound(counts, quantities.Precision(prior), confidence, interval, sided)


def _counts(tp: int, fp: int, tn: int, fn: int, n_p: int | None, n_q: int | None) -> Counts:
    counts = Counts(tp=tp, fp=fp, tn=tn, fn=fn)
    counts.must_add_up(n_p, n_q)
    return counts
