"""`SyntheticAudit`: does a synthetic table tell who was in its training table?

One table was split before the generator was trained: some records went into the training table,
the others were held out. Attacks learn on a share of the records whose memberships they may see,
and name members in the other share. If each record (or unit) was put in by its own fair coin, the
number of right names bounds ε for *any* table and *any* generator, by the bounds for one run
(`wb.one_run_bound`), with records as canaries. The generator's other inputs may be anything that
does not depend on the coins.

==============  =============================  ============================================
split           numbers are                    of the privacy of
==============  =============================  ============================================
"coin"          bounds, assuming the coins     adding or removing a record (or unit)
"fixed-size"    bounds, assuming a random      substituting a record, by matched pairs
                part of this size
"given"         estimates                      a difference of populations and the leak
==============  =============================  ============================================

**Fixed size, with a learning share.** A uniformly random part of stated size was in. The learning
share is drawn by chance of its own. Given it and the memberships of its records, the members among
the measured records are a uniformly random subset of known size, so that the proof of
`workbench.onerun.half.matching` applies to the measured share, with all others as known data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, get_args

import numpy as np

from workbench import _checks
from workbench._format import percent
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.bounds.bound import Bound
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.onerun.bound import any_number_bound
from workbench.onerun.judged import GuessVerdict, judge_guesses
from workbench.onerun.run import OneRun
from workbench.pairs.base import Pair
from workbench.scores.chance import drawn_again
from workbench.scores.sample import Scores
from workbench.synthetic.attacks.base import Attack
from workbench.synthetic.attacks.registry import ATTACKS
from workbench.synthetic.choice import (
    CHOSEN_AT,
    SPLITS,
    AttackScores,
    learning_canaries,
    measured_attacks,
)
from workbench.synthetic.columns import SyntheticTablesError
from workbench.synthetic.split_test import SplitTest
from workbench.synthetic.tables import SyntheticTables, TableSource, read_synthetic_tables
from workbench.synthetic.threats.base import Threat
from workbench.synthetic.threats.registry import ThreatAttack, successes_of, threats_of
from workbench.synthetic.threats.successes import Successes
from workbench.synthetic.threats.view import ThreatView

if TYPE_CHECKING:
    import pandas as pd

#: What `SyntheticAudit.epsilon` takes for an attack, besides their names.
WHICH = ("chosen", "all")

#: The share of the records on which attacks learn.
LEARNING_SHARE = 0.4

#: Why numbers are estimates.
GIVEN = "the split was not drawn at random, so a difference of the two tables counts as a leak"
NOT_RANDOM = (
    "the split was not random: a classifier tells training from held-out records without the "
    "synthetic table, with p = {:.1g}"
)

#: Why bounds after another number for the same tables are void.
SECOND_TRY = (
    "the same tables were audited with another random number before, so this is a second try"
)

#: What estimates of a split that was not random assume.
ALIKE = "training and held-out records of one population"


class SyntheticAudit:
    """An audit of a synthetic table, from the records that its generator saw and others.

    Parameters
    ----------
    train, holdout, synthetic : DataFrame, dict of columns, or path
        The training table of the generator, the records that were held out, and what it made.
    split : {"coin", "fixed-size", "given"}
        How records came into the training table: each by its own fair coin (`split_by_coin`), as a
        uniformly random part of a fixed size (``train_test_split`` with a size), or in any other
        way, of which only estimates follow.
    unit : str, optional
        The column that names the person, or other unit, of a record, where all records of a unit
        were put in or out together: one coin, one score, which is the largest of its records.
    columns : dict, optional
        The kind of some columns, one of "numeric", "category", "yes/no", "date" and "left out";
        those of the others are found.
    attacks : sequence of str or Attack, optional
        By default all of `workbench.synthetic.attacks`, without those that need scikit-learn where
        it is not installed.
    learning_share : float
        The share of records on which attacks learn and are chosen; the others are measured.
    claim : Claim, Pair or str, optional
        What the generator promises, such as "approx(1, 1e-5)" or ``wb.GDP(0.5)``.
    duplicates : {"keep", "remove"}
        Whether rows that occur more than once are left out, all copies on both sides.
    seed : int or numpy.random.Generator, optional
        A number that was drawn by chance for these tables. By default one from the operating
        system, the same for the same tables in a process; ``tables.seed`` has it.
    name : str
        Shown in titles.

    Attributes
    ----------
    tables : SyntheticTables
        The tables as they were read, with remarks.
    split_test : SplitTest
        Whether the split can be random.
    claim : Claim or None
    split, unit, learning_share, name
        As given.

    Raises
    ------
    SyntheticTablesError
        Tables that cannot be audited, as `read_synthetic_tables`; a number of members that fair
        coins cannot explain, with split="coin"; too few records for two shares.
    ValueError
        An unknown split or attack, a share outside (0, 1), text that is no claim.

    Notes
    -----
    Guarantee: with split="coin" or "fixed-size", `epsilon` holds at its confidence for any table,
    any generator and any attack, if the split was made so. Where `split_test` refutes that, numbers
    are estimates.

    References
    ----------
    Steinke, Nasr and Jagielski (2023), *Privacy auditing with one (1) training run*, Theorem 5.2,
    whose canaries are the records here.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"age": rng.integers(18, 90, 2000), "pay": rng.lognormal(10, 1, 2000)})
    >>> train, holdout = wb.synthetic.split_by_coin(table, seed=1)
    >>> copied = train.sample(1000, random_state=0)
    >>> audit = wb.SyntheticAudit(train, holdout, copied, split="coin", seed=2)
    >>> audit.epsilon(1e-5).value > 3
    True
    """

    def __init__(
        self,
        train: TableSource,
        holdout: TableSource,
        synthetic: TableSource,
        *,
        split: str = "coin",
        unit: str | None = None,
        columns: Mapping[str, str] | None = None,
        attacks: Sequence[str | Attack] | None = None,
        learning_share: float = LEARNING_SHARE,
        claim: Claim | Pair | str | None = None,
        duplicates: str = "keep",
        seed: int | np.random.Generator | None = None,
        name: str = "",
    ) -> None:
        self.split = _checks.one_of(split, "split", SPLITS)
        self.name, self.unit = _checks.text(name, "name"), unit
        self.claim: Claim | None = None if claim is None else as_claim(claim)
        self.learning_share = _checks.open_unit(learning_share, "learning_share")
        self._to_run = _attacks(attacks)
        self.tables: SyntheticTables = read_synthetic_tables(
            train, holdout, synthetic, unit=unit, columns=columns, duplicates=duplicates, seed=seed
        )
        self.split_test = SplitTest.of(self.tables)
        self._require_coins()
        self._learning = learning_canaries(self.tables, self.learning_share)

    def _require_coins(self) -> None:
        test = self.split_test
        if self.split == "coin" and not test.coins_possible:
            raise SyntheticTablesError(
                f"{test.members:,} of the {test.canaries:,} {self.tables.counted} were in the "
                f"training table, which fair coins give with probability {test.coins:.2g}; if a "
                "part of this size was drawn at random, state split='fixed-size' (--split "
                "fixed-size), otherwise 'given'"
            )

    # -- attacks ----------------------------------------------------------------------------------

    @cached_property
    def attacks(self) -> tuple[AttackScores, ...]:
        """What each attack found: its scores of the measured share, and how it did before.

        It is computed at the first use.
        """
        asked = self.claim.quantity[1].get("delta") if self.claim and self.claim.quantity else None
        return measured_attacks(
            self.tables, self._to_run, self._learning, split=self.split,
            delta=CHOSEN_AT if asked is None else asked,
        )  # fmt: skip

    @property
    def chosen(self) -> str:
        """The name of the attack that did best on the learning share."""
        return self._chosen.name

    @property
    def _chosen(self) -> AttackScores:
        return max(self.attacks, key=lambda one: one.learned)

    def attack(self, name: str) -> AttackScores:
        """What one attack found.

        Parameters
        ----------
        name : str
            "chosen", or the name of one of ``attacks``.
        """
        if name == "chosen":
            return self._chosen
        known = {one.name: one for one in self.attacks}
        return known[_checks.one_of(name, "attack", ("chosen", *known))]

    @property
    def one_run(self) -> OneRun:
        """The chosen attack's scores and the memberships of the measured records, as canaries."""
        return self._chosen.run

    @property
    def scores(self) -> Scores:
        """The chosen attack's scores of measured members (P) and held-out records (Q).

        Bounds from them assume that records behave like independent ones, which a generator that
        saw all of them may violate; those of `epsilon` do not.
        """
        run = self.one_run
        records = getattr(run, "run", None) or run
        return Scores(
            records.scores[records.included],
            records.scores[~records.included],
            larger_is_member=True,
            sampling="one run",
            name=self.name,
            held_out="an attack that learned on other records",
            seed=self.tables.seed,
        )

    # -- what they show ---------------------------------------------------------------------------

    @property
    def why_estimate(self) -> str:
        """Why numbers are estimates; "" where they are bounds."""
        if self.split == "given":
            return GIVEN
        return "" if self.split_test.passed else NOT_RANDOM.format(self.split_test.p_value)

    @property
    def void(self) -> str | None:
        """Why bounds are not valid; None where nothing is known."""
        again = drawn_again(self.tables.fingerprint, self.tables.seed)
        return SECOND_TRY if again else None

    def epsilon(self, delta: float, *, confidence: float = 0.95, attack: str = "chosen") -> Bound:
        """Lower bound on ε at δ of the generator; an estimate where the split was not random.

        Parameters
        ----------
        delta : float
            In [0, 1).
        confidence : float
        attack : str
            "chosen": the one that did best on the learning share. "all": each attack at its part of
            the error probability, and the best of them. Or the name of one that was fixed before
            its result was seen.

        Returns
        -------
        Bound
            Its guarantee is "held-out", "simultaneous" for "all", "pointwise" for a named attack,
            and "estimate" for a split that was not random.

        Notes
        -----
        Guarantee: the coins alone. See the class.
        """
        _checks.text(attack, "attack")
        confidence, delta = _checks.confidence(confidence), _checks.delta(delta)
        if attack == "all":
            paid = 1 - (1 - confidence) / len(self.attacks)
            bounds = [self._bound(one, delta, paid) for one in self.attacks]
            best = max(bounds, key=lambda bound: bound.value)
            found = replace(best, guarantee="simultaneous", confidence=confidence)
        else:
            found = self._bound(self.attack(attack), delta, confidence)
            guarantee = "held-out" if attack == "chosen" else "pointwise"
            found = replace(found, guarantee=guarantee)
        return self._stated(found, delta, attack)

    def _bound(self, one: AttackScores, delta: float, confidence: float) -> Bound:
        bound = any_number_bound(one.guess(), delta, confidence)
        note = f"Attack: {one.label}."
        if self.tables.units is not None:
            note += " A canary is a unit with all of its records."
        return replace(bound, note=f"{note} {bound.note}" if bound.note else note)

    def _stated(self, found: Bound, delta: float, attack: str) -> Bound:
        """The number with what it may promise."""
        if self.why_estimate:
            why = self.why_estimate[0].upper() + self.why_estimate[1:]
            note = f"{why}. {found.note}"
            return replace(
                found, guarantee="estimate", confidence=None, assumption=ALIKE, note=note, void=None
            )
        return replace(
            found,
            seed=self.tables.seed,
            void=self.void,
            recompute=lambda level: self.epsilon(delta, confidence=level, attack=attack),
        )

    def judge(
        self, claim: Claim | Pair | str | None = None, *, confidence: float = 0.95
    ) -> GuessVerdict:
        """The verdict on a claim of the generator, from the chosen attack and the coins alone.

        Parameters
        ----------
        claim : Claim, Pair or str, optional
            By default that of the audit. It is about adding or removing a record (or unit), and
            with split="fixed-size" about substituting one.
        confidence : float

        Raises
        ------
        ValueError
            No claim.
        """
        claim = self.claim if claim is None else as_claim(claim)
        if claim is None:
            raise ValueError(
                "there is no claim to judge; give one such as audit.judge('approx(1, 1e-5)')"
            )
        verdict = judge_guesses(self._chosen.guess(), claim, confidence, chosen_number=True)
        return replace(
            verdict, void=self.why_estimate or self.void or verdict.void, unit=self.unit or "record"
        )

    def threats(
        self,
        attacks: Sequence[ThreatAttack] | None = None,
        *,
        delta: float = CHOSEN_AT,
        confidence: float = 0.95,
    ) -> tuple[Threat, ...]:
        """Singling out, linkability, inference and copies: on members, and on held-out records.

        Parameters
        ----------
        attacks : sequence of SinglingOut, Linkability, Inference and Copies, optional
            By default all of them, with each column inferred in turn.
        delta : float
            Of the bounds on ε.
        confidence : float
            Of each threat. They are not combined: some of many is at its level by chance.

        Returns
        -------
        tuple of Threat
            Their bounds assume the split alone, as `epsilon` does, and are void where
            `split_test` refutes it.
        """
        if attacks is not None:
            need = "wb.synthetic.SinglingOut(), Linkability(), Inference() or Copies()"
            attacks = _checks.each_of(attacks, get_args(ThreatAttack), "attacks", need)
        found = self._successes if attacks is None else self._succeeded(attacks)
        void = self.void if self.split == "given" else self.why_estimate or self.void
        return threats_of(
            found, self.tables, split=self.split, delta=delta, confidence=confidence, void=void
        )

    @cached_property
    def _successes(self) -> tuple[Successes, ...]:
        return self._succeeded(None)

    def _succeeded(self, attacks: Sequence[ThreatAttack] | None) -> tuple[Successes, ...]:
        return successes_of(ThreatView.of(self.tables), self.tables.chance, attacks)

    # -- how it reads -----------------------------------------------------------------------------

    def explain(self) -> str:
        """The finding in plain sentences."""
        chosen, made = self._chosen, self._chosen.guess()
        what = "pairs" if self.split != "coin" else self.tables.counted
        members = self.tables.included.sum()
        sentences = [
            f"{self.tables.canaries:,} {self.tables.counted}, {int(members):,} of them in the "
            f"training table; {len(self.tables.synthetic):,} synthetic records; "
            f"{len(self.tables.used)} columns.",
            f"Of {len(self.attacks)} attacks, {chosen.label} did best on the "
            f"{percent(self.learning_share)} of {self.tables.counted} on which they learned.",
            f"On the others it makes {made.guesses:,} guesses on {made.canaries:,} {what}, and "
            f"{made.correct:,} are right; chance alone gives {made.guesses / 2:,.0f}.",
            self.epsilon(CHOSEN_AT).explain(),
            self.split_test.explain(),
        ]
        if self.claim is not None:
            sentences.append(self.judge().explain())
        return " ".join([*sentences, *(remark.text for remark in self.tables.remarks)])

    def to_frame(self) -> pd.DataFrame:
        """One row for each attack: its guesses, how many are right, and its bounds at δ = 1e-5.

        ``epsilon`` is for this attack alone, fixed in advance; ``chosen`` marks the one that was.
        """
        import pandas as pd

        frame = pd.concat([one.to_frame() for one in self.attacks], ignore_index=True)
        bounds = [self.epsilon(CHOSEN_AT, attack=one.name) for one in self.attacks]
        frame["epsilon"] = [bound.value for bound in bounds]
        frame["guarantee"] = [bound.badge for bound in bounds]
        frame["chosen"] = frame["attack"] == self.chosen
        return frame

    plot = plot
    figure = figure

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        return (
            f"SyntheticAudit({name}{self.tables.canaries:,} {self.tables.counted}, "
            f"{len(self.tables.synthetic):,} synthetic, split={self.split!r}, "
            f"seed {self.tables.seed})"
        )

    def _repr_html_(self) -> str:
        rows = [
            (one.label, f"{bound.symbol} {bound.relation} {bound.rounded}", " · ".join(bound.terms))
            for one in self.attacks
            for bound in [self.epsilon(CHOSEN_AT, attack=one.name)]
        ]
        shown = table(f"Synthetic table {self.name}".strip(), rows, self.explain())
        return beside(shown, self)


def _attacks(given: Sequence[str | Attack] | None) -> tuple[Attack, ...]:
    """The attacks that are to run."""
    if given is None:
        return tuple(one for one in ATTACKS.values() if one.installed)
    need = "the name of an attack, or a workbench.synthetic.Attack"
    found: list[Attack] = []
    for one in (
        [given]
        if isinstance(given, str)
        else _checks.each_of(given, (str, Attack), "attacks", need)
    ):
        name = _checks.one_of(one, "attacks", ATTACKS) if isinstance(one, str) else ""
        found.append(one if isinstance(one, Attack) else ATTACKS[name])
    if not found:
        raise ValueError(f"attacks is empty; give some of {', '.join(ATTACKS)}, or None for all")
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise ValueError(f"attacks has two of one name: {', '.join(names)}; give each once")
    return tuple(found)
