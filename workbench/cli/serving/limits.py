"""Options on what people may use of a server."""

from __future__ import annotations

import argparse
import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.dashboard.limits import ServerLimits

#: Option -> its unit, and what it limits. The name is that of the field of `ServerLimits`.
_OPTIONS = {
    "upload": ("SIZE", "one upload, such as 500M or 2G"),
    "data-sets": ("NUMBER", "data sets of one person"),
    "disk": ("SIZE", "disk space of one person"),
    "jobs-each": ("NUMBER", "jobs of one person at once"),
    "jobs": ("NUMBER", "jobs of all people at once"),
    "job-memory": ("SIZE", "memory of one job"),
    "job-seconds": ("SECONDS", "time of one job"),
    "idle": ("SECONDS", "time without a gesture after which an open page is put away"),
    "pages-each": ("NUMBER", "open browser pages of one person"),
    "pages": ("NUMBER", "open browser pages of all people"),
    "memory": ("SIZE", "memory of all pages together, without jobs"),
}

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)


def add(command: argparse.ArgumentParser) -> None:
    """Add the options to the command."""
    group = command.add_argument_group("limits", "what people may use; 'none' for no limit")
    for name, (unit, limits) in _OPTIONS.items():
        kind = _size if unit == "SIZE" else _number
        group.add_argument(f"--max-{name}", metavar=unit, type=kind, help=limits)


def options_of(arguments: argparse.Namespace, shared: bool) -> ServerLimits:
    """The limits that the options give.

    Parameters
    ----------
    arguments : argparse.Namespace
    shared : bool
        Whether several people use the server, who have limits by default.
    """
    from workbench.dashboard.limits import ServerLimits

    fields = [name.replace("-", "_") for name in _OPTIONS]
    given = {name: getattr(arguments, f"max_{name}") for name in fields}
    limits = ServerLimits.shared() if shared else ServerLimits()
    return replace(limits, **{name: value for name, value in given.items() if value is not None})


def _number(text: str) -> float:
    value = math.inf if text == "none" else float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"must be positive, or none for no limit; got {text!r}")
    return value


def _size(text: str) -> float:
    found = _SIZE.fullmatch(text.strip())
    if found is None and text != "none":
        raise argparse.ArgumentTypeError(
            f"must be a size such as 500M or 2G, or none; got {text!r}"
        )
    if found is None:
        return math.inf
    number, unit = found.groups()
    return _number(str(float(number) * 1024 ** " KMGT".index(unit.upper() or " ")))
