"""`require`: a package that only an extra installs, or a `MissingPackage` with the command."""

from __future__ import annotations

import importlib
from types import ModuleType

#: Package -> the extra of dp-audit-workbench that installs it.
EXTRAS = {
    "anywidget": "lab",
    "dp_accounting": "accountant",
    "ipywidgets": "lab",
    "matplotlib": "paper",
    "nbclient": "lab",
    "nbconvert": "lab",
    "panel": "panel",
    "plotly": "panel",
    "psycopg": "postgresql",
    "sklearn": "mechanisms",
    "bayes_opt": "mechanisms",
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
        What needs it, as the beginning of a sentence: "Figures for papers need".

    Raises
    ------
    MissingPackage
        It is not installed.
    """
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        top = package.partition(".")[0]
        if error.name != top:  # it is there, and lacks a package of its own
            raise
        raise MissingPackage(
            f"{user} {top}, which is not installed; "
            f"run: pip install 'dp-audit-workbench[{EXTRAS[top]}]'",
            name=top,
        ) from None
