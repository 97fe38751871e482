"""`Reading`: how the tables of a data set are read as scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from workbench import _checks
from workbench._json import JsonObject
from workbench.scores.layouts.layout import Layout
from workbench.scores.sample import CLUSTER_RULES, NON_FINITE, SAMPLINGS, assumption_of
from workbench.workspaces.errors import WorkspaceError

#: What messages call the fields of a layout that may differ.
_OF_LAYOUT = {
    "kind": "the layout",
    "p": "the column",
    "q": "the column",
    "score": "the column",
    "member": "the column",
    "member_value": "the label",
    "cluster": "the cluster column",
    "rows": "the rows that are used",
}

#: What messages call the other fields that may change scores.
_OTHER = {"nonfinite": "the treatment of non-finite scores", "cluster_rule": "the cluster rule"}


@dataclass(frozen=True)
class Reading:
    """Which columns hold the scores, and what the scores mean.

    Parameters
    ----------
    layout : Layout or None
        None where there are no tables: bundled examples and draws.
    larger_is_member, sampling, cluster_rule, nonfinite
        As in `Scores`.
    seed : int, optional
        The number that the scores were given by chance: splits follow from it.

    Raises
    ------
    ValueError
        A value that `Scores` does not take.
    """

    layout: Layout | None = None
    larger_is_member: bool = True
    sampling: str = "unknown"
    cluster_rule: str = "mean"
    nonfinite: str = "keep"
    seed: int | None = None

    def __post_init__(self) -> None:
        _checks.flag(self.larger_is_member, "larger_is_member")
        _checks.one_of(self.sampling, "sampling", SAMPLINGS)
        _checks.one_of(self.cluster_rule, "cluster_rule", CLUSTER_RULES)
        _checks.one_of(self.nonfinite, "nonfinite", NON_FINITE)
        if self.seed is not None:
            _checks.count(self.seed, "seed")

    @property
    def arguments(self) -> dict[str, Any]:
        """All but the layout, as arguments of `scores_from_tables`."""
        return {
            "larger_is_member": self.larger_is_member,
            "sampling": self.sampling,
            "cluster_rule": self.cluster_rule,
            "nonfinite": self.nonfinite,
            "seed": self.seed,
        }

    def to_dict(self) -> JsonObject:
        """The reading as JSON values."""
        layout = None if self.layout is None else asdict(self.layout)
        if layout is not None and layout["rows"] is None:  # as before there was a choice of rows
            del layout["rows"]
        return {"layout": layout, **self.arguments}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Reading:
        """The reading of `to_dict`.

        Raises
        ------
        WorkspaceError
            Other names or values.
        """
        try:
            layout = values["layout"]
            named = {name: value for name, value in values.items() if name != "layout"}
            return cls(layout=None if layout is None else Layout(**layout), **named)
        except (TypeError, KeyError, ValueError) as error:
            raise WorkspaceError(
                f"this is not how a data set is read: {_checks.shown(values)} ({error})"
            ) from error

    def describe(self) -> str:
        """The reading as a sentence."""
        parts = [self.layout.describe()] if self.layout is not None else []
        parts.append(f"{'larger' if self.larger_is_member else 'smaller'} = member")
        parts.append(assumption_of(self.sampling))
        if self.layout is not None and self.layout.cluster is not None:
            parts.append(f"clusters combined by {self.cluster_rule}")
        if self.nonfinite == "drop":
            parts.append("non-finite scores dropped")
        if self.seed is not None:
            parts.append(f"seed {self.seed}")
        return " · ".join(parts)

    def changed_choice(self, other: Reading) -> str:
        """The first choice of the other reading that is different and may change scores.

        Returns
        -------
        str
            In words: "the direction of the score"; "" if there is none.
        """
        if self.larger_is_member != other.larger_is_member:
            return "the direction of the score"
        if self.layout != other.layout:
            for name, words in _OF_LAYOUT.items():
                if getattr(self.layout, name, None) != getattr(other.layout, name, None):
                    return words
        for name, words in _OTHER.items():
            if getattr(self, name) != getattr(other, name):
                return words
        return ""
