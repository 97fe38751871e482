"""What a workspace keeps, finds, marks and takes back; in memory and on disk alike."""

import gc
import re
import threading
import weakref
from dataclasses import replace

import numpy as np
import pytest

import workbench as wb
from workbench.scores.parsing.source import read_table
from workbench.scores.sample import ScoresError
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.reading import Reading
from workbench.workspaces.shared_data import SharedData
from workbench.workspaces.sources import FileSource, GivenSource
from workbench.workspaces.storing.entry import MOST_DRAW_STATES
from workbench.workspaces.view import Datasets
from workbench.workspaces.workspace import Workspace

OTHER = b"p,q\n1,0\n2,1\n3,0.5\n"


def other_table():
    return read_table(OTHER, "other.csv", trusted=True)


# -- adding and finding ---------------------------------------------------------------------------


def test_a_file_is_added_with_its_layout_and_found_in_every_way(ws, losses):
    dataset = ws.add([losses], Reading(larger_is_member=False), files=["losses.csv"])
    assert dataset.name == "losses"
    assert dataset.source == FileSource(("losses.csv",))
    assert dataset.reading.layout.score == "loss"
    assert (dataset.n_p, dataset.n_q) == (3, 3)
    assert ws.dataset(dataset.key) == ws.dataset("losses") == ws.datasets["losses"] == dataset
    assert ws.find(dataset.sha256) == dataset
    assert ws.scores(dataset.key).p.tolist() == [0.1, 0.3, 0.2]
    assert not ws.scores(dataset.key).larger_is_member
    (table,) = ws.tables(dataset.key)
    assert table.columns["subject"].tolist() == ["a", "b", "a", "c", "d", "e"]


def test_keys_cannot_be_guessed(ws):
    keys = {ws.add_scores(wb.Scores([1.0, 2.0], [0.0, k])).key for k in range(20)}
    assert len(keys) == 20
    assert all(re.fullmatch(r"[\w-]{22}", key) for key in keys)


def test_two_workspaces_share_nothing(losses):
    mine, theirs = Workspace(), Workspace()
    dataset = mine.add([losses])
    digest = mine.files.keep("canaries.csv", b"secret")
    for key in (dataset.key, dataset.name, dataset.sha256):
        with pytest.raises(WorkspaceError, match="there is no data set"):
            theirs.dataset(key)
        with pytest.raises(WorkspaceError, match="there is no data set"):
            theirs.scores(key)
    assert theirs.find(dataset.sha256) is None
    assert theirs.file(digest) is None


def test_scores_are_the_same_object_while_anybody_uses_them(ws, losses):
    dataset = ws.add([losses])
    scores = ws.scores(dataset.key)
    for k in range(30):
        ws.scores(f"draw:gaussian?mu=1.0&n=100&seed={k}")
    assert ws.scores(dataset.key) is scores
    unused = weakref.ref(ws.scores("draw:gaussian?mu=1.0&n=20000&seed=77"))
    assert unused() is not None
    for k in range(30):
        ws.scores(f"draw:gaussian?mu=1.0&n=100&seed={k}")
    gc.collect()
    assert unused() is None


def test_the_same_content_read_in_the_same_way_is_one_data_set(ws, losses):
    first = ws.add([losses])
    ws.page_states.keep("scores", {"threshold": 0.4}, first.key)
    again = read_table(b"is_member,loss,subject\n1,0.10,a\n0,2,b\n1,0.3,a\n0,1.5,c\n1,0.2,d\n0,0.9,e\n", "b.csv", trusted=True)  # fmt: skip  # noqa: E501
    assert ws.add([again]) == first
    other = ws.add([again], Reading(larger_is_member=False))
    assert other.key != first.key
    ws.kept.remove(first.key)
    assert ws.add([losses]).key == first.key
    assert "losses" in ws.datasets
    assert ws.page_states.get("scores", first.key) == {"threshold": 0.4}


def test_a_mark_survives_removal_and_a_second_upload(ws, losses):
    first = ws.add([losses])
    marked = ws.kept.reread(first.key, replace(first.reading, larger_is_member=False), seen=True)
    ws.kept.remove(first.key)
    again = ws.add([losses], replace(first.reading, larger_is_member=False))
    assert again == marked
    assert again.reread == "the direction of the score"


