"""`TableBounds`: the bounds of a score table, as methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from workbench.bounds.bound import Bound
from workbench.progress import Report
from workbench.scores.sample import Scores
from workbench.tables.bounds.each_record import RecordLimits, record_limits
from workbench.tables.bounds.exceeding import (
    LeakingRecords,
    RecordCount,
    leaking_records,
    records_exceeding,
)
from workbench.tables.bounds.pooled import pooled_bound, pooled_scores
from workbench.tables.bounds.tabulated import Tabulated, require_table
from workbench.tables.bounds.worst_record import (
    uncorrected_maximum,
    worst_of_groups,
    worst_record,
)

Method = Literal["held-out", "simultaneous", "e-values"]


class TableBounds:
    """Bounds of a score table; `workbench.ScoreTable` derives from it.

    Where models come in complementary pairs, all but `pooled` use one model of each pair: a record
    has dependent scores in the two models of a pair.
    """

    def each_record(
        self: Tabulated, delta: float, confidence: float = 0.95, progress: Report | None = None
    ) -> RecordLimits:
        """Lower limits on ε for all records, all of them valid together.

        Parameters
        ----------
        delta : float
            In [0, 1).
        confidence : float
            In (0.5, 1): the probability, at least, with which all limits hold.
        progress : callable, optional
            Called with the share that is done and what is being done; it may raise
            `workbench.progress.Cancelled`.

        Returns
        -------
        RecordLimits

        Raises
        ------
        ValueError
            A level out of range.
        ScoresError
            No record is in two models at least and out of two others.

        Notes
        -----
        Guarantee: simultaneous over records and thresholds, distribution-free, for independent
        models; the scores of one model may depend on each other in any way.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> member = rng.random((128, 20)) < 0.5
        >>> leak = 4 * (np.arange(20) < 2)
        >>> table = wb.ScoreTable(rng.normal(size=(128, 20)) + leak * member, member)
        >>> limits = table.each_record(delta=1e-5)
        >>> limits.order[:2].tolist(), limits.at_least(1)
        ([0, 1], 2)
        """
        return record_limits(self.independent, delta, confidence, progress)

    def worst_record(
        self: Tabulated,
        delta: float,
        confidence: float = 0.95,
        method: Method = "held-out",
        progress: Report | None = None,
    ) -> Bound:
        """Lower bound on the largest ε of all records.

        Parameters
        ----------
        delta : float
            In [0, 1).
        confidence : float
            In (0.5, 1).
        method : {"held-out", "simultaneous", "e-values"}
            Choose it before any bound is seen. "held-out" selects records and a rule to guess on
            30% of the models and tests on the others. Where every model drew every record by a
            fair coin, the guesses on all selected records count together; where the memberships
            show that it did not, each selected record is tested alone. "simultaneous" is the
            largest limit of `each_record`. "e-values" averages the evidence about all records.
        progress : callable, optional
            As in `each_record`.

        Returns
        -------
        Bound
            Its note says which records it is about.

        Raises
        ------
        ValueError
            A level out of range, an unknown method.
        ScoresError
            As `each_record`.

        Notes
        -----
        Guarantee: held-out for "held-out", simultaneous for the others. Scores of one model may
        depend on each other in any way. "held-out" with fair coins bounds the ε of a record whose
        membership changes while all else about the training data is fixed, from all scores of the
        selected records; the others bound the ε of a record's own scores.

        References
        ----------
        Steinke, Nasr and Jagielski (2023); proof in `workbench.tables.bounds.guesses`.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> member = rng.random((128, 20)) < 0.5
        >>> leak = 4 * (np.arange(20) < 2)
        >>> table = wb.ScoreTable(rng.normal(size=(128, 20)) + leak * member, member, seed=0)
        >>> print(table.worst_record(delta=1e-5))
        ε at δ = 1e-5 ≥ 3.66 (held-out, 95%, assuming independent rows and fair coins)
        """
        return worst_record(self.independent, delta, confidence, method, progress)

    def worst_of_groups(
        self: Tabulated,
        by: str,
        delta: float,
        confidence: float = 0.95,
        method: Method = "held-out",
        progress: Report | None = None,
    ) -> dict[Any, Bound]:
        """Lower bounds on the largest ε of each group of records, all valid together.

        Parameters
        ----------
        by : str
            An attribute, such as "class", whose values are the groups.
        delta : float
            In [0, 1).
        confidence : float
            In (0.5, 1), of all bounds together; each group has an equal share of the error
            probability.
        method : {"held-out", "simultaneous", "e-values"}
            As in `worst_record`.
        progress : callable, optional
            As in `each_record`.

        Returns
        -------
        dict
            Value of the attribute -> bound of `worst_record`. Groups without an auditable record
            are left out.

        Raises
        ------
        ValueError
            No such attribute, or one of images; as `worst_record`.
        """
        return worst_of_groups(self.independent, by, delta, confidence, method, progress)

    def exceeding(
        self: Tabulated,
        epsilon: float,
        delta: float,
        confidence: float = 0.95,
        progress: Report | None = None,
    ) -> RecordCount:
        """Number of records, at least, that exceed an ε.

        Parameters
        ----------
        epsilon : float
            At least 0, chosen before any bound is seen.
        delta : float
            In [0, 1).
        confidence : float
            In (0.5, 1): the probability, at least, with which all records that are counted exceed
            ε.
        progress : callable, optional
            As in `each_record`.

        Returns
        -------
        RecordCount

        Raises
        ------
        ValueError
            An argument out of range.
        ScoresError
            As `each_record`.

        Notes
        -----
        Holm's (1979) procedure over the exact p-values of all records, which may depend on each
        other in any way. For several ε at once take ``each_record(…).distribution``.
        """
        return records_exceeding(self.independent, epsilon, delta, confidence, progress)

    def leaking(
        self: Tabulated,
        epsilon: float,
        delta: float,
        error: float = 0.05,
        attacks: Sequence[Tabulated] = (),
        progress: Report | None = None,
    ) -> LeakingRecords:
        """List of records that exceed an ε, with a false discovery rate.

        Parameters
        ----------
        epsilon : float
            At least 0, chosen before any bound is seen.
        delta : float
            In [0, 1).
        error : float
            The mean share, at most, of listed records that do not exceed ε.
        attacks : sequence of ScoreTable, optional
            Scores of other attacks on the same models and records. The e-values of all attacks are
            averaged, which is valid however they depend on each other.
        progress : callable, optional
            As in `each_record`.

        Returns
        -------
        LeakingRecords

        Raises
        ------
        ValueError
            An argument out of range.
        ScoresError
            An attack on other models or records.

        Notes
        -----
        e-Benjamini-Hochberg (Wang and Ramdas 2022) over e-values of the records, which may depend
        on each other in any way; `workbench.tables.bounds.e_values` has them and the proof.
        """
        others = []
        for attack in attacks:
            require_table(attack)
            others.append(attack.independent)
        return leaking_records(self.independent, epsilon, delta, error, others, progress)

    def pooled(
        self: Tabulated, delta: float, confidence: float = 0.95, progress: Report | None = None
    ) -> Bound:
        """Lower bound on ε of the scores of all records pooled: an average over records.

        Parameters
        ----------
        delta : float
            In [0, 1).
        confidence : float
            In (0.5, 1).
        progress : callable, optional
            As in `each_record`.

        Returns
        -------
        Bound
            It holds if rows behave like independent ones, and for no single record, as its
            assumption and note say.
        """
        return pooled_bound(self, delta, confidence, progress)

    def pooled_scores(self: Tabulated) -> Scores:
        """The scores of all records and models: P of members, Q of the others.

        Returns
        -------
        Scores
            With ``sampling="one run"``, since scores of one model are not independent.
        """
        return pooled_scores(self)

    def uncorrected_maximum(
        self: Tabulated, delta: float, confidence: float = 0.95, progress: Report | None = None
    ) -> Bound:
        """The largest of limits that are valid for one record each, as other tools report it.

        Parameters
        ----------
        delta : float
            In [0, 1).
        confidence : float
            In (0.5, 1), of each limit alone.
        progress : callable, optional
            As in `each_record`.

        Returns
        -------
        Bound
            An estimate: with many records it exceeds the truth nearly always when nothing leaks.
        """
        return uncorrected_maximum(self.independent, delta, confidence, progress)
