"""`write_slides`: a notebook as slides, in one HTML file that needs no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.assets.packed import PLOTLY
from workbench.slides.outputs import stand_alone
from workbench.software.extras import check

HERE = Path(__file__).parent
VENDOR = HERE.parent / "assets" / "browser" / "vendor"

#: Tag of the cells whose code is no part of the slides.
HIDDEN = "hide-input"

#: Seconds that one cell may take.
PATIENCE = 600


def write_slides(
    notebook: Path, output: Path | None = None, *, run: bool = True, code: bool = True
) -> Path:
    """The path of the slides of a notebook.

    The file holds all that it needs, reveal.js included, and asks no other host for anything.
    Formulas in TeX stay as they are written.

    Parameters
    ----------
    notebook : Path
        Cells begin slides by their `slide_type`, as JupyterLab sets it.
    output : Path, optional
        The file to write; by default beside the notebook, with the ending ``.slides.html``.
    run : bool
        Run the notebook first, in its folder. Otherwise the outputs that it is stored with are
        shown.
    code : bool
        Show the code of the cells that have no tag "hide-input"; otherwise no code.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        A file that is no notebook or has nothing to show, or a cell that fails.
    MissingPackage
        nbclient or nbconvert is not installed.
    OSError
        A file that cannot be read or written.
    """
    for package in ("nbclient", "nbconvert"):
        check(package, "slides need")
    path = notebook.with_suffix(".slides.html") if output is None else output
    book = _read(notebook)
    if run:
        _run(book, notebook)
    text = _text(book, notebook.stem, code)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _read(path: Path) -> Any:
    import nbformat

    try:
        book = nbformat.read(path, as_version=4)
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a notebook: give a file that ends with .ipynb") from error
    if not any(cell.source.strip() for cell in book.cells):
        raise ValueError(f"{path} has no cells to show")
    return book


def _run(book: Any, path: Path) -> None:
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    where = {"metadata": {"path": str(path.resolve().parent)}}
    try:
        NotebookClient(book, timeout=PATIENCE, resources=where).execute()
    except CellExecutionError as error:
        said = f"{error.ename}: {error.evalue}"
        raise ValueError(f"a cell of {path} fails with {said}; mend it, or use --no-run") from error
    except NoSuchKernel as error:
        raise ValueError(f"{path} needs the kernel {error.name!r}, which is not here") from error


def _text(book: Any, title: str, code: bool) -> str:
    from nbconvert import SlidesExporter
    from traitlets.config import Config

    charts = stand_alone(book)
    scripts = [VENDOR / "reveal.js", HERE / "deck" / "deck.js"]
    texts = [script.read_text(encoding="utf-8") for script in scripts]
    settings = {
        "CSSHTMLHeaderPreprocessor": {"style": "friendly"},
        "TagRemovePreprocessor": {"enabled": True, "remove_input_tags": {HIDDEN}},
    }
    exporter = SlidesExporter(
        config=Config(settings),
        template_name="deck",
        extra_template_basedirs=[str(HERE)],
        exclude_input=not code,
    )
    resources = {
        "metadata": {"name": title},
        "deck": {
            "styles": [
                (VENDOR / "reveal.css").read_text(encoding="utf-8"),
                (HERE / "deck" / "deck.css").read_text(encoding="utf-8"),
            ],
            "scripts": [PLOTLY.content().decode(), *texts] if charts else texts,
        },
    }
    try:
        text, _ = exporter.from_notebook_node(book, resources=resources)
    except ValueError as error:  # of a notebook whose cells are all skipped
        raise ValueError(f"{title}.ipynb: every cell has the slide type “skip”") from error
    return str(text)
