"""The kinds of attack: what the baseline and the success of each are, and why the limit holds.

**One inequality for all** (Kulynych et al. 2025; Hayes, Mahloujifar and Balle 2023; Kaissis et al.
2023). Let the mechanism be f-DP, and let the attacker be right where the output lies in an event
E_z, which depends on a secret z of the record, such as its attribute. Without the record, or with
another one in its place, the output does not depend on z, so that the attacker is right with
probability α_z, and on the average over z with at most κ, the probability of the best guess without
the release. With the record, E_z has probability at most 1 − f(α_z); since 1 − f is concave and
rises, the average of that is at most

    1 − f(κ).

Nothing is assumed of the attacker, who may know all other records. κ is the success of the best
guess *given everything that the attacker knows*: what the others' records say about this one
belongs to it. f is that of the relation of neighbors in which the record is out, or replaced; it
says nothing about what an attacker learns of a record from the others, which no privacy of the
mechanism forbids.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AttackKind:
    """A kind of attack.

    Attributes
    ----------
    name : str
        As of `workbench.risk`.
    label : str
        For menus.
    baseline : str
        What κ is the probability of.
    success : str
        What the limits are probabilities of.
    needs : str
        What has to be true, as a sentence.
    source : str
        Authors, year, theorem.
    """

    name: str
    label: str
    baseline: str
    success: str
    needs: str
    source: str


#: Name -> kind, in the order of menus.
ATTACKS: dict[str, AttackKind] = {
    kind.name: kind
    for kind in (
        AttackKind(
            "membership",
            "Membership: was this person's record used?",
            "a person whose record was not used is accused",
            "a person whose record was used is recognized",
            "The promise holds for adding or removing one record.",
            "Dong, Roth and Su (2022), Definition 2.3",
        ),
        AttackKind(
            "attribute",
            "Attribute: what is this person's secret?",
            "the best guess of the attribute is right without the release",
            "the guess is right with the release",
            "The baseline is the best guess from everything else that the attacker knows, the "
            "other records included.",
            "Kulynych et al. (2025), arXiv 2507.06969",
        ),
        AttackKind(
            "reconstruction",
            "Reconstruction: what does this person's record say?",
            "the best guess of the record is close enough without the release",
            "the guess is close enough with the release",
            "The baseline is the best guess from everything else that the attacker knows, and "
            '"close enough" is the same with and without the release.',
            "Hayes, Mahloujifar and Balle (2023), Theorem 2; Kaissis et al. (2023)",
        ),
        AttackKind(
            "singling-out",
            "Singling out: does a description fit this person alone?",
            "the attacker's description fits a person drawn at random",
            "the description fits the person whom it is about",
            "Records are drawn independently, and the baseline is the largest weight of the "
            "descriptions that count.",
            "Cohen and Nissim (2020); Kulynych et al. (2025), arXiv 2507.06969",
        ),
    )
}
