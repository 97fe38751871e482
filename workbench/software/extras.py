"""`require`: a package that only an extra installs, or a `MissingPackage` with the command.

`check` only asks for it, and `missing` puts the failure of an import in the same words.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from types import ModuleType

#: Package -> the extra of dp-audit-workbench that installs it.
EXTRAS = {
    "IPython": "lab",
    "alembic": "workspace",
    "anywidget": "lab",
    "argon2": "serve",
    "bayes_opt": "mechanisms",
    "bokeh": "panel",
    "cloudpickle": "mechanisms",
    "dask": "cluster",
    "distributed": "cluster",
    "ipywidgets": "lab",
    "jinja2": "serve",
    "jupyter_client": "lab",
    "jupyter_core": "lab",
    "matplotlib": "paper",
    "nbclient": "lab",
    "nbconvert": "lab",
    "nbformat": "lab",
    "opacus": "opacus",
    "panel": "panel",
    "param": "reports",
    "platformdirs": "workspace",
    "plotly": "panel",
    "prometheus_client": "serve",
    "psycopg": "postgresql",
    "pyarrow": "files",
    "sklearn": "mechanisms",
    "sqlalchemy": "workspace",
    "threadpoolctl": "mechanisms",
    "torch": "opacus",
    "tornado": "serve",
    "traitlets": "lab",
}


class MissingPackage(ImportError, ValueError):  # noqa: N818  (it names what is wrong)
    """A package is not installed; the message has the command that installs it."""


def require(package: str, user: str) -> ModuleType:
    """The module of a package that an extra installs.

    Parameters
    ----------
    package : str
        A name of `EXTRAS`, or a module in it, such as "panel.custom".
    user : str
        What needs it, as the beginning of a sentence: "figures for papers need".

    Raises
    ------
    MissingPackage
        It is not installed.
    """
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name == _top(package):
            raise MissingPackage(words(error.name, user), name=error.name) from None
        raise  # it is there, and lacks a package of its own


def check(package: str, user: str, extra: str = "") -> None:
    """Raise `MissingPackage` where a package is not installed; nothing is imported.

    Parameters
    ----------
    package, user : str
        As of `require`.
    extra : str, optional
        The extra that is named, where more than the package is needed.
    """
    top = _top(package)
    if find_spec(top) is None:
        raise MissingPackage(words(top, user, extra), name=top)


def missing(error: ModuleNotFoundError, user: str) -> MissingPackage | None:
    """The failure of an import as a `MissingPackage`; None if no extra installs what is missing.

    Parameters
    ----------
    error : ModuleNotFoundError
    user : str
        As of `require`.
    """
    top = error.name or ""
    return MissingPackage(words(top, user), name=top) if top in EXTRAS else None


def words(package: str, user: str, extra: str = "") -> str:
    """What is said where a package is not installed.

    Parameters
    ----------
    package, user, extra : str
        As of `check`.
    """
    top = _top(package)
    return (
        f"{user} {top}, which is not installed; "
        f"run: pip install 'dp-audit-workbench[{extra or EXTRAS[top]}]'"
    )


def _top(package: str) -> str:
    return package.partition(".")[0]
