"""ε of a family by the total variation that the scores show of any pair.

The band's lower limit of the total variation holds for every pair, whatever the family. In a family
total variation and ε(δ) both grow with the parameter; so the member with this total variation
leaks no more than the true pair, if the pair is of the family (Koskela and Mohammadi 2024, §7; the
same in "Black box differential privacy auditing using total variation distance", §5). The limits of
`parametric`, which use all of the scores, are sharper; these ask for one number only, which other
audits report, too.
"""

from __future__ import annotations

import math

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.parametric.checks import REFUTED, refutation
from workbench.bounds.parametric.estimators import estimator_named
from workbench.bounds.quantities import QuantityArguments
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.pairs.families.registry import FamilyName
from workbench.scores.sample import Scores, require_scores

METHOD = "family with the band's total variation"


def epsilon_from_total_variation(
    scores: Scores,
    family: FamilyName = "gaussian",
    *,
    delta: float,
    confidence: float = 0.95,
    q: float | None = None,
) -> Bound:
    """Lower bound on ε at δ from a lower bound on total variation, if the pair is of a family.

    Parameters
    ----------
    scores : Scores
    family, q
        As in `family_fit`.
    delta : float
        In [0, 1).
    confidence : float
        In (0.5, 1).

    Returns
    -------
    Bound
        With ``family`` set: void where `family_check` refutes the family, or where no member has
        so large a total variation.

    Raises
    ------
    ValueError
        Unknown family, a missing or superfluous ``q``.

    Notes
    -----
    Guarantee: simultaneous, as the band's. `parametric_bound` is sharper. For the member with a
    total variation from elsewhere see `pair_from_total_variation`.

    References
    ----------
    Koskela and Mohammadi (2024), §7.

    Examples
    --------
    >>> scores = wb.GaussianPair(1).sample(1000, seed=0)
    >>> bound = wb.epsilon_from_total_variation(scores, "gaussian", delta=1e-5)
    >>> bound.value < wb.GaussianPair(1).epsilon(1e-5)
    True
    """
    require_scores(scores)
    member = estimator_named(family, q)
    delta, confidence = _checks.delta(delta), _checks.confidence(confidence)
    certified = tradeoff_band(scores, confidence).total_variation()
    parameter = member.family.parameter_of_total_variation(certified.value)
    none = math.isinf(parameter)
    refuted = none or refutation(member, scores, confidence) is not None

    def again(confidence: float) -> Bound:
        return epsilon_from_total_variation(scores, family, delta=delta, confidence=confidence, q=q)

    return Bound.of_scores(
        scores,
        math.inf if none else float(member.pair(parameter).epsilon(delta)),
        quantity="epsilon",
        guarantee=certified.guarantee,
        confidence=confidence,
        family=member.given,
        checked="refuted" if refuted else "not refuted",
        void=REFUTED if refuted else None,
        method=METHOD,
        at=QuantityArguments(delta=delta),
        recompute=again,
    )
