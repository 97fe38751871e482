"""Names by which columns and arrays of score tables are recognized."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from workbench.scores.layouts.senses import name_words, sense_of, vocabulary
from workbench.scores.refusals import listed
from workbench.scores.sample import ScoresError

#: Words of names; a name is of a group if, without separators, it is one of the group's names.
SCORES = vocabulary(
    "score scores stat stats statistic statistics logit logits signal signals value values "
    "confidence confidences loss losses"
)
LOSSES = vocabulary("loss losses")
_MODELS = vocabulary(
    "model models run runs seed seeds shadow shadows shadowmodel experiment experiments "
    "exp trial trials"
)
_RECORDS = vocabulary(
    "record records sample samples canary canaries example examples point points datapoint "
    "datapoints userid"
)
_NUMBERS = vocabulary("id ids idx index indices number no name names")
_IDENTIFIERS = vocabulary("id ids idx index indices")


def plain(name: str) -> str:
    """A name without separators and in small letters: "is_member" is "ismember"."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def is_of(name: str, group: frozenset[str]) -> bool:
    """Whether a name is one of a group."""
    return plain(name) in group


def is_scores(name: str) -> bool:
    """Whether a name is that of scores."""
    return is_of(name, SCORES)


def is_losses(name: str) -> bool:
    """Whether a name is that of losses."""
    return is_of(name, LOSSES)


def is_member(name: str) -> bool:
    """Whether a name says for whom a 1 stands, members or non-members."""
    return sense_of(name) is not None


def stem_of_member(stem: str) -> str:
    """What stands before the numbers of columns, without the word for a model: "member_model"."""
    return "_".join(word for word in name_words(stem) if word not in _MODELS)


def is_model(name: str) -> bool:
    """Whether a name is that of models: "run", "shadow_id", "modelIndex"."""
    return _names_things(name, _MODELS)


def is_record(name: str) -> bool:
    """Whether a name is that of records: "canary", "sample_idx", "id"."""
    only = set(name_words(name)) or {""}
    return _names_things(name, _RECORDS) or (len(only) == 1 and only <= _IDENTIFIERS)


def _names_things(name: str, things: frozenset[str]) -> bool:
    """Whether all words of a name are of some things, or say that they are numbered."""
    whole = plain(name)
    apart = [[whole[: -len(end)], end] for end in sorted(_NUMBERS, key=len) if whole.endswith(end)]
    spelled = [name_words(name), [whole], *apart]
    return any(
        set(each) & things and all(word in things | _NUMBERS for word in each) for each in spelled
    )


def chosen(
    stated: str | None, names: Iterable[str], belongs: Callable[[str], bool], what: str, where: str
) -> str | None:
    """The one of some names that is stated, or the only one that is looked for.

    Parameters
    ----------
    stated : str, optional
        What the caller states.
    names : iterable of str
    belongs : callable
        Whether a name is one of those that are looked for.
    what : str
        The argument that states it.
    where : str
        What messages call the place of the names.

    Returns
    -------
    str or None
        None where no name is one of them.

    Raises
    ------
    ScoresError
        The stated name does not exist, or several are.
    """
    names = list(names)
    if stated is not None:
        if stated not in names:
            raise ScoresError(f"{where} has no {stated!r}, which {what}= names; it has "
                              f"{listed(names)}")  # fmt: skip
        return stated
    found = [name for name in names if belongs(name)]
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
