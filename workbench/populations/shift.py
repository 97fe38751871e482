"""`shift_check`: can a classifier that sees no model tell members from non-members?

If it can, whatever an audit with these records finds may be the difference of the populations and
no leak. If it cannot, that is no proof: another classifier might, and a model knows more of its
population than any of them. So the check opens no gate. Where nobody drew at random who was in,
`ShiftCheck.as_given` states so on what an audit takes, and every number that follows is an
estimate, whatever the check finds; where somebody did draw, no check is needed.

**P-value.** A classifier learns on a random share of the records and names as members, of the rest,
those that it finds most member-like, as many as there are. If members and non-members were drawn
from one population, independently, or are a random split of one set, the memberships of the rest
are, given their number, a uniformly random subset of which it knows nothing: the number of hits is
hypergeometric, and the p-value exact.

**Distance.** The classifier's scores of the tested records are two samples, of which
`workbench.tradeoff_band` has lower limits of how far the populations are apart. They are distances
of populations, and no privacy loss of anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np

from workbench import _checks
from workbench._format import percent
from workbench._frames import to_frame
from workbench._markup import table
from workbench.bounds.bound import Bound
from workbench.bounds.simultaneous.band import tradeoff_band
from workbench.onerun.guesses import Guesses
from workbench.onerun.run import OneRun
from workbench.populations.records import CLASSIFIERS, Records, read_records
from workbench.scores import chance
from workbench.scores.sample import ALIKE, NOBODY_DREW, Scores, ScoresError
from workbench.synthetic.split_test import SPLIT_LEVEL, named_members

#: What an audit takes, or gives.
Audited = TypeVar("Audited", OneRun, Guesses, Scores, Bound)

#: What distances of populations are no bounds on.
NO_LEAK = (
    "This is a distance between the populations of members and non-members, of which no model was "
    "asked: it is no privacy loss."
)

#: What the number of an audit is.
DIFFERENCE = "the number of an audit with these members is a difference of populations"


@dataclass(frozen=True, eq=False)
class ShiftCheck:
    """Whether members and non-members can be told apart without a model. See `shift_check`.

    Attributes
    ----------
    members, non_members : int
        Records.
    kind : {"table", "texts"}
    classifier : str
        What learned to tell them apart.
    learned, tested : int
        Records on which it learned, and others on which it was tested.
    named, hits : int
        How many of the tested ones it named as members, which is as many as were, and how many of
        these were.
    p_value : float
        Of as many hits or more if both are of one population; exact.
    total_variation : Bound
        Lower limit of the distance of the two populations, 0 to 1.
    scores : Scores
        What the classifier gave the tested members (P) and non-members (Q).
    seed : int
        The random number from which the share and all orders followed.
    """

    members: int
    non_members: int
    kind: str
    classifier: str
    learned: int
    tested: int
    named: int
    hits: int
    p_value: float
    total_variation: Bound
    scores: Scores = field(repr=False)
    seed: int

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def apart(self) -> bool:
        """Whether the two were told apart, with p at most 0.001; False shows nothing."""
        return self.p_value <= SPLIT_LEVEL

    @property
    def gate(self) -> str:
        """What a reader of an audit with these records has to know; it is never empty."""
        if self.apart:
            return (
                f"{DIFFERENCE[0].upper()}{DIFFERENCE[1:]}: a classifier that saw no model tells "
                f"them from the non-members, with p = {self.p_value:.1g}"
            )
        return (
            "Unless somebody drew at random who was in, the number of an audit with these members "
            "may be a difference of populations: this classifier did not find one, which does not "
            "show that there is none"
        )

    def as_given(self, audited: Audited) -> Audited:
        """What an audit takes, or gives, with the statement that nobody drew who was in.

        Parameters
        ----------
        audited : OneRun, Guesses, Scores or Bound

        Returns
        -------
        OneRun, Guesses, Scores or Bound
            All numbers that follow are estimates: the design is "given", and so is the sampling. A
            bound becomes one; a statement that was made before is replaced.
        """
        found: Any = audited
        if isinstance(audited, Bound):
            found = audited.as_estimate(NOBODY_DREW, ALIKE)
        elif isinstance(audited, Scores):
            found = audited.as_given()
        elif isinstance(audited, Guesses):
            found = replace(audited, design="given")
        else:
            found = self._run_as_given(audited)
        return cast("Audited", found)

    def _run_as_given(self, audited: Any) -> OneRun:
        need = "a workbench.OneRun, Guesses, Scores or Bound"
        run = _checks.instance(audited, OneRun, "audited", need)
        return OneRun(
            run.scores, run.included, larger_is_member=run.larger_is_member, ids=run.ids,
            design="given", name=run.name, seed=run.seed,
        )  # fmt: skip

    def epsilon(self, delta: float, *, confidence: float = 0.95) -> Bound:
        """Lower limit of the distance of the populations as ε at δ: an audit shows it for free.

        Parameters
        ----------
        delta : float
            In [0, 1).
        confidence : float
        """
        return _of_populations(tradeoff_band(self.scores, confidence).epsilon(delta))

    def explain(self) -> str:
        """The finding in plain sentences."""
        least = self.total_variation
        found = (
            f"Of {self.tested:,} records that the classifier ({self.classifier}) had not learned "
            f"from, it named {self.named:,} as members, and {self.hits:,} were; chance alone gives "
            f"{self.named**2 / self.tested:,.0f} (p = {self.p_value:.2g}). "
        )
        if least.value > 0:
            found += (
                f"The populations are at a total variation distance of at least {least.rounded} "
                f"({percent(least.confidence or 0)} confidence), so that somebody who sees one "
                f"record and no model guesses rightly in at least "
                f"{percent(np.floor(50 * (1 + least.value)) / 100)} of cases. "
            )
        return f"{found}{self.gate}."

    def __repr__(self) -> str:
        return (
            f"ShiftCheck({self.members:,} members, {self.non_members:,} non-members, "
            f"{self.hits:,} of {self.named:,} named rightly, p = {self.p_value:.2g}, "
            f"TV ≥ {self.total_variation.rounded}; seed {self.seed})"
        )

    def _repr_html_(self) -> str:
        rows = [
            ("tested", f"{self.tested:,}"),
            ("named as members, rightly", f"{self.hits:,} of {self.named:,}"),
            ("p-value of one population", f"{self.p_value:.2g}"),
            ("TV of the populations", f"≥ {self.total_variation.rounded}"),
        ]
        return table("Members and non-members, without a model", rows, self.gate)


def shift_check(
    members: Records,
    non_members: Records,
    *,
    classifier: Any = None,
    columns: Mapping[str, str] | None = None,
    learning_share: float = 0.5,
    confidence: float = 0.95,
    seed: int | np.random.Generator | None = None,
) -> ShiftCheck:
    """Whether a classifier that sees no model tells members from non-members, exactly.

    Parameters
    ----------
    members, non_members : DataFrame, dict of columns, array_like or sequence of str
        The records of an audit: tables of columns of any kind, features with a row for each record,
        or texts.
    classifier : str or estimator, optional
        "naive Bayes", "logistic regression" or "random forest", or an object with ``fit`` and
        ``predict_proba`` or ``decision_function``, as scikit-learn has them. By default naive Bayes
        on the columns of a table, which looks at each on its own, and logistic regression on the
        counts of up to three characters of texts.
    columns : dict, optional
        The kind of some columns of a table, as of `SyntheticAudit`.
    learning_share : float
        The share of the records on which the classifier learns.
    confidence : float
        Of the limit of the distance.
    seed : int or numpy.random.Generator, optional
        A number that was drawn by chance for these records. By default one from the operating
        system, the same for the same records in a process.

    Returns
    -------
    ShiftCheck
        Its p-value is exact. It shows a difference, never that there is none.

    Raises
    ------
    ScoresError
        Fewer than 50 records in all, two forms of records, columns that differ, too few of a side
        in a share.
    ValueError
        An unknown classifier, a share outside (0, 1).
    MissingPackage
        Texts, and classifiers but naive Bayes on tables, need scikit-learn.

    See Also
    --------
    panoramia : what may be said of ε all the same, on a condition.

    Notes
    -----
    Guarantee: the p-value is exact if members and non-members are of one population or a random
    split, whatever the classifier; the distance holds for independent records.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = wb.shift_check(rng.normal(0.8, 1, (500, 3)), rng.normal(0, 1, (500, 3)), seed=1)
    >>> found.apart, found.total_variation.rounded
    (True, '0.337')
    """
    if isinstance(classifier, str):
        _checks.one_of(classifier, "classifier", CLASSIFIERS)
    elif classifier is not None and not hasattr(classifier, "fit"):
        raise ValueError(
            f"classifier must be one of {', '.join(map(repr, CLASSIFIERS))} or have fit and "
            f"predict_proba, got {_checks.shown(classifier)}"
        )
    share = _checks.open_unit(learning_share, "learning_share")
    confidence = _checks.confidence(confidence)
    records = read_records(members, non_members, columns, seed)
    used = records.usual if classifier is None else classifier
    member = records.member
    learned = np.zeros(member.size, bool)
    learned[: round(share * member.size)] = True
    chance.generator(records.seed, "split", 1).shuffle(learned)
    for part, what in ((learned, "learned from"), (~learned, "tested")):
        if min(member[part].sum(), (~member[part]).sum()) < 2:
            raise ScoresError(
                f"of the {int(part.sum())} records that are {what}, {int(member[part].sum())} are "
                "members; both sides need at least 2: give more records, or another learning_share"
            )
    scores = records.scores(used, learned)
    tested = ~learned
    named, hits, p_value = named_members(scores[tested], member[tested])
    of_tested = Scores(
        scores[tested & member],
        scores[tested & ~member],
        larger_is_member=True,
        held_out="a classifier that learned on other records",
        name="members and non-members, without a model",
        seed=records.seed,
    )
    return ShiftCheck(
        members=int(member.sum()),
        non_members=int((~member).sum()),
        kind=records.kind,
        classifier=used if isinstance(used, str) else type(used).__name__,
        learned=int(learned.sum()),
        tested=int(tested.sum()),
        named=named,
        hits=hits,
        p_value=p_value,
        total_variation=_of_populations(tradeoff_band(of_tested, confidence).total_variation()),
        scores=of_tested,
        seed=records.seed,
    )


def _of_populations(bound: Bound) -> Bound:
    note = f"{NO_LEAK} {bound.note}" if bound.note else NO_LEAK
    return replace(bound, note=note)
