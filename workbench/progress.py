"""The protocol of long work: how it reports its progress, and how it is cancelled.

Code that takes long takes a ``report`` (see `Report`) and calls it now and then; the caller
sees the progress, and stops the work by letting ``report`` raise `Cancelled`.
"""

from __future__ import annotations

from typing import Any, Protocol


class Cancelled(Exception):  # noqa: N818  (nothing went wrong)
    """The person who started the work does not want it any more."""


class Report(Protocol):
    """Takes the progress of long work.

    Called with no argument it only asks whether to go on.

    Parameters
    ----------
    fraction : float, optional
        The share that is done, from 0 to 1.
    message : str, optional
        What is being done, in a few words.
    partial : optional
        The result as far as it is known. It must not be changed afterwards.

    Raises
    ------
    Cancelled
        Nobody wants the result any more.
    """

    def __call__(
        self, fraction: float | None = None, message: str | None = None, partial: Any = None
    ) -> None: ...


def silent(fraction: float | None = None, message: str | None = None, partial: Any = None) -> None:
    """A `Report` that shows nothing and never cancels."""
