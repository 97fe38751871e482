"""`workbench data`: the data sets that are kept on this computer."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import workbench as wb
from workbench.cli.files import GivenFiles, add_layout_arguments
from workbench.cli.output import complain, one_line, say, to_json
from workbench.cli.parser import CommandParser


def add(command: CommandParser) -> None:
    """Add the commands of `data`."""
    command.description = (
        "The data sets on this computer that the pages of 'workbench serve' and notebooks share. "
        "The environment variable WORKBENCH_HOME names another folder."
    )
    actions = command.add_subparsers(required=True, metavar="ACTION")

    action = actions.add_parser("list", help="list the data sets")
    action.set_defaults(run=list_datasets)
    action.add_argument("--json", action="store_true", help="as JSON, with hashes and keys")

    action = actions.add_parser("add", help="add the scores of a file, or of one file per group")
    action.set_defaults(run=add_dataset)
    action.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="a score file, or one per group, members first",
    )
    action.add_argument("--name", default="", help="the file's name by default")
    action.add_argument(
        "--claim",
        default="",
        help="what was promised of the mechanism, such as 'approx(2, 1e-5)'; kept with the data",
    )
    add_layout_arguments(action)

    action = actions.add_parser("remove", help="remove a data set")
    action.set_defaults(run=remove_dataset)
    action.add_argument("name", metavar="NAME")
    action.add_argument(
        "--for-good",
        action="store_true",
        help="delete its content at once, and that of all data sets that were removed before",
    )

    action = actions.add_parser("rename", help="rename a data set")
    action.set_defaults(run=rename_dataset)
    action.add_argument("name", metavar="NAME")
    action.add_argument("new_name", metavar="NEW_NAME")

    action = actions.add_parser("path", help="print the folder that holds them")
    action.set_defaults(run=print_path)


def list_datasets(arguments: argparse.Namespace) -> int:
    """Print the data sets, also those of a folder that cannot be written."""
    workspace = wb.workspace()
    try:
        found = list(workspace.datasets)
        if arguments.json:
            say(to_json({"path": _folder(), "problem": workspace.problem, "data": _rows(found)}))
        else:
            _list(found)
        _complain(workspace.problem)
    finally:
        workspace.close()
    return 0


def add_dataset(arguments: argparse.Namespace) -> int:
    """Add the scores of files."""
    from workbench.audits.plan import claim_text

    files, claim = GivenFiles.of_any_kind(arguments), claim_text(arguments.claim)
    with _changed() as workspace:
        before = {one.key for one in workspace.datasets}
        dataset = files.add(workspace, arguments.name)
        if claim:
            dataset = workspace.kept.promise(dataset.key, claim)
        already = ", which is there already" if dataset.key in before else ""
    unit = "" if dataset.kind == "table" else " scores"
    say(f"{dataset.name!r}{already}: {dataset.size}{unit}")
    say(one_line(dataset.describe(), None))
    if dataset.claim:
        say(f"promised: {dataset.claim}")
    return 0


def remove_dataset(arguments: argparse.Namespace) -> int:
    """Remove a data set."""
    with _changed() as workspace:
        name = workspace.dataset(arguments.name).name
        workspace.kept.remove(arguments.name)
        if arguments.for_good:
            workspace.kept.purge()
    how = "deleted" if arguments.for_good else "removed; its content is deleted after 30 days"
    say(f"{name!r} was {how}")
    return 0


def rename_dataset(arguments: argparse.Namespace) -> int:
    """Rename a data set."""
    with _changed() as workspace:
        dataset = workspace.kept.rename(arguments.name, arguments.new_name)
    say(f"{arguments.name!r} is now {dataset.name!r}")
    return 0


def print_path(arguments: argparse.Namespace) -> int:
    """Print the folder of the data sets."""
    say(_folder())
    return 0


@contextmanager
def _changed() -> Iterator[wb.Workspace]:
    """The workspace; WorkspaceError where the change could not be written, since this ends here."""
    workspace = wb.workspace()
    try:
        yield workspace
        workspace.storage.flush()
        if workspace.storage.waiting:
            raise wb.WorkspaceError(f"nothing was changed. {workspace.problem}")
        _complain(workspace.problem)
    finally:
        workspace.close()


def _folder() -> str:
    from workbench.workspaces.home import home_folder

    return str(home_folder())


def _list(datasets: list[wb.DataSet]) -> None:
    if not datasets:
        say("no data sets yet; add one with 'workbench data add FILE'")
    names = [repr(one.name) for one in datasets]
    width = max(map(len, names), default=0)
    for name, one in zip(names, datasets, strict=True):
        say(f"{name:<{width}}  {_size(one)}  {one.created.astimezone():%Y-%m-%d %H:%M}")
        say(f"{'':<{width}}  {one_line(one.describe(), None)}")


def _rows(datasets: list[wb.DataSet]) -> list[dict[str, Any]]:
    return [
        {
            "name": one.name,
            "key": one.key,
            "sha256": one.sha256,
            "n_p": one.n_p,
            "n_q": one.n_q,
            "created": one.created.isoformat(),
            "source": one.source.to_dict(),
            "reading": one.reading.to_dict(),
            "reread": one.reread,
            "claim": one.claim,
        }
        for one in datasets
    ]


def _complain(problem: str) -> None:
    if problem:
        complain(problem)


def _size(dataset: wb.DataSet) -> str:
    if dataset.kind == "table":
        return dataset.size
    return f"{dataset.n_p:>7,} + {dataset.n_q:>7,}"
