"""Bounds from the four counts of one attack: `Counts`, and the same as functions.

A bound takes three steps: the four counts, limits of the error rates or of what they determine by
a named interval (`intervals`), and the quantity as a function of the rates (`quantities`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict, TypeVar, Unpack, cast, get_args

from workbench import _checks
from workbench._frames import to_frame
from workbench.bounds import quantities
from workbench.bounds.bound import Bound, Side
from workbench.bounds.counts.intervals import INTERVALS, Interval, current_name
from workbench.scores.sample import Scores, require_scores

Function = TypeVar("Function", bound=Callable[..., Bound])

THIS_ATTACK = "The upper end speaks about this attack only: another one may show more."


@dataclass(frozen=True, init=False)
class Counts:
    """The four counts of one attack.

    Parameters
    ----------
    tp, fn : int
        Runs with the record that the attack called in (``tp``) and out (``fn``).
    fp, tn : int
        Runs without the record that the attack called in (``fp``) and out (``tn``).
    n_p, n_q : int, optional
        Number of runs with and without the record. They stand in for ``fn`` and ``tn``, or are
        checked against the sums where all four counts are given.

    Raises
    ------
    ValueError
        Negative or fractional counts, no runs with the record or none without it, counts that do
        not add up, ``fn`` without its ``n_p`` or ``tn`` without its ``n_q`` missing.

    See Also
    --------
    epsilon_from_counts : the same bounds as functions, with the formula of each.

    Notes
    -----
    The methods share these parameters. ``confidence`` is that of the lower limit, or of both ends
    together. ``interval="clopper-pearson"`` and ``"joint"`` keep their level: pointwise, for an
    attack fixed before these runs, and independent runs. ``"joint"`` tests both counts together
    and mostly gives larger bounds. The other intervals are approximate, for comparison with tools
    that use them. ``side="two"`` gives an interval, whose upper end is about this attack and not
    about the mechanism. A bound that shows nothing carries a ``note`` with a sufficient n where
    even an attack without errors would have shown nothing.

    Examples
    --------
    >>> counts = wb.Counts(tp=400, fp=100, n_p=500, n_q=500)
    >>> counts
    Counts(tp=400, fp=100, tn=400, fn=100)
    >>> print(counts.epsilon(delta=1e-5))
    ε at δ = 1e-5 ≥ 1.16 (pointwise, 95%, assuming independent rows)
    >>> print(counts.mu(confidence=0.9, side="two"))
    μ in 1.42 to 1.95 (pointwise, 90% two-sided, assuming independent rows)
    """

    tp: int
    fp: int
    tn: int
    fn: int

    to_frame = to_frame

    def __init__(
        self,
        tp: int,
        fp: int,
        tn: int | None = None,
        fn: int | None = None,
        *,
        n_p: int | None = None,
        n_q: int | None = None,
    ) -> None:
        tp, fp = _checks.count(tp, "tp"), _checks.count(fp, "fp")
        tn = _called_out(fp, "fp", tn, "tn", n_q, "n_q")
        fn = _called_out(tp, "tp", fn, "fn", n_p, "n_p")
        for side, n, names in (("with", tp + fn, "tp + fn"), ("without", fp + tn, "fp + tn")):
            if n == 0:
                raise ValueError(
                    f"no runs {side} the record: {names} is 0; an audit needs both sides"
                )
        for name, count in (("tp", tp), ("fp", fp), ("tn", tn), ("fn", fn)):
            object.__setattr__(self, name, count)

    @classmethod
    def at_threshold(cls, scores: Scores, threshold: float) -> Counts:
        """The counts of the attack that calls "in" what lies on the member side of a threshold.

        Parameters
        ----------
        scores : Scores
        threshold : float
            In score units; scores equal to it are called out.
        """
        require_scores(scores)
        threshold = _checks.number(threshold, "threshold")
        tp, fp = (int(k) for k in scores.tail_counts(threshold))
        return cls(tp=tp, fp=fp, n_p=scores.n_p, n_q=scores.n_q)

    @property
    def n_p(self) -> int:
        """Number of runs with the record."""
        return self.tp + self.fn

    @property
    def n_q(self) -> int:
        """Number of runs without the record."""
        return self.fp + self.tn

    def bound(
        self,
        question: quantities.Question,
        confidence: float = 0.95,
        interval: str = "clopper-pearson",
        side: str = "lower",
        assumption: str = "if rows are independent",
        **more: Any,
    ) -> Bound:
        """Confidence limit for any quantity of the attack.

        Parameters
        ----------
        question : Question
        confidence, interval, side
            See the notes of the class.
        assumption : str
        **more
            Further fields of the `Bound`.

        Raises
        ------
        ValueError
            An unknown interval or side, a confidence out of range, an interval that has no meaning
            for the question.
        """
        if not callable(getattr(question, "from_rates", None)):
            raise TypeError(
                "question must be one of workbench.bounds.quantities, such as Epsilon(1e-5), got "
                f"{_checks.shown(question)}"
            )
        confidence = _checks.confidence(confidence)
        interval = current_name(interval)
        kind = INTERVALS[interval]
        _checks.one_of(side, "side", get_args(Side))
        error = 1 - confidence if side == "lower" else (1 - confidence) / 2
        counts = (self.tp, self.fp, self.tn, self.fn)
        value = kind.limit(*counts, question, error, "lower")
        notes, high = [], None
        shows_nothing = value <= question.chance_level
        if shows_nothing and (n := kind.enough_runs(self.n_p, self.n_q, question, error)):
            notes.append(
                "n is too small: at this confidence even an attack without errors would show "
                f"nothing with n_p = {self.n_p} and n_q = {self.n_q}; {n} runs with the record "
                f"and {n} without it would suffice."
            )
        if side == "two":
            high = max(kind.limit(*counts, question, error, "upper"), value)
            notes.append(THIS_ATTACK)
        return Bound(
            quantity=question.quantity,
            value=value,
            guarantee=kind.guarantee,
            method=kind.method,
            assumption=assumption,
            n_p=self.n_p,
            n_q=self.n_q,
            confidence=confidence,
            side=side,
            note=" ".join(notes) or None,
            at=question.at,
            recompute=lambda level: self.bound(question, level, interval, side, assumption, **more),
            high=high,
            **more,
        )

    def epsilon(
        self,
        delta: float,
        confidence: float = 0.95,
        interval: Interval | str = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on ε at δ in [0, 1); see `epsilon_from_counts`."""
        return self.bound(quantities.Epsilon(delta), confidence, interval, side)

    def delta(
        self,
        epsilon: float,
        confidence: float = 0.95,
        interval: Interval | str = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on δ at ε ≥ 0; see `delta_from_counts`."""
        return self.bound(quantities.Delta(epsilon), confidence, interval, side)

    def mu(
        self,
        confidence: float = 0.95,
        interval: Interval | str = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on μ; see `mu_from_counts`."""
        return self.bound(quantities.Mu(), confidence, interval, side)

    def total_variation(
        self,
        confidence: float = 0.95,
        interval: Interval | str = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on the total variation; see `total_variation_from_counts`."""
        return self.bound(quantities.TotalVariation(), confidence, interval, side)

    def renyi(
        self,
        order: float,
        confidence: float = 0.95,
        interval: Interval | str = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on the Rényi divergence of an order above 1; see `renyi_from_counts`."""
        return self.bound(quantities.Renyi(order), confidence, interval, side)

    def tpr(
        self,
        fpr: float,
        confidence: float = 0.95,
        interval: Interval | str = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on the TPR at a false positive rate in (0, 1); see `tpr_from_counts`."""
        return self.bound(quantities.TruePositiveRate(fpr), confidence, interval, side)

    def precision(
        self,
        prior: float,
        confidence: float = 0.95,
        interval: Interval | str = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on the precision at a prior in (0, 1); see `precision_from_counts`."""
        return self.bound(quantities.Precision(prior), confidence, interval, side)


def _called_out(
    called_in: int, in_name: str, called_out: int | None, out_name: str, n: int | None, n_name: str
) -> int:
    """Runs called out, given or from the number of runs."""
    if called_out is None:
        if n is None:
            raise ValueError(f"{out_name} is missing: give {out_name}=, or {n_name}=")
        rest = _checks.count(n, n_name) - called_in
        if rest < 0:
            raise ValueError(
                f"the counts do not add up: {in_name} = {called_in} is more than {n_name} = {n}; "
                "count every run exactly once"
            )
        return rest
    called_out = _checks.count(called_out, out_name)
    # In the order in which people write the sums: tp + fn, fp + tn.
    if n is not None and _checks.count(n, n_name) != called_in + called_out:
        raise ValueError(
            f"the counts do not add up: {in_name} + {out_name} = {called_in} + {called_out} = "
            f"{called_in + called_out}, but {n_name} = {n}; count every run exactly once"
        )
    return called_out


# -- as functions ---------------------------------------------------------------------------------


class _Given(TypedDict):
    """What all functions below take; their runtime signature and help list it."""

    tp: int
    fp: int
    tn: int
    fn: int
    confidence: NotRequired[float]
    interval: NotRequired[Interval | str]
    side: NotRequired[Side]
    n_p: NotRequired[int | None]
    n_q: NotRequired[int | None]


def bound_from_counts(
    question: quantities.Question,
    /,
    *,
    tp: int,
    fp: int,
    tn: int,
    fn: int,
    confidence: float = 0.95,
    interval: Interval | str = "clopper-pearson",
    side: Side = "lower",
    n_p: int | None = None,
    n_q: int | None = None,
) -> Bound:
    """Parameters
    ----------
    tp, fn : int
        Runs with the record that the attack called in (``tp``) and out (``fn``).
    fp, tn : int
        Runs without the record that the attack called in (``fp``) and out (``tn``).
    {own}confidence : float
        In (0.5, 1); of the lower limit, or of both ends together.
    interval : {intervals}
        "clopper-pearson" and "joint" keep their level: pointwise, for an attack fixed before these
        runs, and independent runs. "joint" tests both counts together and mostly gives larger
        bounds. The others are approximate, for comparison with tools that use them; "katz-log"
        serves epsilon and precision only.
    side : {sides}
        A lower limit, or an interval. The upper end of an interval says what *this attack* shows
        at most, nothing about the mechanism.
    n_p, n_q : int, optional
        Number of runs with and without the record; counts that do not add up to them are refused.

    Returns
    -------
    Bound
        With a ``note`` of a sufficient n where even an attack without errors would have shown
        nothing.

    Raises
    ------
    ValueError
        Negative or fractional counts, no runs with the record or none without it, counts that do
        not add up, an argument out of range, "katz-log" for another quantity.

    See Also
    --------
    Counts : the same as methods.
    """
    counts = Counts(tp, fp, tn, fn, n_p=n_p, n_q=n_q)
    return counts.bound(question, confidence, interval, side)


def _complete(own: str = "") -> Callable[[Function], Function]:
    """Decorator: the signature and help of `bound_from_counts`, with an argument of its own."""

    def complete(function: Function) -> Function:
        signature = inspect.signature(function)
        shared = list(inspect.signature(bound_from_counts).parameters.values())[1:]
        mine = [p for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
        parameters = [*shared[:4], *mine[:1], *shared[4:], *mine[1:]]
        composed = signature.replace(parameters=parameters)

        @functools.wraps(function)
        def checked(*args: Any, **given: Any) -> Any:
            try:
                composed.bind(*args, **given)
            except TypeError as error:  # in the name of the function that was called
                raise TypeError(f"{function.__name__}(): {error}") from None
            return function(*args, **given)

        checked.__signature__ = composed  # type: ignore[attr-defined]
        if function.__doc__ and bound_from_counts.__doc__:  # none with python -OO
            shared_help = inspect.cleandoc(bound_from_counts.__doc__).format(
                own=f"{own}\n" if own else "",
                intervals="{" + ", ".join(f'"{name}"' for name in INTERVALS.ours) + "}",
                sides="{" + ", ".join(f'"{name}"' for name in get_args(Side)) + "}",
            )
            summary, _, notes = inspect.cleandoc(function.__doc__).partition("\n\n")
            checked.__doc__ = f"{summary}\n\n{shared_help}\n\n{notes}"
        return cast("Function", checked)

    return complete


@_complete("delta : float\n    In [0, 1).")
def epsilon_from_counts(
    *, delta: float, sided: Side | None = None, **given: Unpack[_Given]
) -> Bound:
    """Lower bound on ε at δ from the four counts of one attack.

    Notes
    -----
    max{0, log((TPR − δ)/FPR), log((TNR − δ)/FNR)} at limits of the rates (Kairouz, Oh & Viswanath
    2015, Theorem 3.1). ``sided`` is another name of ``side``.

    Examples
    --------
    >>> print(wb.epsilon_from_counts(tp=400, fp=100, tn=400, fn=100, delta=1e-5))
    ε at δ = 1e-5 ≥ 1.16 (pointwise, 95%, assuming independent rows)
    """
    if sided is not None:
        if (side := given.setdefault("side", sided)) not in ("lower", sided):
            raise ValueError(f"sided={sided!r} is another name of side={side!r}; give one of them")
        given["side"] = sided
    return bound_from_counts(quantities.Epsilon(delta), **given)


@_complete("epsilon : float\n    At least 0.")
def delta_from_counts(*, epsilon: float, **given: Unpack[_Given]) -> Bound:
    """Lower bound on δ at ε from the four counts of one attack.

    Notes
    -----
    max{0, TPR − e^ε FPR, TNR − e^ε FNR} at limits of the rates (Kairouz, Oh & Viswanath 2015,
    Theorem 3.1).

    Examples
    --------
    >>> print(wb.delta_from_counts(tp=400, fp=100, tn=400, fn=100, epsilon=1))
    δ at ε = 1 ≥ 0.115 (pointwise, 95%, assuming independent rows)
    """
    return bound_from_counts(quantities.Delta(epsilon), **given)


@_complete()
def mu_from_counts(**given: Unpack[_Given]) -> Bound:
    """Lower bound on μ of Gaussian differential privacy from the four counts of one attack.

    Notes
    -----
    Φ⁻¹(TPR) − Φ⁻¹(FPR) at limits of the rates (Nasr et al. 2023). It refutes every smaller μ and
    does not assume that the pair is Gaussian.

    Examples
    --------
    >>> print(wb.mu_from_counts(tp=400, fp=100, tn=400, fn=100))
    μ ≥ 1.42 (pointwise, 95%, assuming independent rows)
    """
    return bound_from_counts(quantities.Mu(), **given)


@_complete()
def total_variation_from_counts(**given: Unpack[_Given]) -> Bound:
    """Lower bound on the total variation distance from the four counts of one attack.

    Notes
    -----
    TPR − FPR at limits of the rates: the advantage of the attack.

    Examples
    --------
    >>> print(wb.total_variation_from_counts(tp=400, fp=100, tn=400, fn=100))
    TV ≥ 0.524 (pointwise, 95%, assuming independent rows)
    """
    return bound_from_counts(quantities.TotalVariation(), **given)


@_complete("order : float\n    a, above 1. Near 1 it is the Kullback–Leibler divergence.")
def renyi_from_counts(*, order: float, **given: Unpack[_Given]) -> Bound:
    """Lower bound on the Rényi divergence of an order from the four counts of one attack.

    Notes
    -----
    The larger of R_a(P‖Q) and R_a(Q‖P) is at least that of the two coins "called in" (data
    processing), which with p = TPR and q = FPR is the larger of

        log(p^a q^(1−a) + (1−p)^a (1−q)^(1−a)) / (a − 1)

    and of the same with p and q exchanged (Balle et al. 2020). The limit is the least value over
    the confidence region of (q, p), rounded down. It refutes a `RenyiDP` claim.

    Examples
    --------
    >>> print(wb.renyi_from_counts(tp=400, fp=100, tn=400, fn=100, order=2))
    Rényi divergence of order 2 ≥ 0.923 (pointwise, 95%, assuming independent rows)
    """
    return bound_from_counts(quantities.Renyi(order), **given)


@_complete("fpr : float\n    Strictly between 0 and 1; the TPR of guessing.")
def tpr_from_counts(*, fpr: float, **given: Unpack[_Given]) -> Bound:
    """Lower bound on the true positive rate that the attack reaches at a false positive rate.

    Notes
    -----
    The error rates of the attack and of its mixtures with guessing bound the trade-off function
    from above, as in `TradeoffBand.tpr`.

    Examples
    --------
    >>> print(wb.tpr_from_counts(tp=400, fp=100, tn=400, fn=100, fpr=0.1))
    TPR at FPR 0.1 ≥ 0.320 (pointwise, 95%, assuming independent rows)
    """
    return bound_from_counts(quantities.TruePositiveRate(fpr), **given)


@_complete(
    "prior : float\n"
    "    Probability of being a member before the attack, strictly between 0 and 1; the precision\n"
    "    of guessing. Not the share of runs with the record, unless people are members that often."
)
def precision_from_counts(*, prior: float, **given: Unpack[_Given]) -> Bound:
    """Lower bound on the share of members among those whom the attack accuses, at a prior.

    Notes
    -----
    Bayes' theorem, π TPR / (π TPR + (1 − π) FPR), at limits of the rates.

    Examples
    --------
    >>> print(wb.precision_from_counts(tp=400, fp=100, tn=400, fn=100, prior=0.01))
    precision at prior 0.01 ≥ 0.0313 (pointwise, 95%, assuming independent rows)
    """
    return bound_from_counts(quantities.Precision(prior), **given)
