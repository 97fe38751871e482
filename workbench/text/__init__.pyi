"""The public names: each is imported on first use; type checkers read this file."""

from .canaries import Canaries as Canaries
from .causal import CausalModel as CausalModel
from .causal import causal_model as causal_model
from .checks import check_tokens as check_tokens
from .checks import check_unseen as check_unseen
from .choice import ChosenSignal as ChosenSignal
from .choice import choose_signal as choose_signal
from .laws import PatternLaw as PatternLaw
from .making import identifiers as identifiers
from .making import new_tokens as new_tokens
from .making import random_sequences as random_sequences
from .recognized import found_identifiers as found_identifiers
from .refusals import CanaryTextError as CanaryTextError
from .refusals import EvidenceError as EvidenceError
from .refusals import LogProbabilityError as LogProbabilityError
from .scoring import score as score
