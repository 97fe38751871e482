"""`OneRunPage`: bounds from the guesses of one training run, by every published method."""

from __future__ import annotations

from typing import Any, ClassVar

from workbench.pages.core.page import Page, Section
from workbench.pages.inputs.settings import DeltaSetting, Validity
from workbench.pages.one_run.audit import OneRunAudit
from workbench.pages.one_run.code import one_run_code
from workbench.pages.one_run.growth import OneRunGrowth
from workbench.pages.one_run.numbers import OneRunNumbers
from workbench.pages.one_run.source import OneRunSource
from workbench.pages.one_run.values import OneRunValues
from workbench.pages.one_run.words import OneRunWords


class OneRunPage(Page):
    """State and drawings of the page.

    Parameters
    ----------
    given : OneRun or Ranks, optional
        The canaries that it is about.
    **more
        As of `Page`.
    """

    title = "Audit with one training run"
    about = (
        "Train once with randomly included canaries, then guess which were included. When is one "
        "run enough, and what does each method assume?"
    )
    main: ClassVar[tuple[str, ...]] = ("threshold", "log_canaries")

    delta = DeltaSetting()
    validity = Validity(resets=())
    run_source = OneRunSource()
    of_values = OneRunValues()
    auditing = OneRunAudit()
    measured = OneRunNumbers()
    explained = OneRunWords()
    studies = OneRunGrowth()

    controls: ClassVar[tuple[Section, ...]] = (
        OneRunSource.data,
        OneRunSource.simulator,
        OneRunSource.rules,
        OneRunAudit.audit,
        OneRunGrowth.more,
    )

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_one_run``."""
        return one_run_code(self, spec)