def test_names_are_unique(ws, losses):
    ws.add([losses])
    second = ws.add([losses], Reading(sampling="one run"))
    third = ws.add_scores(wb.Scores([1, 2], [3, 4]), "losses")
    assert [second.name, third.name] == ["losses (2)", "losses (3)"]
    with pytest.raises(WorkspaceError, match="another data set is called 'losses'"):
        ws.kept.rename(third.key, "losses")
    ws.kept.rename(third.key, "  tuned  ")
    assert ws.datasets.names == ["losses", "losses (2)", "tuned"]
    for name in ("", "   ", "x" * 201):
        with pytest.raises(WorkspaceError, match="1 to 200 characters"):
            ws.kept.rename(third.key, name)


def test_two_files_are_members_and_non_members(ws):
    a = read_table(b"loss\n1\n2\n3\n", "members.csv", trusted=True)
    b = read_table(b"loss\n4\n5\n", "nonmembers.csv", trusted=True)
    dataset = ws.add([a, b], files=["members.csv", "nonmembers.csv"])
    swapped = ws.add([b, a])
    assert dataset.sha256 != swapped.sha256
    assert ws.scores(dataset.key).p.tolist() == ws.scores(swapped.key).q.tolist() == [1, 2, 3]
    assert "“members.csv” and “nonmembers.csv”" in dataset.describe()


def test_what_cannot_be_read_is_not_added(ws):
    table = read_table(b"a,b,c\n1,2,3\n4,5,6\n", "x.csv", trusted=True)
    with pytest.raises(ScoresError):
        ws.add([table])
    one_group = read_table(b"score,member\n1,1\n2,1\n", "x.csv", trusted=True)
    with pytest.raises(ScoresError):
        ws.add([one_group])
    for tables in ([], [table] * 3):
        with pytest.raises(WorkspaceError, match="one table, or one of each group"):
            ws.add(tables)
    assert len(ws.datasets) == 0


# -- scores given in Python -----------------------------------------------------------------------


def odd_scores():
    x = np.array([0.5, np.nan, np.inf, 2.0, -np.inf, 1.0])
    labels = ["a", "b", "c", "a", "d", "e"]
    for nonfinite in ("keep", "drop"):
        for larger in (True, False):
            yield wb.Scores(x, x[::-1] + 1, larger, "one run", nonfinite=nonfinite, name="x")
            yield wb.Scores(
                x, x, larger, clusters=(labels, [f"q{k}" for k in labels]), nonfinite=nonfinite
            )
    yield wb.Scores([1, 2], [3, 4], held_out="a classifier trained on other runs")


@pytest.mark.parametrize("scores", list(odd_scores()), ids=repr)
def test_scores_given_in_python_come_back_as_they_were(ws, scores):
    dataset = ws.add_scores(scores)
    assert isinstance(dataset.source, GivenSource)
    assert ws.scores(dataset.key) is scores
    ws.storage.cache = type(ws.storage.cache)()
    again = ws.scores(dataset.key)
    assert again.seed == again.chance == scores.chance
    for name in vars(scores).keys() - {"p", "q", "clusters", "seed"}:
        if name in type(scores).__dataclass_fields__:
            assert getattr(again, name) == getattr(scores, name), name
    np.testing.assert_array_equal(again.p, scores.p)
    np.testing.assert_array_equal(again.q, scores.q)
    assert again.discarded == scores.discarded
    assert again.assumption == scores.assumption


def test_given_scores_can_be_read_in_the_other_direction(ws):
    dataset = ws.add_scores(wb.example("messy"))
    other = ws.kept.reread(dataset.key, replace(dataset.reading, larger_is_member=True), seen=False)
    assert ws.scores(other.key).larger_is_member
    assert ws.scores(other.key).nonfinite_p == wb.example("messy").nonfinite_p


# -- examples and draws ---------------------------------------------------------------------------


