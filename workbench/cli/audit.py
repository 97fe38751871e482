"""`workbench audit`: bounds from a score file, and verdicts on claims."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import workbench as wb
from workbench.cli.files import STDIN, add_layout_arguments, read_scores, statement
from workbench.cli.output import add_format, complain, say
from workbench.cli.parser import CommandParser

if TYPE_CHECKING:
    from workbench.claims.base import Claim
    from workbench.cli.score_audit.file_audit import FileAudit

_EXIT_STATUS = """exit status:
  0  no claim is refuted, or none was made
  1  a claim is refuted, or the scores certainly leak more than those of --baseline
  2  bad input
  3  no claim is refuted, but there are too few samples: a mechanism at twice the
     claim would have been refuted with a probability below one half
  4  no claim is refuted, but members score significantly less member-like than
     non-members, as losses read the wrong way and exchanged groups do: repeat it
     with --smaller-is-member, or with the label of members in --member-value, or
     with --larger-is-member if both are right

a baseline that was saved without its scores never changes the status: lower bounds
do not show which of two mechanisms leaks more.

saved audits and series are in the folder that WORKBENCH_HOME names, or in the
database that WORKBENCH_DATABASE names.
"""


def add(command: CommandParser) -> None:
    """Add the options of the command `audit`."""
    command.description = "The main numbers of a file, and verdicts on claims."
    command.epilog = _EXIT_STATUS
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.set_defaults(run=audit)
    command.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="a score file, one per group (members first), or a folder that a public tool wrote; - "
        "is the standard input",
    )
    command.add_argument("--delta", type=float, default=1e-5, help="default: %(default)g")
    command.add_argument(
        "--confidence",
        type=float,
        help="default: 0.95; of a series, for all its audits together",
    )
    command.add_argument(
        "--random-part",
        action="store_true",
        help="the scores are of one training, and its members a random half, or another part, of "
        "the audited records: adds a bound on ε of substituting a record, by members that are "
        "matched with held-out records at random. It holds however the scores depend on each other",
    )
    ranks = command.add_argument_group("ranks of secrets instead of scores")
    ranks.add_argument(
        "--ranks",
        action="store_true",
        help="FILE has the rank of each true value among its candidates, in columns rank and "
        "candidates: exposures, and a bound on ε of replacing one value by another",
    )
    ranks.add_argument(
        "--values", type=int, metavar="K", help="number of candidates, where no column has it"
    )
    ranks.add_argument(
        "--top",
        type=int,
        action="append",
        default=[],
        metavar="J",
        help="count the ranks of at most J, fixed before the ranks were seen (default: 1); may be "
        "repeated, and the error probability is divided among them",
    )
    claim = command.add_argument("--claim", action="append", default=[])
    command.helps.append((claim, _help_of_claims))
    add_format(
        command,
        "JUnit XML with one test per claim",
        ("github", "annotations of a GitHub build, one per claim"),
        ("sarif", "SARIF 2.1.0 with one rule per claim"),
    )
    _add_keeping(command)
    add_layout_arguments(command)


def _help_of_claims() -> str:
    from workbench.claims.parse import claim_forms

    return (
        f"what is promised: {claim_forms()}; 'dpsgd(noise=SIGMA, rate=Q, steps=T)', 'gaussian(MU)' "
        "or 'laplace(MU)': no leakier than this, or than several of them that '+' joins, such as "
        "the phases of a training; 'table(FILE)': the file's columns epsilon and delta; what the "
        "claim is about may follow the numbers, as in 'approx(1, 1e-5, unit=user)'; may be "
        "repeated, all verdicts hold together"
    )


def _add_keeping(command: argparse.ArgumentParser) -> None:
    keeping = command.add_argument_group("saved audits")
    keeping.add_argument(
        "--series",
        metavar="NAME",
        help="make this the next audit of a series, and save it: all audits of the series together "
        "refute a true claim with a probability of at most 5%% (1 − confidence), however many "
        "there are; the k-th gets 1/(k(k+1)) of it. The same scores keep their place",
    )
    keeping.add_argument("--save", metavar="NAME", help="save the audit under this name")
    keeping.add_argument("--note", default="", metavar="TEXT", help="a note to the saved audit")
    keeping.add_argument(
        "--tag", action="append", default=[], help="a tag of the saved audit; may be repeated"
    )
    keeping.add_argument(
        "--keep-scores",
        action="store_true",
        help="save the scores, too: later audits can be compared with them",
    )
    keeping.add_argument(
        "--baseline",
        metavar="NAME",
        help="compare with a saved audit: its name or key, or the file that it was exported to; at "
        "the confidence of this audit, for all false positive rates together",
    )


def audit(arguments: argparse.Namespace) -> int:
    """Print the main numbers of a file, each with its guarantee, and verdicts on claims."""
    from workbench.cli.score_audit.file_audit import FileAudit
    from workbench.cli.score_audit.formats import FORMATS, require_result

    # A claim made twice is one claim, and one test.
    claims = list(dict.fromkeys(map(read_claim, arguments.claim)))
    if arguments.ranks:
        from workbench.cli.score_audit.of_ranks import audit_ranks

        return audit_ranks(arguments, claims)
    if arguments.values is not None or arguments.top:
        raise ValueError("--values and --top are about ranks; add --ranks")
    require_result(arguments.format, bool(claims or arguments.baseline))
    archived = arguments.series is not None or arguments.save is not None
    if (arguments.note or arguments.tag or arguments.keep_scores) and not archived:
        raise ValueError("--note, --tag and --keep-scores belong to a saved audit; add --save NAME")

    stated = arguments.larger_is_member
    if stated is None:
        stated = statement(arguments).larger_is_member

    def found(scores: wb.Scores, confidence: float) -> FileAudit:
        return FileAudit.of(
            scores,
            claims,
            arguments.delta,
            confidence,
            direction_stated=stated is not None,
            files=tuple(path for path in arguments.files if path != STDIN),
            random_part=arguments.random_part,
        )

    if archived or arguments.baseline is not None:
        result, problem = _kept(arguments, found)
    else:
        confidence = 0.95 if arguments.confidence is None else arguments.confidence
        result, problem = found(read_scores(arguments), confidence), None
    say(FORMATS[arguments.format](result))
    if result.reversed:
        complain(result.doubt)
    if result.looked:
        complain(result.late)
    if problem is not None:
        raise problem
    return result.status


def _kept(arguments: argparse.Namespace, found: Any) -> tuple[FileAudit, ValueError | None]:
    """An audit that is saved, in a series, or compared; and why it could not be saved."""
    from workbench.audits.errors import ArchiveError
    from workbench.cli.score_audit.baseline import Baseline, kept_scores, saved_audit
    from workbench.cli.score_audit.keeping import FileData, check_delta, page_audit, save
    from workbench.cli.score_audit.member import SeriesMember

    # All that can be refused is refused before a share of a series is spent.
    check_delta(arguments.delta)
    workspace = wb.workspace()
    archive = workspace.audits
    old = None if arguments.baseline is None else saved_audit(archive, arguments.baseline)
    data = FileData.read(arguments, workspace)
    member, confidence = None, 0.95 if arguments.confidence is None else arguments.confidence
    if arguments.series is not None:
        member = SeriesMember.reserve(archive, arguments.series, data.scores, arguments.confidence)
        confidence = member.audit.confidence
    result = replace(found(data.scores, confidence), series=member)
    page = data.page(arguments.delta, confidence)
    audit = page_audit(page, result, arguments.claim)
    result = result.after(page.validity.words)
    if old is not None:
        kept = kept_scores(old, workspace)
        baseline = Baseline.of(old.audit, kept, audit, data.scores, confidence)
        result = replace(result, baseline=baseline)
    if arguments.save is None and member is None:
        return result, None
    try:
        return replace(result, saved=save(archive, audit, result, arguments)), None
    except ArchiveError as error:
        return result, error


def read_claim(text: str) -> Claim:
    """A claim from its text; the one of a table is read from its file."""
    table = re.fullmatch(r"\s*table\((.+)\)\s*", text)
    if table is None:
        try:
            return wb.parse_claim(text)
        except ValueError as error:
            # Arguments of a claim are no options, whatever they are called.
            raise ValueError(f"--claim {text}: {error}") from None
    from workbench.claims.pair import PairClaim
    from workbench.pages.core.upload import UploadedFile
    from workbench.pages.scores.claimed.own_claim import read_claims

    path = Path(table[1].strip())
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"the table '{path}' cannot be read: {error.strerror}") from None
    return PairClaim(read_claims((UploadedFile.of(path.name, content),)))
