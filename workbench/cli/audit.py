"""`workbench audit`: bounds from a score file, and verdicts on claims."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

import workbench as wb
from workbench.claims.base import Claim
from workbench.claims.pair import PairClaim
from workbench.cli.files import add_layout_arguments, read_scores
from workbench.cli.output import add_format, say

_EXIT_STATUS = """exit status:
  0  no claim is refuted, or none was made
  1  a claim is refuted
  2  bad input
  3  no claim is refuted, but there are too few samples: a mechanism at twice the
     claim would have been refuted with a probability below one half
  4  no claim is refuted, but members score significantly less member-like than
     non-members, as losses read the wrong way do: repeat it with
     --smaller-is-member, or with --larger-is-member if the direction is right
"""


def add(commands: Any) -> None:
    """Add the command `audit` and its options."""
    command = commands.add_parser(
        "audit",
        help="the main numbers of a file, and verdicts on claims",
        description="The main numbers of a file, and verdicts on claims.",
        epilog=_EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=audit)
    command.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="a score file, or one per group, members first; - is the standard input",
    )
    command.add_argument("--delta", type=float, default=1e-5, help="default: %(default)g")
    command.add_argument("--confidence", type=float, default=0.95, help="default: %(default)g")
    command.add_argument(
        "--claim",
        action="append",
        default=[],
        help="what is promised: 'approx(EPSILON, DELTA)', 'pure(EPSILON)', "
        "'renyi(ORDER, EPSILON)', 'gdp(MU)' or 'zcdp(RHO)'; "
        "'dpsgd(noise=SIGMA, rate=Q, steps=T)', 'gaussian(MU)' or 'laplace(MU)': no leakier than "
        "this; 'table(FILE)': the file's columns epsilon and delta; may be repeated, all verdicts "
        "hold together",
    )
    add_format(
        command,
        "JUnit XML with one test per claim",
        "or annotations of a GitHub build, one per claim",
    )
    add_layout_arguments(command)


def audit(arguments: argparse.Namespace) -> int:
    """Print the main numbers of a file, each with its guarantee, and verdicts on claims."""
    from workbench.cli.audit_formats import FORMATS, FileAudit

    # A claim made twice is one claim, and one test.
    claims = list(dict.fromkeys(map(_claim, arguments.claim)))
    found = FileAudit.of(
        read_scores(arguments),
        claims,
        arguments.delta,
        arguments.confidence,
        direction_stated=arguments.larger_is_member is not None,
    )
    say(FORMATS[arguments.format](found))
    if found.reversed:
        sys.stderr.write(f"workbench: {found.doubt}\n")
    return found.status


def _claim(text: str) -> Claim:
    """A claim from its text; the one of a table is read from its file."""
    table = re.fullmatch(r"\s*table\((.+)\)\s*", text)
    if table is None:
        return wb.parse_claim(text)
    from workbench.pages.inputs.reference import read_claims

    path = Path(table[1].strip())
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"the table '{path}' cannot be read: {error.strerror}") from None
    return PairClaim(read_claims(((path.name, content),)))
