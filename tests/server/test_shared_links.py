"""Links: what whoever has the address gets without signing in, and nobody else."""

from __future__ import annotations

import json
import logging
import re
from collections import OrderedDict
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pytest
from helpers.people import Team
from helpers.served import Served

import workbench as wb
from workbench.audits.errors import ArchiveError
from workbench.server.handlers import shared as module
from workbench.server.people.person import Role
from workbench.server.sharing.grant import ShareKind
from workbench.workspaces.errors import WorkspaceError

HOSTILE = '<img src=x onerror="alert(1)"> "quoted" & </title><script>alert(2)</script>'
SECRET = "the note that nobody shares"


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    made = Team(home=tmp_path_factory.mktemp("home"))
    yield made
    made.close()


@pytest.fixture(autouse=True)
def guesses(team, monkeypatch):
    """The buckets of wrong addresses, which are large in all tests but one."""
    found = next(
        rule.target_kwargs["guesses"]
        for rule in team.application.wildcard_router.rules
        if rule.target is module.LinkPageHandler
    )
    monkeypatch.setattr(found, "_size", 10**6)
    return found


@pytest.fixture
def anna(team):
    return team.accounts.find("Anna").person


@pytest.fixture
def workspace(team, anna):
    team.visitors.bench(anna)
    return team.visitors.workspace(anna)


def scores(seed=0, name="losses"):
    rng = np.random.default_rng(seed)
    return wb.Scores(rng.normal(1, 1, 200), rng.normal(0, 1, 300), name=name)


def link(team, person, kind, key, days=7):
    return team.visitors.lending.grants.add_link(person.key, kind, key, days)


def get(team, path, **headers):
    """Status, headers and text of what a stranger gets."""
    try:
        with urlopen(
            Request(f"http://localhost:{team.port}/{path}", headers=headers), timeout=120
        ) as answer:
            return answer.status, answer.headers, answer.read().decode("utf-8", "replace")
    except HTTPError as error:
        return error.code, error.headers, error.read().decode("utf-8", "replace")


def is_nothing(answer):
    status, headers, text = answer
    assert status == 404
    assert "This link does not work" in text
    private(headers)
    return text


def private(headers):
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Robots-Tag"] == "noindex, nofollow"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "script-src" not in headers["Content-Security-Policy"]


# -- data sets ---------------------------------------------------------------------------------


def test_whoever_has_the_link_of_a_data_set_sees_and_downloads_it(team, anna, workspace):
    data = workspace.add_scores(scores(1, HOSTILE))
    share, token = link(team, anna, ShareKind.DATA, data.key)
    status, headers, text = get(team, f"shared/{token}")
    assert status == 200
    private(headers)
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "<script" not in text
    assert "<img src=x" not in text
    assert "&lt;img src=x onerror=" in text
    for shown in ("200 of members", "300 of non-members", data.sha256, "shared by Anna"):
        assert shown in text
    for hidden in (anna.key, data.key, share.id):
        assert hidden not in text
    assert f'href="../scores#shared={token}"' in text
    status, headers, csv = get(team, f"shared/{token}/scores.csv")
    assert status == 200
    assert headers["Content-Disposition"].startswith("attachment; filename*=UTF-8''")
    private(headers)
    lines = csv.split()
    assert lines[0] == "score,member"
    assert len(lines) == 501
    assert team.visitors.lending.grants.by_token(token).opened == 1


def test_a_link_gives_what_it_says_and_nothing_more(team, anna, workspace):
    data, other = workspace.add_scores(scores(2, "a")), workspace.add_scores(scores(3, "b"))
    audit = workspace.audits.save(wb.audit(scores(4)), "kept", note=SECRET)
    _, token = link(team, anna, ShareKind.DATA, data.key)
    for path in (
        f"shared/{token}/report.html", f"shared/{token}/report.json", f"shared/{token}/report.pdf",
        f"shared/{token}/{other.key}", f"shared/{token}/../../data/{other.key}.csv",
        f"shared/{other.key}", f"shared/{audit.key}", f"shared/{anna.key}",
        f"data/{data.key}.csv", f"data/{other.key}.csv?token={token}",
        f"audits/{audit.key}.audit.zip", f"report/audit/{audit.key}.json",
    ):  # fmt: skip
        status, _, text = get(team, path)
        assert status in (303, 401, 404) or "sign-in" in text, path
        assert "score,member" not in text
        assert SECRET not in text
        assert data.sha256 not in text


@pytest.mark.parametrize("end", ["", "/scores.csv", "/report.html", "/report.pdf", "/report.json"])
def test_unknown_revoked_and_ended_links_are_the_same_nothing(team, anna, workspace, end):
    table = team.visitors.lending.grants
    data = workspace.add_scores(scores(5, "c"))
    revoked, token = link(team, anna, ShareKind.DATA, data.key)
    table.revoke(anna.key, revoked.id)
    removed = workspace.add_scores(scores(6, "d"))
    _, of_removed = link(team, anna, ShareKind.DATA, removed.key)
    workspace.kept.remove(removed.key)
    texts = {
        is_nothing(get(team, f"shared/{one}{end}"))
        for one in (token, of_removed, "x" * 43, token[:-1], token.swapcase(), revoked.id)
    }
    assert len(texts) == 1
    workspace.kept.remove(data.key)


