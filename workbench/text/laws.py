"""The laws that secrets are drawn from: patterns, sequences of a vocabulary, any sampler.

A law is known before the draw, so that alternatives of a secret can be drawn from it at any later
time, also after the training.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from workbench import _checks
from workbench.scores.refusals import quoted
from workbench.text.draws import Draws
from workbench.text.refusals import CanaryTextError

#: Name -> the pattern of identifiers that occur in texts by themselves.
IDENTIFIERS = {
    "md5": "[0-9a-f]{32}",
    "sha1": "[0-9a-f]{40}",
    "sha256": "[0-9a-f]{64}",
    "git": "[0-9a-f]{7}",
    "uuid4": "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    "iban-like": "[A-Z]{2}[0-9]{20}",
    "card-like": "[0-9]{4} [0-9]{4} [0-9]{4} [0-9]{4}",
}

#: Secrets of a law that are enumerated, at most; larger laws are sampled.
ENUMERABLE = 2**20

#: Letters of a pattern, at most: a secret is no document.
_LONGEST = 10_000

#: Draws for each secret, at most, until it differs from all before.
_TRIES = 100

_PIECE = re.compile(r"\[((?:\\.|[^\]\\])+)\]|\\(.)|([^\[\]{}\\])", re.DOTALL)
_TIMES = re.compile(r"\{(\d+)\}")


class SecretLaw(Protocol):
    """What secrets are drawn from."""

    @property
    def size(self) -> float:
        """Number of secrets there are, all equally likely; infinite where it is not known."""
        ...

    def draw(self, draws: Draws, count: int) -> list[str]:
        """``count`` secrets, independently."""
        ...

    def to_json(self) -> dict[str, Any]:
        """What is kept of it in a file."""
        ...


@dataclass(frozen=True)
class PatternLaw:
    r"""The uniform law on the texts of a pattern.

    Parameters
    ----------
    pattern : str
        Characters, classes such as ``[0-9a-f]`` and counts such as ``{32}``; ``\`` before a
        character takes it as it is.

    Raises
    ------
    CanaryTextError
        What is no such pattern, or has one text only.

    Examples
    --------
    >>> wb.text.PatternLaw("PIN [0-9]{4}").size
    10000.0
    """

    pattern: str
    places: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _checks.text(self.pattern, "pattern")
        if "\0" in self.pattern:
            raise CanaryTextError("the pattern has the character NUL, which ends texts elsewhere")
        object.__setattr__(self, "places", tuple(_places(self.pattern)))
        if self.size < 2:
            raise CanaryTextError(
                f"the pattern {quoted(self.pattern)} has one text only, so nothing can be guessed; "
                "give classes such as [0-9a-f]{32}"
            )

    @property
    def size(self) -> float:
        """Number of texts."""
        log = sum(math.log2(len(letters)) for letters in self.places)
        return math.inf if log > 1000 else float(math.prod(map(len, self.places)))

    @property
    def expression(self) -> re.Pattern[str]:
        """The regular expression that finds such texts where no word goes on."""
        return re.compile(rf"(?<![0-9A-Za-z])(?:{_as_expression(self.places)})(?![0-9A-Za-z])")

    def draw(self, draws: Draws, count: int) -> list[str]:
        """Texts of the pattern, each as likely as the others, independently.

        Parameters
        ----------
        draws : Draws
        count : int
        """
        found = np.empty((count, len(self.places)), np.uint32)
        for at, letters in enumerate(self.places):
            codes = np.array([ord(one) for one in letters], np.uint32)
            found[:, at] = codes[draws.below(codes.size, (count,))] if codes.size > 1 else codes[0]
        return [str(one) for one in found.view(f"=U{len(self.places)}")[:, 0].tolist()]

    def text(self, number: int) -> str:
        """The text of a number from 0 to `size` − 1, in the order of the pattern.

        Parameters
        ----------
        number : int
        """
        found = []
        for letters in reversed(self.places):
            number, at = divmod(number, len(letters))
            found.append(letters[at])
        return "".join(reversed(found))

    def to_json(self) -> dict[str, Any]:
        """What is kept of it in a file."""
        return {"law": "pattern", "pattern": self.pattern}


@dataclass(frozen=True)
class SequenceLaw:
    """Words of a vocabulary in a row, each drawn uniformly and independently.

    Parameters
    ----------
    vocabulary : tuple of str
    length : int
        Words of a sequence.
    separator : str
        What stands between words.
    """

    vocabulary: tuple[str, ...] = field(repr=False)
    length: int
    separator: str = " "

    @property
    def size(self) -> float:
        """Number of sequences."""
        log = self.length * math.log2(len(self.vocabulary))
        return math.inf if log > 1000 else float(len(self.vocabulary) ** self.length)

    def draw(self, draws: Draws, count: int) -> list[str]:
        """Sequences, each as likely as the others, independently.

        Parameters
        ----------
        draws : Draws
        count : int
        """
        rows = draws.below(len(self.vocabulary), (count, self.length))
        return [self.separator.join(self.vocabulary[i] for i in row) for row in rows.tolist()]

    def text(self, number: int) -> str:
        """The sequence of a number from 0 to `size` − 1.

        Parameters
        ----------
        number : int
        """
        found = []
        for _ in range(self.length):
            number, at = divmod(number, len(self.vocabulary))
            found.append(self.vocabulary[at])
        return self.separator.join(reversed(found))

    def to_json(self) -> dict[str, Any]:
        """What is kept of it in a file."""
        return {
            "law": "sequence",
            "vocabulary": list(self.vocabulary),
            "length": self.length,
            "separator": self.separator,
        }


@dataclass(frozen=True)
class SamplerLaw:
    """Whatever a function draws, such as samples of a model at a high temperature.

    Parameters
    ----------
    sampler : callable
        From a `numpy.random.Generator` to a text.
    """

    sampler: Callable[[np.random.Generator], str]
    size: float = field(default=math.inf, init=False)

    def draw(self, draws: Draws, count: int) -> list[str]:
        """Texts of the sampler, independently if it is.

        Parameters
        ----------
        draws : Draws
        count : int
        """
        rng = draws.generator()
        found = [self.sampler(rng) for _ in range(count)]
        for one in found:
            if not isinstance(one, str):
                raise TypeError(
                    f"the sampler must return a text, got {_checks.shown(one)}, a "
                    f"{type(one).__name__}; it is called with a numpy.random.Generator"
                )
        return found

    def to_json(self) -> dict[str, Any]:
        """What is kept of it in a file: that the function has to be given again."""
        return {"law": "sampler"}


def law_of(kept: dict[str, Any]) -> SecretLaw | None:
    """The law of what a file keeps; None where it is a function, which no file keeps.

    Parameters
    ----------
    kept : dict
        As of `SecretLaw.to_json`.
    """
    kind = kept.get("law")
    if kind == "pattern":
        return PatternLaw(kept["pattern"])
    if kind == "sequence":
        return SequenceLaw(tuple(kept["vocabulary"]), kept["length"], kept["separator"])
    return None


def drawn_secrets(law: SecretLaw, seed: int, count: int, design: str) -> tuple[str, ...]:
    """The secrets that follow from a seed: different ones where canaries are in or out.

    Parameters
    ----------
    law : SecretLaw
    seed : int
    count : int
    design : {"coin", "alternatives"}

    Raises
    ------
    CanaryTextError
        Secrets with coins whose law repeats them.
    """
    draws = Draws(seed, "secrets")
    if design == "alternatives":  # independent draws, as alternatives are
        return tuple(law.draw(draws, count))
    found: dict[str, None] = {}
    for _ in range(_TRIES):
        found |= dict.fromkeys(law.draw(draws, count - len(found)))
        if len(found) == count:
            return tuple(found)
    raise CanaryTextError(
        f"only {len(found)} different secrets came out of {_TRIES} draws of {count}: canaries with "
        "one secret are one canary; give longer secrets, or fewer canaries"
    )


def candidates(
    law: SecretLaw, secret: str, values: int, draws: Draws, batch: int
) -> tuple[int, Iterator[list[str]]]:
    """The place of a secret among its candidates, and the candidates in batches.

    Parameters
    ----------
    law : SecretLaw
    secret : str
        One draw of the law.
    values : int
        Number of candidates; the secret is one of them, at a random place.
    draws : Draws
    batch : int
        Texts held at once.

    Notes
    -----
    The secret stands among the others, so that nothing but the model can tell it from them: also
    not the rounding of scores that are computed at another time. Of a law with up to `ENUMERABLE`
    texts all candidates differ. Of a larger one they are drawn independently; one that equals
    another counts as a value of its own, and all of them are as exchangeable.
    """
    others: Iterator[str]
    place = int(draws.below(values, (1,))[0])
    if law.size <= ENUMERABLE and not isinstance(law, SamplerLaw):
        known: Any = law
        numbers = (known.text(int(i)) for i in draws.order(int(law.size)))
        others = (one for one in numbers if one != secret)
    else:
        others = _drawn(law, draws, batch)
    return place, _with(secret, place, others, values, batch)


def _drawn(law: SecretLaw, draws: Draws, batch: int) -> Iterator[str]:
    while True:
        yield from law.draw(draws, batch)


def _with(
    secret: str, place: int, others: Iterator[str], values: int, batch: int
) -> Iterator[list[str]]:
    for start in range(0, values, batch):
        places = range(start, min(start + batch, values))
        yield [secret if at == place else next(others) for at in places]


def _places(pattern: str) -> Iterator[str]:
    at, places = 0, 0
    while at < len(pattern):
        piece = _PIECE.match(pattern, at)
        if piece is None:
            raise CanaryTextError(
                f"{quoted(pattern)} is no pattern from character {at} on: characters, classes such "
                "as [0-9a-f] and counts such as {32} are known; put \\ before a character that is "
                "meant as it is"
            )
        letters = _class(piece[1], pattern) if piece[1] else piece[2] or piece[3]
        at = piece.end()
        times = _TIMES.match(pattern, at)
        repeats = 1
        if times:
            repeats, at = int(times[1]), times.end()
        places += repeats
        if places > _LONGEST:
            raise CanaryTextError(
                f"{quoted(pattern)} has more than {_LONGEST:,} characters; give a shorter secret"
            )
        yield from [letters] * repeats


def _class(inside: str, pattern: str) -> str:
    """The letters of a class, each once, in the order of the class."""
    found: list[str] = []
    letters = re.findall(r"\\.|[^\\]", inside, re.DOTALL)
    plain = [one[-1] for one in letters]
    at = 0
    while at < len(plain):
        if at + 2 < len(plain) and letters[at + 1] == "-":
            first, last = ord(plain[at]), ord(plain[at + 2])
            if first > last:
                raise CanaryTextError(
                    f"{quoted(pattern)} has the range {plain[at]}-{plain[at + 2]}, whose ends are "
                    "the wrong way round"
                )
            found += map(chr, range(first, last + 1))
            at += 3
        else:
            found.append(plain[at])
            at += 1
    return "".join(dict.fromkeys(found))


def _as_expression(places: tuple[str, ...]) -> str:
    pieces: list[list[Any]] = []
    for letters in places:
        if pieces and pieces[-1][0] == letters:
            pieces[-1][1] += 1
        else:
            pieces.append([letters, 1])
    return "".join(
        ("[" + "".join(re.escape(c) for c in letters) + "]") + f"{{{times}}}"
        for letters, times in pieces
    )
