"""`LabelGame`: which of two labels was a record trained on?

A training is (ε, δ)-DP *for labels* if its output changes so little when the label of one record is
replaced (Chaudhuri and Hsu 2011; Ghazi et al. 2021). The game shows an attacker two labels of each
record, one of which it was trained on, in the order of a fair coin, and counts right guesses.

**After the training** (Kalemaj et al. 2025). Record x_i was trained on with the label y_i. The game
draws ỹ_i from a stated law π(·|x_i) of the labels, by chance of its own. Records with ỹ_i = y_i are
no canaries.

**Claim.** If the y_i are independent given the x_i, each of law π(·|x_i), and π does not depend on
them, then given all unordered pairs {y_i, ỹ_i} it is decided by independent fair coins which label
of each pair was trained on, and changing one coin replaces the label of one record.

*Proof.* For labels a ≠ b, P[y_i = a, ỹ_i = b] = π(a|x_i) π(b|x_i) = P[y_i = b, ỹ_i = a], so that
given {y_i, ỹ_i} = {a, b} both are equally likely; records are independent of each other. The
training saw the y_i alone, and the ỹ_i are independent of its output given the y_i. Given the
pairs, the output is thus that of a mechanism whose inputs are independent fair coins; a coin
decides which of two labels one record has. ∎

So the bounds for one run hold with pairs as canaries, whatever records do to each other's scores.
They are *conditional on the law*; `label_law_test` tests it, and a law that is refused makes bounds
void. What follows from the proof:

- *An attacker who knows π gains nothing.* Given the pair, the coin is fair, however likely one of
  the two labels is a priori: π(a|x) π(b|x) has no order. So a guess may use π, x and the pair.
- *The order in which the labels are shown* is one more fair coin, which changes no probability. It
  makes a guess that always names the first of the two right half of the time whatever the law is.
- *A law that is wrong by a factor.* Let every true probability be within e^±η of π's. Then the
  odds of y = a, ỹ = b against y = b, ỹ = a, p(a)π(b)/(p(b)π(a)), are at most e^{2η}. With odds of
  at most e^{2η} in place of 1, the redrawing argument of `workbench.onerun.steinke` has
  e^{ε + 2η} in place of e^ε, and the same δ: its two directions weigh ρδ and (1 − ρ)δ instead of
  δ/2 each. So ε ≥ bound − 2η: `law_error` is η.
- *A law that was fitted to these labels* depends on them, and nothing of this holds. A proxy is
  fitted on other records. `label_law_test` says what it can see of it.

**Before the training** (`LabelGame.plan`). For each canary another label is drawn, in whatever way,
and a fair coin decides which of the two the record is trained on. Given both labels of all canaries
the coins are fair because they were tossed: nothing is assumed of the law, and the attacker may
know which label is the true one.

The bound may be larger than the ε of adding or removing a record, of which labels are a part: a
training that is (ε, δ)-DP for substituting a record is so for labels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._markup import table
from workbench.bounds.bound import Bound
from workbench.curves.validation import Floats
from workbench.labels.law import LabelLaw, LabelsError, read_law
from workbench.labels.law_test import LabelLawTest, standardized, test_of
from workbench.labels.run import LabelRun
from workbench.onerun.bound import one_run_bound
from workbench.onerun.guesses import LABEL_CONDITIONS, Guesses
from workbench.scores import chance
from workbench.scores.chance import Fingerprint

if TYPE_CHECKING:
    import pandas as pd

#: Why bounds after another number for the same labels are void.
SECOND_DRAW = (
    "other labels were drawn for the same labels before, by another random number, so this is a "
    "second try"
)

#: Why bounds are void where the test refuses the law.
REFUSED = "the labels do not follow the stated law (p = {:.2g})"


class LabelPairs(NamedTuple):
    """The canaries of a game: pairs of labels, in the order in which they are shown.

    Attributes
    ----------
    records : ndarray of int, shape (m,)
        Places of their records.
    first, second : ndarray of int, shape (m,)
        Places of the two labels among all.
    trained_on_first : ndarray of bool, shape (m,)
    """

    records: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    trained_on_first: NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class LabelGame:
    """Labels of a training, each against one that was drawn from a stated law after it.

    Parameters
    ----------
    labels : array_like, shape (n,)
        The labels that records had in training: whole numbers from 0 to K − 1, or ``classes``.
    probabilities : array_like, shape (n, K) or (K,)
        The stated law: a row for each record, or one for all. It must not depend on these labels:
        a proxy model is fitted on other records.
    seed : int or numpy.random.Generator, optional
        A number that was drawn by chance after the training. By default one from the operating
        system, the same for the same labels in a process; `chance` has it.
    classes : array_like, shape (K,), optional
        The labels in the order of the columns; 0, 1, …, K − 1 by default.
    features : array_like, shape (n, d), optional
        What is known of the records, for the test of the law.
    name : str
        Shown in titles.

    Raises
    ------
    LabelsError
        Labels or probabilities that do not fit together; fewer than two canaries.

    See Also
    --------
    label_law_test : whether the labels follow the law.

    Notes
    -----
    Guarantee: bounds hold for label privacy at their confidence if the labels follow the law,
    independently of each other. The proof is in the head of `workbench.labels.game`. With
    `LabelGame.plan` before the training, nothing is assumed.

    References
    ----------
    Kalemaj, Melis, Boucher, Mironov and Mahloujifar (2025), *Observational auditing of label
    privacy*, arXiv 2511.14084, for the game after the training.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> law = rng.dirichlet([1, 1, 1], size=500)
    >>> labels = [rng.choice(3, p=row) for row in law]
    >>> game = wb.LabelGame(labels, law, seed=1)
    >>> remembered = np.log(0.9 * np.eye(3)[labels] + 0.1 / 3)  # a model that recites its labels
    >>> print(game.epsilon(remembered, delta=0.0))
    ε at δ = 0 ≥ 4.36 (pointwise, 95%, if labels follow the stated law, replacing a label)
    """

    labels: ArrayLike
    probabilities: ArrayLike | None
    seed: int | np.random.Generator | None = None
    classes: ArrayLike | None = None
    features: ArrayLike | None = None
    name: str = ""
    design: str = "redrawn"
    canaries: ArrayLike | None = None

    def __post_init__(self) -> None:
        _checks.text(self.name, "name")
        _checks.one_of(self.design, "design", DESIGNS_OF_LABELS)
        object.__setattr__(self, "seed", chance.checked_seed(self.seed))
        if self.design == "redrawn" and self.probabilities is None:
            raise LabelsError(
                "after the training, probabilities= must state the law of the labels; before it, "
                "LabelGame.plan(labels, classes=…) needs none"
            )
        object.__setattr__(self, "_law", read_law(self.labels, self.probabilities, self.classes))
        if self.canaries is not None:
            object.__setattr__(
                self, "canaries", _checks.mask(self.canaries, self.law.records, "canaries")
            )
        if self.features is not None:
            standardized(self.features, self.law.records)
        if self.pairs.records.size < 2:
            raise LabelsError(
                f"{self.pairs.records.size} of the {self.law.records} records have two different "
                "labels to guess between, and at least 2 are needed; give more records, or a law "
                "that leaves a choice"
            )

    @classmethod
    def plan(
        cls,
        labels: ArrayLike,
        probabilities: ArrayLike | None = None,
        *,
        canaries: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        seed: int | np.random.Generator | None = None,
        name: str = "",
    ) -> LabelGame:
        """A game whose coins are tossed before the training; `training_labels` is to train on.

        Parameters
        ----------
        labels : array_like, shape (n,)
            The true labels.
        probabilities : array_like, shape (n, K) or (K,), optional
            How the other label of each record is drawn, where it differs from the true one; by
            default all others are equally likely. Nothing rests on it.
        canaries : array_like of bool, shape (n,), optional
            The records whose label a coin decides; by default all.
        classes : array_like, shape (K,), optional
            As in `LabelGame`; needed without probabilities.
        seed : int or numpy.random.Generator, optional
            As in `LabelGame`. Keep it: the same call makes the same game again.
        name : str

        Examples
        --------
        >>> game = wb.LabelGame.plan([0, 1, 1, 0, 1, 0], classes=[0, 1], seed=3)
        >>> game.training_labels.tolist()
        [1, 1, 1, 1, 1, 0]
        """
        return cls(
            labels, probabilities, seed, classes, name=name, design="planned", canaries=canaries
        )

    # -- the draw ---------------------------------------------------------------------------------

    @property
    def law(self) -> LabelLaw:
        """The labels and their law, as they were read."""
        return self._law  # type: ignore[attr-defined]

    @cached_property
    def chance(self) -> int:
        """The random number of the game: `seed`, or one that was drawn for these labels."""
        return chance.seed_of(self._fingerprint, self.seed)  # type: ignore[arg-type]

    @property
    def _fingerprint(self) -> Fingerprint:
        return self.law.fingerprint(self.design)

    @cached_property
    def other_labels(self) -> NDArray[np.int64]:
        """The label that was drawn against each record's own, shape (n,); equal: no canary."""
        rng = chance.generator(self.chance, "pairs", 2)
        if self.design == "redrawn":
            return self.law.draw(1, rng)[0]
        known = self.law
        others = known.rows.copy()
        others[np.arange(known.records), known.labels] = 0
        free = others.sum(axis=1) > 0
        if self.canaries is not None:
            free &= np.asarray(self.canaries)
        found = known.labels.copy()
        if free.any():
            law = LabelLaw(found[free], others[free] / others[free].sum(axis=1, keepdims=True))
            found[free] = law.draw(1, rng)[0]
        return found

    @cached_property
    def pairs(self) -> LabelPairs:
        """The canaries: records with two different labels, in the order in which they are shown."""
        own, other = self.law.labels, self.other_labels
        at = np.flatnonzero(own != other)
        coins = chance.generator(self.chance, "pairs", 3)
        first_is_own = coins.random(self.law.records)[at] < 0.5
        # Which of the two is trained on is a coin of its own where it is tossed before.
        trained_own = np.ones(at.size, bool)
        if self.design == "planned":
            trained_own = coins.random(self.law.records)[at] < 0.5
        return LabelPairs(
            at,
            np.where(first_is_own, own[at], other[at]),
            np.where(first_is_own, other[at], own[at]),
            first_is_own == trained_own,
        )

    @cached_property
    def training_labels(self) -> NDArray[np.int64]:
        """The label that each record has in training, shape (n,), as places among the K."""
        found = self.law.labels.copy()
        shown = self.pairs
        found[shown.records] = np.where(shown.trained_on_first, shown.first, shown.second)
        return found

    @cached_property
    def law_test(self) -> LabelLawTest | None:
        """Whether the labels follow the law; None where coins were tossed before the training."""
        if self.design == "planned":
            return None
        return test_of(self.law, self.features, self.chance)

    @property
    def condition(self) -> str:
        """What bounds rest on."""
        return LABEL_CONDITIONS[DESIGNS_OF_LABELS.index(self.design)]

    @property
    def void(self) -> str | None:
        """Why bounds are not valid; None where nothing is known."""
        if chance.drawn_again(self._fingerprint, self.chance):
            return SECOND_DRAW
        test = self.law_test
        return None if test is None or test.passed else REFUSED.format(test.p_value)

    # -- guesses ----------------------------------------------------------------------------------

    def differences(self, label_scores: ArrayLike) -> Floats:
        """The score of the first label of each pair minus that of the second, shape (m,).

        Parameters
        ----------
        label_scores : array_like, shape (n, K) or (m,)
            For each record and label how much the trained model speaks for it, such as its
            log-probability; or the differences themselves.
        """
        x = _checks.array(label_scores, "label_scores")
        shown, shape = self.pairs, (self.law.records, self.law.values)
        if x.shape == shown.records.shape:
            return x
        if x.shape != shape:
            raise LabelsError(
                f"label_scores must have a row for each record and a column for each label, shape "
                f"{shape}, or a difference for each pair, shape ({shown.records.size},); got the "
                f"shape {x.shape}"
            )
        a, b = x[shown.records, shown.first], x[shown.records, shown.second]
        a, b = (np.where(np.isnan(side), np.inf, side) for side in (a, b))
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(a == b, 0.0, a - b))

    def run(self, label_scores: ArrayLike) -> LabelRun:
        """The game as one run, whose canaries are the pairs.

        Parameters
        ----------
        label_scores : array_like, shape (n, K) or (m,)
            As in `differences`.
        """
        return replace(self._untested(label_scores), void=self.void)

    def _untested(self, label_scores: ArrayLike) -> LabelRun:
        """The run, before it is known whether the law is refused."""
        shown = self.pairs
        return LabelRun(
            self.differences(label_scores),
            shown.trained_on_first,
            ids=shown.records,
            name=self.name,
            seed=self.chance,
            condition=self.condition,
        )

    def guess(self, label_scores: ArrayLike, guesses: int | None = None) -> Guesses:
        """The counts of the guesses: for each pair, the label with the larger score.

        Parameters
        ----------
        label_scores : array_like, shape (n, K) or (m,)
            As in `differences`.
        guesses : int, optional
            How many pairs are guessed, half of them those with the largest differences and half
            those with the smallest, fixed before the result; by default all. Equal scores are
            guessed by chance.
        """
        run = self.run(label_scores)
        number = run.canaries if guesses is None else _checks.count(guesses, "guesses", least=1)
        if number > run.canaries:
            raise LabelsError(f"guesses must be at most the {run.canaries} pairs, got {number}")
        if guesses is None:
            # A tie is a coin of the order in which the labels are shown.
            return run.guess(threshold=0.0)
        return run.guess(k_in=(number + 1) // 2, k_out=number // 2)

    def epsilon(
        self,
        label_scores: ArrayLike,
        *,
        delta: float,
        confidence: float = 0.95,
        guesses: int | None = None,
        law_error: float = 0.0,
    ) -> Bound:
        """Lower bound on the label-privacy ε at δ of the training.

        Parameters
        ----------
        label_scores, guesses
            As in `guess`.
        delta : float
            In [0, 1).
        confidence : float
        law_error : float
            η: the logarithm of each true probability is at most η from that of the stated law, as
            known from elsewhere. It costs 2η. Only after the training.

        Returns
        -------
        Bound
            Void where the law is refused, or where the same labels were audited by another seed.
        """
        eta = _checks.non_negative(law_error, "law_error")
        if eta and self.design == "planned":
            raise LabelsError(
                f"law_error={eta:g} is about a law, on which nothing rests where coins were "
                "tossed before the training; leave it out"
            )
        found = one_run_bound(
            self.guess(label_scores, guesses), delta=delta, confidence=confidence, method="sharp"
        )
        notes = [self._counts(), found.note]
        if eta:
            notes.append(
                f"The law may be wrong by a factor of e^{eta:g} for each label, which costs "
                f"{2 * eta:g}."
            )
        return replace(
            found,
            value=max(found.value - 2 * eta, 0.0),
            note=" ".join(note for note in notes if note),
            recompute=lambda level: self.epsilon(
                label_scores, delta=delta, confidence=level, guesses=guesses, law_error=law_error
            ),
        )

    # -- how it reads -----------------------------------------------------------------------------

    def _counts(self) -> str:
        pairs, n = self.pairs.records.size, self.law.records
        return f"Of {n:,} records, {pairs:,} have two different labels to guess between."

    def explain(self) -> str:
        """The game in plain sentences."""
        if self.design == "planned":
            how = "A fair coin, tossed before the training, decided which of the two each has."
            return f"{self._counts()} {how} Seed {self.chance}."
        test = self.law_test
        said = "" if test is None else test.explain()
        how = (
            "The other label of each was drawn from the stated law after the training, and bounds "
            "hold if the own labels follow it too."
        )
        return f"{self._counts()} {how} {said} Seed {self.chance}."

    def to_frame(self) -> pd.DataFrame:
        """One row for each pair: ``record``, ``first``, ``second``, ``trained_on_first``."""
        import pandas as pd

        shown = self.pairs
        return pd.DataFrame(
            {
                "record": shown.records,
                "first": shown.first,
                "second": shown.second,
                "trained_on_first": shown.trained_on_first,
            }
        )

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        return (
            f"LabelGame({name}{self.law.records:,} records, {self.law.values} labels, "
            f"{self.pairs.records.size:,} pairs, {self.design}, seed {self.chance})"
        )

    def _repr_html_(self) -> str:
        rows = [("records", f"{self.law.records:,}"), ("labels", f"{self.law.values:,}")]
        rows += [("pairs to guess", f"{self.pairs.records.size:,}"), ("seed", str(self.chance))]
        if self.law_test is not None:
            rows.append(("p-value of the law", f"{self.law_test.p_value:.2g}"))
        return table(f"Game of labels {self.name}".strip(), rows, self.explain())


#: When the coins of a game are tossed: the law implies them after the training, or before it.
DESIGNS_OF_LABELS = ("redrawn", "planned")
