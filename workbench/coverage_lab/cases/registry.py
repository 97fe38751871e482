"""All simulated cases, by name."""

from __future__ import annotations

from workbench.coverage_lab.cases.case import SimulatedCase
from workbench.coverage_lab.cases.one_run import ONE_RUN
from workbench.coverage_lab.cases.others import OTHERS
from workbench.coverage_lab.cases.tables import TABLES
from workbench.coverage_lab.cases.values import VALUES

CASES: dict[str, SimulatedCase] = {
    case.name: case for case in (*TABLES, *ONE_RUN, *VALUES, *OTHERS)
}
