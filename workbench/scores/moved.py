"""Members of a class that are in one of its parts now, under their former names."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from operator import attrgetter
from typing import Any


def moved(instance: object, name: str, places: Mapping[str, str]) -> Any:
    """The member that ``name`` meant in an earlier version, with a FutureWarning.

    For ``__getattr__``: AttributeError where there was none.

    Parameters
    ----------
    instance : object
    name : str
    places : mapping
        Former name -> where it is now, such as "samples.groups".
    """
    kind = type(instance).__name__
    if name not in places:
        raise AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=instance)
    warn_moved(kind, name, places[name], stacklevel=4)
    return attrgetter(places[name])(instance)


def warn_moved(kind: str, name: str, place: str, stacklevel: int = 3) -> None:
    """Warn who uses a member of a class by its former name.

    Parameters
    ----------
    kind : str
        Name of the class.
    name, place : str
        The former name, and what to use now.
    stacklevel : int
        As of `warnings.warn`; by default for a call in the former member itself.
    """
    message = f"{kind}.{name} is now {kind}.{place}"
    warnings.warn(message, FutureWarning, stacklevel=stacklevel)
