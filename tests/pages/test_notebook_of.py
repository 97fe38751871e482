"""Audits as notebooks: they compute every number again, and fail where one is not found."""

import html
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import helpers.run_notebooks
import nbformat
import numpy as np
import pytest

import workbench as wb
from workbench.audits.audit import Audit
from workbench.audits.plan import Deviation, RegisteredPlan
from workbench.onerun import Memoryless
from workbench.pages import sample_sizes, watch
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.auditing.notebook import NOT_SHOWN, as_text, notebook_of
from workbench.pages.auditing.steps import code_cells
from workbench.pages.compare import ComparePage
from workbench.pages.counts import CountsPage
from workbench.pages.family import FamilyPage
from workbench.pages.given import page_about, scores_page
from workbench.pages.inputs.data import draw_key, example_key
from workbench.pages.mechanism.page import MechanismPage
from workbench.pages.one_run.page import OneRunPage
from workbench.pages.pair_lab import PairLabPage
from workbench.pages.plan import PlanPage
from workbench.pages.registry import PAGES
from workbench.pages.risk.page import RiskPage
from workbench.pages.scores.page import ScoresPage
from workbench.pages.selection.page import SelectionPage
from workbench.pages.watch import WatchPage
from workbench.scores.layouts.guess import guess_layout
from workbench.scores.parsing.source import read_table
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.reading import Reading
from workbench.workspaces.workspace import Workspace

LOSSES = "losses “of” two models.csv"


def csv() -> bytes:
    """Losses of members and others, three for each user."""
    rng = np.random.default_rng(5)
    users = np.repeat(np.arange(200), 3)
    member = users % 2
    loss = rng.normal(1.5 - member, 1) + np.repeat(rng.normal(0, 0.3, 200), 3)
    rows = zip(loss.tolist(), member.tolist(), users.tolist(), strict=True)
    return "\n".join(["loss,member,user", *(f"{a!r},{b},u{c}" for a, b, c in rows)]).encode()


def added(workspace: Workspace) -> str:
    """The key of the losses in a workspace, read by clusters and with smaller = member."""
    table = read_table(csv(), filename=LOSSES)
    layout = replace(guess_layout(table), cluster="user")
    reading = Reading(layout, larger_is_member=False, cluster_rule="max")
    return workspace.add([table], reading, "my losses", [LOSSES]).key


def changed(page, **settings):
    for name, value in settings.items():
        setattr(page, name, value)
    return page


def example_scores():
    page = ScoresPage()
    return changed(
        page, threshold=1.0, log_delta=-3.0, bin_rule="count", bin_count=12, fixed_range=True,
        interval="wilson", reference_kind="dp-sgd", reference_log_steps=1.0, fit_method="range",
        claim_kind="dpsgd", claim_steps=10, reference2_kind="laplace",
    )  # fmt: skip


def learned():
    page = ScoresPage(data=example_key("unequal-variances"))
    return changed(page, ordering="learned", bin_rule="quantile", claim_kind="renyi")


def uploaded():
    return ScoresPage(workspace=wb.workspace(), data=added(wb.workspace()))


def counted(kind):
    """A page about ten billion scores of each group, in the workspace as counts."""
    rng, values = np.random.default_rng(1), np.linspace(-4, 5, 300)
    p, q = (10**8 * np.exp(-((values - at) ** 2) / 2) for at in (1, 0))
    first = rng.normal(1, 1, 400), rng.normal(0, 1, 400)
    scores = wb.CountedScores(values, p.round(), q.round(), first=first, grid="equal cells")
    return kind(workspace=wb.workspace(), data=wb.workspace().add_scores(scores, "counts").key)


def watched():
    page = WatchPage(data=draw_key("gaussian", n=500, seed=3, mu=1.0))
    page.log_rows = 2.0
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(watch, "MANY", 10)
        page.work.run("watch_many")
        return audit_of(page)


def audited_selection():
    page = SelectionPage(runs_kind="poisson", log_mean=1.0, log_n=4.0, base_kind="dp-sgd")
    page.work.run("simulate")
    return page


