"""`Layout`: which columns of a table hold the scores of P and of Q."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.scores.table import is_unnamed

Kind = Literal["two columns", "score and label", "one file per group"]


@dataclass(frozen=True)
class Layout:
    """Columns of the scores of P and of Q.

    Parameters
    ----------
    kind : {"two columns", "score and label", "one file per group"}
        Which of the fields below are used.
    p, q : str or None
        Columns of the two sides ("two columns"; "one file per group", in the first and the second
        file).
    score, member : str or None
        Columns of the scores and of their labels ("score and label").
    member_value : str or None
        The label of P; every other row belongs to Q. None where it is unknown.
    cluster : str or None
        Column of the labels of scores that belong together; in both files where there are two.
    rows : str or None
        The rows that are used, as "attack=loss": those with this value in this column. All by
        default.
    """

    kind: Kind
    p: str | None = None
    q: str | None = None
    score: str | None = None
    member: str | None = None
    member_value: str | None = None
    cluster: str | None = None
    rows: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of scores."""
        return tuple(name for name in (self.p, self.q, self.score) if name is not None)

    def describe(self) -> str:
        """The layout as a sentence."""
        clusters = f"; clusters = column '{self.cluster}'" if self.cluster is not None else ""
        clusters += f"; only rows with {self.rows}" if self.rows is not None else ""
        if self.kind == "score and label":
            value = "still to be chosen" if self.member_value is None else f"'{self.member_value}'"
            return (
                f"P = rows of '{self.score}' whose '{self.member}' is {value}, "
                f"Q = all other rows{clusters}"
            )
        if self.kind == "one file per group":
            return (
                f"P = column '{self.p}' of the first file, "
                f"Q = column '{self.q}' of the second file{clusters}"
            )
        order = ""
        if is_unnamed(str(self.p)) and is_unnamed(str(self.q)):
            order = " (the columns have no names: the first is taken as P)"
        return f"P = column '{self.p}', Q = column '{self.q}'{order}{clusters}"
