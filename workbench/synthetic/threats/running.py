"""The attacks run on three tables, and counted: the only place where successes meet memberships."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.synthetic.threats.copies import Copies
from workbench.synthetic.threats.epsilon import guesses_of
from workbench.synthetic.threats.inference import Inference
from workbench.synthetic.threats.linkability import Linkability
from workbench.synthetic.threats.rates import approximate_risk
from workbench.synthetic.threats.singling_out import SinglingOut, single_matches
from workbench.synthetic.threats.successes import Successes
from workbench.synthetic.threats.threat import Threat
from workbench.synthetic.threats.view import ThreatView

#: The attacks, by the name of the threat.
THREATS: dict[str, type] = {one.name: one for one in (SinglingOut, Linkability, Inference, Copies)}


class ThreatAttack(Protocol):
    """What `SinglingOut` and the others are."""

    def run(self, view: ThreatView, chance: np.random.Generator) -> tuple[Successes, ...]: ...


def default_attacks(secret: str | None = None) -> tuple[ThreatAttack, ...]:
    """The attacks of the three words, and copies.

    Parameters
    ----------
    secret : str, optional
        The column that is inferred; by default each in turn.
    """
    return (
        SinglingOut(columns=1),
        SinglingOut(),
        Linkability(),
        Inference(secret),
        Copies(exact=True),
        Copies(),
    )


def run_threats(
    view: ThreatView,
    member: NDArray[np.bool_],
    place: NDArray[np.int64],
    *,
    seed: int,
    split: str,
    delta: float,
    confidence: float = 0.95,
    attacks: Sequence[ThreatAttack] | None = None,
    void: str | None = None,
) -> tuple[Threat, ...]:
    """The threats to the records of a pool.

    Parameters
    ----------
    view : ThreatView
    member : ndarray of bool, shape (n,)
        Of the rows of the pool; only the final counts look at it.
    place : ndarray of int, shape (n,)
        Their rows in the training or the holdout table.
    seed : int
        A number that was drawn by chance.
    split, delta, confidence, void
        As of `Threat`.
    attacks : sequence, optional
        By default `default_attacks`.
    """
    found = []
    for i, attack in enumerate(default_attacks() if attacks is None else attacks):
        for one in attack.run(view, np.random.default_rng([seed, i])):
            found.append(_counted(one, view, member, place, seed, split, delta, confidence, void))
    return tuple(found)


def _counted(
    found: Successes,
    view: ThreatView,
    member: NDArray[np.bool_],
    place: NDArray[np.int64],
    seed: int,
    split: str,
    delta: float,
    confidence: float,
    void: str | None,
) -> Threat:
    """The counts of one attack."""
    inside, hit = member[found.row], found.success
    level = 1 - (1 - confidence) / found.shares
    hits, members = int((inside & hit).sum()), int(inside.sum())
    held_out_hits, held_out = int((~inside & hit).sum()), int((~inside).sum())
    counts = hits, members, held_out_hits, held_out
    if found.predicates:
        singled, control = single_matches(found.predicates, view, member)
        counts = singled, len(found.predicates), control, len(found.predicates)
    return Threat(
        name=found.name,
        label=found.label,
        columns=found.columns,
        hits=hits,
        members=members,
        held_out_hits=held_out_hits,
        held_out=held_out,
        split=split,
        confidence=level,
        delta=delta,
        guesses=guesses_of(hit, inside, split, seed),
        approximate=approximate_risk(*counts, confidence),
        row=place[found.row[hit]].astype(np.int64),
        is_member=inside[hit],
        by=tuple(map(str, found.by[hit])),
        synthetic_row=found.synthetic[hit].astype(np.int64),
        distance=found.distance[hit],
        shares=found.shares,
        void=void,
    )
