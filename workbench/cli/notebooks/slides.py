"""`workbench slides`: a notebook as slides that need no network."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from workbench.cli.parser import CommandParser
from workbench.cli.output import say


def add(command: CommandParser) -> None:
    """Add the options of the command `slides`."""
    command.description = (
        "Run a notebook and write it as slides: one HTML file with reveal.js and all charts in it, "
        "which needs no network. A cell begins a slide by its slide type, as JupyterLab sets it; "
        "the code of cells with the tag hide-input is left out."
    )
    command.set_defaults(run=slides)
    command.add_argument("notebook", metavar="NOTEBOOK", type=Path, help="a file .ipynb")
    command.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        type=Path,
        help="the file to write; default: beside the notebook, with the ending .slides.html",
    )
    command.add_argument("--no-code", action="store_true", help="leave out the code of all cells")
    command.add_argument(
        "--no-run", action="store_true", help="show the outputs that the notebook is stored with"
    )


def slides(arguments: argparse.Namespace) -> int:
    """Write the slides of a notebook."""
    from workbench.slides.deck import write_slides

    path = write_slides(
        arguments.notebook,
        arguments.output,
        run=not arguments.no_run,
        code=not arguments.no_code,
    )
    say(f"{path}: {math.ceil(path.stat().st_size / 1000):,} kB")
    return 0
