"""The claims that text can name, and a claim from what a caller gives."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest

from workbench import _checks
from workbench.claims.approx import ApproxDP
from workbench.claims.base import Claim, number_text
from workbench.claims.gdp import GDP
from workbench.claims.pair import PairClaim
from workbench.claims.pure import PureDP
from workbench.claims.renyi import RenyiDP
from workbench.claims.zcdp import ZCDP
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.laplace import LaplacePair

#: The registry of claims: one line each. Text, pages and command lines offer them in this order.
CLAIMS: tuple[type[Claim], ...] = (
    ApproxDP,
    PureDP,
    RenyiDP,
    GDP,
    ZCDP,
)


def claim_forms() -> str:
    """The claims as help texts list them: "'approx(EPSILON, DELTA)', … or 'zcdp(RHO)'"."""
    *forms, last = (
        f"'{kind.word}({', '.join(one.name.upper() for one in kind.arguments)})'" for kind in CLAIMS
    )
    return f"{', '.join(forms)} or {last}"


@dataclass(frozen=True)
class _NamedPair:
    """A pair that text can name as a claim: an example, its arguments, and how it is made."""

    example: str
    arguments: tuple[str, ...]
    build: Callable[..., Pair]
    kind: str  # its class, which is imported where it is needed
    attributes: tuple[str, ...]  # of the class, in the order of the arguments


def _dpsgd(noise: float, rate: float, steps: float) -> Pair:
    from workbench.pairs.accounting.dpsgd import DPSGDPair

    # In the words of the claim, before the pair checks them in its own.
    noise, steps = _checks.positive(noise, "noise"), _checks.count(steps, "steps", least=1)
    if not 0 < rate <= 1:
        raise ValueError(
            f"rate must lie in (0, 1], got {rate!r}; it is the probability that a record is in a "
            "batch"
        )
    return DPSGDPair(noise, rate, steps)


#: Pairs that text can name as claims.
_PAIRS = {
    "dpsgd": _NamedPair(
        "dpsgd(noise=1, rate=0.01, steps=1000)", ("noise", "rate", "steps"), _dpsgd,
        "DPSGDPair", ("noise_multiplier", "sample_rate", "steps"),
    ),
    "gaussian": _NamedPair("gaussian(1)", ("mu",), GaussianPair, "GaussianPair", ("mu",)),
    "laplace": _NamedPair("laplace(1)", ("mu",), LaplacePair, "LaplacePair", ("mu",)),
}  # fmt: skip


def parse_claim(text: str) -> Claim:
    """A claim from text such as ``"approx(2, 1e-5)"``.

    Parameters
    ----------
    text : str
        The word of a claim of `CLAIMS` and its arguments, such as ``approx(epsilon, delta)``,
        ``pure(epsilon)``, ``renyi(order, epsilon)`` or ``gdp(mu)``; or that of a pair, which
        claims that the mechanism leaks at most as it does: ``dpsgd(noise, rate, steps)`` for
        DP-SGD with Poisson sampling and add-remove neighbors, ``gaussian(mu)``, ``laplace(mu)``.
        Arguments may be named, as in ``dpsgd(noise=1, rate=0.01, steps=1000)``; case and spaces
        do not matter.

    Returns
    -------
    Claim

    Raises
    ------
    ValueError
        Another word, a wrong count or name of arguments, a number outside its range.

    Examples
    --------
    >>> wb.parse_claim("approx(2, 1e-5)")
    ApproxDP(epsilon=2.0, delta=1e-05)
    >>> print(wb.parse_claim("dpsgd(noise=1, rate=0.01, steps=1000)"))
    no leakier than DP-SGD, σ = 1, q = 0.01, 1000 steps
    """
    match = re.fullmatch(r"\s*([a-zé-]+)\s*\(([^()]*)\)\s*", str(text).lower())
    word = match[1].replace("é", "e") if match else ""
    kinds = {kind.word: kind for kind in CLAIMS}
    if match is None or word not in kinds.keys() | _PAIRS.keys():
        raise ValueError(f"cannot read the claim {text!r}; write one of {_examples()}")
    if word in kinds:
        names = tuple(argument.name for argument in kinds[word].arguments)
        return kinds[word](**_arguments(text, word, names, match[2]))
    pair = _PAIRS[word]
    return PairClaim(pair.build(**_arguments(text, word, pair.arguments, match[2])))


def text_of(claim: Claim) -> str:
    """The text that `parse_claim` reads as this claim; "" for a pair that no text names."""
    if not isinstance(claim, PairClaim):
        return str(claim)
    for word, known in _PAIRS.items():
        if type(claim.pair).__name__ == known.kind:
            values = [getattr(claim.pair, name) for name in known.attributes]
            if known.build(*values) == claim.pair:
                return f"{word}({', '.join(map(number_text, values))})"
    return ""


def _examples() -> str:
    named = [kind.example for kind in CLAIMS] + [pair.example for pair in _PAIRS.values()]
    return ", ".join(named)


def _arguments(text: str, word: str, names: tuple[str, ...], given: str) -> dict[str, float]:
    """The numbers by name, from ``"2, 1e-5"`` or ``"epsilon=2, delta=1e-5"``."""
    values: dict[str, str] = {}
    for name, part in zip_longest(names, given.split(","), fillvalue=""):
        own, _, value = part.rpartition("=")
        values[own.strip() or name] = value.strip()
    if values.keys() != set(names) or not all(values.values()):
        raise ValueError(
            f"{word} takes ({', '.join(names)}), got {text!r}; write one of {_examples()}"
        )
    return {name: _checks.number(value, name) for name, value in values.items()}


def as_claim(claim: Claim | Pair | str) -> Claim:
    """A claim from whatever a caller may give for one.

    Parameters
    ----------
    claim : Claim, Pair or str
        Text is read by `parse_claim`; a pair claims that the mechanism leaks at most as it does.

    Raises
    ------
    ValueError
        Text that is no claim, or something else.
    """
    if isinstance(claim, Claim):
        return claim
    if isinstance(claim, Pair):
        return PairClaim(claim)
    if isinstance(claim, str):
        return parse_claim(claim)
    raise ValueError(
        f"claim must be a claim or a pair, got {claim!r}; write 'approx(2, 1e-5)' or GDP(1)"
    )
