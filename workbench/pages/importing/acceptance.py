"""`Acceptance`: the end of the step: the data set is added, and shown under its plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workbench.pages.core.part import Part
from workbench.tables.table import ScoreTable
from workbench.workspaces.dataset import DataSet

#: Name of the page that shows data under a plan, and its marks that a plan does not take away.
SCORES, MARKS = "scores", ("looked", "doubted")


class Acceptance(Part):
    """The end of the step: the data set is added, and shown under its plan."""

    def start(self, given: frozenset[str]) -> None:
        """Watch the button."""
        self.page.param.watch(self._accept, "accept")

    def _accept(self, *events: Any) -> None:
        table = self.page.table_read()
        missing, found = self.page.missing(), self.page.read() if table is None else table
        if missing or isinstance(found, str):
            self.page.message = missing or str(found)
            return
        try:
            if isinstance(table, ScoreTable):
                names = [file.name for file in self.page.upload]
                stored = self.page.workspace.add_table(table, self.page.data_name.strip(), names)
            else:
                stored = self._stored()
                self._keep_claim(stored)
                self._keep_plan(stored)
        except ValueError as error:
            self.page.message = str(error)
        else:
            self.page.param.update(message="", accepted=stored.key)

    def _stored(self) -> DataSet:
        """The data set in the workspace, read as it is chosen."""
        known, reading = self.page.opened_files.known, self.page.as_read.chosen
        if known is None:
            name = self.page.data_name.strip()
            return self.page.workspace.add(
                self.page.opened_files.in_order, reading, name, self.page.opened_files.all_files
            )
        if known.key not in self.page.workspace.datasets:
            self.page.workspace.kept.restore(known.key)
        if replace(reading, seed=known.reading.seed) != known.reading:
            known = self.page.workspace.kept.reread(known.key, reading, seen=True)
        name = self.page.data_name.strip()
        if self.page.dataset is not None and name not in ("", self.page.dataset.name):
            known = self.page.workspace.kept.rename(known.key, name)
        return known

    def _keep_claim(self, stored: DataSet) -> None:
        """Keep what was promised with the data set."""
        claim, workspace = self.page.promised.text, self.page.workspace
        if claim != stored.claim and workspace.catalog.is_own(stored.key):
            workspace.kept.promise(stored.key, claim)

    def _keep_plan(self, stored: DataSet) -> None:
        """Have the page of the scores show the data set under the plan."""
        if not self.page.plan or self.page.dataset is not None:
            return
        before = self.page.workspace.page_states.get(SCORES, stored.key) or {}
        marks = {name: before[name] for name in MARKS if name in before}
        plan = self.page.plans.find(self.page.plan)
        opening = self.page.workspace.openings.find(
            stored.sha256, self.page.workspace.scores(stored.key)
        )
        if plan is not None and opening is not None and plan.created < opening.at:
            # No result was shown before if the data were never opened before this step.
            unseen = self.page.choosing.began <= opening.at
            self.page.workspace.audits.plans.use(plan, opening.sha256, unseen=unseen)
        self.page.workspace.page_states.keep(SCORES, {**marks, "plan": self.page.plan}, stored.key)
