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
from workbench.claims.fields import NAMES, split_fields
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
    if taken := {one.name for one in found.arguments} & set(NAMES):
        raise ValueError(f"its argument {min(taken)!r} has the name of a field of all claims")
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
    kind: str = ""  # its class, which is imported where it is needed; "" for that of a kind
    attributes: tuple[str, ...] = ()  # of the class, in the order of the arguments
    words: tuple[str, ...] = ()  # names of the arguments that are words; they may be left out


def _dpsgd(noise: float, rate: float, steps: float, relation: str = "add-remove") -> Pair:
    from workbench.pairs.accounting.dpsgd import NEIGHBORING, DPSGDPair

    # In the words of the claim, before the pair checks them in its own.
    _checks.one_of(relation, "relation", NEIGHBORING)
    noise, steps = _checks.positive(noise, "noise"), _checks.count(steps, "steps", least=1)
    if not 0 < rate <= 1:
        raise ValueError(
            f"rate must lie in (0, 1], got {rate!r}; it is the probability that a record is in a "
            "batch"
        )
    return DPSGDPair(noise, rate, steps, relation)


#: Our pairs that text can name as claims.
_PAIRS = {
    "dpsgd": _NamedPair(
        "dpsgd(noise=1, rate=0.01, steps=1000)", ("noise", "rate", "steps"), _dpsgd,
        "DPSGDPair", ("noise_multiplier", "sample_rate", "steps"), ("relation",),
    ),
    "gaussian": _NamedPair("gaussian(1)", ("mu",), GaussianPair, "GaussianPair", ("mu",)),
    "laplace": _NamedPair("laplace(1)", ("mu",), LaplacePair, "LaplacePair", ("mu",)),
}  # fmt: skip


def our_words() -> frozenset[str]:
    """The words of our claims, and of our pairs that text can name as claims."""
    return frozenset([*CLAIM_KINDS.ours, *_PAIRS])


