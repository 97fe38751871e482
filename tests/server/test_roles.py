"""What a viewer may do: every gesture has a decision, and the server keeps to it."""

import inspect
import json
import re
import time
from types import SimpleNamespace

import param
import pytest
from helpers.servers import ROOT
from helpers.visits import Later, Reader, settle, tabs, wait

import workbench as wb
from workbench.dashboard import files
from workbench.dashboard.gestures import CONTROLS, GESTURES, UNKNOWN, for_editors
from workbench.dashboard.permissions import Permissions, RoleError
from workbench.dashboard.services import Services
from workbench.dashboard.visitor.session import VisitorSession
from workbench.pages.registry import PAGES
from workbench.server.people.person import Person, Role
from workbench.server.people_folders import PeopleFolders
from workbench.server.sharing.dialog import SharingDialog
from workbench.server.visitors import Visitors
from workbench.workspaces.workspace import Workspace

CSV = b"score,member\n1,1\n2,1\n0,0\n0.5,0\n"

WHY = "An administrator can change it with 'workbench users role ada editor'"


class Viewer:
    """A bench of a viewer, with a data set and an audit from better times."""

    def __init__(self):
        self.role = Role.EDITOR
        may = Permissions(edits=lambda: self.role.edits, name="ada")
        self.bench = VisitorSession(
            Workspace(),
            tabs("counts", "scores", "coveragelab", "plan", "import"),
            Later(),
            "ada",
            Services(may=may),
        )
        workspace = self.bench.workspace
        self.data = workspace.add_scores(wb.Scores([1.0, 2, 3], [0.0, 1, 2]), "losses").key
        self.audit = workspace.audits.save(wb.audit(wb.example("no-leak")), "one").key
        self.reader = Reader(self.bench)
        self.role = Role.VIEWER

    def says(self, kind, **more):
        """What is answered to a gesture that is not about one page."""
        before = len(self.reader.told)
        self.reader.does(kind, **more)
        wait(lambda: self.answers(before))
        return json.dumps(self.answers(before), ensure_ascii=False)

    def answers(self, before):
        told = self.reader.told[before:]
        if any(one.get("handled") == self.reader.serial and len(one) == 1 for one in told):
            return [one for one in told if "audits" in one or "say" in one] or told
        return told

    def kept(self):
        """Everything that is kept."""
        settle(self.bench)
        workspace = self.bench.workspace
        return (
            workspace.kept.snapshot().entries,
            [one.key for one in workspace.audits],
            len(list(workspace.audits.plans)),
            workspace.storage.size,
        )


@pytest.fixture
def viewer():
    made = Viewer()
    yield made
    made.bench.end()


# -- every gesture has a decision -----------------------------------------------------------------


def test_every_gesture_has_a_handler(viewer):
    """The table names methods, and each method that takes a gesture is in the table."""
    session = viewer.bench
    session.shares = SharingDialog(SimpleNamespace(grants=None), None, None)
    methods = {one.handler for one in GESTURES.values() if "." in one.handler}
    for handler in methods:
        part, _, method = handler.partition(".")
        assert callable(getattr(getattr(session, part), method))
    takes = {
        f"{part}.{name}"
        for part in {handler.partition(".")[0] for handler in methods}
        for name, method in inspect.getmembers(getattr(session, part), inspect.ismethod)
        if list(inspect.signature(method).parameters) == ["gesture"] and name[0] != "_"
    }
    assert takes == methods
    on_a_page = {name for name, one in GESTURES.items() if one.handler == "page"}
    assert session.pages.live("counts").session.gestures.kinds == on_a_page
    uploads = {name for name, one in GESTURES.items() if one.handler == "upload"}
    assert uploads == set(files.KINDS)


def test_the_documentation_says_what_a_viewer_cannot_do():
    refused = {one.editors for one in GESTURES.values()} | set(CONTROLS.values())
    text = (ROOT / "docs" / "accounts.md").read_text(encoding="utf-8")
    said = re.search(r"A viewer cannot (.+?)\.", text, re.DOTALL)[1]
    words = re.split(r",\s+|\s+or\s+", re.sub(r"\s+", " ", said))
    assert sorted(words) == sorted(refused - {""})


def test_every_button_that_keeps_something_has_a_decision():
    """A new event of a page has to be put here, or into `CONTROLS` if it keeps something."""
    harmless = {"draw_again", "draw_many", "notify", "reset", "show_where"}
    harmless |= {"training_part", "holdout_part", "split_script"}  # files that are saved
    events = {
        name
        for entry in PAGES.values()
        for kind in [getattr(entry.kind, "func", entry.kind)]
        for name, one in kind.param.objects().items()
        if isinstance(one, param.Event)
    }
    assert events <= harmless | set(CONTROLS)


@pytest.mark.parametrize("gesture", [{}, {"kind": "new"}, {"kind": "audit", "do": "new"}])
def test_what_is_not_known_needs_an_editor(gesture):
    with pytest.raises(RoleError, match="Your role is viewer"):
        Permissions(edits=lambda: False).require(gesture)
    Permissions(edits=lambda: True).require(gesture)


