"""`Kept`: what a table keeps between questions, since it depends on neither ε, δ nor confidence."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.tables.bounds.bets import Bets
from workbench.tables.bounds.rank_counts import RankCounts


@dataclass
class Kept:
    """What a table keeps between questions; the table owns it, and neither ever changes.

    Attributes
    ----------
    counts : RankCounts, optional
        Of all models and records: about 2 log₂(models) numbers of 1 or 2 bytes for each record (4
        bytes from 65,536 models on).
    bets : Bets, optional
        Of all records, kept only where they take no more memory than the scores of the table.
    """

    counts: RankCounts | None = None
    bets: Bets | None = None
