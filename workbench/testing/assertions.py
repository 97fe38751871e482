"""Assertions on a mechanism (`assert_no_violation`) and on scores (`assert_not_refuted`)."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from workbench import _checks
from workbench._format import percent, plain
from workbench.bounds.power.judge import judge
from workbench.bounds.power.verdict import TOO_FEW, Verdict
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.estimators.direction import is_reversed
from workbench.estimators.roc import roc
from workbench.mechanisms.adapting.adapt import mechanism_from
from workbench.pairs.base import Pair
from workbench.scores.sample import Scores
from workbench.testers.audit import audit_mechanism
from workbench.testers.mechanism_audit import MechanismAudit
from workbench.testers.report import FOUND, NOTHING_TESTED
from workbench.testers.running.load_mechanism import find_mechanism


class AuditFailure(AssertionError):  # noqa: N818  (it is a test that failed)
    """A mechanism violates its claim, or its audit was too weak.

    Attributes
    ----------
    audit : MechanismAudit
        The evidence; ``audit.replay()`` checks it on fresh outputs.
    """

    def __init__(self, message: str, audit: MechanismAudit) -> None:
        super().__init__(message)
        self.audit = audit


def assert_no_violation(
    mechanism: Any,
    claim: Claim | Pair | str | None = None,
    *,
    must_detect: float | None = None,
    save: str | Path | None = None,
    **options: Any,
) -> MechanismAudit:
    """Assert that an audit finds no violation of a mechanism's claim.

    Parameters
    ----------
    mechanism : callable, object or str
        As in `audit_mechanism`; or text for `find_mechanism`, such as
        ``"package.module:release"``.
    claim : Claim, Pair or str, optional
        Such as ``"approx(1, 1e-5)"``. A mechanism of the gallery has its own, as have those that
        state it; see `mechanism_from`.
    must_detect : float, optional
        Also fail if the audit would not have detected a leak of this size with probability 80% on
        the right datasets: a value of the claim's parameter (ε or μ), above the claim.
    save : str or pathlib.Path, optional
        File for the evidence if the assertion fails, for ``workbench test TARGET --replay``.
    **options
        As in `audit_mechanism`: ``datasets``, ``testers``, ``trials``, ``samples``, ``confidence``,
        ``seed``, ``neighboring_relation``, ``domain``, ``anytime``, ``time_limit``,
        ``executor``. The seed is 0 by default, so that the result is reproducible
        if the mechanism uses no randomness but its ``rng``.

    Returns
    -------
    MechanismAudit
        Without a violation; ``print(audit.explain())`` states the power. It does not show that the
        mechanism is private.

    Raises
    ------
    AuditFailure
        An AssertionError: a violation was found, nothing could be tested, or the audit was too weak
        for ``must_detect``.
    ValueError
        As `audit_mechanism`; a ``must_detect`` that is not above the claim.

    Warns
    -----
    UserWarning
        Some of the trials were lost, such as those in which the mechanism raised.

    Notes
    -----
    A mechanism that meets its claim fails with probability at most 1 − ``confidence`` (over seeds),
    for all trials and testers together. In a suite with many such tests use ``confidence=0.999``,
    which costs little power.
    """
    __tracebackhide__ = True  # pytest shows the test, not this function
    found = find_mechanism(mechanism) if isinstance(mechanism, str) else mechanism
    claim = claim_of(found, claim)
    if must_detect is not None:
        must_detect = check_must_detect(must_detect, claim)
    audit = audit_mechanism(found, claim, **options)
    message = _failure(audit, must_detect)
    if message:
        if save is not None:
            audit.save(save)
            message += f"\nThe evidence is in {save}."
        raise AuditFailure(message, audit)
    if audit.errors:
        first = next(iter(audit.errors.values()))
        warnings.warn(
            f"{len(audit.errors)} of {len(audit.trials)} trials were lost: {first}", stacklevel=2
        )
    return audit


def assert_not_refuted(
    scores: Scores,
    claim: Claim | Pair | str,
    *,
    must_detect: float | None = None,
    confidence: float = 0.95,
) -> Verdict:
    """Assert that scores do not refute a claim, and that they could have.

    Parameters
    ----------
    scores : Scores
        Of members and non-members.
    claim : Claim, Pair or str
        Such as ``"approx(2, 1e-5)"``; see `parse_claim`.
    must_detect : float, optional
        A leak that the scores must be able to detect with probability 80%: a value of the claim's
        parameter (ε or μ), above the claim. By default, twice the claim must be detected with
        probability one half.
    confidence : float
        Probability, at least, with which no true claim is refuted.

    Returns
    -------
    Verdict
        "not refuted", which does not show that the mechanism is private; or, if ``must_detect`` is
        given, "too few samples" for twice the claim.

    Raises
    ------
    AssertionError
        The claim is refuted, or the scores are too few.
    ValueError
        As `judge`, also if the direction of the scores was not stated and is in doubt; a
        ``must_detect`` that is not above the claim.

    Warns
    -----
    UserWarning
        Members score significantly less member-like than non-members, in a direction that was
        stated: it is probably the other one, or the groups are exchanged.
    """
    __tracebackhide__ = True  # pytest shows the test, not this function
    claim = as_claim(claim)
    if must_detect is not None:
        must_detect = check_must_detect(must_detect, claim)
    verdict = judge(scores, claim, confidence)
    if verdict.refuted:
        raise AssertionError(verdict.explain())
    if is_reversed(scores, roc(scores).auc):
        warnings.warn(
            "members score less member-like than non-members: is the direction right? See "
            "larger_is_member of wb.Scores and wb.read_scores, and member_value if the two groups "
            "are exchanged",
            stacklevel=2,
        )
    if must_detect is None and verdict.verdict == TOO_FEW:
        raise AssertionError(verdict.explain())
    detected = verdict.power[0]
    if must_detect is not None and detected.caught > must_detect:
        raise AssertionError(
            f"{verdict.explain()} must_detect is {plain(must_detect)}: give more scores"
        )
    return verdict


def claim_of(mechanism: Any, claim: Claim | Pair | str | None) -> Claim:
    """The given claim, or else the mechanism's own; ValueError if it has none."""
    if claim is not None:
        return as_claim(claim)
    own = mechanism_from(mechanism).claim
    if own is None:
        raise ValueError("what does the mechanism claim? Give a claim such as 'approx(1, 1e-5)'")
    return own


