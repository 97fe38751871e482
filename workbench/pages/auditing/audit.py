"""`audit`: what the page about some scores shows, to save or to report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench import _checks
from workbench.audits.audit import Audit
from workbench.claims.base import Claim
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.given import page_about
from workbench.pages.importing.page import ImportPage
from workbench.pages.inputs.claims.stated import claim_settings
from workbench.pages.inputs.spec import Spec
from workbench.pairs.base import Pair


def audit(
    subject: Any = None,
    spec: Mapping[str, Any] | None = None,
    by: str = "",
    claim: Claim | Pair | str | None = None,
) -> Audit:
    """The audit that the page about some scores, or about another object, shows.

    Parameters
    ----------
    subject : object, optional
        As of `explore`: `Scores`, a path, a pair of arrays, a DataFrame, `Counts`, `OneRun`, a
        `DataSet` of `workspace`, the name of a page, and more.
    spec : mapping, optional
        Settings of the page by name, such as ``{"threshold": 0.5, "log_delta": -6}``; see
        `View.spec`. All others are as the page starts.
    by : str, optional
        Who makes it.
    claim : Claim, Pair or str, optional
        What was promised of the mechanism, as of `explore`.

    Returns
    -------
    Audit
        Not saved: ``wb.workspace().audits`` saves it, and ``audit.report("audit.html")`` writes a
        report. Results of jobs, such as a search, are not part of it; `View.audit` has them.

    Raises
    ------
    ScoresError
        Scores that cannot be audited, or an object that has no page.
    ValueError
        An unknown name or a value out of range in ``spec``, an object or a claim that the controls
        of its page cannot show, or a claim for a page that tests none.

    Examples
    --------
    >>> audit = wb.audit(wb.example("gaussian"), spec={"log_delta": -6})
    >>> audit.bounds["epsilon"]
    Bound(ε at δ = 1e-6 ≥ 2.23 (simultaneous, 95%, independent runs))
    """
    settings = {} if spec is None else _checks.instance(spec, Mapping, "spec", "a dict of settings")
    _checks.text(by, "by")
    page = page_about(subject)
    if isinstance(page, ImportPage):
        raise ValueError("the import step shows no results; audit the scores that it opened")
    promised = {} if claim is None else claim_settings(page, claim)
    Spec(page).restore({**promised, **settings})
    return audit_of(page, by)
