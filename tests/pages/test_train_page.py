"""The page that trains models: what may be watched, bugs, early stops, and where results go."""

import numpy as np
import pytest

import workbench as wb
from workbench.pages.core.page import Fact
from workbench.pages.one_run.page import OneRunPage
from workbench.pages.records.page import RecordsPage
from workbench.pages.scores.page import ScoresPage
from workbench.pages.training.page import TrainPage
from workbench.pages.training.watching import run_of, stored_of
from workbench.pages.watch import WatchPage
from workbench.training.audits.rows import Rows
from workbench.training.controls import BUGS
from workbench.training.runs.plan import TrainingPlan
from workbench.training.runs.run import TrainingRun
from workbench.training.runs.trained_models import TrainedModels
from workbench.workspaces.sources import source_from_dict
from workbench.workspaces.workspace import Workspace

#: Settings with which models are trained in a moment.
TINY = {"records": 60, "hidden": 0, "steps": 2, "log_models": 2.2}

#: Models after which the bets have refuted a bug that shows less.
MODELS = {"scaled-noise": 460, "micro-batches": 200, "fixed-size": 640, "shuffled": 240}


def trained(**settings):
    """A page after a training in this process."""
    page = TrainPage(workspace=Workspace(), **{**TINY, **settings})
    run_here(page)
    return page


def run_here(page, models=None):
    """Have the first models of the audit trained, in this thread."""
    audit = page.setup.audit()
    count = audit.models if models is None else models
    rows = Rows.joined(
        audit.score_model(index, audit.generator(page.seed, index)) for index in range(count)
    )
    found = TrainedModels(np.arange(count), rows)
    page.trained = TrainingRun(TrainingPlan(audit, page.seed), found)


def drawn(page):
    return {item.name: page.draw(item) for item in page.items()}


# -- the first view ----------------------------------------------------------------------------


def test_the_page_starts_with_a_run_of_correct_dp_sgd_that_is_not_refuted():
    page = TrainPage()
    assert page.trained.complete
    assert page.verdict().text == "not refuted"
    assert page.claim() == pytest.approx(wb.DPSGDPair(3, 0.1, 20).epsilon(1e-5))
    heuristic = wb.LastIteratePair(3, 0.1, 20).epsilon(1e-5)
    assert page.heuristic() == pytest.approx(heuristic)
    assert "heuristic" in page.last_iterate().note
    assert page.epsilon().guarantee == "anytime"
    assert page.epsilon().value < page.claim()
    assert page.fixed().guarantee == "simultaneous"
    assert not page.fixed().void
    assert page.bug_words() == page.stopped() == ""


def test_the_claim_is_a_line_of_the_chart_and_the_heuristic_is_named_one():
    page = TrainPage()
    chart = page.growth()
    heights = [shape["y0"] for shape in chart["layout"]["shapes"] if "yref" not in shape]
    assert pytest.approx(page.claim()) in heights
    names = [note["text"] for note in chart["layout"]["annotations"]]
    assert {"claim", "last iterate, heuristic", "anytime bound"} <= set(names)


# -- bugs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_is_refuted_while_it_is_watched(bug):
    page = TrainPage(workspace=Workspace(), bug=bug)
    run_here(page, models=MODELS.get(bug, 130))
    assert page.verdict().text == "refuted", page.verdict()
    assert page.bug_words()
    assert page.how_it_shows()


def test_the_same_training_without_the_bug_is_not_refuted():
    """A true claim is refuted with a probability of at most 5%; the seed is fixed."""
    page = TrainPage(workspace=Workspace(), bug="scaled-noise", corrected=True)
    run_here(page, models=MODELS["scaled-noise"])
    assert page.verdict().text == "not refuted", page.verdict()
    assert page.bug_words() == page.how_it_shows() == ""


