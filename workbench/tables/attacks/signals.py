"""`SignalTable`: what models say about records, from which attacks compute scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.special import expit

from workbench import _checks
from workbench.progress import Report, silent
from workbench.scores.class_outputs import output_kind
from workbench.scores.sample import ScoresError
from workbench.tables.attacks.blocks import Blocks
from workbench.tables.attacks.lira import lira_scores
from workbench.tables.attacks.references import References
from workbench.tables.attacks.rmia import rmia_scores
from workbench.tables.design import Design
from workbench.tables.table import ScoreTable, long_frame

if TYPE_CHECKING:
    import pandas as pd

#: What a signal is, and its range.
SIGNAL_KINDS = {
    "log-odds": (-np.inf, np.inf),
    "probability": (0.0, 1.0),
    "loss": (0.0, np.inf),
}


@dataclass(frozen=True, eq=False, repr=False)
class SignalTable:
    """Signals of R records under M models: outputs that are no scores yet.

    A score answers one question, whether the model was trained on the record, and an attack may
    compare a signal with those of other models, the reference models, in order to answer it.

    Parameters
    ----------
    signals : array_like, shape (M, R) or (M, R, A)
        One signal for each model and record, or A of them for A augmentations of the record.
        float32 is kept as it is. NaN is not used as a reference, and as a target it has the score
        NaN.
    member : array_like of bool, shape (M, R)
        True where the model was trained on the record.
    kind : {"log-odds", "probability", "loss"}
        "probability": that of the record's true class; "loss": minus its logarithm; "log-odds":
        log p − log(1 − p), or any statistic that is larger for members and roughly Gaussian.
    records : array_like, shape (R,), optional
        A name for each record; its number by default.
    models : array_like, shape (M,), optional
        A name for each model; its number by default.
    present : array_like of bool, shape (M, R), optional
        Which cells have a signal; all by default.
    attributes : mapping of str to array_like, each of shape (R,), optional
        What is known of the records, such as their class, as of `ScoreTable`.
    population : array_like, shape (M, Z), optional
        Signals, of the same kind, of Z further records that no model was trained on.
    sampling : {"independent runs", "unknown"}
        As of `ScoreTable`.
    name : str
        Shown in titles.
    notes : tuple of str
        Remarks on how the table was read.
    seed : int or numpy.random.Generator, optional
        As of `ScoreTable`; the tables of all attacks have it.
    design : Design
        How the records were assigned to the models, as the memberships show it.

    Raises
    ------
    ScoresError
        As of `ScoreTable`; signals outside the range of their kind, infinite ones.

    See Also
    --------
    ScoreTable : scores, of which bounds are computed.
    """

    signals: NDArray[Any]
    member: NDArray[np.bool_]
    kind: str = "log-odds"
    records: NDArray[Any] | None = None
    models: NDArray[Any] | None = None
    present: NDArray[np.bool_] | None = None
    attributes: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    population: NDArray[Any] | None = None
    sampling: str = "unknown"
    name: str = ""
    notes: tuple[str, ...] = ()
    seed: int | np.random.Generator | None = None
    design: Design = field(init=False)
    _table: ScoreTable = field(init=False)

    def __post_init__(self) -> None:
        _checks.one_of(self.kind, "kind", SIGNAL_KINDS)
        table = ScoreTable(
            _of_records(self.signals),
            self.member,
            records=self.records,
            models=self.models,
            augmentations="mean",
            present=self.present,
            attributes=self.attributes,
            larger_is_member=self.kind != "loss",
            sampling=self.sampling,
            name=self.name,
            notes=self.notes,
            seed=self.seed,
        )
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "signals", table.scores)
        for same in ("member", "records", "models", "present", "attributes", "design", "seed"):
            object.__setattr__(self, same, getattr(table, same))
        here = table.scores if table.present is None else table.scores[table.present]
        _check_range(here, self.kind, "signals")
        if self.population is not None:
            object.__setattr__(self, "population", _population(self.population, self))

    @property
    def n_models(self) -> int:
        """Number M of models."""
        return self.member.shape[0]

    @property
    def n_records(self) -> int:
        """Number R of records."""
        return self.member.shape[1]

    def to_frame(self) -> pd.DataFrame:
        """One row for each model and record that has a signal.

        Returns
        -------
        DataFrame
            Columns ``model``, ``record``, ``signal`` and ``member`` (1 or 0); with several
            augmentations also ``augmentation``, and a row for each.
        """
        return long_frame(self, self.signals, "signal")

    def as_scores(self) -> ScoreTable:
        """The signals themselves as scores: one threshold for all models, no reference models.

        For one record this loses little, since a threshold on its log-odds is the likelihood ratio
        test wherever its two Gaussians have one variance, and all models remain. Only a comparison
        with reference models makes scores of different records comparable.
        """
        return replace(self._table, name=self._named("threshold"))

    def lira(
        self,
        *,
        online: bool = True,
        fixed_variance: bool = False,
        reference: str | ArrayLike = "split",
        progress: Report | None = None,
    ) -> ScoreTable:
        """Scores of the likelihood ratio attack (LiRA).

        A record's log-odds under models with and without it are taken as two Gaussians; the score
        is log N(s; m_in, v_in) − log N(s; m_out, v_out), summed over augmentations. A target
        model is never among its own reference models.

        Parameters
        ----------
        online : bool
            False uses only reference models that were not trained on the record: the score is
            −log Pr[N(m_out, v_out) > s].
        fixed_variance : bool
            One variance in and one out for all records, better with few models: Carlini et al.
            advise it below 64.
        reference : {"split", "leave-one-out"} or array_like of bool, shape (M,)
            "split": half of the models are references, and the other half are attacked; which,
            is fixed by their number alone, and complementary pairs stay together. The rows of a
            record are as independent as the models are. "leave-one-out": every model is
            attacked, with all others as references, which is for rankings: the rows of a record
            depend on each other, and bounds can be false (see Notes). An array is True for
            reference models; it must not depend on the signals.
        progress : callable, optional
            Takes the progress; see `workbench.progress.Report`.

        Returns
        -------
        ScoreTable
            Of the attacked models. Records without enough reference models have the score 0 under
            all models; the notes count them.

        Raises
        ------
        ScoresError
            Too few models.

        Notes
        -----
        With "leave-one-out" a model enters the references of all others, on the side of its own
        membership, so that members seem to hide: on null tables of 64 models the mean area under a
        record's ROC curve is 0.43 (0.50 with a split), and limits of the reversed scores were above
        0 in all of 150 tables. Such scores rank records; ``sampling`` becomes "unknown", and bounds
        assume that rows are independent, which they are not. A split keeps ``sampling``, unless
        every record is in exactly half of the models: that ties the attacked models to their
        references.

        References
        ----------
        Nicholas Carlini, Steve Chien, Milad Nasr, Shuang Song, Andreas Terzis, Florian Tramèr,
        *Membership Inference Attacks From First Principles* (IEEE S&P 2022).

        Examples
        --------
        >>> rng = np.random.default_rng(1)
        >>> member = rng.random((32, 3)) < 0.5
        >>> signals = wb.SignalTable(rng.normal(size=(32, 3)) + 2 * member, member)
        >>> scores = signals.lira()
        >>> scores.n_models, scores.n_records
        (16, 3)
        """
        references = References.of(reference, self._table)
        online = _checks.flag(online, "online")
        to_log_odds = partial(log_odds, kind=self.kind, dtype=self.signals.dtype)
        scores, known = lira_scores(
            Blocks(self.signals, self.member, to_log_odds, self.present),
            references,
            online,
            _checks.flag(fixed_variance, "fixed_variance"),
            progress or silent,
        )
        return self._attacked("LiRA" if online else "offline LiRA", references, scores, known)

    def rmia(
        self,
        *,
        gamma: float = 1.0,
        a: float = 0.3,
        reference: str | ArrayLike = "split",
        progress: Report | None = None,
    ) -> ScoreTable:
        """Scores of the robust membership inference attack (RMIA), offline.

        ratio(x) = p(x) / p̄(x) with p̄(x) = ((1 + a)·mean + 1 − a)/2, where the mean is over
        reference models that were not trained on x. The score is the share of records z of the
        population with ratio(x) > γ·ratio(z). The population is ``population``, or else all other
        records of the table. A target model is never among its own reference models.

        Parameters
        ----------
        gamma : float
            γ, above 0.
        a : float
            From 0 to 1: 1 where p̄ is the mean over models without the record, less where models
            with it are expected to raise the mean.
        reference : {"split", "leave-one-out"} or array_like of bool, shape (M,)
            As of `lira`.
        progress : callable, optional
            Takes the progress; see `workbench.progress.Report`.

        Returns
        -------
        ScoreTable
            As of `lira`. Augmentations are averaged as ratios.

        Raises
        ------
        ScoresError
            Too few models.

        References
        ----------
        Sajjad Zarifzadeh, Philippe Liu, Reza Shokri, *Low-Cost High-Power Membership Inference
        Attacks* (ICML 2024).
        """
        references = References.of(reference, self._table)
        a = _checks.number(a, "a")
        if not 0 <= a <= 1:
            raise ValueError(f"a must lie in [0, 1], got {a:g}; 0.3 is a common choice")
        population = self.population
        to_probability = partial(probability, kind=self.kind, dtype=self.signals.dtype)
        scores, known = rmia_scores(
            Blocks(self.signals, self.member, to_probability, self.present),
            None
            if population is None
            else Blocks(population, np.zeros(population.shape, bool), to_probability),
            references,
            _checks.positive(gamma, "gamma"),
            a,
            progress or silent,
        )
        return self._attacked("RMIA", references, scores, known)

    def _named(self, attack: str) -> str:
        return f"{self.name}, {attack}" if self.name else attack

    def _attacked(
        self,
        attack: str,
        references: References,
        scores: NDArray[Any],
        known: NDArray[np.bool_],
    ) -> ScoreTable:
        """The table of an attack's scores, with notes on its references."""
        names = None if references.leaves_out and self.models is None else self._table.model_names
        notes = [*self.notes, f"{attack}: {references.describe()}"]
        valid = not references.leaves_out and self.design.name != "exactly half"
        if not valid and self.design.name == "exactly half":
            notes.append(
                "every record is in exactly half of the models, which ties the attacked models to "
                "their references"
            )
        if not known.all():
            notes.append(
                f"{int((~known).sum())} records have too few reference models: their score is 0"
            )
        saturated = 0 if self.kind == "log-odds" else _saturated(self.signals, self.kind)
        if saturated:
            notes.append(
                f"{saturated} probabilities are 0 or 1: they count as the nearest ones that "
                f"{self.signals.dtype} holds"
            )
        return ScoreTable(
            scores,
            self.member[references.targets],
            present=None if self.present is None else self.present[references.targets],
            records=self.records,
            models=None if names is None else names[references.targets],
            attributes=self.attributes,
            sampling=self.sampling if valid else "unknown",
            name=self._named(attack),
            notes=tuple(notes),
            seed=self.seed,
        )

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        return (
            f"SignalTable({name}{self.n_models} models, {self.n_records} records, {self.kind}, "
            f"design={self.design.name!r}, sampling={self.sampling!r})"
        )


