"""Names by which columns and arrays of score tables are recognized."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.scores.layouts.labels import vocabulary
from workbench.scores.refusals import listed
from workbench.scores.sample import ScoresError

#: Words of names; a name is of a group if, without separators, it is one of the group's names.
SCORES = vocabulary(
    "score scores stat stats statistic statistics logit logits signal signals value values "
    "confidence confidences loss losses"
)
LOSSES = vocabulary("loss losses")
MEMBERS = vocabulary(
    "member members membership memberships ismember isin in keep keeps included inclusion "
    "includes intrain istrain intraining mask train"
)
MODELS = vocabulary(
    "model models modelid modelids modelindex modelname run runs runid seed seeds shadow "
    "shadowmodel shadowid experiment experimentid expid trial"
)
RECORDS = vocabulary(
    "record records recordid recordids sample samples sampleid sampleindex index indices idx id "
    "ids canary canaries canaryid example examples exampleid exampleindex point pointid datapoint "
    "userid"
)


def plain(name: str) -> str:
    """A name without separators and in small letters: "is_member" is "ismember"."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def words(name: str) -> list[str]:
    """The words of a name: "trainLoss_2" is ["train", "loss", "2"]."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.findall(r"[a-z]+|\d+", apart.lower())


def is_of(name: str, group: frozenset[str]) -> bool:
    """Whether a name is one of a group."""
    return plain(name) in group


def chosen(
    stated: str | None, names: Iterable[str], group: frozenset[str], what: str, where: str
) -> str | None:
    """The one of some names that is stated, or the only one of a group.

    Parameters
    ----------
    stated : str, optional
        What the caller states.
    names : iterable of str
    group : frozenset of str
    what : str
        The argument that states it.
    where : str
        What messages call the place of the names.

    Returns
    -------
    str or None
        None where no name is of the group.

    Raises
    ------
    ScoresError
        The stated name does not exist, or several are of the group.
    """
    names = list(names)
    if stated is not None:
        if stated not in names:
            raise ScoresError(f"{where} has no {stated!r}, which {what}= names; it has "
                              f"{listed(names)}")  # fmt: skip
        return stated
    found = [name for name in names if is_of(name, group)]
    if len(found) > 1:
        raise ScoresError(
            f"it is open which of {listed(found)} of {where} to use; state it with {what}="
        )
    return found[0] if found else None


def losses_note(name: str) -> str:
    """The note on scores whose name says that they are losses."""
    return (
        f"{name!r} is read as a loss: smaller for members; state larger_is_member=True if it is not"
    )
