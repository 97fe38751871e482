"""`matched_pairs`: pairs of a member and a held-out record, whose orientations are fair coins.

A random half of 2n records is in the training set. Their inclusions depend on each other, so that
the bounds for fair coins do not apply to them. They apply to pairs: match every member with a
held-out record by a uniformly random bijection, drawn after the training and independently of it.

**Claim.** Given the n unordered pairs, which record of each pair was in is decided by independent
fair coins, and changing one coin substitutes one record of the training set by another.

*Proof.* Let S be the set of members, uniform among the subsets of its size k of N records, and let
l = N − k. Say k ≤ l; else exchange the roles of members and held-out records. Given S, draw an
injection of S into its complement, uniform among the l!/(l − k)! there are. So all
N!/(k! l!) · l!/(l − k)! couples of a set and an injection are equally likely. A couple determines
the k unordered pairs, the l − k records U that are left over, and for each pair which of the two
was in; and these determine the couple: S is made of the ones that were in, and the injection maps
each to its partner. Hence for each choice of pairs (and of U, which is what the pairs do not have)
all 2^k orientations belong to exactly one couple each, and are equally likely. The injection is
drawn by chance that depends on nothing else, so that given S it is independent of what the training
did, and the output of the training depends on the couple through S alone. Given the pairs, it is
thus the output of a mechanism whose inputs are k independent fair coins, with the records of U held
out (or, if k > l, in) whatever the coins are. Flipping a coin takes a record out of S and puts its
partner in. ∎

If training is (ε, δ)-DP for substituting a record, that mechanism is (ε, δ)-DP in each of its
coins, which is all that Theorem 5.2 of Steinke, Nasr and Jagielski (2023), its sharp form
(`workbench.onerun.steinke`) and the recursion of Mahloujifar, Melis and Chaudhuri (2024) ask for:
they hold with k canaries, however the records influence each other's scores. The methods for
independent bits ask in addition that pairs do not influence each other. A guess may look at all
scores and at the unordered pairs; here it looks at the difference of the two scores of a pair,
first minus second, where another fair coin says which is called the first.

- *Groups of different sizes* are covered: the smaller one is matched injectively at random.
- *Within groups of records*, such as classes, that were known before the training: given how many
  members each group has, S is uniform in each of them, and independent. The proof applies to each.
- *Fair coins*: given their number, the members are a uniform subset. So a run with a fair coin for
  each record may be matched as well. It then speaks of substitution instead of adding or removing.
- *A part that was not random*, such as the first half of a file or the test split of a benchmark,
  is not covered, and no test of the data can show that it was random. The assumption stands in the
  badge of every such bound.
- *The bijection must not look at scores*: matching the highest member with the lowest held-out
  record would make every guess right. It follows from `OneRun.chance`, drawn from the operating
  system once for the same data, or given as seed. A second one for the same data is a second try,
  and its bounds are not valid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench import _checks
from workbench._markup import table
from workbench._plot import beside
from workbench.bounds.random_split import second_split
from workbench.curves.validation import Floats
from workbench.onerun.guesses import Guesses, Rule
from workbench.onerun.run import OneRun
from workbench.scores.chance import Fingerprint, generator
from workbench.scores.ordered import oriented
from workbench.scores.sample import Scores, ScoresError

if TYPE_CHECKING:
    import pandas as pd

#: Why there are no pairs.
GIVEN_PAIRS = (
    "{}='given' means that nobody drew who was in, so a member and a record that was out were not "
    "as likely the other way round, whatever pairs are made; guess single records, of which "
    "estimates follow: run.guess(...), or see wb.panoramia"
)

#: Sampling of scores that are not of one run.
_NOT_ONE_RUN = ("independent runs", "clustered")


@dataclass(frozen=True, eq=False, repr=False)
class MatchedPairs(OneRun):
    """Pairs of records, one of which was in: canaries with fair coins, as `matched_pairs` makes.

    Parameters
    ----------
    scores : array_like, shape (n,)
        Score of the first record of each pair minus that of the second, in the direction in which
        larger means member; 0 where both are equal.
    included : array_like of 0 and 1, shape (n,)
        Whether the first was in.
    larger_is_member, ids, design, name, seed
        As in `OneRun`; the design is "matched-pairs".
    run : OneRun
        The run whose records were matched.
    first, second : array_like of int, shape (n,)
        Their places in the run.

    Notes
    -----
    All that a `OneRun` can do, with pairs as canaries: ``guess`` by a threshold of 0, or by the
    ends, which abstains on small differences; `tune_one_run`; `one_run_bound`.
    """

    design: str = "matched-pairs"
    run: OneRun | None = None
    first: NDArray[np.int64] | None = None
    second: NDArray[np.int64] | None = None

    _drew_sides: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.design != "matched-pairs":
            raise ValueError(f"design must be 'matched-pairs' of pairs, got {self.design!r}")
        run, places = self.of, []
        for name in ("first", "second"):
            given = getattr(self, name)
            found = _checks.indices(() if given is None else given, run.canaries, name)
            if found.shape != self.scores.shape:
                raise ScoresError(
                    f"{name} must have the place in the run of a record of each of the "
                    f"{self.canaries} pairs, got {found.size}"
                )
            places.append(found)
            object.__setattr__(self, name, found)
        first, second = places
        was_in = run.included[first], run.included[second]
        if np.any(was_in[0] != self.included) or np.any(was_in[1] == self.included):
            raise ScoresError("included must say of each pair whether the first record was in")
        if np.unique(np.concatenate(places)).size < 2 * self.canaries:
            raise ScoresError("first and second name a record twice; each is of one pair at most")

    @property
    def of(self) -> OneRun:
        """The run whose records were matched."""
        return _checks.instance(self.run, OneRun, "run", "a workbench.OneRun")

    @property
    def left_over(self) -> int:
        """Number of records of the larger group that no pair has."""
        return self.of.canaries - 2 * self.canaries

    @property
    def fingerprint(self) -> Fingerprint:
        """That of the run: another matching of the same data is a second try."""
        return self.of.fingerprint

    @property
    def chance(self) -> int:
        """The random number of the run, from which the pairs followed."""
        return self.of.chance

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        return f"MatchedPairs({name}{self.canaries} pairs, {self.left_over} left over)"

    def _repr_html_(self) -> str:
        rows = [("pairs", f"{self.canaries:,}"), ("records left over", f"{self.left_over:,}")]
        rows += [("seed", str(self.chance))]
        return beside(table(f"Matched pairs {self.name}".strip(), rows), self)

    def to_frame(self) -> pd.DataFrame:
        """One row for each pair: ``score``, ``included``, ``first``, ``second``, their places."""
        import pandas as pd

        columns = {"score": self.scores, "included": self.included.astype(int)}
        return pd.DataFrame({**columns, "first": self.first, "second": self.second})

    def _counted(self, guesses: int, correct: int, rule: Rule) -> Guesses:
        return Guesses(
            canaries=self.canaries,
            guesses=guesses,
            correct=correct,
            design=self.design,
            rule=rule,
            seed=self.chance,
            void=second_split(self),
        )


def matched_pairs(run: OneRun | Scores, *, within: ArrayLike | None = None) -> MatchedPairs:
    """Random pairs of a member and a held-out record, of a run whose members are a random part.

    Which record of a pair was in is a fair coin, independent of the other pairs, so that the bounds
    for one run hold without further assumptions, for substituting a record.

    Parameters
    ----------
    run : OneRun or Scores
        Of one training. The members are a uniformly random part of the audited records: a random
        half (design "fixed-half"), a random part of another size ("fixed-size"), or drawn by fair
        coins. Of `Scores`, P are the members and Q the held-out records of the same part of the
        data, drawn at random.
    within : array_like, shape (m,), optional
        A label of each record, such as its class, known before the training; pairs are made within
        equal labels. Of `Scores`, those of P, then those of Q.

    Returns
    -------
    MatchedPairs
        With as many pairs as the smaller group has records; the larger group's others are left
        over.

    Raises
    ------
    ScoresError
        Fewer than two pairs; scores of independent runs; canaries that are pairs already.

    Notes
    -----
    Guarantee: bounds from guesses hold if the members were drawn at random, which the data cannot
    show. The proof is in the head of `workbench.onerun.half.matching`. Pairs follow from the random
    number of the run (`OneRun.chance`, or ``seed=`` of the run), which bounds show as ``seed``; not
    from the scores or the order of rows.

    See Also
    --------
    one_run_bound : the methods; "steinke", "sharp" and "fdp" let records influence each other.
    half_stability : whether one run may stand for all.

    References
    ----------
    The setting, without a guarantee, is that of Koskela and Mohammadi, Black box differential
    privacy auditing using total variation distance (2024).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> included = rng.permutation(np.repeat([1, 0], 1000))
    >>> run = wb.OneRun(rng.normal(included), included, design="fixed-half", seed=1)
    >>> pairs = wb.onerun.matched_pairs(run)
    >>> print(wb.one_run_bound(pairs.guess(threshold=0), delta=1e-5).rounded)
    0.966
    """
    if isinstance(run, Scores):
        run = _of_scores(run)
    _checks.instance(run, OneRun, "run", "a workbench.OneRun or workbench.Scores")
    if run.design == "matched-pairs":
        raise ScoresError("the canaries of this run are pairs already; give the run of records")
    if run.design == "given":
        raise ScoresError(GIVEN_PAIRS.format("design"))
    labels = np.zeros(run.canaries) if within is None else _labels(within, run.canaries)
    member, held_out = _matched(run.included, labels, run.random_order("pairs"))
    if member.size < 2:
        raise ScoresError(
            f"{member.size} pairs of a member and a held-out record are too few; at least 2 are "
            "needed"
        )
    x = oriented(run.scores, run.larger_is_member)
    difference = _difference(x[member], x[held_out])
    first_in = generator(run.chance, "pairs", 1).random(member.size) < 0.5
    return MatchedPairs(
        np.where(first_in, difference, -difference),
        first_in,
        name=run.name,
        seed=run.chance,
        run=run,
        first=np.where(first_in, member, held_out),
        second=np.where(first_in, held_out, member),
    )


def _of_scores(scores: Scores) -> OneRun:
    """The run of two samples."""
    if scores.sampling == "given":
        raise ScoresError(GIVEN_PAIRS.format("sampling"))
    if scores.sampling in _NOT_ONE_RUN:
        raise ScoresError(
            f"these scores are of {scores.sampling}, not of one; wb.epsilon_lower_bound has bounds "
            "for them"
        )
    sizes = scores.n_p, scores.n_q
    return OneRun(
        np.concatenate([scores.p, scores.q]),
        np.repeat([True, False], sizes),
        larger_is_member=scores.larger_is_member,
        design="fixed-half" if sizes[0] == sizes[1] else "fixed-size",
        name=scores.name,
        seed=scores.seed,
    )


def _matched(
    included: NDArray[np.bool_], labels: NDArray[Any], order: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places of the members and of their partners: those of the same rank in a random order."""
    members, partners = [], []
    for label in np.unique(labels):
        here = labels == label
        inside, outside = np.flatnonzero(here & included), np.flatnonzero(here & ~included)
        few = min(inside.size, outside.size)
        members.append(inside[np.argsort(order[inside])][:few])
        partners.append(outside[np.argsort(order[outside])][:few])
    return np.concatenate(members), np.concatenate(partners)


def _difference(a: Floats, b: Floats) -> Floats:
    """First score minus second; 0 where both are alike, and NaN is the largest score of all."""
    with np.errstate(invalid="ignore", over="ignore"):
        found = np.where(a == b, 0.0, a - b)
    unknown = np.isnan(a), np.isnan(b)
    found = np.where(unknown[0] & ~unknown[1], np.inf, found)
    found = np.where(~unknown[0] & unknown[1], -np.inf, found)
    return np.asarray(np.where(unknown[0] & unknown[1], 0.0, found))


def _labels(within: ArrayLike, m: int) -> NDArray[Any]:
    given = _checks.listed(within, "within")
    names = np.array([str(name) for name in given.ravel()], dtype=object)
    if names.size != m:
        raise ScoresError(f"{names.size} labels in within for {m} records; give one for each")
    return names
