"""Scores of texts: what the literature makes of log-probabilities, all larger for members."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from workbench import _checks
from workbench.scores.refusals import quoted
from workbench.text.answers import Answers, LogProb, Numbers, asked
from workbench.text.refusals import CanaryTextError, LogProbabilityError


@dataclass(frozen=True)
class TextSignal:
    """A score of the literature.

    Attributes
    ----------
    label : str
    source : str
        Where it is from.
    tokens : bool
        Whether log-probabilities of tokens are needed.
    reference : bool
        Whether a second model is.
    """

    label: str
    source: str
    tokens: bool = False
    reference: bool = False


SIGNALS = {
    "likelihood": TextSignal("log-probability", "Yeom et al. 2018; Carlini et al. 2019"),
    "perplexity": TextSignal("mean log-probability of a token", "Carlini et al. 2021", tokens=True),
    "min-k": TextSignal("mean of the least likely tokens", "Shi et al. 2024", tokens=True),
    "min-k++": TextSignal(
        "mean of the tokens that are least likely for their place", "Zhang et al. 2024", tokens=True
    ),
    "zlib": TextSignal("log-perplexity over compressed size", "Carlini et al. 2021", tokens=True),
    "lowercase": TextSignal(
        "log-perplexity over that in lower case", "Carlini et al. 2021", tokens=True
    ),
    "perplexity-ratio": TextSignal(
        "log-perplexity over that of a reference", "Carlini et al. 2021", tokens=True,
        reference=True,
    ),
    "reference": TextSignal(
        "log-probability less that of a reference", "Carlini et al. 2022", reference=True
    ),
}  # fmt: skip

#: What is scored of a canary: its secret, given what is before it, or the whole text.
PARTS = ("secret", "text")


@dataclass(frozen=True)
class Scoring:
    """How texts are scored.

    Attributes
    ----------
    model, reference : callable
    signal : str
        One of `SIGNALS`.
    part : {"secret", "text"}
    k : float
        Share of the tokens that min-k takes.
    """

    model: LogProb
    signal: str = "likelihood"
    part: str = "secret"
    k: float = 0.2
    reference: LogProb | None = None

    def __post_init__(self) -> None:
        need = "a function from texts to log-probabilities"
        _checks.function(self.model, "model_log_prob", need)
        _checks.one_of(self.signal, "signal", SIGNALS)
        _checks.one_of(self.part, "part", PARTS)
        if not 0 < _checks.number(self.k, "k") <= 1:
            raise ValueError(f"k must lie in (0, 1], got {self.k!r}; it is a share such as 0.2")
        if self.reference is not None:
            _checks.function(self.reference, "reference", need)
        if SIGNALS[self.signal].reference and self.reference is None:
            raise ValueError(
                f"signal={self.signal!r} compares two models: give reference=, a function such as "
                "that of the model before the training"
            )
        if self.signal == "min-k++" and not hasattr(self.model, "standardized"):
            raise LogProbabilityError(
                "signal='min-k++' needs the mean and spread of all tokens at each place: give "
                "wb.text.causal_model(model, tokenizer), or a function with a method standardized"
            )

    def scores(self, texts: Sequence[str], before: Sequence[str]) -> Numbers:
        """The score of each text, larger for members.

        Parameters
        ----------
        texts : sequence of str
        before : sequence of str
            The beginning of each that is no part of its secret.
        """
        starts = before if self.part == "secret" else [""] * len(texts)
        if self.signal in ("likelihood", "reference"):
            found = _totals(self.model, texts, starts)
            if self.signal == "reference" and self.reference is not None:
                found = found - _totals(self.reference, texts, starts, "reference")
            return found
        if self.signal == "min-k++":
            rows = _standardized(self.model, texts, starts)
            return np.array([_least(row, self.k) for row in rows])
        rows = _tokens(self.model, texts, starts, self.signal)
        if self.signal == "perplexity":
            return np.array([row.mean() for row in rows])
        if self.signal == "min-k":
            return np.array([_least(row, self.k) for row in rows])
        means = np.array([row.mean() for row in rows])
        if self.signal == "zlib":
            sizes = [
                len(zlib.compress(text[len(start) :].encode()))
                for text, start in zip(texts, starts, strict=True)
            ]
            return means / np.array(sizes)
        if self.signal == "lowercase":
            lower = [text.lower() for text in texts], [start.lower() for start in starts]
            others = _tokens(self.model, *lower, self.signal)
        else:
            other = self.model if self.reference is None else self.reference
            others = _tokens(other, texts, starts, self.signal, "reference")
        return -_ratio(means, np.array([row.mean() for row in others]))


def _ratio(these: Numbers, those: Numbers) -> Numbers:
    """The ratio of log-perplexities; 1 where both texts are certain."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = these / those
    return np.where((these == 0) & (those == 0), 1.0, found)


