"""The error budget of a series of audits: how it is spent, and why that is enough.

Every audit errs with a probability of its own. Fifty audits of a pipeline that keeps its claim,
each at 95% confidence, refute the claim at least once with a probability of up to 92%. A series of
confidence 1 − α spends its error probability α over the audits instead: the k-th audit gets

    α_k = α / (k (k + 1)),   k = 1, 2, 3, …,

that is, it is made at the confidence 1 − α_k. As α_k = α/k − α/(k + 1), the first K audits spend
α − α/(K + 1); what is left for all later ones is α/(K + 1), and the whole sum is α.

Theorem. With a probability of at least 1 − α, no audit of the series, however many there are, makes
a false statement: no simultaneous bound exceeds the truth and no true claim is refuted.

Proof. Let F_{k−1} be everything that was known before the scores of audit k were drawn, and A_k the
event that audit k makes a false statement. Given F_{k−1}, the mechanism that is audited, the claims
and the confidence 1 − α_k are fixed, and the scores are fresh draws from the mechanism. All
statements of one audit rest on one event, that of `workbench.bounds.simultaneous.rank_band`, which
fails with a probability of at most α_k. So Pr[A_k | F_{k−1}] ≤ α_k, hence Pr[A_k] ≤ α_k, and
Pr[A_1 ∪ A_2 ∪ …] ≤ Σ α_k = α. ∎

The union bound needs nothing else. Audits may depend on each other. The pipeline may be changed
because of earlier results, another mechanism may be audited, and sample sizes and claims may differ
between audits, as long as each audit's own are fixed before its scores are seen. No number of
audits has to be planned. Two things are needed:

- *Fresh scores*, where anything was changed because of earlier results: scores that were used
  before are no new draws from what they led to. The same scores audited again get the position that
  they have, and give the same result; other claims on them cost nothing, as they rest on the same
  event.
- *Spending before looking*: a position is reserved before a number is computed, and is spent even
  if the computation fails or the audit is removed later. Otherwise one could look first and count
  only audits that one likes.

E-processes could add up the evidence of audits that each find little, but only against a claim that
every audit tests, of a mechanism that nobody changes. A series lets both change.

Choice of the levels. Any sequence with sum α is valid. Slower ones, such as k^(−1.6) or that of
Javanmard and Montanari (2018), double α_50. Against a Gaussian leak of μ = 1.25 where 1 is claimed,
with 1000 + 1000 scores, the 50th audit then has a power of 44% in place of 37%, the tenth 70% or
59% in place of 67%, and the second 90% or 70% in place of 91%. The small gain of late audits does
not pay for a budget without a closed form. Were 50 audits planned and no further one possible, α/50
each would have 75%: the price of a series without an end. The script ``benchmarks/series.py``
measures this, and that at most a share α of series refute a true claim: 2.2% to 2.6% of 1000 series
of 50 audits for α = 5%, against 61% to 67% where every audit is made at 95%.

References
----------
DeMets and Lan, Interim analysis: the alpha spending function approach, 1994.
Foster and Stine, α-investing: a procedure for sequential control of expected false discoveries,
2008. (The levels here are those of alpha spending: they do not grow again after a refuted claim, so
that the probability of *any* false statement is controlled.)
Javanmard and Montanari, Online rules for control of false discovery rate and false discovery
exceedance, 2018.
"""

from __future__ import annotations

from workbench import _checks
from workbench._format import round_safely


def spent_at(position: int, confidence: float = 0.95) -> float:
    """The error probability of one audit of a series, α / (k (k + 1)).

    Parameters
    ----------
    position : int
        k, from 1.
    confidence : float
        1 − α, of the whole series.

    Raises
    ------
    ValueError
        A position below 1, a confidence out of range.

    Examples
    --------
    >>> from workbench.audits.series.spending import spent_at
    >>> [round(spent_at(k), 5) for k in (1, 2, 3, 50)]
    [0.025, 0.00833, 0.00417, 2e-05]
    """
    k = _checks.count(position, "position", least=1)
    return (1 - _checks.confidence(confidence)) / (k * (k + 1))


def confidence_at(position: int, confidence: float = 0.95) -> float:
    """The confidence at which one audit of a series is made, 1 − α / (k (k + 1)).

    Parameters
    ----------
    position, confidence
        As of `spent_at`.
    """
    return 1 - spent_at(position, confidence)


def probability_text(probability: float) -> str:
    """An error probability as text, such as "2.5%" or "0.002%"."""
    return f"{float(round_safely(100 * probability, 'nearest')):g}%"
