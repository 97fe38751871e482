"""How bounds grow with the number of canaries, by the methods that people compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from workbench import _checks
from workbench.onerun.simulate import Auditor, Mechanism, Study, best_share, study
from workbench.pairs.families.base import Family
from workbench.parallel import Report, silent

SIZES = (100, 178, 316, 562, 1000, 1778, 3162, 5623, 10_000)

EXACT, HOEFFDING, STEINKE = "BITS, exact", "BITS, Hoeffding", "STEINKE23, best abstention"


def growth(
    mechanism: Mechanism,
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
    """BITS by both limits and STEINKE23 against the number of canaries, over seeds.

    STEINKE23 guesses the share of the canaries that did best in pilot runs of the very mechanism,
    so that its abstention was fixed beforehand, and better than anybody could.

    Parameters
    ----------
    mechanism : Mechanism
    family : str or Family
        What BITS assumes.
    delta : float
    q : float, optional
        As in ``wb.one_run_bound``.
    confidence : float
    canaries : sequence of int
    seeds : int
        Runs for each number of canaries.
    seed : int
    report : Report
        Hears of each number of canaries; its partial result is the study so far.

    Returns
    -------
    Study
        Its ``auditors`` are those of the largest number of canaries.
    """
    seed = _checks.count(seed, "seed")
    done: list[Study] = []
    for k, n in enumerate(canaries):
        report(k / len(canaries), f"{n:,} canaries", partial=_join(done) if done else None)
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
    """Studies of the same mechanism at one number of canaries each, as one."""
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
