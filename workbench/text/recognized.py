"""Identifiers that a text has by itself: found after the training, with alternatives drawn then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from workbench import _checks
from workbench.scores import chance
from workbench.text.canaries import MOST_VALUES, Canaries
from workbench.text.laws import IDENTIFIERS, PatternLaw
from workbench.text.making import usual_values
from workbench.text.refusals import CanaryTextError


def found_identifiers(
    texts: str | Iterable[str],
    kind: str = "sha1",
    *,
    pattern: str | None = None,
    context: int = 80,
    values: int | None = None,
    most: int = 1000,
    seed: int | np.random.Generator | None = None,
) -> Canaries:
    """Canaries of identifiers that training texts have by themselves, whoever wrote them.

    Parameters
    ----------
    texts : str or iterable of str
        What the model was trained on, or a part of it that was chosen without the model.
    kind, pattern
        As of `identifiers`.
    context : int
        Characters before an identifier that belong to its canary.
    values : int, optional
        K, at most 10⁶; by default 1000.
    most : int
        Canaries, at most: the first that are found.
    seed : int or numpy.random.Generator, optional
        Draws the alternatives; by default a number from the operating system, which the result
        keeps. It must be new to whoever trained the model.

    Returns
    -------
    Canaries
        With design "alternatives". An identifier that occurs more than once is none of them, since
        one canary would be several records.

    Raises
    ------
    CanaryTextError
        Fewer than two identifiers.

    Notes
    -----
    Bounds hold if the identifiers are independent draws from the law of the pattern, and appear
    nowhere else in the training. Hashes of what nobody chose are as good as that. Numbers with
    check digits, such as IBANs and card numbers, are not: a model that knows the rule tells an
    alternative from a real one without having seen it.

    References
    ----------
    Rossi, Marek, Boenisch and Dziedzic (2026), *Natural Identifiers for Privacy and Data Audits in
    Large Language Models*.

    Examples
    --------
    >>> import hashlib
    >>> lines = [f"commit {hashlib.sha1(bytes([i])).hexdigest()} by me" for i in range(9)]
    >>> wb.text.found_identifiers(lines, seed=1)
    Canaries(9 sha1, design='alternatives', 1,000 values, seed=1)
    """
    if pattern is None:
        law, name = PatternLaw(IDENTIFIERS[_checks.one_of(kind, "kind", IDENTIFIERS)]), kind
    else:
        law, name = PatternLaw(pattern), "identifiers"
    before_it = _checks.count(context, "context")
    limit = _checks.count(most, "most", least=2)
    many = usual_values(law) if values is None else values
    many = _checks.count(many, "values", least=2, most=MOST_VALUES)
    given = chance.checked_seed(seed)
    seen: Counter[str] = Counter()
    before: dict[str, str] = {}
    for text in _each(texts):
        for match in law.expression.finditer(text):
            secret = match[0]
            seen[secret] += 1
            before.setdefault(secret, text[max(match.start() - before_it, 0) : match.start()])
    once = [secret for secret in before if seen[secret] == 1][:limit]
    if len(once) < 2:
        raise CanaryTextError(
            f"{len(once)} identifiers like {law.pattern} occur once in the texts, of {len(before)} "
            "that occur at all; give more texts, or another kind= or pattern="
        )
    return Canaries(
        tuple(before[one] for one in once),
        tuple(once),
        ("",) * len(once),
        design="alternatives",
        seed=chance.new_seed() if given is None else given,
        values=many,
        kind=name,
        law=law,
        found=True,
    )


def _each(texts: str | Iterable[str]) -> Iterable[str]:
    if isinstance(texts, str):
        return (texts,)
    need = "a text, or texts one after the other"
    return (_checks.text(one, "texts") for one in _checks.instance(texts, Iterable, "texts", need))
