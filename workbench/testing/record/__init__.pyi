"""The public names: each is imported on first use; type checkers read this file."""

from .checking import check as check
from .findings import CodeFinding as CodeFinding
from .findings import RecordCheck as RecordCheck
from .findings import RecordedPrimitive as RecordedPrimitive
from .places import Place as Place
from .primitives import clip as clip
from .primitives import count as count
from .primitives import gaussian as gaussian
from .primitives import geometric as geometric
from .primitives import laplace as laplace
from .primitives import sample as sample
from .primitives import threshold as threshold
from .statistics import UntrustedAudit as UntrustedAudit
from .statistics import audit_untrusted as audit_untrusted
from .training import check_training as check_training
from .training import check_training_audit as check_training_audit