def test_examples_and_draws_are_there_without_being_kept(ws):
    assert ws.scores("example:gaussian") is wb.example("gaussian")
    draw = ws.dataset("draw:gaussian?mu=1&n=300&seed=0")
    assert draw.key == "draw:gaussian?mu=1.0&n=300&seed=0"
    scores = ws.scores(draw.key)
    assert (scores.n_p, scores.sampling) == (300, "independent runs")
    np.testing.assert_array_equal(scores.p, wb.GaussianPair(1.0).sample(300, seed=0).p)
    ws.active.choose(draw.key)
    assert ws.current == draw.key
    assert len(ws.datasets) == 0
    (table,) = ws.tables(draw.key)
    np.testing.assert_array_equal(table.columns["q"], scores.q)
    for key in ("example:gaussian", draw.key):
        for change in (
            lambda key: ws.kept.remove(key),
            lambda key: ws.kept.rename(key, "mine"),
            lambda key: ws.kept.reread(key, Reading(larger_is_member=False), True),
        ):
            with pytest.raises(WorkspaceError, match="is always there: it cannot be changed"):
                change(key)


def test_every_example_is_a_data_set(ws):
    for name in wb.examples()["name"]:
        dataset, scores = ws.dataset(f"example:{name}"), ws.scores(f"example:{name}")
        assert (dataset.n_p, dataset.n_q) == (scores.rows_p, scores.rows_q)
        assert dataset.reading.larger_is_member == scores.larger_is_member
        assert dataset.reading.sampling == scores.sampling


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("example:gausian", "did you mean 'gaussian'"),
        ("example:", "the bundled examples are"),
        ("example:../../etc/passwd", "there is no data set"),
        ("draw:", "is not the key of a draw"),
        ("draw:gaussian", "is not the key of a draw"),
        ("draw:gaussian?mu=1.0&n=300", "lacks 'seed'"),
        ("draw:gaussian?n=300&seed=0", "takes mu; got none of them"),
        ("draw:gaussian?mu=1.0&mu=2.0&n=300&seed=0", "occurs twice"),
        ("draw:gaussian?mu=1.0&sigma=2.0&n=300&seed=0", "takes mu; got mu, sigma"),
        ("draw:gaussian?mu=5.1&n=300&seed=0", "mu must be from 0 to 5, got 5.1"),
        ("draw:gaussian?mu=nan&n=300&seed=0", "mu must be finite"),
        ("draw:gaussian?mu=x&n=300&seed=0", "cannot be read"),
        ("draw:gaussian?mu=1.0&n=1&seed=0", "n must be a whole number of at least 2"),
        ("draw:gaussian?mu=1.0&n=1000001&seed=0", "n must be at most 1,000,000"),
        ("draw:gaussian?mu=1.0&n=1000000000000000000000&seed=0", "n must be at most"),
        ("draw:gaussian?mu=1.0&n=300&seed=-1", "seed must be a whole number"),
        ("draw:cauchy?mu=1.0&n=300&seed=0", "the kind of pair must be one of"),
        ("draw:gaussian?mu=1.0&n=300&seed=0\n", "is not the key of a draw"),
        ("", "there is no data set"),
        ("draw:gaussian?mu=" + "9" * 10_000 + "&n=300&seed=0", "mu must be"),
    ],
    ids=lambda value: value[:40],
)
def test_a_key_that_means_nothing_is_refused(ws, key, said):
    with pytest.raises(WorkspaceError, match=re.escape(said)):
        ws.scores(key)


# -- how it was read ------------------------------------------------------------------------------


def test_a_choice_after_results_is_marked_and_taking_it_back_removes_the_mark(ws, losses):
    dataset = ws.add([losses])
    other = ws.kept.reread(dataset.key, replace(dataset.reading, larger_is_member=False), seen=True)
    assert other.reread == "the direction of the score"
    assert other.declared == dataset.reading
    assert not ws.scores(dataset.key).larger_is_member
    # Still marked, although nothing new was seen, and by the choice that counts.
    more = ws.kept.reread(dataset.key, replace(other.reading, sampling="one run"), seen=False)
    assert more.reread == "the direction of the score"
    back = ws.kept.reread(dataset.key, replace(more.reading, larger_is_member=True), seen=True)
    assert back.reread == ""
    assert back.reading.sampling == "one run"


