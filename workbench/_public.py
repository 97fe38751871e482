"""The public names for type checkers; `workbench.__init__` finds them lazily at run time."""

from workbench.bounds.result import Bound as Bound
from workbench.scores.sample import Scores as Scores
from workbench.scores.sample import ScoresError as ScoresError
