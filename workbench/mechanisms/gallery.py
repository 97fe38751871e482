"""The gallery of mechanisms: private ones, and broken ones with a wrong claim.

Each entry refers to a function of this package. Its ``pair`` is a pair of neighboring datasets on
which a broken mechanism leaks more than it claims, and a private one close to what it claims. The
cards are in `workbench.mechanisms.cards`, by subject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import _checks
from workbench.mechanisms.base import Mechanism
from workbench.mechanisms.cards import (
    counts,
    floating_point,
    local,
    means,
    selection,
    sparse_vector,
    sparse_vector_numbers,
    sums,
    training,
)
from workbench.software.plugins import Registry

if TYPE_CHECKING:
    import pandas as pd

_SUBJECTS = (
    means,
    sums,
    counts,
    selection,
    sparse_vector,
    sparse_vector_numbers,
    local,
    training,
    floating_point,
)

#: What the mechanisms of plug-ins are listed under.
OTHERS = "Of other packages"


def _taken(name: str, found: Any) -> Mechanism:
    """The mechanism of a plug-in, after a try (ValueError or TypeError that says what is wrong)."""
    card = _checks.instance(found, Mechanism, "it", "a wb.Mechanism")
    if card.name != name:
        raise ValueError(f"its name is {_checks.shown(card.name)}, which must be {name!r}")
    outputs = np.asarray(card(card.pair[0], 2, np.random.default_rng(0)))
    if outputs.shape[:1] != (2,):
        raise ValueError(f"2 runs must give an array with 2 rows, got the shape {outputs.shape}")
    return card


#: Name -> mechanism: ours, then those of plug-ins.
GALLERY: Registry[Mechanism] = Registry(
    "workbench.mechanisms",
    {card.name: card for subject in _SUBJECTS for card in subject.CARDS},
    _taken,
)


def groups() -> dict[str, list[Mechanism]]:
    """The mechanisms of the gallery by subject, in the order in which they are listed."""
    found = {subject.TITLE: list(subject.CARDS) for subject in _SUBJECTS}
    others = [card for name, card in GALLERY.items() if name not in GALLERY.ours]
    return {**found, OTHERS: others} if others else found


def mechanism(name: str) -> Mechanism:
    """A mechanism of the gallery.

    Parameters
    ----------
    name : str
        As in `mechanism_gallery`.

    Returns
    -------
    Mechanism

    Raises
    ------
    ValueError
        An unknown name; the message lists the names.
    """
    if name not in GALLERY:
        raise ValueError(f"no mechanism {name!r}; there are {', '.join(GALLERY)}")
    return GALLERY[name]


def mechanism_gallery() -> pd.DataFrame:
    """Table of the mechanisms of the gallery.

    Returns
    -------
    pandas.DataFrame
        One row for each mechanism: name, title, claim, private, neighboring_relation, about,
        group, source.
    """
    import pandas as pd

    columns = ("name", "title", "claim", "private", "neighboring_relation", "about")
    rows = [
        [*(getattr(card, column) for column in columns), group, card.source]
        for group, cards in groups().items()
        for card in cards
    ]
    table = pd.DataFrame(rows, columns=[*columns, "group", "source"])
    return table.assign(claim=table["claim"].map(str))
