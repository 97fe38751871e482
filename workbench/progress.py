"""The protocol of long work: how it reports its progress, and how it is cancelled.

Code that takes long takes a ``report`` (see `Report`) and calls it now and then; the caller
sees the progress, and stops the work by letting ``report`` raise `Cancelled`.
"""

from __future__ import annotations

import time
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


def part(report: Report, start: float, end: float) -> Report:
    """The `Report` of one part of longer work.

    Parameters
    ----------
    report : Report
        Of all of it.
    start, end : float
        Shares of all of it that are done before and after the part.
    """

    def scaled(
        fraction: float | None = None, message: str | None = None, partial: Any = None
    ) -> None:
        report(None if fraction is None else start + (end - start) * fraction, message, partial)

    return scaled


def time_left(fraction: float, began: float) -> str:
    """The time that is left, such as "2 min left"; "" where it is not known yet.

    Parameters
    ----------
    fraction : float
        The share that is done.
    began : float
        As of ``time.monotonic``.
    """
    passed = time.monotonic() - began
    if fraction <= 0 or passed < 1:
        return ""
    left = passed * (1 - fraction) / fraction
    for unit, longest in ((("s", 1.0), 100), (("min", 60.0), 100 * 60)):
        if left < longest:
            return f"{left / unit[1]:.0f} {unit[0]} left"
    return f"{left / 3600:.0f} h left"