def log_odds(signals: NDArray[np.float64], kind: str, dtype: DTypeLike) -> NDArray[np.float64]:
    """Log-odds log p − log(1 − p) of signals of a kind.

    Parameters
    ----------
    signals : ndarray
    kind : str
        One of `SIGNAL_KINDS`.
    dtype : dtype
        Of the signals as they were given: 0 and 1 count as the nearest probabilities it holds.
    """
    if kind == "log-odds":
        return signals
    below_one = np.finfo(dtype).eps / 2
    if kind == "loss":
        loss = np.maximum(signals, below_one)
        odds = -loss - np.log(-np.expm1(-loss))
        return np.maximum(odds, np.log(np.finfo(dtype).smallest_subnormal))
    p = np.clip(signals, np.finfo(dtype).smallest_subnormal, 1 - below_one)
    return np.log(p) - np.log1p(-p)


def probability(signals: NDArray[np.float64], kind: str, dtype: DTypeLike) -> NDArray[np.float64]:
    """Probabilities of the true class, above 0, of signals of a kind.

    Parameters
    ----------
    signals, kind, dtype
        As of `log_odds`.
    """
    p = signals
    if kind == "log-odds":
        p = expit(signals)
    if kind == "loss":
        p = np.exp(-signals)
    return np.maximum(p, np.finfo(dtype).smallest_subnormal)


