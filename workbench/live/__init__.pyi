"""The public names of `workbench.live`: each is imported on first use."""

from .canaries.gradients import GradientCanaries as GradientCanaries
from .canaries.opacus import opacus_canaries as opacus_canaries
from .canaries.opacus import watch_opacus as watch_opacus
from .canaries.records import RecordCanaries as RecordCanaries
from .canaries.tensors import insert_tensors as insert_tensors
from .canaries.tensors import watch_torch as watch_torch
from .canary_audit import CanaryAudit as CanaryAudit
from .run_audit import Audit as Audit
from .state import LiveState as LiveState
from .trainers.hugging_face import hugging_face_callback as hugging_face_callback
from .trainers.lightning import lightning_callback as lightning_callback
from .trainers.ready_scores import record_losses as record_losses
from .trainers.ready_scores import text_canaries as text_canaries
from .trainers.ready_scores import text_scores as text_scores
from .trainers.watch import TrainingWatch as TrainingWatch
from .trainers.watch import watch_training as watch_training
