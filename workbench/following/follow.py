"""`follow`: the states of a score file that grows, for notebooks and scripts."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

from workbench import _checks
from workbench.claims.base import Claim
from workbench.claims.parse import parse_claim
from workbench.following.following import Following
from workbench.following.state import FollowState
from workbench.scores.growing.growing_file import GrowingFile


def follow(
    path: str | os.PathLike[str],
    claim: Claim | str | None = None,
    delta: float | None = None,
    confidence: float = 0.95,
    *,
    larger_is_member: bool | None = None,
    sampling: str = "unknown",
    every: float = 0.5,
    patience: float | None = None,
    **columns: Any,
) -> Iterator[FollowState]:
    r"""States of an audit of a score file that grows, one whenever rows have arrived.

    Parameters
    ----------
    path, **columns
        As of `GrowingFile`.
    claim : Claim or str, optional
        Tested at every look, such as ``"approx(1, 1e-5)"``. Set it before the rows are seen.
    delta, confidence, sampling
        As of `AnytimeAudit`; δ is by default that of the claim, or 1e-5.
    larger_is_member : bool, optional
        True by default, with a note where a name such as ``loss`` suggests otherwise.
    every : float
        Seconds between two looks at the file.
    patience : float, optional
        Seconds without new rows after which it ends. By default it ends when the file cannot be
        followed any further.

    Yields
    ------
    FollowState
        Each by itself valid: stop whenever you like. The last one, of a file that stopped, says
        why.

    Raises
    ------
    ScoresError
        A file to which no rows can be appended.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> pair = wb.GaussianPair(2).sample(1000, seed=0)
    >>> rows = [f"{a},{b}" for a, b in zip(*pair)]
    >>> _ = path.write_text("\n".join(["p,q", *rows, ""]))
    >>> *_, last = wb.follow(path, claim="approx(0.5, 1e-5)", patience=0)
    >>> last.rows, last.refuted_at is not None
    (2000, True)
    """
    claim = parse_claim(claim) if isinstance(claim, str) else claim
    every = _checks.non_negative(every, "every")
    patience = None if patience is None else _checks.non_negative(patience, "patience")
    file = GrowingFile(path, **columns)
    following = Following(file, claim, delta, confidence, larger_is_member, sampling)
    return _states(following, every, patience)


def _states(following: Following, every: float, patience: float | None) -> Iterator[FollowState]:
    last = time.monotonic()
    while True:
        if following.update():
            last = time.monotonic()
            yield following.state
        elif following.file.stopped:
            yield following.state
            return
        elif patience is not None and time.monotonic() - last >= patience:
            return
        else:
            time.sleep(every)
