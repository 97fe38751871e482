"""`address_of`: where the dashboard shows a page as it is, on the workspace of this computer."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from workbench import _json
from workbench._markup import escape_html as escape
from workbench.jupyter.launcher import NAME
from workbench.pages.core.page import Page
from workbench.pages.core.upload import Upload
from workbench.pages.inputs.code import page_name
from workbench.pages.inputs.data import DataChoice
from workbench.pages.registry import PAGES
from workbench.tables.table import ScoreTable
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.home import home_folder, make_ticket, owner_key, workspace
from workbench.workspaces.link import PageLink
from workbench.workspaces.workspace import Workspace

#: Where `workbench serve` listens by default.
SERVED = "http://localhost:5006/"


class PageAddress(str):
    """An address, which a notebook shows as a link."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f'<a href="{escape(self)}" target="_blank">Open in the workbench</a>'


def address_of(page: Page, server: str | None = None, as_owner: bool = False) -> PageAddress:
    """The address under which the dashboard shows a page in its present state.

    Data sets that the workspace of this computer lacks are added to it.

    Parameters
    ----------
    page : Page
        The page.
    server : str, optional
        Address of the dashboard. By default that of JupyterLab's tile, as a path on the Jupyter
        server; where no Jupyter server runs this program, ``"http://localhost:5006"``.
    as_owner : bool
        Whether the address lets one browser into the workspace of this computer, once. It must then
        not be kept, as in the output of a cell.

    Raises
    ------
    ValueError
        The page is of no kind that the dashboard has, or has settings that a link cannot hold, such
        as a function that is given in Python.
    """
    own = workspace()
    if not is_on_dashboard(page):
        raise ValueError(f"the workbench has no page like {type(page).__name__}")
    name = page_name(page)
    data = _datasets(page, own)
    _keep_files(page, own)
    kind = PAGES[name].kind
    keys = {parameter: dataset.key for parameter, dataset in data.items()}
    settings = {n: v for n, v in page.settings().items() if n in kind.param} | keys
    lost = kind(workspace=own).restore(settings, own.file)
    if lost:
        raise ValueError(f"a link cannot hold these settings of the view: {', '.join(lost)}")
    key = f"?key={make_ticket(owner_key(home_folder()))}" if as_owner else ""
    link = PageLink.of(name, settings, data)
    return PageAddress(f"{(server or _server()).rstrip('/')}/{name}{key}#link={link.text()}")


def is_on_dashboard(page: Page) -> bool:
    """True if the dashboard has pages of this kind."""
    return any(isinstance(page, entry.kind) for entry in PAGES.values())


def _server() -> str:
    """Path of the dashboard on the Jupyter server that runs this kernel, or `SERVED`."""
    if find_spec("jupyter_server_proxy") is not None:
        from jupyter_core.paths import jupyter_runtime_dir

        running = f"jpserver-{os.environ.get('JPY_PARENT_PID')}.json"
        file = Path(jupyter_runtime_dir()) / running
        if file.is_file():
            base = _json.loads(file.read_text(encoding="utf-8"))["base_url"]
            return f"{base}{NAME}/"
    return SERVED


def _datasets(page: Page, own: Workspace) -> dict[str, DataSet]:
    """The data sets of a page, in the workspace of this computer, by their parameters."""
    given = page.given_scores
    if given:
        return {
            name: own.add_table(one) if isinstance(one, ScoreTable) else own.add_scores(one)
            for name, one in given.items()
        }
    choices = [name for name in page.param if isinstance(page.param[name], DataChoice)]
    found = {name: page.workspace.dataset(getattr(page, name)) for name in choices}
    if page.workspace is own:
        return found
    return {name: _brought(one, page.workspace, own) for name, one in found.items()}


def _brought(dataset: DataSet, workspace: Workspace, own: Workspace) -> DataSet:
    """A data set of another workspace in the one of this computer."""
    if dataset.virtual:
        return dataset
    if dataset.kind == "table":
        return own.add_table(workspace.table(dataset.key), dataset.name)
    return own.add_scores(workspace.scores(dataset.key), dataset.name)


def _keep_files(page: Page, own: Workspace) -> None:
    """Keep the uploads of a page in the workspace of this computer."""
    for name in page.param:
        if isinstance(page.param[name], Upload):
            for file in getattr(page, name) or ():
                own.files.keep(file.name, file.content())
