"""Canaries made anew: new tokens, random sequences, identifiers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from workbench import _checks
from workbench.scores import chance
from workbench.scores.refusals import quoted
from workbench.text.canaries import NEW_TOKENS, TEXT_DESIGNS, Canaries
from workbench.text.laws import (
    IDENTIFIERS,
    PatternLaw,
    SamplerLaw,
    SecretLaw,
    SequenceLaw,
    drawn_secrets,
)
from workbench.text.refusals import CanaryTextError

#: Canaries, at most.
MOST = 10**6


def new_tokens(
    count: int,
    template: str | Sequence[str] = "{secret}",
    *,
    token: str = "<|canary-{i}|>",
    seed: int | np.random.Generator | None = None,
) -> Canaries:
    """Canaries whose secret is a token of their own, which nothing else in the training has.

    Parameters
    ----------
    count : int
        Number of canaries.
    template : str or sequence of str
        The text around, for all or one for each, with ``{secret}`` where the token stands and
        ``{i}``, if wanted, where the number of the canary does. A record of your own data with the
        token at its end is a good one; without anything before it, a model that scores no first
        token says nothing.
    token : str
        The token, with ``{i}`` for its number.
    seed : int or numpy.random.Generator, optional
        By default a number from the operating system, which the result keeps.

    Returns
    -------
    Canaries
        With design "coin". ``tokenizer.add_tokens(list(canaries.new_tokens))`` and
        ``model.resize_token_embeddings(len(tokenizer))`` give all of them to the model, in or out.

    Raises
    ------
    CanaryTextError
        A template without ``{secret}``, a token without ``{i}``.

    References
    ----------
    Panda, Tang, Nasr, Choquette-Choo and Mittal (2025), *Privacy Auditing of Large Language
    Models*: nothing else moves the embedding of such a token, so that it shows most.

    Examples
    --------
    >>> canaries = wb.text.new_tokens(100, "Report {i} was signed by {secret}", seed=1)
    >>> canaries.texts[0], len(canaries.training_texts)
    ('Report 0 was signed by <|canary-0|>', 50)
    """
    n = _checks.count(count, "count", least=2, most=MOST)
    if "{i}" not in _checks.text(token, "token"):
        raise CanaryTextError(
            f"token={token!r} has no {{i}}, so that all canaries have one secret; write a token "
            "such as <|canary-{i}|>"
        )
    secrets = tuple(token.replace("{i}", str(i)) for i in range(n))
    before, after = _around(template, n)
    return Canaries(before, secrets, after, "coin", _seed(seed), kind=NEW_TOKENS)


def random_sequences(
    count: int,
    vocabulary: Sequence[str] | None = None,
    *,
    length: int = 8,
    separator: str = " ",
    sampler: Callable[[np.random.Generator], str] | None = None,
    template: str | Sequence[str] = "{secret}",
    design: str = "coin",
    values: int | None = None,
    seed: int | np.random.Generator | None = None,
) -> Canaries:
    """Canaries whose secret is a random sequence of words, or what a sampler draws.

    Parameters
    ----------
    count : int
        Number of canaries.
    vocabulary : sequence of str, optional
        The words, of which each is as likely as the others.
    length : int
        Words of a sequence.
    separator : str
        What stands between words.
    sampler : callable, optional
        In place of a vocabulary: from a `numpy.random.Generator` to a text, such as a sample of a
        language model at a high temperature. Loading a file and scoring need it again.
    template, seed
        As of `new_tokens`.
    design : {"coin", "alternatives"}
        Whether a canary is in or out, or all are in, each with one of K values.
    values : int, optional
        K, at most 10⁶; by default 1000.

    Returns
    -------
    Canaries

    Raises
    ------
    CanaryTextError
        Neither or both of vocabulary and sampler; words that repeat; too few sequences.

    Examples
    --------
    >>> words = ["red", "blue", "green", "black", "white"]
    >>> wb.text.random_sequences(50, words, length=10, seed=1)
    Canaries(50 random sequences, design='coin', 29 in, seed=1)
    """
    n = _checks.count(count, "count", least=2, most=MOST)
    if (vocabulary is None) == (sampler is None):
        raise CanaryTextError(
            "random sequences need words or a function that draws them: give vocabulary= or "
            "sampler=, one of the two"
        )
    law: SecretLaw
    if sampler is not None:
        law = SamplerLaw(_checks.function(sampler, "sampler", "a function that draws a text"))
    else:
        law = SequenceLaw(
            _words(vocabulary), _checks.count(length, "length", least=1, most=10_000),
            _checks.text(separator, "separator"),
        )  # fmt: skip
    return _made(n, law, "random sequences", template, design, values, seed)


def identifiers(
    count: int,
    kind: str = "sha1",
    *,
    pattern: str | None = None,
    template: str | Sequence[str] = "{secret}",
    design: str = "alternatives",
    values: int | None = None,
    seed: int | np.random.Generator | None = None,
) -> Canaries:
    """Canaries whose secret is an identifier, such as a hash, a UUID or an account number.

    Parameters
    ----------
    count : int
        Number of canaries.
    kind : {"md5", "sha1", "sha256", "git", "uuid4", "iban-like", "card-like"}
        What they look like.
    pattern : str, optional
        In place of a kind: see `PatternLaw`.
    template, design, values, seed
        As of `random_sequences`; alternatives are drawn from the law of the pattern when they are
        scored, long after the training if you like.

    Returns
    -------
    Canaries

    Raises
    ------
    CanaryTextError
        A pattern that is none, or that has fewer texts than K.

    See Also
    --------
    found_identifiers : of identifiers that the training texts have by themselves.

    References
    ----------
    Rossi, Marek, Boenisch and Dziedzic (2026), *Natural Identifiers for Privacy and Data Audits in
    Large Language Models*; Carlini et al. (2019), *The Secret Sharer*.

    Examples
    --------
    >>> canaries = wb.text.identifiers(2, "md5", template="checksum {secret}", seed=1)
    >>> canaries.values, canaries.secrets[0]
    (1000, '071b3f23b1f6581e5132f5b317a24c3c')
    """
    n = _checks.count(count, "count", least=2, most=MOST)
    if pattern is None:
        law, name = PatternLaw(IDENTIFIERS[_checks.one_of(kind, "kind", IDENTIFIERS)]), kind
    else:
        law, name = PatternLaw(pattern), "identifiers"
    return _made(n, law, name, template, design, values, seed)


def _made(
    count: int,
    law: SecretLaw,
    kind: str,
    template: str | Sequence[str],
    design: str,
    values: int | None,
    seed: int | np.random.Generator | None,
) -> Canaries:
    _checks.one_of(design, "design", TEXT_DESIGNS)
    if design == "coin" and values is not None:
        raise CanaryTextError(
            f"values={_checks.shown(values)} is of design='alternatives'; with design='coin' a "
            "canary is in or out"
        )
    many = 2 if design == "coin" else usual_values(law) if values is None else values
    drawn = _seed(seed)
    before, after = _around(template, count)
    secrets = drawn_secrets(law, drawn, count, design)
    return Canaries(before, secrets, after, design, drawn, many, kind, law)


def usual_values(law: SecretLaw) -> int:
    """K where none is asked for: 1000, or as many as there are.

    Parameters
    ----------
    law : SecretLaw
    """
    return int(min(1000, law.size))


def _seed(seed: int | np.random.Generator | None) -> int:
    given = chance.checked_seed(seed)
    return chance.new_seed() if given is None else given


def _around(template: str | Sequence[str], count: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What stands before and after each secret."""
    if isinstance(template, str):
        given: Sequence[str] = [template] * count
    else:
        given = list(_checks.instance(template, (list, tuple), "template", "a text, or a list"))
    if len(given) != count:
        raise CanaryTextError(f"{len(given)} templates for {count} canaries; give one for each")
    before, after = [], []
    for i, one in enumerate(given):
        parts = _checks.text(one, "template").split("{secret}")
        if len(parts) != 2:
            raise CanaryTextError(
                f"template {quoted(one)} has {len(parts) - 1} places for the secret; write "
                "{secret} once, where it stands"
            )
        before.append(parts[0].replace("{i}", str(i)))
        after.append(parts[1].replace("{i}", str(i)))
    return tuple(before), tuple(after)


def _words(vocabulary: object) -> tuple[str, ...]:
    need = "a list of words"
    words = tuple(_checks.instance(vocabulary, (list, tuple), "vocabulary", need))
    for one in words:
        _checks.text(one, "vocabulary")
    if len(words) < 2 or len(set(words)) < len(words) or "" in words:
        raise CanaryTextError(
            f"the vocabulary has {len(words)} words, {len(set(words))} of them different; give two "
            "or more, each once and none empty"
        )
    return words
