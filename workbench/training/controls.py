"""`positive_control`: for every bug of DP-SGD, an audit that detects it.

An audit that finds nothing says little unless the same audit finds a bug that is there. Each
control trains models with one bug of `workbench.training.dp_sgd.bugs`, scores them by a statistic
that belongs to the control, and judges the claim of the accountant for all noisy gradients.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from workbench import _checks
from workbench.bounds.power.judge import judge
from workbench.bounds.power.verdict import Verdict
from workbench.pairs.accounting.dpsgd import DPSGDPair
from workbench.progress import Report, silent
from workbench.training.audits.audited_record import AuditedRecord
from workbench.training.audits.initial_weights import InitialWeights
from workbench.training.audits.white_box.white_box import WhiteBox
from workbench.training.dp_sgd.bugs import PROCEDURES
from workbench.training.dp_sgd.data import labeled_data
from workbench.training.dp_sgd.dp_sgd import DPSGDSettings
from workbench.training.dp_sgd.network import Network
from workbench.training.runs.run import run_training_audit

#: What positive controls may be asked for.
BUGS = tuple(name for name in PROCEDURES if name != "none")

#: A linear model of ten classes in 10 steps, with 10 of 50 records in a batch: 49 and a canary.
_DIGITS = DPSGDSettings(
    Network((64, 10)),
    steps=10,
    sample_rate=0.2,
    noise_multiplier=1,
    expected_batch=10,
    learning_rate=0.1,
    optimizer="sgd",
)

#: A linear model of two classes, for which records with different labels pull in nearly opposite
#: directions, with a clipping norm that nearly all gradients exceed.
_TWO_CLASSES = DPSGDSettings(
    Network((30, 2)),
    steps=10,
    sample_rate=0.5,
    noise_multiplier=1,
    expected_batch=10,
    clip=0.01,
    learning_rate=0.1,
    optimizer="sgd",
)

#: Weights that know the other records, which then have small gradients in one direction.
_LEARNED = InitialWeights("pretrained", steps=50)

#: Two rows of one class that point almost the same way, the second one twice as long.
_ALIGNED_ROWS = [272, 461]


@dataclass(frozen=True, eq=False)
class PositiveControl:
    """An audit that detects a bug of DP-SGD.

    Attributes
    ----------
    audit : WhiteBox
        Its settings have the bug. It can be made again from its ``parameters``.
    why : str
        How the bug shows.
    """

    audit: WhiteBox
    why: str

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def bug(self) -> str:
        """Name of the bug."""
        return self.audit.settings.bug

    @property
    def claim(self) -> DPSGDPair:
        """What the accountant says of all noisy gradients, which is true without the bug."""
        return self.audit.settings.pair

    @property
    def corrected(self) -> WhiteBox:
        """The same audit of DP-SGD without the bug."""
        return replace(self.audit, settings=replace(self.audit.settings, bug="none"))

    def verdict(
        self,
        seed: int = 0,
        confidence: float = 0.99,
        corrected: bool = False,
        report: Report = silent,
        executor: Executor | None = None,
    ) -> Verdict:
        """The verdict on the claim, by models that are trained now.

        Parameters
        ----------
        seed : int
            Of the models.
        confidence : float
            Probability, at least, with which DP-SGD without a bug is not accused.
        corrected : bool
            Whether to audit DP-SGD without the bug.
        report, executor
            As of `run_training_audit`.

        Returns
        -------
        Verdict
            Guarantee: simultaneous over all thresholds, distribution-free, for independent models.

        Raises
        ------
        ValueError
            A seed or a confidence outside its range.
        """
        level = _checks.confidence(confidence)
        audit = self.corrected if _checks.flag(corrected, "corrected") else self.audit
        run = run_training_audit(audit, seed, report, executor)
        return judge(audit.collect(run.rows), self.claim, level)


def positive_control(bug: str) -> PositiveControl:
    """An audit that detects a bug of DP-SGD with a confidence of 99%, in seconds.

    Parameters
    ----------
    bug : str
        Name of a procedure of `workbench.training.dp_sgd.bugs` other than "none".

    Raises
    ------
    ValueError
        No bug of that name.

    Examples
    --------
    >>> control = wb.training.positive_control("same-seed")
    >>> control.audit.models, control.audit.statistic
    (60, 'spread')
    """
    return _controls()[_checks.one_of(bug, "bug", BUGS)]


@lru_cache(maxsize=1)
def _controls() -> dict[str, PositiveControl]:
    """All positive controls by bug."""
    digits, cancer = labeled_data("digits"), labeled_data("breast-cancer")
    aligned, benign = cancer.take(_ALIGNED_ROWS), cancer.take(np.flatnonzero(cancer.y == 1)[:20])

    def gradient(bug: str, models: int, statistic: str, norm: float = 1.0) -> WhiteBox:
        return WhiteBox(
            replace(_DIGITS, bug=bug),
            digits.take(slice(0, 49)),
            models,
            canary_norm=norm,
            statistic=statistic,
        )

    controls = (
        PositiveControl(
            gradient("average-first", 100, "sum", norm=100),
            "A canary of 100 times the clipping norm takes over the average of a batch of ten, "
            "which moves the released sum ten times as far as one clipped gradient would.",
        ),
        PositiveControl(
            WhiteBox(
                replace(
                    _TWO_CLASSES,
                    bug="micro-batches",
                    sample_rate=1,
                    noise_multiplier=3,
                    expected_batch=2,
                ),
                aligned,
                300,
                canary="record",
                record=AuditedRecord("mislabeled", 1),
                initial=_LEARNED,
                statistic="sum",
            ),
            "With the other record alone the micro-batch is clipped to one direction; a longer, "
            "mislabeled record turns its mean around, almost twice the clipping norm away.",
        ),
        PositiveControl(
            gradient("scaled-noise", 400, "likelihood-ratio"),
            "Half of the noise leaves canaries twice as visible as the accountant allows.",
        ),
        PositiveControl(
            gradient("same-seed", 60, "spread"),
            "The same noise in each step cancels in the difference of two steps, and only the "
            "sampling of the canary and small gradients of records are left.",
        ),
        PositiveControl(
            gradient("last-unclipped", 100, "sum", norm=10),
            "The canary is the last of each batch that it is in, and is added at ten times the "
            "clipping norm.",
        ),
        PositiveControl(
            gradient("divided-first", 100, "sum", norm=10),
            "A gradient of ten times the clipping norm is divided by the batch size of ten and "
            "then passes as it is, where noise is made for a tenth of it.",
        ),
        PositiveControl(
            gradient("no-noise", 60, "spread"),
            "Without noise, only the gradients of other records hide the canary.",
        ),
        PositiveControl(
            gradient("divided-by-data", 60, "smallness"),
            "49 records are divided by 9 and 50 by 10, so all of what is released is smaller "
            "with the canary, noise included.",
        ),
        PositiveControl(
            WhiteBox(
                replace(_TWO_CLASSES, bug="fixed-size"),
                benign,
                400,
                canary="record",
                record=AuditedRecord("mislabeled", 0),
                initial=_LEARNED,
                statistic="sum",
            ),
            "In a batch of fixed size a mislabeled record replaces one that pulls in the opposite "
            "direction, and so counts almost twice.",
        ),
        PositiveControl(
            WhiteBox(
                replace(
                    _TWO_CLASSES,
                    bug="shuffled",
                    sample_rate=0.1,
                    noise_multiplier=0.6,
                    expected_batch=2,
                ),
                benign,
                400,
                canary="record",
                record=AuditedRecord("mislabeled", 0),
                initial=_LEARNED,
            ),
            "In the epoch a mislabeled record is in exactly one of ten batches, in the place of "
            "one that pulls in the opposite direction, and stands out twice as far as the noise "
            "was made for.",
        ),
    )
    return {control.bug: control for control in controls}
