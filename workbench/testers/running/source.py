"""`OutputSource`: outputs of a mechanism on two neighboring datasets, with named random streams."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.processes.child import TimeLimit
from workbench.progress import Report, silent
from workbench.testers.finders.neighbors import Neighbors
from workbench.testers.learning.outputs import Outputs, check_alike
from workbench.testers.outputs.table import OutputTable
from workbench.testers.running.portable import PortableMechanism
from workbench.testers.running.sandbox import MechanismError, Sandbox, run

#: How many times its time limit a mechanism that waits may take by the clock.
PATIENCE = 20.0

#: Random streams of one trial: of the dataset, of its neighbor, and of the testers.
_P, _Q, TESTER = range(3)


def stream(seed: int, *key: int) -> np.random.Generator:
    """An independent random stream for each key, whichever process uses it."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def digest(fit: Sequence[Outputs]) -> str:
    """A hash of outputs, bit for bit."""
    hashed = hashlib.sha256()
    for side in fit:
        if isinstance(side, OutputTable):
            for part in side.parts():
                hashed.update(part)
            continue
        hashed.update(f"{side.dtype.str}{side.shape}".encode())
        hashed.update(np.ascontiguousarray(side).tobytes())
    return hashed.hexdigest()[:16]


class OutputSource:
    """Draws outputs of a mechanism on two neighboring datasets.

    The mechanism runs in this process or, with a time limit, in another.

    Parameters
    ----------
    mechanism : PortableMechanism
    neighbors : Neighbors
    size : int
        Runs of each call on each dataset.
    key : (int, int)
        The audit's seed and the trial's index, which determine the random streams.
    time_limit : float, optional
        Seconds for which all calls together may compute; see `workbench.processes.child.TimeLimit`.
    report : Report, optional
        Is called before each call of the mechanism; it may raise to cancel.

    Attributes
    ----------
    runs : int
        Number of runs so far.
    """

    def __init__(
        self,
        mechanism: PortableMechanism,
        neighbors: Neighbors,
        size: int,
        key: tuple[int, int],
        time_limit: float | None = None,
        report: Report = silent,
    ) -> None:
        self._mechanism, self._size, self._key = mechanism, size, key
        self._sides = neighbors.dataset, neighbors.neighbor
        self._first: Outputs | None = None
        self._left = None if time_limit is None else TimeLimit(time_limit, PATIENCE * time_limit)
        self._sandbox: Sandbox | None = None
        self.report, self.runs = report, 0

    def call(self, *key: int, size: int | None = None) -> tuple[Outputs, Outputs]:
        """Outputs of one call on each dataset.

        Parameters
        ----------
        *key : int
            Names the random streams of the call.
        size : int, optional
            Runs on each dataset.

        Raises
        ------
        MechanismError
            The mechanism failed, or its outputs change their type or columns between calls.
        """
        size = self._size if size is None else size
        p, q = (self._outputs(side, size, key) for side in (_P, _Q))
        return p, q

    def _outputs(self, side: int, size: int, key: tuple[int, ...]) -> Outputs:
        self.report()
        rng = stream(*self._key, side, *key)
        outputs = self._run(self._sides[side], size, rng)
        self.runs += size
        if self._first is None:
            self._first = outputs[:1]
        try:
            check_alike(self._first, outputs)
        except ValueError as error:
            raise MechanismError(f"its outputs change from call to call: {error}") from error
        return outputs

    def _run(self, dataset: Any, size: int, rng: np.random.Generator) -> Outputs:
        if self._left is None:
            return run(self._mechanism.function, dataset, size, rng)
        if self._sandbox is None or not self._sandbox.fresh:  # testers may have taken long
            self.close()
            self._sandbox = Sandbox.with_mechanism(self._mechanism)
        return self._sandbox.run(dataset, size, rng, self._left)

    def close(self) -> None:
        """Give the process back, if there is one."""
        if self._sandbox is not None:
            self._sandbox.give_back()
