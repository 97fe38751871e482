"""`NoisySum`: noise, and sums of values and noise, until the code looks at them.

Adding, scaling and picking entries keep noise and value apart: the value before noise is known at
any time. Any other use, such as a comparison or a maximum, looks at the noisy value, and
gets an ordinary array, which a replay makes equal to the recorded one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from workbench.testing.record.places import Place, caller
from workbench.testing.record.trace import Declared, Layer

#: Functions that only move entries.
_MOVED = (
    np.ravel,
    np.reshape,
    np.squeeze,
    np.transpose,
    np.expand_dims,
    np.copy,
    np.swapaxes,
    np.moveaxis,
)

_MOVING = ("ravel", "reshape", "squeeze", "transpose", "copy", "flatten", "swapaxes")


class NoiseReader(Protocol):
    """What is told when the code looks at a noisy value: a session."""

    #: Random values that the code has looked at.
    clock: int
    #: Whether a noisy value is complete once a value was added.
    eager: bool

    def observe(self, noisy: NoisySum, released: bool = False) -> Any:
        """The noisy value that the code gets."""

    def declare(self, noisy: NoisySum, declared: Declared) -> Any:
        """The same for a primitive that states its cost."""


class NoisySum(NDArrayOperatorsMixin):
    """Noise with the values that were added to it.

    Parameters
    ----------
    session : NoiseReader
    value : float or array
        As the code without a recorder has it.
    signal : array
        The value without noise.
    layers : list of Layer
        The noise, in the shape of the value.
    complete : bool
        Whether a value was added.
    added : Place
        Where the last one was; where the noise was drawn if none was.
    clock : int
        Number of random values that had been looked at by then.
    """

    #: A table of pandas leaves arithmetic to it.
    __pandas_priority__ = 10_000

    __slots__ = (
        "_added",
        "_clock",
        "_complete",
        "_layers",
        "_seen",
        "_session",
        "_signal",
        "_value",
    )

    def __init__(
        self,
        session: NoiseReader,
        value: Any,
        signal: Any,
        layers: list[Layer],
        complete: bool,
        added: Place,
        clock: int,
    ) -> None:
        self._session, self._value, self._layers = session, value, layers
        self._signal = np.asarray(signal, dtype=np.float64)
        self._complete, self._added, self._clock = complete, added, clock
        self._seen: Any = None

    # -- looked at ---------------------------------------------------------------------------------

    def observed(self, released: bool = False) -> Any:
        """The noisy value as an ordinary number or array."""
        if self._seen is None:
            self._seen = self._session.observe(self, released)
        return self._seen

    def declared(self, declared: Declared) -> Any:
        """The same for a primitive that states its cost."""
        self._seen = self._session.declare(self, declared)
        return self._seen

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        found = np.asarray(self.observed())
        return found.astype(dtype) if dtype is not None else found.copy()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _MOVING and isinstance(self._value, np.ndarray):
            return lambda *given, **options: self._moved(
                lambda x: getattr(x, name)(*given, **options)
            )
        if name == "T":
            return self._moved(np.transpose)
        if name in ("shape", "ndim", "size", "dtype", "itemsize", "nbytes"):
            return getattr(self._value, name)
        return getattr(self.observed(), name)

    def __float__(self) -> float:
        return float(self.observed())

    def __int__(self) -> int:
        return int(self.observed())

    def __index__(self) -> int:
        return self.observed().__index__()

    def __complex__(self) -> complex:
        return complex(self.observed())

    def __bool__(self) -> bool:
        return bool(self.observed())

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.observed(), digits) if digits is not None else round(self.observed())

    def __trunc__(self) -> int:
        return int(self.observed())

    def __floor__(self) -> int:
        return int(np.floor(self.observed()))

    def __ceil__(self) -> int:
        return int(np.ceil(self.observed()))

    def __format__(self, spec: str) -> str:
        return format(self.observed(), spec)

    def __str__(self) -> str:
        return str(self.observed())

    def __repr__(self) -> str:
        return repr(self.observed())

    def __hash__(self) -> int:
        return hash(self.observed())

    def __contains__(self, item: Any) -> bool:
        return item in self.observed()

    def __reduce__(self) -> Any:
        return _itself, (self.observed(),)

    def __deepcopy__(self, memo: Any) -> NoisySum:
        return self._moved(np.copy)

    # -- entries -----------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._value)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, NoisySum):
            index = index.observed()
        if self._seen is not None:
            return self._seen[index]
        return self._moved(lambda x: x[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        self.observed()[index] = value

    def _moved(self, change: Callable[[Any], Any]) -> Any:
        """The same after a change of shape."""
        if self._seen is not None:
            return change(np.asarray(self._seen))
        return NoisySum(
            self._session,
            change(np.asarray(self._value)),
            change(self._signal),
            [layer.at(lambda x: np.asarray(change(x))) for layer in self._layers],
            self._complete,
            self._added,
            self._clock,
        )

    # -- arithmetic --------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method == "__call__" and not options and any(map(_is_table, inputs)):
            return _in_table(ufunc, inputs)
        if method == "__call__" and not options:
            inputs = tuple(_open_or_seen(x) for x in inputs)
            if any(isinstance(x, NoisySum) for x in inputs):
                found = _linear(ufunc, inputs)
                if found is not None:
                    return found
        out = options.get("out", ())
        if any(isinstance(x, NoisySum) for x in out):
            if len(out) == 1 and set(options) == {"out"}:
                return out[0]._become(getattr(ufunc, method)(*inputs))
            options["out"] = tuple(x.observed() if isinstance(x, NoisySum) else x for x in out)
        elif len(out) == 1 and set(options) == {"out"} and method == "__call__":
            return _written(ufunc, inputs, out[0])
        return getattr(ufunc, method)(*map(_plain, inputs), **options)

    def __array_function__(self, function: Any, types: Any, given: Any, options: Any) -> Any:
        if function in _MOVED and given and given[0] is self:
            return self._moved(lambda x: function(x, *given[1:], **options))
        if function is np.shape or function is np.ndim or function is np.size:
            return function(self._value, *given[1:], **options)
        return function(*_plain_in(given), **_plain_in(options))

    def _become(self, other: Any) -> NoisySum:
        """The object itself, with the content of another one: arithmetic in place."""
        if self._seen is not None:
            if isinstance(self._seen, np.ndarray):
                self._seen[...] = _plain(other)
            else:
                self._seen = _plain(other)
        elif isinstance(other, NoisySum) and other._seen is None:
            dtype = getattr(self._value, "dtype", None)
            in_place = dtype is not None and isinstance(self._value, np.ndarray)
            self._value = np.asarray(other._value).astype(dtype) if in_place else other._value
            self._signal, self._layers = other._signal, other._layers
            self._complete, self._added, self._clock = other._complete, other._added, other._clock
        else:
            self._seen = _plain(other)
        return self

    def _in_place(self, ufunc: Any, other: Any) -> Any:
        """What goes on in place belongs together, also with an eager session."""
        if _is_table(other):
            return ufunc(self, other)
        if self._seen is None:
            found = _linear(ufunc, (self, other._seen if _is_seen(other) else other))
            if found is not None:
                return self._become(found)
        return self._become(ufunc(self, other))

    def __iadd__(self, other: Any) -> Any:
        return self._in_place(np.add, other)

    def __isub__(self, other: Any) -> Any:
        return self._in_place(np.subtract, other)

    def __imul__(self, other: Any) -> Any:
        return self._in_place(np.multiply, other)

    def __itruediv__(self, other: Any) -> Any:
        return self._in_place(np.true_divide, other)


def _itself(value: Any) -> Any:
    return value


def _is_table(x: Any) -> bool:
    """Whether it is a Series, a DataFrame or an Index of pandas."""
    return type(x).__module__.partition(".")[0] == "pandas" and hasattr(x, "to_numpy")


def _in_table(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    """Arithmetic with a table, whose result is a table: it has the noisy value."""
    inputs = tuple(_open_or_seen(x) for x in inputs)
    table = ufunc(*map(_value, inputs))
    if not any(isinstance(x, NoisySum) for x in inputs):
        return table
    found = _linear(ufunc, tuple(x.to_numpy() if _is_table(x) else x for x in inputs))
    if found is None:
        return ufunc(*map(_plain, inputs))
    found._value = table.to_numpy()
    values = found.observed()
    if hasattr(table, "columns"):
        return type(table)(values, index=table.index, columns=table.columns)
    if hasattr(table, "index"):
        return type(table)(values, index=table.index, name=table.name)
    return values


def _open_or_seen(x: Any) -> Any:
    """A noisy value to which more may be added, or what the code saw of it.

    With an eager session, a value with noise is complete once it was added.
    """
    if not isinstance(x, NoisySum):
        return x
    return x.observed() if x._seen is not None or (x._complete and x._session.eager) else x


def _is_seen(x: Any) -> bool:
    return isinstance(x, NoisySum) and x._seen is not None


def _plain(x: Any) -> Any:
    return x.observed() if isinstance(x, NoisySum) else x


def _plain_in(given: Any) -> Any:
    """Arguments in which all noisy values are looked at."""
    if isinstance(given, NoisySum):
        return given.observed()
    if isinstance(given, tuple | list):
        return type(given)(_plain_in(x) for x in given)
    if isinstance(given, dict):
        return {name: _plain_in(x) for name, x in given.items()}
    return given


def _value(x: Any) -> Any:
    return x._value if isinstance(x, NoisySum) else x


def _result(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    """What the code without a recorder gets: numbers of Python stay so."""
    values = [_value(x) for x in inputs]
    found = ufunc(*values)
    return found.item() if all(type(x) in (int, float) for x in values) else found


def _linear(ufunc: Any, inputs: tuple[Any, ...]) -> NoisySum | None:
    """A sum, a difference or a multiple; None for what is none of these."""
    if ufunc is np.negative:
        return _scaled(inputs[0], -1.0, _result(ufunc, inputs))
    if ufunc is np.positive:
        return _scaled(inputs[0], 1.0, _result(ufunc, inputs))
    if ufunc in (np.add, np.subtract):
        return _summed(ufunc, inputs)
    if ufunc is np.multiply and sum(isinstance(x, NoisySum) for x in inputs) == 1:
        noisy, by = inputs if isinstance(inputs[0], NoisySum) else inputs[::-1]
        return _scaled(noisy, by, _result(ufunc, inputs))
    if ufunc is np.true_divide and isinstance(inputs[0], NoisySum):
        by = _plain(inputs[1])
        with np.errstate(divide="ignore"):
            factor = 1 / np.asarray(by, dtype=np.float64)
        return _scaled(inputs[0], factor, _result(ufunc, (inputs[0], by)))
    return None


def _scaled(noisy: NoisySum, by: Any, value: Any) -> NoisySum:
    shape, factor = np.shape(value), np.asarray(by, dtype=np.float64)
    layers = [layer.times(factor, shape) for layer in noisy._layers]
    with np.errstate(invalid="ignore"):
        signal = np.broadcast_to(noisy._signal, shape) * factor
    session = noisy._session
    return NoisySum(session, value, signal, layers, noisy._complete, noisy._added, session.clock)


def _summed(ufunc: Any, inputs: tuple[Any, ...]) -> NoisySum:
    value = _result(ufunc, inputs)
    shape, sign = np.shape(value), (1.0, 1.0 if ufunc is np.add else -1.0)
    signal: Any = np.zeros(shape)
    layers: list[Layer] = []
    complete = False
    session = next(x._session for x in inputs if isinstance(x, NoisySum))
    for x, s in zip(inputs, sign, strict=True):
        if isinstance(x, NoisySum):
            layers += [layer.times(s, shape) for layer in x._layers]
            complete = complete or x._complete
        else:
            complete = True
        signal = signal + s * np.asarray(
            x._signal if isinstance(x, NoisySum) else x, dtype=np.float64
        )
    only = all(isinstance(x, NoisySum) for x in inputs)
    added = next(x._added for x in inputs if isinstance(x, NoisySum)) if only else caller()
    return NoisySum(session, value, signal, layers, complete, added, session.clock)


def _written(ufunc: Any, inputs: tuple[Any, ...], out: Any) -> Any:
    """A result that is written into an ordinary array, which looks at it."""
    given = tuple(np.array(x) if x is out else x for x in inputs)  # out changes while it is read
    given = tuple(map(_open_or_seen, given))
    found = _linear(ufunc, given) if any(isinstance(x, NoisySum) for x in given) else None
    if found is None:
        return ufunc(*map(_plain, inputs), out=out)
    found._value = np.asarray(found._value).astype(out.dtype)
    out[...] = found.observed()
    return out
