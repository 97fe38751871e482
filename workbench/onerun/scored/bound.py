"""`one_run_score_bound`: a bound from the scores of the canaries of one run, not from guesses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.bounds.lower_bounds import Guarantee, epsilon_lower_bound, mu_lower_bound
from workbench.bounds.parametric.parametric import parametric_bound
from workbench.bounds.strategies import Strategy
from workbench.onerun.bound import SUBSTITUTION
from workbench.onerun.run import OneRun
from workbench.onerun.scored.independence import CanaryIndependence, canary_independence
from workbench.scores.sample import ALIKE

#: `Bound.assumption` of these bounds.
SCORES = "independent scores of canaries"

#: Why such a bound is void.
REFUTED = "the scores of the canaries depend on each other"


def one_run_score_bound(
    run: OneRun,
    quantity: Literal["epsilon", "mu"] = "epsilon",
    *,
    delta: float | None = None,
    confidence: float = 0.95,
    guarantee: Guarantee | Strategy = "simultaneous",
    family: Literal["gaussian", "laplace"] | None = None,
    independence: CanaryIndependence | None = None,
) -> Bound:
    """Lower bound on ε or μ from the scores of the canaries of one run.

    Included canaries are a sample of P, the others one of Q, and no guessing rule has to be chosen.
    That needs canaries that do not influence each other, which is tested.

    Parameters
    ----------
    run : OneRun
        Of any design but "given", which yields an estimate: what matters is who was in, and that it
        was drawn at random, not how.
    quantity : {"epsilon", "mu"}
        "epsilon" needs ``delta``.
    delta : float, optional
        In [0, 1).
    confidence : float
        In (0.5, 1).
    guarantee : str or an object with settings
        As in `epsilon_lower_bound`; by default over all thresholds at once.
    family : {"gaussian", "laplace"}, optional
        As in `parametric_bound`, whose bound this is then: it holds if the scores are of the
        family.
    independence : CanaryIndependence, optional
        The test of the assumption, where it was made before, such as from a table of several runs;
        by default `canary_independence` of the run.

    Returns
    -------
    Bound
        Its assumption is "independent scores of canaries": given who was in, scores are
        independent, those of members of one law and those of the others of one. The note says what
        the test found; where it finds dependence with p below 1%, the bound is void.

    Raises
    ------
    TypeError
        Not a `OneRun`, or not a `CanaryIndependence`.
    ValueError
        A level out of range; δ that is missing or superfluous; a guarantee together with a family.
    ScoresError
        Too few scores for a held-out bound.

    See Also
    --------
    one_run_bound : from guesses; its methods "steinke", "sharp" and "fdp" let canaries influence
        each other.

    Notes
    -----
    Guarantee: that of the bound from two samples, under the assumption. The test can only void a
    bound, so it does not raise the rate of false bounds. It finds no influence that all canaries
    share: a mechanism that sometimes reveals all of them together breaks the bound unseen.

    Given a family, scores say more than guesses. Means of 15 runs of 1000 canaries, Gaussian with
    μ = 1, δ = 1e-5 (truth 4.38): 3.76 from scores, 3.52 from the best of several abstentions, paid
    for. Without a family they do so only with many canaries: 1.42 against 1.44 ("steinke") with
    1000, 2.16 against 1.95 with 10,000.

    References
    ----------
    The setting is that of arXiv 2606.12733.

    Examples
    --------
    >>> from workbench.onerun import SharedGaussian
    >>> run = SharedGaussian(1.0, coordinates=1000).run(1000, seed=0)
    >>> print(wb.one_run_score_bound(run, delta=1e-5))
    ε at δ = 1e-5 ≥ 1.66 (simultaneous, 95%, assuming independent canaries)
    """
    _checks.instance(run, OneRun, "run", "a workbench.OneRun; make one with wb.read_one_run")
    _checks.one_of(quantity, "quantity", ("epsilon", "mu"))
    if (delta is None) == (quantity == "epsilon"):
        raise ValueError(
            f"quantity='epsilon' needs delta=, and 'mu' has none; got quantity={quantity!r}, "
            f"delta={delta!r}"
        )
    if family is not None:
        _checks.one_of(family, "family", ("gaussian", "laplace"))
        if guarantee != "simultaneous":
            raise ValueError(
                f"guarantee={guarantee!r} is of a bound without a family; leave out one of "
                "guarantee= and family="
            )
    if independence is None:
        independence = canary_independence(run)
    _checks.instance(
        independence, CanaryIndependence, "independence", "what wb.canary_independence returns"
    )
    scores = run.as_scores()
    if family is not None:
        bound = parametric_bound(scores, family, quantity, delta=delta, confidence=confidence)
    elif delta is not None:
        bound = epsilon_lower_bound(scores, delta, confidence, guarantee)
    else:
        bound = mu_lower_bound(scores, confidence, guarantee)
    again: dict[str, Any] = {
        "delta": delta, "guarantee": guarantee, "family": family, "independence": independence,
    }  # fmt: skip
    about = SUBSTITUTION if run.design == "matched-pairs" else None
    labeled = replace(
        bound,
        assumption=ALIKE if run.design == "given" else SCORES,
        note=" ".join(filter(None, (bound.note, independence.explain(), about))),
        recompute=lambda level: one_run_score_bound(run, quantity, confidence=level, **again),
    )
    if run.design == "given":
        return replace(labeled, recompute=None)
    return labeled.voided(REFUTED) if independence.dependent else labeled
