"""Which known names a wrong one may have meant."""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own would cost `import workbench` milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: Longer texts are no misspelt names, and comparing them would take long.
LONG = 200


#: How alike names are, at least (the ratio of `difflib`), and how much less than the best.
LIKE, CLOSE = 0.62, 0.15


def near(name: str, names: Iterable[str]) -> list[str]:
    """Up to three of ``names`` that are like ``name``, the closest first; case does not count."""
    if not isinstance(name, str) or len(name) > LONG:
        return []
    from difflib import SequenceMatcher, get_close_matches

    known: dict[str, list[str]] = {}
    for one in (each for each in names if isinstance(each, str)):
        known.setdefault(one.casefold(), []).append(one)
    asked = name.casefold()
    found = get_close_matches(asked, known, n=3, cutoff=LIKE)
    ratios = [SequenceMatcher(None, one, asked).ratio() for one in found]
    best = [one for one, ratio in zip(found, ratios, strict=True) if ratio > ratios[0] - CLOSE]
    return [one for folded in best for one in known[folded]][:3]


def did_you_mean(name: str, names: Iterable[str], shown: Callable[[str], str] = str) -> str:
    """A question with the closest names, such as "; did you mean score?"; "" if none is close.

    Parameters
    ----------
    name : str
        What was asked for.
    names : iterable of str
        What there is.
    shown : callable
        How a name is written, such as `repr`.
    """
    found = [shown(one) for one in near(name, names)]
    return f"; did you mean {' or '.join(found)}?" if found else ""
