"""The public names: each is imported on first use; type checkers read this file."""

from .attacks.base import Attack as Attack
from .attacks.base import AttackView as AttackView
from .audit import SyntheticAudit as SyntheticAudit
from .choice import AttackScores as AttackScores
from .columns import AuditedColumn as AuditedColumn
from .columns import SyntheticTablesError as SyntheticTablesError
from .columns import TableRemark as TableRemark
from .generators.copying import CopyingGenerator as CopyingGenerator
from .generators.duck_typing import Generator as Generator
from .generators.duck_typing import generate as generate
from .generators.examples import example as example
from .generators.examples import example_generator as example_generator
from .generators.forgotten import ForgottenMarginal as ForgottenMarginal
from .generators.many_runs import generator_runs as generator_runs
from .generators.marginals import PrivateMarginals as PrivateMarginals
from .generators.patients import patients as patients
from .generators.refusals import GeneratorError as GeneratorError
from .generators.targets import Targets as Targets
from .generators.targets import targets as targets
from .split import CoinSplit as CoinSplit
from .split import split_by_coin as split_by_coin
from .split import split_script as split_script
from .split_test import SplitTest as SplitTest
from .tables import SyntheticTables as SyntheticTables
from .tables import read_synthetic_tables as read_synthetic_tables
from .threats.base import Threat as Threat