# -- and the server keeps to it -------------------------------------------------------------------


def test_a_viewer_looks_moves_and_compares(viewer):
    reader, workspace = viewer.reader, viewer.bench.workspace
    reader.does("choose", data=viewer.data)
    assert workspace.current == viewer.data
    reader.sets("counts", "tp", 345)
    assert viewer.bench.pages.live("counts").page.tp == 345
    assert "link" in reader.does("link", link="scores")
    for kind in ("undo", "redo", "data sets"):
        assert "say" not in reader.does(kind)
    assert '"one"' in viewer.says("audit", do="list", request=1)
    record = viewer.says("audit", do="record", key=viewer.audit, request=2)
    assert "viewer" not in record
    assert viewer.bench.browsers.state()["may"]["edit"] is False
    assert WHY in viewer.bench.browsers.state()["may"]["why"]


REFUSED = [
    {"kind": "import"},
    {"kind": "rename", "data": "losses", "to": "mine"},
    {"kind": "audit", "do": "propose", "of": "counts", "request": 1},
    {"kind": "audit", "do": "save", "of": "counts", "name": "x", "request": 1},
    {"kind": "audit", "do": "import", "request": 1},
    *(
        {"kind": "share", "do": do, "request": 1}
        for do in ("people", "add", "add everyone", "link")
    ),
]


@pytest.mark.parametrize("gesture", REFUSED, ids=lambda one: f"{one['kind']} {one.get('do', '')}")
def test_a_viewer_changes_nothing(viewer, gesture):
    before = viewer.kept()
    assert WHY in viewer.says(**gesture)
    assert viewer.kept() == before
    assert for_editors(gesture) not in ("", UNKNOWN)


def test_a_viewer_runs_no_jobs_but_ends_one_that_runs(viewer):
    live = viewer.bench.pages.live("coveragelab")
    viewer.reader.on("coveragelab", kind="job", job="simulate")
    assert "you cannot run jobs" in live.page.message
    assert WHY in live.page.message
    assert not live.running()
    live.page.message = ""
    viewer.role = Role.EDITOR
    viewer.reader.serial += 1
    viewer.reader.on("coveragelab", kind="job", job="simulate")
    wait(live.running)
    viewer.role = Role.VIEWER
    viewer.reader.on("coveragelab", kind="job", job="simulate")
    wait(lambda: not live.running())
    assert "viewer" not in live.page.message


@pytest.mark.parametrize("page", ["import", "plan"])
def test_a_viewer_presses_no_button_that_keeps_something(viewer, page):
    if page == "import":
        viewer.role = Role.EDITOR
        viewer.reader.does("import")
        viewer.role = Role.VIEWER
    before = viewer.kept()
    button = {"import": "accept", "plan": "store_plan"}[page]
    viewer.reader.on(page, kind="set", name=button, value=True)
    assert WHY in viewer.bench.pages.live(page).page.message
    assert viewer.kept() == before


def test_a_viewer_uploads_nothing(viewer):
    viewer.role = Role.EDITOR
    viewer.reader.does("import")
    viewer.role = Role.VIEWER
    before = viewer.kept()
    live = viewer.bench.pages.live("import")
    upload = {"name": "upload", "files": [["x.csv", len(CSV)]]}
    viewer.reader.on("import", kind="files", **upload)
    wait(lambda: WHY in live.page.message)
    viewer.reader.on("import", kind="chunk", name="upload", file=0, content=CSV)
    assert not live.page.upload
    # Nor by a control that is set, which is no way for files at all.
    viewer.role = Role.EDITOR
    viewer.reader.on("import", kind="set", name="upload", value=[["x.csv", CSV.decode()]])
    assert "upload them" in live.page.message
    assert not live.page.upload
    assert viewer.kept() == before


def test_a_role_that_changes_takes_effect_at_once_on_open_pages(tmp_path):
    now = {"role": Role.EDITOR}
    later = Later()
    visitors = Visitors(
        tabs("counts"),
        later,
        PeopleFolders(tmp_path, database=""),
        present=lambda person: Person(person.key, person.name, now["role"], True),
    )
    person = Person("a" * 22, "ada", Role.EDITOR, True)

    class Document:
        used = time.monotonic()

    visitors.here.enter(person, Document())
    reader = Reader(visitors.bench(person))
    assert visitors.bench(person).browsers.state("may")["may"] == {"edit": True, "why": ""}
    now["role"] = Role.VIEWER
    time.sleep(1.1)  # for which a role is remembered
    assert "Your role is viewer" in reader.does("import")["say"]
    reader.told.clear()
    now["role"] = Role.EDITOR
    visitors.housekeeping.look()
    assert {"bench": {"may": {"edit": True, "why": ""}}} in reader.told
    now["role"] = Role.VIEWER
    visitors.housekeeping.look()
    assert reader.told[-1]["bench"]["may"]["edit"] is False
    visitors.end()
