"""`Following`: anytime bounds of a score file that grows, and a claim that is tested."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Any, Protocol

import numpy as np

from workbench import _checks
from workbench.bounds.anytime.anytime import AnytimePath, out_of_order
from workbench.bounds.anytime.growing import GrowingCounts, GrowingEvidence, GrowingPath
from workbench.bounds.anytime.monitoring import BettingCounts
from workbench.bounds.bound import Bound
from workbench.claims.base import Claim
from workbench.curves.validation import Floats
from workbench.following.evidence import ClaimEvidence, ClaimLines
from workbench.following.state import FollowState
from workbench.scores.growing.growing_file import NewRows
from workbench.scores.layouts.direction import proposed_direction
from workbench.scores.layouts.layout import Layout
from workbench.scores.ordered import oriented
from workbench.scores.sample import Scores, ScoresError
from workbench.scores.statement import SAMPLINGS_WITHOUT_CLUSTERS

#: As of `Scores`, but for clusters, which are complete only at the end.

#: The δ of ε where the claim names none.
DELTA = 1e-5

#: Bounds at other settings that are kept up to date.
MOST_PATHS = 16


class RowSource(Protocol):
    """Where rows come from: a `GrowingFile`, or a program that feeds them."""

    path: Path

    @property
    def left_out(self) -> int:
        """As of `GrowingFile`."""

    @property
    def name(self) -> str:
        """Shown in titles."""

    @property
    def layout(self) -> Layout | None:
        """Where the scores are in the file; None if there is no file."""

    @property
    def waits(self) -> str:
        """As of `GrowingFile`."""

    @property
    def stopped(self) -> str:
        """As of `GrowingFile`."""

    @property
    def notes(self) -> tuple[str, ...]:
        """As of `GrowingFile`."""

    def new_rows(self) -> NewRows:
        """The scores since the last call."""


class Following:
    """Anytime bounds of a score file that grows, and a claim that is tested.

    All methods may be called from any thread.

    Parameters
    ----------
    file : GrowingFile or another source of rows
    claim : Claim, optional
        Tested at every look; fixed before the rows are seen.
    delta : float, optional
        Of the bound on ε; by default the one that the claim names, or 1e-5.
    confidence : float
        In (0.5, 1): of each bound, and of the test.
    larger_is_member : bool, optional
        True by default, with a note where a name such as ``loss`` suggests otherwise.
    sampling : {"unknown", "independent runs", "one run", "given"}
        As of `Scores`.

    Notes
    -----
    Whatever is shown may be looked at, acted on and announced at any moment: each bound holds at
    all looks at once, and a true claim is ever refuted with a probability of at most
    1 − ``confidence``. Each update costs only the new rows.
    """

    def __init__(
        self,
        file: RowSource,
        claim: Claim | None = None,
        delta: float | None = None,
        confidence: float = 0.95,
        larger_is_member: bool | None = None,
        sampling: str = "unknown",
    ):
        if claim is not None:
            _checks.instance(claim, Claim, "claim", "a claim, such as wb.ApproxDP(1, 1e-5)")
        self.file, self.claim = file, claim
        self.confidence = _checks.confidence(confidence)
        named = None if claim is None else claim.parameters.get("delta")
        self.delta = _checks.delta(delta if delta is not None else named or DELTA)
        self._stated = larger_is_member is not None
        direction = True if larger_is_member is None else larger_is_member
        self.larger_is_member = _checks.flag(direction, "larger_is_member")
        self.sampling = _checks.one_of(sampling, "sampling", SAMPLINGS_WITHOUT_CLUSTERS)
        self._lock = RLock()
        self._p, self._q = _Column(), _Column()
        self._counts = GrowingCounts()
        self._evidence = None if claim is None else GrowingEvidence(ClaimLines.of(claim))
        self._paths: OrderedDict[tuple[Any, ...], GrowingPath] = OrderedDict()
        self._scores: Scores | None = None
        self._state: FollowState | None = None
        self._void: str | None = None
        self._arrived: datetime | None = None
        self._listeners: list[Callable[[], None]] = []

    # -- reading -----------------------------------------------------------------------------------

    def update(self) -> bool:
        """Whether rows arrived since the last call; they are taken in."""
        with self._lock:
            before = self._standing
            new = self.file.new_rows()
            if new.size:
                self._p.append(oriented(new.p, self.larger_is_member))
                self._q.append(oriented(new.q, self.larger_is_member))
                self._arrived = datetime.now(UTC)
                self._scores = None
                runs = self._counts.advance(self._p.values, self._q.values)
                if self._evidence is not None:
                    self._evidence.advance(runs)
                self._void = self._sorted()
            if new.size or self._standing != before:
                self._state = None
        return bool(new.size)

    def tell(self) -> None:
        """Call the listeners."""
        for listener in tuple(self._listeners):
            listener()

    @property
    def _standing(self) -> tuple[Any, ...]:
        return (self.file.waits, self.file.stopped, self.file.notes)

    def _sorted(self) -> str | None:
        if not (self._p.monotone or self._q.monotone):
            return None
        try:
            return out_of_order(self.scores)
        except ScoresError:
            return None

    def listen(self, listener: Callable[[], None]) -> None:
        """Call ``listener()`` at every `tell`.

        Parameters
        ----------
        listener : callable
            Called in the thread that tells.
        """
        with self._lock:
            self._listeners = [*self._listeners, listener]

    def unlisten(self, listener: Callable[[], None]) -> None:
        """Call it no longer."""
        with self._lock:
            self._listeners = [one for one in self._listeners if one != listener]

    # -- what is known -----------------------------------------------------------------------------

    @property
    def scores(self) -> Scores:
        """The scores so far, the same object until there are more.

        Raises
        ------
        ScoresError
            There are too few yet.
        """
        with self._lock:
            if self._scores is None:
                few = min(self._p.size, self._q.size)
                if few < 2:
                    raise ScoresError(
                        f"“{self.file.name}” has {self._p.size:,} scores of members and "
                        f"{self._q.size:,} of non-members so far ({self._why()}); at least 2 of "
                        "each are shown"
                    )
                columns = (self._p, self._q)
                p, q = (oriented(c.values, self.larger_is_member).copy() for c in columns)
                self._scores = Scores(
                    p,
                    q,
                    larger_is_member=self.larger_is_member,
                    sampling=self.sampling,
                    name=self.file.name,
                )
            return self._scores

    def _why(self) -> str:
        return self.file.stopped or self.file.waits or "no more were written"

    @property
    def state(self) -> FollowState:
        """What is known now; the same object until something arrives."""
        with self._lock:
            if self._state is None:
                self._state = self._known()
            return self._state

    def _known(self) -> FollowState:
        evidence, rows = self.evidence(), min(self._p.size, self._q.size)
        return FollowState(
            name=self.file.name,
            n_p=self._p.size,
            n_q=self._q.size,
            arrived=self._arrived,
            epsilon=self.path(self.delta, self.confidence).bound,
            mu=self.path(None, self.confidence, "mu").bound,
            total_variation=self.path(None, self.confidence, "total variation").bound,
            claim=self.claim,
            log_e=0.0 if evidence is None else evidence.log_at(rows),
            refuted_at=None if evidence is None else evidence.refuted_at(self.confidence, rows),
            waits=self.file.waits,
            stopped=self.file.stopped,
            notes=tuple(note for note in (*self.file.notes, self._doubt, self._void) if note),
        )

    @property
    def _doubt(self) -> str:
        """What is to be said of a direction that nobody stated."""
        layout = self.file.layout
        if self._stated or layout is None:
            return ""
        reason = proposed_direction(layout.columns, [self.file.path.stem]).reason
        if not reason:
            return ""
        return (
            f"read as larger = member, which is the default, but {reason} may mean a loss; if so, "
            "begin again with --smaller-is-member, in Python with larger_is_member=False"
        )

    def path(
        self, delta: float | None, confidence: float, quantity: str = "epsilon"
    ) -> AnytimePath:
        """The anytime bound as the rows came in, as of `anytime_path`.

        Parameters
        ----------
        delta, confidence, quantity
            As of `AnytimeAudit`.
        """
        key = (delta, confidence, quantity)
        with self._lock:
            found = self._paths.pop(key, None)
            if found is None:
                found = GrowingPath(delta, confidence, quantity, self.sampling)
            self._paths[key] = found
            while len(self._paths) > MOST_PATHS:
                self._paths.popitem(last=False)
            path = found.advance(self._p.values, self._q.values)
            return path if self._void is None else _voided(path, self._void)

    def counts(self) -> BettingCounts:
        """What bets against any claim need, as of `betting_counts`."""
        with self._lock:
            n, counts = self._counts.looks
            return BettingCounts(self.scores, n, counts, self._void)

    def evidence(self) -> ClaimEvidence | None:
        """The evidence against the claim at every look; None if there is no claim."""
        with self._lock:
            if self._evidence is None or self.claim is None:
                return None
            return ClaimEvidence(self.claim, *self._evidence.path, self._void)


def _voided(path: AnytimePath, why: str) -> AnytimePath:
    bound: Bound = path.bound.voided(why)
    return AnytimePath(bound, path.n_p, path.n_q, path.values)


class _Column:
    """Scores, larger being more member-like, with room to grow; and whether they are sorted."""

    def __init__(self) -> None:
        self._room = np.empty(1024)
        self.size = 0
        self._up = self._down = True

    @property
    def values(self) -> Floats:
        """All scores so far."""
        return self._room[: self.size]

    @property
    def monotone(self) -> bool:
        """Whether the scores so far rise or fall all the way."""
        return self._up or self._down

    def append(self, x: Floats) -> None:
        """Add scores."""
        size = self.size + x.size
        if size > self._room.size:
            room = np.empty(max(size, 2 * self._room.size))
            room[: self.size] = self._room[: self.size]
            self._room = room
        self._room[self.size : size] = x
        with np.errstate(invalid="ignore"):  # ∞ − ∞
            step = np.diff(self._room[max(self.size - 1, 0) : size])
        self.size = size
        self._up = self._up and bool(np.all(step >= 0))
        self._down = self._down and bool(np.all(step <= 0))
