"""`Risk`: both ends of an attacker's success, what is promised and what is demonstrated."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench import _checks
from workbench._format import round_safely
from workbench._frames import to_frame
from workbench._markup import table
from workbench._plot import beside, figure, plot
from workbench.bounds.bound import Bound
from workbench.bounds.counts.counts import Counts
from workbench.bounds.simultaneous.band import TradeoffBand
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.curves.validation import Floats
from workbench.pairs.base import Pair
from workbench.risks.attacks import ATTACKS, AttackKind
from workbench.risks.evidence import RiskEvidence, evidence_of
from workbench.risks.promise import Promise
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    import pandas as pd

#: ``"module:callable"`` of the words, which know what a risk is.
_WORDS = "workbench.risks.plain_words:plain_words"

#: Least baseline of a picture: one in a million.
LEAST_BASELINE = 1e-6


@dataclass(frozen=True)
class RiskLimits:
    """Both ends of a number: at least the one, as demonstrated, at most the other, as promised.

    Attributes
    ----------
    at_least, at_most : float or None
        None where nothing was measured, or nothing is promised.
    """

    at_least: float | None
    at_most: float | None

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)


@dataclass(frozen=True, eq=False)
class RiskCurve:
    """Both ends at many baselines.

    Attributes
    ----------
    baseline, at_least, at_most : ndarray, all of one shape
        NaN where nothing was measured, or nothing is promised.
    """

    baseline: Floats
    at_least: Floats
    at_most: Floats

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.columns(self)


@dataclass(frozen=True, eq=False, repr=False)
class Risk:
    """An attacker's success at a baseline. See `risk`.

    Attributes
    ----------
    attack : str
        A name of `workbench.risks.attacks.ATTACKS`.
    baseline : float
        κ, the chance without the release.
    promise : Promise, optional
        What a claim allows, for a group of records.
    evidence : RiskEvidence, optional
        What was measured.
    prior : float, optional
        The probability of being a member before the attack, for :attr:`precision`.
    """

    attack: str
    baseline: float
    promise: Promise | None = None
    evidence: RiskEvidence | None = None
    prior: float | None = None

    plot = plot
    figure = figure

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.one_of(self.attack, "attack", ATTACKS)
        _checks.open_unit(self.baseline, "baseline", "one in a hundred is 0.01")
        if self.prior is not None:
            _checks.open_unit(self.prior, "prior", "the probability of being a member")
            if self.attack != "membership":
                raise ValueError(
                    f"prior={self.prior!r} is for attack='membership', got "
                    f"attack={self.attack!r}; what is known beforehand of others is the baseline"
                )
        if self.promise is None and self.evidence is None:
            raise ValueError("a risk needs a promise or evidence, got neither; see wb.risk")

    # -- the number --------------------------------------------------------------------------------

    @property
    def kind(self) -> AttackKind:
        """What the baseline and the success are, and what the limits need to be true."""
        return ATTACKS[self.attack]

    @property
    def success(self) -> RiskLimits:
        """Both ends of the success: :attr:`at_least` and :attr:`at_most`."""
        at = np.asarray(self.baseline)
        shown = None if self.evidence is None or self.evidence.silent else self.evidence
        return RiskLimits(
            None if shown is None else float(shown.success(at)),
            None if self.promise is None else float(self.promise.success(at)),
        )

    @property
    def at_most(self) -> float | None:
        """No attacker is right more often, if the claim is true; None without a claim."""
        return self.success.at_most

    @property
    def at_least(self) -> float | None:
        """The success that is demonstrated, with the confidence; None without evidence."""
        return self.success.at_least

    @property
    def group(self) -> int:
        """Records of the group for which is promised; what is demonstrated is of one."""
        return 1 if self.promise is None else self.promise.group

    @property
    def claim(self) -> Claim | None:
        """The claim behind :attr:`at_most`."""
        return None if self.promise is None else self.promise.claim

    @property
    def confidence(self) -> float | None:
        """With which :attr:`at_least` holds, at all baselines at once."""
        return None if self.evidence is None else self.evidence.bound.confidence

    @property
    def contradicted(self) -> bool:
        """Whether the evidence refutes the claim: an event does it at this baseline, or nowhere."""
        if self.evidence is None or self.promise is None:
            return False
        if self.evidence.curve is None:
            return self.evidence.refutes(self.promise.claim)
        low, high = self.at_least, self.at_most
        return low is not None and high is not None and low > high

    # -- what follows ------------------------------------------------------------------------------

    @property
    def advantage(self) -> RiskLimits:
        """Both ends of the largest difference of success and baseline, over all baselines."""
        shown = self.evidence
        nothing = shown is None or (shown.silent and shown.advantage == 0)
        return RiskLimits(
            None if nothing or shown is None else shown.advantage,
            None if self.promise is None else self.promise.advantage,
        )

    @property
    def odds(self) -> RiskLimits:
        """Both ends of the factor by which the release multiplies the odds.

        For "membership" the Bayes factor of an accusation, TPR/FPR: the odds of being a member go
        up by it, whatever they were. For others the odds that the guess is right.
        """
        return RiskLimits(*(self._factor(one) for one in _both(self.success)))

    def _factor(self, reached: float | None) -> float | None:
        if reached is None:
            return None
        if self.attack == "membership":
            return reached / self.baseline
        if reached >= 1:
            return math.inf
        return reached / (1 - reached) * ((1 - self.baseline) / self.baseline)

    @property
    def precision(self) -> RiskLimits | None:
        """Both ends of the share of members among the accused; None without a prior.

        Notes
        -----
        Bayes' theorem, π TPR/(π TPR + (1 − π) κ).
        """
        if self.prior is None:
            return None
        return RiskLimits(*(self._precision(one) for one in _both(self.success)))

    def _precision(self, reached: float | None) -> float | None:
        if reached is None or self.prior is None:
            return None
        members = self.prior * reached
        return members / (members + (1 - self.prior) * self.baseline)

    # -- other baselines ---------------------------------------------------------------------------

    def at(self, baseline: float) -> Risk:
        """The risk at another baseline; both ends stay valid, and no score is looked at again.

        Parameters
        ----------
        baseline : float
            Strictly between 0 and 1.
        """
        return replace(self, baseline=baseline)

    def curve(self, baselines: Any = None) -> RiskCurve:
        """Both ends at many baselines.

        Parameters
        ----------
        baselines : array_like, optional
            In [0, 1]; by default from 1e-6 to 1, evenly in the logarithm.
        """
        if baselines is None:
            at = np.geomspace(LEAST_BASELINE, 1.0, 211)
        else:
            from workbench.curves.validation import rates

            at = np.atleast_1d(rates(baselines, "baselines"))
        nothing = np.full(at.shape, np.nan)
        return RiskCurve(
            at,
            nothing if self.evidence is None else self.evidence.success(at),
            nothing if self.promise is None else self.promise.success(at),
        )

    # -- as text and data --------------------------------------------------------------------------

    def sentence(self) -> str:
        """Both ends in plain words, which never promise or show more than the numbers."""
        words: str = resolve_name(_WORDS)(self)
        return words

    def to_frame(self) -> pd.DataFrame:
        """One row: attack, baseline, both ends of the success and of what follows from it."""
        import pandas as pd

        row: dict[str, Any] = {"attack": self.attack, "baseline": self.baseline}
        for name in ("success", "advantage", "odds", "precision"):
            if (found := getattr(self, name)) is not None:
                row |= {f"{name}_at_least": found.at_least, f"{name}_at_most": found.at_most}
        row |= {"group": self.group, "prior": self.prior, "confidence": self.confidence}
        row["claim"] = None if self.claim is None else str(self.claim)
        return pd.DataFrame([row])

    def __str__(self) -> str:
        return self.sentence()

    def __repr__(self) -> str:
        limits = self.success
        ends = ("at_least", limits.at_least), ("at_most", limits.at_most)
        found = "".join(f", {name}={value:.4g}" for name, value in ends if value is not None)
        return f"Risk({self.attack!r}, baseline={self.baseline:g}{found})"

    def _repr_html_(self) -> str:
        shown = {"right with the release": self.success, "largest gain": self.advantage}
        rows = [(what, *_texts(limits)) for what, limits in shown.items()]
        return beside(table(self.kind.label, rows, self.sentence()), self)


def _texts(limits: RiskLimits) -> tuple[str, str]:
    """Both ends as cells, rounded to the safe side."""
    least, most = limits.at_least, limits.at_most
    return (
        "" if least is None else f"≥ {round_safely(least, 'down')}",
        "" if most is None else f"≤ {round_safely(most, 'up')}",
    )


def _both(limits: RiskLimits) -> tuple[float | None, float | None]:
    return limits.at_least, limits.at_most


def risk(
    of: Claim | Pair | str | Scores | TradeoffBand | Counts | Bound,
    *,
    baseline: float,
    attack: str = "membership",
    prior: float | None = None,
    group: int = 1,
    confidence: float = 0.95,
    claim: Claim | Pair | str | None = None,
) -> Risk:
    """Both ends of an attacker's success: what is promised, and what is demonstrated.

    Parameters
    ----------
    of : claim, pair, text, Scores, TradeoffBand, Counts or Bound
        A claim, or what it is made of, promises: no attacker is right more often than
        ``at_most``. Scores, a band, counts and lower bounds demonstrate: ``at_least``.
    baseline : float
        κ: how often the attacker would be right without the release; for "membership" the rate of
        false accusations.
    attack : {"membership", "attribute", "reconstruction", "singling-out"}
    prior : float, optional
        The probability of being a member before the attack, for ``precision``.
    group : int
        Records that are in or out together, such as those of one family.
    confidence : float
        Of scores and counts; a band and a bound have their own.
    claim : claim, pair or text, optional
        What is promised, beside the scores that were measured.

    Returns
    -------
    Risk

    Raises
    ------
    ValueError
        A baseline outside (0, 1), another attack, a text that is no claim, a bound that shows
        nothing of the kind, two claims.

    Examples
    --------
    >>> risk = wb.risk("approx(2, 1e-5)", baseline=0.01)
    >>> round(risk.at_most, 4)
    0.0739
    """
    promised = claim
    evidence = None
    if isinstance(of, Claim | Pair | str):
        if claim is not None:
            raise ValueError(
                f"the first argument is a claim already, got claim={_checks.shown(claim)}; give "
                "scores first, and the claim beside them"
            )
        promised = of
    elif isinstance(of, Scores | TradeoffBand | Counts | Bound):
        evidence = evidence_of(of, _checks.confidence(confidence))
    else:
        raise ValueError(
            "the risk is that of a claim, a pair, scores, a band, counts or a bound, got "
            f"{_checks.shown(of)}; of an audit give its bound, such as audit.epsilon(1e-5), or its "
            "scores"
        )
    promise = None
    if promised is not None:
        group = _checks.count(group, "group", least=1)
        promise = Promise(as_claim(promised), group)
        evidence = evidence and evidence.beside(promise.claim)
    elif _checks.count(group, "group", least=1) > 1:
        raise ValueError(
            f"group={group!r} needs a claim: what is measured is the risk of one record; give "
            "claim="
        )
    return Risk(attack, _checks.open_unit(baseline, "baseline"), promise, evidence, prior)
