"""The public names: each is imported on first use; type checkers read this file."""

from .kit.axes import axis as axis
from .kit.layout import chart as chart
from .kit.layout import empty as empty
from .kit.marks import Style as Style
from .kit.marks import band as band
from .kit.marks import bars as bars
from .kit.marks import label as label
from .kit.marks import line as line
from .kit.marks import markers as markers
from .kit.marks import rule as rule
from .kit.marks import steps as steps
