"""`SyntheticPage`: does a synthetic table give away who was in its training table?"""

from __future__ import annotations

from typing import Any, ClassVar

from workbench.pages.core.page import Control, Page, Section
from workbench.pages.core.upload import OfferedFile
from workbench.pages.inputs.claims.stated import StatedClaim
from workbench.pages.inputs.settings import DeltaSetting, Validity
from workbench.pages.synthetic.audit import SyntheticMeasuring
from workbench.pages.synthetic.code import synthetic_code
from workbench.pages.synthetic.columns import TypedColumns
from workbench.pages.synthetic.splitting import OneTable
from workbench.pages.synthetic.tables import ThreeTables
from workbench.pages.synthetic.threats import SyntheticThreats
from workbench.pages.synthetic.words import SyntheticWords


class SyntheticPage(Page):
    """State and drawings of the page.

    Parameters
    ----------
    given : SyntheticAudit, optional
        The audit that it is about.
    **more
        As of `Page`.
    """

    title = "Audit synthetic data"
    about = (
        "Three tables: what trained a generator, what was held out, and what it made. Does the "
        "synthetic table give away who was in the training table?"
    )
    main: ClassVar[tuple[str, ...]] = ("guess_share", "log_delta")

    delta = DeltaSetting()
    validity = Validity(resets=())
    three = ThreeTables()
    promised = StatedClaim()
    measuring = SyntheticMeasuring()
    threatened = SyntheticThreats()
    typed = TypedColumns()
    split_off = OneTable()
    words = SyntheticWords()

    controls: ClassVar[tuple[Section, ...]] = (
        ThreeTables.section,
        OneTable.section,
        SyntheticMeasuring.section,
        TypedColumns.section,
        SyntheticMeasuring.claimed,
        SyntheticThreats.section,
        Section("", (Control("reset"),)),
    )

    def training_part_file(self) -> OfferedFile:
        """The file of the records that go to training."""
        return self.split_off.offered(0)

    def holdout_part_file(self) -> OfferedFile:
        """The file of the records that are held out."""
        return self.split_off.offered(1)

    def split_script_file(self) -> OfferedFile:
        """The script that makes the same split."""
        return self.split_off.script()

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore``."""
        return synthetic_code(self, spec)