def test_a_choice_before_results_is_a_declaration(ws, losses):
    dataset = ws.add([losses])
    declared = ws.kept.reread(
        dataset.key, replace(dataset.reading, larger_is_member=False), seen=False
    )
    assert declared.reread == ""
    assert declared.declared is None
    later = ws.kept.reread(dataset.key, dataset.reading, seen=True)
    assert later.reread == "the direction of the score"


@pytest.mark.parametrize(
    "change",
    [
        {"sampling": "independent runs"},
        {"sampling": "one run"},
        {"cluster_rule": "max"},  # there is no cluster column
        {"nonfinite": "drop"},  # all are finite
    ],
    ids=str,
)
def test_a_declaration_that_changes_no_number_marks_nothing(ws, losses, change):
    dataset = ws.add([losses])
    again = ws.kept.reread(dataset.key, replace(dataset.reading, **change), seen=True)
    assert again.reread == ""
    assert again.reading != dataset.reading


def test_the_mark_names_what_was_changed(ws, losses):
    dataset = ws.add([losses])
    layout = dataset.reading.layout
    for changed, said in (
        (replace(dataset.reading, layout=replace(layout, member_value="0")), "the label"),
        (replace(dataset.reading, layout=replace(layout, cluster="subject")), "the cluster column"),
    ):
        assert ws.kept.reread(dataset.key, changed, seen=True).reread == said
    assert (ws.dataset(dataset.key).n_p, ws.dataset(dataset.key).n_q) == (2, 3)


def test_a_dropped_score_is_marked(ws):
    table = read_table(b"p,q\n1,0\n2,1\nnan,0.5\n", "x.csv", trusted=True)
    dataset = ws.add([table])
    again = ws.kept.reread(dataset.key, replace(dataset.reading, nonfinite="drop"), seen=True)
    assert again.reread == "the treatment of non-finite scores"


def test_a_reading_that_does_not_fit_changes_nothing(ws, losses):
    dataset = ws.add([losses])
    wrong = replace(dataset.reading, layout=replace(dataset.reading.layout, score="subject"))
    with pytest.raises(ScoresError, match="'a' is not a number"):
        ws.kept.reread(dataset.key, wrong, seen=True)
    assert ws.dataset(dataset.key) == dataset
    assert ws.scores(dataset.key).n_p == 3


def test_a_reading_goes_to_json_and_back(losses):
    reading = Workspace().add([losses], Reading(larger_is_member=False)).reading
    for one in (reading, Reading(sampling="one run", nonfinite="drop")):
        assert Reading.from_dict(one.to_dict()) == one
    for wrong in ({}, {"layout": None, "more": 1}, {"layout": 7}, {"layout": None, "sampling": 5}):
        with pytest.raises(WorkspaceError, match="not how a data set is read"):
            Reading.from_dict(wrong)


# -- removal, undo --------------------------------------------------------------------------------


def test_a_purge_leaves_what_was_not_removed(ws, losses):
    other = ws.add_scores(wb.Scores([0.5, 1.5], [0.25, 2.5]), "other")
    ws.kept.remove(ws.add([losses]).key)
    ws.kept.purge()
    assert [one.key for one in ws.catalog.own] == [other.key]
    assert sorted(ws.scores(other.key).p) == [0.5, 1.5]


def test_a_removed_data_set_comes_back_until_it_is_purged(ws, losses):
    dataset = ws.add([losses])
    ws.active.choose(dataset.key)
    ws.kept.remove(dataset.key)
    assert len(ws.datasets) == 0
    assert ws.current is None
    assert ws.find(dataset.sha256) is None
    assert ws.kept.restore(dataset.key) == dataset
    ws.kept.remove(dataset.key)
    ws.kept.purge()
    with pytest.raises(WorkspaceError, match="there is no data set"):
        ws.dataset(dataset.key)
    again = ws.add([losses])
    assert again.key != dataset.key


def test_a_name_that_was_taken_meanwhile_is_changed_on_return(ws, losses):
    dataset = ws.add([losses])
    ws.kept.remove(dataset.key)
    ws.add([other_table()], name="losses")
    assert ws.kept.restore(dataset.key).name == "losses (2)"


