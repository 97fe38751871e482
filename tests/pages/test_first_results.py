"""Pages that start with a stored result say so, and it is the one that their job computes."""

import json

import pytest
from helpers.nearly import assert_nearly

import workbench as wb
from workbench.pages import sample_sizes
from workbench.pages.core.jobs import IN_ADVANCE
from workbench.pages.core.page import Fact
from workbench.pages.core.stored import first_result
from workbench.pages.coverage_lab import CoverageLabPage, plain_results
from workbench.pages.mechanism.page import MechanismPage
from workbench.pages.one_run import growth
from workbench.pages.one_run.page import OneRunPage
from workbench.pages.plan import PlanPage
from workbench.pages.synthetic.page import SyntheticPage
from workbench.pages.training.page import TrainPage
from workbench.pages.training.watching import stored_of

PAGES = [
    (MechanismPage, "search", "mechanism"),
    (CoverageLabPage, "simulate", "coverage"),
    (OneRunPage, "simulate", "one-run"),
    (PlanPage, "simulate", "plan"),
    (TrainPage, "train", "training"),
    (SyntheticPage, "measure", "synthetic"),
]

#: Numbers of each page without a value at the start, each of which says why.
EMPTY = {
    **{MechanismPage: 1, CoverageLabPage: 0, OneRunPage: 0, PlanPage: 0, TrainPage: 0},
    SyntheticPage: 0,
}


@pytest.mark.parametrize(("kind", "job", "name"), PAGES)
def test_the_first_result_fits_the_first_settings_and_says_what_it_is(kind, job, name):
    page = kind()
    assert first_result(page, job, name) is not None, "run data/make_first_results.py"
    assert page.work.state(job).words == IN_ADVANCE
    assert not page.work.state(job).running
    for item in page.items():
        page.draw(item)
    drawn = [page.draw(item) for item in page.numbers()]
    assert [one.text for one in drawn if isinstance(one, Fact)].count("–") == EMPTY[kind]
    page.seed += 1
    assert page.work.state(job).words == f"{IN_ADVANCE} The settings have changed since."
    page.seed -= 1
    assert page.work.state(job).words == IN_ADVANCE


@pytest.mark.parametrize(("kind", "job", "name"), PAGES)
def test_a_page_with_other_settings_starts_empty(kind, job, name):
    page = kind(seed=1)
    assert first_result(page, job, name) is None
    assert page.work.state(job).words == ""
    assert not getattr(page, page.jobs()[job].into)


def test_the_stored_search_counts_as_seen_and_its_evidence_can_be_checked():
    page = MechanismPage()
    assert page.found.violation
    assert page.search_number() == 1
    assert page.strongest().void is None
    page.log_fresh = 4.0
    assert page.work.run("recheck").replay.samples == 10_000


#: Entries of a search that another machine does not repeat: how long something took, and a hash of
#: outputs, bit for bit, whose last bits are those of the processor's exponential function.
OF_ONE_MACHINE = {"seconds": float, "digest": str}


def _anywhere(value):
    """JSON values in which entries of one machine are only what kind of thing they are."""
    if isinstance(value, dict):
        return {
            name: type(each) is OF_ONE_MACHINE[name] if name in OF_ONE_MACHINE else _anywhere(each)
            for name, each in value.items()
        }
    return [_anywhere(each) for each in value] if isinstance(value, list) else value


@pytest.mark.slow
def test_the_stored_search_is_what_the_job_finds():
    page = MechanismPage(executor=None)
    stored = first_result(page, "search", "mechanism")
    found = json.loads(json.dumps(page.work.run("search").to_dict()))
    assert_nearly(_anywhere(found), _anywhere(stored), rel=1e-9)


@pytest.mark.exhaustive
@pytest.mark.slow
def test_the_stored_coverage_is_what_the_job_simulates():
    page = CoverageLabPage()
    stored = first_result(page, "simulate", "coverage")
    assert_nearly(plain_results(page.work.run("simulate")), stored, rel=1e-9)


def test_a_study_of_other_settings_is_not_drawn_as_one_of_these():
    page = OneRunPage()
    assert page.growth()["data"]
    assert page.spread()["data"]
    page.leak = 2.0
    assert page.study() is None
    page.leak = 1.0
    assert page.study() is page.studied
    assert OneRunPage(source="counts").studied is None


@pytest.mark.slow
def test_the_stored_study_is_what_the_job_simulates():
    page = OneRunPage()
    stored = first_result(page, "simulate", "one-run")
    assert_nearly(growth.stored_of(page.work.run("simulate")), stored, rel=1e-5)


def test_a_stored_plan_comes_back():
    page = PlanPage()
    stored = first_result(page, "simulate", "plan")
    assert sample_sizes.stored_of(page.plan) == stored
    assert page.own().needed.n == stored["needed"]["n"]
    # It is what the library says; the points of the curve and the bounds are computed alike.
    asked = page.sizes.arguments("simultaneous")
    again = wb.power(**asked, claim_epsilon=1.5, n=page.own().needed.n)
    assert again.value == page.own().needed.power.value >= 0.8


@pytest.mark.slow
def test_the_stored_models_are_what_the_job_trains():
    page = TrainPage()
    stored = first_result(page, "train", "training")
    # The scores of models are stored as they were trained, in single precision.
    assert_nearly(stored_of(page.work.run("train")), stored, rel=1e-6)


@pytest.mark.slow
def test_the_stored_audit_of_a_synthetic_table_is_what_the_job_measures():
    page = SyntheticPage()
    stored = first_result(page, "measure", "synthetic")
    assert_nearly(page.work.run("measure").to_dict(), stored, rel=1e-6)