def searched():
    page = MechanismPage(mechanism="svt3", trials=1, log_samples=3.0, log_fresh=3.0)
    page.work.run("search")
    page.work.run("recheck")
    return page


def drawn():
    page = PairLabPage(pair_kind="laplace", releases=2, log_n=2.5)
    page.draw_again = page.draw_again = True
    return page


def one_run_file():
    run = Memoryless(wb.GaussianPair(1)).run(120, seed=4)
    content = run.to_frame().to_csv(index=False).encode()
    wb.workspace().files.keep("canaries.csv", content)
    return OneRunPage(source="file", upload=(("canaries.csv", content),))


STATES = {
    "scores": example_scores,
    "scores-file": uploaded,
    "scores-learned": learned,
    "scores-counted": partial(counted, ScoresPage),
    "family-counted": partial(counted, FamilyPage),
    "watch-counted": partial(counted, WatchPage),
    "counts": partial(CountsPage, tp=30, fn=2, sided="two", log_prior=-1.0),
    "onerun": partial(OneRunPage, mechanism="laplace", family="laplace", rule="ends"),
    "onerun-counts": partial(OneRunPage, source="counts", guessed=200, right=150),
    "onerun-file": one_run_file,
    "watch": watched,
    "compare": partial(ComparePage, b_data=draw_key("laplace", n=500, seed=2, mu=0.5)),
    "family": partial(FamilyPage, family="subsampled-gaussian", confidence=0.9),
    "selection": audited_selection,
    "plan": partial(PlanPage, method="pointwise", target=2.0),
    "plan-quick": partial(PlanPage, log_n=2.5),
    "pairlab": drawn,
    "mechanism": searched,
    "risk": partial(RiskPage, group=2),
}


