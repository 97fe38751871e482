"""The claims that text can name, and a claim from what a caller gives."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from workbench import _checks
from workbench.claims.approx import ApproxDP
from workbench.claims.base import Claim, number_text
from workbench.claims.gdp import GDP
from workbench.claims.pair import PairClaim
from workbench.claims.pure import PureDP
from workbench.claims.renyi import RenyiDP
from workbench.claims.unclaimed import Unclaimed
from workbench.claims.zcdp import ZCDP
from workbench.pairs.base import Pair
from workbench.pairs.gaussian import GaussianPair
from workbench.pairs.laplace import LaplacePair
from workbench.pairs.own.kinds import PAIR_KINDS, kind_of
from workbench.software.plugins import Registry

#: Our claims: one line each. Text, pages and command lines offer them in this order.
CLAIMS: tuple[type[Claim], ...] = (
    ApproxDP,
    PureDP,
    RenyiDP,
    GDP,
    ZCDP,
)


def _taken(word: str, found: Any) -> type[Claim]:
    """The claim of a plug-in, after a try (ValueError or TypeError that says what is wrong)."""
    if not (isinstance(found, type) and issubclass(found, Claim)):
        raise TypeError(f"it must be a class derived from wb.Claim, got {_checks.shown(found)}")
    if word in _PAIRS or word in PAIR_KINDS.ours:
        raise ValueError("the workbench has a pair of that name; its author has to choose another")
    if getattr(found, "word", None) != word:
        raise ValueError(
            f"its class has word = {_checks.shown(getattr(found, 'word', None))}, which must be "
            f"the name of the entry point, {word!r}"
        )
    made = found(**{one.name: one.default for one in found.arguments})
    if list(made.parameters) != [one.name for one in found.arguments]:
        raise ValueError("its parameters must have the names of its arguments, in their order")
    return found


#: Word -> claim: ours, then those of plug-ins.
CLAIM_KINDS: Registry[type[Claim]] = Registry(
    "workbench.claims", {kind.word: kind for kind in CLAIMS}, _taken
)


def claim_forms() -> str:
    """The claims as help texts list them: "'approx(EPSILON, DELTA)', … or 'zcdp(RHO)'"."""
    *forms, last = (
        f"'{kind.word}({', '.join(one.name.upper() for one in kind.arguments)})'"
        for kind in CLAIM_KINDS.values()
    )
    return f"{', '.join(forms)} or {last}"


@dataclass(frozen=True)
class _NamedPair:
    """A pair that text can name as a claim: an example, its arguments, and how it is made."""

    example: str
    arguments: tuple[str, ...]
    build: Callable[..., Pair]
    kind: str = ""  # its class, which is imported where it is needed; "" for that of a plug-in
    attributes: tuple[str, ...] = ()  # of the class, in the order of the arguments


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


#: Our pairs that text can name as claims.
_PAIRS = {
    "dpsgd": _NamedPair(
        "dpsgd(noise=1, rate=0.01, steps=1000)", ("noise", "rate", "steps"), _dpsgd,
        "DPSGDPair", ("noise_multiplier", "sample_rate", "steps"),
    ),
    "gaussian": _NamedPair("gaussian(1)", ("mu",), GaussianPair, "GaussianPair", ("mu",)),
    "laplace": _NamedPair("laplace(1)", ("mu",), LaplacePair, "LaplacePair", ("mu",)),
}  # fmt: skip


def our_words() -> frozenset[str]:
    """The words of our claims, and of our pairs that text can name as claims."""
    return frozenset([*CLAIM_KINDS.ours, *_PAIRS])


def _pairs() -> dict[str, _NamedPair]:
    """The pairs that text can name as claims, those of plug-ins among them."""
    others = {
        name: _NamedPair(
            f"{name}({', '.join(number_text(kind.default(one)) for one in kind.arguments)})",
            tuple(kind.arguments),
            kind.build,
        )
        for name, kind in PAIR_KINDS.others.items()
        if name not in CLAIM_KINDS.others  # a claim of that name comes first
    }
    return _PAIRS | others


def parse_claim(text: str) -> Claim:
    """A claim from text such as ``"approx(2, 1e-5)"``.

    Parameters
    ----------
    text : str
        The word of a claim of `CLAIM_KINDS` and its arguments, such as ``approx(epsilon, delta)``,
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
    match = re.fullmatch(r"\s*([a-zé][\wé-]*)\s*\(([^()]*)\)\s*", str(text).lower())
    word = match[1].replace("é", "e") if match else ""
    if match is None or not (word in _PAIRS or word in CLAIM_KINDS or word in _pairs()):
        raise ValueError(f"cannot read the claim {text!r}; write one of {_examples()}")
    if word not in _PAIRS and word in CLAIM_KINDS:
        kind = CLAIM_KINDS[word]
        names = tuple(argument.name for argument in kind.arguments)
        return kind(**_arguments(text, word, names, match[2]))
    pair = _PAIRS[word] if word in _PAIRS else _pairs()[word]
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
    if (name := kind_of(claim.pair)) in PAIR_KINDS.others:
        values = [claim.pair.parameters[one] for one in PAIR_KINDS[name].arguments]
        return f"{name}({', '.join(map(number_text, values))})"
    return ""


def _examples() -> str:
    kinds = [kind.example for kind in CLAIM_KINDS.values()]
    return ", ".join([*kinds, *(pair.example for pair in _pairs().values())])


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


def claim_or_largest(
    claim: Claim | Pair | str | None, own: Claim | Pair | str | None, delta: float | None
) -> Claim:
    """The claim that is tested, or `Unclaimed` where the largest ε is asked for.

    Parameters
    ----------
    claim : Claim, Pair, str or None
        What a caller states.
    own : Claim, Pair, str or None
        What the mechanism states itself, which holds where the caller says nothing.
    delta : float, optional
        Of the largest ε; that is asked for also where the mechanism states a claim.

    Raises
    ------
    ValueError
        As `as_claim`; a δ outside [0, 1), or together with a claim.
    """
    if claim is not None:
        if delta is not None:
            raise ValueError(
                f"delta={delta!r} is for the largest ε without a claim; with a claim, state δ in "
                "it, as in 'approx(1, 1e-5)'"
            )
        return as_claim(claim)
    if delta is None and own is not None:
        return as_claim(own)
    return Unclaimed(0.0 if delta is None else delta)