def _least(row: Numbers, k: float) -> float:
    """The mean of the least k of the values, at least one of them."""
    count = max(math.floor(k * row.size), 1)
    return float(np.sort(row)[:count].mean())


def _starts(
    model: Callable[[Sequence[str]], Answers], starts: Sequence[str]
) -> dict[str, tuple[float, int]]:
    """Log-probability and number of tokens of each beginning."""
    different = [one for one in dict.fromkeys(starts) if one]
    known: dict[str, tuple[float, int]] = {"": (0.0, 0)}
    if different:
        said = model(different)
        sizes = [0] * len(different) if said.tokens is None else [row.size for row in said.tokens]
        known |= dict(zip(different, zip(said.totals.tolist(), sizes, strict=True), strict=True))
    return known


def _totals(
    model: LogProb, texts: Sequence[str], starts: Sequence[str], name: str = "model_log_prob"
) -> Numbers:
    said = asked(model, texts, name)
    known = _starts(lambda some: asked(model, some, name), starts)
    return said.totals - np.array([known[start][0] for start in starts])


def _tokens(
    model: LogProb,
    texts: Sequence[str],
    starts: Sequence[str],
    signal: str,
    name: str = "model_log_prob",
) -> list[Numbers]:
    """Log-probabilities of the tokens after each beginning."""
    said = asked(model, texts, name)
    if said.tokens is None:
        raise LogProbabilityError(
            f"signal={signal!r} needs the log-probability of each token, and {name} returned one "
            "number for a text; return an array for each, or take signal='likelihood'"
        )
    known = _starts(lambda some: asked(model, some, name), starts)
    return _after(said.tokens, texts, [known[start][1] for start in starts])


def _standardized(model: LogProb, texts: Sequence[str], starts: Sequence[str]) -> list[Numbers]:
    given = model.standardized(list(texts))  # type: ignore[attr-defined]
    said = asked(model, texts).tokens
    rows = [np.asarray(row, float) for row in given]
    sizes = [] if said is None else [row.size for row in said]
    if [row.size for row in rows] != sizes:
        raise LogProbabilityError(
            "the method standardized must return as many numbers for a text as it has "
            f"log-probabilities of tokens; got {[row.size for row in rows][:5]} for {sizes[:5]}"
        )
    for row, text in zip(rows, texts, strict=True):
        if not np.isfinite(row).all():
            raise LogProbabilityError(
                f"the method standardized returned what is not finite for {quoted(text)}"
            )
    known = _starts(lambda some: asked(model, some), starts)
    return _after(rows, texts, [known[start][1] for start in starts])


def _after(rows: Sequence[Numbers], texts: Sequence[str], sizes: Sequence[int]) -> list[Numbers]:
    for row, text, size in zip(rows, texts, sizes, strict=True):
        if row.size <= size:
            raise CanaryTextError(
                f"nothing of {quoted(text)} is left to score: it has {row.size} scored tokens, and "
                f"{size} of them are before the secret; put text before the secret, or give the "
                "model a first token (bos=)"
            )
    return [row[size:] for row, size in zip(rows, sizes, strict=True)]
