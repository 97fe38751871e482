"""`MeasuredAudit`: what an audit of a synthetic table found, without its tables.

A page keeps it, and a process sends it back: attacks with their scores, threats, the test of the
split, and the records that leak most, in words. `to_dict` and `from_dict` are for a result that
comes with the package.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from workbench.claims.base import Claim
from workbench.onerun.guesses import Ends, Guesses
from workbench.onerun.half.matching import MatchedPairs
from workbench.onerun.run import OneRun
from workbench.progress import Report, part, silent
from workbench.scores.chance import Fingerprint
from workbench.synthetic.attacks.registry import ATTACKS
from workbench.synthetic.audit import SyntheticAudit
from workbench.synthetic.cells import text_of
from workbench.synthetic.choice import (
    CHOSEN_AT,
    AttackScores,
    learning_canaries,
    measured_attacks,
)
from workbench.synthetic.split_test import SplitTest
from workbench.synthetic.tables import SyntheticTables
from workbench.synthetic.threats.base import Threat
from workbench.synthetic.threats.rates import ApproximateRisk

#: Records that are named, and cells of one that are shown.
MOST_NAMED, MOST_CELLS = 15, 8

#: Characters of a cell.
LONGEST_CELL = 20

#: The confidence at which threats are measured first.
MEASURED_AT = 0.95

#: Digits of stored scores.
DIGITS = 9


@dataclass(frozen=True)
class NamedRecord:
    """A record of the training table with a large score.

    Attributes
    ----------
    row : int
        In the training table, from 1; of a unit, that of its first record.
    words : str
        Its cells.
    score : float
        Of the chosen attack.
    nearest : int
        The row of the synthetic record that is most like it, from 1.
    nearest_words : str
        Its cells.
    copied : bool
        Whether the two are equal.
    """

    row: int
    words: str
    score: float
    nearest: int
    nearest_words: str
    copied: bool


@dataclass(frozen=True)
class TablesInBrief:
    """What is kept of the three tables; attributes as of `workbench.SyntheticTables`.

    Attributes
    ----------
    records, synthetic_records, members, columns_used : int
    canaries : int
    counted : str
    units : str
        The column that names them; "" without one.
    seed : int
    fingerprint : Fingerprint
    """

    records: int
    synthetic_records: int
    members: int
    columns_used: int
    canaries: int
    counted: str
    units: str | None
    seed: int
    fingerprint: Fingerprint

    @classmethod
    def of(cls, tables: SyntheticTables) -> Self:
        """What is kept of tables."""
        return cls(
            tables.records,
            len(tables.synthetic),
            int(tables.member.sum()),
            len(tables.used),
            tables.canaries,
            tables.counted,
            tables.unit,
            tables.seed,
            tables.fingerprint,
        )


@dataclass(frozen=True)
class StatedTables:
    """What the tables were, and what was stated of them.

    Attributes
    ----------
    of : str
        Names the tables; see `ThreeTables.subject`.
    choices : mapping of str to object
        What can be chosen anew after results were seen, by parameter of the page.
    """

    of: str
    choices: Mapping[str, Any] = field(default_factory=dict)


class MeasuredAudit(SyntheticAudit):
    """An audit that was made, without its tables.

    Parameters
    ----------
    stated : StatedTables
    split : str
    tables : TablesInBrief
    split_test : SplitTest
    attacks : tuple of AttackScores
    threats : tuple of Threat
    named : tuple of NamedRecord
        From the largest score down.
    """

    def __init__(
        self,
        stated: StatedTables,
        split: str,
        tables: TablesInBrief,
        split_test: SplitTest,
        attacks: tuple[AttackScores, ...],
        threats: tuple[Threat, ...],
        named: tuple[NamedRecord, ...],
    ):
        self.stated, self.split, self.split_test, self.named = stated, split, split_test, named
        self.claim: Claim | None = None
        self.name = ""
        self.tables: Any = tables
        self.unit = tables.units
        self._found = tuple(_without_records(one) for one in threats)
        vars(self).update(attacks=attacks)  # which the audit computes at the first use

    @classmethod
    def made(cls, audit: SyntheticAudit, stated: StatedTables, report: Report = silent) -> Self:
        """What an audit finds.

        Parameters
        ----------
        audit : SyntheticAudit
        stated : StatedTables
        report : Report
        """
        attacks = _attacks(audit, part(report, 0.0, 0.7))
        report(0.7, "Singling out, linkability, inference …")
        threats = audit.threats(confidence=MEASURED_AT)
        report(0.95, "The records that leak most …")
        chosen = max(attacks, key=lambda one: one.learned)
        named = _named(audit, chosen)
        tables = TablesInBrief.of(audit.tables)
        return cls(stated, audit.split, tables, audit.split_test, attacks, threats, named)

    def threats(
        self, attacks: Any = None, *, delta: float = CHOSEN_AT, confidence: float = MEASURED_AT
    ) -> tuple[Threat, ...]:
        """The threats that were measured, at other levels.

        Parameters
        ----------
        attacks : None
            Others than were measured need the tables.
        delta, confidence : float
        """
        return tuple(
            replace(one, delta=delta, confidence=1 - (1 - confidence) / _shares(one))
            for one in self._found
        )

    # -- as JSON -----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON values; of a split by coins."""
        brief = asdict(self.tables)
        brief["fingerprint"] = [self.tables.fingerprint.digest, self.tables.fingerprint.bits]
        return {
            "stated": asdict(self.stated),
            "split": self.split,
            "tables": brief,
            "split_test": asdict(self.split_test),
            "attacks": [
                {
                    "name": one.name,
                    "label": one.label,
                    "scores": [float(f"{score:.{DIGITS}g}") for score in one.run.scores],
                    "included": one.run.included.astype(int).tolist(),
                    "rule": [one.rule.k_in, one.rule.k_out],
                    "learned": one.learned,
                }
                for one in self.attacks
            ],
            "threats": [_plain(one) for one in self._found],
            "named": [asdict(one) for one in self.named],
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """The audit of `to_dict`."""
        brief = {**stored["tables"], "fingerprint": Fingerprint(*stored["tables"]["fingerprint"])}
        tables = TablesInBrief(**brief)
        attacks = tuple(
            AttackScores(
                one["name"],
                one["label"],
                OneRun(np.array(one["scores"]), np.array(one["included"]), seed=tables.seed),
                Ends(*one["rule"]),
                one["learned"],
            )
            for one in stored["attacks"]
        )
        return cls(
            StatedTables(**stored["stated"]),
            stored["split"],
            tables,
            SplitTest(**stored["split_test"]),
            attacks,
            tuple(_threat(one) for one in stored["threats"]),
            tuple(NamedRecord(**one) for one in stored["named"]),
        )


def records_of(one: AttackScores) -> OneRun:
    """The scores of single records or units, also where they were matched."""
    return one.run.of if isinstance(one.run, MatchedPairs) else one.run


def _attacks(audit: SyntheticAudit, report: Report) -> tuple[AttackScores, ...]:
    """What the attacks of an audit find: known, where it has asked them; else all of them, now."""
    if "attacks" in vars(audit):
        return audit.attacks
    return measured_attacks(
        audit.tables,
        tuple(ATTACKS.values()),
        learning_canaries(audit.tables, audit.learning_share),
        split=audit.split,
        report=report,
    )


# -- threats ---------------------------------------------------------------------------------------

#: Fields of a threat that say which records it was, and their values for none.
_OF_RECORDS: dict[str, Any] = {
    one.name: () if one.default_factory is MISSING else one.default_factory()
    for one in fields(Threat)
    if one.default == () or one.default_factory is not MISSING
}


def _without_records(threat: Threat) -> Threat:
    return replace(threat, **_OF_RECORDS)


def _shares(threat: Threat) -> int:
    """Among how many attacks of its kind the error probability was divided."""
    return max(round((1 - MEASURED_AT) / (1 - threat.confidence)), 1)


def _plain(threat: Threat) -> dict[str, Any]:
    kept = {
        one.name: getattr(threat, one.name)
        for one in fields(threat)
        if one.name not in (*_OF_RECORDS, "guesses", "approximate")
    }
    made, about = threat.guesses, threat.approximate
    return {
        **kept,
        "columns": list(threat.columns),
        "guesses": None if made is None else [made.canaries, made.guesses, made.correct,
                                              made.included],
        "approximate": None if about is None else asdict(about),
    }  # fmt: skip


def _threat(stored: Mapping[str, Any]) -> Threat:
    made, about = stored["guesses"], stored["approximate"]
    guesses = None if made is None else Guesses(*made[:3], included=made[3])
    approximate = None if about is None else ApproximateRisk(**about)
    columns = tuple(stored["columns"])
    return Threat(**{**stored, "columns": columns, "guesses": guesses, "approximate": approximate})


# -- the records that leak most --------------------------------------------------------------------


def _named(audit: SyntheticAudit, chosen: AttackScores) -> tuple[NamedRecord, ...]:
    """Measured members with the largest scores of an attack, and what is like them."""
    tables, scores = audit.tables, records_of(chosen).scores
    measured = np.flatnonzero(~learning_canaries(tables, audit.learning_share))
    order = np.argsort(-scores, kind="stable")
    order = order[tables.included[measured[order]]][:MOST_NAMED]
    first = np.full(tables.canaries, -1)
    first[tables.canary[::-1]] = np.arange(tables.records)[::-1]
    rows = first[measured[order]]
    nearest, equal = _most_alike(tables, rows)
    return tuple(
        NamedRecord(
            int(tables.place[row]) + 1,
            _words(tables.pool.iloc[row]),
            float(score),
            int(like) + 1,
            _words(tables.synthetic.iloc[like]),
            bool(same),
        )
        for row, like, same, score in zip(rows, nearest, equal, scores[order], strict=True)
    )


def _most_alike(
    tables: SyntheticTables, rows: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """For each of these rows of the pool the synthetic row that is most like it, and if equal.

    By the mean over columns of the distance as a share of the range, or 0 and 1 of categories.
    """
    total = np.zeros((rows.size, len(tables.synthetic)))
    equal = np.ones(total.shape, bool)
    for column in tables.used:
        ours = tables.pool[column.name]
        a, b = (_numbers(one) for one in (ours.iloc[rows], tables.synthetic[column.name]))
        same = (a[:, None] == b) | (np.isnan(a)[:, None] & np.isnan(b))
        equal &= same
        if column.is_ordered:
            known = _numbers(ours)
            span = float(np.nanmax(known) - np.nanmin(known)) or 1.0
            apart = np.abs(a[:, None] - b) / span
            total += np.where(same, 0.0, np.where(np.isnan(apart), 1.0, np.minimum(apart, 1.0)))
        else:
            total += ~same
    nearest = (total - equal).argmin(axis=1)
    return nearest, equal[np.arange(rows.size), nearest]


def _numbers(cells: Any) -> NDArray[np.float64]:
    """Cells as numbers, NaN where missing; of categories their codes, the same in all tables."""
    if hasattr(cells, "cat"):  # as only categories have
        codes = cells.cat.codes.to_numpy(float)
        return np.where(codes < 0, np.nan, codes)
    if cells.dtype.kind == "M":
        days = cells.to_numpy("datetime64[us]").astype(np.int64).astype(float)
        return np.where(cells.isna().to_numpy(), np.nan, days)
    return cells.to_numpy(float)


def _words(record: Any) -> str:
    """The cells of a record, the first ones."""
    cells = [f"{name} {_cell(value)}" for name, value in record.items()]
    more = [f"{len(cells) - MOST_CELLS} more"] if len(cells) > MOST_CELLS else []
    return ", ".join([*cells[:MOST_CELLS], *more])


def _cell(value: Any) -> str:
    missing = value is None or value != value  # NaN, or no time
    text = "missing" if missing else text_of(value)
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"
