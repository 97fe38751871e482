"""`MeasuredAudit`: what an audit of a synthetic table found, without its tables.

A page keeps it, and a process sends it back: attacks with their scores, threats, the test of the
split, and the records that leak most, in words. `to_dict` and `from_dict` are for a result that
comes with the package.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from workbench.claims.base import Claim
from workbench.onerun.guesses import Ends
from workbench.onerun.half.matching import MatchedPairs
from workbench.onerun.run import OneRun
from workbench.progress import Report, part, silent
from workbench.scores.chance import Fingerprint
from workbench.synthetic.audit import SyntheticAudit
from workbench.synthetic.choice import AttackScores, learning_canaries
from workbench.synthetic.split_test import SplitTest
from workbench.synthetic.tables import SyntheticTables
from workbench.synthetic.threats.threat import Threat

#: Records that are named, and cells of one that are shown.
MOST_NAMED, MOST_CELLS = 15, 8

#: Characters of a cell.
LONGEST_CELL = 20

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
class Stated:
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
    stated : Stated
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
        stated: Stated,
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
        # What the audit computes at the first use.
        vars(self).update(attacks=attacks, _threats=threats)

    @classmethod
    def made(cls, audit: SyntheticAudit, stated: Stated, report: Report = silent) -> Self:
        """What an audit finds.

        Parameters
        ----------
        audit : SyntheticAudit
        stated : Stated
        report : Report
        """
        attacks = audit.run(part(report, 0.0, 0.7))
        report(0.7, "Singling out, linkability, inference …")
        threats = audit.threats()
        report(0.95, "The records that leak most …")
        chosen = max(attacks, key=lambda one: one.learned)
        named = _named(audit, chosen)
        tables = TablesInBrief.of(audit.tables)
        return cls(stated, audit.split, tables, audit.split_test, attacks, threats, named)

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
            "threats": [_plain(threat) for threat in self.threats()],
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
                OneRun(
                    np.array(one["scores"]), np.array(one["included"]), seed=tables.seed
                ),
                Ends(*one["rule"]),
                one["learned"],
            )
            for one in stored["attacks"]
        )
        return cls(
            Stated(**stored["stated"]),
            stored["split"],
            tables,
            SplitTest(**stored["split_test"]),
            attacks,
            tuple(_threat(one) for one in stored["threats"]),
            tuple(NamedRecord(**one) for one in stored["named"]),
        )


def records_of(one: AttackScores) -> OneRun:
    """The scores of single records, also where they were matched."""
    return one.run.of if isinstance(one.run, MatchedPairs) else one.run
