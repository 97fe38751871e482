"""`plan` stores the plan of an audit; `PlannedData` is what a plan asks about a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from workbench import _checks
from workbench.audits.plan import RegisteredPlan
from workbench.scores.sample import Scores
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.home import workspace as opened_workspace
from workbench.workspaces.sources import DrawnSource, ExampleSource
from workbench.workspaces.workspace import Workspace


def plan(
    name: str,
    data: str,
    *,
    threshold: float | None = None,
    bins: Mapping[str, Any] | None = None,
    larger_is_member: bool = True,
    sampling: str = "unknown",
    cluster_rule: str = "mean",
    delta: float = 1e-5,
    confidence: float = 0.95,
    interval: str = "joint",
    claim: str = "",
    n_p: int | None = None,
    n_q: int | None = None,
    stopping: str = "fixed",
    workspace: Workspace | None = None,
) -> RegisteredPlan:
    """Plan of an audit, stored with its hash and the time before any score is opened.

    A bound at a threshold is valid for a threshold that was fixed before the scores were seen. The
    page of the scores, and every report of it, labels the bound "fixed in advance" while the audit
    follows the plan, and lists every deviation from it.

    Parameters
    ----------
    name : str
        For people.
    data : str
        Where the scores will come from, in words.
    threshold : float, optional
        In score units.
    bins : mapping, optional
        Bins that do not depend on the scores, such as ``{"bins": 20, "range": [0, 1]}``.
    larger_is_member : bool
        Direction of the score.
    sampling, cluster_rule : str
        As of `Scores`.
    delta, confidence : float
    interval : str
        As of `epsilon_lower_bound`.
    claim : str
        Text of `parse_claim`; "" for none.
    n_p, n_q : int, optional
        Numbers of scores of members and of non-members.
    stopping : {"fixed", "anytime"}
        Whether the sizes are fixed, or the audit may end at any time; then only anytime bounds are
        valid.
    workspace : Workspace, optional
        Where it is stored; by default the one on this computer's disk.

    Returns
    -------
    RegisteredPlan
        With its key. It is never changed.

    Raises
    ------
    ValueError
        A value out of range, bins that depend on the scores, a claim that cannot be read.
    ArchiveError
        The database of audits cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> ws = wb.workspace(tempfile.mkdtemp())
    >>> release = wb.plan("release 3", "losses of the nightly run", threshold=0.5,
    ...                   larger_is_member=False, n_p=1000, n_q=1000, workspace=ws)
    >>> release.choices["threshold"]
    '0.5'
    >>> [one.name for one in ws.audits.plans]
    ['release 3']
    """
    found = RegisteredPlan(
        name,
        data,
        datetime.now(UTC),
        larger_is_member=larger_is_member,
        sampling=sampling,
        cluster_rule=cluster_rule,
        threshold=threshold,
        bins=bins,
        delta=delta,
        confidence=confidence,
        interval=interval,
        claim=claim,
        n_p=n_p,
        n_q=n_q,
        stopping=stopping,
    )
    need = "a workbench.Workspace; wb.workspace() opens one"
    chosen = opened_workspace() if workspace is None else workspace
    _checks.instance(chosen, Workspace, "workspace", need)
    kept = chosen.audits.plans.add(found)
    chosen.changes.announce()
    return kept


#: What data are that anybody can see, by the kind of their source.
_PUBLIC = {
    ExampleSource.kind: "scores of a bundled example, which anybody can see at any time",
    DrawnSource.kind: "a draw that anybody can repeat at any time",
}


@dataclass(frozen=True)
class PlannedData:
    """What a plan asks about the data that it is used for.

    Parameters
    ----------
    larger_is_member, sampling, cluster_rule, n_p, n_q
        As of `workbench.audits.deviations.AuditFacts`, as are the others.
    """

    larger_is_member: bool
    sampling: str
    cluster_rule: str
    n_p: int
    n_q: int
    opened: datetime | None = None
    known_as: str = ""
    public: str = ""
    reread: str = ""
    used_before: str = ""
    rivals: str = ""

    @classmethod
    def of_scores(cls, scores: Scores) -> PlannedData:
        """What is known of scores that were given in Python: not when they were first seen."""
        return cls(
            scores.larger_is_member,
            scores.sampling,
            scores.cluster_rule,
            scores.n_p,
            scores.n_q,
        )

    @classmethod
    def of(cls, dataset: DataSet, workspace: Workspace, registered: RegisteredPlan) -> PlannedData:
        """What is known of a data set, for which the plan counts as used from now on.

        Data that could be seen before the plan was stored do not use it up.

        Parameters
        ----------
        dataset : DataSet
        workspace : Workspace
            Has the plan and the data.
        registered : RegisteredPlan
        """
        scores = workspace.scores(dataset.key)
        known = cls.of_scores(scores)
        if dataset.virtual:
            return replace(known, public=_PUBLIC[dataset.source.kind])
        plans, rivals = workspace.audits.plans, ""
        found = workspace.openings.find(dataset.sha256, scores)
        opened, data = (None, dataset.sha256) if found is None else (found.at, found.sha256)
        if opened is not None and opened > registered.created:
            first = plans.use(registered.key, data).data_sha256
            rivals = _rivals(plans.rivals(registered, data, opened))
        else:
            uses = plans.uses(registered.key)
            first = uses[0].data_sha256 if uses else data
        return replace(
            known,
            opened=opened,
            known_as="" if found is None else found.how,
            reread=_reread(dataset, registered),
            used_before="" if first == data else _named(first, workspace),
            rivals=rivals,
        )


def _rivals(plans: Sequence[RegisteredPlan]) -> str:
    """Other plans that could have been taken for the same data, in words."""
    labels = [plan.label for plan in plans]
    if len(labels) > 3:
        return f"{', '.join(labels[:2])} and {len(labels) - 2} others"
    return " and ".join(labels)


def _named(sha256: str, workspace: Workspace) -> str:
    """Data in words, by their hash where the workspace has them no longer."""
    found = workspace.find(sha256, removed=True)
    return f"other data (SHA-256 {sha256[:8]})" if found is None else f"“{found.name}”"


def _reread(dataset: DataSet, registered: RegisteredPlan) -> str:
    """The choice of the reading that was changed after results and that the plan does not fix."""
    now, declared = dataset.reading, dataset.declared
    if not dataset.reread or declared is None:
        return dataset.reread
    planned = {
        name: getattr(now, name)
        for name in ("larger_is_member", "cluster_rule")
        if getattr(now, name) == getattr(registered, name)
    }
    return replace(declared, **planned).changed_choice(now)
