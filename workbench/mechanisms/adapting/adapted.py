"""`AdaptedMechanism`: something that can be run as the mechanisms of the gallery are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from workbench import _checks
from workbench.claims.base import Claim

_HERE = Path(__file__).parent


class CallError(ValueError):
    """A mechanism cannot be called as was thought; the message says how to write it."""


@dataclass(frozen=True)
class AdaptedMechanism:
    """A mechanism of any interface, which is called with ``(dataset, size, rng)``.

    Attributes
    ----------
    name : str
        What it is called in results.
    run : callable
        Returns the outputs of ``size`` runs, of ``(dataset, size, rng)``.
    calls : str
        How the function or object itself is called, in words: "f(dataset), once for each run".
    claim : Claim, optional
        What it claims; None if it does not say.
    neighboring_relation : str, optional
        Which datasets are neighbors; None if it does not say.
    domain : Domain, optional
        Which datasets it takes; None if it does not say.
    pair : tuple of two datasets, optional
        Neighbors on which it is tested where they are stated, and no search finds any.
    remedy : str
        Code that adapts it, for messages.
    caveat : str
        What cannot be repeated from a seed, as a sentence; "" if all randomness can.
    portable : bool
        Whether it can be sent to other processes, as far as is known.
    takes_frame : bool
        Whether its datasets are data frames.
    """

    name: str
    run: Callable[..., Any]
    calls: str
    claim: Claim | None = None
    neighboring_relation: str | None = None
    domain: Any = None
    pair: tuple[Any, Any] | None = None
    remedy: str = ""
    caveat: str = ""
    portable: bool = True
    takes_frame: bool = False

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def stated_pair(self) -> bool:
        """Whether it is tested on its own pair, because no search finds its neighbors."""
        return self.neighboring_relation == "stated" and self.pair is not None

    def __call__(self, dataset: Any, size: int, rng: np.random.Generator) -> Any:
        try:
            return self.run(dataset, size, rng)
        except TypeError as error:
            if not _ours(error.__traceback__):
                raise
            raise CallError(
                f"{self.name} was called as {self.calls}: {error}{self.remedy}"
            ) from error
        except AttributeError as error:
            hint = _hint(error)
            if not hint:
                raise
            raise CallError(f"{self.name} was called as {self.calls}: {error}; {hint}") from error


def _ours(traceback: TracebackType | None) -> bool:
    """Whether an error was raised by a call of this package, and not in what it called."""
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return False
    return Path(traceback.tb_frame.f_code.co_filename).parent == _HERE


def _hint(error: AttributeError) -> str:
    """What to do where an argument lacks what a function asks of it; "" if it is not known."""
    lacking, name = error.obj, error.name
    if isinstance(lacking, np.ndarray):
        import pandas as pd

        if name and hasattr(pd.DataFrame, name):
            return (
                "it takes data frames: give datasets=(frame, neighbor), or the columns by "
                "domain=wb.TableDomain(columns=...)"
            )
    if isinstance(lacking, np.random.Generator) and name and hasattr(np.random.RandomState, name):
        return (
            "it takes a numpy.random.RandomState: annotate the parameter, or state the call by "
            "wb.mechanism_from(..., call='random_state, dataset')"
        )
    return ""
