"""The public names: each is imported on first use; type checkers read this file."""

from .attacks.base import Attack as Attack
from .attacks.base import AttackView as AttackView
from .audit import SyntheticAudit as SyntheticAudit
from .choice import AttackScores as AttackScores
from .columns import AuditedColumn as AuditedColumn
from .columns import SyntheticTablesError as SyntheticTablesError
from .columns import TableRemark as TableRemark
from .split import CoinSplit as CoinSplit
from .split import split_by_coin as split_by_coin
from .split import split_script as split_script
from .split_test import SplitTest as SplitTest
from .tables import SyntheticTables as SyntheticTables
from .tables import read_synthetic_tables as read_synthetic_tables
from .threats.base import Threat as Threat
from .threats.copies import Copies as Copies
from .threats.inference import Inference as Inference
from .threats.linkability import Linkability as Linkability
from .threats.rates import ApproximateRisk as ApproximateRisk
from .threats.singling_out import SinglingOut as SinglingOut
