"""`workbench audits`: the audits that were saved on this computer or in a shared database."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import workbench as wb
from workbench.cli.output import one_line, say, say_table, to_json
from workbench.cli.parser import CommandParser

if TYPE_CHECKING:
    from workbench.audits.imported import Imported
    from workbench.audits.summary import AuditSummary

_NAME = "name or key of an audit"

#: The origin of an audit that was saved before imports were marked.
UNMARKED = "made here or imported: it was saved by a version that did not note this"


def add(command: CommandParser) -> None:
    """Add the commands of `audits`."""
    command.description = (
        "The audits that were saved on the pages, in notebooks or by 'workbench audit --save'. "
        "They are in the folder of 'workbench data path', or in the database whose URL is in the "
        "environment variable WORKBENCH_DATABASE."
    )
    actions = command.add_subparsers(required=True, metavar="ACTION")

    action = _action(actions, "list", list_audits, "list the audits, newest first", as_json=True)
    action.add_argument("--removed", action="store_true", help="those that were removed")
    action.add_argument("--limit", type=int, metavar="N", help="the newest N; all by default")

    action = _action(actions, "search", search_audits, "find audits by words", as_json=True)
    action.add_argument("words", metavar="WORD", nargs="*", help="all occur, in any order")
    action.add_argument("--tag", action="append", default=[], help="a tag; repeat for several")
    action.add_argument("--page", default="", help="name of a page")
    action.add_argument("--series", default="", help="name of a series")

    action = _action(actions, "show", show_audit, "show an audit", as_json=True)
    action.add_argument("name", metavar="NAME", help=_NAME)

    action = _action(actions, "compare", compare_audits, "say what differs", as_json=True)
    action.add_argument("names", metavar="NAME", nargs="+", help=f"{_NAME}, at least two")

    action = _action(actions, "export", export_audit, "write an audit to one file")
    action.add_argument("name", metavar="NAME", help=_NAME)
    action.add_argument("file", metavar="FILE", type=Path, help="such as release.audit.zip")

    action = _action(actions, "import", import_audits, "add the audits of files from 'export'")
    action.add_argument("files", metavar="FILE", nargs="+", type=Path)

    action = _action(actions, "remove", remove_audit, "remove an audit")
    action.add_argument("name", metavar="NAME", help=_NAME)
    action.add_argument(
        "--for-good",
        action="store_true",
        help="delete it at once, and all audits that were removed before",
    )

    action = _action(actions, "restore", restore_audit, "bring a removed audit back")
    action.add_argument("name", metavar="NAME", help=_NAME)


def list_audits(arguments: argparse.Namespace) -> int:
    """Print the audits."""
    with _archive() as archive:
        found = archive.search(removed=arguments.removed, limit=arguments.limit)
        _print_list(arguments, archive, found, "no audits yet; save one on a page")
    return 0


def search_audits(arguments: argparse.Namespace) -> int:
    """Print the audits that were found."""
    with _archive() as archive:
        found = archive.search(
            " ".join(arguments.words), arguments.page, arguments.tag, arguments.series
        )
        _print_list(arguments, archive, found, "no audit has these words")
    return 0


def show_audit(arguments: argparse.Namespace) -> int:
    """Print an audit, or its card."""
    with _archive() as archive:
        audit = archive[arguments.name]
        if arguments.json:
            say(to_json(audit.to_dict()))
            return 0
        say(one_line(audit.name, None))
        origin = "" if audit.imported is None else audit.imported.explain()
        if archive.find(audit.key).imported_at is None:
            origin = UNMARKED
        for title, text in (
            ("origin", origin),
            ("key", audit.key),
            ("page", audit.title),
            ("made", f"{audit.made.astimezone():%Y-%m-%d %H:%M}"),
            ("by", audit.by),
            ("tags", ", ".join(audit.tags)),
            ("series", f"{audit.series}, number {audit.position}" if audit.series else ""),
            ("plan", "" if audit.plan is None else f"{audit.plan.name} {audit.plan.sha256[:8]}"),
            *(("data", f"{one.name}: {one.source}") for one in audit.data),
            ("versions", ", ".join(one.key for one in archive.versions(audit.key)[1:])),
        ):
            if text:
                say(f"{title:<9} {one_line(text, None)}")
        for line in audit.note.splitlines():
            say(f"  {one_line(line, None)}")
        rows = [(one.title, one.shown, ", ".join(one.terms)) for one in audit.numbers]
        say_table([("number", "value", "guarantee and assumptions"), *rows])
    return 0


def compare_audits(arguments: argparse.Namespace) -> int:
    """Print what differs between audits."""
    with _archive() as archive:
        found = archive.compare(*arguments.names)
    if arguments.json:
        say(
            to_json(
                {
                    "audits": [
                        {"key": one.key, "name": one.name, "imported": _imported(one.imported)}
                        for one in found.audits
                    ],
                    "pages": found.pages,
                    "parameters": dict(found.parameters),
                    "data": {
                        name: [None if one is None else one.to_dict() for one in sets]
                        for name, sets in found.data.items()
                    },
                    "plans": found.plans,
                    "software": dict(found.software),
                    "numbers": [
                        {"name": one.name, "title": one.title, "shown": one.shown}
                        | {"terms": one.terms, "differs": one.differs}
                        for one in found.numbers
                    ],
                }
            )
        )
        return 0
    for sentence in found.explain().splitlines():
        say(one_line(sentence, None))
    rows = [(one.title, *one.shown) for one in found.numbers]
    say_table([("number", *found.names), *rows])
    return 0


def export_audit(arguments: argparse.Namespace) -> int:
    """Write an audit to a file."""
    with _archive() as archive:
        path = archive.export(arguments.name, arguments.file)
    say(f"{one_line(str(path), None)}: {path.stat().st_size:,} bytes")
    return 0


def import_audits(arguments: argparse.Namespace) -> int:
    """Add the audits of files."""
    from workbench.cli.score_audit.keeping import user

    with _archive() as archive:
        for path in arguments.files:
            before = {one.key for one in archive.search(versions=True)}
            audit = archive.add_file(path, user())
            if audit.key in before:
                how = "which was there already"
            elif audit.imported is None:
                how = "which was made here and is in the list again"
            else:
                how = "imported: what it states was not checked here"
            say(f"{audit.key}  {one_line(audit.name, None)}, {how}")
    return 0


def remove_audit(arguments: argparse.Namespace) -> int:
    """Remove an audit."""
    with _archive() as archive:
        one = archive.find(arguments.name)
        archive.remove(one.key)
        how = f"removed; 'workbench audits restore {one.key}' brings it back"
        if arguments.for_good:
            archive.purge()
            how = "deleted"
    say(f"{one_line(one.name, None)} was {how}")
    return 0


def restore_audit(arguments: argparse.Namespace) -> int:
    """Bring an audit back."""
    with _archive() as archive:
        one = archive.restore(arguments.name)
    say(f"{one_line(one.name, None)} is in the list again")
    return 0


def _action(
    actions: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    does: str,
    as_json: bool = False,
) -> argparse.ArgumentParser:
    action: argparse.ArgumentParser = actions.add_parser(name, help=does)
    action.set_defaults(run=run)
    if as_json:
        action.add_argument("--json", action="store_true", help="as JSON")
    return action


@contextmanager
def _archive() -> Iterator[wb.Archive]:
    workspace = wb.workspace()
    try:
        yield workspace.audits
    finally:
        workspace.close()


def _print_list(
    arguments: argparse.Namespace, archive: wb.Archive, found: list[AuditSummary], none: str
) -> None:
    if arguments.json:
        say(to_json({"where": archive.where, "audits": [_row(one) for one in found]}))
    elif not found:
        say(none)
    else:
        heads: tuple[str, ...] = ("key", "name", "page", "made", "first number", "origin")
        rows: list[tuple[str, ...]] = [
            (
                *(one.key, one.name, one.page, f"{one.made.astimezone():%Y-%m-%d %H:%M}"),
                *(_number(one), _origin(one)),
            )
            for one in found
        ]
        if not any(one.imported for one in found):
            heads, rows = heads[:-1], [row[:-1] for row in rows]
        say_table([heads, *rows])


def _row(one: AuditSummary) -> dict[str, Any]:
    number = one.headline
    return {
        "key": one.key,
        "name": one.name,
        "note": one.note,
        "tags": one.tags,
        "page": one.page,
        "made": one.made_at,
        "saved": one.saved_at,
        "by": one.by,
        "data": one.data,
        "previous": one.previous,
        "versions": one.versions,
        "series": one.series,
        "position": one.position,
        "imported": _imported(one.imported),
        "number": None if number is None else number.to_dict(),
    }


def _origin(one: AuditSummary) -> str:
    if one.imported_at is None:
        return ""
    return "imported" if one.imported else "made here"


def _imported(found: Imported | None) -> dict[str, Any] | None:
    return None if found is None else found.to_dict()


def _number(one: AuditSummary) -> str:
    number = one.headline
    return "" if number is None else f"{number.title} {number.shown}"
