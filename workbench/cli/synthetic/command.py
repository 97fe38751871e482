"""`workbench synthetic`: what a synthetic table tells of its training table."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from workbench.cli.output import add_format, say
from workbench.cli.parser import CommandParser

_EXIT_STATUS = """exit status:
  0  no claim is refuted, or none was made
  1  a claim is refuted
  2  bad input
  3  no claim is refuted, but there are too few records: a generator at twice the
     claim would have been refuted with a probability below one half
  4  no claim was judged, since the split was not drawn at random

before a generator is trained:
  workbench synthetic --split-table table.csv --out parts
splits a table by one fair coin for each record (with --unit, for each person),
writes parts/train.csv and parts/holdout.csv, and a script that makes the same
split as parts/split.py. Train on parts/train.csv alone.
"""

_SPLITS = ("coin", "fixed-size", "given")


def add(command: CommandParser) -> None:
    """Add the options of the command `synthetic`."""
    command.description = (
        "Whether a synthetic table tells who was in the training table of its generator: a lower "
        "bound on ε that assumes the split alone, verdicts on claims, and how often a record is "
        "singled out, linked, inferred or copied, among members and among held-out records."
    )
    command.epilog = _EXIT_STATUS
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.set_defaults(run=synthetic)
    command.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        type=Path,
        help="three files: the training table, the held-out records, and the synthetic table",
    )
    command.add_argument(
        "--split",
        choices=_SPLITS,
        default=_SPLITS[0],
        help="how records came into the training table: each by its own fair coin (default), as a "
        "random part of a fixed size, or in another way, of which estimates follow",
    )
    command.add_argument(
        "--unit",
        metavar="COLUMN",
        help="the column of the person, or other unit, whose records were put in together",
    )
    command.add_argument(
        "--columns",
        metavar="NAME=KIND",
        nargs="+",
        action="extend",
        default=[],
        help="kinds of columns where they are found wrongly, such as zip=category",
    )
    command.add_argument("--delta", type=float, default=1e-5, help="default: %(default)g")
    command.add_argument("--confidence", type=float, default=0.95, help="default: %(default)g")
    claim = command.add_argument("--claim", action="append", default=[])
    command.helps.append((claim, _help_of_claims))
    command.add_argument(
        "--attack",
        default="chosen",
        help="the attack whose bound is given: 'chosen', the one that did best on records that are "
        "not measured (default); 'all', each at its part of the error probability; or the name of "
        "one that was fixed beforehand, as the JSON has them",
    )
    command.add_argument(
        "--secret", metavar="COLUMN", help="infer this column alone; by default each in turn"
    )
    command.add_argument(
        "--remove-copies",
        action="store_true",
        help="leave out rows that occur more than once, all copies on both sides",
    )
    command.add_argument(
        "--seed",
        type=int,
        help="a number that was drawn by chance; by default one from the operating system",
    )
    add_format(
        command,
        "JUnit XML with one test per claim",
        ("github", "annotations of a GitHub build, one per claim"),
    )
    before = command.add_argument_group("before a generator is trained")
    before.add_argument(
        "--split-table", metavar="FILE", type=Path, help="split this table by fair coins"
    )
    before.add_argument("--out", metavar="DIR", type=Path, help="where the parts are written")


def _help_of_claims() -> str:
    from workbench.claims.parse import claim_forms

    return (
        f"what the generator promises: {claim_forms()}; may be repeated, all verdicts hold together"
    )


def synthetic(arguments: argparse.Namespace) -> int:
    """Print what three tables show, or split one table."""
    if arguments.split_table is not None:
        return _split(arguments)
    if arguments.out is not None:
        raise ValueError("--out goes with --split-table FILE, the table that is split")
    if len(arguments.files) != 3:
        raise ValueError(
            f"three files are needed, got {len(arguments.files)}: the training table, the "
            "held-out records and the synthetic table; --split-table FILE splits a table before "
            "its generator is trained"
        )
    from workbench.cli.synthetic.findings import Findings
    from workbench.cli.synthetic.formats import FORMATS, require_claims

    require_claims(arguments.format, bool(arguments.claim))
    with in_option_names():
        found = Findings.of(
            *arguments.files,
            split=arguments.split,
            unit=arguments.unit,
            columns=kinds(arguments.columns),
            claims=arguments.claim,
            delta=arguments.delta,
            confidence=arguments.confidence,
            attack=arguments.attack,
            secret=arguments.secret,
            remove_copies=arguments.remove_copies,
            seed=arguments.seed,
        )
        text = FORMATS[arguments.format](found)
    say(in_options(text))
    return found.status


def _split(arguments: argparse.Namespace) -> int:
    from workbench.cli.synthetic.splitting import split_table

    if arguments.files:
        raise ValueError(
            f"--split-table splits one table before a generator is trained; leave out "
            f"{arguments.files[0]}, and audit the parts afterwards"
        )
    if arguments.out is None:
        raise ValueError("--split-table needs --out DIR, where the parts are written")
    with in_option_names():
        say(split_table(arguments.split_table, arguments.out, arguments.unit, arguments.seed))
    return 0


def kinds(stated: Sequence[str]) -> dict[str, str]:
    """Kinds of columns from texts such as "age=numeric".

    Parameters
    ----------
    stated : sequence of str

    Raises
    ------
    ValueError
        A text without "=", or a column that is stated twice.
    """
    found: dict[str, str] = {}
    for text in stated:
        name, sign, kind = text.rpartition("=")
        if not sign or not name:
            raise ValueError(f"--columns has {text!r}; write NAME=KIND, such as age=numeric")
        if found.get(name, kind) != kind:
            raise ValueError(f"--columns states {name!r} as {found[name]} and as {kind}; give one")
        found[name] = kind
    return found


#: How Python is written in refusals and remarks, and what it is here.
_PYTHON = (
    (re.compile(r"columns=\{['\"](.+?)['\"]: ?['\"](.+?)['\"]\}"), r"--columns '\1=\2'"),
    (re.compile(r"duplicates=['\"]remove['\"]"), "--remove-copies"),
    (re.compile(r"split=['\"]([\w-]+)['\"] \(--split [\w-]+\)"), r"--split \1"),
    (re.compile(r"\b(split|unit|attack)=['\"](.+?)['\"]"), r"--\1 \2"),
    (re.compile(r"\(wb\.synthetic\.split_by_coin has unit=\)"), "(--split-table with --unit)"),
    (re.compile(r"\bcolumns= "), "--columns "),
    (re.compile(r"\bcolumns\['(.+?)'\]"), r"--columns \1="),
    (re.compile(r"\bsecret names\b"), "--secret names"),
)


def in_options(text: str) -> str:
    """A text in which arguments of Python are options.

    Parameters
    ----------
    text : str
    """
    for pattern, option in _PYTHON:
        text = pattern.sub(option, text)
    return text


@contextmanager
def in_option_names() -> Iterator[None]:
    """Context in which refusals name options of the command line, not arguments of Python."""
    try:
        yield
    except ValueError as error:
        raise ValueError(in_options(str(error))) from None
