"""RMIA: how often a record's probability ratio exceeds that of other records.

Sajjad Zarifzadeh, Philippe Liu, Reza Shokri, *Low-Cost High-Power Membership Inference Attacks*
(ICML 2024). ratio(x) = p(x) / p̄(x), with the mean p̄ over reference models; the score of x is the
share of records z of a population with ratio(x) > γ·ratio(z).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.progress import Report
from workbench.tables.attacks.blocks import Blocks
from workbench.tables.attacks.reference_group import ReferenceGroup
from workbench.tables.attacks.references import References


def rmia_scores(
    blocks: Blocks,
    population: Blocks | None,
    references: References,
    gamma: float,
    a: float,
    report: Report,
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Scores, shape (T, R), and which records had enough reference models, shape (R,).

    Parameters
    ----------
    blocks : Blocks
        Probabilities of the true classes.
    population : Blocks or None
        Those of the records z; None for all other records of the table.
    references : References
    gamma, a : float
        γ, and a of p̄ = ((1 + a)·mean + 1 − a)/2, where the mean is over the reference models that
        were not trained on the record.
    report : Report
        Takes the progress.
    """
    ratios, known = _ratios(blocks, references, a, report, 0.0)
    others = None if population is None else _ratios(population, references, a, report, 0.3)
    scores = ratios  # overwritten row by row
    for m in range(scores.shape[0]):
        report(0.6 + 0.4 * m / scores.shape[0], "comparisons with the population")
        own = ratios[m].copy()
        z = own[known] if others is None else others[0][m][others[1]]
        z = gamma * np.sort(z[~np.isnan(z)])
        larger = np.searchsorted(z, own, side="left")
        n = np.full(own.size, z.size)
        if others is None:  # without the record itself
            larger = larger - (gamma * own < own)
            n = n - 1
        with np.errstate(invalid="ignore"):
            scores[m] = np.where(np.isnan(own), np.nan, larger / np.maximum(n, 1))
        scores[m, ~known] = 0.0
    report(1.0)
    return scores, known


def _ratios(
    blocks: Blocks, references: References, a: float, report: Report, start: float
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The ratios p / p̄, shape (T, R), and which records had enough reference models, shape (R,)."""
    ratios = np.empty((references.targets.size, blocks.n_records), dtype=blocks.signals.dtype)
    known = np.empty(blocks.n_records, dtype=bool)
    for place, p, member in blocks:
        report(start + 0.3 * place.start / blocks.n_records, "probability ratios")
        group = ReferenceGroup(p[..., references.models], ~member[..., references.models])
        each = references.leaves_out
        mean = group.mean_without(references.partner) if each else group.mean()
        known[place] = ~np.isnan(mean).any(axis=(1, 2))
        with np.errstate(invalid="ignore"):
            ratio = p[..., references.targets] / ((1 + a) / 2 * mean + (1 - a) / 2)
        ratios[:, place] = ratio.mean(axis=1).T
    return ratios, known