def _saturated(signals: NDArray[Any], kind: str) -> int:
    """How many signals say that a probability is 0 or 1."""
    ends = (0, np.inf) if kind == "loss" else (0, 1)
    return sum(int(np.count_nonzero(signals == end)) for end in ends)


def _of_records(signals: NDArray[Any]) -> NDArray[Any]:
    """The signals, if their last axis is not certainly one of classes."""
    signals = _checks.listed(signals, "signals")
    if np.ndim(signals) == 3 and (kind := output_kind(np.asarray(signals, dtype=float))):
        raise ScoresError(
            f"signals of shape {np.shape(signals)} are {kind} of {np.shape(signals)[2]} classes, "
            "not of augmentations; a signal is that of the true class: give its probability with "
            "kind='probability', or its log-odds"
        )
    return signals


def _population(values: ArrayLike, table: SignalTable) -> NDArray[Any]:
    signals = _checks.array(values, "population")
    if signals.ndim != 2 or signals.shape[0] != table.n_models or signals.shape[1] < 1:
        raise ScoresError(
            f"population has the shape {signals.shape}; give one row of signals for each of "
            f"{table.n_models} models"
        )
    _check_range(signals, table.kind, "population")
    signals.flags.writeable = False
    return signals


def _check_range(signals: NDArray[Any], kind: str, what: str) -> None:
    least, most = SIGNAL_KINDS[kind]
    lowest, highest = np.nanmin(signals), np.nanmax(signals)
    if lowest < least or highest > most:
        bad = lowest if lowest < least else highest
        raise ScoresError(
            f"{what} of the kind {kind!r} lie in [{least:g}, {most:g}], got {bad:g}; kinds are "
            f"{', '.join(map(repr, SIGNAL_KINDS))}"
        )
    if kind == "log-odds" and not np.isfinite([lowest, highest]).all():
        raise ScoresError(
            f"{what} have infinite log-odds, which models whose probabilities are rounded to 0 or "
            "1 give: compute them from the logits, or give kind='probability'"
        )
