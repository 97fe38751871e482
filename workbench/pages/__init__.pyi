"""The public names: each is imported on first use; type checkers read this file."""

from .core.jobs import job as job
from .core.page import Answer as Answer
from .core.page import Control as Control
from .core.page import Fact as Fact
from .core.page import Page as Page
from .core.page import Section as Section
from .core.page import answer as answer
from .core.page import derived as derived
from .core.page import figure as figure
from .core.page import number as number
from .core.page import sentence as sentence
from .core.part import Part as Part
