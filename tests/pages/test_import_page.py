"""The import step without a front end: what it proposes, what it shows, and what it adds."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from helpers.pages import CSV, LABELED, added, as_plain

import workbench as wb
from workbench.pages.compare import ComparePage
from workbench.pages.family import FamilyPage
from workbench.pages.importing.page import ImportPage
from workbench.pages.scores.page import ScoresPage
from workbench.pages.watch import WatchPage
from workbench.scores.layouts.direction import proposed_direction
from workbench.scores.layouts.senses import members_first
from workbench.workspaces.workspace import Workspace

RNG = np.random.default_rng(0)
ROWS = [(RNG.exponential(1 + 0.4 * (i % 2 == 0)), i % 2, f"s{i // 10}") for i in range(400)]
LOSSES = "loss,member,subject\n" + "\n".join(f"{x:.4f},{m},{s}" for x, m, s in ROWS)


@pytest.fixture
def page():
    return ImportPage(Workspace())


def opened(page, *files):
    """The page with files, (name, text) each."""
    page.upload = tuple((name, text.encode()) for name, text in files)
    return page


def column(name, n, start=0):
    return f"{name}\n" + "\n".join(f"{start + i / 7}" for i in range(n))


def said(page):
    """All that the page shows."""
    return {item.name: as_plain(page.draw(item)) for item in page.items()}


def offered(page):
    return [c.name for s in page.controls for c in s.controls if c.offered(page)]


def accepted(page):
    page.accept = True
    assert page.message == ""
    return page.workspace.dataset(page.accepted)


# -- what is proposed --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "files", "larger"),
    [
        (["loss"], ["a.csv"], False),
        (["validationLoss"], ["a.csv"], False),
        (["train_losses", "test_losses"], ["a.csv"], False),
        (["nll"], ["a.csv"], False),
        (["perplexity"], ["a.csv"], False),
        (["score"], ["a.csv"], True),
        (["glossy", "p"], ["a.csv"], True),  # a word, not a part of one
        (["members", "nonmembers"], ["losses.npz"], False),
        (["neg_loss"], ["a.csv"], None),
        (["loss", "similarity"], ["a.csv"], None),
        (["loss_gap"], ["a.csv"], None),
        (["score"], ["losses.csv"], None),
        (["in"], ["losses.npy", "scores.npy"], None),
    ],
)
def test_the_direction_is_proposed_from_names_and_from_nothing_else(columns, files, larger):
    found = proposed_direction(columns, files)
    assert found.larger_is_member is larger
    assert bool(found.reason) == (larger is not True)


@pytest.mark.parametrize(
    ("first", "second", "members"),
    [
        ("members.csv", "nonmembers.csv", True),
        ("non-members.csv", "members.csv", False),
        ("non_members.npy", "members.npy", False),
        ("in.csv", "out.csv", True),
        ("cifar_test_losses.csv", "cifar_train_losses.csv", False),
        ("p.npy", "q.npy", True),
        ("heldOut_q.npy", "heldOut_p.npy", False),
        ("one.csv", "two.csv", None),
        ("train_q.csv", "test_p.csv", None),  # a contradiction
    ],
)
def test_the_members_are_guessed_from_the_names_of_two_files(first, second, members):
    assert members_first(first, second) is members


def test_a_loss_file_is_audited_as_the_step_proposes(page):
    opened(page, ("losses.csv", LOSSES))
    assert page.message == page.question() == ""
    assert page.larger_is_member is False
    found = said(page)
    assert "proposed from the column name “loss”, and from nothing else" in found["direction"]
    assert found["groups"].startswith("200 scores of members and 200 of non-members: P = rows")
    assert "“if rows are independent”" in found["independence"]
    assert "“subject” has 40 different values" in found["independence"]
    assert "“loss” (numbers: " in found["columns"]
    assert "“member” (labels 0, 1)" in found["columns"]
    assert len(page.workspace.datasets) == 0  # not before it was accepted
    dataset = accepted(page)
    assert not page.workspace.scores(dataset.key).larger_is_member
    shown = ScoresPage(workspace=page.workspace, data=dataset.key)
    assert shown.epsilon().void is None
    assert shown.question() == ""


def test_nothing_that_is_shown_depends_on_scores_and_groups_together(page):
    """With the labels exchanged, or the scores of two columns mixed, it says the same."""
    before = said(opened(page, ("losses.csv", LOSSES)))
    head, *rows = [line.split(",") for line in LOSSES.splitlines()]
    labels = RNG.permutation([row[1] for row in rows])
    mixed = [",".join(head), *(f"{x},{m},{s}" for (x, _, s), m in zip(rows, labels, strict=True))]
    assert said(opened(page, ("losses.csv", "\n".join(mixed)))) == before

    cells = np.array([line.split(",") for line in CSV.replace("\n0.4,", "\nnan,").splitlines()])
    before = said(opened(page, ("two.csv", "\n".join(map(",".join, cells)))))
    cells[4:] = RNG.permutation(cells[4:].ravel()).reshape(-1, 2)
    assert "NaN" in before["odd_scores"]
    assert said(opened(page, ("two.csv", "\n".join(map(",".join, cells))))) == before


def test_names_that_contradict_each_other_make_the_direction_a_required_choice(page):
    opened(page, ("a.csv", LOSSES.replace("loss,", "neg_loss,")))
    assert page.larger_is_member is None
    assert page.question() == (
        "Choose “Direction of the score”: the column name “neg_loss” may mean either."
    )
    page.accept = True
    assert (page.message, page.accepted) == (page.question(), "")
    page.larger_is_member = True
    assert page.question() == page.message == ""
    assert accepted(page).reading.larger_is_member


def test_another_column_is_proposed_anew_unless_a_person_has_chosen(page):
    text = "loss,similarity,member\n" + "\n".join(f"{i % 9},{i % 7},{i % 2}" for i in range(80))
    opened(page, ("a.csv", text))
    page.score_column = "loss"
    assert page.larger_is_member is False
    page.score_column = "similarity"
    assert page.larger_is_member is True
    page.larger_is_member = False
    page.score_column = "loss"
    page.score_column = "similarity"
    assert page.larger_is_member is False
    assert said(page)["direction"] == "Smaller scores suggest membership."


def test_two_files_are_put_in_order_by_their_names_and_can_be_swapped(page):
    files = ("nonmembers.csv", column("score", 40)), ("members.csv", column("score", 30, 2))
    opened(page, *files)
    assert page.swapped
    assert page.groups() == (
        "30 scores of members, column “score” of “members.csv”, and 40 of non-members, column "
        "“score” of “nonmembers.csv” (by their names)."
    )
    page.swapped = False
    assert page.groups().startswith("40 scores of members, column “score” of “nonmembers.csv”")
    assert "(the names suggest otherwise)" in page.groups()
    page.swapped = True
    dataset = accepted(page)
    assert (dataset.n_p, dataset.n_q) == (30, 40)
    assert dataset.source.names == ("members.csv", "nonmembers.csv")


def test_names_that_do_not_say_which_file_has_the_members_are_said_not_to(page):
    opened(page, ("one.csv", column("a", 40)), ("two.csv", column("b", 30)))
    assert not page.swapped
    assert "(the names do not say which file has the members)" in page.groups()
    page.swapped = True
    assert (page.p_column, page.q_column) == ("b", "a")
    assert page.read().n_p == 30


# -- what is chosen ----------------------------------------------------------------------------


def test_columns_that_cannot_be_guessed_are_asked_for_one_by_one_without_an_error(page):
    opened(page, ("odd.csv", CSV.replace("in,out", "foo,bar")))
    assert page.question() == (
        "Which columns hold the scores of members and of non-members? Choose them."
    )
    assert page.message == ""
    page.p_column = "foo"
    assert (page.question(), page.message) == ("Now choose “Non-members (Q)”.", "")
    page.accept = True
    assert page.message == "Now choose “Non-members (Q)”."
    page.q_column = "bar"
    assert page.question() == page.message == ""
    assert accepted(page).n_p == 60


def test_labels_that_do_not_say_which_is_the_member_are_asked_for(page):
    text = "score,group\n" + "\n".join(f"{i % 7},{'abc'[i % 3]}" for i in range(60))
    opened(page, ("three.csv", text))
    assert (page.question(), page.message) == ("Now choose “Label of members”.", "")
    page.member_value = "b"
    assert page.groups().startswith("20 scores of members and 40 of non-members")


def test_the_label_of_another_column_is_proposed(page):
    text = "score,member,split\n" + "\n".join(
        f"{i % 7},{i % 2},{('train', 'test')[i % 2]}" for i in range(60)
    )
    opened(page, ("two.csv", text))
    page.member_column = "split"
    assert page.member_value == "train"


def test_one_column_alone_is_asked_for_its_other_file(page):
    opened(page, ("one.csv", column("score", 20)))
    assert "Open it together with the file of the other group" in page.question()
    assert "path_q" not in page.question() + page.message


def test_clusters_and_nonfinite_scores_are_chosen_before_anything_is_shown(page):
    rows = "\n".join(f"{'nan' if i == 7 else i % 9},{i % 2},s{i // 10}-{i % 2}" for i in range(200))
    opened(page, ("clusters.csv", "score,member,subject\n" + rows))
    assert "NaN and infinite scores: 1. They are kept" in page.odd_scores()
    assert {"nonfinite", "cluster_column", "sampling"} <= set(offered(page))
    page.param.update(cluster_column="subject", cluster_rule="max", nonfinite="drop")
    assert "sampling" not in offered(page)
    assert page.groups().endswith("By clusters these are 20 and 20 scores.")
    assert "“clustered”" in page.independence()
    scores = page.workspace.scores(accepted(page).key)
    assert (scores.n_p, scores.sampling, scores.discarded) == (20, "clustered", 1)


def test_the_name_is_that_of_the_file_until_it_is_chosen(page):
    opened(page, ("losses.csv", LOSSES))
    assert page.data_name == "losses"
    page.data_name = " Model A "
    assert accepted(page).name == "Model A"


# -- what cannot be read -----------------------------------------------------------------------


def test_constant_scores_are_read_with_a_question(page):
    opened(page, ("a.csv", "in,out\n1,1\n1,1\n1,1\n"))
    assert page.message == ""
    assert "All scores equal 1" in page.constant()
    assert accepted(page).n_p == 3
    opened(page, ("good.csv", CSV))
    assert page.constant() == ""


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ([("a.csv", "")], "is empty"),
        ([("a.xlsx", "PK")], "is a spreadsheet"),
        ([("a.csv", CSV)] * 3, "3 files were given"),
        ([("a.csv", "in,out\n1,2\nthree,4\n5,6\n")], "row 3"),
        ([("a.csv", "score,member\n1,1\n2,1\n3,1\n")], "give both files at once, or choose"),
    ],
)
def test_what_cannot_be_read_is_said_and_changes_nothing(page, files, says):
    opened(page, *files)
    assert says in page.message
    said(page)
    page.accept = True
    assert (len(page.workspace.datasets), page.accepted) == (0, "")
    opened(page, ("good.csv", CSV))
    assert page.message == ""
    assert accepted(page).n_p == 60


@pytest.mark.parametrize(
    "scores", [("1e308", "-1e308"), ("1e-320", "2e-320"), ("1", "1"), ("1e300", "1e300")]
)
def test_scores_of_any_range_are_shown(page, scores):
    rows = "\n".join(f"{scores[i % 2]},{scores[i % 3 == 0]}" for i in range(60))
    opened(page, ("far.csv", f"in,out\n{rows}\n3,3"))
    assert page.message == ""
    assert page.all_scores()["layout"]["meta"]["summary"]


def test_without_a_file_one_is_asked_for(page):
    assert page.question().startswith("Open one file with both groups")
    assert offered(page) == ["upload"]


# -- data that were opened before --------------------------------------------------------------


def test_a_declaration_marks_nothing_and_another_direction_marks_every_page(page):
    workspace = page.workspace
    dataset = accepted(opened(page, ("losses.csv", LOSSES)))
    pages = [kind(workspace=workspace, data=dataset.key) for kind in (ScoresPage, WatchPage)]
    pages += [FamilyPage(workspace=workspace, data=dataset.key)]
    pages += [ComparePage(workspace=workspace, b_data=dataset.key)]

    again = ImportPage(workspace, dataset.key)
    assert "upload" not in offered(again)
    assert again.larger_is_member is False
    again.sampling = "independent runs"
    assert again.consequence() == "This reading changes no number."
    assert accepted(again) == workspace.dataset(dataset.key)
    for shown in pages:
        shown.refresh()
        assert shown.validity.words == ""
    assert pages[0].epsilon().assumption == "independent runs"

    turned = ImportPage(workspace, dataset.key)
    turned.larger_is_member = True
    assert "the direction of the score was changed" in turned.consequence()
    accepted(turned)
    for shown in pages:
        shown.refresh()
        assert (
            shown.validity.words == "the direction of the score was changed after results were seen"
        )

    back = ImportPage(workspace, dataset.key)
    back.larger_is_member = False
    assert accepted(back).reread == ""
    for shown in pages:
        shown.refresh()
        assert shown.validity.words == ""


def test_the_same_file_is_the_same_data_set_and_what_was_declared_is_remembered(page):
    opened(page, ("losses.csv", LOSSES))
    page.param.update(sampling="one run", data_name="Model A")
    first = accepted(page)
    again = opened(ImportPage(page.workspace), ("copy.csv", LOSSES))
    assert (again.sampling, again.data_name) == ("one run", "Model A")
    assert again.consequence().startswith("These are the data of “Model A”.")
    assert accepted(again) == first
    assert len(page.workspace.datasets) == 1


def test_the_same_file_with_another_direction_is_no_new_audit(page):
    first = accepted(opened(page, ("losses.csv", LOSSES)))
    again = opened(ImportPage(page.workspace), ("losses.csv", LOSSES))
    again.larger_is_member = True
    assert "will be marked as not valid" in again.consequence()
    dataset = accepted(again)
    assert (dataset.key, dataset.reread) == (first.key, "the direction of the score")


def test_a_file_that_was_removed_and_is_opened_with_another_direction_is_no_new_audit(page):
    first = accepted(opened(page, ("losses.csv", CSV)))
    page.workspace.kept.remove(first.key)
    again = opened(ImportPage(page.workspace), ("losses.csv", CSV))
    again.larger_is_member = True
    assert "will be marked as not valid" in again.consequence()
    second = accepted(again)
    assert (second.key, second.reread) == (first.key, "the direction of the score")
    assert [one.key for one in page.workspace.datasets] == [first.key]


def test_the_step_can_be_used_twice_and_takes_no_mark_away(page):
    first = accepted(opened(page, ("losses.csv", LOSSES)))
    page.larger_is_member = True
    assert "will be marked as not valid" in page.consequence()
    assert accepted(page).key == first.key
    assert page.workspace.dataset(first.key).reread == "the direction of the score"
    again = ImportPage(page.workspace, first.key)
    again.sampling = "one run"
    assert accepted(again).reread == "the direction of the score"


def test_another_file_is_a_new_audit_with_its_own_direction(page):
    accepted(opened(page, ("losses.csv", LOSSES)))
    second = accepted(opened(ImportPage(page.workspace), ("labeled.csv", LABELED)))
    assert second.reading.larger_is_member
    assert second.reread == ""


def test_a_data_set_that_a_server_was_given_is_read_differently_as_a_copy():
    base = Workspace()
    shared = added(base, ("served.csv", CSV))
    page = ImportPage(Workspace(base=base), shared.key)
    page.larger_is_member = False
    dataset = accepted(page)
    assert dataset.key != shared.key
    assert dataset.reread
    assert base.dataset(shared.key) == shared


def test_a_data_set_is_renamed_and_a_name_that_is_taken_is_refused(page):
    workspace = page.workspace
    one, two = (
        added(workspace, (name, text)) for name, text in (("a.csv", CSV), ("b.csv", LABELED))
    )
    again = ImportPage(workspace, one.key)
    again.data_name = two.name
    again.accept = True
    assert "another data set is called 'b'" in again.message
    again.data_name = "c"
    assert accepted(again).name == "c"


def test_scores_from_python_have_a_direction_and_no_columns(page):
    dataset = page.workspace.add_scores(wb.Scores([1.0, 2, 4], [0.5, 1, 3]), "mine")
    again = ImportPage(page.workspace, dataset.key)
    assert {"larger_is_member", "sampling"} <= set(offered(again))
    assert not {"table_kind", "p_column", "cluster_column"} & set(offered(again))
    assert again.groups() == "3 scores of members and 3 of non-members."
    again.larger_is_member = False
    assert accepted(again).reread == "the direction of the score"


@pytest.mark.parametrize("key", ["example:ties", "draw:gaussian?mu=1.0&n=100&seed=0"])
def test_examples_and_draws_cannot_be_read_in_another_way(key):
    with pytest.raises(wb.WorkspaceError, match="has no file that could be read in another way"):
        ImportPage(Workspace(), key)


# -- in Python ---------------------------------------------------------------------------------


def test_its_settings_restore_it(page):
    opened(page, ("nonmembers.csv", column("score", 40)), ("members.csv", column("score", 30, 2)))
    page.param.update(swapped=False, sampling="one run", data_name="x")
    hashes = [sha256 for _, _, sha256 in page.settings()["upload"]]
    files = dict(zip(hashes, (file.content() for file in page.upload), strict=True))
    again = ImportPage(Workspace())
    assert again.restore(page.settings(), files.get) == []
    assert again.settings() == page.settings()
    assert said(again) == said(page)


def test_the_code_reads_the_files_in_this_way(page, tmp_path, monkeypatch):
    opened(page, ("nonmembers.csv", column("loss", 40)), ("members.csv", column("loss", 30, 2)))
    for file in page.upload:
        (tmp_path / file.name).write_bytes(file.content())
    monkeypatch.chdir(tmp_path)
    made = {}
    exec(page.code({}), made)
    assert made["view"].bound == wb.epsilon_lower_bound(page.read(), 1e-5)


# -- under a plan ------------------------------------------------------------------------------


def test_no_plan_is_offered_where_there_is_none(page):
    opened(page, ("losses.csv", LOSSES))
    assert "plan" not in offered(page)


def test_a_plan_sets_how_the_data_are_read_and_the_scores_are_under_it(page):
    space = page.workspace
    plan = wb.plan(
        "release 3",
        "the run",
        threshold=0.4,
        sampling="one run",
        cluster_rule="max",
        workspace=space,
    )
    opened(page, ("losses.csv", LOSSES))
    assert "plan" in offered(page)
    assert page.larger_is_member is False
    page.plan = plan.sha256
    assert (page.larger_is_member, page.sampling, page.cluster_rule) == (True, "one run", "max")
    assert "fixes direction: larger = member" in page.planned()
    page.larger_is_member = False
    assert "differs from that of the plan" in page.planned()
    page.larger_is_member = True
    data = accepted(page)
    scores = ScoresPage(workspace=space)
    scores.follow(data.key)
    scores.restore(space.page_states.get("scores", data.key))
    assert (scores.plan, scores.threshold) == (plan.sha256, 0.4)
    assert scores.departures == ()
    assert scores.epsilon_here().void is None


def test_a_plan_that_is_chosen_first_holds_for_the_files_that_follow(page):
    plan = wb.plan("p", "the run", threshold=0.4, workspace=page.workspace)
    page.plan = plan.sha256
    opened(page, ("losses.csv", LOSSES))
    assert page.larger_is_member is True


def test_files_that_were_looked_at_before_the_plan_was_stored_are_not_under_it(page):
    space = page.workspace
    opened(page, ("losses.csv", LOSSES))
    plan = wb.plan("p", "the run", threshold=0.4, larger_is_member=False, workspace=space)
    later = opened(ImportPage(space), ("losses.csv", LOSSES))
    later.plan = plan.sha256
    assert "before the plan was stored" in later.planned()
    data = accepted(later)
    assert data.created > plan.created > space.openings.time(data.sha256)
    scores = ScoresPage(workspace=space)
    scores.follow(data.key)
    scores.plan = plan.sha256
    assert scores.epsilon_here().void.startswith("the data were opened")


def test_files_that_are_swapped_were_opened_when_they_were_looked_at(page):
    space = page.workspace
    opened(page, ("a.csv", column("x", 50)), ("b.csv", column("x", 40, 2)))
    plan = wb.plan("p", "the run", threshold=0.4, workspace=space)
    page.swapped = True
    page.plan = plan.sha256
    data = accepted(page)
    assert space.openings.time(data.sha256) < plan.created


def test_a_mark_of_results_that_were_seen_outlives_the_plan_of_another_opening(page):
    space = page.workspace
    plan = wb.plan("p", "the run", threshold=0.4, workspace=space)
    data = accepted(opened(page, ("x.csv", CSV)))
    space.page_states.keep("scores", {"looked": "the attack statistic", "threshold": 3.0}, data.key)
    space.kept.remove(data.key)
    again = opened(ImportPage(space), ("x.csv", CSV))
    again.plan = plan.sha256
    accepted(again)
    kept = space.page_states.get("scores", data.key)
    assert kept == {"looked": "the attack statistic", "plan": plan.sha256}


def test_one_of_many_plans_is_chosen_before_any_result_is_shown(page):
    plans = [
        wb.plan(f"p{t}", "the run", threshold=t, workspace=page.workspace) for t in (0.1, 0.4, 0.7)
    ]
    page.upload = (("scores.csv", b"member,score\n1,0.9\n1,0.7\n0,0.2\n0,0.4\n"),)
    page.plan = plans[1].sha256
    page.accept = True
    assert page.accepted, page.message
    (use,) = page.workspace.audits.plans.uses(plans[1])
    assert use.unseen
    scores = ScoresPage(workspace=page.workspace)
    scores.follow(page.accepted)
    scores.restore(page.workspace.page_states.get("scores", page.accepted))
    assert scores.epsilon_here().void is None
    scores.plan = plans[2].sha256
    assert plans[1].label in scores.epsilon_here().void


# -- files of public tools -----------------------------------------------------------------------

SIDES = RNG.permutation(np.repeat([1, 0], [60, 40]))
VALUES = RNG.normal(SIDES, 1)
PANORAMIA = "member,baseline_pred,mia_mlp10_pred,mia_mlp100_pred\n" + "\n".join(
    f"{m},{b:.4f},{x:.4f},{2 * x:.4f}"
    for m, b, x in zip(SIDES, RNG.random(100), VALUES, strict=True)
)


def npy(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def test_the_tool_that_wrote_a_file_is_said(page):
    content = {"signal_values": VALUES.tolist(), "true_labels": SIDES.tolist(), "roc_auc": 0.7}
    opened(page, ("rmia.json", json.dumps(content)))
    texts = said(page)
    assert texts["tool"] == "LeakPro result: signal_values, true_labels."
    assert "60 scores of members and 40 of non-members" in texts["groups"]
    assert "proposed from the layout of the LeakPro result" in texts["direction"]
    page.member_value = "0"  # what is found can be changed
    assert "40 scores of members and 60 of non-members" in said(page)["groups"]


def test_negated_losses_are_read_as_their_tool_writes_them(page):
    page.upload = (
        ("losses_out.npy", npy(VALUES[SIDES == 0] - 9)),
        ("losses_in.npy", npy(VALUES[SIDES == 1] - 9)),
    )
    assert "they are negated losses, larger for members" in said(page)["tool"]
    assert accepted(page).reading.larger_is_member
    other = opened(
        ImportPage(Workspace()),
        ("losses_in.csv", column("x", 60)),
        ("losses_out.csv", column("x", 40)),
    )
    assert (said(other)["tool"], other.larger_is_member) == ("", False)


@pytest.mark.parametrize("order", [1, -1])
def test_a_file_of_labels_is_joined_and_the_order_is_said_to_be_assumed(page, order):
    files = (("mia_scores.npy", npy(VALUES)), ("mia_labels.npy", npy(SIDES.astype(float))))
    page.upload = files[::order]
    texts = said(page)
    assert "60 scores of members and 40 of non-members" in texts["groups"]
    assert "Labels from 'mia_labels' (npy), on the assumption that their order" in texts["labels"]
    assert "labels_apart" in offered(page)
    assert "path_labels='mia_labels.npy'" in page.code({})
    dataset = accepted(page)
    assert dataset.source.names == ("mia_scores.npy", "mia_labels.npy")
    assert page.workspace.scores(dataset.key).p.tolist() == VALUES[SIDES == 1].tolist()
    again = ImportPage(page.workspace, dataset.key)
    assert "60 scores of members" in said(again)["groups"]
    assert "path_labels='mia_labels.npy'" in again.code({})


def test_the_code_of_a_file_of_labels_reads_it(page, tmp_path, monkeypatch):
    page.upload = (("x.npy", npy(VALUES)), ("membership.npy", npy(SIDES)))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.npy").write_bytes(npy(VALUES))
    (tmp_path / "membership.npy").write_bytes(npy(SIDES))
    names = {"wb": wb}
    exec(page.code({}).partition("view")[0].replace("import workbench as wb", ""), names)
    assert names["scores"].n_p == 60
    kept = accepted(page)
    found = wb.recorded_scores(
        kept.sha256, files=["x.npy", "membership.npy"], reading=kept.reading.to_dict()
    )
    assert found.n_p == 60


def test_two_groups_are_told_from_scores_and_labels_by_a_person_where_names_do_not(page):
    page.upload = (("a.npy", npy(VALUES)), ("b.npy", npy(SIDES)))
    assert "“a.npy”, and 100 of non-members" in said(page)["groups"]
    page.labels_apart = True
    assert "does not say which one" in page.missing() or "may be the class" in page.missing()
    page.member_value = "1"
    assert "60 scores of members and 40 of non-members" in said(page)["groups"]
    page.labels_apart = False
    assert "100 scores of members" in said(page)["groups"]
    page.upload = (("a.npy", npy(VALUES)), ("b.npy", npy(VALUES + 1)))
    assert "labels_apart" not in offered(page)


def test_labels_of_another_length_are_refused(page):
    page.upload = (("mia_scores.npy", npy(VALUES)), ("mia_labels.npy", npy(SIDES[:-1])))
    assert "has 100 scores, but 'mia_labels' (npy) has 99 labels" in page.message
    assert not page.choosing.open


def test_one_of_several_columns_is_chosen_before_any_result(page):
    opened(page, ("mia_baseline_default_0.csv", PANORAMIA))
    assert page.message == ""
    assert "3 columns may hold the scores" in page.missing()
    assert (page.member_column, page.member_value) == ("member", "1")
    shown = page.draw(next(item for item in page.items() if item.name == "all_scores"))
    texts = [note["text"] for note in shown["layout"]["annotations"]]
    assert texts[::2] == ["baseline_pred", "mia_mlp10_pred", "mia_mlp100_pred"]
    assert all("100 different values" in text for text in texts[1::2])
    page.choose_column(0.5, 1.7)
    assert page.score_column == "mia_mlp10_pred"
    assert page.missing() == ""
    assert "without access" not in said(page)["tool"]
    page.score_column = "baseline_pred"
    assert "without access to the model" in said(page)["tool"]
    page.choose_column(0.5, 2.5)  # a click on the chart of one column chooses nothing
    assert page.score_column == "baseline_pred"


def test_the_picker_shows_nothing_that_tells_the_groups_apart(page):
    """The same values with the labels dealt anew: every item of the page is the same."""
    lines = PANORAMIA.splitlines()
    dealt = [
        f"{m},{line.partition(',')[2]}" for m, line in zip(SIDES[::-1], lines[1:], strict=True)
    ]
    one = said(opened(page, ("a.csv", PANORAMIA)))
    assert one == said(opened(ImportPage(Workspace()), ("a.csv", "\n".join([lines[0], *dealt]))))


def test_another_column_after_results_were_seen_marks_them(page):
    opened(page, ("a.csv", PANORAMIA))
    page.score_column = "mia_mlp10_pred"
    accepted(page)
    other = opened(ImportPage(page.workspace), ("a.csv", PANORAMIA))
    other.score_column = "mia_mlp100_pred"
    assert (
        "will be marked as not valid, because the column was changed" in said(other)["consequence"]
    )


def test_the_labels_follow_the_run_of_a_report(page):
    records = {"member_prob": VALUES.tolist(), "member": SIDES.tolist()}
    other = {"member_prob": VALUES.tolist(), "member": (1 - SIDES).tolist()}
    runs = {"instance_0": {"individual": records}, "instance_1": {"individual": other}}
    report = {"a": {"attack_experiment_logger": {"attack_instance_logger": runs}}}
    opened(page, ("report.json", json.dumps(report)))
    assert page.opened_files.candidates == ["instance_0.member_prob", "instance_1.member_prob"]
    page.score_column = "instance_1.member_prob"
    assert page.member_column == "instance_1.member"
    assert "40 scores of members and 60 of non-members" in said(page)["groups"]
    page.score_column = "instance_0.member_prob"
    assert "60 scores of members and 40 of non-members" in said(page)["groups"]


def test_averaged_models_need_a_statement_about_their_rows(page):
    file = io.BytesIO()
    np.savez(file, fpr=VALUES, tpr=VALUES, scores=VALUES, memberships=SIDES == 1)
    page.upload = (("attack_result_average.npz", file.getvalue()),)
    assert "concatenates the scores of several models" in page.message
    assert "under “Independence of rows”" in page.message
    assert "sampling=" not in page.message
    page.sampling = "one run"
    assert page.message == ""
    assert "concatenates the scores of several models" in said(page)["tool"]
    accepted(page)


def test_columns_without_a_known_tool_are_chosen_from_too(page):
    lines = PANORAMIA.splitlines()
    opened(page, ("attacks.csv", "\n".join(["member,first,second,third", *lines[1:]])))
    assert page.opened_files.candidates == ["first", "second", "third"]
    assert (page.member_column, page.member_value) == ("member", "1")
    assert "3 columns may hold the scores" in page.missing()
    assert said(page)["tool"] == ""


# -- what files leave open ------------------------------------------------------------------------


def csv_of(**columns):
    return pd.DataFrame(columns).to_csv(index=False)


@pytest.mark.parametrize("name", ["is_test", "nonmember", "excluded"])
def test_a_flag_of_non_members_is_read_as_its_negation(page, name):
    opened(page, ("a.csv", csv_of(score=VALUES, **{name: SIDES})))
    assert (page.missing(), page.member_value) == ("", "0")
    assert page.read().n_p == int((SIDES == 0).sum())


@pytest.mark.parametrize(("name", "why"), [("label", "may be the class"), ("flag", "does not say")])
def test_a_name_whose_sense_is_open_is_a_question(page, name, why):
    opened(page, ("a.csv", csv_of(score=VALUES, **{name: SIDES})))
    assert why in page.missing()
    assert "“Label of members”" in said(page)["question"]
    assert page.read() is None
    page.accept = True
    assert page.accepted == ""
    page.member_value = "0"
    assert page.missing() == ""
    assert page.read().n_p == int((SIDES == 0).sum())


def test_rows_of_the_same_records_are_a_choice_of_rows_or_clusters(page):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": np.tile(np.arange(50), 2), "attack": ["a"] * 50 + ["b"] * 50})
    frame = frame.assign(score=rng.normal(size=100), member=np.tile(np.arange(50) % 2, 2))
    opened(page, ("a.csv", frame.to_csv(index=False)))
    question = said(page)["question"]
    assert "one for each of 2 values of 'attack'" in question
    assert "“Rows”" in question
    assert "“Cluster column”" in question
    assert page.read() is None
    page.accept = True
    assert page.accepted == ""
    page.rows = "attack=b"
    assert page.missing() == ""
    assert page.read().n_p + page.read().n_q == 50
    assert "rows='attack=b'" in page.code({})
    page.rows = None
    assert page.missing() == question
    page.cluster_column = "id"
    assert page.missing() == ""
    page.cluster_column = None
    page.sampling = "one run"
    assert page.missing() == ""
    page.sampling = "unknown"
    page.rows = "attack=a"
    kept = accepted(page)
    assert kept.reading.layout.rows == "attack=a"
    again = ImportPage(page.workspace, kept.key)
    assert again.rows == "attack=a"
    assert again.missing() == ""
