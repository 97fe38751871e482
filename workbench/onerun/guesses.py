"""`Guesses`: counts of guesses on the canaries of one run, and the rules that make them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scipy.special import bdtr

from workbench import _checks
from workbench._frames import to_frame

#: How it was decided which canaries are in the training data.
DESIGNS = ("fair-coins", "fixed-half", "fixed-size", "matched-pairs", "given")

#: Designs in which members are a random part of a fixed size, so that no canary has its own coin.
RANDOM_PARTS = ("fixed-half", "fixed-size")

#: What the coins of pairs of labels rest on, of a `workbench.LabelGame`: the law of the labels, or
#: coins that were drawn before the training.
LABEL_CONDITIONS = ("labels that follow the stated law", "fair coins of labels")

#: What values rest on that nobody drew, such as identifiers that were found in a text.
LAW_OF_VALUES = "values that follow the stated law"

#: Bounds remark on inclusions whose p-value under fair coins is below this.
REMARKABLE = 0.01


@dataclass(frozen=True)
class Threshold:
    """Rule that guesses every canary: "in" where its score is on the member side of a threshold.

    Parameters
    ----------
    threshold : float
        In score units; a score equal to it is guessed "out".
    """

    threshold: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", _checks.number(self.threshold, "threshold"))

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `OneRun.guess`."""
        return {"threshold": self.threshold}

    def scaled(self, canaries: int, of: int) -> Threshold:
        """The rule for a subset of the canaries: itself.

        Parameters
        ----------
        canaries, of : int
            As in `Ends.scaled`.
        """
        return self

    def __str__(self) -> str:
        return f"threshold {self.threshold:g}"


