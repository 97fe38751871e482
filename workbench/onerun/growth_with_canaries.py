"""Bounds against the number of canaries, by three methods, on a simulated mechanism."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from workbench import _checks
from workbench.onerun.simulate import CanaryMechanism
from workbench.onerun.studies import Auditor, Study, best_share, study
from workbench.pairs.families.base import Family
from workbench.progress import Report, silent

SIZES = (100, 178, 316, 562, 1000, 1778, 3162, 5623, 10_000)

#: Names of the methods' lines: two limits for independent canaries (Xiang, Wang and Wang 2025), and
#: the bound for any mechanism (Steinke et al. 2023).
EXACT, HOEFFDING = "independent canaries, exact", "independent canaries, Hoeffding"
STEINKE = "Steinke et al. 2023, best abstention"


@_checks.arguments
def growth(
    mechanism: CanaryMechanism,
    family: str | Family,
    *,
    delta: float,
    q: float | None = None,
    confidence: float = 0.95,
    canaries: Sequence[int] = SIZES,
    seeds: int = 20,
    seed: int = 0,
    report: Report = silent,
) -> Study:
    """Bounds by three methods against the number of canaries, over seeds.

    The methods are `EXACT`, `HOEFFDING` and `STEINKE`. The last guesses the fraction of the
    canaries that is best in pilot runs of the same mechanism, so that its abstention is fixed in
    advance, and better than in practice.

    Parameters
    ----------
    mechanism : CanaryMechanism
    family : str or Family
        The family that `EXACT` and `HOEFFDING` assume.
    delta : float
    q : float, optional
        As in ``wb.one_run_bound``.
    confidence : float
    canaries : sequence of int
    seeds : int
        Runs for each number of canaries.
    seed : int
    report : Report
        Is called for each number of canaries, with the study so far as partial result.

    Returns
    -------
    Study
        Its ``auditors`` are those of the largest number of canaries.
    """
    seed = _checks.count(seed, "seed")
    sizes = _checks.counts(canaries, "canaries", least=2)
    done: list[Study] = []
    for k, n in enumerate(sizes):
        report(k / len(sizes), f"{n:,} canaries", partial=_join(done) if done else None)
        auditors = {
            EXACT: Auditor("bits", family, q),
            HOEFFDING: Auditor("bits-hoeffding", family, q),
            STEINKE: best_share(
                mechanism,
                Auditor("steinke"),
                canaries=n,
                delta=delta,
                confidence=confidence,
                seed=np.random.default_rng((seed, n, 0)),
            ),
        }
        report()
        done.append(
            study(
                mechanism,
                auditors,
                delta=delta,
                canaries=(n,),
                confidence=confidence,
                seeds=seeds,
                seed=np.random.default_rng((seed, n, 1)),
            )
        )
    return _join(done)


def _join(parts: Sequence[Study]) -> Study:
    """One study from studies of the same mechanism at single numbers of canaries."""
    last = parts[-1]

    def stacked(values: Iterator[np.ndarray]) -> np.ndarray:
        return np.concatenate(list(values))

    return Study(
        mechanism=last.mechanism,
        auditors=last.auditors,
        canaries=stacked(part.canaries for part in parts),
        epsilon={name: stacked(part.epsilon[name] for part in parts) for name in last.epsilon},
        bit_error=stacked(part.bit_error for part in parts),
        truth=last.truth,
        delta=last.delta,
        confidence=last.confidence,
    )
