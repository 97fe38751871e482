"""What 8b96c56 wrote opens today with the same numbers: `corpus/`, which `make_corpus.py` wrote.

The expected numbers are those that the old version showed. Where today's differ for a reason,
`changed.json` has today's number and the reason; what is in it has to differ.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from compatibility.recorded import (
    differences,
    given,
    number,
    numbers_in,
    run,
    shown_before,
    shown_by,
)
from helpers.people import Team
from helpers.visits import Reader, tabs

import workbench as wb
from workbench.audits.audit import Audit
from workbench.cli import main
from workbench.dashboard.visitor.session import VisitorSession
from workbench.pages.auditing.page_of import page_of
from workbench.pages.registry import PAGES
from workbench.pages.scores.claimed.former import FORMER
from workbench.server.people_folders import person_folder
from workbench.workspaces.home import workspace
from workbench.workspaces.workspace import Workspace

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"

#: Place of an artifact -> path of a number -> what it is today, and the name of the reason. What
#: chance decides, so that it is another number in each program, is null.
CHANGED = json.loads((HERE / "changed.json").read_text(encoding="utf-8"))


def read(name: str) -> dict[str, Any]:
    """A file of the corpus."""
    return json.loads((CORPUS / f"{name}.json").read_text(encoding="utf-8"))


#: Pages that the old version did not have.
SINCE = {"risk", "synthetic"}

LINKS, NOTEBOOKS, AUDITS = read("links"), read("notebooks"), read("audits")
WORKSPACES, HOMES, FILES = read("workspaces"), read("homes"), read("files")


def same(where: str, found: Any, expected: Any) -> None:
    """Require what the old version showed, or what `changed.json` has instead."""
    changed = CHANGED["numbers"].get(where, {})
    different = differences(found, expected)
    drawn = {name for name, (today, _) in changed.items() if today is None}
    unexplained = (different.keys() ^ changed.keys()) - drawn
    assert not unexplained, {name: different.get(name, "as it was") for name in unexplained}
    for name, (today, reason) in changed.items():
        assert reason in CHANGED["reasons"]
        assert name in drawn or not differences(different[name], today), (name, different[name])


def same_page(where: str, page: Any, expected: dict[str, Any]) -> None:
    """Require what the old version showed on a page; the page may show more today."""
    same(where, shown_before(shown_by(page), expected), expected)


def unpacked(name: str, to: Path) -> Path:
    """A folder of the corpus, to be opened and changed."""
    shutil.unpack_archive(CORPUS / f"{name}.tar.xz", to, filter="data")
    return to


def opened(page: str, own: Workspace, settings: dict[str, Any]) -> Any:
    """A page in the state of some settings."""
    made = PAGES[page].kind(workspace=own)
    assert made.restore(settings, own.file) == []
    return made


@pytest.fixture(scope="module")
def _own_folder(tmp_path_factory):
    return unpacked("own", tmp_path_factory.mktemp("own"))


@pytest.fixture
def own(_own_folder, tmp_path, monkeypatch):
    """The workspace of this computer, as the old version left it."""
    shutil.copytree(_own_folder, tmp_path / "own")
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "own"))
    monkeypatch.chdir(CORPUS / "read")  # programs read files by their names
    found = wb.workspace()
    assert found.problem == ""
    yield found
    found.close()


def test_every_reason_is_used():
    used = {reason for table in CHANGED["numbers"].values() for _, reason in table.values()}
    assert used == set(CHANGED["reasons"])


# -- links -------------------------------------------------------------------------------------


def test_there_is_a_link_to_every_page():
    assert {one["page"] for one in LINKS.values()} == PAGES.keys() - {"import"} - SINCE


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", LINKS)
def test_a_link_opens(name, own):
    link = LINKS[name]
    bench = VisitorSession(
        own, tabs(*(name for name in PAGES if name != "import")), lambda *call: None
    )
    try:
        answer = Reader(bench).does("open link", text=link["text"])
        assert answer["goto"] == link["page"]
        page = bench.pages.live(link["page"]).page
        assert "could not be used" not in page.message
        settings = {k: v for k, v in page.settings().items() if k in link["settings"]}
        same(f"settings of link/{name}", settings, link["settings"])
        same_page(f"link/{name}", page, link["shown"])
    finally:
        bench.end()


@pytest.mark.parametrize("name", LINKS)
def test_a_link_of_today_says_what_the_old_one_said(name, own):
    link = LINKS[name]
    page = opened(link["page"], own, link["settings"])
    today = page.settings()
    assert link["settings"].keys() - FORMER.keys() <= today.keys()
    again = opened(link["page"], own, today)
    assert again.settings() == today


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", LINKS)
def test_the_code_that_a_page_showed_runs(name, own):
    same(f"code of link/{name}", run(LINKS[name]["code"]), LINKS[name]["from_code"])


# -- notebooks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_state_of_a_view_in_a_notebook_opens(name, own):
    notebook = NOTEBOOKS[name]
    subject = notebook["subject"].removesuffix(")") + ", spec=spec)"
    subject = subject.replace("(, ", "(")
    view = eval(subject, given() | {"spec": notebook["spec"]})
    same_page(f"notebook/{name}", view.page, notebook["shown"])
    same(f"spec of notebook/{name}", view.spec(), notebook["spec"])
    view.close()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_cell_that_a_view_wrote_runs(name, own):
    same(f"code of notebook/{name}", run(NOTEBOOKS[name]["code"]), NOTEBOOKS[name]["from_code"])


# -- saved audits ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", AUDITS["audits"])
def test_a_saved_audit_opens(name, own):
    expected = AUDITS["audits"][name]
    audit = own.audits[expected["key"]]
    recorded = {one.name: one.to_dict() for one in audit.numbers}
    for one, values in expected["numbers"].items():
        assert not differences({k: recorded[one][k] for k in values}, values), one
    same_page(f"audit/{name}", page_of(audit, own), expected["shown"])


def test_versions_series_and_plans_are_those_of_the_archive(own):
    assert [one.name for one in own.audits.versions("counts")] == AUDITS["versions"]
    series, expected = own.audits.series("nightly"), AUDITS["series"]
    levels = [one.confidence for one in series]
    assert (series.confidence, series.spent) == (expected["confidence"], expected["spent"])
    assert (series.next_confidence, levels) == (expected["next"], expected["levels"])
    plan = own.audits.plans[AUDITS["plan"]["key"]]
    assert (plan.to_dict(), plan.label) == (AUDITS["plan"], AUDITS["plan_label"])


@pytest.mark.parametrize(
    "name", [path.stem for path in sorted((CORPUS / "packages").glob("*.zip"))]
)
def test_an_exported_audit_opens_elsewhere(name, tmp_path):
    elsewhere = workspace(tmp_path / "elsewhere")
    audit = elsewhere.audits.add_file(CORPUS / "packages" / f"{name}.zip")
    card = json.loads((CORPUS / "packages" / f"{name}.json").read_text(encoding="utf-8"))
    for found in (audit, elsewhere.audits[audit.key], Audit.from_dict(card)):
        again = {one["name"]: one for one in found.to_dict()["numbers"]}
        for one in card["numbers"]:
            assert not differences({k: again[one["name"]][k] for k in one}, one), one["name"]
        assert found.settings == card["settings"]
    elsewhere.close()


# -- workspaces and servers --------------------------------------------------------------------


@pytest.mark.parametrize("name", WORKSPACES)
def test_a_workspace_opens(name, tmp_path):
    expected = WORKSPACES[name]
    own = workspace(unpacked(f"workspaces/{name.replace(' ', '-')}", tmp_path / "own"))
    assert own.problem == ""
    found = [
        {**{k: getattr(one, k) for k in ("name", "sha256", "n_p", "n_q", "reread")},
         "reading": one.reading.to_dict()}
        for one in own.catalog.own
    ]  # fmt: skip
    for one, was in zip(found, expected["datasets"], strict=True):
        one["reading"] = {k: one["reading"][k] for k in was["reading"]}
        assert one == was
    assert (own.current and own.dataset(own.current).name) == expected["current"]
    assert (own.current_table and own.dataset(own.current_table).name) == expected["table"]
    for kind, was in expected["shown"].items():
        page = PAGES[kind].kind(workspace=own)
        page.follow(own.current_table if page.takes == "table" else own.current)
        state = own.page_states.get(kind, page.data_key)
        assert (state or {}) == was.pop("state")
        assert page.restore(state or {}, own.file) == was.pop("lost")
        same_page(f"workspace/{name}/{kind}", page, was)
    plans = [one.to_dict() for one in own.audits.plans] if "plans" in expected else []
    assert plans == expected.get("plans", [])
    own.close()


@pytest.fixture(params=["served", "backup"])
def home(request, tmp_path, monkeypatch):
    """The folder of a server, as it was left, and as today's program restores the old backup."""
    folder = tmp_path / "home"
    if request.param == "served":
        return unpacked("homes/served", folder)
    file = unpacked("homes/backup", tmp_path / "backup") / "backup.tar"
    with redirect_stdout(StringIO()):
        monkeypatch.setenv("WORKBENCH_HOME", str(folder))
        assert main(["restore", str(file)]) == 0
    return folder


