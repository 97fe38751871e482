"""`TrainingSetup`: what is trained, with which bug, and what is audited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import param

from workbench.pages.core.page import Control, Section
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import SEED, SEED_DOC, IntegerField, LogNumber
from workbench.training.audits.audited_record import RECORDS
from workbench.training.audits.base import TrainingAudit
from workbench.training.audits.registry import AUDITS, make_audit
from workbench.training.audits.white_box.step_statistics import STATISTICS
from workbench.training.controls import positive_control
from workbench.training.dp_sgd.bugs import PROCEDURES
from workbench.training.dp_sgd.data import DATA, labeled_data

#: Kinds that put gradients into one model.
ONE_RUN = ("federated", "white-box-one-run")

#: Kinds of audits on offer, by title.
KINDS = {kind.title: name for name, kind in AUDITS.items()}

#: Records on offer, by what they are called.
RECORD_NAMES = {
    "row": "a row of the data",
    "mislabeled": "a row with a wrong label",
    "blank": "a blank one: all features 0",
}

#: Settings of the training, and of what is audited.
TRAINING = ("data", "records", "hidden", "steps", "rate", "noise")
BUG = ("bug", "shown_by", "corrected", "noise_scale")
AUDITED = ("kind", "record", "canaries", "statistic", "canary_norm", "log_models", "seed")

#: Learning rate of plain SGD: with clipped gradients of norm 1, the largest step of a batch.
LEARNING_RATE = 0.05

#: Largest number of records of the page.
MOST_RECORDS = 500


def many_models(kind: str) -> bool:
    """Whether an audit of this kind trains many models, whose scores are independent."""
    return AUDITS[kind].sampling == "independent runs"


def _own(page: Any) -> bool:
    return bool(page.setup.own)


def _of(*kinds: str) -> Callable[[Any], bool]:
    return lambda page: page.setup.own and page.kind in kinds


class TrainingSetup(Part):
    """What is trained, with which bug, and what is audited."""

    data = param.Selector(
        default="digits",
        objects={name.replace("-", " ").capitalize(): name for name in DATA},
        label="Training data",
        doc="Data sets of scikit-learn.",
    )
    records = param.Integer(
        200,
        bounds=(50, MOST_RECORDS),
        step=10,
        label="Records",
        doc="Size of the training set: the first records of the data set.",
    )
    hidden = param.Integer(
        16, bounds=(0, 64), step=4, label="Hidden units", doc="0 trains a linear model."
    )
    steps = param.Integer(20, bounds=(1, 100), label="Steps")
    rate = param.Number(
        0.1,
        bounds=(0.01, 1),
        step=0.01,
        label="Sampling rate q",
        doc="Probability that a record is in the batch of a step; 1 is full batches.",
    )
    noise = param.Number(
        3.0,
        bounds=(0.3, 30),
        softbounds=(0.3, 10),
        step=0.1,
        label="Noise multiplier σ",
        doc="Standard deviation of the noise over the clipping norm.",
    )
    bug = param.Selector(
        default="none",
        objects={procedure.title: name for name, procedure in PROCEDURES.items()},
        label="Bug",
        doc="A mistake that was found in public code. The claim stays that of DP-SGD without it.",
    )
    shown_by = param.Selector(
        default="control",
        objects={"an audit that shows it": "control", "my settings": "own"},
        label="Bug audited by",
        doc="Each bug has a prepared training and audit that reveal it. Alternatively, your own "
        "settings are audited.",
    )
    corrected = param.Boolean(
        False,
        label="Without the bug",
        doc="The same training and audit without the bug, for comparison.",
    )
    noise_scale = param.Number(
        0.1, bounds=(0.01, 1), step=0.01, label="Noise scaled by s", doc="1 is no bug."
    )

    kind = param.Selector(default="black-box", objects=KINDS, label="Audit")
    record = param.Selector(
        default="blank",
        objects={RECORD_NAMES[name]: name for name in RECORDS},
        label="Audited record",
        doc="Every second model is trained with this record, the others without it. A record that "
        "is unlike the others changes the model most.",
    )
    canaries = param.Integer(
        100,
        bounds=(10, MOST_RECORDS),
        step=10,
        label="Audited records",
        doc="Number of records or canaries that are included at random. At most the number of "
        "records.",
    )
    statistic = param.Selector(
        default="likelihood-ratio",
        objects={statistic.title: name for name, statistic in STATISTICS.items()},
        label="Statistic",
        doc="What is computed from all noisy gradients.",
    )
    canary_norm = param.Number(
        1.0,
        bounds=(0.1, 1000),
        softbounds=(0.1, 100),
        step=0.1,
        label="Norm of the canary",
        doc="Before it is clipped, in units of the clipping norm.",
    )
    log_models = LogNumber(
        3.0,
        bounds=(1.5, 4),
        step=0.1,
        whole=True,
        label="Models",
        doc="Half of them with the record. The training may be stopped before.",
    )
    seed = IntegerField(0, SEED, label="Seed", doc=SEED_DOC)

    training: ClassVar[Section] = Section(
        "Training",
        (*(Control(name, when=_own) for name in TRAINING),),
    )
    audited: ClassVar[Section] = Section(
        "Audit",
        (
            Control("kind", when=_own),
            Control("record", when=_of("black-box")),
            Control("statistic", when=_of("white-box", "white-box-one-run")),
            Control("canary_norm", when=_of("white-box")),
            Control("canaries", when=_of("one-run", "one-shot", "many-records", *ONE_RUN)),
            Control("log_models", when=lambda page: not page.setup.own or many_models(page.kind)),
            Control("seed"),
            Control("log_delta"),
            Control("confidence"),
        ),
    )

    @property
    def own(self) -> bool:
        """Whether the settings of the page are trained, and not those that show a bug."""
        return self.bug == "none" or self.shown_by == "own"

    @property
    def models(self) -> int:
        """Models of an audit that trains many."""
        return round(10**self.log_models)

    def audit(self) -> TrainingAudit:
        """The audit that the controls describe (ValueError where they contradict each other)."""
        if not self.own:
            control = positive_control(self.bug)
            audit = control.corrected if self.corrected else control.audit
            return replace(audit, models=self.models)
        data = labeled_data(self.data)
        parameters = {
            "kind": self.kind,
            "models": self.models if many_models(self.kind) else 1,
            "data": {"name": self.data, "rows": min(self.records, data.size)},
            "settings": {
                "network": {"sizes": [data.features, *self._layers, data.classes]},
                "steps": self.steps,
                "sample_rate": self.rate,
                "noise_multiplier": self.noise,
                "expected_batch": self.rate * self._trained_on,
                "learning_rate": LEARNING_RATE,
                "optimizer": "sgd",
                "bug": self.bug,
                "noise_scale": self.noise_scale,
            },
        }
        return make_audit({**parameters, **self._subject})

    @property
    def _layers(self) -> list[int]:
        return [self.hidden] if self.hidden else []

    @property
    def _trained_on(self) -> int:
        """Records that a model is trained on, about."""
        held_out = self._canaries // 2 if self.kind == "one-shot" else 0
        return self.records - held_out

    @property
    def _canaries(self) -> int:
        """An even number, at most that of the records."""
        return min(self.canaries, self.records) // 2 * 2

    @property
    def _subject(self) -> Mapping[str, Any]:
        """The parameters of the audit that are those of its kind alone."""
        canaries = self._canaries
        return {
            "black-box": {"record": {"kind": self.record}, "initial": {"kind": "fixed"}},
            "white-box": {"statistic": self.statistic, "canary_norm": self.canary_norm},
            "one-run": {"canaries": canaries},
            "one-shot": {"audited": canaries},
            "many-records": {"records": canaries},
            "federated": {"canaries": canaries},
            "white-box-one-run": {"canaries": canaries, "statistic": self.statistic},
        }[self.kind]
