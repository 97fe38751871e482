"""`THREATS`: the attacks that an audit counts. Only here do successes meet memberships."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench import _checks
from workbench.synthetic.threats.base import Threat
from workbench.synthetic.threats.copies import Copies
from workbench.synthetic.threats.inference import Inference
from workbench.synthetic.threats.linkability import Linkability
from workbench.synthetic.threats.named_members import guesses_of
from workbench.synthetic.threats.rates import approximate_risk
from workbench.synthetic.threats.singling_out import SinglingOut, single_matches
from workbench.synthetic.threats.successes import Successes
from workbench.synthetic.threats.view import ThreatView

if TYPE_CHECKING:
    from workbench.synthetic.tables import SyntheticTables

#: The attacks, by the name of the threat.
THREATS: dict[str, type] = {one.name: one for one in (SinglingOut, Linkability, Inference, Copies)}


#: One of them, with its settings.
ThreatAttack = SinglingOut | Linkability | Inference | Copies


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


def successes_of(
    view: ThreatView, seed: int, attacks: Sequence[ThreatAttack] | None = None
) -> tuple[Successes, ...]:
    """What attacks find, without memberships.

    Parameters
    ----------
    view : ThreatView
    seed : int
        A number that was drawn by chance for these tables.
    attacks : sequence of SinglingOut, Linkability, Inference and Copies, optional
        By default `default_attacks`.
    """
    attacks = default_attacks() if attacks is None else attacks
    return tuple(
        one
        for i, attack in enumerate(attacks)
        for one in attack.run(view, np.random.default_rng([seed, i]))
    )


def threats_of(
    found: Sequence[Successes],
    tables: SyntheticTables,
    *,
    split: str,
    delta: float,
    confidence: float = 0.95,
    void: str | None = None,
) -> tuple[Threat, ...]:
    """Successes, counted on members and on held-out records.

    Parameters
    ----------
    found : sequence of Successes
    tables : SyntheticTables
        Of which they are.
    split, delta, confidence, void
        As of `Threat`; where an attack infers each column in turn, each has its part of the error
        probability.
    """
    confidence, view = _checks.confidence(confidence), ThreatView.of(tables)
    return tuple(_counted(one, view, tables, split, delta, confidence, void) for one in found)


def _counted(
    found: Successes,
    view: ThreatView,
    tables: SyntheticTables,
    split: str,
    delta: float,
    confidence: float,
    void: str | None,
) -> Threat:
    member, hit = tables.member, found.success
    inside = member[found.row]
    hits, members = int((inside & hit).sum()), int(inside.sum())
    held_out_hits, held_out = int((~inside & hit).sum()), int((~inside).sum())
    counts = hits, members, held_out_hits, held_out
    if found.name == SinglingOut.name:
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
        confidence=1 - (1 - confidence) / found.shares,
        delta=delta,
        guesses=guesses_of(hit, inside, split, tables.chance),
        approximate=approximate_risk(*counts, confidence),
        row=tables.place[found.row[hit]],
        is_member=inside[hit],
        by=tuple(map(str, found.by[hit])),
        used=tuple(one for one, success in zip(found.used, hit, strict=True) if success),
        synthetic_row=found.synthetic[hit].astype(np.int64),
        distance=found.distance[hit],
        void=void,
    )
