"""Audits under a plan on the scores page: what counts as fixed in advance, and what does not."""

from dataclasses import replace

import pytest
from helpers.pages import added, reread

import workbench as wb
from workbench.assets.board import content
from workbench.assets.controls import Controls
from workbench.audits.audit import Audit
from workbench.audits.errors import ArchiveError
from workbench.audits.items import AuditNumber
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.auditing.page_of import page_of
from workbench.pages.core.page import terms_of
from workbench.pages.scores.page import ScoresPage
from workbench.workspaces.planning import PlannedData
from workbench.workspaces.workspace import Workspace

HOSTILE = "<img src=x onerror=alert(1)> **b** “q” 🎲 " + "x" * 9000


@pytest.fixture
def space():
    return Workspace()


def scores(seed, n=300):
    return wb.GaussianPair(1).sample(n, seed=seed)


def planned(space, **choices):
    """A plan whose threshold no median is at."""
    return wb.plan("release 3", "the nightly run", workspace=space, **{"threshold": 0.3} | choices)


def opened(space, seed=0, n=300, **plan):
    """A page about data that were opened after a plan was stored, under the plan."""
    stored = planned(space, **plan)
    data = space.add_scores(scores(seed, n), f"data {seed}")
    page = ScoresPage(workspace=space)
    page.follow(data.key)
    page.plan = stored.sha256
    return page, stored


def valid(page):
    return [item.name for item in page.numbers() if getattr(page.draw(item), "void", "x") is None]


def told(page):
    """All that the page says of its plan."""
    here = page.epsilon_here()
    return here.void, page.planned(), page.departing(), page.plan, page.threshold, page.confidence


# -- fixed in advance -------------------------------------------------------------------------


def test_without_a_plan_nothing_changes(space):
    page = ScoresPage(workspace=space)
    assert page.planned() == ""
    assert page.param.plan.get_range() == {"none": ""}
    assert page.epsilon_here().void.ask == "choose a threshold"


def test_a_bound_at_the_threshold_of_a_plan_is_fixed_in_advance(space):
    page, plan = opened(space)
    bound = page.epsilon_here()
    assert page.threshold == 0.3
    assert bound.void is None
    assert bound.note == f"The threshold was fixed in advance ({plan.label})."
    assert terms_of(bound)[1] == f"fixed in advance ({plan.label})"
    assert f"fixed in advance ({plan.label})" in content(bound)
    here = {"guarantee": "pointwise", "threshold": 0.3, "interval": "joint"}
    assert bound.value == wb.epsilon_lower_bound(page.scores, 1e-5, **here).value
    assert page.departures == ()
    assert page.planned().startswith("Follows plan “release 3”")
    assert page.planned().endswith("before these scores were opened.")
    assert page.departing() == ""


def test_it_is_fixed_in_advance_whatever_was_looked_at_before_the_plan_was_chosen(space):
    stored = planned(space)
    data = space.add_scores(scores(0), "data")
    page = ScoresPage(workspace=space)
    page.follow(data.key)
    page.threshold = 0.8
    assert page.epsilon_here().void == "the threshold was chosen after seeing the scores"
    page.plan = stored.sha256
    assert page.epsilon_here().void is None


def test_another_threshold_is_void_until_it_is_the_plans_again(space):
    page, plan = opened(space)
    page.threshold = 0.41
    assert page.epsilon_here().void == f"the threshold is 0.41; {plan.label} fixed 0.3"
    assert "fixed in advance" not in content(page.epsilon_here())
    assert "The threshold is 0.41; the plan fixed 0.3." in page.departing()
    assert page.epsilon().void is None
    page.threshold = 0.3
    assert page.epsilon_here().void is None


def test_without_the_plan_its_threshold_is_one_that_was_chosen_after_looking(space):
    page, _ = opened(space)
    page.plan = ""
    assert page.threshold == 0.3
    assert page.epsilon_here().void == "the threshold was chosen after seeing the scores"


def test_a_plan_without_a_threshold_fixes_none(space):
    page, _ = opened(space, threshold=None)
    assert page.epsilon_here().void.ask == "choose a threshold"


