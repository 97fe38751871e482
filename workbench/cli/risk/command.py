"""`workbench risk`: what could an attacker do, by a claim, by scores, or by both?"""

from __future__ import annotations

import argparse
import math
import re
from pathlib import Path

from workbench.cli.files import add_layout_arguments, read_scores
from workbench.cli.output import say
from workbench.cli.parser import CommandParser
from workbench.risks.attacks import ATTACKS

_DESCRIPTION = """\
How often an attacker is right with a release, where without it the attacker would
be right 1 in N times. A claim says how often at most, scores of an attack how often
at least. For membership, 1 in N is the rate of false accusations.
"""

_EXIT_STATUS = """exit status:
  0  the risk was found
  1  the scores show more than the claim allows: it is false
  2  bad input

examples:
  workbench risk 'approx(2, 1e-5)' --one-in 100
  workbench risk 'dpsgd(1, 0.01, 1000)' --one-in 20 --attack attribute --group 4
  workbench risk 'gdp(1)' scores.csv --one-in 1000 --prior 0.01 --json
"""

#: Text of a claim: a word with arguments, or several that are joined. A file has an extension.
_CLAIM = re.compile(r"\s*[\w.]+\s*(\*\s*\w+\s*)?\(.*\)\s*", re.DOTALL)


def add(command: CommandParser) -> None:
    """Add the options of the command `risk`."""
    command.description, command.epilog = _DESCRIPTION, _EXIT_STATUS
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.set_defaults(run=risk)
    command.add_argument(
        "given",
        metavar="CLAIM|FILE",
        nargs="+",
        help="a claim, such as 'approx(2, 1e-5)', a score file, or one file per group (members "
        "first); both for both ends",
    )
    command.add_argument(
        "--one-in",
        type=float,
        required=True,
        metavar="N",
        help="without the release, the attacker would be right 1 in N times",
    )
    command.add_argument(
        "--attack", choices=tuple(ATTACKS), default=next(iter(ATTACKS)), help="default: %(default)s"
    )
    command.add_argument(
        "--group",
        type=int,
        default=1,
        metavar="K",
        help="records of one person or family, for which the claim is worked out",
    )
    command.add_argument(
        "--prior",
        type=float,
        metavar="P",
        help="share of members among the suspects, for the precision of a membership attack",
    )
    command.add_argument(
        "--confidence", type=float, default=0.95, help="of the scores; default: %(default)g"
    )
    command.add_argument("--json", action="store_true", help="as JSON")
    add_layout_arguments(command)


def risk(arguments: argparse.Namespace) -> int:
    """Print both ends of the risk."""
    import workbench as wb
    from workbench.cli.risk.printed import as_json, as_text

    claims = [one for one in arguments.given if _CLAIM.fullmatch(one)]
    arguments.files = [Path(one) for one in arguments.given if one not in claims]
    if len(claims) > 1:
        raise ValueError(
            f"{len(claims)} claims were given; give one, or join the mechanisms of one by '+'"
        )
    if not arguments.one_in > 1 or not math.isfinite(arguments.one_in):
        raise ValueError(
            f"--one-in must be above 1, got {arguments.one_in:g}; 100 is a chance of one in a "
            "hundred"
        )
    asked = {
        "baseline": 1 / arguments.one_in,
        "attack": arguments.attack,
        "prior": arguments.prior,
        "group": arguments.group,
        "confidence": arguments.confidence,
    }
    if not arguments.files:
        found = wb.risk(claims[0], **asked)
    else:
        found = wb.risk(read_scores(arguments), claim=claims[0] if claims else None, **asked)
    say(as_json(found) if arguments.json else as_text(found))
    return int(found.contradicted)
