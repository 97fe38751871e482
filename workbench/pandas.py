"""Audits of data frames: ``df.audit`` and ``df.wb`` after ``import workbench.pandas``.

``df.audit(score="loss", member="split")`` takes the columns of a frame as scores and answers with
bounds, verdicts and charts; ``df.audit.table(...)`` takes them as scores of many records under many
models. Columns are read as `read_scores` and `read_score_table` read files: what is in doubt is
asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

import workbench as wb
from workbench import _checks
from workbench._frames import named_columns
from workbench._markup import table
from workbench.scores.files import read_scores
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    from workbench.bounds.bound import Bound
    from workbench.bounds.power.verdict import Verdict
    from workbench.bounds.simultaneous.band import TradeoffBand
    from workbench.claims.base import Claim
    from workbench.estimators.histogram import Histogram
    from workbench.estimators.roc import Roc
    from workbench.pairs.base import Pair
    from workbench.tables.attacks.signals import SignalTable
    from workbench.tables.table import ScoreTable

#: Arguments of the readers that name a column.
_COLUMNS = ("p", "q", "score", "member", "cluster", "model", "record")


@pd.api.extensions.register_dataframe_accessor("wb")
class Accessor:
    """The workbench's view of a DataFrame."""

    def __init__(self, frame: pd.DataFrame):
        self._frame = frame

    def scores(self, **how: Any) -> Scores:
        """The frame's columns as `Scores`.

        Parameters
        ----------
        **how
            As in `read_scores`: ``score=`` and ``member=`` (with ``member_value=`` where it is not
            plain which label means member), or ``p=`` and ``q=``; ``cluster=``,
            ``larger_is_member=``, ``sampling=``, …

        Returns
        -------
        Scores

        Raises
        ------
        ScoresError
            The layout is in doubt, or the scores cannot be audited.
        ValueError
            A column that the frame lacks; the message names those like it.

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench.pandas
        >>> df = pd.DataFrame({"loss": [0.1, 0.9, 0.2, 0.7], "in": [1, 0, 1, 0]})
        >>> df.wb.scores(score="loss", member="in", larger_is_member=False).n_p
        2
        """
        _check(self._frame, how)
        return read_scores(self._frame, **how)


@pd.api.extensions.register_dataframe_accessor("audit")
class AuditAccessor:
    """Audits of a DataFrame: ``df.audit(...)`` of scores, ``df.audit.table(...)`` of records."""

    def __init__(self, frame: pd.DataFrame):
        self._frame = frame

    def __call__(self, **how: Any) -> AuditedFrame:
        """The audit of the frame's scores.

        Parameters
        ----------
        **how
            As in `read_scores`: ``score=`` and ``member=`` (with ``member_value=`` where it is not
            plain which label means member), or ``p=`` and ``q=``; ``cluster=``,
            ``larger_is_member=``, ``sampling=``, … The direction of scores called losses has to be
            stated by ``larger_is_member=False``; otherwise a warning says that they look as if
            they were read the wrong way.

        Returns
        -------
        AuditedFrame

        Raises
        ------
        ScoresError
            The layout is in doubt, or the scores cannot be audited.
        ValueError
            A column that the frame lacks; the message names those like it.

        Examples
        --------
        >>> import pandas as pd
        >>> import workbench.pandas
        >>> p, q = wb.GaussianPair(2.0).sample(500, seed=1)
        >>> df = pd.DataFrame({"loss": [*-p, *-q], "split": ["train"] * 500 + ["test"] * 500})
        >>> audited = df.audit(score="loss", member="split", larger_is_member=False)
        >>> audited.verdict("gdp(1)").verdict
        'refuted'
        """
        return AuditedFrame(Accessor(self._frame).scores(**how))

    def table(
        self,
        *,
        model: str | None = None,
        record: str | None = None,
        score: str | None = None,
        member: str | None = None,
        **how: Any,
    ) -> ScoreTable | SignalTable:
        """The frame in long form as scores of records under models.

        Parameters
        ----------
        model, record, score, member : str, optional
            Its columns, where their names do not say it.
        **how
            As in `read_score_table`: ``larger_is_member=``, ``member_value=``, ``sampling=``, …

        Returns
        -------
        ScoreTable

        Raises
        ------
        ScoresError
            The layout or its parts are in doubt, or the table cannot be audited.
        ValueError
            A column that the frame lacks; the message names those like it.

        Examples
        --------
        >>> import numpy as np, pandas as pd
        >>> import workbench.pandas
        >>> rng = np.random.default_rng(0)
        >>> df = pd.DataFrame({"run": np.repeat(np.arange(20), 3), "row": list("abc") * 20})
        >>> df["in"] = rng.random(60) < 0.5
        >>> df["score"] = rng.normal(size=60) + 2 * df["in"]
        >>> df.audit.table(model="run", record="row", score="score", member="in").n_records
        3
        """
        columns = {"model": model, "record": record, "score": score, "member": member}
        _check(self._frame, columns)
        columns["scores"] = columns.pop("score")
        given: dict[str, Any] = {
            name: column for name, column in columns.items() if column is not None
        }
        if given:
            how = {"layout": "long"} | how
        return wb.read_score_table(self._frame, **given, **how)


@dataclass(frozen=True, eq=False, repr=False)
class AuditedFrame:
    """Scores of a frame, with what they show. Made by ``df.audit(...)``.

    Attributes
    ----------
    scores : Scores
    """

    scores: Scores

    def __post_init__(self) -> None:
        _checks.fields(self)

    def epsilon(self, delta: float, **how: Any) -> Bound:
        """Lower bound on ε at δ; see `epsilon_lower_bound` for ``guarantee=`` and the like."""
        return wb.epsilon_lower_bound(self.scores, delta, **how)

    def mu(self, **how: Any) -> Bound:
        """Lower bound on μ; see `mu_lower_bound`."""
        return wb.mu_lower_bound(self.scores, **how)

    def band(self, confidence: float = 0.95) -> TradeoffBand:
        """Simultaneous bounds on the trade-off function; see `tradeoff_band`."""
        return wb.tradeoff_band(self.scores, confidence)

    def verdict(self, claim: str | Claim | Pair, confidence: float = 0.95) -> Verdict:
        """What the scores say about a claim, such as "approx(2, 1e-5)"; see `judge`."""
        return wb.judge(self.scores, claim, confidence)

    def histogram(self, **how: Any) -> Histogram:
        """Histogram of both groups; see `histogram`."""
        return wb.histogram(self.scores, **how)

    def roc(self) -> Roc:
        """Empirical receiver operating curve; see `roc`."""
        return wb.roc(self.scores)

    def explore(self, **how: Any) -> Any:
        """The interactive page of the scores in a notebook; see `explore`."""
        return wb.explore(self.scores, **how)

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Lower bounds on μ and on the total variation, at all thresholds at once, 95%."""
        band = self.band()
        return band.mu(), band.total_variation()

    def to_frame(self) -> pd.DataFrame:
        """One row for each of the `bounds`."""
        return pd.concat([bound.to_frame() for bound in self.bounds], ignore_index=True)

    def __repr__(self) -> str:
        return f"AuditedFrame({self.scores!r})"

    def _repr_html_(self) -> str:
        rows = [(b.symbol, f"{b.relation} {b.rounded}") for b in self.bounds]
        shown = table("At all thresholds at once", rows, " · ".join(self.bounds[0].terms))
        return self.scores._repr_html_() + shown


def _check(frame: pd.DataFrame, how: dict[str, Any]) -> None:
    named_columns(frame, [(name, how.get(name)) for name in _COLUMNS])
