"""`of_one_record`: from a bound on a group of records, in or out together, to one on a record.

If no record leaks more than (ε, δ), no group of k leaks more than (kε, δ S(ε)) with::

    S(ε) = 1 + e^ε + … + e^{(k−1)ε} = (e^{kε} − 1)/(e^ε − 1)

(Dwork and Roth 2014, Theorem 2.2, and its proof for δ > 0). So a group that leaks more than
(ε_g, δ_g) has a record that leaks more than (ε, δ) for every ε with kε ≤ ε_g and δ S(ε) ≤ δ_g.
"""

from __future__ import annotations

import math
from dataclasses import replace

from workbench import _checks
from workbench._format import plain
from workbench.bounds.bound import Bound
from workbench.bounds.quantities import QuantityArguments

#: Records of a group at most.
_MOST = 1_000_000_000

#: Quantities of which group privacy says something.
_KNOWN = ("epsilon", "delta", "mu", "total variation")

#: Halvings of an interval of ε, to round-off.
_HALVINGS = 200


def of_one_record(bound: Bound, group: int, delta: float | None = None) -> Bound:
    """What a bound on a group of records, in or out together, implies for one of them.

    Parameters
    ----------
    bound : Bound
        A lower bound on ε, δ, μ or the total variation, or an estimate, from runs with and without
        the whole group: the pair of the group, not that of the record.
    group : int
        k, the number of records of the group.
    delta : float, optional
        The δ of the record, of a bound on ε. By default the largest δ at which ε is that of the
        group over k: δ_g (e^ε − 1)/(e^{kε} − 1), which is 0 at δ_g = 0.

    Returns
    -------
    Bound
        With the guarantee, the confidence and the assumption of the given one: that some record of
        the group leaks at least this much follows without further assumption. ε of a group with
        δ_g = 0, and μ and the total variation of any, are divided by k; at another δ, ε is the
        smaller one of ε_g/k and the ε with δ (e^{kε} − 1)/(e^ε − 1) = δ_g; δ at ε_g becomes one at
        ε_g/k. A two-sided bound becomes a lower one.

    Raises
    ------
    ValueError
        Another quantity, an upper bound, a δ for another quantity than ε, an argument outside its
        range.

    See Also
    --------
    group_pair : The other way: what a claim about one record says of a group, as a whole curve.

    Notes
    -----
    The chain from the data without the group to the data with it has k steps of one record; some
    step of it, with some others of the group in, leaks at least this much.

    References
    ----------
    Dwork and Roth, The algorithmic foundations of differential privacy (2014), Theorem 2.2; Dong,
    Roth and Su (2022), Theorem 2.14, for μ.

    Examples
    --------
    >>> group = wb.epsilon_from_counts(tp=990, fp=5, tn=995, fn=10, delta=1e-5)
    >>> print(group)
    ε at δ = 1e-5 ≥ 4.43 (pointwise, 95%, assuming independent rows)
    >>> print(wb.of_one_record(group, 4))
    ε at δ = 2.44e-7 ≥ 1.10 (pointwise, 95%, assuming independent rows)
    """
    _checks.instance(bound, Bound, "bound", "a Bound, such as of wb.epsilon_lower_bound")
    k = _checks.count(group, "group", 1, _MOST)
    if bound.quantity not in _KNOWN:
        raise ValueError(
            f"bound must be on one of {', '.join(_KNOWN)}, got {bound.quantity!r}, which says "
            "nothing of a single record; ask for ε of the same scores"
        )
    if bound.side == "upper" and bound.guarantee != "estimate":
        raise ValueError(
            "bound must be a lower one, got an upper one: a group that leaks little may do so at "
            "any number of records"
        )
    if delta is not None and bound.quantity != "epsilon":
        raise ValueError(f"delta is of a bound on epsilon, got one on {bound.quantity}")
    value, at = _implied(bound, k, None if delta is None else _checks.delta(delta))
    note = (
        f"It follows from {bound.symbol} {bound.relation} {bound.rounded} of {k:,} records, in or "
        "out together."
    )
    if bound.quantity == "epsilon" and value == 0 and bound.value > 0:
        note += f" δ = {plain(at.delta or 0)} is too large for it to say more; take a smaller one."
    kept = bound.recompute
    return replace(
        bound,
        value=value,
        at=at,
        side="lower",
        high=None,
        note=f"{bound.note} {note}" if bound.note else note,
        recompute=None if kept is None else lambda c: of_one_record(kept(c), k, at.delta),
    )


def _implied(bound: Bound, k: int, delta: float | None) -> tuple[float, QuantityArguments]:
    """The value for one record, and what it is a function of."""
    if bound.quantity == "delta":
        epsilon = (bound.epsilon or 0.0) / k
        return bound.value * math.exp(-_log_sum(epsilon, k)), QuantityArguments(epsilon=epsilon)
    share = bound.value / k
    if bound.quantity != "epsilon":
        return share, bound.at
    of_group = bound.delta or 0.0
    if delta is None:
        delta = 0.0 if of_group == 0 else of_group * math.exp(-_log_sum(max(share, 0.0), k))
        return share, QuantityArguments(delta=delta)
    return min(share, _largest_epsilon(of_group, delta, k)), QuantityArguments(delta=delta)


def _log_sum(epsilon: float, k: int) -> float:
    """Log S(ε) for ε ≥ 0."""
    if epsilon == 0 or k == 1:
        return math.log(k)
    if math.isinf(epsilon):
        return math.inf
    head, tail = -math.expm1(-k * epsilon), -math.expm1(-epsilon)
    return (k - 1) * epsilon + math.log(head) - math.log(tail)


def _largest_epsilon(of_group: float, delta: float, k: int) -> float:
    """The largest ε ≥ 0 with δ S(ε) ≤ δ_g, rounded down; 0 where there is none."""
    if delta == 0:
        return math.inf
    if of_group == 0 or k * delta > of_group:
        return 0.0
    if k == 1:
        return math.inf
    target = math.log(of_group) - math.log(delta)
    low, high = 0.0, target / (k - 1)  # S(ε) ≥ e^{(k−1)ε}
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _log_sum(middle, k) <= target:
            low = middle
        else:
            high = middle
    return low