def test_the_bins_of_a_plan_are_fixed_in_advance(space):
    page, plan = opened(space, bins={"bins": 20, "range": (-3, 4)})
    assert page.fixed_bins().endswith(f"the bins were fixed in advance ({plan.label}).")
    page.bin_count = 30
    assert f"the bins are 30 bins from -3 to 4; {plan.label} fixed 20" in page.fixed_bins()
    assert page.epsilon_here().void is None
    page.bin_count = 20
    assert "Not valid" not in page.fixed_bins()
    page.plan = ""
    assert "the bins were chosen after seeing the scores" in page.fixed_bins()


def test_bins_of_a_width(space):
    page, _ = opened(space, bins={"width": 0.25, "range": (-3, 4)})
    assert (page.bin_rule, page.bin_width) == ("width", 0.25)
    assert "Not valid" not in page.fixed_bins()


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("approx(2, 1e-6)", "approx"),
        ("approx(900, 1e-6)", "approx"),
        ("pure(1)", "pure"),
        ("gdp(0.75)", "gdp"),
        ("renyi(4, 0.5)", "renyi"),
        ("zcdp(0.5)", "zcdp"),
        ("gaussian(1)", "gdp"),
        ("laplace(0.5)", "laplace"),
        ("dpsgd(noise=1.1, rate=0.02, steps=700)", "dpsgd"),
    ],
)
def test_the_claim_of_a_plan_is_the_claim_of_the_page(space, claim, kind):
    page, _ = opened(space, claim=claim)
    assert page.claim_kind == kind
    assert page.departures == ()
    page.claim_kind = None
    (found,) = page.departures
    assert (found.what, found.done, found.voids) == ("the claim", "none", False)
    assert page.epsilon_here().void is None


@pytest.mark.parametrize("claim", ["approx(1001, 1e-6)", "dpsgd(0.2, 0.01, 10)"])
def test_a_claim_that_the_page_cannot_show_is_listed(space, claim):
    page, _ = opened(space, claim=claim)
    assert [one.what for one in page.departures] == ["the claim"]
    assert page.epsilon_here().void is None


@pytest.mark.parametrize("choice", [{"delta": 0.0}, {"bins": {"bins": 900, "range": (0, 1)}}])
def test_what_the_page_cannot_show_is_a_deviation(space, choice):
    page, _ = opened(space, **choice)
    assert len(page.departures) == 1


def test_delta_voids_the_joint_test_only(space):
    page, plan = opened(space, delta=3e-6)
    assert page.delta.value == 3e-6
    assert page.epsilon_here().void is None
    page.log_delta = -3
    assert page.epsilon_here().void == f"δ is 0.001; {plan.label} fixed 3e-6"
    assert page.epsilon().void is None
    other, _ = opened(Workspace(), interval="clopper-pearson")
    other.log_delta = -3
    assert other.epsilon_here().void is None


# -- the marks of what was changed after looking ----------------------------------------------


def test_the_confidence_of_a_plan_was_not_chosen_after_looking(space):
    page, plan = opened(space, confidence=0.99)
    assert page.confidence == 0.99
    assert page.epsilon().void is None
    page.confidence = 0.95
    changed = "the confidence was changed after results were seen"
    assert page.epsilon().void == changed
    assert page.epsilon_here().void == f"the confidence is 95%; {plan.label} fixed 99%"
    page.confidence = 0.99
    assert page.epsilon().void is None
    assert page.epsilon_here().void is None


def test_without_the_plan_its_confidence_was_chosen_after_looking(space):
    page, _ = opened(space, confidence=0.99)
    page.plan = ""
    assert page.epsilon().void == "the confidence was changed after results were seen"


def test_a_plan_for_data_that_were_seen_does_not_excuse_another_confidence(space):
    data = space.add_scores(scores(0), "old")
    page = ScoresPage(workspace=space)
    page.follow(data.key)
    page.plan = planned(space, confidence=0.99).sha256
    assert page.epsilon().void == "the confidence was changed after results were seen"


