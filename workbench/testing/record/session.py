"""`Session`: one run that is recorded, or replayed with what was recorded on another data set."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.testing.record.noisy import NoisySum
from workbench.testing.record.places import Place, by_an_adapter, caller
from workbench.testing.record.trace import (
    SYMMETRIC,
    Bounds,
    Choice,
    Declared,
    Draw,
    Layer,
    NoisyValue,
    Query,
    Trace,
)

#: The session of this thread, if it has one.
ACTIVE: ContextVar[Session | KeptResults | None] = ContextVar(
    "workbench-record-session", default=None
)

#: Rounding of sums, relative to the sizes of what was added.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Shift:
    """Where a data set has one record more or less than the recorded one.

    Attributes
    ----------
    records : int
        Of the recorded data set.
    more : bool
        Whether this one has one more.
    at : int
        Its place.
    """

    records: int
    more: bool
    at: int


class Session:
    """One run.

    Parameters
    ----------
    recorded : Trace, optional
        What is replayed; None records.
    shift : Shift, optional
        Where the data set of the replay differs in its number of records.
    eager : bool
        Whether a noisy value is complete once a value was added to noise. Otherwise more may be
        added, until the code looks at it. Both readings are tried: the code is taken by the one
        that explains it.
    far : float
        How far out symmetric noise is moved, in units of its scale: values that are rare, but
        possible. 0 leaves it as it is drawn.
    """

    def __init__(
        self,
        recorded: Trace | None = None,
        shift: Shift | None = None,
        eager: bool = False,
        far: float = 0.0,
    ) -> None:
        self.trace, self.recorded, self.shift, self.eager = Trace(), recorded, shift, eager
        self.far = far
        self._open, self._quiet = True, 0
        #: Random values that the code has looked at.
        self.clock = 0
        #: Random choices that could not be made the same as in the recorded run.
        self.uncoupled: list[Choice] = []
        #: NoisySum values that the recorded run does not have.
        self.unmatched: list[NoisyValue] = []
        #: Values that have no noise of their own left, with the recorded ones.
        self.reused: list[tuple[NoisyValue, NoisyValue]] = []
        noise = np.zeros(0) if recorded is None else recorded.noise
        #: Every noise by its number; whether it makes a value what it is; whether it was seen.
        self._count, self._noise = noise.size, noise.copy()
        self._used, self._mixed = np.zeros((2, noise.size), dtype=bool)
        self._lock = threading.RLock()

    @property
    def open(self) -> bool:
        """Whether it still runs, and this thread is not inside a draw already."""
        return self._open and self._quiet != threading.get_ident()

    def _drawn(self, call: Callable[[], Any]) -> Any:
        """What a call draws; a method of numpy may use others."""
        before, self._quiet = self._quiet, threading.get_ident()
        try:
            return call()
        finally:
            self._quiet = before

    @property
    def replays(self) -> bool:
        """Whether it replays a recorded run."""
        return self.recorded is not None

    def finish(self, output: Any) -> Trace:
        """The trace of the run, which had this output."""
        self.trace.noise, self.trace.output = self._noise[: self._count], output
        return self.trace

    @contextmanager
    def active(self) -> Iterator[Session]:
        """The calls of this thread belong to the session."""
        token = ACTIVE.set(self)
        try:
            yield self
        finally:
            ACTIVE.reset(token)
            self._open = False

    # -- noise -------------------------------------------------------------------------------------

    def draw(self, name: str, call: Callable[[], Any], loc: Any, scale: Any) -> NoisySum:
        """Noise of a call such as ``rng.laplace(loc, scale, size)``.

        Parameters
        ----------
        name : str
            Of `ADDED`.
        call : callable
            Draws it, in a session that records and where the recorded run drew less.
        loc, scale : array_like
        """
        with self._lock:
            place = caller()
            value = self._drawn(call)
            shape = np.shape(value)
            noise = np.asarray(value, dtype=np.float64) - np.asarray(loc, dtype=np.float64)
            if self.far and name in SYMMETRIC:
                noise = self.far * np.asarray(scale) + math.copysign(1, self.far) * np.abs(noise)
                value = _like(value, noise + np.asarray(loc))
            before = self._recorded_draw(name, place)
            if before is not None and before.noise.shape == shape:
                noise, ids = before.noise, before.ids
                value = _like(value, noise + np.asarray(loc))
            else:
                ids = self._numbered(noise)
            spread = np.broadcast_to(np.asarray(scale, dtype=np.float64), shape)
            draw = Draw(name, place, noise, spread, ids)
            self.trace.draws[name, place].append(draw)
            layer = Layer(draw, ids, spread, np.ones(shape))
            signal = np.broadcast_to(np.asarray(loc, dtype=np.float64), shape)
            return NoisySum(self, value, signal, [layer], bool(np.any(signal)), place, self.clock)

    def _numbered(self, noise: NDArray[np.float64]) -> NDArray[np.intp]:
        """New numbers for noise, which is kept under them."""
        start, self._count = self._count, self._count + noise.size
        if self._count > self._noise.size:
            room = max(self._count, 2 * self._noise.size)
            kept = (self._noise, self._used, self._mixed)
            self._noise, self._used, self._mixed = (np.resize(x, room) for x in kept)
            self._used[start:], self._mixed[start:] = False, False
        self._noise[start : self._count] = noise.ravel()
        return np.arange(start, self._count, dtype=np.intp).reshape(noise.shape)

    def _recorded_draw(self, name: str, place: Place) -> Draw | None:
        if self.recorded is None:
            return None
        many = self.recorded.draws.get((name, place), [])
        at = len(self.trace.draws[name, place])
        return many[at] if at < len(many) else None

    def observe(self, noisy: NoisySum, released: bool = False) -> Any:
        """The noisy value, which in a replay is the recorded one."""
        with self._lock:
            return self._observe(noisy, released)

    def _observe(self, noisy: NoisySum, released: bool, declared: Declared | None = None) -> Any:
        place, seen = noisy._layers[0].draw.place, Place() if released else caller()
        known = self.trace.noisy[place, seen]
        before = None
        if self.recorded is not None:
            many = self.recorded.noisy.get((place, seen), [])
            before = many[len(known)] if len(known) < len(many) else None
        output, shape = noisy._value, np.shape(noisy._value)
        free, carriers = self._carriers(noisy._layers, shape)
        found = NoisyValue(
            place, noisy._added, seen, np.array(noisy._signal), np.asarray(output),
            noisy._layers, noisy._clock == 0, self._is_own(noisy._layers), released, declared,
        )  # fmt: skip
        if before is not None and before.output.shape == shape:
            output = self._frozen(found, before, carriers, ~free)
            found.output = np.asarray(output)
            output = _like(noisy._value, output)
        elif self.recorded is not None and free.any():
            self.unmatched.append(found)
        for carrier, layer in zip(carriers, noisy._layers, strict=True):
            self._used[layer.ids[carrier]] = True
            self._mixed[layer.ids] = True
        known.append(found)
        self.clock += 1
        return np.array(output) if isinstance(output, np.ndarray) else output

    def _carriers(
        self, layers: list[Layer], shape: tuple[int, ...]
    ) -> tuple[NDArray[np.bool_], list[NDArray[np.bool_]]]:
        """Which entries have noise that nothing else has used, and in which layer."""
        free, carriers = np.zeros(shape, dtype=bool), []
        for layer in layers:
            unused = ~self._used[layer.ids]
            first = np.zeros(layer.ids.size, dtype=bool)
            first[np.unique(layer.ids.ravel(), return_index=True)[1]] = True
            carrier = unused & first.reshape(shape) & (layer.spread > 0) & ~free
            carriers.append(np.asarray(carrier))
            free = free | carrier
        return np.asarray(free), carriers

    def _is_own(self, layers: list[Layer]) -> bool:
        noisy = [layer for layer in layers if layer.spread.any()]
        ids = np.concatenate([layer.ids.ravel() for layer in noisy] or [np.zeros(0, np.intp)])
        return bool(np.unique(ids).size == ids.size and not self._mixed[ids].any())

    def _frozen(
        self,
        found: NoisyValue,
        before: NoisyValue,
        carriers: list[NDArray[np.bool_]],
        bare: NDArray[np.bool_],
    ) -> Any:
        """The recorded value, where there is noise that makes it so."""
        parts = [layer.factor * self._noise[layer.ids] for layer in found.layers]
        value = found.signal + sum(parts)
        output = np.array(before.output)
        for i, (layer, carrier) in enumerate(zip(found.layers, carriers, strict=True)):
            if carrier.any():
                rest = output - (value - parts[i])
                with np.errstate(divide="ignore", invalid="ignore"):
                    self._noise[layer.ids[carrier]] = (rest / layer.factor)[carrier]
        if bare.any():
            # Entries that share noise with others: the noise of those has moved by now.
            parts = [layer.factor * self._noise[layer.ids] for layer in found.layers]
            moved = found.signal + sum(parts)
            size = np.abs(found.signal) + np.abs(before.signal) + np.abs(before.output)
            differ = bare & (np.abs(moved - output) > _rounding(before.output) * (size + 1))
            if differ.any():
                output = np.where(differ, moved, output)
                self.reused.append((found, before))
        return output

    # -- primitives that the code declares ---------------------------------------------------------

    def declare(self, noisy: NoisySum, declared: Declared) -> Any:
        """The noisy value of a primitive that states its cost."""
        with self._lock:
            return self._observe(noisy, False, declared)

    # -- choices -----------------------------------------------------------------------------------

    def choose(
        self, name: str, call: Callable[[], Any], given: tuple[Any, ...], trusted: bool = False
    ) -> Any:
        """The result of a draw that is no noise, the recorded one in a replay where it fits.

        Parameters
        ----------
        name : str
            Of the method.
        call : callable
            Draws it.
        given : tuple
            Its arguments.
        trusted : bool
            Whether it is a primitive, such as Poisson sampling.
        """
        if by_an_adapter():
            return self._drawn(call)
        with self._lock:
            place = caller()
            result, known = self._drawn(call), self.trace.choices[name, place]
            if self.recorded is not None:
                many = self.recorded.choices.get((name, place), [])
                if len(known) < len(many):
                    before = many[len(known)]
                    coupled = self._coupled(name, before, given, result)
                    if coupled is None:
                        self.uncoupled.append(Choice(name, place, given, result, trusted))
                    else:
                        result = coupled
                elif self.shift is None:
                    self.uncoupled.append(Choice(name, place, given, result, trusted))
            known.append(Choice(name, place, given, _copied(result), trusted))
            self.clock += 1
            return result

    def _coupled(self, name: str, before: Choice, given: tuple[Any, ...], fresh: Any) -> Any:
        """The recorded result for other arguments; None where there is none."""
        old, shape = np.asarray(before.result), np.shape(fresh)
        if _same_arguments(before.given, given) and old.shape == shape:
            return _copied(before.result)
        move = self.shift
        if name not in ("random", "sample") or move is None or len(shape) != old.ndim:
            return None
        after = move.records + (1 if move.more else -1)
        for axis, (was, now) in enumerate(zip(old.shape, shape, strict=True)):
            if (was, now) == (move.records, after):
                if move.more:
                    new = np.take(np.asarray(fresh), [move.at], axis)
                    moved = np.insert(old, [move.at], new, axis)
                else:
                    moved = np.delete(old, move.at, axis)
                return moved if moved.shape == shape else None
        return None

    # -- bounds and queries ------------------------------------------------------------------------

    def clip(self, low: Any, high: Any) -> None:
        """The bounds of a clip."""
        with self._lock:
            place = caller()
            self.trace.bounds[place].append(Bounds(place, _plain_bound(low), _plain_bound(high)))

    def query(self, name: str, value: float) -> None:
        """The value of a query, such as a count."""
        with self._lock:
            place = caller()
            self.trace.queries[name, place].append(Query(name, place, float(value)))


class KeptResults:
    """Recorded results of declared primitives, which further runs get again.

    Parameters
    ----------
    outputs : dict
        Of each place, in the order of its calls.
    """

    #: It takes no draws.
    open = False

    def __init__(self, outputs: dict[Place, list[Any]]) -> None:
        self._outputs, self._calls = outputs, dict.fromkeys(outputs, 0)

    def next_at(self, place: Place) -> Any:
        """The result of the next call at a place; None where nothing is kept."""
        at = self._calls.get(place, 0)
        if at >= len(self._outputs.get(place, ())):
            return None
        self._calls[place] = at + 1
        return _copied(self._outputs[place][at])

    @contextmanager
    def active(self) -> Iterator[None]:
        """One run in this thread gets the results from the first one on."""
        self._calls = dict.fromkeys(self._outputs, 0)
        token = ACTIVE.set(self)
        try:
            yield
        finally:
            ACTIVE.reset(token)


def _rounding(values: Any) -> float:
    return 1e-4 if np.asarray(values).dtype == np.float32 else ROUNDING


def _like(value: Any, new: Any) -> Any:
    """``new`` with the type of ``value``."""
    if isinstance(value, np.ndarray):
        return np.asarray(new).astype(value.dtype)
    if type(value) in (int, float):
        return type(value)(new)
    return value.dtype.type(new) if isinstance(value, np.generic) else new


def _copied(result: Any) -> Any:
    if isinstance(result, np.ndarray):
        return result.copy()
    return list(result) if isinstance(result, list) else result


def _plain_bound(x: Any) -> Any:
    if x is None:
        return None
    found = np.asarray(x)
    return found.item() if found.ndim == 0 else found.copy()


def _same_arguments(first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    if len(first) != len(second):
        return False
    return all(_same(a, b) for a, b in zip(first, second, strict=True))


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    try:
        return bool(np.array_equal(np.asarray(a), np.asarray(b)))
    except (TypeError, ValueError):
        return False