def test_a_bug_may_be_audited_by_the_settings_of_the_page():
    page = TrainPage(workspace=Workspace(), **TINY, bug="no-noise", shown_by="own")
    audit = page.setup.audit()
    assert (audit.kind, audit.settings.bug, audit.settings.steps) == ("black-box", "no-noise", 2)
    page.shown_by = "control"
    assert page.setup.audit().settings.steps != 2


# -- stopping ----------------------------------------------------------------------------------


def test_before_the_last_model_only_what_may_be_watched_is_shown():
    page = TrainPage(workspace=Workspace(), bug="same-seed")
    run_here(page, models=120)
    shown = drawn(page)
    bounds = [one for one in shown.values() if isinstance(one, wb.Bound)]
    assert [one.guarantee for one in bounds] == ["anytime"]
    assert shown["fixed"].text == "–"
    assert "1,000" in shown["fixed"].note
    assert not shown["tradeoff"]["data"]
    assert shown["verdict"].text == "refuted"
    assert shown["progress"].text == "120 of 1,000"
    assert "whenever" in shown["stopped"]


def test_a_stopped_run_is_marked_where_it_is_opened_and_its_anytime_bound_is_not():
    workspace = Workspace()
    page = TrainPage(workspace=workspace, **TINY)
    run_here(page, models=100)
    page.open_result = True
    assert page.goes_to == "scores"
    (added,) = workspace.catalog.own
    assert added.reread == "the number of models"
    assert "stopped after 100" in added.source.describe()
    scores = ScoresPage(workspace=workspace)
    scores.follow(added.key)
    assert "number of models" in scores.epsilon().void
    watch = WatchPage(workspace=workspace)
    watch.follow(added.key)
    assert not watch.epsilon().void


def test_what_was_trained_before_a_cancel_stays():
    page = TrainPage(workspace=Workspace(), **{**TINY, "steps": 20, "log_models": 4.0})
    page.trained = None
    seen = []

    def note(event):
        seen.append(event.new)
        page.work.cancel("train")

    page.param.watch(note, "trained")
    assert isinstance(page.work.run("train"), TrainingRun)
    assert page.work.state("train").status == "cancelled"
    assert 0 < page.trained.models < 10_000
    assert np.array_equal(np.unique(page.trained.rows.model), np.arange(page.trained.models))


# -- what is not valid -------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "value"), [("log_delta", -3.0), ("confidence", 0.99)])
def test_a_level_that_is_changed_after_results_marks_what_rests_on_it(name, value):
    page = trained()
    assert not page.epsilon().void
    setattr(page, name, value)
    assert "changed after results were seen" in page.epsilon().void
    assert "changed after results were seen" in page.fixed().void
    assert page.verdict().text == "not valid"
    page.bug, page.shown_by = "no-noise", "own"
    run_here(page)
    assert not page.epsilon().void


def test_a_run_that_is_repeated_with_other_seeds_is_marked_and_the_first_stays_valid():
    page = trained()
    page.seed = 1
    run_here(page)
    assert page.run_number() == 2
    assert "run no. 2" in page.epsilon().void
    assert page.verdict().text == "not valid"
    page.seed = 0
    run_here(page)
    assert page.run_number() == 1
    assert not page.epsilon().void
    page.log_models = 2.3  # the same models and some more
    run_here(page)
    assert page.run_number() == 1


def test_a_drag_trains_nothing_and_changes_no_score():
    page = trained()
    before = page.trained
    for name in ("steps", "noise", "rate", "log_delta", "log_models"):
        setattr(page, name, getattr(page, name) + page.param[name].step if name != "steps" else 9)
    assert page.trained is before
    assert not page.work.state("train").running
    assert "σ = 3" in page.what()