def test_odd_addresses_are_nothing(team):
    for path in ("shared/", "shared/%2e%2e", "shared/%00", "shared/é".encode().hex(), "shared/a b"):
        status, _, text = get(team, path.replace(" ", "%20"))
        assert status == 404
        assert "Traceback" not in text


def test_the_link_of_somebody_whose_account_was_removed_is_nothing(team):
    zoe = team.accounts.add("Zoe", Role.EDITOR, "correct horse battery").person
    team.visitors.lending.look_again()
    team.visitors.bench(zoe)
    data = team.visitors.workspace(zoe).add_scores(scores(7, "of zoe"))
    _, token = link(team, zoe, ShareKind.DATA, data.key)
    assert get(team, f"shared/{token}")[0] == 200
    team.accounts.remove("Zoe")
    team.visitors.lending.look_again()
    is_nothing(get(team, f"shared/{token}"))


def test_the_link_of_somebody_who_became_a_viewer_is_nothing_until_they_are_an_editor(team):
    zoe = team.accounts.add("Zoe Viewer", Role.EDITOR, "correct horse battery").person
    team.visitors.lending.look_again()
    team.visitors.bench(zoe)
    data = team.visitors.workspace(zoe).add_scores(scores(17, "of zoe"))
    _, token = link(team, zoe, ShareKind.DATA, data.key)
    for role, status in ((Role.VIEWER, 404), (Role.ADMIN, 200), (Role.VIEWER, 404)):
        team.accounts.set_role("Zoe Viewer", role)
        team.visitors.lending.look_again()
        assert get(team, f"shared/{token}")[0] == status
    is_nothing(get(team, f"shared/{token}"))
    team.accounts.remove("Zoe Viewer")


# -- audits ------------------------------------------------------------------------------------


def test_the_link_of_an_imported_audit_says_so(team, anna, workspace):
    there = wb.Workspace().audits
    content = there.exported(there.save(wb.audit(scores(18)), "theirs").key)
    audit = workspace.audits.add_file(content, "Anna")
    _, token = link(team, anna, ShareKind.AUDIT, audit.key)
    assert re.search(
        r"imported on .* UTC by Anna, not checked here", get(team, f"shared/{token}")[2]
    )
    card = json.loads(get(team, f"shared/{token}/report.json")[2])
    assert card["imported"]["by"] == "Anna"
    assert "was not checked here" in get(team, f"shared/{token}/report.html")[2]
    workspace.audits.remove(audit.key)


def test_whoever_has_the_link_of_an_audit_sees_its_report(team, anna, workspace):
    audit = workspace.audits.save(wb.audit(scores(8)), HOSTILE, note="before the fix")
    _, token = link(team, anna, ShareKind.AUDIT, audit.key)
    status, headers, text = get(team, f"shared/{token}")
    assert status == 200
    private(headers)
    assert "frame-src 'self'" in headers["Content-Security-Policy"]
    assert "<script" not in text
    assert "<img src=x" not in text
    assert re.search(r'<iframe [^>]*sandbox="allow-scripts allow-popups allow-downloads"', text)
    status, headers, report = get(team, f"shared/{token}/report.html")
    assert status == 200
    assert headers["Content-Security-Policy"].startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in headers["Content-Security-Policy"]
    assert headers["Content-Type"].startswith("text/html")
    assert "Content-Security-Policy" in report  # the report brings its own policy
    assert "before the fix" in report
    assert "<img src=x" not in report
    status, headers, card = get(team, f"shared/{token}/report.json")
    assert status == 200
    assert headers["Content-Disposition"].startswith("attachment")
    assert json.loads(card)["name"] == HOSTILE
    for kind in ("ipynb", "md", "exe", "html.exe"):
        assert get(team, f"shared/{token}/report.{kind}")[0] == 404
    assert get(team, f"shared/{token}/scores.csv")[0] == 404
    assert team.visitors.lending.grants.by_token(token).opened == 1


def test_the_report_of_a_link_uses_no_data_that_are_not_in_the_audit(team, anna, workspace):
    given = scores(9, "not shared")
    workspace.add_scores(given)  # the owner's own report could move its charts
    audit = workspace.audits.save(wb.audit(given), "without scores")
    _, token = link(team, anna, ShareKind.AUDIT, audit.key)
    assert "cannot be moved" in get(team, f"shared/{token}/report.html")[2]


def test_the_audit_that_its_owner_removes_is_nothing(team, anna, workspace):
    audit = workspace.audits.save(wb.audit(scores(10)), "for a while")
    _, token = link(team, anna, ShareKind.AUDIT, audit.key)
    workspace.audits.remove(audit.key)
    for end in ("", "/report.html", "/report.json"):
        is_nothing(get(team, f"shared/{token}{end}"))
    workspace.audits.restore(audit.key)
    assert get(team, f"shared/{token}")[0] == 200