def check_must_detect(value: Any, claim: Claim) -> float:
    """A leak that must be detected, after checking that it is above the claim.

    Parameters
    ----------
    value : float
        The claim's parameter of the leak.
    claim : Claim or Pair
    """
    own = claim.parameter
    if own is None:
        raise ValueError(f"must_detect needs a claim with a parameter; {claim} has none")
    x = _checks.number(value, "must_detect")
    if not claim.stated and x <= 0:
        raise ValueError(f"must_detect must be above 0, got {value!r}; it is an ε")
    if claim.stated and x <= own:
        raise ValueError(
            f"must_detect must be above what is claimed, {plain(own)}, got {value!r}; nothing "
            "less is a leak"
        )
    return x


def _failure(audit: MechanismAudit, must_detect: float | None) -> str | None:
    """Why a test fails; None where it passes."""
    claimed = f"{audit.name}, which claims {audit.claim}: "
    if audit.verdict == FOUND:
        return (
            f"{claimed}{audit.in_words()}\n"
            f"False alarms: a mechanism that meets its claim fails this test for at most "
            f"{percent(1 - audit.confidence)} of all seeds; this is seed {audit.seed}.\n"
            "To check the evidence on fresh outputs: `error.audit.replay()` of this error, or "
            "save=FILE here and then `workbench test TARGET --replay FILE`."
        )
    if audit.verdict == NOTHING_TESTED:
        return claimed + audit.in_words()
    weak = audit.too_weak(must_detect) if must_detect is not None else None
    return f"{claimed}{weak}.\n{audit.in_words()}" if weak else None
