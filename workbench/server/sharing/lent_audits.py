"""`LentAudit`: a saved audit that somebody shares with a person, or by a link."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from workbench.audits.attachment import Attachment
from workbench.audits.audit import Audit
from workbench.audits.summary import AuditSummary
from workbench.server.sharing.lending import Lending
from workbench.server.sharing.share import Grant


@dataclass(frozen=True)
class LentAudit:
    """A saved audit that somebody shares; every method asks whether they still do.

    Parameters
    ----------
    lending : Lending
    share : Grant
    """

    lending: Lending
    share: Grant

    @property
    def owner(self) -> str:
        """Name of the person whose it is."""
        return self.lending.name_of(self.share.owner)

    @cached_property
    def summary(self) -> AuditSummary:
        """What a list shows of it, without what belongs to the owner's archive.

        Raises
        ------
        NotSharedError
            It is not, or no longer, shared.
        """
        found = self.lending.summary(self.share)
        return replace(found, key=self.share.reference, previous="", versions=1)

    def audit(self) -> Audit:
        """The audit, under the key that it has for others."""
        found = self.lending.audit_archive(self.share)[self.share.key]
        return replace(found, key=self.share.reference)

    def attachments(self) -> tuple[Attachment, ...]:
        """The scores and files that were saved with it."""
        return self.lending.audit_archive(self.share).attachments(self.share.key)

    def exported(self) -> bytes:
        """The content of its file, as its owner exports it."""
        return self.lending.audit_archive(self.share).exported(self.share.key)