# -- people who are signed in --------------------------------------------------------------------


def test_others_read_over_http_what_is_shared_with_them_and_nothing_else(team, anna, workspace):
    ben, vera = team.browser("Ben"), team.browser("Vera")
    data, other = workspace.add_scores(scores(11, "e")), workspace.add_scores(scores(12, "f"))
    audit = workspace.audits.save(wb.audit(scores(13)), "shared audit")
    table, person = team.visitors.lending.grants, team.accounts.find("Ben").person
    grants = [
        table.add(anna.key, ShareKind.DATA, data.key, person.key),
        table.add(anna.key, ShareKind.AUDIT, audit.key, person.key),
    ]
    paths = [
        f"data/{grants[0].reference}.csv",
        f"report/audit/{grants[1].reference}.json",
        f"audits/{grants[1].reference}.audit.zip",
    ]

    def status(browser, path):
        return browser._opener.open(f"{browser.home}/{path}", timeout=60).status

    for path in paths:
        assert status(ben, path) == 200
        with pytest.raises(HTTPError) as refused:
            status(vera, path)
        assert refused.value.code == 404
        assert get(team, path)[0] in (401, 303)
    for key in (data.key, other.key):
        with pytest.raises(HTTPError) as refused:
            status(ben, f"data/{key}.csv")
        assert refused.value.code == 404
    with pytest.raises(HTTPError) as refused:
        status(ben, f"audits/{audit.key}.audit.zip")
    assert refused.value.code == 404
    for one in grants:
        table.revoke(anna.key, one.id)
    for path in paths:
        with pytest.raises(HTTPError) as refused:
            status(ben, path)
        assert refused.value.code == 404
    theirs = team.visitors.workspace(person)
    with pytest.raises((WorkspaceError, ArchiveError)):
        theirs.scores(grants[0].reference)


# -- guesses and logs ------------------------------------------------------------------------------


def test_many_wrong_links_are_refused_for_a_minute_and_others_go_on(
    team, anna, workspace, guesses, monkeypatch
):
    data = workspace.add_scores(scores(14, "g"))
    _, token = link(team, anna, ShareKind.DATA, data.key)
    for name, value in {"_size": 5, "_every": 12.0, "_full_at": OrderedDict()}.items():
        monkeypatch.setattr(guesses, name, value)
    for number in range(5):
        assert get(team, f"shared/{number:043}")[0] == 404
    status, headers, text = get(team, f"shared/{token}")
    assert status == 429
    assert 0 < int(headers["Retry-After"]) <= 60
    assert data.sha256 not in text
    assert "too many links" in text
    assert team.browser("Ben").get("scores")[0] == 200


def test_all_addresses_of_one_network_are_one_sender_of_guesses(monkeypatch):
    monkeypatch.setattr(module, "WRONG_AT_ONCE", 2)
    monkeypatch.setattr(module, "EVERY", 3600.0)
    served = Served(proxies=["127.0.0.1", "::1"])

    def guess(address):
        return get(served, "shared/" + "x" * 43, **{"X-Forwarded-For": address})[0]

    try:
        assert [guess(f"2001:db8::{k}") for k in (1, 2, 3)] == [404, 404, 429]
        assert guess("2001:db8:0:1::1") == 404
    finally:
        served.close()


def test_no_log_has_the_token(team, anna, workspace, caplog):
    data = workspace.add_scores(scores(15, "h"))
    _, token = link(team, anna, ShareKind.DATA, data.key)
    with caplog.at_level(logging.DEBUG):
        for path in (token, f"{token}/scores.csv", f"{token[:-1]}x", f"{token}/report.html"):
            get(team, f"shared/{path}")
    assert "shared" in caplog.text or "link" in caplog.text
    assert token[:20] not in "\n".join(
        f"{record.getMessage()} {vars(record)}" for record in caplog.records
    )


def test_without_accounts_links_work_and_people_cannot_be_named():
    served = Served()
    try:
        status, _, text = get(served, "shared/" + "x" * 43)
        assert (status, "This link does not work" in text) == (404, True)
    finally:
        served.close()


def test_shares_outlive_a_restart_and_need_no_visit_of_the_owner(tmp_path):
    folder = tmp_path / "server"
    team = Team(folder, home=folder)
    try:
        person, other = (team.accounts.find(name).person for name in ("Anna", "Ben"))
        team.visitors.bench(person)
        data = team.visitors.workspace(person).add_scores(scores(16, "kept"))
        table = team.visitors.lending.grants
        grant = table.add(person.key, ShareKind.DATA, data.key, other.key)
        _, token = link(team, person, ShareKind.DATA, data.key)
        team.visitors.end()
    finally:
        team.close()
    team = Team(folder, home=folder)
    try:
        assert get(team, f"shared/{token}")[0] == 200
        assert team.visitors.workspace(other).scores(grant.reference).n_p == 200
        third = team.accounts.find("Vera").person
        with pytest.raises(WorkspaceError):
            team.visitors.workspace(third).scores(grant.reference)
    finally:
        team.close()