def test_every_change_can_be_undone_and_redone(ws, losses):
    kept = ws.add([other_table()])
    states = [ws.kept.snapshot()]
    changes = [
        lambda: ws.add([losses]),
        lambda: ws.active.choose(ws.datasets["losses"].key),
        lambda: ws.kept.rename(kept.key, "renamed"),
        lambda: ws.kept.reread(
            kept.key, replace(ws.dataset(kept.key).reading, larger_is_member=False), True
        ),
        lambda: ws.kept.remove(kept.key),
        lambda: ws.active.choose("example:laplace"),
        lambda: ws.kept.remove(ws.datasets["losses"].key),
    ]
    for change in changes:
        change()
        states.append(ws.kept.snapshot())
    for state in reversed(states):
        ws.kept.revert(state)
        assert shown(ws.kept.snapshot()) == shown(state)
    assert [one.key for one in ws.datasets] == [kept.key]
    for state in states:
        ws.kept.revert(state)
        assert shown(ws.kept.snapshot()) == shown(state)
    assert len(ws.datasets) == 0
    assert not ws.scores(kept.key).larger_is_member


def shown(state):
    """What of a state is visible: not when something was removed."""
    return [e.dataset for e in state.entries.values() if e.removed is None], state.current


# -- pages, files, watchers -----------------------------------------------------------------------


def test_settings_of_pages_are_kept_by_data_set(ws, losses):
    dataset = ws.add([losses])
    settings = {"threshold": 0.1 + 0.2, "label": None, "many": [1, "π"]}
    ws.page_states.keep("scores", settings, dataset.key)
    ws.page_states.keep("scores", {"threshold": 1}, "example:gaussian")
    ws.page_states.keep("counts", {"tp": 3})
    assert ws.page_states.get("scores", dataset.key) == settings
    assert ws.page_states.get("counts") == {"tp": 3}
    assert ws.page_states.get("scores") is None
    settings["many"].append(2)
    assert ws.page_states.get("scores", dataset.key)["many"] == [1, "π"]
    for wrong in ({"x": float("nan")}, {"x": object()}):
        with pytest.raises(WorkspaceError, match="these settings cannot be kept"):
            ws.page_states.keep("scores", wrong)
    ws.kept.remove(dataset.key)
    ws.kept.purge()
    assert ws.page_states.get("scores", dataset.key) is None
    assert ws.page_states.get("scores", "example:gaussian") == {"threshold": 1}


def test_the_settings_for_draws_do_not_grow_without_end(ws):
    keys = [f"draw:gaussian?mu=1.0&n=100&seed={k}" for k in range(3 * MOST_DRAW_STATES)]
    ws.page_states.keep("scores", {"x": 1}, "example:gaussian")
    ws.page_states.keep("watch", {"x": 2}, keys[0])
    for key in keys:
        ws.page_states.keep("scores", {"key": key}, key)
    found = [key for key in keys if ws.page_states.get("scores", key) is not None]
    assert found == keys[-MOST_DRAW_STATES:]
    assert ws.page_states.get("scores", "example:gaussian") == {"x": 1}
    assert ws.page_states.get("watch", keys[0]) == {"x": 2}


def test_files_are_kept_by_content_while_a_page_uses_them(ws):
    used, unused = ws.files.keep("a.csv", b"canaries"), ws.files.keep("b.csv", b"others")
    assert ws.files.keep("copy.csv", b"canaries") == used
    assert ws.file(used) == b"canaries"
    assert ws.file("0" * 64) is None
    assert ws.file("../key") is None
    ws.page_states.keep("onerun", {"upload": [["a.csv", used]]})
    ws.kept.purge()
    assert ws.file(used) == b"canaries"
    assert ws.file(unused) is None


def test_watchers_hear_of_every_change_and_of_nothing_else(ws, losses):
    heard = []
    ws.changes.watch(lambda workspace: heard.append((workspace, threading.get_ident())))
    dataset = ws.add([losses])
    ws.active.choose(dataset.key)
    ws.kept.rename(dataset.key, "mine")
    ws.kept.remove(dataset.key)
    ws.kept.restore(dataset.key)
    ws.kept.reread(dataset.key, replace(dataset.reading, sampling="one run"), True)
    assert heard == [(ws, threading.get_ident())] * 6
    del heard[:]
    ws.active.choose(ws.current)
    ws.add([losses], replace(dataset.reading, sampling="one run"))
    ws.page_states.keep("scores", {"x": 1}, dataset.key)
    ws.scores(dataset.key)
    ws.kept.rename(dataset.key, "mine")
    with pytest.raises(WorkspaceError):
        ws.active.choose("nothing")
    assert heard == []


