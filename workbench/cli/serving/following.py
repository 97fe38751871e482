"""Options for a score file that the server follows for everybody."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.cli.files import in_option_names

if TYPE_CHECKING:
    from workbench.following.following import Following

#: The environment variable that holds the address of the webhook.
WEBHOOK = "WORKBENCH_WEBHOOK"


def add(command: argparse.ArgumentParser) -> None:
    """Add the options to the command."""
    group = command.add_argument_group("a score file that grows")
    group.add_argument(
        "--follow",
        metavar="PATH",
        type=Path,
        help="show this file or folder on the page Watch live for everybody, with anytime bounds "
        "that are updated as rows are appended: csv, tsv, jsonl, ndjson, an Arrow stream, a "
        "parquet file that is written anew with more rows, or a folder of parts. It may come later",
    )
    group.add_argument(
        "--claim",
        help="with --follow: what is promised, such as 'approx(1, 1e-5)' or 'gdp(0.5)', as of "
        "'workbench audit'; it is tested at every look, and a refutation is announced once, with "
        "a probability of at most 5%% if the claim is true",
    )
    group.add_argument(
        "--webhook",
        metavar="URL",
        help="with --claim: post a refutation to this address, as JSON; https, or http on this "
        f"machine. In place of the option, the environment variable {WEBHOOK}",
    )
    group.add_argument(
        "--webhook-insecure", action="store_true", help="allow a webhook without encryption"
    )


def options_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The arguments of `ServerOptions` that the options give.

    Raises
    ------
    ValueError
        Options that do not go together, or that a file which grows does not have.
    """
    webhook = arguments.webhook or os.environ.get(WEBHOOK, "").strip()
    if arguments.follow is None:
        given = {"--claim": arguments.claim, "--webhook": arguments.webhook}
        for option, value in given.items():
            if value:
                raise ValueError(f"{option} belongs to a file that is followed; add --follow PATH")
        return {}
    _check(arguments)
    if webhook and arguments.claim is None:
        raise ValueError("--webhook announces that a claim is refuted; add --claim")
    from workbench.server.following.webhook import Webhook

    return {
        "following": _following(arguments),
        "webhook": Webhook(webhook, arguments.webhook_insecure) if webhook else None,
    }


def _following(arguments: argparse.Namespace) -> Following:
    from workbench.cli.audit import read_claim
    from workbench.following.following import Following
    from workbench.scores.growing.growing_file import GrowingFile

    with in_option_names():
        columns = ("p", "q", "score", "member", "member_value")
        file = GrowingFile(arguments.follow, **{name: getattr(arguments, name) for name in columns})
    return Following(
        file,
        None if arguments.claim is None else read_claim(arguments.claim),
        larger_is_member=arguments.larger_is_member,
        sampling=arguments.sampling,
    )


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that do not go with a file that is followed."""
    if arguments.files:
        raise ValueError(
            "--follow shows one file to everybody; leave out "
            f"{', '.join(str(path) for path in arguments.files)}, or --follow"
        )
    if arguments.cluster is not None:
        raise ValueError(
            "--cluster does not go with --follow: a cluster is complete only at the end; write "
            "one row for each cluster"
        )
    if arguments.nonfinite != "keep":
        raise ValueError(
            "--nonfinite drop does not go with --follow: which rows count would depend on their "
            "scores; infinite scores and NaN are outcomes"
        )
    if (arguments.p is None) != (arguments.q is None):
        raise ValueError("--p and --q go together: name the columns of both groups")
