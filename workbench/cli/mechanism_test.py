"""`workbench test`: does a mechanism keep what it claims?"""

from __future__ import annotations

import argparse
from collections.abc import Collection
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench import _checks
from workbench.claims.parse import claim_forms, claim_or_largest
from workbench.cli.output import add_format, apart, say
from workbench.cli.parser import CommandParser
from workbench.cli.progress import progress
from workbench.parallel import interruptible, new_processes

if TYPE_CHECKING:
    from workbench.cli.mechanism_audit.formats import MechanismReport
    from workbench.mechanisms.base import Domain
    from workbench.mechanisms.table_domain import TableDomain

_DESCRIPTION = """\
Search for neighboring datasets on which a mechanism breaks its privacy claim,
or, without a claim, for the largest epsilon that its runs prove.

TARGET is MODULE:FUNCTION, path/to/file.py:function, or a name that `workbench
mechanisms` lists. The function is called by the names of its parameters: with
(dataset, size, rng), the last a numpy Generator, it returns the outputs of size
runs; with (dataset) or (rng, dataset) that of one run. Objects of dp_auditorium,
DP-Sniper, diffprivlib and OpenDP, and what wb.mechanism_from makes, do as well.
The code is run, so test only code that you trust.
"""

_EXIT_STATUS = """exit status:
  0  no violation was found; that does not show that the mechanism is private.
     Without a claim: the largest epsilon that the runs prove was found
  1  a violation was found (with --replay: confirmed)
  2  bad input
  3  no conclusion: every trial was lost, the search was stopped with Ctrl-C
     before it found a violation, or the samples are too few to detect a leak
     of --must-detect (twice the claim by default; without a claim, any leak)
     with probability 80% on the right datasets

The confidence covers all trials, testers and directions together: a mechanism
that meets its claim gets status 1 with probability at most 5% (at 95%).
The same seed gives the same result.

examples:
  workbench test svt5
  workbench test release.py:mean --claim 'pure(1)' --low 0 --high 100
  workbench test release.py:opendp_measurement
  workbench test package.release:mean --claim 'approx(1, 1e-5)' --samples 1000000 \\
      --workers 8 --save found.json --format junit > audit.xml
  workbench test package.release:mean --replay found.json --seed 7
  workbench test release.py:per_group --claim 'pure(1)' --domain release.py:DOMAIN \\
      --neighboring-relation user
"""

#: Options that `audit_mechanism` takes under the same name; its defaults hold for those not given.
_AUDIT = ("datasets", "neighboring_relation", "trials", "samples", "confidence", "seed", "anytime")

#: Options that describe the datasets, as in `Domain`.
_DOMAIN = ("low", "high", "columns", "min_records", "max_records", "integer")

#: Options that `MechanismAudit.replay` takes under the same name.
_REPLAY = ("samples", "confidence", "seed")

_SECONDS = 60.0


def add(command: CommandParser) -> None:
    """Add the arguments of the command `test`."""
    command.description, command.epilog = _DESCRIPTION, _EXIT_STATUS
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.argument_default = argparse.SUPPRESS
    command.set_defaults(run=test)
    command.add_argument("target", metavar="TARGET", help="the mechanism")
    command.add_argument(
        "--claim",
        help=f"the claim: {claim_forms()}, or a pair such as 'laplace(MU)'; a mechanism "
        "of the gallery has its own, as has one that states it. Without any: the largest epsilon "
        "that the runs prove",
    )
    command.add_argument(
        "--delta",
        type=float,
        metavar="X",
        help="prove the largest epsilon at this delta, whatever the mechanism claims (default "
        "without a claim: 0)",
    )
    command.add_argument(
        "--testers",
        metavar="NAMES",
        help="with commas: hockey-stick,renyi,mmd,histogram,bits (default: all but bits)",
    )
    command.add_argument("--trials", type=int, help="datasets to try (default: 50)")
    command.add_argument("--samples", type=int, help="runs on each dataset (default: 100000)")
    command.add_argument("--confidence", type=float, help="default: 0.95")
    command.add_argument("--seed", type=int, help="of all randomness (default: 0)")
    command.add_argument(
        "--anytime", action="store_true", help="stop at the first violation, which is as valid"
    )
    command.add_argument(
        "--shrink",
        action="store_true",
        help="after a violation, look for smaller datasets that show it, on fresh outputs",
    )
    command.add_argument(
        "--must-detect",
        type=float,
        metavar="X",
        help="leak (ε or μ) that the audit must be able to detect; default: twice the claim",
    )
    command.add_argument(
        "--time-limit",
        type=float,
        metavar="SECONDS",
        default=_SECONDS,
        help="for which the mechanism may compute in each trial; a longer trial is lost "
        "(default: %(default)g); "
        "0 is no limit, and runs the mechanism in this process",
    )
    command.add_argument(
        "--workers",
        metavar="N",
        help="processes that share the trials; 'processes' for one for each core (default: 1)",
    )
    add_format(command, "JUnit XML with one test")
    command.add_argument("--save", type=Path, metavar="FILE", help="keep all evidence (JSON)")
    command.add_argument(
        "--replay",
        type=Path,
        metavar="FILE",
        help="check saved evidence on fresh outputs; --samples, --confidence, --seed (default: 1) "
        "then apply to this check",
    )
    data = command.add_argument_group("datasets (a mechanism of the gallery has its own)")
    data.add_argument(
        "--datasets",
        choices=("random", "grid", "bandit"),
        help="search strategy for neighboring datasets (default: random)",
    )
    data.add_argument(
        "--neighboring-relation",
        metavar="RELATION",
        help="which datasets are neighbors: add-remove (default) or substitute; of a table also "
        "user or label",
    )
    data.add_argument(
        "--domain",
        metavar="TARGET",
        help="a TableDomain, written as the mechanism is: path/to/file.py:DOMAIN; data frames of "
        "it are searched, and options below do not apply",
    )
    data.add_argument("--low", type=float, help="smallest value of a record (default: 0)")
    data.add_argument("--high", type=float, help="largest value of a record (default: 1)")
    data.add_argument("--columns", type=int, help="values of each record; 0 (default) for vectors")
    data.add_argument("--min-records", type=int, help="fewest records (default: 1)")
    data.add_argument("--max-records", type=int, help="most records (default: 10)")
    data.add_argument("--integer", action="store_true", help="values are integers")