def test_a_choice_that_no_plan_fixes_stays_marked(space):
    page, _ = opened(space)
    page.ordering = "learned"
    page.confidence = 0.99
    page.confidence = 0.95
    changed = "the attack statistic was changed after results were seen"
    assert page.epsilon().void == changed
    assert page.epsilon_here().void == changed
    page.plan = ""
    assert page.epsilon().void == changed


def test_what_was_marked_before_stays_marked_under_a_plan(space):
    stored = planned(space)
    data = space.add_scores(scores(0), "data")
    page = ScoresPage(workspace=space)
    page.follow(data.key)
    page.ordering = "learned"
    page.plan = stored.sha256
    assert page.epsilon_here().void == "the attack statistic was changed after results were seen"
    page.ordering = "score"  # as it was at the first look
    assert page.epsilon_here().void is None


def test_going_back_to_the_direction_of_the_plan_is_valid(space):
    stored = planned(space, larger_is_member=False)
    text = "in,out\n" + "\n".join(f"{i / 9},{i / 7}" for i in range(90))
    data = added(space, ("losses.csv", text))
    page = ScoresPage(workspace=space)
    page.follow(data.key)
    page.plan = stored.sha256
    assert "the direction of the score is larger = member" in page.epsilon_here().void
    reread(page, larger_is_member=False)
    assert page.validity.read_anew == "the direction of the score"
    assert page.threshold == 0.3
    assert page.epsilon_here().void is None
    assert page.epsilon().void is None
    page.plan = ""
    changed = "the direction of the score was changed after results were seen"
    assert page.epsilon().void == changed


def test_another_direction_than_the_plans_is_void(space):
    stored = planned(space)
    data = added(space, ("x.csv", "in,out\n" + "\n".join(f"{i / 7},{i / 9}" for i in range(90))))
    page = ScoresPage(workspace=space)
    page.follow(data.key)
    page.plan = stored.sha256
    assert page.epsilon_here().void is None
    reread(page, larger_is_member=False)
    changed = "the direction of the score was changed after results were seen"
    assert page.epsilon().void == changed
    assert "smaller = member" in page.epsilon_here().void


def test_an_archive_that_fails_leaves_nothing_valid(space, monkeypatch):
    page, plan = opened(space)

    def fails(*data):
        raise ArchiveError("the database is away")

    with monkeypatch.context() as away:
        away.setattr(PlannedData, "of", fails)
        page.refresh()
        assert page.message == "the database is away"
        assert "at a time that is not known" in page.epsilon_here().void
        other = ScoresPage(workspace=space)
        other.follow(page.data_key)
        with pytest.raises(ArchiveError):
            other.plan = plan.sha256
        assert "is not in this workspace" in other.departing()
        assert other.epsilon_here().void
    page.refresh()
    other.refresh()
    assert page.epsilon_here().void is None
    assert other.epsilon_here().void is None


def test_reset_ends_the_plan(space):
    page, _ = opened(space, confidence=0.99)
    page.reset = True
    assert (page.plan, page.registered, page.confidence) == ("", None, 0.95)
    assert page.epsilon().void is None
    assert page.epsilon_here().void.ask == "choose a threshold"


# -- the data ---------------------------------------------------------------------------------


def test_data_opened_before_the_plan_was_stored(space):
    data = space.add_scores(scores(0), "old")
    page = ScoresPage(workspace=space)
    page.follow(data.key)
    page.plan = planned(space).sha256
    assert page.epsilon_here().void.startswith("the data were opened 2")
    assert page.epsilon().void is None


def test_data_that_were_purged_and_opened_again(space):
    data = space.add_scores(scores(0), "old")
    stored = planned(space)
    space.kept.remove(data.key)
    space.kept.purge()
    page = ScoresPage(workspace=space)
    page.follow(space.add_scores(scores(0), "new").key)
    page.plan = stored.sha256
    assert page.epsilon_here().void.startswith("the data were opened 2")


