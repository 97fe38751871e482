"""`ReportError`: a report that could not be written, with the remedy."""

from __future__ import annotations


class ReportError(ValueError):
    """A report could not be written; the message says why, and what to do."""
