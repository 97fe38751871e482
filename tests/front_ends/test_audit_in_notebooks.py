"""Audits in notebooks: `wb.audit`, `View.audit`, `View.save`, `View.report`, and real kernels."""

import getpass
import json

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

import workbench as wb
from workbench.pages.auditing.notebook import notebook_of


@pytest.fixture
def scores():
    return wb.GaussianPair(1).sample(500, seed=2)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A workspace of its own, which kernels use, too."""
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    yield wb.workspace()
    wb.workspace().close()


def ran(subject, folder):
    notebook = nbformat.from_dict(json.loads(json.dumps(notebook_of(subject))))
    return NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}, timeout=120), (
        notebook
    )


# -- wb.audit ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subject", "page"),
    [
        (None, "scores"),
        (wb.Counts(tp=10, fp=3, tn=12, fn=5), "counts"),
        (wb.Guesses(canaries=100, guesses=100, correct=70), "onerun"),
        (wb.GaussianPair(2), "pairlab"),
        (wb.selection.Poisson(5), "selection"),
        ("plan", "plan"),
        (([1.0, 2.0, 2.5], [0.5, 0.7, 1.4]), "scores"),
    ],
)
def test_an_object_is_audited_on_its_page(subject, page):
    audit = wb.audit(subject, by="me")
    assert (audit.page, audit.by, audit.key) == (page, "me", "")
    assert audit.live is not None


def test_settings_are_those_of_the_spec(scores):
    view = wb.explore(scores, spec={"threshold": 1.0, "log_delta": -3.0})
    audit = wb.audit(scores, spec={"threshold": 1.0, "log_delta": -3.0})
    assert audit.bounds == {n: b for n, b in view.numbers.items() if isinstance(b, wb.Bound)}
    assert audit.bounds["epsilon"] == wb.epsilon_lower_bound(scores, delta=1e-3)
    assert "'threshold': 1.0" in audit.code


def test_errors_are_those_of_explore():
    for make in (wb.explore, wb.audit):
        with pytest.raises(wb.ScoresError, match="got int"):
            make(3)
        with pytest.raises(ValueError, match="no setting 'treshold'; did you mean 'threshold'"):
            make(spec={"treshold": 1})
        with pytest.raises(ValueError, match="confidence"):
            make(spec={"confidence": 2})
    with pytest.raises(ValueError, match="import step shows no results"):
        wb.audit("import")
    with pytest.raises(TypeError, match="spec must be a dict of settings"):
        wb.audit(spec=[1])


# -- views ---------------------------------------------------------------------------------------


def test_a_view_is_audited_as_it_is(scores):
    view = wb.explore(scores)
    view.log_delta = -2.0
    audit = view.audit()
    assert audit.bounds["epsilon"] == view.epsilon
    assert audit.by == getpass.getuser()
    assert view.audit(by="").by == ""
    view.log_delta = -4.0
    assert audit.bounds["epsilon"].delta == 1e-2


def test_a_system_that_knows_no_user_is_fine(scores, monkeypatch):
    def unknown():
        raise KeyError("uid not found: 4711")

    monkeypatch.setattr(getpass, "getuser", unknown)
    assert wb.explore(scores).audit().by == ""


def test_a_view_is_saved_and_found(scores, home):
    saved = wb.explore(scores).save("first", "a note", ["release"])
    assert [one.key for one in home.audits.search("first", tags=["release"])] == [saved.key]
    assert home.audits[saved.key].note == "a note"
    assert home.audits[saved.key].by == getpass.getuser()
    assert home.audits.attachments(saved.key) == ()
    with pytest.raises(ValueError, match="scores must be"):
        wb.explore(scores).save("second", scores="yes")


def test_the_notebook_of_a_saved_audit_takes_scores_that_were_saved_with_it(home):
    rng = np.random.default_rng(1)
    scores = wb.Scores(
        rng.normal(0, 1, 300), rng.normal(1, 1, 300), larger_is_member=False,
        clusters=(np.repeat(np.arange(100), 3), np.repeat(np.arange(100, 200), 3)),
    )  # fmt: skip
    saved = wb.explore(scores).save("given", scores=True)
    names = {}
    for cell in notebook_of(home.audits[saved.key])["cells"]:
        if cell["cell_type"] == "code":
            exec(cell["source"], names)
    assert names["scores"].assumption == "clustered"
    assert names["epsilon"] == wb.epsilon_lower_bound(scores, delta=1e-5)
    assert len(home.datasets) == 0


def test_canaries_that_were_saved_with_an_audit_are_found(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from workbench.onerun import Memoryless
    from workbench.pages.auditing.attached import attachments_of
    from workbench.pages.auditing.audit_of import audit_of
    from workbench.pages.one_run.page import OneRunPage

    run = Memoryless(wb.GaussianPair(1)).run(80, seed=4)
    content = run.to_frame().to_csv(index=False).encode()
    page = OneRunPage(source="file", upload=(("canaries.csv", content),))
    saved = home.audits.save(audit_of(page), "canaries", attachments=attachments_of(page))
    names = {}
    for cell in notebook_of(saved)["cells"][:-1]:
        if cell["cell_type"] == "code":
            exec(cell["source"], names)
    assert names["bits"] == page.bits()


# -- real kernels --------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_notebook_runs_in_a_kernel(home, tmp_path, scores):
    home.add_scores(scores, "mine")
    client, notebook = ran(wb.audit(scores), tmp_path)
    client.execute()
    shown = "".join(str(cell.get("outputs", "")) for cell in notebook.cells)
    assert "Bound" in shown or "text/html" in shown
    assert notebook.cells[-1].outputs  # the page


@pytest.mark.slow
def test_a_notebook_ends_where_a_number_is_another(tmp_path):
    audit = wb.audit(wb.Counts(tp=90, fp=30, tn=70, fn=10))
    client, notebook = ran(audit, tmp_path)
    cell = next(one for one in notebook.cells if "same_number(mu, " in one.source)
    digits = repr(audit.bounds["mu"].value)
    cell.source = cell.source.replace(digits, f"{float(digits) * 1.01!r}")
    with pytest.raises(CellExecutionError, match="but the audit recorded"):
        client.execute()
