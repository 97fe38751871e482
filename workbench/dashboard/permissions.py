"""`Permissions`: what a person may do on their pages, and how much they may keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.dashboard.gestures import for_editors
from workbench.dashboard.limits import LimitError, ServerLimits


class RoleError(ValueError):
    """Raised where a person does what their role does not allow."""


@dataclass(frozen=True)
class Permissions:
    """What a person may do on their pages, and how much they may keep.

    Parameters
    ----------
    limits : ServerLimits
    edits : callable
        Whether the person's role is that of an editor, at this moment.
    name : str
        Of the person, as the administrator knows it.
    """

    limits: ServerLimits = field(default_factory=ServerLimits)
    edits: Callable[[], bool] = lambda: True
    name: str = ""

    def require(self, gesture: Mapping[str, Any]) -> None:
        """Refuse a gesture that the role does not allow.

        Raises
        ------
        RoleError
            Only editors may do that. What is not known counts as that.
        """
        does = for_editors(gesture)
        if does and not self.edits():
            raise RoleError(self.refusal(does))

    @property
    def state(self) -> dict[str, Any]:
        """What the browser shows: whether the person edits, and why not."""
        edits = self.edits()
        return {"edit": edits, "why": "" if edits else self.refusal("change anything")}

    def refusal(self, does: str) -> str:
        """What a viewer is told who wants to do something."""
        return (
            f"Your role is viewer: you cannot {does}. An administrator can change it with "
            f"'workbench users role {self.name or 'NAME'} editor'"
        )

    # -- how much ----------------------------------------------------------------------------------

    def require_data_set(self, there: int, removed: int) -> None:
        """Refuse one more data set; see `workbench.workspaces.storing.allowance.Allowance`.

        Raises
        ------
        LimitError
        """
        if there >= self.limits.data_sets:
            among = f", {removed:,} of them removed and not yet deleted" if removed else ""
            raise LimitError(
                f"You have {there:,} data sets{among}; this server keeps "
                f"{self.limits.data_sets:,.0f} for each person. {_FREE}",
                "--max-data-sets",
            )

    def require_room(self, used: int, more: int) -> None:
        """Refuse content for which there is no room; see `require_data_set`.

        Raises
        ------
        LimitError
        """
        if used + more > self.limits.disk:
            room = size_words(self.limits.disk)
            raise LimitError(
                f"This needs {size_words(more)}, and your data sets, uploads and audits take "
                f"{size_words(used)} of the {room} that this server keeps for each person. {_FREE}",
                "--max-disk",
            )


_FREE = (
    "To make room, remove data sets or audits, then choose “Delete removed data for good” in the "
    "Data menu"
)


def size_words(size: float) -> str:
    """A number of bytes as people say it, such as "2.1 GB"."""
    for unit, name in ((2**30, "GB"), (2**20, "MB"), (2**10, "kB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}".replace(".0 ", " ")
    return f"{size:,.0f} bytes"