def test_the_people_of_a_server_find_what_they_left(home):
    with closing(sqlite3.connect(home / "server" / "server.sqlite")) as database, database:
        # The corpus gets older than a link may: it ends in the year 2096.
        database.execute("UPDATE shares SET expires = 4e9 WHERE expires IS NOT NULL")
    team = Team(home / "server", home=home / "server")
    try:
        people = {one.name: str(one.role) for one in team.accounts.list()}
        assert people == HOMES["roles"] | {HOMES["external"]: "viewer"}
        for name in HOMES["roles"]:
            assert team.browser(name).get("scores")[0] == 200
        assert team.browser().sign_in("Anna", "another long password")[0] != 303
        anna, ben = (team.accounts.find(name).person for name in ("Anna", "Ben"))
        theirs = team.visitors.workspace(anna)
        page = PAGES["scores"].kind(workspace=theirs)
        page.follow(HOMES["shared"]["data"])
        same_page("home", page, HOMES["shown"])
        team.visitors.bench(ben)
        assert "losses (Anna)" in [one.name for one in team.visitors.workspace(ben).catalog.shared]
        status, _, text = team.browser().get(f"shared/{HOMES['token']}")
        assert (status, "shared by Anna" in text) == (200, True)
    finally:
        team.close()
    assert (home / "key").read_text(encoding="ascii") == HOMES["owner_key"]
    archives = [workspace(home), workspace(person_folder(home / "server", HOMES["anna"]))]
    for one in archives:
        for summary in one.audits:
            numbers = {n.name: n.to_dict() for n in one.audits[summary.key].numbers}
            for name, was in HOMES["audits"][summary.name].items():
                assert not differences({k: numbers[name][k] for k in was}, was)
        one.close()


