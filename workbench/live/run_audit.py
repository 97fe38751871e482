"""`RunAudit`, public as ``wb.live.Audit``: bounds of independent runs that may be watched.

Each run trains with the record or without it and gives one score. The bounds are those of
`workbench.bounds.anytime.betting`: with the stated confidence, none that is ever shown exceeds the
truth, whenever somebody looks, and whatever made them stop.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.claims.base import Claim
from workbench.curves.validation import Floats
from workbench.following.following import Following
from workbench.live.audit import LiveAudit
from workbench.live.state import LiveState
from workbench.live.writing import AppendedRows, read_rows
from workbench.pairs.base import Pair
from workbench.scores.growing.growing_file import NewRows
from workbench.scores.sample import Scores

HEADER = "score,member"

UNIT = "runs of each kind"


class FedRows:
    """Rows that a program feeds, for `Following`.

    Parameters
    ----------
    path : Path
        Its name is shown in titles.
    """

    layout = None
    waits = stopped = ""
    notes: tuple[str, ...] = ()
    left_out = 0

    def __init__(self, path: Path):
        self.path = path
        self._rows: list[tuple[float, bool]] = []

    @property
    def name(self) -> str:
        """Shown in titles."""
        return self.path.name

    def feed(self, score: float, member: bool) -> None:
        """Add a row."""
        self._rows.append((score, member))

    def new_rows(self) -> NewRows:
        """The rows since the last call."""
        rows, self._rows = self._rows, []
        p, q = (np.array([x for x, m in rows if m is side], dtype=float) for side in (True, False))
        return NewRows(p, q)


class RunAudit(LiveAudit):
    """Anytime bounds of independent runs, fed with one score after the other.

    ::

        audit = wb.live.Audit(delta=1e-5, larger_is_member=False, path="scores.csv")
        audit.show()
        for run in range(1000):
            member = run % 2 == 0
            model = train(data + [record] if member else data)
            audit.add(loss(model, record), member)
            if audit.bound.value > 2:
                break
        audit.close()

    Parameters
    ----------
    delta : float
        In [0, 1), of ε.
    confidence : float
        In (0.5, 1): the probability, at least, that no bound that is ever shown exceeds the truth.
        The bounds on ε and μ each have it by themselves.
    claim : Claim, Pair or str, optional
        Such as ``"approx(1, 1e-5)"`` or the accountant's `DPSGDPair`. A claim that is true is ever
        refuted with probability at most 1 − ``confidence``. Fix it before the first score.
    larger_is_member : bool
        False where the score is a loss.
    path : path, optional
        A csv file that is written row by row, for `read_scores` and `GrowingFile`. Its scores are
        larger for members, whatever ``larger_is_member``, so that it is read without options.
    resume : bool
        Whether to continue the audit of that file: its rows come first.
    name : str
        Shown in titles; the name of the file by default.

    Raises
    ------
    ValueError
        A level out of range, or ``resume`` without a path.
    FileExistsError
        The file exists, and ``resume`` is False.
    ScoresError
        The file that is continued is not one of a live audit, or is damaged.

    See Also
    --------
    CanaryAudit : many canaries in one training.
    AnytimeAudit : the bound alone.

    Notes
    -----
    Guarantee: anytime, distribution-free, for independent runs. The next run may be chosen to have
    the record or not because of what was seen. Scores wait until there is one of each kind.

    Examples
    --------
    >>> audit = wb.live.Audit(delta=1e-5)
    >>> for p, q in zip(*wb.GaussianPair(2).sample(500, seed=0)):
    ...     audit.add(p, member=True)
    ...     audit.add(q, member=False)
    >>> audit.bound.guarantee, audit.bound.value > 1
    ('anytime', True)
    """

    def __init__(
        self,
        delta: float = 1e-5,
        confidence: float = 0.95,
        claim: Claim | Pair | str | None = None,
        *,
        larger_is_member: bool = True,
        path: str | os.PathLike[str] | None = None,
        resume: bool = False,
        name: str = "",
    ):
        super().__init__(delta, confidence, claim, path, name)
        self.larger_is_member = _checks.flag(larger_is_member, "larger_is_member")
        if _checks.flag(resume, "resume") and self.path is None:
            raise ValueError("resume=True needs path=, the file that is continued")
        self._rows = FedRows(self.path or Path(self.name or "live audit"))
        # The rows are turned before they come here and into the file.
        self._following = Following(
            self._rows, self.claim, self.delta, self.confidence, True, "independent runs"
        )
        self._runs = 0
        self._file: AppendedRows | None = None
        if self.path is not None:
            rows = read_rows(self.path, HEADER) if resume and self.path.exists() else []
            self._file = AppendedRows(self.path, HEADER, resume)
            for score, member in rows:
                self._rows.feed(score, member)
            self._runs = len(rows)
            self._following.update()

    def add(self, score: float, member: bool, run: int | None = None) -> None:
        """Take in the score of one run.

        Parameters
        ----------
        score : float
            ±∞ is allowed.
        member : bool
            Whether the record was in the training data.
        run : int, optional
            Its number, counted from 0, where the order has to be checked.

        Raises
        ------
        ValueError
            NaN, a run out of order, or a closed audit. Nothing is taken in then.
        OSError
            The file cannot be written. The score is not taken in, and may be added again.

        Notes
        -----
        Scores have to come in the order of the runs, or in an order that does not depend on them,
        and every run has to come: leaving out runs because of their scores voids all bounds. So
        decide before the first run what a diverged training counts as.
        """
        value = _checks.real(score, "score")
        is_member = _checks.flag(member, "member")
        if math.isnan(value):
            raise ValueError(
                "score is NaN. Do not leave the run out, which would void the bounds; decide "
                "before the first run what a diverged training counts as, such as float('inf') for "
                "a loss"
            )
        with self._lock:
            self._require_open()
            if run is not None and _checks.count(run, "run") != self._runs:
                raise ValueError(
                    f"run {run} is out of order: the next one is {self._runs}, and each run counts "
                    "once"
                )
            turned = value if self.larger_is_member else -value
            if self._file is not None:
                self._file.append(f"{turned!r},{int(is_member)}")
            self._rows.feed(turned, is_member)
            self._runs += 1
            self._following.update()
        self._changed()

    @property
    def runs(self) -> int:
        """Number of scores so far."""
        return self._runs

    @property
    def scores(self) -> Scores:
        """See `LiveAudit`; larger for members, whatever ``larger_is_member``."""
        return self._following.scores

    @property
    def state(self) -> LiveState:
        """See `LiveAudit`."""
        with self._lock:
            path = self._following.path(self.delta, self.confidence)
            mu = self._following.path(None, self.confidence, "mu").bound
            evidence = self._following.evidence()
            known = self._following.state
            rows = min(known.n_p, known.n_q)
            return LiveState(
                unit=UNIT,
                seen=rows,
                epsilon=path.bound,
                mu=mu,
                n=_as_floats(path.n_p),
                values=path.values,
                claim=self.claim,
                claimed=self.claimed,
                refuted_at=(
                    None if evidence is None else evidence.refuted_at(self.confidence, rows)
                ),
                notes=tuple(f"{note[0].upper()}{note[1:]}." for note in known.notes),
                closed=self.closed,
            )

    def _finish(self) -> None:
        if self._file is not None:
            self._file.close()


#: Its public name; another class of the workbench, an audit that is kept, is called `Audit`, too.
Audit = RunAudit


def _as_floats(n: NDArray[np.int64]) -> Floats:
    return n.astype(float)
