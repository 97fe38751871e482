"""`workbench records`: bounds for the records of a score table."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import workbench as wb
from workbench._markup import visible
from workbench.cli.files import TABLE_PARTS, in_option_names
from workbench.cli.output import say, to_json
from workbench.cli.parser import CommandParser
from workbench.cli.progress import progress
from workbench.scores.sample import CLUSTER_RULES
from workbench.tables.bounds.worst_record import METHODS
from workbench.tables.layouts.base import TRANSPOSED
from workbench.tables.layouts.registry import LAYOUTS
from workbench.tables.table import SAMPLINGS_OF_MODELS

#: Version of the JSON.
VERSION = 1

_ATTACKS = ("lira", "rmia")

#: Records that the text names.
_NAMED = 10


def add(command: CommandParser) -> None:
    """Add the options of the command `records`."""
    command.description = (
        "The layout and design of a score table of many models and records, a lower bound on the "
        "largest ε of its records, and how many records exceed an ε at least. Both numbers hold "
        "together with the confidence."
    )
    command.epilog = "layouts:\n" + "\n".join(f"  {one.about}" for one in LAYOUTS.values())
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.set_defaults(run=records)
    command.add_argument("path", metavar="PATH", type=Path, help="a folder or a file")
    command.add_argument("--delta", type=float, default=1e-5, help="default: %(default)g")
    command.add_argument("--confidence", type=float, default=0.95, help="default: %(default)g")
    command.add_argument(
        "--epsilon",
        type=float,
        default=1.0,
        help="of the records that are counted, fixed in advance; default: %(default)g",
    )
    command.add_argument(
        "--method",
        choices=tuple(METHODS),
        default="held-out",
        help="of the bound on the largest ε, fixed in advance; default: %(default)s",
    )
    command.add_argument(
        "--attack",
        choices=_ATTACKS,
        default=_ATTACKS[0],
        help="the attack that makes scores of signals; default: %(default)s",
    )
    command.add_argument("--format", choices=("text", "json"), default="text")
    command.add_argument(
        "--json",
        action="store_const",
        dest="format",
        const="json",
        help="the same as --format json",
    )
    _add_reading(command)


def _add_reading(command: argparse.ArgumentParser) -> None:
    direction = command.add_mutually_exclusive_group()
    for name, larger in (("smaller", False), ("larger", True)):
        direction.add_argument(
            f"--{name}-is-member",
            dest="larger_is_member",
            action="store_const",
            const=larger,
            help=f"{name} scores speak for membership",
        )
    reading = command.add_argument_group("how the table is read (by default, this is detected)")
    reading.add_argument("--layout", choices=tuple(LAYOUTS))
    reading.add_argument("--scores", help="column, array or signals of the scores")
    reading.add_argument("--member", help="column or array of the memberships")
    reading.add_argument("--member-value", help="the label of members")
    reading.add_argument(
        "--labels", help="array of the class of each record, for outputs of classes"
    )
    reading.add_argument("--model", help="column of the models")
    reading.add_argument("--record", help="column of the records")
    reading.add_argument(
        "--transposed", choices=TRANSPOSED, help="which arrays have records along the first axis"
    )
    reading.add_argument("--augmentations", choices=CLUSTER_RULES)
    reading.add_argument("--sampling", choices=SAMPLINGS_OF_MODELS, default="unknown")
    reading.add_argument(
        "--trusted",
        action="store_true",
        help="read large files of your own, without limits of size, memory and time",
    )


def records(arguments: argparse.Namespace) -> int:
    """Print what a score table proves about its records."""
    # The notes of the table, which are logged, are printed with the result.
    logging.getLogger("workbench.tables.read").setLevel(logging.WARNING)
    with progress() as report:
        with in_option_names():
            found = wb.read_score_table(
                arguments.path,
                **{name: getattr(arguments, name) for name in TABLE_PARTS},
                larger_is_member=arguments.larger_is_member,
                augmentations=arguments.augmentations,
                sampling=arguments.sampling,
                trusted=arguments.trusted,
                progress=report,
            )
            attack = None
            if isinstance(found, wb.SignalTable):
                attack = arguments.attack
                table: wb.ScoreTable = getattr(found, attack)(progress=report)
            else:
                table = found
        # Two numbers, which hold together.
        each = 1 - (1 - arguments.confidence) / 2
        worst = table.worst_record(arguments.delta, each, arguments.method, progress=report)
        count = table.exceeding(arguments.epsilon, arguments.delta, each, progress=report)
    as_format = {"text": _as_text, "json": _as_json}[arguments.format]
    say(as_format(table, attack, found.notes, worst, count))
    return 0


def _as_text(
    table: wb.ScoreTable,
    attack: str | None,
    notes: tuple[str, ...],
    worst: wb.Bound,
    count: wb.RecordCount,
) -> str:
    left = table.n_records - int(table.auditable.sum())
    rows = {
        "table": table.name,
        "models": f"{table.n_models:,}",
        "records": f"{table.n_records:,}" + (f", {left:,} of them not auditable" if left else ""),
        "design": table.design.name,
        "assumption": table.assumption,
    }
    if attack is not None:
        rows["attack"] = attack
    width = max(map(len, rows))
    lines = [f"{what:<{width}}  {visible(text)}" for what, text in rows.items()]
    lines += [f"- {visible(note)}" for note in notes]
    lines += ["", f"worst record: {worst}", str(count)]
    if count.value:
        names = [visible(str(name)) for name in count.records[:_NAMED]]
        more = count.value - len(names)
        lines.append(f"  {', '.join(names)}" + (f" and {more:,} more" if more else ""))
    lines += ["", worst.explain()]
    return "\n".join(lines)


def _as_json(
    table: wb.ScoreTable,
    attack: str | None,
    notes: tuple[str, ...],
    worst: wb.Bound,
    count: wb.RecordCount,
) -> str:
    return to_json(
        {
            "version": VERSION,
            "table": {
                "name": table.name,
                "models": table.n_models,
                "records": table.n_records,
                "auditable": int(table.auditable.sum()),
                "design": table.design.name,
                "assumption": table.assumption,
                "larger_is_member": table.larger_is_member,
                "sampling": table.sampling,
                "notes": list(notes),
            },
            "attack": attack,
            "worst_record": {**worst.to_dict(), "rounded": worst.rounded, "terms": worst.terms},
            "exceeding": {
                "epsilon": count.epsilon,
                "delta": count.delta,
                "confidence": count.confidence,
                "count": count.value,
                "records": [str(name) for name in count.records],
                "assumption": count.assumption,
            },
        }
    )