def test_two_data_sets_under_one_plan(space):
    page, plan = opened(space)
    first = page.data_key
    other = space.add_scores(scores(1), "other")
    page.follow(other.key)
    assert page.plan == ""
    page.plan = plan.sha256
    assert page.epsilon_here().void == f"{plan.label} was used first for “data 0”"
    page.follow(first)
    page.plan = plan.sha256
    assert page.epsilon_here().void is None


@pytest.mark.parametrize("key", ["example:gaussian", "draw:gaussian?mu=1.0&n=1000&seed=3"])
def test_an_example_under_a_plan_is_never_fixed_in_advance(space, key):
    page = ScoresPage(workspace=space)
    page.data = key
    page.plan = planned(space).sha256
    assert "which anybody can see" in page.epsilon_here().void or "repeat" in (
        page.epsilon_here().void
    )
    assert page.threshold == 0.3
    new = space.add_scores(scores(0), "new")
    page.follow(new.key)
    page.plan = next(iter(space.audits.plans)).sha256
    assert page.epsilon_here().void is None


def test_other_sizes_than_the_plans_void_every_bound_for_fixed_sizes(space):
    page, plan = opened(space, n_p=300, n_q=300)
    assert page.epsilon_here().void is None
    other, plan = opened(Workspace(), n_p=299, n_q=300)
    assert {"epsilon", "mu", "epsilon_here"}.isdisjoint(valid(other))
    assert f"{plan.label} fixed 299 members" in other.epsilon().void


def test_a_plan_to_stop_at_any_time_does_not_make_a_bound_for_fixed_sizes_valid(space):
    page, plan = opened(space, stopping="anytime")
    assert {"epsilon", "mu", "epsilon_here"}.isdisjoint(valid(page))
    assert page.epsilon_here().void == (
        f"this is a bound for sample sizes that are fixed; under {plan.label} the audit may end at "
        "any time"
    )


def test_scores_given_in_python_were_not_opened_at_a_known_time(space):
    page = ScoresPage(scores(0), workspace=space)
    controls = {one.name: one for section in page.controls for one in section.controls}
    assert not controls["plan"].offered(page)
    page.plan = planned(space).sha256
    assert "at a time that is not known" in page.epsilon_here().void
    page.larger_is_member = False
    assert "the direction of the score" in [one.what for one in page.departures]
    page.reset = True
    assert page.plan == ""


# -- the choice -------------------------------------------------------------------------------


def test_plans_are_offered_by_name(space):
    page = ScoresPage(workspace=space)
    first, second = planned(space), planned(space)
    hostile = wb.plan(HOSTILE, "x", workspace=space)
    page.refresh()
    names = page.param.plan.get_range()
    assert list(names.values()) == ["", hostile.sha256, second.sha256, first.sha256]
    assert len(names) == 4
    assert max(map(len, names)) < 80
    assert all("\n" not in name for name in names)
    assert Controls(page).states()["plan"]["options"] == list(names)


def test_hostile_names_are_text(space):
    stored = wb.plan(HOSTILE, HOSTILE, threshold=0.3, workspace=space)
    data = space.add_scores(scores(0), "data")
    page = ScoresPage(workspace=space)
    page.follow(data.key)
    page.plan = stored.sha256
    assert page.epsilon_here().void is None
    assert "<img src=x" in page.planned()
    assert len(page.planned()) < 300


@pytest.mark.parametrize("bad", ["x", "A" * 64, 3, None, "0" * 63])
def test_a_choice_that_is_no_hash_is_refused(space, bad):
    with pytest.raises(ValueError, match="a plan is named by its SHA-256"):
        ScoresPage(workspace=space).plan = bad


# -- restored ---------------------------------------------------------------------------------


def same_state(page, settings):
    """Another page of the same workspace with the settings of the page."""
    other = ScoresPage(workspace=page.workspace)
    assert other.restore(settings) == []
    assert other.settings() == settings
    return other


@pytest.mark.parametrize(
    "changes", [{}, {"threshold": 0.41}, {"confidence": 0.9}, {"ordering": "learned"}, {"plan": ""}]
)
def test_a_page_comes_back_as_it_was(space, changes):
    page, _ = opened(space, confidence=0.99, bins={"bins": 12, "range": (-2, 3)})
    for name, value in changes.items():
        setattr(page, name, value)
    other = same_state(page, page.settings())
    assert told(other) == told(page)
    assert valid(other) == valid(page)
    assert other.fixed_bins() == page.fixed_bins()


