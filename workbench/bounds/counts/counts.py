"""`Counts`: the four counts of one attack, with the bounds that follow from them as methods."""

from __future__ import annotations

from typing import Literal

from workbench import _checks
from workbench.bounds import quantities
from workbench.bounds.bound import Bound
from workbench.bounds.counts.four_counts import FourCounts
from workbench.bounds.counts.intervals import bound
from workbench.scores.sample import Scores, require_scores

Interval = Literal["clopper-pearson", "joint", "jeffreys", "wilson", "katz-log", "bayesian"]
Side = Literal["lower", "two"]


class Counts(FourCounts):
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
    epsilon_from_counts : the same bounds as functions.

    Notes
    -----
    The methods share these parameters. ``confidence`` is that of the lower limit, or of both ends
    together. ``interval="clopper-pearson"`` and ``"joint"`` keep their level: pointwise, for an
    attack fixed before these runs, and independent runs. ``"joint"`` tests both counts together
    and mostly gives larger bounds. ``"jeffreys"``, ``"wilson"``, ``"katz-log"`` (ε and precision
    only) and ``"bayesian"`` are approximate, for comparison with tools that use them.
    ``side="two"`` gives an interval, whose upper end is about this attack and not about the
    mechanism. A bound that shows nothing carries a ``note`` with a sufficient n where even an
    attack without errors would have shown nothing.

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
        super().__init__(
            tp=tp,
            fp=fp,
            tn=_other(fp, "fp", tn, "tn", n_q, "n_q"),
            fn=_other(tp, "tp", fn, "fn", n_p, "n_p"),
        )

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

    def epsilon(
        self,
        delta: float,
        confidence: float = 0.95,
        interval: Interval = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on ε at δ.

        Parameters
        ----------
        delta : float
            In [0, 1).
        confidence, interval, side
            See the notes of `Counts`.

        See Also
        --------
        workbench.epsilon_from_counts
        """
        return bound(self, quantities.Epsilon(delta), confidence, interval, side)

    def delta(
        self,
        epsilon: float,
        confidence: float = 0.95,
        interval: Interval = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on δ at ε.

        Parameters
        ----------
        epsilon : float
            At least 0.
        confidence, interval, side
            See the notes of `Counts`.

        See Also
        --------
        workbench.delta_from_counts
        """
        return bound(self, quantities.Delta(epsilon), confidence, interval, side)

    def mu(
        self,
        confidence: float = 0.95,
        interval: Interval = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on μ.

        Parameters
        ----------
        confidence, interval, side
            See the notes of `Counts`.

        See Also
        --------
        workbench.mu_from_counts
        """
        return bound(self, quantities.Mu(), confidence, interval, side)

    def total_variation(
        self,
        confidence: float = 0.95,
        interval: Interval = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on the total variation.

        Parameters
        ----------
        confidence, interval, side
            See the notes of `Counts`.

        See Also
        --------
        workbench.total_variation_from_counts
        """
        return bound(self, quantities.TotalVariation(), confidence, interval, side)

    def renyi(
        self,
        order: float,
        confidence: float = 0.95,
        interval: Interval = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on the Rényi divergence of an order.

        Parameters
        ----------
        order : float
            Above 1.
        confidence, interval, side
            See the notes of `Counts`.

        See Also
        --------
        workbench.renyi_from_counts
        """
        return bound(self, quantities.Renyi(order), confidence, interval, side)

    def tpr(
        self,
        fpr: float,
        confidence: float = 0.95,
        interval: Interval = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on the TPR at a false positive rate.

        Parameters
        ----------
        fpr : float
            Strictly between 0 and 1.
        confidence, interval, side
            See the notes of `Counts`.

        See Also
        --------
        workbench.tpr_from_counts
        """
        return bound(self, quantities.TruePositiveRate(fpr), confidence, interval, side)

    def precision(
        self,
        prior: float,
        confidence: float = 0.95,
        interval: Interval = "clopper-pearson",
        side: Side = "lower",
    ) -> Bound:
        """Lower bound on the precision at a prior.

        Parameters
        ----------
        prior : float
            Probability of being a member before the attack, strictly between 0 and 1.
        confidence, interval, side
            See the notes of `Counts`.

        See Also
        --------
        workbench.precision_from_counts
        """
        return bound(self, quantities.Precision(prior), confidence, interval, side)


def _other(
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
