"""`OneRunPage`: bounds from the guesses of one training run, by every published method."""

from __future__ import annotations

from typing import Any, ClassVar

import param

from workbench.onerun.run import OneRun
from workbench.pages.core.page import Section
from workbench.pages.one_run.code import one_run_code
from workbench.pages.one_run.growth import OneRunGrowth
from workbench.workspaces.home import given_workspace


class OneRunPage(OneRunGrowth):
    """State and drawings of the page."""

    title = "Audit with one training run"
    about = (
        "Train once with randomly included canaries, then guess which were included. When is one "
        "run enough, and what does each method assume?"
    )
    main: ClassVar[tuple[str, ...]] = ("threshold", "log_canaries")

    controls: ClassVar[tuple[Section, ...]] = (
        OneRunGrowth.data,
        OneRunGrowth.simulator,
        OneRunGrowth.rules,
        OneRunGrowth.audit,
        OneRunGrowth.more,
    )

    def code(self, spec: dict[str, Any]) -> str:
        """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_one_run``."""
        return one_run_code(self, spec)


class GivenOneRunPage(OneRunPage):
    """`OneRunPage` about the canaries given.

    Parameters
    ----------
    given : OneRun
    """

    source = param.Selector(default="given", objects=["given"], precedence=-1)

    controls: ClassVar[tuple[Section, ...]] = OneRunPage.controls[1:]

    def __init__(self, given: OneRun, **params: Any):
        self._given = given
        super().__init__(**{"workspace": given_workspace(), **params})

    @property
    def subjects(self) -> tuple[Any, ...]:
        """The canaries given."""
        return (self._given,)

    def _load(self, *events: Any) -> None:
        self._adopt(self._given)
