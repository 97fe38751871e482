"""`RecordingGenerator`: a generator of numpy whose draws are recorded; `watched`: other sources."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np

from workbench.testing.record.noisy import NoisySum
from workbench.testing.record.session import ACTIVE, Session

#: Draws that are no noise.
CHOICES = (
    *("random", "uniform", "integers", "choice", "permutation", "permuted", "bytes", "binomial"),
    *("poisson", "beta", "gamma", "standard_gamma", "dirichlet", "multinomial", "chisquare"),
    *("lognormal", "multivariate_normal", "negative_binomial", "rayleigh", "weibull", "pareto"),
    *("power", "triangular", "vonmises", "wald", "zipf", "hypergeometric", "logseries", "f"),
)


class RecordingGenerator(np.random.Generator):
    """A generator whose noise remembers what is added to it; its numbers are those of numpy.

    Parameters
    ----------
    bit_generator : BitGenerator

    Notes
    -----
    Within a session of this thread, noise (`ADDED`) comes as an object that keeps noise and value
    apart, and other draws as ordinary numbers. Elsewhere it is an ordinary generator, and it is
    pickled as one.
    """

    def __init__(self, bit_generator: Any) -> None:
        super().__init__(bit_generator)
        session = ACTIVE.get()
        self._session = session if isinstance(session, Session) else None

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """As of numpy; the order is recorded."""
        if not _is_open(self._session):
            return super().shuffle(x, axis)
        order = self.permutation(np.shape(x)[axis])
        x[:] = np.take(x, order, axis) if isinstance(x, np.ndarray) else [x[i] for i in order]
        return None

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """As of numpy."""
        draw = super().standard_normal
        if out is not None or not _is_open(self._session):
            return draw(size, dtype, out)
        return _session(self).draw("standard_normal", lambda: draw(size, dtype), 0.0, 1.0)

    def standard_exponential(self, size: Any = None, *given: Any, **options: Any) -> Any:
        """As of numpy."""
        draw = super().standard_exponential
        if not _is_open(self._session):
            return draw(size, *given, **options)
        session = _session(self)
        return session.draw("standard_exponential", lambda: draw(size, *given, **options), 0.0, 1.0)

    def standard_cauchy(self, size: Any = None) -> Any:
        """As of numpy."""
        draw = super().standard_cauchy
        if not _is_open(self._session):
            return draw(size)
        return _session(self).draw("standard_cauchy", lambda: draw(size), 0.0, 1.0)

    def standard_t(self, df: Any, size: Any = None) -> Any:
        """As of numpy."""
        draw, df = super().standard_t, _plain(df)
        if not _is_open(self._session):
            return draw(df, size)
        return _session(self).draw("standard_t", lambda: draw(df, size), 0.0, 1.0)

    def geometric(self, p: Any, size: Any = None) -> Any:
        """As of numpy."""
        draw, p = super().geometric, _plain(p)
        if not _is_open(self._session):
            return draw(p, size)
        scale = -1 / np.log1p(-np.asarray(p, dtype=np.float64))
        return _session(self).draw("geometric", lambda: draw(p, size), 0.0, scale)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """As of numpy."""
        draw, scale = super().exponential, _plain(scale)
        if not _is_open(self._session):
            return draw(scale, size)
        return _session(self).draw("exponential", lambda: draw(scale, size), 0.0, scale)


def _located(name: str) -> Callable[..., Any]:
    """A method with a location and a scale."""
    original = getattr(np.random.Generator, name)

    def draw(self: RecordingGenerator, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        loc, scale = _plain(loc), _plain(scale)
        if not _is_open(self._session):
            return original(self, loc, scale, size)
        session = _session(self)
        return session.draw(name, lambda: original(self, loc, scale, size), loc, scale)

    draw.__name__, draw.__doc__ = name, "As of numpy."
    return draw


def _chosen(name: str) -> Callable[..., Any]:
    """A method that is no noise."""
    original = getattr(np.random.Generator, name)

    def draw(self: RecordingGenerator, *given: Any, **options: Any) -> Any:
        given = tuple(map(_plain, given))
        options = {key: _plain(value) for key, value in options.items()}
        if options.get("out") is not None or not _is_open(self._session):
            return original(self, *given, **options)
        arguments = (*given, *(x for pair in sorted(options.items()) for x in pair))
        session = _session(self)
        return session.choose(name, lambda: original(self, *given, **options), arguments)

    draw.__name__, draw.__doc__ = name, "As of numpy."
    return draw


for _name in ("laplace", "normal", "gumbel", "logistic"):
    setattr(RecordingGenerator, _name, _located(_name))
for _name in CHOICES:
    setattr(RecordingGenerator, _name, _chosen(_name))


def _plain(x: Any) -> Any:
    return x.observed() if isinstance(x, NoisySum) else x


def _is_open(session: Session | None) -> bool:
    """Whether a generator's session takes its draws."""
    return session is not None and session.open


