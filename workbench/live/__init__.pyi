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
