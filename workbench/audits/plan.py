"""`RegisteredPlan`: the choices of an audit, written down before any score was seen."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Self

from workbench import _json


@dataclass(frozen=True)
class RegisteredPlan:
    """The choices of an audit, written down before any score was seen.

    Parameters
    ----------
    name : str
    data : str
        Where the scores will come from, in words.
    created : datetime
        When it was stored.
    larger_is_member : bool
        Direction of the score.
    sampling, cluster_rule : str
        As of `workbench.Scores`.
    threshold : float, optional
    bins : mapping, optional
        Arguments of `workbench.histogram`, such as ``{"bins": 20, "range": [0, 1]}``.
    delta, confidence : float
    interval : str
        As of `workbench.epsilon_lower_bound`.
    claim : str
        Text of `workbench.parse_claim`; "" for none.
    n_p, n_q : int, optional
        Sample sizes.
    stopping : {"fixed", "anytime"}
        Whether the sizes are fixed, or the audit may end at any time.
    key : str
        Names it in its workspace; "" until it is stored.
    """

    name: str
    data: str
    created: datetime
    larger_is_member: bool = True
    sampling: str = "unknown"
    cluster_rule: str = "mean"
    threshold: float | None = None
    bins: Mapping[str, Any] | None = None
    delta: float = 1e-5
    confidence: float = 0.95
    interval: str = "joint"
    claim: str = ""
    n_p: int | None = None
    n_q: int | None = None
    stopping: str = "fixed"
    key: str = ""

    @property
    def sha256(self) -> str:
        """Hash of all choices and of the time."""
        values = {name: value for name, value in self.to_dict().items() if name != "key"}
        return hashlib.sha256(_json.dumps(values, sort_keys=True).encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        bins = None if self.bins is None else dict(self.bins)
        return {**asdict(self), "bins": bins, "created": self.created.isoformat()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The plan that `to_dict` described."""
        return cls(**{**values, "created": datetime.fromisoformat(values["created"])})


@dataclass(frozen=True)
class Deviation:
    """A choice of an audit that is not the one of its plan.

    Parameters
    ----------
    what : str
        Such as "the threshold".
    planned, done : str
    voids : bool
        Whether bounds that rest on the plan lose their guarantee by it.
    """

    what: str
    planned: str
    done: str
    voids: bool = True
