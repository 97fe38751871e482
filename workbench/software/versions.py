"""Versions of the software that an audit was computed with."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

#: The package, and the packages that its numbers come from.
NUMERICS = ("dp-audit-workbench", "numpy", "scipy", "pandas", "scikit-learn")


@cache
def software() -> dict[str, str]:
    """Versions by name: of Python, of this package, and of those that its numbers come from.

    Packages of extras that are not installed are left out.
    """
    found = {"python": platform.python_version()}
    for name in NUMERICS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            if name == NUMERICS[0]:  # run from its source
                import workbench

                found[name] = workbench.__version__
    return found
