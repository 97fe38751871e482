"""`ScoreTable`: the scores of many records under many models, and who was trained on what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench.scores import chance
from workbench.scores.ordered import is_sealed
from workbench.scores.sample import CLUSTER_RULES, Scores, ScoresError
from workbench.tables.bounds.kept import Kept
from workbench.tables.bounds.methods import TableBounds
from workbench.tables.design import ASSUMPTIONS, Design, complementary_pairs

if TYPE_CHECKING:
    import pandas as pd

SAMPLINGS_OF_MODELS = ("independent runs", "unknown")

#: Models with and without a record that its bounds need.
LEAST_MODELS = 2


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(TableBounds):
    """Scores of R records under M models, and which model was trained on which record.

    Parameters
    ----------
    scores : array_like, shape (M, R) or (M, R, A)
        One score for each model and record, or A of them for A augmentations of the record.
        float32 is kept as it is. Arrays that nobody can write to are not copied.
    member : array_like of bool, shape (M, R)
        True where the model was trained on the record.
    records : array_like, shape (R,), optional
        A name for each record; its number by default.
    models : array_like, shape (M,), optional
        A name for each model; its number by default.
    augmentations : {"mean", "max", "first"}, optional
        How the scores of several augmentations become one. It has to be stated where there are
        several: an axis of classes, averaged as one of augmentations, says nothing.
    present : array_like of bool, shape (M, R), optional
        Which cells have a score; all by default. The others are left out, their scores are not
        looked at. A NaN in a cell that is present is an outcome, the most member-like one: leaving
        out scores because of their value would make bounds invalid.
    attributes : mapping of str to array_like, each of shape (R,), optional
        What is known of the records, such as their class: columns by which a page filters. One
        called "image" may have further dimensions, (R, height, width) or (R, height, width, 3).
    larger_is_member : bool
        True when a larger score indicates membership, False when a smaller one does (a loss).
    sampling : {"independent runs", "unknown"}
        "independent runs" where the models were trained independently, each on records chosen by
        independent coins, and no score of a model was computed from another model of the table, as
        those of LiRA are when models are each other's references.
    name : str
        Shown in titles.
    notes : tuple of str
        Remarks on how the table was read: what was used and what was not.
    seed : int or numpy.random.Generator, optional
        A number that was drawn by chance for this table, whatever is in it: splits of the models
        follow from it. By default one from the operating system, the same for the same table; see
        `chance`.
    design : Design
        How the records were assigned to the models, as the memberships show it.

    Raises
    ------
    ScoresError
        Shapes that differ, one model, memberships other than 0 and 1, names that occur twice, a
        column without a finite score.

    See Also
    --------
    read_score_table : tables from the files of public tools.
    """

    scores: NDArray[Any]
    member: NDArray[np.bool_]
    records: NDArray[Any] | None = None
    models: NDArray[Any] | None = None
    augmentations: str = None  # type: ignore[assignment]  # to be stated, if there are several
    present: NDArray[np.bool_] | None = None
    attributes: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    larger_is_member: bool = True
    sampling: str = "unknown"
    name: str = ""
    notes: tuple[str, ...] = ()
    seed: int | np.random.Generator | None = None
    design: Design = field(init=False)

    def __post_init__(self) -> None:
        direction = _checks.flag(self.larger_is_member, "larger_is_member")
        object.__setattr__(self, "larger_is_member", direction)
        _checks.text(self.name, "name")
        notes = tuple(_checks.each_of(self.notes, str, "notes", "text"))
        object.__setattr__(self, "notes", notes)
        object.__setattr__(self, "seed", chance.checked_seed(self.seed))
        _checks.one_of(self.sampling, "sampling", SAMPLINGS_OF_MODELS)
        scores, member = _scores(self.scores), _cells(self.member, "memberships")
        object.__setattr__(self, "augmentations", _rule(self.augmentations, scores))
        if scores.shape[:2] != member.shape:
            turned = scores.shape[:2] == member.shape[::-1]
            raise ScoresError(
                f"scores have the shape {scores.shape} and memberships {member.shape}; both must "
                "be (models, records)" + ("; transpose one of them" if turned else "")
            )
        if member.shape[0] < 2:
            raise ScoresError(
                "a table of one model is one run: give its scores to wb.read_one_run or wb.OneRun"
            )
        if member.shape[1] < 1:
            raise ScoresError("the table has no record")
        here = _present(self.present, member)
        object.__setattr__(self, "present", here)
        _some_score(scores, here)
        names = {"records": member.shape[1], "models": member.shape[0]}
        for what, n in names.items():
            given = getattr(self, what)
            object.__setattr__(self, what, None if given is None else _names(given, what, n))
        columns = {
            _checks.text(k, "attributes"): _attribute(k, v, member.shape[1])
            for k, v in dict(self.attributes).items()
        }
        object.__setattr__(self, "attributes", columns)
        for what, array in (("scores", scores), ("member", member)):
            array.flags.writeable = False
            object.__setattr__(self, what, array)
        object.__setattr__(self, "design", Design.of(member, here))

    # -- size and description ----------------------------------------------------------------------

    @property
    def n_models(self) -> int:
        """Number M of models."""
        return self.member.shape[0]

    @property
    def n_records(self) -> int:
        """Number R of records."""
        return self.member.shape[1]

    @property
    def record_names(self) -> NDArray[Any]:
        """A name for each record, shape (R,): ``records``, or their numbers from 0."""
        return np.arange(self.n_records) if self.records is None else self.records

    @property
    def model_names(self) -> NDArray[Any]:
        """A name for each model, shape (M,): ``models``, or their numbers from 0."""
        return np.arange(self.n_models) if self.models is None else self.models

    @cached_property
    def n_in(self) -> NDArray[np.int64]:
        """Number of models that were trained on each record, shape (R,)."""
        return np.asarray(self.member.sum(axis=0, dtype=np.int64))

    @cached_property
    def n_out(self) -> NDArray[np.int64]:
        """Number of models that were not trained on each record, shape (R,)."""
        if self.present is None:
            return self.n_models - self.n_in
        return np.asarray(self.present.sum(axis=0, dtype=np.int64) - self.n_in)

    @cached_property
    def auditable(self) -> NDArray[np.bool_]:
        """Records with at least two models on each side, shape (R,)."""
        return (self.n_in >= LEAST_MODELS) & (self.n_out >= LEAST_MODELS)

    @cached_property
    def matrix(self) -> NDArray[Any]:
        """One score for each model and record, larger for members, shape (M, R)."""
        scores = self.scores
        if scores.ndim == 3:
            if self.augmentations == "first":
                scores = scores[:, :, 0]
            else:
                rule = np.mean if self.augmentations == "mean" else np.max
                with np.errstate(invalid="ignore"):
                    scores = rule(scores, axis=2)
        return scores if self.larger_is_member else -scores

    @property
    def assumption(self) -> str:
        """The assumption that the bounds of this table's records state."""
        if not self.design.is_independent:
            return ASSUMPTIONS[self.design.name]
        if self.sampling == "independent runs":
            return "independent runs"
        return "if rows are independent"

    @cached_property
    def fingerprint(self) -> chance.Fingerprint:
        """What this table is known by: its ranks, whatever the order of its models."""
        return chance.Fingerprint.of_table(self.matrix, self.member, self.present)

    @cached_property
    def chance(self) -> int:
        """The random number from which `keys` follow: `seed`, or one that is drawn now.

        It is drawn from the operating system once for the same `fingerprint`.
        """
        given = None if self.seed is None else int(self.seed)  # type: ignore[arg-type]
        return chance.seed_of(self.fingerprint, given)

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """A random number of each model, from which splits and orders follow, shape (M,).

        All differ. They depend on neither scores nor memberships, and a part of a table has those
        of the whole.
        """
        order = chance.rows_in_order(self.matrix, self.member, self.present)
        keys = np.empty(self.n_models, dtype=np.int64)
        keys[order] = chance.generator(self.chance, "models").permutation(self.n_models)
        return keys

    @cached_property
    def kept(self) -> Kept:
        """What bounds keep of this table between questions: it does not change, as the table."""
        return Kept()

    def __getstate__(self) -> dict[str, Any]:
        """The fields without what is `kept`."""
        return {name: value for name, value in vars(self).items() if name != "kept"}

    # -- parts ------------------------------------------------------------------------------------

    def of_records(self, which: ArrayLike) -> ScoreTable:
        """The table of some of the records.

        Parameters
        ----------
        which : array_like of bool, shape (R,), or of int
            A mask or column numbers.
        """
        return self._part(columns=_chosen(which, self.n_records, "records"))

    def of_models(self, which: ArrayLike) -> ScoreTable:
        """The table of some of the models.

        Parameters
        ----------
        which : array_like of bool, shape (M,), or of int
            A mask or row numbers.
        """
        return self._part(rows=_chosen(which, self.n_models, "models"))

    def one_of_each_pair(self) -> ScoreTable:
        """The table of one model of each complementary pair.

        Its models are independent, if the pairs are. It is the first one of neighboring models,
        and one drawn at random of a pair that was found elsewhere in the table: the order of the
        models may follow their memberships.

        Raises
        ------
        ScoresError
            The models do not come in complementary pairs.
        """
        pairs = complementary_pairs(self.member, self.present)
        if pairs is None:
            raise ScoresError(
                "the models of this table do not come in complementary pairs (the design is "
                f"{self.design.name!r}); use the table as it is"
            )
        if not (np.diff(pairs, axis=1) == 1).all():
            pairs = np.take_along_axis(pairs, np.argsort(self.keys[pairs], axis=1), axis=1)
        return self._part(rows=np.sort(pairs[:, 0]))

    @cached_property
    def independent(self) -> ScoreTable:
        """The table whose models bounds take for independent: of complementary pairs one each."""
        paired = self.design.name == "complementary pairs"
        return self.one_of_each_pair() if paired else self

    def _part(
        self, rows: NDArray[np.intp] | None = None, columns: NDArray[np.intp] | None = None
    ) -> ScoreTable:
        m = slice(None) if rows is None else rows
        r = slice(None) if columns is None else columns
        part = replace(
            self,
            seed=self.chance,
            scores=self.scores[m][:, r],
            member=self.member[m][:, r],
            present=None if self.present is None else self.present[m][:, r],
            models=self.model_names[m],
            records=self.record_names[r],
            attributes={name: column[r] for name, column in self.attributes.items()},
        )
        part.__dict__["keys"] = self.keys[m]
        return part

    def to_frame(self) -> pd.DataFrame:
        """One row for each model and record that has a score, as `read_score_table` reads it.

        Returns
        -------
        DataFrame
            Columns ``model``, ``record``, ``score`` and ``member`` (1 or 0); with several
            augmentations also ``augmentation``, and a row for each.
        """
        return long_frame(self, self.scores, "score")

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        member = "larger" if self.larger_is_member else "smaller"
        return (
            f"ScoreTable({name}{self.n_models} models, {self.n_records} records, {member} is "
            f"member-like, design={self.design.name!r}, sampling={self.sampling!r})"
        )

    # -- records ----------------------------------------------------------------------------------

    def index(self, record: object) -> int:
        """The column of a record.

        Parameters
        ----------
        record : int or str
            Its name; where records have no names, its number, counted from 0.

        Raises
        ------
        ScoresError
            No such record.
        """
        names = self.record_names
        known = isinstance(record, str | int | np.generic)
        found = np.flatnonzero(names == record) if known else np.array([])
        if found.size != 1:
            raise ScoresError(
                f"no record is called {_checks.shown(record)}; there are {self.n_records}, from "
                f"{names[0]} to {names[-1]}"
            )
        return int(found[0])

    def record(self, record: object) -> Scores:
        """The scores of one record: P with the record in, Q without it.

        Parameters
        ----------
        record : int or str
            As of `index`.

        Raises
        ------
        ScoresError
            No such record, or one in fewer than two models, or out of fewer than two.
        """
        if self.independent is not self:
            return self.independent.record(record)
        r = self.index(record)
        if not self.auditable[r]:
            raise ScoresError(
                f"record {record!r} is in {self.n_in[r]} of {self.n_models} models; its bounds "
                f"need at least {LEAST_MODELS} with it and {LEAST_MODELS} without it"
            )
        inside, column = self.member[:, r], self.matrix[:, r].astype(np.float64)
        outside = ~inside if self.present is None else self.present[:, r] & ~inside
        sign = 1 if self.larger_is_member else -1
        name = f"{self.name}, record {record}" if self.name else f"record {record}"
        return Scores(
            sign * column[inside],
            sign * column[outside],
            larger_is_member=self.larger_is_member,
            sampling=self.sampling if self.design.is_independent else "unknown",
            name=name,
        )


