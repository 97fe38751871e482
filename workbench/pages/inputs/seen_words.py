"""What a page says of data that were seen before under another name."""

from __future__ import annotations

from workbench._format import percent
from workbench.audits.plan import time_text
from workbench.workspaces.seen.memory import Sight
from workbench.workspaces.seen.record import Alike, SeenRecord
from workbench.workspaces.workspace import Workspace

_MARKS = (
    "The question, the confidence and other choices count as fixed in advance only if they are the "
    "ones under which these results were seen first."
)


def seen_words(sight: Sight, workspace: Workspace) -> str:
    """That results of the same data, or of most of their rows, were seen; "" where they are new."""
    record = workspace.seen.of(sight.data)
    if record is None:
        return ""
    said = [_same(record, sight)]
    said += [_alike(one, other) for one, other in workspace.seen.others(record)]
    found = " ".join(filter(None, said))
    return f"{found} {_MARKS}" if found else ""


def _same(record: SeenRecord, sight: Sight) -> str:
    if (
        record.shown is None
        or record.sha256 == sight.sha256
        or not (record.sha256 and sight.sha256)
    ):
        return ""
    when = f"at {time_text(record.shown)}"
    if record.is_distinctive:
        return (
            f"These scores were seen before, {when}, as {record.called}: in another order, in "
            "other units or with other columns beside them."
        )
    return (
        f"The same ranks were seen before, {when}, as {record.called}. With so few different "
        "scores other data may have them by chance; these count as seen."
    )


def _alike(one: Alike, other: SeenRecord) -> str:
    if other.shown is None:
        return ""
    when = f"whose results were seen at {time_text(other.shown)}"
    if one.how == "exchanged":
        return f"These are the scores of {other.called}, {when}, with the groups exchanged."
    units = ", in other units" if one.how == "rescaled" else ""
    share = percent(round(one.share, 1))
    return f"About {share} of the rows are rows of {other.called}{units}, {when}."