def test(arguments: argparse.Namespace) -> int:
    """Audit a mechanism, or replay what an audit found."""
    from workbench.cli.mechanism_audit.formats import FORMATS

    # Also in the background of a script, where SIGINT is ignored: a sender of SIGINT wants the
    # partial result. SIGHUP, which `nohup` ignores, stays ignored.
    with apart(), interruptible():
        report = _replay(arguments) if "replay" in arguments else _audit(arguments)
    say(FORMATS[arguments.format](report))
    return report.status


def _audit(arguments: argparse.Namespace) -> MechanismReport:
    from workbench.cli.mechanism_audit.formats import MechanismReport
    from workbench.mechanisms.adapting.adapt import mechanism_from
    from workbench.testers.audit import audit_mechanism
    from workbench.testers.running.load_mechanism import find_mechanism
    from workbench.testing.assertions import check_must_detect

    given = vars(arguments)
    mechanism = find_mechanism(arguments.target)
    adapted = mechanism_from(mechanism)
    claim = claim_or_largest(given.get("claim"), adapted.claim, given.get("delta"))
    if "shrink" in given and adapted.stated_pair:  # not after the work
        raise ValueError(
            "--shrink: which smaller datasets are neighbors is not known where the pair is stated"
        )
    must_detect = given.get("must_detect")
    if must_detect is not None:
        must_detect = check_must_detect(must_detect, claim)
    save = given.get("save")
    if save is not None and not save.absolute().parent.is_dir():
        raise ValueError(f"--save: there is no directory {save.parent}")  # not after the work
    options = {name: given[name] for name in _AUDIT if name in given}
    if "testers" in given:
        options["testers"] = tuple(name.strip() for name in given["testers"].split(","))
    domain = {name: given[name] for name in _DOMAIN if name in given}
    if "domain" in given:
        options["domain"] = _tables(given["domain"], domain)
    elif domain:
        options["domain"] = replace(_domain(mechanism, domain), **domain)
    with progress() as report, _workers(given.get("workers")) as executor:
        found = audit_mechanism(
            mechanism,
            claim,
            time_limit=arguments.time_limit or None,
            executor=executor,
            report=report,
            **options,
        )
    if save is not None:
        found.save(save)
    shrunk = None
    if "shrink" in given and found.violation:
        shrunk = found.shrink(time_limit=arguments.time_limit or None)
    return MechanismReport(found, must_detect, shrunk=shrunk)


def _workers(text: str | None) -> AbstractContextManager[Executor | str | None]:
    """Where trials run: in this process, in N processes, or in one for each core."""
    if text in (None, "1"):
        return nullcontext()
    if text == "processes":
        return nullcontext("processes")
    try:
        return new_processes(_checks.count(text, "--workers", least=1))
    except ValueError as error:
        raise ValueError(f"{error}, or 'processes' for one a core") from None


def _domain(mechanism: Any, given: Collection[str]) -> Domain:
    from workbench.mechanisms.adapting.adapt import mechanism_from
    from workbench.mechanisms.base import Domain

    domain = mechanism_from(mechanism).domain or Domain()
    if not isinstance(domain, Domain):
        raise ValueError(
            f"{_options(given)}: such options describe arrays, and the mechanism takes data "
            f"frames. {domain.in_words()}"
        )
    return domain


def _tables(target: str, given: Collection[str]) -> TableDomain:
    """The domain that a target names."""
    from workbench.mechanisms.table_domain import TableDomain
    from workbench.testers.running.load_mechanism import find_object

    if given:
        raise ValueError(f"--domain describes tables, and {_options(given)} arrays; drop one")
    found = find_object(target)
    if not isinstance(found, TableDomain):
        raise ValueError(
            f"--domain: {target} is a {type(found).__name__}; name a wb.TableDomain, such as "
            'DOMAIN = wb.TableDomain({"x": (0.0, 1.0)}, user="id")'
        )
    return found


def _options(names: Collection[str]) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in names)


def _replay(arguments: argparse.Namespace) -> MechanismReport:
    from workbench.cli.mechanism_audit.formats import MechanismReport
    from workbench.testers.mechanism_audit import MechanismAudit
    from workbench.testers.running.load_mechanism import find_mechanism

    given = vars(arguments)
    others = {*_AUDIT, *_DOMAIN, "domain", "claim", "delta", "testers", "must_detect", "save"}
    others |= {"shrink", "workers"}
    refused = sorted(name for name in others - {*_REPLAY} if name in given)
    if refused:
        raise ValueError(f"with --replay all comes from the file; drop {_options(refused)}")
    audit = MechanismAudit.load(arguments.replay)
    replayed = audit.replay(
        find_mechanism(arguments.target),
        time_limit=arguments.time_limit or None,
        **{name: given[name] for name in _REPLAY if name in given},
    )
    return MechanismReport(audit, replay=replayed)
