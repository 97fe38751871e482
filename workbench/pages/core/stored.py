"""First results of jobs, computed in advance: a page that has one does not arrive empty.

They are in ``data/first-PAGE.json`` with the settings that they belong to; ``python
data/make_first_results.py`` writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from workbench import _json
from workbench.pages.core.state import PageState
from workbench.scores.examples import data_folder


def first_result(page: PageState, job: str, name: str) -> Any | None:
    """The stored result of a job as JSON values, or None if it belongs to other settings.

    Parameters
    ----------
    page : PageState
        The page, whose present settings must be those of the result.
    job : str
        The job.
    name : str
        Name of the file.
    """
    stored = _stored(name)
    return stored["result"] if stored.get("settings") == settings_of(page, job) else None


def store(folder: Path, name: str, page: PageState, job: str, result: Any) -> None:
    """Write the result of a job with the settings of the page.

    Parameters
    ----------
    folder : Path
        Where the file is written.
    name : str
        Name of the file.
    page : PageState
        The page whose job it was.
    job : str
        The job.
    result : object
        The result as JSON values.
    """
    content = {"settings": settings_of(page, job), "result": result}
    text = _json.dumps(content)
    (folder / f"first-{name}.json").write_text(text + "\n", encoding="utf-8")


def settings_of(page: PageState, job: str) -> dict[str, Any]:
    """Values of the parameters that a job depends on, by name."""
    names = page.parameters_of(page.jobs()[job].needs)
    return {name: getattr(page, name) for name in sorted(names)}


@cache
def _stored(name: str) -> Mapping[str, Any]:
    path = data_folder() / f"first-{name}.json"
    if not path.is_file():
        return {}
    found: dict[str, Any] = _json.loads(path.read_text(encoding="utf-8"))
    return found