def _session(generator: RecordingGenerator) -> Session:
    return generator._session  # type: ignore[return-value]


# -- functions of modules ----------------------------------------------------------------------

_LOCK = threading.Lock()
_ORIGINALS: dict[tuple[Any, str], Any] = {}
_SESSIONS = 0

#: Functions of ``numpy.random`` with a location and a scale, and others that are noise or choices.
_LOCATED = ("laplace", "normal", "gumbel", "logistic")
_CHOSEN = (
    *("random", "random_sample", "rand", "uniform", "randint", "choice", "permutation"),
    *("binomial", "poisson"),
)
_OF_PYTHON = (
    *("random", "uniform", "randint", "randrange", "choice", "choices", "sample", "getrandbits"),
    *("gauss", "normalvariate", "expovariate", "betavariate", "gammavariate", "triangular"),
)


@contextmanager
def watched() -> Iterator[None]:
    """While it lasts, functions of ``numpy.random``, ``random`` and ``np.clip`` report as well.

    They do so in threads with a session; elsewhere they do what they always do. Whatever happens,
    they are as before in the end.
    """
    global _SESSIONS
    with _LOCK:
        if not _SESSIONS:
            _replace_all()
        _SESSIONS += 1
    try:
        yield
    finally:
        with _LOCK:
            _SESSIONS -= 1
            if not _SESSIONS:
                for (module, name), original in _ORIGINALS.items():
                    setattr(module, name, original)
                _ORIGINALS.clear()


def _replace_all() -> None:
    _replace(np.random, "default_rng", _default_rng)
    for name in _LOCATED:
        _replace(np.random, name, _located_function(name))
    _replace(np.random, "standard_normal", _plain_noise("standard_normal"))
    _replace(np.random, "randn", _randn)
    _replace(np.random, "exponential", _scaled_function)
    for name in _CHOSEN:
        _replace(np.random, name, _chosen_function(name))
    for name in _OF_PYTHON:
        _replace(random, name, _chosen_function(name))
    _replace(np, "clip", _clip)


def _replace(module: Any, name: str, made: Callable[[Any], Callable[..., Any]]) -> None:
    """Replace a function by one that has a session's own way, and the original one otherwise."""
    original = getattr(module, name)
    within = made(original)

    @wraps(original)
    def function(*given: Any, **options: Any) -> Any:
        session = ACTIVE.get()
        if not isinstance(session, Session) or not session.open:
            return original(*given, **options)
        return within(session, *given, **options)

    _ORIGINALS[module, name] = original
    setattr(module, name, function)


def _default_rng(original: Any) -> Callable[..., Any]:
    def within(session: Session, seed: Any = None) -> Any:
        found = original(seed)
        if isinstance(found, RecordingGenerator):
            return found
        return RecordingGenerator(found.bit_generator)

    return within


def _located_function(name: str) -> Callable[[Any], Callable[..., Any]]:
    def made(original: Any) -> Callable[..., Any]:
        def within(session: Session, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
            loc, scale = _plain(loc), _plain(scale)
            return session.draw(name, lambda: original(loc, scale, size), loc, scale)

        return within

    return made


def _plain_noise(name: str) -> Callable[[Any], Callable[..., Any]]:
    def made(original: Any) -> Callable[..., Any]:
        def within(session: Session, size: Any = None) -> Any:
            return session.draw(name, lambda: original(size), 0.0, 1.0)

        return within

    return made


def _randn(original: Any) -> Callable[..., Any]:
    def within(session: Session, *shape: int) -> Any:
        return session.draw("standard_normal", lambda: original(*shape), 0.0, 1.0)

    return within


def _scaled_function(original: Any) -> Callable[..., Any]:
    def within(session: Session, scale: Any = 1.0, size: Any = None) -> Any:
        scale = _plain(scale)
        return session.draw("exponential", lambda: original(scale, size), 0.0, scale)

    return within


def _chosen_function(name: str) -> Callable[[Any], Callable[..., Any]]:
    def made(original: Any) -> Callable[..., Any]:
        def within(session: Session, *given: Any, **options: Any) -> Any:
            given = tuple(map(_plain, given))
            options = {key: _plain(value) for key, value in options.items()}
            arguments = (*given, *(x for pair in sorted(options.items()) for x in pair))
            return session.choose(name, lambda: original(*given, **options), arguments)

        return within

    return made


def _clip(original: Any) -> Callable[..., Any]:
    def within(session: Session, a: Any, *bounds: Any, **options: Any) -> Any:
        low = bounds[0] if bounds else options.get("a_min", options.get("min"))
        high = bounds[1] if len(bounds) > 1 else options.get("a_max", options.get("max"))
        session.clip(_plain(low), _plain(high))
        return original(a, *bounds, **options)

    return within
