"""`Services`: what a bench uses of the server that it is part of."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.dashboard.files import UploadFolder
from workbench.dashboard.permissions import Permissions
from workbench.dashboard.sharing import Sharing
from workbench.following.following import Following
from workbench.pages.core.jobs import JobRunner


@dataclass(frozen=True)
class Services:
    """What a bench uses of the server that it is part of.

    Parameters
    ----------
    uploads : UploadFolder
        Where uploads are put together; by default a temporary folder.
    runner : JobRunner, optional
        Has the jobs of the pages done; by default a thread of this process does.
    sharing : Sharing, optional
        What the visitor lets others read, and reads of others.
    may : Permissions
        What the visitor may do; everything by default.
    following : Following, optional
        What follows the score file that everybody may watch.
    """

    uploads: UploadFolder = field(default_factory=UploadFolder)
    runner: JobRunner | None = None
    sharing: Sharing | None = None
    may: Permissions = field(default_factory=Permissions)
    following: Following | None = None
