"""`moved`: members of a class that are in one of its parts now, under their former names."""

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
    message = f"{kind}.{name} is now {kind}.{places[name]}"
    warnings.warn(message, FutureWarning, stacklevel=3)
    return attrgetter(places[name])(instance)
