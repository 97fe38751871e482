"""For test suites: keep a mechanism audited.

::

    from workbench.testing import assert_no_violation

    def test_release_is_private():
        assert_no_violation(release, "approx(1, 1e-5)", must_detect=1.5)

Works in pytest, in unittest, and anywhere else where an AssertionError fails a test.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench import _checks
from workbench._format import percent, plain, round_safely
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.mechanisms.base import Mechanism
from workbench.pairs.base import Pair
from workbench.testers.audit import audit_mechanism
from workbench.testers.evidence import VERDICTS, MechanismAudit
from workbench.testers.running.load_mechanism import find_mechanism

FOUND, NONE_FOUND, NOTHING_TESTED = VERDICTS


class AuditFailure(AssertionError):  # noqa: N818  (it is a test that failed)
    """A mechanism broke its claim, or its audit could not have told.

    Attributes
    ----------
    audit : MechanismAudit
        With all evidence: ``audit.replay()`` checks it on fresh outputs.
    """

    def __init__(self, message: str, audit: MechanismAudit) -> None:
        super().__init__(message)
        self.audit = audit


def assert_no_violation(
    mechanism: Callable[..., Any] | str,
    claim: Claim | Pair | str | None = None,
    *,
    must_detect: float | None = None,
    save: str | Path | None = None,
    **options: Any,
) -> MechanismAudit:
    """Fail if an audit finds that a mechanism breaks its claim.

    Parameters
    ----------
    mechanism : callable or str
        Called with ``(dataset, size, rng)``; or text for `find_mechanism`, such as
        ``"package.module:release"``.
    claim : Claim, Pair or str, optional
        What it promises, such as ``"approx(1, 1e-5)"``. A mechanism of the gallery brings its own.
    must_detect : float, optional
        Fail, too, if the audit could not have detected a leak of this size: of the claim's
        parameter (ε, or μ), with a probability of 80 % on the right datasets. Above the claim.
    save : str or pathlib.Path, optional
        Where to keep the evidence when the test fails, for ``workbench test TARGET --replay``.
    **options
        Of `audit_mechanism`: ``datasets``, ``testers``, ``trials``, ``samples``, ``confidence``,
        ``seed``, ``neighboring_relation``, ``domain``, ``anytime``, ``time_limit``, ``executor``.
        The seed is 0 unless given, so that the test says the same each time as long as the
        mechanism draws from its ``rng`` alone.

    Returns
    -------
    MechanismAudit
        None was found; ``print(audit.explain())`` says what could have been. It does not show that
        the mechanism is private.

    Raises
    ------
    AuditFailure
        An AssertionError: a violation was found; nothing could be tested; or the audit was weaker
        than ``must_detect``.
    ValueError
        Bad input, as of `audit_mechanism`; a ``must_detect`` that is not above the claim.

    Warns
    -----
    UserWarning
        Some of the trials were lost, such as those in which the mechanism raised.

    Notes
    -----
    False alarms: a mechanism that meets its claim fails with a probability of at most 1 −
    ``confidence`` (over seeds), all trials and testers together. A suite with many such tests does
    well to ask for ``confidence=0.999``, which costs little power.
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


def claim_of(mechanism: Callable[..., Any], claim: Claim | Pair | str | None) -> Claim:
    """The claim given, or else the mechanism's own (ValueError when it has none)."""
    if claim is not None:
        return as_claim(claim)
    if not isinstance(mechanism, Mechanism):
        raise ValueError("what does the mechanism claim? Give a claim such as 'approx(1, 1e-5)'")
    return mechanism.claim


def check_must_detect(value: Any, claim: Claim) -> float:
    """A leak that can be asked for: larger than what is claimed (ValueError otherwise)."""
    own = claim.parameter
    if own is None:
        raise ValueError(f"must_detect needs a claim with a parameter; {claim} has none")
    x = _checks.number(value, "must_detect")
    if x <= own:
        raise ValueError(
            f"must_detect must be above what is claimed, {plain(own)}, got {value!r}; nothing "
            "less is a leak"
        )
    return x


def too_weak(audit: MechanismAudit, must_detect: float) -> str | None:
    """Why the audit could not have detected such a leak; None where it could."""
    least = audit.least_detectable
    if least is not None and least <= must_detect:
        return None
    return (
        f"too weak: a leak of {audit.claim.symbol} = {plain(must_detect)} would not have "
        f"been found with a probability of 80 %, only {leak_in_words(audit.claim, least)}; give "
        f"more samples ({audit.samples:,} a trial), or fewer trials ({audit.planned:,}) or testers "
        f"({len(audit.testers)})"
    )


def leak_in_words(claim: Claim, least: float | None) -> str:
    """From which parameter on a leak is found, such as "ε ≥ 1.1"."""
    if least is None:
        return "one of unknown size"
    if math.isinf(least):
        return "none, however large"
    return f"{claim.symbol} ≥ {round_safely(least, 'up')}"


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
    weak = too_weak(audit, must_detect) if must_detect is not None else None
    return f"{claimed}{weak}.\n{audit.in_words()}" if weak else None
