"""Series of audits, made without a page."""

from datetime import UTC, datetime, timedelta
from functools import partial

import workbench as wb
from workbench import _json
from workbench.audits.audit import Audit
from workbench.audits.items import AuditNumber
from workbench.audits.series.audit_series import SeriesAudit, scores_sha256
from workbench.audits.series.spending import confidence_at

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def audit_of_scores(scores, confidence=0.95, claims=(), delta=1e-5, **more):
    """An audit with the bound on ε, and verdicts on claims."""
    bound = wb.epsilon_lower_bound(scores, delta, confidence)
    verdicts = [wb.judge(scores, claim, confidence).to_dict() for claim in claims]
    return Audit(
        page="scores",
        title="Scores",
        settings={},
        data=(),
        numbers=(AuditNumber("epsilon", "ε lower bound", bound),),
        sentences=(),
        figures=(),
        code="",
        made=BEGAN,
        software={},
        verdicts=tuple(_json.plain(one, "text") for one in verdicts),
        **more,
    )


def series_of(mus, claims=("gdp(1)",), name="nightly", confidence=0.95, n=400, names=()):
    """A series of audits of Gaussian pairs."""
    audits = []
    for k, mu in enumerate(mus, start=1):
        scores = wb.GaussianPair(mu).sample(n, seed=k)
        own = confidence_at(k, confidence)
        audit = audit_of_scores(
            scores,
            own,
            claims,
            name=names[k - 1] if names else f"release {k}",
            key=f"key{k}",
            series=name,
            position=k,
        )
        began = BEGAN + timedelta(days=k)
        audits.append(
            SeriesAudit(k, own, scores_sha256(scores), began, name, partial(_same, audit))
        )
    return wb.AuditSeries(name, confidence, tuple(audits))


def _same(audit):
    return audit
