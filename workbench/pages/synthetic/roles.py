"""Which of three files is which: `guess_roles`, by their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.scores.layouts.senses import name_words, vocabulary

#: The roles of the three tables, in the order in which they are given.
ROLES = ("training", "holdout", "synthetic")

#: Words of a name that say its role; the first role with a word in the name has it, so that
#: "synthetic_train" is synthetic and "train_holdout" is the holdout.
WORDS = {
    "synthetic": vocabulary(
        "synthetic synth syn syndata generated generator sampled samples sample fake artificial "
        "simulated output sdv ctgan tvae gan copula aim mst"
    ),
    "holdout": vocabulary(
        "holdout hold held out heldout test testing control validation val valid nonmember "
        "nonmembers non unseen reserved"
    ),
    "training": vocabulary(
        "training train original originals orig ori real member members input fit source private "
        "true seen in"
    ),
}


#: Letters of a word that may be a part of another.
SHORTEST = 5


@dataclass(frozen=True)
class Roles:
    """The files of the three tables.

    Attributes
    ----------
    training, holdout, synthetic : str
        Names of files.
    by_name : bool
        Whether the names said so; else some stand as they were given.
    """

    training: str
    holdout: str
    synthetic: str
    by_name: bool = True


def role_of(name: str) -> str:
    """The role that the name of a file says; "" where it says none."""
    words = set(name_words(name.rpartition(".")[0] or name))
    for role, known in WORDS.items():
        if words & known or any(_is_in(one, words) for one in known):
            return role
    return ""


def _is_in(known: str, words: set[str]) -> bool:
    """Whether a word of several letters is written together with others, as in "trainset"."""
    return len(known) >= SHORTEST and any(known in word for word in words)


def guess_roles(names: Sequence[str]) -> Roles:
    """Which of three files is which.

    Parameters
    ----------
    names : sequence of str
        Of three files, all different.

    Returns
    -------
    Roles
        A file whose name says nothing, or what another one says too, takes the next role that is
        left.
    """
    said: dict[str, str] = {}
    for name in names:
        role = role_of(name)
        if role and role not in said:
            said[role] = name
    by_name = len(said) >= len(ROLES) - 1  # the third one follows
    left = iter([name for name in names if name not in said.values()])
    found = {role: said[role] if role in said else next(left) for role in ROLES}
    return Roles(**found, by_name=by_name)
