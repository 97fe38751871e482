"""The primitives that code may call by name, with what it states of them.

Each does the same with and without a recorder: ``record.laplace`` adds noise, ``record.clip``
clips. A recorder also learns which sensitivity and which ε the code relies on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench import _checks
from workbench.testing.record.noisy import NoisySum
from workbench.testing.record.places import caller
from workbench.testing.record.session import ACTIVE, KeptResults, Session
from workbench.testing.record.trace import Declared


def laplace(
    value: Any,
    *,
    sensitivity: float,
    epsilon: float,
    rng: np.random.Generator,
    size: Any = None,
) -> Any:
    """A value with Laplace noise of scale ``sensitivity / epsilon``.

    Parameters
    ----------
    value : float or array_like
    sensitivity : float
        How far the value moves between neighbors, in L1; what a recorder holds against the
        distance that it measures.
    epsilon : float
        What the call costs.
    rng : numpy.random.Generator
    size : int or tuple of int, optional
        Shape of the result; that of ``value`` by default.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from workbench.testing import record
    >>> noisy = record.laplace(10.0, sensitivity=1, epsilon=1, rng=np.random.default_rng(0))
    >>> round(noisy, 3)
    10.32
    """
    scale = _positive(sensitivity, "sensitivity") / _positive(epsilon, "epsilon")
    if (kept := _kept()) is not None:
        return kept
    noise = rng.laplace(0.0, scale, _shape(value, size))
    return _noisy(value, noise, Declared(float(sensitivity), epsilon=float(epsilon)))


def gaussian(
    value: Any,
    *,
    sensitivity: float,
    sigma: float,
    rng: np.random.Generator,
    size: Any = None,
) -> Any:
    """A value with Gaussian noise; μ-GDP with μ = sensitivity / sigma.

    Parameters
    ----------
    value : float or array_like
    sensitivity : float
        How far the value moves between neighbors, in L2.
    sigma : float
        Standard deviation of the noise.
    rng, size
        As of `laplace`.

    Returns
    -------
    float or ndarray
    """
    sensitivity, sigma = _positive(sensitivity, "sensitivity"), _positive(sigma, "sigma")
    if (kept := _kept()) is not None:
        return kept
    noise = rng.normal(0.0, sigma, _shape(value, size))
    return _noisy(value, noise, Declared(float(sensitivity), sigma=float(sigma)))


def geometric(
    value: Any,
    *,
    sensitivity: float,
    epsilon: float,
    rng: np.random.Generator,
    size: Any = None,
) -> Any:
    """A whole number with two-sided geometric noise, the discrete Laplace mechanism.

    Parameters
    ----------
    value : int or array_like of int
    sensitivity, epsilon, rng, size
        As of `laplace`.

    Returns
    -------
    int or ndarray

    References
    ----------
    Ghosh, Roughgarden, Sundararajan (2009), Universally utility-maximizing privacy mechanisms.
    """
    loss = _positive(epsilon, "epsilon") / _positive(sensitivity, "sensitivity")
    if (kept := _kept()) is not None:
        return kept
    shape = _shape(value, size)
    chance = -np.expm1(-loss)
    noise = rng.geometric(chance, shape) - rng.geometric(chance, shape)
    return _noisy(value, noise, Declared(float(sensitivity), epsilon=float(epsilon)))


def threshold(
    value: Any,
    level: float,
    *,
    sensitivity: float,
    epsilon: float,
    rng: np.random.Generator,
    size: Any = None,
) -> Any:
    """Whether a value with Laplace noise reaches a level.

    Parameters
    ----------
    value : float or array_like
    level : float
    sensitivity, epsilon, rng, size
        As of `laplace`.

    Returns
    -------
    bool or ndarray of bool
    """
    noisy = laplace(value, sensitivity=sensitivity, epsilon=epsilon, rng=rng, size=size)
    return noisy >= level


def clip(values: Any, low: float, high: float) -> Any:
    """Values between two ends, which must not depend on the data.

    Parameters
    ----------
    values : array_like, Series or DataFrame
    low, high : float

    Returns
    -------
    ndarray, Series or DataFrame
    """
    session = _session()
    if session is not None:
        session.clip(low, high)
    if hasattr(values, "clip"):
        return values.clip(low, high)
    return np.minimum(np.maximum(values, low), high)


def count(data: Any) -> int:
    """The number of records, a query of sensitivity 1 for neighbors that add a record."""
    found = len(data)
    session = _session()
    if session is not None:
        session.query("count", found)
    return found


def sample(data: Any, *, rate: float, rng: np.random.Generator) -> Any:
    """The records of a Poisson sample: each with probability ``rate``, independently.

    Parameters
    ----------
    data : array or DataFrame
    rate : float
        In (0, 1].
    rng : numpy.random.Generator

    Returns
    -------
    array or DataFrame
    """
    rate = _checks.number(rate, "rate")
    if not 0 < rate <= 1:
        raise ValueError(f"rate must lie in (0, 1], got {rate!r}; it is the sampling rate")
    session = _session()
    if session is None:
        chosen = rng.random(len(data)) < rate
    else:
        draw = np.random.Generator.random
        chosen = session.choose("sample", lambda: draw(rng, len(data)), (), trusted=True) < rate
    return data[chosen]


def _session() -> Session | None:
    session = ACTIVE.get()
    return session if isinstance(session, Session) and session.open else None


def _kept() -> Any:
    """The recorded result of this call, where it is kept; None elsewhere."""
    session = ACTIVE.get()
    return session.next_at(caller()) if isinstance(session, KeptResults) else None


def _shape(value: Any, size: Any) -> Any:
    if size is not None:
        return size
    return np.shape(value) or None


def _positive(value: Any, name: str) -> float:
    return _checks.positive(value, name)


def _noisy(value: Any, noise: Any, declared: Declared) -> Any:
    if not isinstance(noise, NoisySum):
        return value + noise
    value = value.observed() if isinstance(value, NoisySum) else value
    if not hasattr(value, "to_numpy"):
        return (value + noise).declared(declared)
    table = value + np.zeros(noise.shape)
    table[:] = (value.to_numpy() + noise).declared(declared)
    return table
