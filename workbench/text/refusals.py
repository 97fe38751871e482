"""The errors of canaries and their scores; each message says what is wrong and what to do."""

from __future__ import annotations


class CanaryTextError(ValueError):
    """Texts that are no canaries: empty, known to the model, or one and the same."""


class EvidenceError(CanaryTextError):
    """A file of canaries that was changed, or that is none."""


class LogProbabilityError(ValueError):
    """What a model returned is no log-probability of each text."""
