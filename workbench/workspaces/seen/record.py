"""`SeenRecord`: what was shown of one data set, when, and what had been fixed before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from workbench._json import JsonObject
from workbench.scores.chance import DISTINCTIVE
from workbench.workspaces.seen.sketch import RowSketch

#: Showings with different choices that are kept of a data set; the first ones.
MOST_SHOWINGS = 100


@dataclass(frozen=True)
class Showing:
    """Results that were shown under the same choices for the first time.

    Parameters
    ----------
    at : str
        The time, as `datetime.isoformat` writes it.
    by : str
        Who showed them, such as "page scores".
    choices : mapping
        The choices that the results rest on, by name: "confidence", "ordering", "question", ….
    results : tuple of str
        Names of the results.
    """

    at: str
    by: str
    choices: Mapping[str, Any] = field(hash=False)
    results: tuple[str, ...] = ()


@dataclass(frozen=True)
class Alike:
    """Other data that share most rows with these.

    Parameters
    ----------
    digest : str
        Of the other data.
    share : float
        Share of these rows that are rows of the other data, about.
    how : {"", "rescaled", "exchanged"}
        Whether they are in other units, or with members and non-members exchanged.
    """

    digest: str
    share: float
    how: str = ""


@dataclass(frozen=True)
class SeenRecord:
    """What was shown of one data set.

    Parameters
    ----------
    digest : str
        What the data are known by: their ranks; see `workbench.scores.chance.Fingerprint`.
    opened : datetime
        When they were opened for the first time.
    name, sha256 : str
        The name, and the hash of the content, that they had then.
    bits : float
        As of `Fingerprint`.
    seed : int or None
        The number that the data were given by chance.
    stated : bool
        Whether the number was stated, not drawn.
    shown : datetime or None
        When the first result was shown.
    first : mapping
        The choices under which it was shown: they were fixed in advance.
    showings : tuple of Showing
        The showings under different choices, the first one first.
    alike : tuple of Alike
    sketch : RowSketch or None
    """

    digest: str
    opened: datetime
    name: str = ""
    sha256: str = ""
    bits: float = float("inf")
    seed: int | None = None
    stated: bool = False
    shown: datetime | None = None
    first: Mapping[str, Any] = field(default_factory=dict, hash=False)
    showings: tuple[Showing, ...] = ()
    alike: tuple[Alike, ...] = ()
    sketch: RowSketch | None = None

    @property
    def is_distinctive(self) -> bool:
        """Whether equal ranks mean equal data."""
        return self.bits >= DISTINCTIVE

    @property
    def called(self) -> str:
        """The data in words: their name, or the start of what they are known by."""
        return f"“{self.name}”" if self.name else f"data {self.digest[:8]}"

    def merged(self, other: SeenRecord) -> SeenRecord:
        """What is known with what another program, or a later showing, adds.

        Parameters
        ----------
        other : SeenRecord
            Of the same data. What was first stays: it gives way only to an earlier time. A seed
            that is stated takes the place of another one as long as no result was shown.
        """
        before, after = (other, self) if other.opened < self.opened else (self, other)
        takes = other.seed is not None and (
            self.seed is None or (other.stated and self.shown is None)
        )
        earliest, later = (self, other) if _is_first(self, other) else (other, self)
        known = {(one.by, str(one.choices)) for one in self.showings}
        showings = [
            *self.showings,
            *(o for o in other.showings if (o.by, str(o.choices)) not in known),
        ]
        alike = {one.digest: one for one in (*other.alike, *self.alike)}
        return replace(
            self,
            opened=before.opened,
            name=before.name or after.name,
            sha256=before.sha256 or after.sha256,
            seed=other.seed if takes else self.seed,
            stated=other.stated if takes else self.stated,
            shown=earliest.shown,
            first={**later.first, **earliest.first},
            showings=tuple(showings[:MOST_SHOWINGS]),
            alike=tuple(alike.values()),
            sketch=self.sketch or other.sketch,
        )

    def to_json(self) -> JsonObject:
        """All but the digest and the sketch, as JSON values."""
        return {
            "opened": self.opened.isoformat(),
            "name": self.name,
            "sha256": self.sha256,
            "bits": min(self.bits, 1e300),
            "seed": self.seed,
            "stated": self.stated,
            "shown": None if self.shown is None else self.shown.isoformat(),
            "first": dict(self.first),
            "looks": [asdict(one) for one in self.showings],
            "alike": [asdict(one) for one in self.alike],
        }

    @classmethod
    def from_json(cls, digest: str, values: Mapping[str, Any], sketch: Any = None) -> SeenRecord:
        """The record of `to_json`.

        Parameters
        ----------
        digest : str
        values : mapping
        sketch : list, optional
            As of `RowSketch.to_json`.
        """
        shown = values["shown"]
        return cls(
            digest,
            datetime.fromisoformat(values["opened"]),
            values["name"],
            values["sha256"],
            values["bits"],
            values["seed"],
            values["stated"],
            None if shown is None else datetime.fromisoformat(shown),
            values["first"],
            tuple(Showing(**{**one, "results": tuple(one["results"])}) for one in values["looks"]),
            tuple(Alike(**one) for one in values["alike"]),
            None if sketch is None else RowSketch.from_json(sketch),
        )


def _is_first(one: SeenRecord, other: SeenRecord) -> bool:
    """Whether results of one were shown no later than those of the other."""
    return other.shown is None or (one.shown is not None and one.shown <= other.shown)
