"""Several attacks on the same records: which records each of them finds, and all of them together.

Different attacks find different records, so that the average attack is a poor summary of what a
model reveals. What several attacks prove together has a price: the best of them must not be taken
as if it had been the only one. `AttackOverlap.each_record` divides the error probability between
the attacks, `AttackOverlap.leaking` averages their e-values; both hold however the attacks depend
on each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._format import percent, plain
from workbench._markup import table as html_table
from workbench.progress import Report, silent
from workbench.scores.sample import ScoresError
from workbench.tables.attacks.combining import CombinedLimits, combined_limits
from workbench.tables.bounds.exceeding import LeakingRecords
from workbench.tables.table import ScoreTable

if TYPE_CHECKING:
    import pandas as pd

#: How the threshold of an attack is chosen.
THRESHOLDS = ("pooled", "each record")

#: Cells of a block of records.
_BLOCK = 2_000_000


@dataclass(frozen=True, eq=False, repr=False)
class AttackOverlap:
    """Records that attacks find at one false positive rate, and what they have in common.

    Estimates, without a guarantee; `each_record` has limits.

    Attributes
    ----------
    tables : mapping of str to ScoreTable
        The attacks by name, all of the same records.
    fpr : float
        False positive rate at which an attack says "member".
    threshold : {"pooled", "each record"}
    share : float
        A record is found if this share of the models that were trained on it is recognized.
    true_positive_rates : ndarray, shape (K, R)
        Share of the models with the record that each attack recognizes; NaN where no model has it,
        or too few do not.
    """

    tables: Mapping[str, ScoreTable]
    fpr: float
    threshold: str
    share: float
    true_positive_rates: NDArray[np.float64]

    def __post_init__(self) -> None:
        _checks.fields(self)
        shape = (len(self.tables), next(iter(self.tables.values())).n_records if self.tables else 0)
        if not self.tables or self.true_positive_rates.shape != shape:
            raise ValueError(
                f"true_positive_rates must have the shape {shape}, a row for each of the tables, "
                f"got {self.true_positive_rates.shape}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attacks."""
        return tuple(self.tables)

    @cached_property
    def found(self) -> NDArray[np.bool_]:
        """Which records each attack finds, shape (K, R)."""
        with np.errstate(invalid="ignore"):
            return self.true_positive_rates >= self.share

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Number of records that each attack finds, shape (K,)."""
        return np.asarray(self.found.sum(axis=1, dtype=np.int64))

    @cached_property
    def jaccard(self) -> NDArray[np.float64]:
        """Records found by both of two attacks over those found by any of the two, shape (K, K).

        NaN where neither finds one.
        """
        found = self.found.astype(np.int64)
        both = found @ found.T
        either = self.numbers[:, None] + self.numbers - both
        return np.where(either > 0, both / np.maximum(either, 1), np.nan)

    @cached_property
    def intersections(self) -> list[tuple[tuple[str, ...], int]]:
        """The attacks that find a record, and how many records are found by these and no others.

        From the largest number down; () are records that no attack finds. Only combinations that
        occur.
        """
        patterns, counts = np.unique(self.found.T, axis=0, return_counts=True)
        return [
            (tuple(name for name, yes in zip(self.names, patterns[i], strict=True) if yes), int(n))
            for i, n in sorted(enumerate(counts), key=lambda one: -one[1])
        ]

    def each_record(
        self, delta: float, confidence: float = 0.95, progress: Report | None = None
    ) -> CombinedLimits:
        """Lower limits on ε for all records, from all attacks, all of them valid together.

        Parameters
        ----------
        delta : float
            In [0, 1).
        confidence : float
            In (0.5, 1). Each attack gets its share of the error probability.
        progress : callable, optional
            Takes the progress; see `workbench.progress.Report`.

        Notes
        -----
        Guarantee: simultaneous over attacks, records and thresholds (Bonferroni), if the models of
        every table are independent.
        """
        return combined_limits(
            self.tables, delta, _checks.confidence(confidence), progress or silent
        )

    def leaking(
        self, epsilon: float, delta: float, error: float = 0.05, progress: Report | None = None
    ) -> LeakingRecords:
        """List of records that exceed an ε, from the e-values of all attacks averaged.

        Parameters
        ----------
        epsilon : float
            At least 0, chosen before any bound is seen.
        delta : float
            In [0, 1).
        error : float
            The mean share, at most, of listed records that do not exceed ε.
        progress : callable, optional
            Takes the progress; see `workbench.progress.Report`.

        Raises
        ------
        ScoresError
            The attacks are on different models; `ScoreTable.of_models` takes a part of them.

        Notes
        -----
        As `ScoreTable.leaking`. A mean of e-values is an e-value however they depend on each other,
        so that no correction for the number of attacks is due.
        """
        first, *others = self.tables.values()
        return first.leaking(epsilon, delta, error, others, progress)

    def to_frame(self) -> pd.DataFrame:
        """One row for each record: its name, the rate of each attack, how many attacks find it."""
        import pandas as pd

        records = next(iter(self.tables.values())).record_names
        rates = dict(zip(self.names, self.true_positive_rates, strict=True))
        return pd.DataFrame({"record": records, **rates, "found_by": self.found.sum(axis=0)})

    def __repr__(self) -> str:
        found = ", ".join(f"{n} by {k}" for k, n in zip(self.names, self.numbers, strict=True))
        return f"AttackOverlap({found}; {self._terms})"

    def _repr_html_(self) -> str:
        rows = [(" + ".join(names) or "none", f"{n:,}") for names, n in self.intersections]
        return html_table("Records found by these attacks and no others", rows, self._terms)

    @property
    def _terms(self) -> str:
        return (
            f"in {percent(self.share)} of the models at a false positive rate of "
            f"{plain(self.fpr)}, {self.threshold}, estimate"
        )


def compare_attacks(
    tables: Mapping[str, ScoreTable] | Sequence[ScoreTable],
    fpr: float,
    *,
    threshold: str = "pooled",
    share: float = 0.5,
) -> AttackOverlap:
    """Records that several attacks find at one false positive rate.

    Parameters
    ----------
    tables : mapping of str to ScoreTable, or sequence of ScoreTable
        One for each attack, of the same records; a sequence is named by the tables' names.
    fpr : float
        In (0, 1).
    threshold : {"pooled", "each record"}
        "pooled": an attack has one threshold for all records and models, the smallest that at most
        this share of all scores without their record exceeds. "each record": one for each record,
        from the scores without it; the expected false positive rate at it is at most ``fpr``, if
        the record's scores are independent.
    share : float
        In (0, 1]. A record is found if this share of the models that were trained on it is
        recognized.

    Returns
    -------
    AttackOverlap

    Raises
    ------
    ScoresError
        Tables of different records; a false positive rate that so few models cannot show.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> member = rng.random((64, 10)) < 0.5
    >>> signals = wb.SignalTable(rng.normal(size=(64, 10)) + 5 * member, member)
    >>> overlap = wb.compare_attacks([signals.lira(), signals.rmia()], fpr=0.05)
    >>> overlap.names
    ('LiRA', 'RMIA')
    """
    tables = _by_name(tables)
    fpr = _checks.open_unit(fpr, "fpr", "0.01 is a common choice")
    _checks.one_of(threshold, "threshold", THRESHOLDS)
    share = _checks.number(share, "share")
    if not 0 < share <= 1:
        raise ValueError(f"share must lie in (0, 1], got {share:g}; 0.5 is a common choice")
    rate = _rates_pooled if threshold == "pooled" else _rates_of_each
    rates = np.array([rate(table, fpr, name) for name, table in tables.items()])
    return AttackOverlap(tables, fpr, threshold, share, rates)


def _by_name(tables: Mapping[str, ScoreTable] | Sequence[ScoreTable]) -> dict[str, ScoreTable]:
    """The tables by the names of their attacks, when they have the same records."""
    need = "a ScoreTable, such as that of wb.SignalTable(...).lira()"
    if isinstance(tables, Mapping):
        names = [_checks.text(name, "each name of tables") for name in tables]
        given = _checks.each_of(tables.values(), ScoreTable, "tables", need)
    else:
        given = _checks.each_of(tables, ScoreTable, "tables", need)
        names = [table.name or f"attack {i + 1}" for i, table in enumerate(given)]
    if len(given) < 2:
        raise ScoresError(f"a comparison needs at least two attacks, got {len(given)}")
    if len(set(names)) < len(names):
        raise ScoresError(
            f"two attacks have the same name, among {', '.join(map(repr, names))}; give a dict of "
            "tables by name"
        )
    first = given[0].record_names
    for name, table in zip(names, given, strict=True):
        if not np.array_equal(first, table.record_names):
            raise ScoresError(
                f"{names[0]!r} and {name!r} are of different records, {first.size} and "
                f"{table.n_records}, or in another order; bring them together with of_records"
            )
    return dict(zip(names, given, strict=True))


def _parts(table: ScoreTable, place: slice) -> tuple[NDArray[np.float64], ...]:
    """Scores with and without the records, NaN in all other cells; NaN scores are +∞."""
    scores = table.matrix[:, place].astype(np.float64)
    scores[np.isnan(scores)] = np.inf
    member = table.member[:, place]
    outside = ~member if table.present is None else table.present[:, place] & ~member
    return np.where(member, scores, np.nan), np.where(outside, scores, np.nan)


def _blocks(table: ScoreTable) -> list[slice]:
    step = max(1, _BLOCK // table.n_models)
    return [slice(start, start + step) for start in range(0, table.n_records, step)]


def _recognized(
    inside: NDArray[np.float64], thresholds: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Share of the scores with a record above its threshold, shape (B,)."""
    n = (~np.isnan(inside)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        above = (inside > thresholds).sum(axis=0)
    return np.where(n > 0, above, np.nan) / np.maximum(n, 1)


def _rates_pooled(table: ScoreTable, fpr: float, name: str) -> NDArray[np.float64]:
    """True positive rates at one threshold for all records, shape (R,)."""
    outside = [_parts(table, place)[1] for place in _blocks(table)]
    without = np.concatenate([part[~np.isnan(part)] for part in outside])
    above = int(fpr * without.size)
    if above < 1:
        raise ScoresError(
            f"{name!r} has {without.size} scores without their record, too few for a false "
            f"positive rate of {fpr:g}; choose at least {1 / max(without.size, 1):.2g}"
        )
    threshold = np.partition(without, without.size - 1 - above)[without.size - 1 - above]
    rates = [_recognized(_parts(table, place)[0], threshold) for place in _blocks(table)]
    return np.concatenate(rates)


def _rates_of_each(table: ScoreTable, fpr: float, name: str) -> NDArray[np.float64]:
    """True positive rates at a threshold for each record, shape (R,)."""
    rates = np.full(table.n_records, np.nan)
    for place in _blocks(table):
        inside, outside = _parts(table, place)
        n = (~np.isnan(outside)).sum(axis=0)
        # The k-th largest of n scores is exceeded with probability at most k/(n + 1).
        rank = np.floor(fpr * (n + 1)).astype(int)
        ordered = np.sort(outside, axis=0)
        at = np.take_along_axis(ordered, np.maximum(n - np.maximum(rank, 1), 0)[None], axis=0)[0]
        rates[place] = np.where(rank > 0, _recognized(inside, at), np.nan)
    if np.isnan(rates).all():
        most = int(table.n_out.max())
        raise ScoresError(
            f"{name!r} has at most {most} models without a record, too few for a false positive "
            f"rate of {fpr:g} for each record; choose at least {1 / (most + 1):.2g}, or "
            "threshold='pooled'"
        )
    return rates
