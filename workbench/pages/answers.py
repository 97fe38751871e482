"""What the answers of several pages have in common: a bound in half a line, and a void answer."""

from __future__ import annotations

from workbench._format import percent
from workbench.bounds.bound import Bound
from workbench.pages.core.page import Answer


def in_brief(bound: Bound) -> str:
    """A bound in half a line: "ε ≥ 2.13 at δ = 1e-5, 95%".

    Parameters
    ----------
    bound : Bound
    """
    symbol, _, at = bound.symbol.partition(" at ")
    level = "" if bound.confidence is None else f", {percent(bound.confidence)}"
    return f"{symbol} {bound.relation} {bound.rounded}{f' at {at}' if at else ''}{level}"


def nothing_concluded(why: str) -> Answer:
    """The answer where a guarantee is void.

    Parameters
    ----------
    why : str
        What it is void for, in the words of `Validity.words`.
    """
    return Answer("Nothing may be concluded", why, "void")


def unfinished(why: str) -> Answer:
    """The answer before there is a result.

    Parameters
    ----------
    why : str
        What is missing, such as what to press, as a sentence.
    """
    return Answer("Nothing to conclude yet", why, "open")