def test_a_watcher_may_change_the_workspace_and_leave(ws, losses):
    def once(workspace):
        ws.changes.unwatch(once)
        workspace.kept.rename("losses", "renamed")

    ws.changes.watch(once)
    ws.add([losses])
    assert ws.datasets.names == ["renamed"]


def test_many_threads_may_use_a_workspace(ws, losses):
    failures = []

    def work(k):
        try:
            for j in range(10):
                one = ws.add_scores(wb.Scores([1.0, 2.0 + k], [0.0, j]), f"{k}-{j}")
                ws.scores(one.key)
                ws.page_states.keep("scores", {"k": k, "j": j}, one.key)
                if j % 2:
                    ws.kept.remove(one.key)
                list(ws.datasets)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(ws.datasets) == 30


# -- a base ---------------------------------------------------------------------------------------


def test_visitors_see_the_data_sets_of_the_base_and_cannot_change_them(losses):
    base = Workspace()
    served = base.add([losses])
    one, two = Workspace(base=base), Workspace(base=base)
    mine = one.add([other_table()])
    assert [d.key for d in one.datasets] == [served.key, mine.key]
    assert [d.key for d in two.datasets] == [served.key]
    assert one.catalog.shared == two.catalog.shared == [served]
    assert (one.catalog.own, two.catalog.own) == ([mine], [])
    assert one.scores(served.key) is two.scores(served.key) is base.scores(served.key)
    assert one.tables(served.key) == base.tables(served.key)
    assert one.add([losses]) == served
    for change in (lambda: one.kept.remove(served.key), lambda: one.kept.rename(served.key, "x")):
        with pytest.raises(WorkspaceError, match="was given to the server"):
            change()
    one.active.choose(served.key)
    one.page_states.keep("scores", {"x": 1}, served.key)
    assert two.current is None
    assert two.page_states.get("scores", served.key) is None
    other = one.kept.reread(served.key, replace(served.reading, larger_is_member=False), seen=True)
    assert other.key != served.key
    assert other.reread == "the direction of the score"
    assert base.dataset(served.key) == served
    assert base.scores(served.key).larger_is_member
    assert [d.key for d in two.datasets] == [served.key]


def test_the_choice_of_the_base_holds_until_a_visitor_chooses(losses):
    base = Workspace()
    served = base.add([losses])
    base.active.choose(served.key)
    one, two = Workspace(base=base), Workspace(base=base)
    assert (one.current, one.active.chosen("scores")) == (served.key, None)
    one.active.choose("example:laplace")
    assert (one.current, one.active.chosen("scores")) == ("example:laplace", "example:laplace")
    assert (two.current, base.current) == (served.key, served.key)


class Lent:
    """The data sets that another person shares, who borrows from this one at the same time."""

    def __init__(self, owner):
        self.owner, self.borrower, self.revoked = owner, Workspace(), False

    def _asked(self):
        """The lock of the borrower is free: the owner may be waiting for it."""
        free = threading.Thread(target=lambda: self.borrower.catalog.own)
        free.start()
        free.join(20)
        assert not free.is_alive()
        return [] if self.revoked else self.owner.catalog.own

    @property
    def datasets(self):
        return Datasets(self._asked(), "here")

    @property
    def current(self):
        self._asked()

    def owner_of(self, key):
        self._asked()
        return "ada"

    def tables(self, key):
        self._asked()
        return self.owner.tables(key)

    def scores(self, key):
        self._asked()
        return self.owner.scores(key)

    @property
    def current_table(self):
        self._asked()

    def table(self, key):
        self._asked()
        return self.owner.table(key)

    def file(self, sha256):
        self._asked()


