"""Claims about a mechanism, as audits meet them: approx(2, 1e-5), pure(1), renyi(8, 0.5), gdp(1).

A claim knows the leakiest pair that it leaves room for (`claim.pair`), and with it a profile, a
trade-off function and ε(δ): evidence beyond these refutes it. `str(claim)` is what `parse_claim`
reads.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from workbench import _checks

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from workbench.pairs.base import Pair

_EXAMPLES = "approx(2, 1e-5), pure(1), renyi(8, 0.5), gdp(1)"


class Claim(ABC):
    """A statement about privacy loss that an audit may refute."""

    #: The word in front of the brackets.
    word: ClassVar[str]

    @property
    @abstractmethod
    def pair(self) -> Pair:
        """The leakiest pair that meets the claim, or one that leaks at least as much."""

    def profile(self, epsilon: ArrayLike) -> Any:
        """The largest δ(ε) that the claim allows, in both directions; the shape of ``epsilon``."""
        return self.pair.profile(epsilon)

    def tradeoff(self, alpha: ArrayLike) -> Any:
        """The smallest false negative rate that the claim allows at false positive rate α."""
        return self.pair.tradeoff(alpha)

    def epsilon(self, delta: ArrayLike) -> Any:
        """The smallest ε with (ε, δ)-DP that the claim implies; ``inf`` where there is none."""
        return self.pair.epsilon(delta)

    def __str__(self) -> str:
        values = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        return f"{self.word}({', '.join(map(_number, values))})"


@dataclass(frozen=True, init=False, repr=False)
class ApproxDP(Claim):
    """(ε, δ)-differential privacy.

    Parameters
    ----------
    epsilon : float
        At least 0. Kept as ``epsilon_0``, since ``epsilon(delta)`` is what the claim implies.
    delta : float
        In [0, 1). Kept as ``delta_0``.

    Raises
    ------
    ValueError
        An argument outside its range.
    """

    word = "approx"
    epsilon_0: float
    delta_0: float

    def __init__(self, epsilon: float, delta: float) -> None:
        object.__setattr__(self, "epsilon_0", _non_negative(epsilon, "epsilon"))
        object.__setattr__(self, "delta_0", _checks.delta(delta))

    def __repr__(self) -> str:
        return f"ApproxDP(epsilon={self.epsilon_0!r}, delta={self.delta_0!r})"

    @cached_property
    def pair(self) -> Pair:
        from workbench.pairs.randomized_response import RandomizedResponsePair

        return RandomizedResponsePair(self.epsilon_0, self.delta_0)


@dataclass(frozen=True, init=False, repr=False)
class PureDP(Claim):
    """ε-differential privacy, with δ = 0.

    Parameters
    ----------
    epsilon : float
        At least 0. Kept as ``epsilon_0``.

    Raises
    ------
    ValueError
        A negative ε.
    """

    word = "pure"
    epsilon_0: float

    def __init__(self, epsilon: float) -> None:
        object.__setattr__(self, "epsilon_0", _non_negative(epsilon, "epsilon"))

    def __repr__(self) -> str:
        return f"PureDP(epsilon={self.epsilon_0!r})"

    @cached_property
    def pair(self) -> Pair:
        from workbench.pairs.randomized_response import RandomizedResponsePair

        return RandomizedResponsePair(self.epsilon_0, 0.0)


@dataclass(frozen=True, init=False, repr=False)
class RenyiDP(Claim):
    """Rényi divergence of one order at most ε, in both directions.

    Parameters
    ----------
    order : float
        Above 1 and finite.
    epsilon : float
        At least 0. Kept as ``epsilon_0``.

    Raises
    ------
    ValueError
        An argument outside its range.
    """

    word = "renyi"
    order: float
    epsilon_0: float

    def __init__(self, order: float, epsilon: float) -> None:
        order = _checks.number(order, "order")
        if order <= 1:
            raise ValueError(f"order must be above 1, got {order!r}; order 2 is a common choice")
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "epsilon_0", _non_negative(epsilon, "epsilon"))

    def __repr__(self) -> str:
        return f"RenyiDP(order={self.order!r}, epsilon={self.epsilon_0!r})"

    @cached_property
    def pair(self) -> Pair:
        from workbench.pairs.claimed import RenyiPair

        return RenyiPair((self.order,), (self.epsilon_0,))


@dataclass(frozen=True)
class GDP(Claim):
    """μ-Gaussian differential privacy: no easier to tell apart than N(μ,1) from N(0,1).

    Parameters
    ----------
    mu : float
        At least 0.

    Raises
    ------
    ValueError
        A negative μ, or one beyond 1e100.
    """

    word = "gdp"
    mu: float

    def __post_init__(self) -> None:
        mu = _non_negative(self.mu, "mu")
        if mu > 1e100:
            raise ValueError(f"mu must be at most 1e+100, got {self.mu!r}; give Δ/σ")
        object.__setattr__(self, "mu", mu)

    @cached_property
    def pair(self) -> Pair:
        from workbench.pairs.gaussian import GaussianPair

        return GaussianPair(self.mu)


_KINDS: dict[str, tuple[type[Claim], tuple[str, ...]]] = {
    "approx": (ApproxDP, ("epsilon", "delta")),
    "pure": (PureDP, ("epsilon",)),
    "renyi": (RenyiDP, ("order", "epsilon")),
    "gdp": (GDP, ("mu",)),
}


def parse_claim(text: str) -> Claim:
    """A claim from text such as ``"approx(2, 1e-5)"``.

    Parameters
    ----------
    text : str
        ``approx(epsilon, delta)``, ``pure(epsilon)``, ``renyi(order, epsilon)`` or ``gdp(mu)``;
        case and spaces do not matter.

    Returns
    -------
    ApproxDP, PureDP, RenyiDP or GDP

    Raises
    ------
    ValueError
        Another word, a wrong count of numbers, a number outside its range.
    """
    match = re.fullmatch(r"\s*([a-zé]+)\s*\(([^()]*)\)\s*", str(text).lower())
    word = match[1].replace("é", "e") if match else ""
    if match is None or word not in _KINDS:
        raise ValueError(f"cannot read the claim {text!r}; write one of {_EXAMPLES}")
    kind, names = _KINDS[word]
    values = [part.strip() for part in match[2].split(",")]
    if len(values) != len(names) or not all(values):
        raise ValueError(
            f"{word} takes ({', '.join(names)}), got {text!r}; write one of {_EXAMPLES}"
        )
    numbers = (_checks.number(v, name) for v, name in zip(values, names, strict=True))
    return kind(*numbers)


def _non_negative(value: Any, name: str) -> float:
    x = _checks.number(value, name)
    if x < 0:
        raise ValueError(f"{name} must be at least 0, got {value!r}; 0 is perfect privacy")
    return x


def _number(value: float) -> str:
    """The shortest text that reads back as the same number: 2, 0.5, 1e-5."""
    text = f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return re.sub(r"e([+-])0*", lambda m: "e-" if m[1] == "-" else "e", text)
