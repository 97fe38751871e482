"""Compute the first results of pages and store them: `python data/make_first_results.py`.

Each is the result of a page's job with the settings that the page starts with. It takes about a
minute on two cores. Run it again after a change of these settings or of the numbers.
"""

from __future__ import annotations

from pathlib import Path

from workbench.pages import sample_sizes
from workbench.pages.core.stored import store
from workbench.pages.coverage_lab import CoverageLabPage, plain_results
from workbench.pages.mechanism.page import MechanismPage
from workbench.pages.one_run import growth
from workbench.pages.one_run.page import OneRunPage
from workbench.pages.plan import PlanPage
from workbench.pages.synthetic.page import SyntheticPage
from workbench.pages.training.page import TrainPage
from workbench.pages.training.watching import stored_of


def main() -> None:
    """Write all files."""
    folder = Path(__file__).parent
    test = MechanismPage(executor=None)
    store(folder, "mechanism", test, "search", test.work.run("search").to_dict())
    coverage = CoverageLabPage()
    store(folder, "coverage", coverage, "simulate", plain_results(coverage.work.run("simulate")))
    run = OneRunPage()
    store(folder, "one-run", run, "simulate", growth.stored_of(run.work.run("simulate")))
    plan = PlanPage()
    store(folder, "plan", plan, "simulate", sample_sizes.stored_of(plan.work.run("simulate")))
    training = TrainPage()
    store(folder, "training", training, "train", stored_of(training.work.run("train")))
    (folder / "first-synthetic.json").unlink(missing_ok=True)  # it may be of another shape
    tables = SyntheticPage()
    store(folder, "synthetic", tables, "measure", tables.work.run("measure").to_dict())


if __name__ == "__main__":
    main()