def test_what_another_person_shares_is_read_and_never_changed_and_nobody_waits_for_ever(losses):
    owner = Workspace()
    shared = owner.add([losses])
    lent = Lent(owner)
    mine = lent.borrower = Workspace(base=lent)
    assert isinstance(lent, SharedData)
    own = mine.add([other_table()], name="losses")
    assert (own.name, [d.key for d in mine.datasets]) == ("losses (2)", [shared.key, own.key])
    assert (mine.owner_of(shared.key), mine.owner_of(own.key)) == ("ada", "")
    assert mine.scores(shared.key) is owner.scores(shared.key)
    assert mine.tables("losses") == owner.tables(shared.key)
    assert mine.find(shared.sha256) == shared
    assert mine.openings.time(shared.sha256) == shared.created
    assert mine.file("0" * 64) is None
    for change in (mine.kept.remove, mine.kept.restore, lambda key: mine.kept.rename(key, "x")):
        with pytest.raises(WorkspaceError, match="'losses' was shared with you by ada: it cannot"):
            change(shared.key)
    with pytest.raises(WorkspaceError, match="another data set is called 'losses'"):
        mine.kept.rename(own.key, "losses")
    copy = mine.kept.reread(shared.key, replace(shared.reading, larger_is_member=False), seen=False)
    assert copy.key in {d.key for d in mine.catalog.own}
    assert mine.kept.restore(own.key) == own
    mine.active.choose(shared.key)
    assert mine.current == shared.key
    lent.revoked = True
    assert mine.current is None
    for use in (mine.scores, mine.tables, mine.dataset, mine.kept.remove):
        with pytest.raises(WorkspaceError, match="there is no data set"):
            use(shared.key)
    assert mine.scores(copy.key).p.tolist() == [0.1, 0.3, 0.2]


def test_a_base_must_have_what_is_asked_of_it():
    with pytest.raises(TypeError, match="base must be shared data, such as a workbench"):
        Workspace(base={"datasets": []})


# -- what a notebook shows ------------------------------------------------------------------------


def test_a_notebook_shows_the_data_sets(ws, losses):
    assert "none yet" in ws._repr_html_()
    ws.add([losses], name="<b>losses</b>")
    assert "&lt;b&gt;losses" in ws._repr_html_()
    assert "<b>losses" not in ws.datasets["<b>losses</b>"]._repr_html_()
    frame = ws.datasets.to_frame()
    assert frame["name"].tolist() == ["<b>losses</b>"]
    assert repr(ws.datasets) == "Datasets('<b>losses</b>')"
    with pytest.raises(WorkspaceError, match="did you mean"):
        ws.datasets["<b>loses</b>"]


def test_a_hundred_random_changes_are_undone_one_by_one(ws, losses):
    rng = np.random.default_rng(4)
    tables = [losses, other_table()]

    def keys(removed):
        return [
            k for k, e in ws.kept.snapshot().entries.items() if (e.removed is not None) == removed
        ]

    def change():
        there, gone = keys(False), keys(True)
        match rng.integers(6):
            case 0:
                sampling = rng.choice(["unknown", "one run"])
                ws.add(
                    [tables[rng.integers(2)]], Reading(None, bool(rng.integers(2)), str(sampling))
                )
            case 1:
                ws.add_scores(wb.Scores([1.0, 2.0], rng.normal(size=2)))
            case 2 if there:
                ws.kept.remove(rng.choice(there))
            case 3 if gone:
                ws.kept.restore(rng.choice(gone))
            case 4 if there:
                ws.active.choose(rng.choice(there))
            case 5 if there:
                key = str(rng.choice(there))
                reading = ws.dataset(key).reading
                ws.kept.reread(
                    key, replace(reading, larger_is_member=not reading.larger_is_member), True
                )
            case _:
                ws.active.choose(f"draw:laplace?mu=1.0&n=100&seed={rng.integers(1000)}")

    states = [ws.kept.snapshot()]
    for _ in range(100):
        change()
        states.append(ws.kept.snapshot())
    assert len({len(state.entries) for state in states}) > 10
    for state in states[::-1]:
        ws.kept.revert(state)
        assert shown(ws.kept.snapshot()) == shown(state)
        names = ws.datasets.names
        assert len(set(names)) == len(names)
    assert shown(ws.kept.snapshot()) == ([], None)
