"""The public names: each is imported on first use; type checkers read this file."""

from .closer import RelativeDistance as RelativeDistance
from .conditional import pointwise_correction as pointwise_correction
