"""`workbench train`: train the models of a plan, and keep their scores."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from workbench import _checks
from workbench.cli.output import say
from workbench.cli.parser import CommandParser
from workbench.cli.progress import progress
from workbench.cli.training.outcome import NO_CONCLUSION, say_kept, say_result
from workbench.parallel import ProcessesEnded, interruptible, new_processes

_DESCRIPTION = """\
Train the models of a plan with DP-SGD, score them, and keep the scores in a folder.

PLAN is a TOML file, the name of a bundled plan, or the folder of a run that was
stopped or killed, which is continued. Each model is kept as soon as it is
trained. The scores depend on the plan alone, not on the number of processes.

bundled plans ('workbench train NAME --print' shows one):
{plans}
"""

_EXIT_STATUS = """exit status:
  0  all models are trained, and the claim of the plan is not refuted or there is
     none
  1  all models are trained, and they refute the claim
  2  bad input
  3  no conclusion: stopped before the end, as by a full disk; a claim that is not
     judged, which only one of Scores is; or too few models: a mechanism at twice
     the claim would have been refuted with a probability below one half
  130  stopped with Ctrl-C
In any case the folder keeps the models that are trained.

the folder:
  plan.toml       the plan, with all that has a default
  run.json        parameters, seed, versions, dates, processor time
  parts/          the scores of models that are trained, while others are not
  rows.parquet    the scores by model and subject
  scores.parquet  at the end: the scores as the other commands and the pages
                  open them, which take the folder, too

examples:
  workbench train black-box
  workbench train my-audit.toml --out runs/first --workers 8
  workbench audit runs/first
"""


def add(command: CommandParser) -> None:
    """Add the options of the command `train`."""
    from workbench.training.runs.bundled import plans

    command.description = _DESCRIPTION.format(plans=_in_lines(plans()))
    command.epilog = _EXIT_STATUS
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.set_defaults(run=train)
    command.add_argument("plan", metavar="PLAN", help="a file, a name or a folder")
    command.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        help="the folder of the run (default: the name of the plan)",
    )
    command.add_argument(
        "--workers",
        metavar="N",
        type=int,
        help="processes that share the models (default: one for each core)",
    )
    command.add_argument("--print", action="store_true", help="print the plan, and train nothing")


def train(arguments: argparse.Namespace) -> int:
    """Train the models of a plan, or continue to."""
    from workbench.scores.layouts.folders import RUN_PLAN
    from workbench.training.runs.plan import read_plan
    from workbench.training.runs.run import run_training_audit

    given = Path(arguments.plan)
    begun = (given / RUN_PLAN).is_file()
    plan = read_plan(given / RUN_PLAN if begun else arguments.plan)
    if arguments.print:
        say(plan.to_toml().rstrip())
        return 0
    folder = arguments.out or (given if begun else Path(given.stem))
    workers = _workers(arguments.workers)
    try:
        with interruptible(), progress() as report, workers as executor:
            run = run_training_audit(plan, report=report, executor=executor, folder=folder)
    except KeyboardInterrupt:
        say_kept(folder, "")
        raise
    except (OSError, ProcessesEnded) as error:
        say_kept(folder, f"stopped: {getattr(error, 'strerror', None) or error}. ")
        return NO_CONCLUSION
    return say_result(run, folder)


def _in_lines(names: Iterable[str]) -> str:
    return textwrap.indent(textwrap.fill(", ".join(names), 78, break_on_hyphens=False), "  ")


def _workers(count: int | None) -> AbstractContextManager[Executor | None]:
    if count is None:
        return nullcontext()
    return new_processes(_checks.count(count, "workers", least=1))