def _array(values: ArrayLike, what: str) -> NDArray[Any]:
    """An array without masked values."""
    try:
        _checks.convertible(values, what)
    except ValueError as error:
        raise ScoresError(str(error)) from None
    return np.asarray(values)


def _scores(values: ArrayLike) -> NDArray[Any]:
    scores = _array(values, "scores")
    if scores.dtype.kind not in "fiu":
        raise ScoresError(f"scores must be numbers, got {scores.dtype}")
    if scores.ndim not in (2, 3):
        raise ScoresError(
            f"scores have the shape {scores.shape}; a table is (models, records) or "
            "(models, records, augmentations); one column is wb.Scores(p, q)"
        )
    if scores.ndim == 3 and scores.shape[2] == 0:
        raise ScoresError(f"scores have the shape {scores.shape}: no augmentation")
    if scores.dtype not in (np.float32, np.float64):
        return scores.astype(float)
    return scores if _is_kept(scores) else scores.copy()


def _rule(stated: str | None, scores: NDArray[Any]) -> str:
    """How augmentations become one score, which must be stated where there are several."""
    if stated is not None:
        return _checks.one_of(stated, "augmentations", CLUSTER_RULES)
    if scores.ndim == 3 and scores.shape[2] > 1:
        k = scores.shape[2]
        raise ScoresError(
            f"scores have the shape {scores.shape}: it is open whether the last axis is of {k} "
            f"augmentations or of {k} classes. State augmentations='mean', 'max' or 'first' if it "
            "is of augmentations; if it is of classes, the score of a record is the log-odds of "
            "its class, log p_y − log Σ_{k≠y} p_k, which wb.read_score_table computes of arrays "
            "with labels"
        )
    return CLUSTER_RULES[0]