def test_the_choice_of_a_plan_can_be_taken_back(space):
    stored = planned(space, confidence=0.99)
    data = space.add_scores(scores(0), "data")
    page = ScoresPage(workspace=space)
    page.follow(data.key)
    before = page.settings(), told(page), valid(page)
    page.plan = stored.sha256
    after = page.settings(), told(page), valid(page)
    for settings, said, good in (before, after, before):
        assert page.restore(settings) == []
        assert (page.settings(), told(page), valid(page)) == (settings, said, good)


def test_the_settings_without_the_plan_say_that_it_is_missing(space):
    page, plan = opened(space)
    stranger = Workspace()
    data = stranger.add_scores(scores(0), "data 0")
    other = ScoresPage(workspace=stranger)
    assert other.restore({**page.settings(), "data": data.key}) == []
    assert f"P{plan.label[1:]} is not in this workspace" in other.departing()
    assert f"{plan.label} (missing)" in other.param.plan.get_range()
    assert other.epsilon_here().void == "the threshold was chosen after seeing the scores"
    stranger.audits.plans.add(replace(plan, key=""))
    other.refresh()
    assert other.departing() == ""
    assert other.registered.sha256 == plan.sha256


def test_a_snapshot_keeps_the_plan(space):
    page, _ = opened(space)
    twin = page.snapshot()
    page.threshold = 0.41
    assert twin.epsilon_here().void is None
    for watching in (True, False):
        other = twin.snapshot(watching)
        other.threshold = 0.41
        assert "fixed 0.3" in other.epsilon_here().void
    assert twin.epsilon_here().void is None


# -- audits -----------------------------------------------------------------------------------


def test_the_audit_of_a_page_has_its_plan_and_the_deviations(space):
    page, plan = opened(space)
    audit = audit_of(page)
    assert audit.plan == plan
    assert audit.deviations == ()
    here = next(one for one in audit.numbers if one.name == "epsilon_here")
    assert here.bound.void is None
    assert AuditNumber.from_dict(here.to_dict()).terms == terms_of(page.epsilon_here())
    page.threshold = 0.41
    audit = audit_of(page)
    assert [one.what for one in audit.deviations] == ["the threshold"]
    assert any("the plan fixed 0.3" in one.text for one in audit.sentences)
    again = Audit.from_dict(audit.to_dict())
    assert (again.plan, again.deviations) == (audit.plan, audit.deviations)
    assert page_of(audit, space).departing() == page.departing()


# -- many plans for the same data ---------------------------------------------------------------


def test_the_best_of_many_plans_was_not_fixed_in_advance(space):
    many = [planned(space, threshold=t) for t in (0.1, 0.4, 0.7)]
    page = ScoresPage(workspace=space)
    page.follow(space.add_scores(scores(0), "data").key)
    for stored in many:
        page.plan = stored.sha256
        assert "could also be audited under plan" in page.epsilon_here().void
        assert page.epsilon_here().void in audit_of(page).bounds["epsilon_here"].void
    # The second choice names the first, which was used for these data.
    assert many[0].label in page.epsilon_here().void
    assert many[1].label not in page.epsilon_here().void


def test_a_second_plan_for_the_same_data_is_void_and_the_first_stays(space):
    page, first = opened(space)
    assert page.epsilon_here().void is None
    second = planned(space, threshold=0.6)
    page.plan = second.sha256
    assert "opened" in page.epsilon_here().void
    page.plan = first.sha256
    assert page.epsilon_here().void is None


def test_a_plan_with_the_same_choices_is_no_rival(space):
    planned(space)
    page, _ = opened(space)
    assert page.epsilon_here().void is None


def test_a_plan_that_served_other_data_before_is_no_rival(space):
    opened(space, seed=1, threshold=0.9)
    page, _ = opened(space, seed=2)
    assert page.epsilon_here().void is None