def _pairs() -> dict[str, _NamedPair]:
    """The pairs that text can name as claims: also those of `PAIR_KINDS`, and of plug-ins."""
    others = {
        name: _NamedPair(
            f"{name}({', '.join(number_text(kind.default(one)) for one in kind.arguments)})",
            tuple(kind.arguments),
            kind.build,
        )
        for name, kind in PAIR_KINDS.items()
        if name not in CLAIM_KINDS.others  # a claim of that name comes first
    }
    return _PAIRS | {name: pair for name, pair in others.items() if name not in _PAIRS}


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
        do not matter. ``dpsgd(…, relation=substitute)`` is for datasets of which one record is
        replaced. Pairs are composed by ``+`` and ``k *``: a training in phases is
        ``dpsgd(1, 0.01, 500) + dpsgd(2, 0.01, 500)``, ten releases ``10 * laplace(0.1)``. The
        optional fields of `workbench.claims.ClaimFields` stand behind the arguments, as in
        ``approx(1, 1e-5, unit=user, mechanism="Gaussian, clipped")``.

    Returns
    -------
    Claim

    Raises
    ------
    ValueError
        Another word, a wrong count or name of arguments, a number outside its range, a field that
        is no field of a claim.

    Examples
    --------
    >>> wb.parse_claim("approx(2, 1e-5)")
    ApproxDP(epsilon=2.0, delta=1e-05)
    >>> print(wb.parse_claim("dpsgd(noise=1, rate=0.01, steps=1000)"))
    no leakier than DP-SGD, σ = 1, q = 0.01, 1000 steps
    >>> print(wb.parse_claim("dpsgd(1, 0.01, 500) + dpsgd(2, 0.01, 500)"))
    no leakier than DP-SGD, σ = 1, q = 0.01, 500 steps + DP-SGD, σ = 2, q = 0.01, 500 steps
    >>> wb.parse_claim("gdp(1, unit=household)")
    GDP(mu=1.0).with_fields(unit='household')
    """
    numbers, fields = split_fields(str(text))
    claim = _without_fields(numbers)
    return claim.with_fields(**fields.given) if fields.given else claim


def _without_fields(text: str) -> Claim:
    """The claim of a text that has no fields."""
    terms = _TERM.findall(str(text).lower())
    if not re.fullmatch(rf"{_TERM_FORM}(\+{_TERM_FORM})*", str(text).lower()):
        raise ValueError(f"cannot read the claim {text!r}; write one of {_examples()}")
    read = [_term(text, word.replace("é", "e"), given) for _, word, given in terms]
    if len(terms) == 1 and not terms[0][0]:
        return PairClaim(read[0]) if isinstance(read[0], Pair) else read[0]
    from workbench.pairs.accounting.composed import ComposedPair

    if len(terms) > MOST_TERMS:
        raise ValueError(
            f"a claim as text composes at most {MOST_TERMS} pairs, got {len(terms)}; in Python, "
            "give a wb.ComposedPair as the claim"
        )
    pairs = []
    for (times, word, _), one in zip(terms, read, strict=True):
        if not isinstance(one, Pair):
            raise ValueError(
                f"{word}(…) in {text!r} is no pair; only pairs are composed: "
                f"{', '.join(each.example for each in _pairs().values())}"
            )
        if times:
            k = _checks.number(times, "the number before '*'")
            one = ComposedPair(one, _checks.count(k, "the number before '*'", least=1))
        pairs.append(one)
    return PairClaim(pairs[0] if len(pairs) == 1 else ComposedPair(tuple(pairs)))


#: One pair or claim of a text, how many times it is released before it.
_TERM_FORM = r"\s*(?:([\d.e]+)\s*\*\s*)?([a-zé][\wé-]*)\s*\(([^()]*)\)\s*"
_TERM = re.compile(_TERM_FORM)

#: Pairs that a text composes at most.
MOST_TERMS = 20


def _term(text: str, word: str, given: str) -> Claim | Pair:
    """The claim or the pair of a word and its arguments."""
    if word not in _PAIRS and word in CLAIM_KINDS:
        kind = CLAIM_KINDS[word]
        names = tuple(argument.name for argument in kind.arguments)
        return kind(**_arguments(text, word, names, given))
    if word in PAIR_KINDS.ours and word not in _PAIRS:
        ours = PAIR_KINDS[word]
        return ours.build(**_arguments(text, word, tuple(ours.arguments), given))
    pair = _PAIRS[word] if word in _PAIRS else _pairs().get(word)  # which imports plug-ins
    if pair is None:
        raise ValueError(f"cannot read the claim {text!r}; write one of {_examples()}")
    return pair.build(**_arguments(text, word, pair.arguments, given, pair.words))


def text_of(claim: Claim) -> str:
    """The text that `parse_claim` reads as this claim; "" for a pair that no text names."""
    if not isinstance(claim, PairClaim):
        return str(claim)
    text = _text_of_pair(claim.pair)
    return f"{text[:-1]}, {claim.fields})" if text and claim.fields.given else text


def _text_of_pair(pair: Pair) -> str:
    if type(pair).__name__ == "ComposedPair":
        return _text_of_composed(pair)
    for word, known in _PAIRS.items():
        if type(pair).__name__ == known.kind:
            values = [getattr(pair, name) for name in known.attributes]
            numbers = ", ".join(map(number_text, values))
            if known.build(*values) == pair:
                return f"{word}({numbers})"
            if word == "dpsgd":
                return f"{word}({numbers}, relation={pair.parameters['neighboring_relation']})"
    if (name := kind_of(pair)) is not None:
        values = [pair.parameters[one] for one in PAIR_KINDS[name].arguments]
        return f"{name}({', '.join(map(number_text, values))})"
    return ""


def _text_of_composed(pair: Any) -> str:
    """The text of a composition whose pairs have one; "" where `parse_claim` would nest them."""
    if isinstance(pair.pair, Pair):
        one = _text_of_pair(pair.pair)
        simple = one and type(pair.pair).__name__ != "ComposedPair"
        return f"{pair.k} * {one}" if simple else ""
    terms = [_text_of_pair(one) for one in pair.pair]
    if not 1 < len(terms) <= MOST_TERMS or pair.k > 1 or not all(terms):
        return ""
    return "" if any(" + " in term for term in terms) else " + ".join(terms)


def _examples() -> str:
    kinds = [kind.example for kind in CLAIM_KINDS.values()]
    return ", ".join([*kinds, *(pair.example for pair in _pairs().values())])


def _arguments(
    text: str, word: str, names: tuple[str, ...], given: str, words: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The arguments by name, from ``"2, 1e-5"`` or ``"epsilon=2, delta=1e-5"``."""
    values: dict[str, str] = {}
    places = zip_longest((*names, *words), given.split(","), fillvalue="")
    for place, (name, part) in enumerate(places):
        if name in words and place > given.count(","):
            continue  # left out
        own, _, value = part.rpartition("=")
        values[own.strip() or name] = value.strip()
    if values.keys() - set(words) != set(names) or not all(values.values()):
        taken = ", ".join([*names, *(f"{name}=…" for name in words)])
        unknown = values.keys() - {*names, *words}
        taken = f"({taken})" + (f" and the fields {', '.join(NAMES)}" if unknown else "")
        raise ValueError(f"{word} takes {taken}, got {text!r}; write one of {_examples()}")
    return {
        name: value if name in words else _checks.number(value, name)
        for name, value in values.items()
    }


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