# -- files -------------------------------------------------------------------------------------


def test_evidence_of_a_mechanism_opens():
    tested = wb.MechanismAudit.load(CORPUS / "files" / "evidence.json")
    found = {
        **numbers_in({"best": tested.best.finding.bound}),
        "verdict": str(tested.verdict),
        "trials": len(tested.trials),
        "power": dict(tested.detectable()),
    }
    same("file/evidence", found, FILES["evidence"])


def test_the_file_of_a_live_audit_is_continued(tmp_path):
    path = shutil.copy(CORPUS / "files" / "live.csv", tmp_path)
    live = wb.live.Audit(1e-3, claim="approx(0.5, 1e-3)", larger_is_member=False, path=path,
                         resume=True)  # fmt: skip
    found = numbers_in({"epsilon": live.bound, "mu": live.mu})
    same("file/live", found, FILES["live"])
    assert live.state.refuted_at == FILES["live refuted at"]
    live.close()


def test_the_table_of_canaries_opens():
    run_read = wb.read_one_run(CORPUS / "files" / "canaries.csv")
    found = numbers_in({"epsilon": wb.one_run_score_bound(run_read, delta=1e-3)})
    same("file/canaries", found | {"canaries": run_read.canaries}, FILES["canaries"])


def test_a_training_run_opens_and_its_plan():
    run_of = wb.training.open_run(CORPUS / "files" / "trained")
    found = numbers_in({"epsilon": wb.epsilon_lower_bound(run_of.result, delta=0.1)})
    same("file/trained", found, FILES["trained"])
    assert (run_of.models, run_of.complete) == (FILES["trained models"], True)
    plan = wb.training.read_plan(CORPUS / "files" / "training.toml")
    assert plan.sections == run_of.plan.sections


def test_scores_that_were_written_open():
    scores = wb.read_scores(CORPUS / "files" / "scores.parquet")
    counts = {
        "tp": int((scores.p > 0).sum()), "fp": int((scores.q > 0).sum()),
        "fn": int((scores.p <= 0).sum()), "tn": int((scores.q <= 0).sum()),
    }  # fmt: skip
    found = numbers_in({"epsilon": wb.epsilon_from_counts(**counts, delta=1e-3)})
    stated = {"n_p": scores.n_p, "n_q": scores.n_q, "larger_is_member": scores.larger_is_member}
    same("file/scores", found | stated, FILES["scores"])


def test_the_command_line_prints_what_it_printed():
    with redirect_stdout(StringIO()) as out:
        path = CORPUS / "files" / "scores.parquet"
        main(["audit", str(path), "--delta", "1e-3", "--format", "json"])
    was = json.loads((CORPUS / "files" / "audit.json").read_text(encoding="utf-8"))
    now = json.loads(out.getvalue())
    for place in ("version", "scores", "results"):
        assert type(now[place]) is type(was[place])
    bounds = [
        {one["quantity"]: number(wb.Bound.from_dict(one)) for one in printed["results"]}
        for printed in (now, was)
    ]
    same("command line", *bounds)
