"""Test a claim on two samples of outputs: `find_violation` and `test_samples`."""

# ruff: noqa: PT028 (test_samples is no test)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.claims.base import Claim
from workbench.claims.parse import claim_or_largest
from workbench.pairs.base import Pair
from workbench.scores.chance import Fingerprint, seed_of
from workbench.testers.learning.outputs import Outputs, OutputsError, check_alike, check_outputs
from workbench.testers.outputs.table import OutputTable
from workbench.testers.outputs.table_encoding import fit_encoding
from workbench.testers.property_testers.base import Finding, Tester
from workbench.testers.property_testers.registry import tester as registered

#: Fraction of each sample that a witness is fitted on.
SHARE = 0.2

#: The smallest sample: a fifth of it is enough to fit.
LEAST = 20


def test_samples(
    p: ArrayLike,
    q: ArrayLike,
    claim: Claim | Pair | str | None = None,
    tester: str | Tester = "hockey-stick",
    *,
    delta: float | None = None,
    confidence: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> Bound:
    """Lower bound on the divergence of two samples of outputs that a tester measures.

    Parameters
    ----------
    p, q, claim, tester, delta, confidence, seed
        As in `find_violation`.

    Returns
    -------
    Bound
        ``find_violation(...).bound``.

    Raises
    ------
    ValueError
        As `find_violation`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p, q = rng.normal(1, 1, 10**5), rng.normal(0, 1, 10**5)
    >>> wb.test_samples(p, q, "approx(0.1, 1e-5)").rounded
    '0.345'
    """
    return find_violation(p, q, claim, tester, delta=delta, confidence=confidence, seed=seed).bound


def find_violation(
    p: ArrayLike,
    q: ArrayLike,
    claim: Claim | Pair | str | None = None,
    tester: str | Tester = "hockey-stick",
    *,
    delta: float | None = None,
    confidence: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> Finding:
    """Verdict on a claim from outputs on a dataset and on its neighbor.

    A random fifth of each sample chooses what to measure; the remaining outputs are measured.

    Parameters
    ----------
    p, q : array_like, shape (n_p,) or (n_p, d), and (n_q,) or (n_q, d)
        Outputs of independent runs on the two datasets: numbers, booleans or strings. NaN and ±∞
        are outcomes of their own. The sizes may differ; each must be at least 20.
    claim : Claim, Pair or str, optional
        Such as ``wb.ApproxDP(1, 1e-5)``, ``"gdp(1)"``, or a pair whose trade-off function is
        claimed. Without one, the largest ε that the outputs prove is found.
    tester : {"hockey-stick", "renyi", "mmd", "histogram", "bits"} or Tester
    delta : float, optional
        Of the largest ε without a claim; 0 by default.
    confidence : float
        Of the finding, both directions included.
    seed : int or numpy.random.Generator
        For the split and the fit. Trying a second seed because of the first result invalidates the
        guarantee. Of outputs that are sorted a fixed seed picks fixed ranks, which is no chance;
        their split follows from a number of the operating system instead, drawn once for the same
        outputs.

    Returns
    -------
    Finding
        The bound on the tester's divergence, the largest value that the claim allows, whether the
        claim is refuted (``violation``), and a lower bound on the claim's parameter. Without a
        claim, the bound is on ε.

    Raises
    ------
    ValueError
        Too few outputs, samples with different columns or types, or a tester that does not support
        such outputs or such a claim.

    Notes
    -----
    Guarantee: held-out, distribution-free, for independent runs. If no violation is found, that
    does not show that the claim is true.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p, q = rng.normal(1, 1, 10**5), rng.normal(0, 1, 10**5)
    >>> wb.find_violation(p, q, "approx(0.1, 1e-5)").violation
    True
    """
    sides = check_outputs(p, name="p"), check_outputs(q, name="q")
    check_alike(*sides)
    claimed = claim_or_largest(claim, None, delta)
    chosen = registered(tester)
    confidence = _checks.confidence(confidence)
    for name, x in zip("pq", sides, strict=True):
        if len(x) < LEAST:
            raise OutputsError(
                f"{name} has {len(x)} outputs, too few to fit on some and measure others; give at "
                f"least {LEAST} of each"
            )
    rng = np.random.default_rng(_drawn(sides) if any(map(_is_sorted, sides)) else seed)
    (p_fit, p_fresh), (q_fit, q_fresh) = (_split(x, rng) for x in sides)
    encoding = fit_encoding(p_fit, q_fit)
    p_fit, q_fit = encoding(p_fit), encoding(q_fit)
    reason = chosen.unsupported_reason(claimed, p_fit)
    if reason is not None:
        raise OutputsError(f"the {chosen.name} tester cannot test this: {reason}")
    witness = chosen.fit(p_fit, q_fit, claimed, rng)
    return witness.measure_in_words(encoding(p_fresh), encoding(q_fresh), confidence, encoding)


def _is_sorted(x: Outputs) -> bool:
    """Whether the rows are in the order of their values, and not because there is one value."""
    first: Any = x
    if isinstance(x, OutputTable):
        first = x.first
    elif x.ndim == 2:
        first = x[:, 0]
    values, ranks = np.unique(first, return_inverse=True)
    steps = np.diff(ranks)
    return values.size > 1 and bool((steps >= 0).all() or (steps <= 0).all())


def _drawn(sides: Sequence[Outputs]) -> int:
    p, q = (
        x.row_keys[:, None] if isinstance(x, OutputTable) else x.reshape(len(x), -1) for x in sides
    )
    return seed_of(Fingerprint.of_rows(p, q))


# pytest collects functions of such a name where they are imported.
test_samples.__test__ = False  # type: ignore[attr-defined]


def _split(x: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    order = rng.permutation(len(x))
    size = round(SHARE * len(x))
    return x[order[:size]], x[order[size:]]