# -- other kinds -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        ("black-box", "scores"),
        ("white-box", "scores"),
        ("white-box-one-run", "scores"),
        ("one-shot", "scores"),
        ("federated", "scores"),
        ("one-run", "onerun"),
        ("many-records", "records"),
    ],
)
def test_every_kind_of_audit_is_trained_drawn_and_opened(kind, target):
    workspace = Workspace()
    page = TrainPage(workspace=workspace, **TINY, kind=kind, canaries=20)
    run_here(page)
    shown = drawn(page)
    assert isinstance(shown["fixed"], wb.Bound)
    assert shown["verdict"].text in ("refuted", "not refuted")
    many = kind in ("black-box", "white-box")
    assert isinstance(shown["epsilon"], wb.Bound if many else Fact)
    assert bool(shown["growth"]["data"]) is many
    page.open_result = True
    assert page.goes_to == target
    assert page.message == ""


def test_canaries_of_one_run_are_brought_to_the_page_about_one_run():
    workspace = Workspace()
    page = TrainPage(workspace=workspace, **TINY, kind="one-run", canaries=40)
    run_here(page)
    page.open_result = True
    there = OneRunPage(workspace=workspace)
    assert there.restore(page.goes_with, workspace.file) == []
    mine = page.trained.result
    assert there.read.canaries == mine.canaries
    assert there.read.members == mine.members
    assert not there.looked
    guessed = there.read.guess(threshold=float(np.median(there.read.scores)))
    assert guessed.correct == mine.guess(threshold=page.result().median).correct


def test_a_table_is_opened_on_records():
    workspace = Workspace()
    page = TrainPage(workspace=workspace, **TINY, kind="many-records", canaries=20)
    run_here(page)
    page.open_result = True
    records = RecordsPage(workspace=workspace)
    records.follow(workspace.active.key("table"))
    assert records.table.n_models == page.setup.models
    assert records.table.n_records == 20


def test_settings_that_contradict_each_other_are_told():
    page = TrainPage(workspace=Workspace(), **TINY, kind="white-box-one-run", statistic="smallness")
    with pytest.raises(ValueError, match="smallness"):
        page.work.run("train")
    assert "smallness" in page.message


# -- data sets, code and stored results --------------------------------------------------------


def test_a_data_set_says_what_makes_it_again():
    workspace = Workspace()
    page = TrainPage(workspace=workspace, **TINY)
    run_here(page)
    page.open_result = True
    (added,) = workspace.catalog.own
    source = added.source
    assert added.reread == ""
    assert "DP-SGD with σ = 3" in source.describe()
    again = wb.training.run_training_audit(
        wb.training.make_audit(source.parameters), seed=source.seed
    )
    assert again.result.same_arrays(workspace.scores(added.key))
    assert source_from_dict(source.to_dict()) == source


@pytest.mark.parametrize("change", [{"parameters": {}}, {"seed": -1}, {"about": 3}])
def test_a_source_that_is_none_is_refused(change):
    whole = {"kind": "trained", "about": "a", "parameters": {"models": 4}, "seed": 0, "planned": 4}
    with pytest.raises(wb.WorkspaceError, match=r"no source|not the models"):
        source_from_dict({**whole, **change})


def test_a_stored_run_comes_back_to_nine_digits():
    page = trained()
    again = run_of(page, stored_of(page.trained))
    np.testing.assert_allclose(again.rows.score, page.trained.rows.score, rtol=1e-8)
    assert np.array_equal(again.rows.included, page.trained.rows.included)
    assert again.complete


def test_the_code_computes_every_number():
    page = trained()
    page.work.show_stored("train", page.trained)
    made = {}
    exec(page.code({}).rpartition("view = ")[0], made)
    wb.same_number(made["epsilon"], page.epsilon().value)
    wb.same_number(made["fixed"], page.fixed().value)
    wb.same_number(made["verdict"], page.verdict().text)
    wb.same_number(made["claimed"], page.claimed().text)
    wb.same_number(made["last_iterate"], page.last_iterate().text)
    wb.same_number(made["progress"], page.progress().text)


