"""The claims that text can name, and a claim from what a caller gives."""

from __future__ import annotations

import re

from workbench import _checks
from workbench.claims.approx import ApproxDP
from workbench.claims.base import Claim
from workbench.claims.gdp import GDP
from workbench.claims.pair import PairClaim
from workbench.claims.pure import PureDP
from workbench.claims.renyi import RenyiDP
from workbench.claims.zcdp import ZCDP
from workbench.pairs.base import Pair

#: The registry of claims: one line each. Text, pages and command lines offer them in this order.
CLAIMS: tuple[type[Claim], ...] = (
    ApproxDP,
    PureDP,
    RenyiDP,
    GDP,
    ZCDP,
)


def parse_claim(text: str) -> Claim:
    """A claim from text such as ``"approx(2, 1e-5)"``.

    Parameters
    ----------
    text : str
        The word of a claim of `CLAIMS` and its arguments, such as ``approx(epsilon, delta)``,
        ``pure(epsilon)``, ``renyi(order, epsilon)`` or ``gdp(mu)``; case and spaces do not matter.

    Returns
    -------
    Claim

    Raises
    ------
    ValueError
        Another word, a wrong count of numbers, a number outside its range.

    Examples
    --------
    >>> wb.parse_claim("approx(2, 1e-5)")
    ApproxDP(epsilon=2.0, delta=1e-05)
    """
    examples = ", ".join(kind.example for kind in CLAIMS)
    match = re.fullmatch(r"\s*([a-zé]+)\s*\(([^()]*)\)\s*", str(text).lower())
    word = match[1].replace("é", "e") if match else ""
    kind = next((kind for kind in CLAIMS if kind.word == word), None)
    if match is None or kind is None:
        raise ValueError(f"cannot read the claim {text!r}; write one of {examples}")
    names = [argument.name for argument in kind.arguments]
    values = [part.strip() for part in match[2].split(",")]
    if len(values) != len(names) or not all(values):
        raise ValueError(
            f"{word} takes ({', '.join(names)}), got {text!r}; write one of {examples}"
        )
    return kind(*(_checks.number(v, name) for v, name in zip(values, names, strict=True)))


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
