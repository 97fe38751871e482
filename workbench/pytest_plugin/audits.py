"""`PrivacyAudit`: what the fixture ``privacy_audit`` is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.bounds.power.judge import judge
from workbench.bounds.power.verdict import Verdict
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.pairs.base import Pair
from workbench.pytest_plugin.records import Record
from workbench.scores.sample import Scores
from workbench.testers.mechanism_audit import MechanismAudit
from workbench.testing import AuditFailure, assert_no_violation, assert_not_refuted


class PrivacyAudit:
    """Audits in a test, each of which fails the test or returns its result.

    Parameters
    ----------
    test : str
        The test, for the records.
    confidence : float
        Of every audit that does not state its own.
    seed : int
        Of every audit of a mechanism that does not state its own.
    keep : callable, optional
        Takes the `Record` of every audit.
    """

    def __init__(
        self,
        test: str,
        confidence: float = 0.95,
        seed: int = 0,
        keep: Callable[[Record], object] = lambda record: None,
    ) -> None:
        self.test, self.confidence, self.seed, self._keep = test, confidence, seed, keep

    def __call__(
        self,
        subject: Callable[..., Any] | str | Scores,
        claim: Claim | Pair | str | None = None,
        *,
        must_detect: float | None = None,
        confidence: float | None = None,
        **options: Any,
    ) -> MechanismAudit | Verdict:
        """Assert that a mechanism or scores do not refute a claim.

        Parameters
        ----------
        subject : callable, str or Scores
            A mechanism, as of `assert_no_violation`, or scores, as of `assert_not_refuted`.
        claim : Claim, Pair or str, optional
            Such as ``"approx(1, 1e-5)"``. A mechanism of the gallery has its own.
        must_detect : float, optional
            A leak that the audit must be able to detect with probability 80%.
        confidence : float, optional
            Of this audit.
        **options
            Of `audit_mechanism`; none with scores.

        Returns
        -------
        MechanismAudit or Verdict

        Raises
        ------
        AssertionError
            The claim is refuted, or the audit was too weak.
        ValueError
            As of the two functions; scores without a claim, or with options of a mechanism.
        """
        __tracebackhide__ = True
        level = self.confidence if confidence is None else confidence
        if isinstance(subject, Scores):
            return self._scores(subject, claim, must_detect, level, options)
        given: dict[str, Any] = {"seed": self.seed, **options, "confidence": level}
        try:
            audit = assert_no_violation(subject, claim, must_detect=must_detect, **given)
        except AuditFailure as failure:
            self._record_mechanism(failure.audit, passed=False)
            raise
        self._record_mechanism(audit, passed=True)
        return audit

    def _scores(
        self,
        scores: Scores,
        claim: Claim | Pair | str | None,
        must_detect: float | None,
        level: float,
        options: dict[str, Any],
    ) -> Verdict:
        __tracebackhide__ = True
        if claim is None:
            raise ValueError("what was promised of the scores? Give a claim such as 'gdp(1)'")
        if options:
            raise ValueError(f"{', '.join(options)}: an option of mechanisms; leave it out")
        claim = as_claim(claim)
        verdict = judge(scores, claim, level)
        passed = False
        try:
            assert_not_refuted(scores, claim, must_detect=must_detect, confidence=level)
            passed = True
        finally:
            self._keep(
                Record(
                    test=self.test,
                    subject=scores.name or f"{scores.n_p:,} + {scores.n_q:,} scores",
                    claim=verdict.claimed,
                    verdict=verdict.verdict,
                    passed=passed,
                    confidence=level,
                    seed=None,
                    summary=verdict.summary,
                    explanation=verdict.explain(),
                )
            )
        return verdict

    def _record_mechanism(self, audit: MechanismAudit, passed: bool) -> None:
        self._keep(
            Record(
                test=self.test,
                subject=audit.name,
                claim=str(audit.claim),
                verdict=audit.verdict,
                passed=passed,
                confidence=audit.confidence,
                seed=audit.seed,
                summary=audit.in_words(),
                explanation=audit.explain(),
            )
        )
