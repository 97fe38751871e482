"""Bounds on ε, δ, μ, total variation, Rényi divergence, TPR and precision from the four counts.

Each function is a method of `workbench.Counts` with the counts as arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from workbench.bounds.bound import Bound
from workbench.bounds.counts.counts import Counts, Interval, Side

#: What all docstrings here share.
_SHARED = {
    "counts": """tp, fn : int
    Runs with the record that the attack called in (``tp``) and out (``fn``).
fp, tn : int
    Runs without the record that the attack called in (``fp``) and out (``tn``).""",
    "interval": """confidence : float
    In (0.5, 1); of the lower limit, or of both ends together.
interval : {"clopper-pearson", "joint", "jeffreys", "wilson", "katz-log", "bayesian"}
    "clopper-pearson" and "joint" keep their level: pointwise, for an attack fixed before these
    runs, and independent runs. "joint" tests both counts together and mostly gives larger
    bounds. The others are approximate, for comparison with tools that use them; "katz-log"
    serves epsilon and precision only.
side : {"lower", "two"}
    A lower limit, or an interval. The upper end of an interval says what *this attack* shows
    at most, nothing about the mechanism.
n_p, n_q : int, optional
    Number of runs with and without the record; counts that do not add up to them are refused.""",
    "bound": """Bound
    With a ``note`` of a sufficient n where even an attack without errors would have shown
    nothing.""",
    "raises": """ValueError
    Negative or fractional counts, no runs with the record or none without it, counts that do
    not add up, an argument out of range, "katz-log" for another quantity.""",
}


def _with_shared_parts(function: Callable[..., Bound]) -> Any:
    """The function with ``{counts}``, … of its docstring filled in."""
    if function.__doc__:  # none with python -OO
        function.__doc__ = inspect.cleandoc(function.__doc__).format(**_SHARED)
    return function


@_with_shared_parts
def epsilon_from_counts(
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    delta: float,
    confidence: float = 0.95,
    interval: Interval = "clopper-pearson",
    side: Side = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
    sided: Side | None = None,
) -> Bound:
    """Lower bound on ε at δ from the four counts of one attack.

    Parameters
    ----------
    {counts}
    delta : float
        In [0, 1).
    {interval}
    sided : {{"lower", "two"}}, optional
        Another name of ``side``.

    Returns
    -------
    {bound}

    Raises
    ------
    {raises}

    See Also
    --------
    Counts.epsilon : the same as a method.

    Notes
    -----
    max{{0, log((TPR − δ)/FPR), log((TNR − δ)/FNR)}} at limits of the rates (Kairouz, Oh & Viswanath
    2015, Theorem 3.1).

    Examples
    --------
    >>> print(wb.epsilon_from_counts(tp=400, fp=100, tn=400, fn=100, delta=1e-5))
    ε at δ = 1e-5 ≥ 1.16 (pointwise, 95%, assuming independent rows)
    """
    if sided is not None:
        if side not in ("lower", sided):
            raise ValueError(f"sided={sided!r} is another name of side={side!r}; give one of them")
        side = sided
    counts = Counts(tp=tp, fp=fp, tn=tn, fn=fn, n_p=n_p, n_q=n_q)
    return counts.epsilon(delta, confidence, interval, side)


@_with_shared_parts
def delta_from_counts(
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    epsilon: float,
    confidence: float = 0.95,
    interval: Interval = "clopper-pearson",
    side: Side = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
) -> Bound:
    """Lower bound on δ at ε from the four counts of one attack.

    Parameters
    ----------
    {counts}
    epsilon : float
        At least 0.
    {interval}

    Returns
    -------
    {bound}

    Raises
    ------
    {raises}

    See Also
    --------
    Counts.delta : the same as a method.

    Notes
    -----
    max{{0, TPR − e^ε FPR, TNR − e^ε FNR}} at limits of the rates.

    Examples
    --------
    >>> print(wb.delta_from_counts(tp=400, fp=100, tn=400, fn=100, epsilon=1))
    δ at ε = 1 ≥ 0.115 (pointwise, 95%, assuming independent rows)
    """
    counts = Counts(tp=tp, fp=fp, tn=tn, fn=fn, n_p=n_p, n_q=n_q)
    return counts.delta(epsilon, confidence, interval, side)


@_with_shared_parts
def mu_from_counts(
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    confidence: float = 0.95,
    interval: Interval = "clopper-pearson",
    side: Side = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
) -> Bound:
    """Lower bound on μ of Gaussian differential privacy from the four counts of one attack.

    Parameters
    ----------
    {counts}
    {interval}

    Returns
    -------
    {bound}

    Raises
    ------
    {raises}

    See Also
    --------
    Counts.mu : the same as a method.

    Notes
    -----
    Φ⁻¹(TPR) − Φ⁻¹(FPR) at limits of the rates (Nasr et al. 2023). It refutes every smaller μ and
    does not assume that the pair is Gaussian.

    Examples
    --------
    >>> print(wb.mu_from_counts(tp=400, fp=100, tn=400, fn=100))
    μ ≥ 1.42 (pointwise, 95%, assuming independent rows)
    """
    counts = Counts(tp=tp, fp=fp, tn=tn, fn=fn, n_p=n_p, n_q=n_q)
    return counts.mu(confidence, interval, side)


@_with_shared_parts
def total_variation_from_counts(
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    confidence: float = 0.95,
    interval: Interval = "clopper-pearson",
    side: Side = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
) -> Bound:
    """Lower bound on the total variation distance from the four counts of one attack.

    Parameters
    ----------
    {counts}
    {interval}

    Returns
    -------
    {bound}

    Raises
    ------
    {raises}

    See Also
    --------
    Counts.total_variation : the same as a method.

    Notes
    -----
    TPR − FPR at limits of the rates: the advantage of the attack.

    Examples
    --------
    >>> print(wb.total_variation_from_counts(tp=400, fp=100, tn=400, fn=100))
    TV ≥ 0.524 (pointwise, 95%, assuming independent rows)
    """
    counts = Counts(tp=tp, fp=fp, tn=tn, fn=fn, n_p=n_p, n_q=n_q)
    return counts.total_variation(confidence, interval, side)


@_with_shared_parts
def renyi_from_counts(
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    order: float,
    confidence: float = 0.95,
    interval: Interval = "clopper-pearson",
    side: Side = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
) -> Bound:
    """Lower bound on the Rényi divergence of an order from the four counts of one attack.

    Parameters
    ----------
    {counts}
    order : float
        a, above 1. Near 1 it is the Kullback–Leibler divergence of the two coins.
    {interval}

    Returns
    -------
    {bound}

    Raises
    ------
    {raises}

    See Also
    --------
    Counts.renyi : the same as a method.
    RenyiDP : the claim that it refutes.

    Notes
    -----
    The larger of R_a(P‖Q) and R_a(Q‖P) is at least that of the two coins "called in" (data
    processing), which with p = TPR and q = FPR is the larger of

        log(p^a q^(1−a) + (1−p)^a (1−q)^(1−a)) / (a − 1)

    and of the same with p and q exchanged (Balle et al. 2020). The limit is the least value over
    the confidence region of (q, p), rounded down.

    Examples
    --------
    >>> print(wb.renyi_from_counts(tp=400, fp=100, tn=400, fn=100, order=2))
    Rényi divergence of order 2 ≥ 0.923 (pointwise, 95%, assuming independent rows)
    """
    counts = Counts(tp=tp, fp=fp, tn=tn, fn=fn, n_p=n_p, n_q=n_q)
    return counts.renyi(order, confidence, interval, side)


@_with_shared_parts
def tpr_from_counts(
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    fpr: float,
    confidence: float = 0.95,
    interval: Interval = "clopper-pearson",
    side: Side = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
) -> Bound:
    """Lower bound on the true positive rate that the attack reaches at a false positive rate.

    Parameters
    ----------
    {counts}
    fpr : float
        Strictly between 0 and 1; the TPR of guessing.
    {interval}

    Returns
    -------
    {bound}

    Raises
    ------
    {raises}

    See Also
    --------
    Counts.tpr : the same as a method.

    Notes
    -----
    The error rates of the attack and of its mixtures with guessing bound the trade-off function
    from above, as in `TradeoffBand.tpr`.

    Examples
    --------
    >>> print(wb.tpr_from_counts(tp=400, fp=100, tn=400, fn=100, fpr=0.1))
    TPR at FPR 0.1 ≥ 0.320 (pointwise, 95%, assuming independent rows)
    """
    counts = Counts(tp=tp, fp=fp, tn=tn, fn=fn, n_p=n_p, n_q=n_q)
    return counts.tpr(fpr, confidence, interval, side)


@_with_shared_parts
def precision_from_counts(
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    prior: float,
    confidence: float = 0.95,
    interval: Interval = "clopper-pearson",
    side: Side = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
) -> Bound:
    """Lower bound on the share of members among those whom the attack accuses, at a prior.

    Parameters
    ----------
    {counts}
    prior : float
        Probability of being a member before the attack, strictly between 0 and 1; the precision of
        guessing. Not the share of runs with the record, unless people are members that often.
    {interval}

    Returns
    -------
    {bound}

    Raises
    ------
    {raises}

    See Also
    --------
    Counts.precision : the same as a method.

    Notes
    -----
    Bayes' theorem, π TPR / (π TPR + (1 − π) FPR), at limits of the rates.

    Examples
    --------
    >>> print(wb.precision_from_counts(tp=400, fp=100, tn=400, fn=100, prior=0.01))
    precision at prior 0.01 ≥ 0.0313 (pointwise, 95%, assuming independent rows)
    """
    counts = Counts(tp=tp, fp=fp, tn=tn, fn=fn, n_p=n_p, n_q=n_q)
    return counts.precision(prior, confidence, interval, side)
