"""`Follower`: reads a score file while it grows, and announces that its claim is refuted."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from workbench import _json
from workbench._format import plain
from workbench.following.following import Following
from workbench.following.state import FollowState
from workbench.server.following.webhook import Webhook
from workbench.server.operations import metrics

logger = logging.getLogger(__name__)

#: Seconds between two looks at the file, and between two updates of the pages.
INTERVAL = 0.5

#: Seconds between two lines of the log about a file that cannot be read.
QUIET = 60.0

#: The file of the server's folder that says what was announced, so that a restart, which reads the
#: followed file from its start, does not announce it again.
ANNOUNCED = "announced.json"

#: Of the marks in it. They name the row of a refutation, which other bets reach at another row:
#: 2 is of one-sided and two-sided bets, a list without a number of one-sided ones.
MARKS = 2


class Follower:
    """A thread that reads a followed file, has pages show it, and announces a refutation once.

    Parameters
    ----------
    following : Following
    tell : callable
        ``tell(refuted={...})`` sends a message to every open document; called in the thread.
    webhook : Webhook, optional
    home : Path, optional
        The folder of the server.
    """

    def __init__(
        self,
        following: Following,
        tell: Callable[..., Any] = lambda **entries: None,
        webhook: Webhook | None = None,
        home: Path | None = None,
    ):
        self.following = following
        self._tell, self._webhook, self._home = tell, webhook, home
        self._ended = threading.Event()
        self._announced = False
        self._shown: FollowState | None = None
        self._told, self._logged = -INTERVAL, -QUIET

    def start(self) -> None:
        """Begin, in a thread of its own."""
        threading.Thread(target=self._run, name="workbench-following", daemon=True).start()

    def end(self) -> None:
        """Read no more."""
        self._ended.set()

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                arrived = self.following.update()
                self._show(at_once=not arrived)
            except Exception as error:  # whatever a file does, the server stays
                self._log(error)
                arrived = False
            if not arrived:
                self._ended.wait(INTERVAL)

    def _log(self, error: Exception) -> None:
        """Log a failure to read without the name of the file, once in a while."""
        if time.monotonic() - self._logged >= QUIET:
            self._logged = time.monotonic()
            logger.error("the followed file could not be read: %s", type(error).__name__)
        logger.debug("the followed file could not be read", exc_info=True)

    def _show(self, at_once: bool) -> None:
        """Have pages show what changed; while many rows arrive, not more often than `INTERVAL`."""
        if not at_once and time.monotonic() - self._told < INTERVAL:
            return
        state = self.following.state
        if state is self._shown:
            return
        before, self._shown, self._told = self._shown, state, time.monotonic()
        metrics.followed(state.rows, self.following.file.left_out)
        if state.stopped and not (before and before.stopped):
            logger.warning(
                "the followed file is not followed any more; %d rows stay in use",
                state.rows,
                extra={"event": "follow_stopped", "count": state.rows},
            )
        if state.refuted_at is not None and not self._announced:
            self._announced = True
            self._announce(state)
        self.following.tell()

    # -- the refutation ------------------------------------------------------------------------

    def _announce(self, state: FollowState) -> None:
        if self._was_announced(state):
            logger.info(
                "the claim %s was refuted at row %d, as was announced before",
                *(str(state.claim), state.refuted_at),
            )
            return
        logger.warning(
            "the claim %s is refuted at row %d of each group",
            *(str(state.claim), state.refuted_at),
            extra={"event": "claim_refuted", "count": state.refuted_at},
        )
        said = refutation(state, self.following.confidence)
        self._tell(refuted={"words": _in_words(state, self.following.delta)})
        if self._webhook is not None:
            self._webhook.send(said)
        self._keep(state)

    def _mark(self, state: FollowState) -> str:
        known = f"{self.following.file.path.resolve()}\n{state.claim}\n{state.refuted_at}"
        return sha256(known.encode(errors="surrogateescape")).hexdigest()

    def _was_announced(self, state: FollowState) -> bool:
        return self._mark(state) in self._kept()

    def _kept(self) -> list[str]:
        if self._home is not None:
            with suppress(OSError, ValueError, KeyError, TypeError):
                found = _json.loads((self._home / ANNOUNCED).read_text(encoding="utf-8"))
                if isinstance(found, dict) and found.get("version") == MARKS:
                    return [str(one) for one in found["marks"]]
                logger.warning(
                    "%s is not used: it is of another version, whose bets refute at other rows, so "
                    "a refutation that was announced before is announced once more",
                    ANNOUNCED,
                )
        return []

    def _keep(self, state: FollowState) -> None:
        if self._home is None:
            return
        try:
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
            marks = [*self._kept(), self._mark(state)][-100:]
            kept = _json.dumps_ascii({"version": MARKS, "marks": marks})
            (self._home / ANNOUNCED).write_text(kept, encoding="utf-8")
        except OSError as error:
            logger.warning("it could not be noted that the claim was announced: %s", error.strerror)


def _in_words(state: FollowState, delta: float) -> str:
    return (
        f"The claim {state.claim} is refuted, at row {state.refuted_at:,} of each group: ε ≥ "
        f"{state.epsilon.rounded} at δ = {plain(delta)}."
    )


def refutation(state: FollowState, confidence: float) -> dict[str, Any]:
    """What is announced of a refuted claim, as JSON values, without scores.

    Parameters
    ----------
    state : FollowState
        Of a claim that is refuted.
    confidence : float
        Of the test.
    """
    bound = state.epsilon
    return {
        "event": "claim_refuted",
        "claim": str(state.claim),
        "confidence": confidence,
        "row": state.refuted_at,
        "rows": {"members": state.n_p, "non_members": state.n_q},
        "log10_e_value": round(state.log_e / math.log(10), 3),
        "bound": {
            "quantity": "epsilon",
            "delta": bound.at.delta,
            "at_least": float(bound.rounded),
            "guarantee": bound.guarantee,
        },
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
