"""`--app NAME=FILE`: Panel apps beside the pages."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.software.extras import require

if TYPE_CHECKING:
    from workbench.server.apps.panel_app import PanelApp


def add(command: argparse.ArgumentParser) -> None:
    """Add the option to the command."""
    command.add_argument(
        "--app",
        metavar="NAME=FILE",
        action="append",
        type=_named,
        default=[],
        help="a Panel app (a script as for 'panel serve', or a notebook) beside the pages, at "
        "/apps/NAME and in the menu, for editors; in it, wb.workspace() is the visitor's own. It "
        "runs in this process: name only files that you trust; may be repeated",
    )


def apps_of(arguments: argparse.Namespace) -> Sequence[PanelApp]:
    """The apps that the options name, read and not yet run.

    Raises
    ------
    ValueError
        One cannot be used, or has the name of another one.
    MissingPackage
        Panel is not installed.
    """
    if not arguments.app:
        return ()
    require("panel", "--app needs")
    from workbench.server.apps.panel_app import PanelApp

    found: dict[str, PanelApp] = {}
    for name, path in arguments.app:
        if name.lower() in found:
            raise ValueError(f"--app {name}={path}: another app has this name already")
        found[name.lower()] = PanelApp.read(name, path)
    return tuple(found.values())


def _named(text: str) -> tuple[str, Path]:
    name, sign, path = text.partition("=")
    if not (name and sign and path):
        raise argparse.ArgumentTypeError(f"must be NAME=FILE, such as ours=app.py; got {text!r}")
    return name, Path(path).expanduser()