def _some_score(scores: NDArray[Any], present: NDArray[np.bool_] | None) -> None:
    """Raises where a record has nothing but NaN."""
    empty = np.ones(scores.shape[1], bool) if present is None else present.any(axis=0)
    for m, row in enumerate(scores):  # one model at a time, for memory
        if not empty.any():
            return
        missing = np.isnan(row) if row.ndim == 1 else np.isnan(row).all(axis=1)
        empty &= missing if present is None else missing | ~present[m]
    if empty.any():
        raise ScoresError(
            f"{int(empty.sum())} records have nothing but NaN, the first is number "
            f"{int(empty.argmax())}; leave them out, or check that their scores were computed"
        )


def _cells(values: ArrayLike, what: str) -> NDArray[np.bool_]:
    cells = _array(values, what)
    if cells.ndim != 2:
        raise ScoresError(f"{what} have the shape {cells.shape}; give (models, records)")
    if cells.dtype != bool:
        if cells.dtype.kind not in "iuf" or not np.isin(cells, (0, 1)).all():
            raise ScoresError(f"{what} must be true or false, or 1 and 0")
        return cells.astype(bool)
    return cells if _is_kept(cells) else cells.copy()


def _is_kept(values: NDArray[Any]) -> bool:
    """Whether an array is kept as it is: nobody can write to it, and its rows are contiguous."""
    return values.flags.c_contiguous and is_sealed(values)


