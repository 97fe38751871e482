"""LiRA: the likelihood ratio of a signal under Gaussians that reference models fit.

Nicholas Carlini, Steve Chien, Milad Nasr, Shuang Song, Andreas Terzis, Florian Tramèr, *Membership
Inference Attacks From First Principles* (IEEE S&P 2022), Algorithm 1. The center of a Gaussian is
the median of the reference models' signals, its variance is taken about their mean. One variance
for all records is the mean of the records' variances, weighted by their degrees of freedom.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from workbench.progress import Report
from workbench.tables.attacks.blocks import Blocks
from workbench.tables.attacks.reference_group import ReferenceGroup
from workbench.tables.attacks.references import References

#: A variance below this share of the records' mean variance counts as this share, since signals
#: that saturate do not vary at all.
LEAST_VARIANCE = 1e-6


def lira_scores(
    blocks: Blocks, references: References, online: bool, fixed_variance: bool, report: Report
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Scores, shape (T, R), and which records had enough reference models, shape (R,).

    Parameters
    ----------
    blocks : Blocks
        Log-odds.
    references : References
    online : bool
        Whether the reference models that were trained on a record are used.
    fixed_variance : bool
        Whether one variance serves for all records.
    report : Report
        Takes the progress.
    """
    groups = (False, True) if online else (False,)
    common = _common_variances(blocks, references, groups, report)
    scores = np.empty((references.targets.size, blocks.n_records), dtype=blocks.signals.dtype)
    known = np.empty(blocks.n_records, dtype=bool)
    for place, log_odds, member in blocks:
        report(0.3 + 0.7 * place.start / blocks.n_records, "likelihood ratios")
        at = log_odds[..., references.targets]
        others, trained = log_odds[..., references.models], member[..., references.models]
        outside, *inside = [
            _Gaussian(
                ReferenceGroup(others, trained == side),
                references,
                variance,
                fixed_variance,
            )
            for side, variance in zip(groups, common, strict=True)
        ]
        with np.errstate(invalid="ignore"):
            evidence = (
                inside[0].log_density(at) - outside.log_density(at)
                if online
                else -outside.log_upper_tail(at)
            ).sum(axis=1)
        known[place] = np.logical_and.reduce([fit.known for fit in (outside, *inside)])
        scores[:, place] = np.where(known[place, None], evidence, 0.0).T
    report(1.0)
    return scores, known


class _Gaussian:
    """Fits to a group of reference models, as each target sees them: shape (B, A, T or 1)."""

    def __init__(
        self,
        group: ReferenceGroup,
        references: References,
        common: NDArray[np.float64],
        fixed_variance: bool,
    ) -> None:
        each = references.leaves_out
        self.center = group.median(each)
        self.variance = group.variance(each)
        if each:
            self.center = references.seen_by(self.center, group.chosen)
            self.variance = references.seen_by(self.variance, group.chosen)
        self.variance = (
            common if fixed_variance else np.maximum(self.variance, LEAST_VARIANCE * common)
        )
        # As many for members as for others: that a score is missing must not tell them apart.
        least = (1 if fixed_variance else 2) + each
        self.known = (group.n >= least).all(axis=(1, 2))

    def log_density(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Logarithm of the density, up to a constant."""
        return -0.5 * (np.square(at - self.center) / self.variance + np.log(self.variance))

    def log_upper_tail(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Logarithm of the probability of a larger value."""
        tail: NDArray[np.float64] = log_ndtr((self.center - at) / np.sqrt(self.variance))
        return tail


def _common_variances(
    blocks: Blocks, references: References, groups: tuple[bool, ...], report: Report
) -> list[NDArray[np.float64]]:
    """The mean variance of the records in each group, as each target sees it, (A, T or 1)."""
    each = references.leaves_out
    models = references.models.size if each else 1
    squares = np.zeros((len(groups), blocks.augmentations, models))
    freedom = np.zeros_like(squares)
    for place, log_odds, member in blocks:
        report(0.3 * place.start / blocks.n_records, "variances")
        others, trained = log_odds[..., references.models], member[..., references.models]
        for i, side in enumerate(groups):
            group = ReferenceGroup(others, trained == side)
            squares[i] += group.squares.sum(axis=0)
            freedom[i] += np.maximum(group.n - 1, 0).sum(axis=0)
            if each:
                taken = group.squares_of_each().sum(axis=0)
                lost = (group.chosen & (group.n > 1)).sum(axis=0)
                if references.partner is not None:
                    taken = taken + taken[:, references.partner]
                    lost = lost + lost[:, references.partner]
                squares[i] -= taken
                freedom[i] -= lost
    common = squares / np.maximum(freedom, 1)
    return list(np.where(common > 0, common, 1.0))  # signals that do not vary show no scale
