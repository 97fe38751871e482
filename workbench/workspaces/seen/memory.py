"""`SeenData`: what was shown of the data of a workspace, whatever showed it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from threading import RLock
from typing import Any, Protocol

from workbench.scores import chance
from workbench.scores.sample import Scores
from workbench.workspaces.seen.identity import Identified, exchanged, fingerprint_of
from workbench.workspaces.seen.record import Alike, SeenRecord, Showing
from workbench.workspaces.seen.sketch import MOST, RowSketch

#: Draws and runs that are remembered until the program ends; the newest ones.
MOST_PASSING = 2000

#: Choices that every result rests on, where who shows it does not offer another one.
USUAL: Mapping[str, Any] = {
    "confidence": 0.95,
    "ordering": "score",
    "interval": "joint",
    "question": "",
}


class StoredSeen(Protocol):
    """Where the records are kept."""

    def get(self, digest: str) -> SeenRecord | None:
        """The record of a data set, or None."""

    def sketched(self) -> Sequence[SeenRecord]:
        """The records that have a sketch."""

    def put(self, seen: SeenRecord, make: bool = True) -> SeenRecord:
        """The record with what is known already, kept; if there is no place yet, if ``make``."""


@dataclass(frozen=True)
class Sight:
    """Data in view.

    Parameters
    ----------
    data : Scores, ScoreTable or Fingerprint
    name, sha256 : str
        As people call them, and the hash of their content; "" where there is none.
    kept : {"store", "there", "passing"}
        Where it is remembered that they were seen: in the store; there only if there is one
        already; or until the program ends, which is for draws and runs that anybody can repeat.
    """

    data: Identified
    name: str = ""
    sha256: str = ""
    kept: str = "store"

    @cached_property
    def digest(self) -> str:
        """What the data are known by."""
        return fingerprint_of(self.data).digest


class SeenData:
    """What was shown of which data, known by the ranks of their scores.

    Parameters
    ----------
    store : StoredSeen
    lock : RLock
        Held while the store is used.
    """

    def __init__(self, store: StoredSeen, lock: RLock):
        self._store, self._lock = store, lock
        self._passing: OrderedDict[str, SeenRecord] = OrderedDict()

    def of(self, data: Identified) -> SeenRecord | None:
        """The record of data; None where nothing of them was opened.

        Returns
        -------
        SeenRecord or None
            Where results of other data were shown that share most rows, and none of these, with the
            choices under which those were shown.
        """
        found = self._find(fingerprint_of(data).digest)
        return None if found is None else self._inherited(found)

    def was_shown(self, data: Identified) -> bool:
        """Whether results of data were shown before, or of data that share most rows."""
        found = self.of(data)
        return found is not None and found.shown is not None

    def open(self, sight: Sight, at: datetime | None = None, seed: int | None = None) -> SeenRecord:
        """Note that data are opened: their number by chance is drawn, their rows are recognized.

        Parameters
        ----------
        sight : Sight
        at : datetime, optional
            When; now by default.
        seed : int, optional
            A number that was stated for them.
        """
        found, data = self._find(sight.digest), sight.data
        if found is not None:
            if isinstance(data, Scores) and found.seed is not None:
                chance.remember(data.fingerprint, found.seed)
            if at is None and (seed in (None, found.seed) or found.shown is not None):
                return found
        mark = fingerprint_of(data)
        made = SeenRecord(mark.digest, at or datetime.now(UTC), sight.name, sight.sha256, mark.bits)
        if isinstance(data, Scores):
            given = seed
            if seed is None and data.seed is not None:
                given = data.chance  # the stated one
            if found is None or seed is not None:
                stated = given is not None
                made = replace(made, seed=given if stated else data.chance, stated=stated)
            if found is None:
                made = self._recognized(data, made, sight)
        return self._keep(made, sight)

    def show(
        self, sight: Sight, choices: Mapping[str, Any], by: str, results: Sequence[str] = ()
    ) -> SeenRecord:
        """Note that results are shown; the first choices of all stay in the record.

        Parameters
        ----------
        sight : Sight
        choices : mapping
            What the results rest on, by name.
        by : str
            Who shows them, such as "page scores".
        results : sequence of str
            Their names.
        """
        known = self._inherited(self.open(sight))
        now = datetime.now(UTC)
        chosen = {**USUAL, **choices}
        showing = Showing(now.isoformat(), by, dict(chosen), tuple(results))
        first = {k: v for k, v in {**chosen, **known.first}.items() if v is not None}
        made = replace(known, shown=known.shown or now, first=first, showings=(showing,))
        return self._keep(replace(made, seed=None, stated=False), sight)

    def others(self, found: SeenRecord) -> list[tuple[Alike, SeenRecord]]:
        """The records of other data that share most rows with these."""
        with self._lock:
            known = [(one, self._find(one.digest)) for one in found.alike]
        return [(one, record) for one, record in known if record is not None]

    # -- steps --------------------------------------------------------------------------------

    def _find(self, digest: str) -> SeenRecord | None:
        with self._lock:
            return self._passing.get(digest) or self._store.get(digest)

    def _inherited(self, found: SeenRecord) -> SeenRecord:
        """With the choices of data that share most rows, where those were shown first."""
        if found.shown is not None:
            return found
        shown = [other for _, other in self.others(found) if other.shown is not None]
        if not shown:
            return found
        first = min(shown, key=lambda one: one.shown or found.opened)
        return replace(found, shown=first.shown, first=first.first)

    def _recognized(self, scores: Scores, made: SeenRecord, sight: Sight) -> SeenRecord:
        """With the other data that share most rows, each of which is told of these."""
        if not scores.fingerprint.is_distinctive or sight.kept == "passing":
            return made
        alike = []
        turned = self._find(exchanged(scores))
        if turned is not None and turned.digest != made.digest:
            alike.append((Alike(turned.digest, 1.0, "exchanged"), turned, 1.0))
        sketch = RowSketch.of(scores)
        if sketch is not None:
            with self._lock:
                others = [one for one in self._store.sketched() if one.digest != made.digest]
            for one in others:
                share, rescaled = sketch.shared(one.sketch)  # type: ignore[arg-type]
                back, _ = one.sketch.shared(sketch)  # type: ignore[union-attr]
                if max(share, back) >= MOST:
                    how = "rescaled" if rescaled else ""
                    alike.append((Alike(one.digest, share, how), one, back))
        for mine, other, back in alike:
            if back >= MOST:
                back_again = (Alike(made.digest, back, mine.how),)
                note = replace(other, alike=back_again, seed=None, stated=False)
                self._keep(note, replace(sight, data=_mark(other)))
        mostly = tuple(mine for mine, _, _ in alike if mine.share >= MOST)
        return replace(made, alike=mostly, sketch=sketch)

    def _keep(self, made: SeenRecord, sight: Sight) -> SeenRecord:
        with self._lock:
            if sight.kept == "passing":
                known = self._passing.get(made.digest)
                found = self._passing[made.digest] = known.merged(made) if known else made
                while len(self._passing) > MOST_PASSING:
                    self._passing.popitem(last=False)
            else:
                found = self._store.put(made, sight.kept == "store")
        if found.seed is not None and isinstance(sight.data, Scores):
            chance.remember(sight.data.fingerprint, found.seed)
        return found


def _mark(seen: SeenRecord) -> chance.Fingerprint:
    return chance.Fingerprint(seen.digest, seen.bits)
