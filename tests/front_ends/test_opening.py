"""The address at which the dashboard shows a view, and the tile that starts the dashboard."""

import json
import re
import time
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest

import workbench as wb
from workbench.jupyter.launcher import NAME, setup
from workbench.pages.registry import PAGES
from workbench.views.opening import SERVED, address_of
from workbench.workspaces.home import owner_key, ticket_end, workspace
from workbench.workspaces.link import read_link


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A workspace on disk of our own, and no Jupyter server."""
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("JPY_PARENT_PID", raising=False)
    yield tmp_path / "home"
    workspace().close()


@pytest.fixture(scope="module")
def scores():
    return wb.GaussianPair(1).sample(2000, seed=3)


def opened(address):
    """The page that the dashboard shows at an address, to the owner of the workspace."""
    link = read_link(address.split("#link=")[1])
    found = {one.parameter: one.find(workspace()).key for one in link.data}
    page = PAGES[link.page].kind(workspace=workspace())
    assert page.restore({**link.settings, **found}, workspace().file) == []
    return page


def numbers(page):
    return page.drawn_numbers()


@pytest.mark.parametrize(
    ("make", "settings"),
    [
        (lambda s: wb.explore(s), {"threshold": 0.52, "log_delta": -4.0, "bin_width": 0.3}),
        (lambda s: wb.explore_family(s, "laplace"), {"confidence": 0.99}),
        (lambda s: wb.explore_watch(s), {"log_delta": -3.0}),
        (
            lambda s: wb.explore_compare(s, wb.LaplacePair(1).sample(500, seed=1)),
            {"log_delta": -3.0},
        ),
        (lambda s: wb.explore_counts(tp=40, fp=10, tn=90, fn=60), {"interval": "wilson"}),
        (lambda s: wb.explore_plan("laplace"), {"log_delta": -3.0}),
        (lambda s: wb.explore(), {"threshold": 0.3}),
    ],
    ids=["scores", "family", "watch", "compare", "counts", "plan", "free"],
)
def test_the_dashboard_shows_the_same_numbers(make, settings, scores):
    view = make(scores)
    view.update(**{name: value for name, value in settings.items() if name in view.page.param})
    address = view.open_in_workbench()
    assert address.startswith(SERVED)
    assert numbers(opened(address)) == view.numbers


def test_the_scores_of_a_notebook_are_in_the_workspace_once(scores):
    view = wb.explore(scores)
    view.open_in_workbench()
    view.threshold = 0.1
    view.open_in_workbench()
    (dataset,) = workspace().datasets
    kept = workspace().scores(dataset.key)
    assert np.array_equal(kept.p, scores.p)
    assert kept.sampling == scores.sampling


def asked_for_the_address(widget):
    sent = []
    widget.send = lambda content, buffers: sent.append(content)
    widget._receive(widget, {"kind": "ask", "what": "address", "id": "1"}, [])
    return sent


def test_the_key_of_the_owner_is_sent_but_never_shown(scores, home):
    view = wb.explore(scores)
    key = owner_key(home)
    address = address_of(view.page, as_owner=True)
    assert ticket_end(key, re.search(r"/scores\?key=([\w-]+)#link=", address)[1]) > time.time()
    assert key not in address
    shown = view.open_in_workbench()
    assert "?key=" not in shown + shown._repr_html_()
    sent = asked_for_the_address(view.widget)
    assert "?key=" in sent[0]["address"]
    assert "?key=" not in json.dumps(view.widget.get_state(), default=str)


def test_what_a_link_cannot_hold_is_refused():
    def mine(dataset, size, rng):
        return rng.normal(size=size)

    with pytest.raises(ValueError, match="cannot hold these settings of the view: Mechanism"):
        wb.explore_mechanism(mine, "pure(1)").open_in_workbench()
    view = wb.explore_mechanism(mine, "pure(1)")
    sent = asked_for_the_address(view.widget)
    assert [answer["address"] for answer in sent] == [""]  # the tab that waits for it is closed
    assert "cannot hold" in view.page.message


def test_under_a_jupyter_server_it_is_the_path_of_the_tile(scores, tmp_path, monkeypatch):
    running = {"base_url": "/user/ada/", "url": "http://127.0.0.1:8888/user/ada/"}
    (tmp_path / "jpserver-7.json").write_text(json.dumps(running))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("JPY_PARENT_PID", "7")
    view = wb.explore(scores)
    assert view.open_in_workbench().startswith(f"/user/ada/{NAME}/scores#link=")
    elsewhere = view.open_in_workbench("https://audits.example.org/wb")
    assert elsewhere.startswith("https://audits.example.org/wb/scores#link=")


def test_the_tile_starts_the_dashboard_and_opens_it_as_the_owner(home):
    from jupyter_server_proxy.config import ServerProcess

    asked = setup()
    process = ServerProcess(name=NAME, **asked)
    assert process.command[-3:] == ["--no-open", "--port", "{port}"]
    key = process.environment["WORKBENCH_LAUNCH_KEY"]
    assert process.launcher_entry.path_info == f"{NAME}/?key={key}"
    assert len(key) == 43
    assert key != owner_key(home)
    assert setup()["environment"] != process.environment  # of this Jupyter server alone
    assert Path(process.launcher_entry.icon_path).read_text().startswith("<svg")
    assert not process.absolute_url


def test_jupyter_finds_the_tile():
    (entry,) = entry_points(group="jupyter_serverproxy_servers", name=NAME)
    assert entry.load() is setup