def in_a_program(folder: Path, **environment: str):
    """What `helpers.run_notebooks` says of the notebooks in a folder."""
    done = subprocess.run(
        [sys.executable, helpers.run_notebooks.__file__],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def written(folder: Path, name: str, subject) -> None:
    notebook = json.loads(json.dumps(notebook_of(subject), allow_nan=False))
    nbformat.validate(nbformat.from_dict(notebook))
    (folder / f"{name}.ipynb").write_text(json.dumps(notebook))


@pytest.fixture(scope="module")
def audits():
    made = {name: make() for name, make in STATES.items()}
    return {n: one if isinstance(one, Audit) else audit_of(one) for n, one in made.items()}


@pytest.fixture(scope="module")
def ran(audits, tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebooks")
    for name, audit in audits.items():
        # As it is kept: without its page.
        written(folder, name, Audit.from_dict(json.loads(json.dumps(audit.to_dict()))))
    return in_a_program(folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", STATES)
def test_a_notebook_runs_and_computes_every_number(name, ran, audits):
    assert ran[name]["error"] is None
    shown = {number.name for number in audits[name].numbers if number.shown not in NOT_SHOWN}
    assert set(ran[name]["checked"]) == shown


@pytest.mark.slow
@pytest.mark.parametrize("name", STATES)
def test_a_notebook_fails_where_a_recorded_number_is_another(name, ran):
    assert ran[name]["checked"]
    assert ran[name]["unnoticed"] == []


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_a_notebook(name):
    page = PAGES[name].kind()
    made = json.loads(json.dumps(notebook_of(page)))
    nbformat.validate(nbformat.from_dict(made))
    assert page.title in html.unescape(made["cells"][0]["source"])
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            compile(cell["source"], name, "exec")
    assert made["cells"][-1]["source"].endswith("\nview")


# -- data ----------------------------------------------------------------------------------------


def test_data_are_found_by_their_hash(tmp_path):
    workspace = Workspace()
    page = ScoresPage(workspace=workspace, data=added(workspace))
    empty = str(tmp_path / "empty")
    written(tmp_path, "lost", page)
    assert in_a_program(tmp_path, WORKBENCH_HOME=empty)["lost"]["error"] == (
        f"WorkspaceError: the scores of “my losses” (SHA-256 {page.source.dataset.sha256}) are "
        f"neither in the workspace of this computer nor in {tmp_path}: put {LOSSES!r} beside the "
        "notebook"
    )
    (tmp_path / LOSSES).write_bytes(csv())
    beside = in_a_program(tmp_path, WORKBENCH_HOME=empty)["lost"]
    assert beside["error"] is None
    assert {"epsilon", "auc", "sizes"} <= set(beside["checked"])
    (tmp_path / LOSSES).write_bytes(csv() + b"\n0.5,1,u1")
    said = in_a_program(tmp_path, WORKBENCH_HOME=empty)["lost"]["error"]
    assert f"{LOSSES} in {tmp_path} changed since the audit" in said


def test_scores_given_in_python_are_found_in_the_workspace():
    scores = wb.GaussianPair(1).sample(300, seed=8).with_direction(False)
    cells = code_cells(audit_of(scores_page(scores)))
    with pytest.raises(WorkspaceError, match=r"add them with wb.workspace\(\).add_scores"):
        run(cells)
    wb.workspace().add_scores(scores)
    assert run(cells)["epsilon"] == wb.epsilon_lower_bound(scores, delta=1e-5)


def test_two_sets_of_scores_given_in_python_are_found():
    a, b = (wb.GaussianPair(mu).sample(200, seed=9) for mu in (1, 3))
    page = ComparePage((a, b))
    cells = code_cells(audit_of(page))
    for scores in (a, b):
        wb.workspace().add_scores(scores)
    made = run(cells)
    assert made["epsilon_b"] == wb.epsilon_lower_bound(b, delta=1e-5)
    shown = page.difference().text
    assert shown.startswith("B: ≥ 0.")  # here B leaks more; A does in the state above
    assert wb.same_number(made["difference"], shown) > 0


def test_an_object_that_nobody_kept_is_asked_for():
    given = Memoryless(wb.GaussianPair(1)).run(50, seed=1)
    cells = code_cells(audit_of(page_about(given)))
    with pytest.raises(NameError, match="set run to it in a cell above"):
        run(cells)
    assert run(cells, run=given)["guesses"] == given.guess(threshold=page_about(given).threshold)


def run(cells, **names):
    """Variables after the cells ran, but for the view."""
    for cell in cells[:-1]:
        exec(cell.source, names)
    return names


# -- jobs ----------------------------------------------------------------------------------------


def test_a_job_that_nobody_ran_is_not_run():
    # The page begins with a result that was computed in advance, of other settings than these.
    code = "\n".join(cell["source"] for cell in notebook_of(PlanPage(power=0.9))["cells"])
    assert "samples_needed" in code  # with a threshold fixed in advance
    assert "needed = " not in code
    page = MechanismPage(mechanism="svt3", trials=1)
    assert "wb.audit_mechanism(" in page.code({})
    assert "wb.audit_mechanism(" not in str(notebook_of(page))


def test_numbers_of_other_settings_are_named_and_not_computed():
    page = SelectionPage(runs_kind="poisson", log_mean=1.0, log_n=4.0)
    page.work.run("simulate")
    page.seed = 5
    cells = notebook_of(page)["cells"]
    assert "shown = " not in "\n".join(cell["source"] for cell in cells)
    assert "cancelled or ran with other settings" in cells[-2]["source"]
    assert "Audit lower bound" in cells[-2]["source"]


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_simulated_plan_is_repeated(monkeypatch):
    monkeypatch.setattr(sample_sizes, "COARSE", (2.0, 2.5))
    monkeypatch.setattr(sample_sizes, "FEW", 4)
    page = PlanPage(method="held-out", log_n=2.2, target=0.0)
    page.work.run("simulate")
    found = page.median_at_n().text
    code = page.code({}).split("\n\n")
    names = {}
    exec("\n\n".join([code[0], code[1], *(part for part in code if "medians" in part)]), names)
    assert wb.same_number(names["median_at_n"], found) == names["median_at_n"]


def test_code_that_is_no_python_is_refused():
    for code in ("import workbench as wb\n\nepsilon = (", "a = 1\0", "f = (\n\n1)"):
        audit = replace(audit_of(CountsPage()), code=code)
        with pytest.raises(ValueError, match="the code of this audit is no Python"):
            notebook_of(audit)


# -- texts ---------------------------------------------------------------------------------------

ODD = (
    "<script>alert(1)</script> **bold** $x$ \\(y\\) [a](https://b.c) `code` 🙂 \"'&amp; www.d.e | ~"
)


def rendered(source):
    from nbconvert.filters.markdown import markdown2html

    return str(markdown2html(source))


def test_texts_of_users_appear_as_text():
    made = RegisteredPlan(ODD, ODD, audit_of(CountsPage()).made)
    audit = replace(
        audit_of(CountsPage(), by=ODD).named(ODD, f"{ODD}\n# no title\n1. no list", (ODD,)),
        plan=made,
        deviations=(Deviation(ODD, ODD, ODD),),
    )
    notebook = json.loads(json.dumps(notebook_of(audit)))
    page = rendered(notebook["cells"][0]["source"])
    text = html.unescape(re.sub(r"<[^>]*>", "", page))
    assert text.count(ODD) == 8
    assert "# no title" in text
    assert "1. no list" in text
    for tag in ("<script", "<strong", "<em", '<a href="https', "<code", "<ol", "<table", "<del"):
        assert tag not in page
    assert page.count("<h1") == 1


def test_a_name_may_be_long():
    name = "<&*_`$\\" * 1500
    audit = audit_of(CountsPage()).named(name)
    page = rendered(notebook_of(audit)["cells"][0]["source"])
    assert html.unescape(re.sub(r"<[^>]*>", "", page)).count(name) == 1


def test_a_name_of_data_stays_in_its_comment():
    workspace = Workspace()
    key = added(workspace)
    workspace.kept.rename(key, "a\nimport os\r\x0b\u2028b")
    code = ScoresPage(workspace=workspace, data=key).code({})
    assert "# “a import os b”: give the path" in code
    assert as_text("a\n\n# b") == r"a \# b"


# -- same_number ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "recorded"),
    [
        (0.22645, "≥ 0.226"),
        (0.22555, "0.226 at a threshold"),
        ((100_000, 99), "100,000 + 99"),
        (0.728, "72.8%"),
        (1.6e210, "10²¹⁰"),
        (float("inf"), "∞"),
        (float("inf"), "10⁴⁰⁰"),
        (-0.5, "−0.5"),
        (12_345.6, "12300"),
        (2.391e-5, "2.39e-5"),
        ((3.2574, 3.4723), "1/σ: 3.25 to 3.48"),
        ("refuted", "refuted"),
        (1.0 + 1e-12, 1.0),
        (wb.Bound("mu", 1.5, "estimate", "m", "one run", 3, 4), 1.5),
    ],
)
def test_the_same_number(value, recorded):
    assert wb.same_number(value, recorded) is value


@pytest.mark.parametrize(
    ("value", "recorded"),
    [
        (0.2271, "≥ 0.226"),
        ((100_001, 99), "100,000 + 99"),
        (100_000, "100,000 + 99"),
        (0.73, "72.8%"),
        (0.05, "≤ 0%"),
        (1.6e211, "10²¹⁰"),
        (1e300, "∞"),
        (0.5, "−0.5"),
        ("not refuted", "refuted"),
        ("0.5", 0.5),
        (1.0 + 1e-8, 1.0),
        ((1.0, 2.0), 1.0),
        (0.0, "refuted"),
        (0.0, "10²"),
        (10**400, 1.0),
        (1.0, "1e400"),
        (float("nan"), 1.0),
    ],
)
def test_another_number(value, recorded):
    with pytest.raises(ValueError, match="but the audit recorded"):
        wb.same_number(value, recorded)


def test_other_versions_are_named():
    here = dict(audit_of(CountsPage()).software)
    with pytest.raises(ValueError, match="the data or the code changed"):
        wb.same_number(1.0, 2.0, here)
    with pytest.raises(ValueError, match=r"made with numpy 1\.0, and this is numpy \d"):
        wb.same_number(1.0, 2.0, {**here, "numpy": "1.0"})
    with pytest.raises(ValueError, match=r"torch 2\.0, and this is torch missing"):
        wb.same_number(1.0, 2.0, {**here, "torch": "2.0"})
