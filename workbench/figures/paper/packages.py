"""Whether matplotlib is installed: `MissingPackage` where it is not."""

from __future__ import annotations

from importlib.util import find_spec


class MissingPackage(ValueError):  # noqa: N818  (it names what is wrong)
    """A package is not installed; the message has the command that installs it."""


def require_matplotlib() -> None:
    """Check that matplotlib is installed.

    Raises
    ------
    MissingPackage
        It is not.
    """
    if find_spec("matplotlib") is None:
        raise MissingPackage(
            "figures for papers need matplotlib, which is not installed; "
            "run: pip install 'dp-audit-workbench[paper]'"
        )
