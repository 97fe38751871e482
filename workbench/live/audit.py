"""`LiveAudit`: what all live audits share, from the first score to the closing."""

from __future__ import annotations

import logging
import os
from abc import ABC, abstractmethod
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from workbench import _checks
from workbench.bounds.bound import Bound
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.live.drawing.pace import DrawingPace
from workbench.live.state import LiveState
from workbench.pairs.base import Pair
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    from workbench.live.drawing.widget import LiveView

log = logging.getLogger(__name__)


class LiveAudit(ABC):
    """An audit that a training loop feeds, and that is drawn while the loop runs.

    It may be fed from any thread. It is a context manager that closes itself.

    Parameters
    ----------
    delta : float
        In [0, 1), of ε.
    confidence : float
        In (0.5, 1): of each bound, at all moments at once.
    claim : Claim, Pair or str, optional
        Tested while scores come in; to be fixed before they do.
    path : path, optional
        The file that is written.
    name : str
        Shown in titles; the name of the file by default.
    """

    def __init__(
        self,
        delta: float,
        confidence: float,
        claim: Claim | Pair | str | None,
        path: str | os.PathLike[str] | None,
        name: str,
    ):
        self.delta, self.confidence = _checks.delta(delta), _checks.confidence(confidence)
        self.claim = None if claim is None else as_claim(claim)
        self.path = None if path is None else Path(path)
        named = _checks.text(name, "name")
        self.name = named or ("" if self.path is None else self.path.stem)
        self.closed = False
        self._lock = RLock()
        self._throttle = DrawingPace()
        self._view: LiveView | None = None

    # -- what is known -----------------------------------------------------------------------------

    @property
    @abstractmethod
    def state(self) -> LiveState:
        """What is known now."""

    @property
    @abstractmethod
    def scores(self) -> Scores:
        """The scores so far.

        Raises
        ------
        ScoresError
            There are too few yet.
        """

    @property
    def bound(self) -> Bound:
        """The anytime lower bound on ε at δ: one may stop, or report it, at any moment."""
        return self.state.epsilon

    @property
    def mu(self) -> Bound:
        """The anytime lower bound on μ; it has an error probability of its own."""
        return self.state.mu

    @property
    def refuted(self) -> bool:
        """Whether the claim is refuted, which is final."""
        return self.state.refuted_at is not None

    @property
    def claimed(self) -> float | None:
        """The ε that the claim allows at δ; None if there is no claim."""
        return None if self.claim is None else float(self.claim.epsilon(self.delta))

    # -- in a notebook -----------------------------------------------------------------------------

    def show(self) -> LiveView:
        """The widget of the audit, which follows it while the loop runs; to be called once.

        In a cell of its own, or in that of the loop before it starts. Drawing takes at most a
        twentieth of the loop's time.

        Returns
        -------
        LiveView

        Raises
        ------
        ImportError
            The extra "lab" is not installed.
        """
        from IPython.display import display

        view = self.view
        display(view)
        return view

    @property
    def view(self) -> LiveView:
        """The widget, to lay out beside others."""
        from workbench.live.drawing.widget import LiveView

        if self._view is None or self._view.closed:
            self._view = LiveView(self.state)
        return self._view

    def _ipython_display_(self) -> None:
        self.show()

    def _changed(self, at_once: bool = False) -> None:
        """Bring the widget up to date, unless that happened a moment ago."""
        with self._lock:
            if self._view is not None:
                self._throttle.run(self._draw, at_once)

    def _draw(self) -> None:
        if self._view is None:
            return
        state = self.state
        try:
            self._view.update(state)
        except Exception:  # a training does not end because a chart could not be drawn
            log.warning("the widget of a live audit could not be drawn", exc_info=True)

    # -- the end -----------------------------------------------------------------------------------

    def close(self) -> None:
        """End the audit: nothing more can come in. What it found stays readable."""
        with self._lock:
            if not self.closed:
                self.closed = True
                self._finish()
        self._changed(at_once=True)

    @abstractmethod
    def _finish(self) -> None:
        """Close files."""

    def _require_open(self) -> None:
        if self.closed:
            raise ValueError(
                "this audit is closed, so nothing more can come in; make a new one, with another "
                "path"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state: Any = self.state
        closed = ", closed" if self.closed else ""
        return f"{type(self).__name__}({state!r}{closed})"