@dataclass(frozen=True)
class Ends:
    """Rule that guesses the most extreme canaries and abstains on the others.

    Parameters
    ----------
    k_in : int
        Number of most member-like canaries that are guessed "in".
    k_out : int
        Number of least member-like canaries that are guessed "out".
    """

    k_in: int
    k_out: int

    def __post_init__(self) -> None:
        for name in ("k_in", "k_out"):
            object.__setattr__(self, name, _checks.count(getattr(self, name), name))

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `OneRun.guess`."""
        return {"k_in": self.k_in, "k_out": self.k_out}

    def scaled(self, canaries: int, of: int) -> Ends:
        """The rule for a subset: the same shares, and at least one guess.

        Parameters
        ----------
        canaries : int
            Size of the subset.
        of : int
            Number of canaries that this rule is for.
        """
        canaries, of = _checks.count(canaries, "canaries"), _checks.count(of, "of", least=1)
        guesses = max(round((self.k_in + self.k_out) * canaries / of), 1)
        k_in = min(round(self.k_in * canaries / of), guesses)
        return Ends(k_in, guesses - k_in)

    def __str__(self) -> str:
        return f"top {self.k_in} in, bottom {self.k_out} out"


Rule = Threshold | Ends


@dataclass(frozen=True)
class Guesses:
    """Counts of the guesses on the canaries of one run: how many were made, how many are correct.

    Parameters
    ----------
    canaries : int
        Number m of canaries.
    guesses : int
        Number r of guesses, at most m; on the other canaries the auditor abstains. Without guesses
        all bounds are 0.
    correct : int
        Number c of correct guesses.
    included : int, optional
        Number of canaries that were in the training data, if known.
    design : {"fair-coins", "fixed-half", "fixed-size", "matched-pairs", "given"}
        How inclusion was decided: an independent fair coin for each canary, a random half, a random
        part of another fixed size, or a fair coin for each pair of records, one of which was in;
        a canary is a pair then, and a guess says which of the two was in. "given": nobody drew it,
        so that numbers are estimates.
    rule : Threshold or Ends, optional
        The rule that made the guesses.
    values : int
        2 where a guess says "in" or "out". Otherwise the number of values of which each canary had
        one, drawn uniformly and independently, and of which a guess names one.
    seed : int, optional
        The random number by which records were matched, of `matched_pairs`.
    void : str, optional
        Why bounds from these guesses are not valid; None where nothing is known.
    top : int
        Number of values that each guess names, below ``values`` and fixed in advance; it is correct
        if the true one is among them.
    condition : str, optional
        What the draw rests on where it was not made for the audit: "labels that follow the stated
        law" or "fair coins of labels", where a canary is a pair of labels of one record
        (`LabelGame`); "values that follow the stated law", where values were found.

    Raises
    ------
    ValueError
        Counts that contradict each other.
    """

    canaries: int
    guesses: int
    correct: int
    included: int | None = None
    design: str = "fair-coins"
    rule: Rule | None = None
    values: int = 2
    seed: int | None = None
    void: str | None = None
    top: int = 1
    condition: str | None = None

    to_frame = to_frame

    def __post_init__(self) -> None:
        m = _checks.count(self.canaries, "canaries", least=1)
        r = _checks.count(self.guesses, "guesses")
        c = _checks.count(self.correct, "correct")
        for field, value in (("canaries", m), ("guesses", r), ("correct", c)):
            object.__setattr__(self, field, value)
        if r > m:
            raise ValueError(
                f"guesses must be at most the {m} canaries, got {r}; count each canary once"
            )
        if c > r:
            raise ValueError(f"correct must be at most the {r} guesses, got {c}")
        _checks.one_of(self.design, "design", DESIGNS)
        object.__setattr__(self, "values", _checks.count(self.values, "values", least=2))
        object.__setattr__(self, "top", _checks.count(self.top, "top", least=1))
        if self.top >= self.values:
            raise ValueError(
                f"top must be below the {self.values} values, got {self.top}: a guess that names "
                "all of them is always right"
            )
        if self.seed is not None:
            object.__setattr__(self, "seed", _checks.count(self.seed, "seed"))
        if self.void is not None:
            _checks.text(self.void, "void")
        if self.condition is not None:
            _checks.one_of(self.condition, "condition", (*LABEL_CONDITIONS, LAW_OF_VALUES))
            if self.of_labels and self.design != "matched-pairs":
                raise ValueError(
                    "condition= is of pairs of labels, one of which was trained on; state "
                    f"design='matched-pairs', got {self.design!r}"
                )
        if self.values > 2 and (self.included is not None or self.design != DESIGNS[0]):
            raise ValueError(
                f"with values={self.values} each canary has a value and none is out; leave out "
                "included= and design="
            )
        if self.included is not None:
            k = _checks.count(self.included, "included")
            object.__setattr__(self, "included", k)
            if self.design == "matched-pairs":
                raise ValueError(
                    "design='matched-pairs' means that one record of each pair was in; leave out "
                    f"included=, got {k}"
                )
            if k in (0, m) and m > 1:
                raise ValueError(
                    f"all {m} canaries were {'in' if k else 'out'}, so nothing can be guessed; "
                    "each must be put in by its own fair coin"
                )
            if k > m:
                raise ValueError(f"included must be at most the {m} canaries, got {k}")
            if self.design == "fixed-half" and 2 * k != m:
                raise ValueError(f"design='fixed-half' means that half were in, got {k} of {m}")

    @property
    def of_labels(self) -> bool:
        """Whether a canary is a pair of labels of one record."""
        return self.condition in LABEL_CONDITIONS

    @property
    def errors(self) -> int:
        """Number of wrong guesses."""
        return self.guesses - self.correct

    @property
    def accuracy(self) -> float:
        """Fraction of the guesses that are correct; NaN without guesses."""
        return self.correct / self.guesses if self.guesses else math.nan


def coins_p_value(included: int, canaries: int) -> float:
    """Two-sided p-value of the number of included canaries under fair coins.

    Returns
    -------
    float
        Twice the smaller binomial tail, at most 1.
    """
    fewer = min(included, canaries - included)
    return min(2 * float(bdtr(fewer, canaries, 0.5)), 1.0)