def _present(values: ArrayLike | None, member: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    if values is None:
        return None
    present = _cells(values, "present cells")
    if present.shape != member.shape:
        raise ScoresError(
            f"present has the shape {present.shape} and memberships {member.shape}; both must be "
            "(models, records)"
        )
    extra = member & ~present
    if extra.any():
        m, r = np.argwhere(extra)[0]
        raise ScoresError(
            f"model {m} was trained on record {r}, but that cell is not present; set member to "
            "False where a score is missing"
        )
    if present.all():
        return None
    present.flags.writeable = False
    return present


def _names(values: ArrayLike, what: str, n: int) -> NDArray[Any]:
    names = _array(values, what)
    if names.shape != (n,):
        raise ScoresError(f"{what} has the shape {names.shape}; give one name for each of {n}")
    unique, counts = np.unique(names.astype(str), return_counts=True)
    if unique.size < n:
        raise ScoresError(
            f"{n - unique.size} of the names in {what} occur twice, such as "
            f"{unique[counts.argmax()]!r}; each must be one of its own"
        )
    return names


def _attribute(name: str, values: ArrayLike, n: int) -> NDArray[Any]:
    column = _array(values, f"attribute {name!r}")
    if column.shape[:1] != (n,) or (column.ndim > 1 and name != "image"):
        raise ScoresError(
            f"attribute {name!r} has the shape {column.shape}; give one value for each of {n} "
            "records"
        )
    return column


def _chosen(which: ArrayLike, n: int, what: str) -> NDArray[np.intp]:
    chosen = _array(which, what)
    if chosen.dtype == bool and chosen.shape == (n,):
        return np.flatnonzero(chosen)
    if chosen.dtype.kind not in "iu" or chosen.ndim != 1 or not chosen.size:
        raise ScoresError(f"give a mask of {n} {what} or their numbers, got {_checks.shown(which)}")
    if chosen.min() < 0 or chosen.max() >= n:
        raise ScoresError(f"{what} are numbered 0 to {n - 1}, got {_checks.shown(which)}")
    return chosen.astype(np.intp)


def long_frame(table: Any, values: NDArray[Any], name: str) -> pd.DataFrame:
    """Values of models and records in long form, one row for each cell that is present.

    Parameters
    ----------
    table : ScoreTable or SignalTable
        With the names.
    values : ndarray, shape (M, R) or (M, R, A)
    name : str
        Of their column.
    """
    import pandas as pd

    here = np.ones(table.member.shape, bool) if table.present is None else table.present
    model, record = np.nonzero(here)
    of_records = np.arange(table.n_records) if table.records is None else table.records
    of_models = np.arange(table.n_models) if table.models is None else table.models
    found = values[model, record]
    depth = 1 if found.ndim == 1 else found.shape[1]
    columns: dict[str, Any] = {
        "model": np.repeat(of_models[model], depth),
        "record": np.repeat(of_records[record], depth),
    }
    if found.ndim > 1:
        columns["augmentation"] = np.tile(np.arange(depth), model.size)
    columns[name] = found.ravel()
    columns["member"] = np.repeat(table.member[model, record].astype(int), depth)
    return pd.DataFrame(columns)
