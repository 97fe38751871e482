"""Options for whoever runs the server: its log, how it stops, and who may read its metrics."""

from __future__ import annotations

import argparse
import math
import os
from typing import Any

#: The environment variable that holds the token with which ``/metrics`` may be read.
METRICS_TOKEN = "WORKBENCH_METRICS_TOKEN"

_SHORTEST = 16

# As in `workbench.server.operations.log`, which other commands start without.
_FORMATS = ("text", "json")
_LEVELS = ("debug", "info", "warning", "error")


def add(command: argparse.ArgumentParser) -> None:
    """Add the options to the command."""
    group = command.add_argument_group("operations")
    group.add_argument(
        "--log-format",
        choices=_FORMATS,
        help="one line or one JSON object for each record, without anything of people's "
        "(default for a server that people share: text)",
    )
    group.add_argument(
        "--log-level", choices=_LEVELS, help="least level of records (default: info)"
    )
    group.add_argument(
        "--stop-within",
        metavar="SECONDS",
        type=_seconds,
        default=30.0,
        help="time for jobs and saves to finish when the server is stopped (default: 30)",
    )


def begin_log(arguments: argparse.Namespace, shared: bool) -> None:
    """Write the log as the options say.

    The owner's own server writes plain messages to the terminal, and no requests, unless an option
    asks for a log.

    Parameters
    ----------
    arguments : argparse.Namespace
    shared : bool
        Whether several people use the server.
    """
    from workbench.server.operations import log

    if shared or arguments.log_format or arguments.log_level:
        log.install(arguments.log_format or "text", arguments.log_level or "info")
    else:
        log.on_terminal()


def options_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The arguments of `ServerOptions` that the options and the environment give.

    Raises
    ------
    ValueError
        A token that could be guessed; it is not quoted.
    """
    token = os.environ.get(METRICS_TOKEN, "").strip()
    if token and (len(token) < _SHORTEST or not token.isascii()):
        raise ValueError(
            f"{METRICS_TOKEN} must have at least {_SHORTEST} ASCII characters; make one with "
            "'openssl rand -hex 32'"
        )
    return {"metrics_token": token, "stop_within": arguments.stop_within}


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number of seconds from 0, got {text!r}")
    return value
