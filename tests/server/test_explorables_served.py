"""Explorables from a server: made once, shown in a sandbox, for those who may come."""

from __future__ import annotations

import pytest
from helpers.people import Team
from helpers.served import Served

from workbench.explorables.registry import EXPLORABLES
from workbench.explorables.write import explorable_bytes
from workbench.server.work import files


@pytest.fixture(scope="module")
def served():
    made = Served()
    yield made
    made.close()


def test_an_explorable_is_made_when_it_is_first_asked_for_and_then_kept(served):
    kept = served.settings.setdefault("explorables", {})
    assert "bin-width" not in kept
    status, headers, body = served.get("explorables/bin-width.html")
    assert status == 200
    assert body == explorable_bytes("bin-width") == kept["bin-width"]
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert "Content-Disposition" not in headers  # it is shown
    kept["bin-width"] = b"kept"
    assert served.get("explorables/bin-width.html")[2] == b"kept"
    del kept["bin-width"]


def test_its_scripts_run_and_reach_nothing_of_the_server(served, monkeypatch):
    monkeypatch.setitem(served.settings.setdefault("explorables", {}), "tuning", b"<p>made</p>")
    policy = served.get("explorables/tuning.html")[1]["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-scripts ")
    assert "allow-same-origin" not in policy
    assert "frame-ancestors 'self'" in policy


@pytest.mark.parametrize("name", ["nothing", "threshold-", "..", "registry"])
def test_another_name_leads_to_nothing(served, name):
    assert served.get(f"explorables/{name}.html")[0] == 404


def test_the_start_page_links_to_all_of_them(served):
    document = served.get("")[2].decode()
    for name, entry in EXPLORABLES.items():
        assert f'"file":"{name}.html"' in document
        assert entry.title in document


def test_who_has_to_sign_in_does_so_for_explorables_too(tmp_path):
    team = Team(home=tmp_path)
    try:
        assert team.browser().get("explorables/bin-width.html")[0] == 401
    finally:
        team.close()


def test_the_work_of_the_process_is_the_file():
    assert files.explorable_file("bin-width", lambda *_, **__: None) == explorable_bytes(
        "bin-width"
    )
