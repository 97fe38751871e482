"""`logged_numbers`: under which names the numbers of a bound are logged, and what is said of them.

A name says what the number is, so that a table of runs that shows names and numbers alone misleads
nobody: the quantity, at which δ, which side, at which confidence, if of which family, and last the
guarantee. An estimate ends in "estimate", and a bound that is not valid in "not_valid".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict

from workbench.bounds.bound import Bound

#: The folder of all names, and what a step is there.
FOLDER = "dp_audit"

#: Texts of trackers are cut off here; the file beside has them whole.
LONGEST_TEXT = 1000


def key_of(bound: Bound) -> str:
    """The name of a bound in a tracker, without the folder.

    Parameters
    ----------
    bound : Bound

    Examples
    --------
    >>> from workbench.trackers.naming import key_of
    >>> key_of(wb.epsilon_from_counts(tp=40, fp=10, tn=40, fn=10, delta=1e-5))
    'epsilon_lower_delta_1e-05_95pct_pointwise'
    >>> key_of(wb.gdp_fit(wb.example("gaussian"), method="tv"))
    'mu_if_gaussian_estimate'
    """
    bounds = bound.guarantee != "estimate"
    parts = [bound.quantity]
    if bounds:
        parts.append("interval" if bound.side == "two" else bound.side)
    parts += [f"{name}_{value:g}" for name, value in asdict(bound.at).items() if value is not None]
    if bound.confidence is not None:
        parts.append(f"{100 * bound.confidence:.6g}pct")
    if bound.family is not None:
        parts.append(f"if_{bound.family.lower()}")
    parts.append(bound.guarantee)
    if bounds and bound.void is not None:
        parts.append("not_valid")
    return re.sub(r"[^a-z0-9_.-]+", "_", "_".join(parts))


def path_of(*parts: str) -> str:
    """A name in the folder of all names.

    Parameters
    ----------
    *parts : str
        Empty ones are left out.
    """
    return "/".join((FOLDER, *(part for part in parts if part)))


def logged_numbers(
    bounds: Iterable[tuple[str, Bound]],
) -> tuple[dict[str, float], dict[str, str]]:
    """The numbers of bounds by name, and texts about each.

    Parameters
    ----------
    bounds : iterable of (str, Bound)
        Each with the folder that it goes to, as of `path_of`.

    Returns
    -------
    numbers : dict from str to float
    texts : dict from str to str
        "NAME.guarantee" and the like.

    Raises
    ------
    ValueError
        Two bounds with one name.
    """
    numbers: dict[str, float] = {}
    texts: dict[str, str] = {}
    for own, bound in bounds:
        key = f"{own}/{key_of(bound)}"
        ends = {key: bound.value}
        if bound.high is not None and bound.guarantee != "estimate":
            ends = {f"{key}.low": bound.value, f"{key}.high": bound.high}
        if taken := ends.keys() & numbers.keys():
            raise ValueError(
                f"two results are called {min(taken)}; name them apart, as in "
                'wb.trackers.log({"attack A": a, "attack B": b}, run)'
            )
        numbers |= ends
        texts |= {f"{key}.{name}": text for name, text in _said(bound).items()}
    return numbers, texts


def _said(bound: Bound) -> dict[str, str]:
    """What a reader of the number has to know."""
    free = "none" if bound.guarantee == "estimate" else "none: distribution-free"
    said = {
        "statement": str(bound),
        "guarantee": bound.guarantee,
        "assumption": bound.assumption,
        "method": bound.method,
        "family": bound.family or free,
        "n_p": str(bound.n_p),
        "n_q": str(bound.n_q),
    }
    for name in ("confidence", "canaries", "guesses", "correct", "checked", "void", "note"):
        value = getattr(bound, name)
        if value is not None:
            said[name] = str(value)
    return {name: _cut(text) for name, text in said.items()}


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"