def test_a_run_that_is_given_is_shown_and_its_code_names_it():
    run = wb.training.run_training_audit(
        TrainPage(workspace=Workspace(), **TINY).setup.audit(), seed=3
    )
    view = wb.explore(run)
    page = view.page
    assert page.trained is run
    assert page.work.state("train").words == ""
    assert wb.explore_training(run, spec={"steps": 7}).page.steps == 7
    made = {"run": run}
    exec(page.code({}).rpartition("view = ")[0], made)
    wb.same_number(made["epsilon"], page.epsilon().value)
    wb.same_number(made["verdict"], page.verdict().text)
    view.close()


# -- the gallery -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "verdict", "target"),
    [
        ("flawed-white-box", "refuted", "scores"),
        ("one-shot-private", "not refuted", "scores"),
        ("one-shot-not-private", "–", "scores"),
        ("canaries-in-one-run", "not refuted", "onerun"),
        ("digits-losses-table", "not refuted", "records"),
    ],
)
def test_a_finished_run_is_shown_with_its_claim_and_opened(name, verdict, target):
    page = TrainPage(workspace=Workspace())
    page.finished = name
    assert page.trained.name == name
    assert page.verdict().text == verdict
    shown = drawn(page)
    assert isinstance(shown["fixed"], wb.Bound)
    assert shown["distributions"]["data"]
    made = {}
    exec(page.code({}).rpartition("view = ")[0], made)
    wb.same_number(made["fixed"], page.fixed().value)
    if verdict == "–":
        assert "without noise" in shown["verdict"].note
        assert "without noise" in shown["claimed"].note
    else:
        wb.same_number(made["verdict"], verdict)
        wb.same_number(made["claimed"], page.claimed().text)
    page.open_result = True
    assert page.goes_to == target


def test_every_run_of_the_gallery_is_on_offer_and_training_replaces_it():
    page = TrainPage(workspace=Workspace(), **TINY)
    offered = set(page.param.finished.get_range().values())
    assert offered == {"", *(run.name for run in wb.training.gallery())}
    page.finished = "one-shot-private"
    assert page.work.state("train").words == ""
    run_here(page)
    assert page.finished == ""
    assert page.trained.audit.kind == "black-box"


def test_without_a_finished_run_the_page_shows_what_it_did_before():
    page = trained()
    run, state = page.trained, page.work.state("train")
    page.finished = "one-shot-private"
    page.finished = "flawed-white-box"
    page.finished = ""
    assert page.trained is run
    assert page.work.state("train") == state


def test_a_finished_run_that_cannot_be_read_is_told(monkeypatch):
    def missing(run):
        raise wb.ScoresError("there is no file")

    monkeypatch.setattr("workbench.training.runs.gallery.GalleryRun.open", missing)
    page = TrainPage(workspace=Workspace())
    before = page.trained
    page.finished = "one-shot-private"
    assert (page.finished, page.message) == ("", "there is no file")
    assert page.trained is before


def test_a_random_half_in_one_training_is_matched_and_several_are_compared():
    page = trained(kind="one-shot", canaries=20)
    audit, rows = page.trained.audit, page.trained.rows
    pairs = audit.matched_pairs(rows)
    assert pairs.canaries * 2 == rows.size
    assert (rows.model[pairs.first] == rows.model[pairs.second]).all()
    assert page.pairs().to_dict() == wb.tune_one_run(pairs, delta=1e-5).simultaneous.to_dict()
    assert "substituting a record" in str(page.pairs())
    assert (page.stability().text == "") == (audit.models < 2)


def test_a_stored_training_with_a_random_half_is_matched_from_its_scores():
    page = TrainPage(workspace=Workspace())
    assert page.pairs() == Fact("", "needs a random half held out in each model")
    page.finished = "one-shot-private"
    found = wb.tune_one_run(wb.matched_pairs(page.trained.result), delta=1e-5).simultaneous
    assert page.pairs().to_dict() == found.to_dict()
    assert page.stability().text == ""  # it has one model
    exec(page.code({}).rpartition("view = ")[0], made := {})
    assert made["pairs"].value == page.pairs().value
