"""Scores within the nested JSON of SACRO-ML's ``report.json``."""

from __future__ import annotations

from typing import Any

from workbench.scores.refusals import quoted

#: What the per-record results of an attack are in, within an attack and within one of its runs.
_EXPERIMENT, _INSTANCES, _RECORDS = (
    *("attack_experiment_logger", "attack_instance_logger"),
    "individual",
)

#: What names the file of the results of a run, where the report does not hold them.
_FILE = "individual_file"


def report_lists(content: Any) -> tuple[dict[str, Any], dict[str, str]] | None:
    """The per-record results of a report, and why some have none.

    Parameters
    ----------
    content : dict or list
        A JSON document.

    Returns
    -------
    lists : dict of str to list
        "instance_0.member_prob"; the name of the attack comes first where there are several.
    missing : dict of str to str
        Runs without results of records, with the reason.

    None if the document is no such report.
    """
    attacks = _attacks(content)
    if not attacks:
        return None
    lists: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for attack, instances in attacks.items():
        for instance, found in instances.items():
            name = instance if len(attacks) == 1 else f"{attack}.{instance}"
            records = found.get(_RECORDS) if isinstance(found, dict) else None
            if isinstance(records, dict) and records:
                lists |= {f"{name}.{key}": values for key, values in records.items()}
            elif isinstance(found, dict) and isinstance(found.get(_FILE), str):
                missing[name] = f"has its scores in the file {quoted(found[_FILE])}, not here"
            else:
                missing[name] = "holds no scores of records; repeat the attack with them reported"
    return lists, missing


def _attacks(content: Any) -> dict[str, dict[str, Any]]:
    """The runs of each attack."""
    if not isinstance(content, dict):
        return {}
    reports = {"": content} if _EXPERIMENT in content else content
    found = {}
    for name, report in reports.items():
        experiment = report.get(_EXPERIMENT) if isinstance(report, dict) else None
        instances = experiment.get(_INSTANCES) if isinstance(experiment, dict) else None
        if isinstance(instances, dict):
            found[name] = instances
    return found
