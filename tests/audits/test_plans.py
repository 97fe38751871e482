"""Plans and deviations: what a plan takes, what differs from it, and what is void because of it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

import workbench as wb
from workbench.audits.deviations import (
    BINS,
    SIZES,
    THRESHOLD,
    AuditFacts,
    deviation_text,
    deviations,
    timely,
    voiding,
)
from workbench.audits.plan import RegisteredPlan
from workbench.workspaces.planning import PlannedData
from workbench.workspaces.reading import Reading
from workbench.workspaces.workspace import Workspace

STORED = datetime(2026, 3, 1, 12, tzinfo=UTC)

PLAN = RegisteredPlan(
    "release 3",
    "losses of the nightly run",
    STORED,
    sampling="independent runs",
    threshold=0.3,
    bins={"bins": 20, "range": (0, 1)},
    claim="approx(1, 1e-5)",
    n_p=1000,
    n_q=1000,
)

KEPT = AuditFacts(
    larger_is_member=True,
    sampling="independent runs",
    cluster_rule="mean",
    threshold=0.3,
    bins={"bins": 20, "range": [0.0, 1.0]},
    delta=1e-5,
    confidence=0.95,
    interval="joint",
    claim="approx(epsilon=1, delta=0.00001)",
    n_p=1000,
    n_q=1000,
    opened=STORED + timedelta(minutes=1),
)

HOSTILE = [
    "<script>alert(1)</script>",
    "**bold** `code` [x](javascript:1) \\LaTeX{} $x$ & % # _",
    "\"quotes\" 'and' “more”",
    "👩‍🔬 \u202e right to left",
    "a\nb\tc",
    "{what} {0} %s",
    "x" * 10_000,
]

#: What an audit may do differently -> what is called so, and which results it voids.
DEVIATIONS = [
    ({"threshold": 0.41}, "the threshold", {THRESHOLD}),
    ({"threshold": None}, "the threshold", {THRESHOLD}),
    ({"bins": {"rule": "scott"}}, "the bins", {BINS}),
    ({"bins": {"bins": 20, "range": None}}, "the bins", {BINS}),
    ({"bins": {"bins": 21, "range": [0, 1]}}, "the bins", {BINS}),
    ({"larger_is_member": False}, "the direction of the score", {THRESHOLD, BINS}),
    ({"interval": "clopper-pearson"}, "the confidence interval", {THRESHOLD}),
    ({"delta": 1e-6}, "δ", {THRESHOLD}),
    ({"confidence": 0.99}, "the confidence", {THRESHOLD, BINS}),
    ({"sampling": "one run"}, "the independence of rows", set()),
    ({"sampling": "clustered"}, "the independence of rows", {THRESHOLD, BINS}),
    ({"cluster_rule": "max"}, "the cluster rule", set()),
    ({"claim": "gdp(1)"}, "the claim", set()),
    ({"claim": ""}, "the claim", set()),
    ({"claim": "no leakier than something else"}, "the claim", set()),
    ({"n_p": 1001}, "the sample sizes", {THRESHOLD, BINS, SIZES}),
    ({"n_q": 999}, "the sample sizes", {THRESHOLD, BINS, SIZES}),
    ({"opened": STORED}, "the opening of the data", {THRESHOLD, BINS}),
    ({"opened": None}, "the opening of the data", {THRESHOLD, BINS}),
    ({"public": "a draw"}, "the data", {THRESHOLD, BINS}),
    ({"reread": "the column"}, "the reading of the data", {THRESHOLD, BINS}),
    ({"used_before": "“old”"}, "the use of the plan", {THRESHOLD, BINS}),
    ({"rivals": "plan 01234567"}, "the choice of the plan", {THRESHOLD, BINS}),
]


def voided(found):
    return {result for result in (THRESHOLD, BINS, SIZES) if voiding(found, result)}


# -- plans ------------------------------------------------------------------------------------


def test_an_audit_that_follows_its_plan_deviates_in_nothing():
    assert deviations(PLAN, KEPT) == ()


@pytest.mark.parametrize(("change", "what", "void"), DEVIATIONS)
def test_each_deviation_is_listed_alone_and_voids_what_rests_on_it(change, what, void):
    (found,) = deviations(PLAN, replace(KEPT, **change))
    assert found.what == what
    assert found.voids is bool(void)
    assert voided([found]) == void
    said = deviation_text(found, PLAN.label)
    assert PLAN.label in said or change.keys() <= {"reread"}
    assert "{" not in said


def test_all_deviations_are_listed_together():
    changes = {name: value for change, _, _ in DEVIATIONS for name, value in change.items()}
    changes |= {"threshold": 0.4, "public": "", "claim": "gdp(1)"}
    found = [one.what for one in deviations(PLAN, replace(KEPT, **changes))]
    expected = {what for _, what, _ in DEVIATIONS} - {"the data"}
    assert sorted(found) == sorted(expected)


def test_the_sentence_names_the_value_and_the_plans():
    (found,) = deviations(PLAN, replace(KEPT, threshold=0.41))
    assert deviation_text(found, PLAN.label) == f"the threshold is 0.41; {PLAN.label} fixed 0.3"


@pytest.mark.parametrize("interval", ["clopper-pearson", "jeffreys", "wilson"])
def test_another_delta_voids_nothing_where_limits_of_the_rates_do_not_know_it(interval):
    plan = replace(PLAN, interval=interval)
    (found,) = deviations(plan, replace(KEPT, interval=interval, delta=1e-3))
    assert (found.what, voided([found])) == ("δ", set())


@pytest.mark.parametrize("interval", ["joint", "katz-log", "bayesian"])
def test_another_delta_voids_a_bound_whose_region_depends_on_it(interval):
    plan = replace(PLAN, interval=interval)
    (found,) = deviations(plan, replace(KEPT, interval=interval, delta=1e-3))
    assert voided([found]) == {THRESHOLD}


def test_a_plan_to_stop_at_any_time_leaves_no_bound_for_fixed_sizes():
    anytime = replace(PLAN, stopping="anytime")
    for facts in (KEPT, replace(KEPT, n_p=10)):
        assert voided(deviations(anytime, facts)) == {THRESHOLD, BINS, SIZES}
    assert "only anytime bounds are valid" in anytime.explain()


def test_what_a_plan_leaves_open_is_no_deviation():
    open_plan = RegisteredPlan("open", "somewhere", STORED, claim=PLAN.claim)
    facts = replace(KEPT, n_p=5, n_q=7, threshold=9.0, bins={"rule": "scott"})
    assert deviations(open_plan, facts) == ()
    assert "neither a threshold nor bins" in open_plan.explain()
    assert "does not state the sample sizes" in open_plan.explain()


def test_one_open_size_is_any_size():
    plan = replace(PLAN, n_q=None)
    assert deviations(plan, replace(KEPT, n_q=3)) == ()
    assert voided(deviations(plan, replace(KEPT, n_p=3))) == {THRESHOLD, BINS, SIZES}


def test_a_plan_is_not_timely_for_data_that_could_be_seen_before():
    late = (
        *({"opened": STORED}, {"opened": None}, {"public": "x"}),
        *({"used_before": "y"}, {"rivals": "z"}),
    )
    assert timely(deviations(PLAN, replace(KEPT, threshold=2.0)))
    assert not any(timely(deviations(PLAN, replace(KEPT, **change))) for change in late)


def test_a_deviation_of_an_unknown_name_voids_everything():
    found = wb.Deviation("the moon", "full", "new")
    assert voided([found]) == {THRESHOLD, BINS, SIZES}
    assert deviation_text(found, "plan x") == "the moon is new; plan x fixed full"


@pytest.mark.parametrize("text", HOSTILE)
def test_names_are_text(text):
    plan = replace(PLAN, name=text, data=text)
    assert plan.name == text.strip()
    again = RegisteredPlan.from_dict(plan.to_dict())
    assert again == plan
    assert again.sha256 == plan.sha256
    assert text.strip() in plan.explain()
    shown = plan._repr_html_()
    assert "<script>" not in shown
    assert "<b>Plan “" in shown


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": ""}, "name must have 1 to 10,000 characters"),
        ({"name": "x" * 10_001}, "name must have 1 to 10,000 characters"),
        ({"data": " \n"}, "data must have 1 to 10,000 characters and say where"),
        ({"name": "a\0b"}, "without NUL"),
        ({"name": "\ud800"}, "halves of characters"),
        ({"created": datetime(2026, 1, 1)}, "must have a time zone"),
        ({"larger_is_member": "yes"}, "larger_is_member must be True or False"),
        ({"sampling": "iid"}, "sampling must be one of"),
        ({"cluster_rule": "median"}, "cluster_rule must be one of"),
        ({"threshold": float("nan")}, "threshold must be finite"),
        ({"threshold": float("inf")}, "threshold must be finite"),
        ({"threshold": "0.5x"}, "threshold must be a number"),
        ({"delta": 1}, r"delta must lie in \[0, 1\)"),
        ({"delta": float("nan")}, r"delta must lie in \[0, 1\)"),
        ({"confidence": 0.05}, "did you mean 0.95"),
        ({"confidence": float("nan")}, "confidence must lie strictly between 0 and 1"),
        ({"interval": "wald"}, "interval must be one of"),
        ({"claim": "private"}, "cannot read the claim 'private'"),
        ({"claim": "approx(nan, 1e-5)"}, "nan"),
        ({"n_p": 0}, "n_p must be a whole number of at least 1"),
        ({"n_q": 10.5}, "n_q must be a whole number of at least 1"),
        ({"stopping": "when it is good"}, "stopping must be one of"),
        ({"bins": {"bins": 20}}, "everything else depends on the scores"),
        ({"bins": {"rule": "scott"}}, "everything else depends on the scores"),
        ({"bins": {"bins": 20, "width": 1, "range": (0, 1)}}, "everything else depends"),
        ({"bins": {"bins": 20, "range": (1, 0)}}, "range must go from low to high"),
        ({"bins": {"bins": 20, "range": "01"}}, "range must be two numbers"),
        ({"bins": {"bins": 20, "range": (0, float("nan"))}}, "range must be finite"),
        ({"bins": {"width": 0, "range": (0, 1)}}, "width must be above 0"),
        ({"bins": {"width": 1e-9, "range": (0, 1)}}, "at most 100,000"),
    ],
)
def test_bad_values_are_refused_with_the_remedy(change, message):
    with pytest.raises(ValueError, match=message):
        replace(PLAN, **change)


@pytest.mark.parametrize("change", [{"name": 3}, {"data": None}, {"created": "now"}, {"bins": 20}])
def test_other_types_are_refused(change):
    with pytest.raises(TypeError, match="must be"):
        replace(PLAN, **change)


def test_every_choice_is_in_the_hash():
    others = {
        "name": "x",
        "data": "x",
        "created": STORED + timedelta(microseconds=1),
        "larger_is_member": False,
        "sampling": "one run",
        "cluster_rule": "max",
        "threshold": 0.31,
        "bins": None,
        "delta": 0.0,
        "confidence": 0.9,
        "interval": "wilson",
        "claim": "",
        "n_p": None,
        "n_q": 1,
        "stopping": "anytime",
    }
    hashes = {replace(PLAN, **{name: value}).sha256 for name, value in others.items()}
    assert len(hashes | {PLAN.sha256}) == len(others) + 1
    assert replace(PLAN, key="k").sha256 == PLAN.sha256
    assert PLAN.label == f"plan {PLAN.sha256[:8]}"


def test_a_plan_that_was_altered_has_another_hash():
    card = PLAN.to_dict()
    assert RegisteredPlan.from_dict({**card, "threshold": 0.2}).sha256 != PLAN.sha256


def test_the_same_time_in_another_zone_is_the_same_plan():
    zone = STORED.astimezone().astimezone(UTC)
    assert replace(PLAN, created=zone).sha256 == PLAN.sha256


# -- in a workspace ---------------------------------------------------------------------------


@pytest.fixture
def space():
    return Workspace()


def scores(seed):
    return wb.GaussianPair(1).sample(200, seed=seed)


def test_a_plan_is_stored_at_once_and_stays_as_it_is(space):
    before = datetime.now(UTC)
    plan = wb.plan("p <b>", "the run", threshold=0.5, workspace=space)
    assert before <= plan.created <= datetime.now(UTC)
    assert plan.key
    (kept,) = space.audits.plans
    assert kept == plan
    assert kept.sha256 == plan.sha256


def test_a_plan_that_is_refused_is_not_stored(space):
    with pytest.raises(ValueError, match="threshold must be finite"):
        wb.plan("p", "the run", threshold=float("nan"), workspace=space)
    assert not list(space.audits.plans)


def test_two_data_sets_under_one_plan_the_first_use_counts(space):
    plan = wb.plan("p", "the run", threshold=0.5, workspace=space)
    first, second = (space.add_scores(scores(i), f"data {i}") for i in range(2))
    assert PlannedData.of(second, space, plan).used_before == ""
    assert PlannedData.of(first, space, plan).used_before == "“data 1”"
    assert PlannedData.of(second, space, plan).used_before == ""
    space.kept.remove(second.key)
    assert PlannedData.of(first, space, plan).used_before == "“data 1”"
    space.kept.purge()
    sha = second.sha256[:8]
    assert PlannedData.of(first, space, plan).used_before == f"other data (SHA-256 {sha})"


def test_data_that_were_opened_before_do_not_use_a_plan_up(space):
    old = space.add_scores(scores(0), "old")
    plan = wb.plan("p", "the run", threshold=0.5, workspace=space)
    new = space.add_scores(scores(1), "new")
    assert PlannedData.of(old, space, plan).opened < plan.created
    assert PlannedData.of(new, space, plan).used_before == ""
    assert PlannedData.of(old, space, plan).used_before == "“new”"


@pytest.mark.parametrize("purge", [False, True])
def test_data_that_were_purged_and_added_again_were_opened_the_first_time(space, purge):
    old = space.add_scores(scores(0), "old")
    plan = wb.plan("p", "the run", threshold=0.5, workspace=space)
    space.kept.remove(old.key)
    if purge:
        space.kept.purge()
    again = space.add_scores(scores(0), "quite new")
    known = PlannedData.of(again, space, plan)
    assert known.opened == old.created < plan.created


def test_the_first_opening_outlives_the_program(tmp_path):
    first = wb.workspace(tmp_path)
    old = first.add_scores(scores(0), "old")
    first.kept.remove(old.key)
    first.kept.purge()
    first.close()
    assert wb.workspace(tmp_path).openings.time(old.sha256) == old.created
    assert wb.workspace(tmp_path).openings.time("0" * 64) is None


def test_of_two_plans_for_the_same_data_neither_was_fixed_in_advance(space):
    first, second = (
        wb.plan(name, "the run", threshold=threshold, workspace=space)
        for name, threshold in (("a", 0.5), ("b", 0.7))
    )
    data = space.add_scores(scores(0), "data")
    assert PlannedData.of(data, space, first).rivals == second.label
    assert PlannedData.of(data, space, second).rivals == first.label


@pytest.mark.parametrize(
    ("other", "rival"),
    [
        ({"threshold": 0.7}, True),
        ({"n_p": 500, "n_q": 500}, True),  # to stop at the size that suits the scores
        ({"claim": "gdp(1)"}, False),
        ({}, False),
    ],
)
def test_plans_of_another_bound_or_of_other_sizes_are_rivals(space, other, rival):
    planned = {"threshold": 0.5, "n_p": 300, "n_q": 300}
    first = wb.plan("a", "the run", workspace=space, **planned)
    second = wb.plan("b", "another name", workspace=space, **{**planned, **other})
    data = space.add_scores(scores(0), "data")
    found = PlannedData.of(data, space, first).rivals
    assert found == (second.label if rival else "")


def test_a_plan_that_is_stored_later_is_no_rival_of_the_first(space):
    first = wb.plan("a", "the run", threshold=0.5, workspace=space)
    alike = wb.plan("b", "the run", threshold=0.5, workspace=space)
    data = space.add_scores(scores(0), "data")
    later = wb.plan("c", "the run", threshold=0.7, workspace=space)
    assert PlannedData.of(data, space, first).rivals == ""
    assert PlannedData.of(data, space, alike).rivals == ""
    assert PlannedData.of(data, space, later).opened < later.created
    assert PlannedData.of(data, space, first).rivals == ""


def test_examples_and_draws_can_be_seen_by_anybody_and_use_nothing_up(space):
    plan = wb.plan("p", "the run", threshold=0.5, workspace=space)
    example = space.dataset("example:gaussian")
    assert "anybody can see" in PlannedData.of(example, space, plan).public
    draw = space.dataset("draw:gaussian?mu=1.0&n=200&seed=0")
    assert "anybody can repeat" in PlannedData.of(draw, space, plan).public
    assert space.audits.plans.uses(plan) == ()


def test_a_reading_that_was_corrected_to_the_plans_is_no_deviation(space):
    plan = wb.plan("p", "losses", threshold=0.5, larger_is_member=False, workspace=space)
    data = space.add_scores(scores(0), "losses")
    wrong = PlannedData.of(data, space, plan)
    assert wrong.larger_is_member is True
    space.kept.reread(data.key, replace(data.reading, larger_is_member=False), seen=True)
    now = space.dataset(data.key)
    assert now.reread == "the direction of the score"
    assert PlannedData.of(now, space, plan).reread == ""


def test_a_column_that_changed_behind_the_direction_is_still_a_deviation(space, tmp_path):
    from helpers.pages import added

    text = "in,out,other\n" + "\n".join(f"{i / 7},{i / 9},{i / 5}" for i in range(60))
    data = added(space, ("losses.csv", text))
    plan = wb.plan("p", "losses", threshold=0.5, larger_is_member=False, workspace=space)
    layout = replace(data.reading.layout, p="other")
    reading = Reading(layout, larger_is_member=False)
    space.kept.reread(data.key, reading, seen=True)
    now = space.dataset(data.key)
    assert now.reread == "the direction of the score"
    assert PlannedData.of(now, space, plan).reread == "the column"


def test_scores_given_in_python_were_opened_at_a_time_that_nobody_knows():
    known = PlannedData.of_scores(scores(0))
    assert known.opened is None
    assert (known.n_p, known.public) == (200, "")
