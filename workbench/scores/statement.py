"""`ScoreStatement`: what a file that the workbench wrote states of its own scores."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from workbench import _checks, _json
from workbench._json import JsonObject
from workbench.scores.refusals import check_parser
from workbench.scores.sample import SAMPLINGS, ScoresError

if TYPE_CHECKING:
    from workbench.scores.table import DataTable

#: Clusters are given with their labels.
SAMPLINGS_WITHOUT_CLUSTERS = tuple(one for one in SAMPLINGS if one != "clustered")

#: Where it is among the metadata of a parquet file.
KEY = b"workbench scores"


@dataclass(frozen=True)
class ScoreStatement:
    """What a file states of its scores; readers take it where nobody states otherwise.

    Parameters
    ----------
    larger_is_member : bool, optional
        As in `Scores`; None where the file states nothing.
    sampling : {"independent runs", "one run", "given", "unknown"}
        As in `Scores`.
    design : str
        As in `OneRun`; "" for other scores.
    name : str
        Shown in titles; "" for that of the file.
    table : bool
        Whether the rows are those of a `ScoreTable`: its sampling is that of the models, and rows
        of one model are not independent.

    Raises
    ------
    ScoresError
        A value that is none of these.
    """

    larger_is_member: bool | None = None
    sampling: str = "unknown"
    design: str = ""
    name: str = ""
    table: bool = False

    def __post_init__(self) -> None:
        try:
            if self.larger_is_member is not None:
                _checks.flag(self.larger_is_member, "larger_is_member")
            _checks.one_of(self.sampling, "sampling", SAMPLINGS_WITHOUT_CLUSTERS)
            _checks.text(self.design, "design")
            _checks.text(self.name, "name")
            _checks.flag(self.table, "table")
        except (TypeError, ValueError) as error:
            raise ScoresError(f"a file states of its scores what they cannot be: {error}") from None

    @classmethod
    def of(cls, tables: Sequence[DataTable]) -> Self:
        """What the one table states of scores; of two files, none speaks for both.

        Raises
        ------
        ScoresError
            It states that it is a score table.
        """
        if len(tables) != 1:
            return cls()
        return cls.from_dict(tables[0].statement).of_scores(tables[0].label)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The statement of `to_dict`.

        Raises
        ------
        ScoresError
            Other names or values.
        """
        unknown = sorted(set(values) - {field.name for field in fields(cls)})
        if unknown:
            raise ScoresError(f"a file states {unknown[0]!r} of its scores, which is not known")
        return cls(**values)

    def to_dict(self) -> JsonObject:
        """What is stated, as JSON values."""
        return {k: v for k, v in asdict(self).items() if v != getattr(NOTHING, k)}

    @property
    def metadata(self) -> dict[bytes, bytes]:
        """The statement as metadata of a parquet file."""
        return {KEY: _json.dumps_ascii(self.to_dict()).encode()}

    def describe(self) -> str:
        """The statement as a phrase; "" where nothing is stated."""
        parts = []
        if self.larger_is_member is not None:
            parts.append(f"{'larger' if self.larger_is_member else 'smaller'} = member")
        if self.sampling != "unknown":
            parts.append(self.sampling)
        if self.design:
            parts.append(self.design)
        return f"the file states: {', '.join(parts)}" if parts else ""

    def of_scores(self, label: str) -> Self:
        """The statement, where it is not that of a score table.

        Parameters
        ----------
        label : str
            What messages call the file.

        Raises
        ------
        ScoresError
            It is.
        """
        if self.table:
            raise ScoresError(
                f"{label} holds a score table of many models and records; read it with "
                "wb.read_score_table"
            )
        return self

    def stated_direction(self, given: bool | None) -> bool | None:
        """The direction that a person gives, or else the file; None where neither does."""
        return self.larger_is_member if given is None else given

    def direction(self, given: bool | None) -> bool:
        """The direction of the scores; what a person gives comes first, and True last."""
        return next(one for one in (given, self.larger_is_member, True) if one is not None)

    def sampling_or(self, given: str) -> str:
        """The sampling of the scores; what a person gives comes first."""
        return self.sampling if given == "unknown" else given


#: What a file states that no program of the workbench wrote.
NOTHING = ScoreStatement()


def stated_in(metadata: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    """What the metadata of a parquet file state; {} where they state nothing.

    Raises
    ------
    ScoresError
        They cannot be understood.
    """
    content = (metadata or {}).get(KEY)
    if content is None:
        return {}
    try:
        found = _json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ScoresError(f"what a file states of its scores is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise ScoresError("what a file states of its scores is no object")
    return ScoreStatement.from_dict(found).to_dict()


def statement_in(source: Any) -> ScoreStatement:
    """What a parquet file states of its scores, without reading a row.

    Parameters
    ----------
    source : object
        Its path; of anything else nothing is stated.

    Raises
    ------
    ScoresError
        It cannot be understood.
    """
    if not isinstance(source, str | os.PathLike) or not os.path.isfile(source):
        return NOTHING
    if Path(source).suffix.lower() != ".parquet":
        return NOTHING
    check_parser(Path(source).name)
    import pyarrow as pa
    from pyarrow import parquet

    try:
        metadata = parquet.read_schema(source).metadata
    except (OSError, pa.ArrowException):  # who reads the rows says what is wrong
        return NOTHING
    return ScoreStatement.from_dict(stated_in(metadata))
