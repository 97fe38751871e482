"""Sharing on the bench: two and three people, what each sees, and what ends at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.sharing import ADA, BOB, CAROL, VIEWER, Town
from helpers.visits import settle
from sqlalchemy import update

import workbench as wb
from workbench.audits.errors import ArchiveError
from workbench.dashboard.visitor.data_sets import data_sets
from workbench.pages.core.jobs import Jobs
from workbench.scores.parsing.source import read_table
from workbench.server.people.person import Role
from workbench.server.sharing.dialog import NOBODY_SIGNS_IN
from workbench.server.sharing.grant import LENT, NotSharedError, ShareKind, reference_of
from workbench.server.sharing.lent import LentData
from workbench.server.storing.schema import SHARES
from workbench.workspaces.errors import WorkspaceError

FIRST = "example:gaussian"
HOSTILE = '<img src=x onerror="alert(1)"> “quoted” ' + "long " * 20


def scores(seed=0, name="losses"):
    rng = np.random.default_rng(seed)
    return wb.Scores(rng.normal(1, 1, 300), rng.normal(0, 1, 400), name=name)


def table():
    content = b"loss,is_member\n0.1,1\n2.0,0\n0.3,1\n1.5,0\n0.2,1\n0.9,0\n"
    return read_table(content, "losses.csv", trusted=True)


@pytest.fixture
def town():
    made = Town("scores", "compare")
    yield made
    made.end()


@pytest.fixture
def mine(town):
    return town.own(ADA).add_scores(scores())


def lent_key(reader, name="losses (ada)"):
    shown = reader.bench.browsers.state("sets")["sets"]
    return next(one["key"] for one in shown if (one["group"], one["name"]) == ("lent", name))


def save(town, person, name="release 7", **more):
    return town.own(person).audits.save(wb.audit(wb.example("no-leak")), name, **more)


# -- data sets ---------------------------------------------------------------------------------


def test_a_data_set_is_shared_with_a_person_who_drags_with_it_until_it_is_revoked(town, mine):
    ada, bob, carol = map(town.browser, (ADA, BOB, CAROL))
    answer = ada.shares("data", mine.key, "bob")
    assert [(one["to"], one["name"]) for one in answer["who"]] == [("person", "bob")]
    town.settle()
    assert bob.menu == [("lent", "losses (ada)")]
    assert carol.menu == []
    assert carol.said == []
    assert bob.said == ["ada shares “losses” with you."]
    assert [
        one["name"] for one in ada.bench.browsers.state("sets")["sets"] if one.get("shared")
    ] == ["losses"]
    shown = next(one for one in bob.bench.browsers.state("sets")["sets"] if one["group"] == "lent")
    assert shown["owner"] == "ada"
    for secret in (mine.key, ADA.key):
        assert secret not in str(bob.bench.browsers.state()) + str(bob.told)
    key = shown["key"]
    bob.does("choose", data=key)
    bob.on("scores", kind="set", name="threshold", value=0.3)
    page = bob.bench.pages.live("scores").page
    assert page.scores is town.own(ADA).scores(mine.key)  # in memory once
    ada.asks("revoke", of="data", key=mine.key, id=answer["who"][0]["id"])
    town.settle()
    assert bob.said[-1] == "“losses” is no longer shared with you."
    assert bob.menu == []
    assert (page.data, page.threshold) != (key, 0.3)
    assert page.data == FIRST
    assert page.scores is not town.own(ADA).scores(mine.key)
    for read in (town.own(BOB).scores, town.own(BOB).tables, town.own(BOB).dataset):
        with pytest.raises(WorkspaceError, match="there is no data set"):
            read(key)


def test_a_page_takes_back_the_settings_that_it_had_on_its_own_data(town, mine):
    ada, bob = map(town.browser, (ADA, BOB))
    bob.on("scores", kind="set", name="threshold", value=0.11)
    share = ada.shares("data", mine.key, "bob")["who"][0]
    town.settle()
    bob.does("choose", data=lent_key(bob))
    bob.on("scores", kind="set", name="threshold", value=0.77)
    ada.asks("revoke", of="data", key=mine.key, id=share["id"])
    town.settle()
    assert bob.bench.pages.live("scores").page.threshold == 0.11


def test_the_second_data_set_of_a_page_falls_back_too(town, mine):
    ada, bob = map(town.browser, (ADA, BOB))
    share = ada.shares("data", mine.key, "bob")["who"][0]
    town.settle()
    page = bob.bench.pages.live("compare").page
    first = page.a_data
    bob.on("compare", kind="set", name="b_data", value="losses (ada)")
    assert page.b is town.own(ADA).scores(mine.key)
    ada.asks("revoke", of="data", key=mine.key, id=share["id"])
    town.settle()
    assert (page.a_data, page.b_data) == (first, page.param.b_data.default)
    assert page.b is not town.own(ADA).scores(mine.key)
    assert page.message == ""


def test_everyone_who_is_signed_in_sees_what_is_shared_with_everyone(town, mine):
    readers = [town.browser(one) for one in (ADA, BOB, CAROL, VIEWER)]
    stranger = town.browser(replace(CAROL, key="a stranger", name="", signed_in=False))
    ada = readers[0]
    answer = ada.asks("add everyone", of="data", key=mine.key)
    assert [one["to"] for one in answer["who"]] == ["everyone"]
    town.settle()
    assert [one.menu for one in readers[1:]] == [[("lent", "losses (ada)")]] * 3
    assert stranger.menu == []
    assert ada.menu == [("own", "losses")]


def test_the_name_of_an_account_makes_nobody_of_another_signed_in(town, mine):
    town.browser(ADA).shares("data", mine.key, "bob")
    town.settle()
    forged = town.browser(replace(BOB, key="another key"))
    assert forged.menu == []
    assert forged.asks("people", text="")["people"] == []


def test_what_is_shared_is_read_as_its_owner_reads_it_and_read_otherwise_in_a_copy(town, mine):
    ada, bob = map(town.browser, (ADA, BOB))
    ada.shares("data", mine.key, "bob")
    town.settle()
    bob.does("choose", data=lent_key(bob))
    page = bob.bench.pages.live("scores").page
    settle(bob.bench)
    town.own(ADA).kept.reread(mine.key, replace(mine.reading, larger_is_member=False), seen=False)
    town.settle()
    assert page.scores.larger_is_member is False
    reading = replace(mine.reading, sampling="independent runs")
    copy = town.own(BOB).kept.reread(lent_key(bob), reading, seen=False)
    assert copy in town.own(BOB).catalog.own
    assert town.own(ADA).dataset(mine.key).reading.sampling != "independent runs"
    for change in (town.own(BOB).kept.remove, lambda key: town.own(BOB).kept.rename(key, "mine")):
        with pytest.raises(WorkspaceError, match="was shared with you by ada: it cannot"):
            change(lent_key(bob))


def test_who_has_the_same_scores_keeps_their_own(town, mine):
    ada, bob = map(town.browser, (ADA, BOB))
    share = ada.shares("data", mine.key, "bob")["who"][0]
    town.settle()
    own = town.own(BOB).add_scores(scores())
    assert own in town.own(BOB).catalog.own
    ada.asks("revoke", of="data", key=mine.key, id=share["id"])
    town.settle()
    assert bob.menu == [("own", own.name)]


def test_a_removed_data_set_is_gone_for_others_until_its_owner_brings_it_back(town, mine):
    ada, bob = map(town.browser, (ADA, BOB))
    ada.shares("data", mine.key, "bob")
    town.settle()
    key = lent_key(bob)
    ada.does("remove", data=mine.key)
    town.settle()
    assert bob.menu == []
    with pytest.raises(WorkspaceError):
        town.own(BOB).scores(key)
    assert "it is not yours" in ada.refused("add", of="data", key=mine.key, name="carol")
    ada.does("undo")
    town.settle()
    assert bob.menu == [("lent", "losses (ada)")]


def test_a_rename_is_seen_by_others(town, mine):
    ada, bob = map(town.browser, (ADA, BOB))
    ada.shares("data", mine.key, "bob")
    town.settle()
    ada.does("rename", data=mine.key, to=HOSTILE[:100])
    town.settle()
    assert bob.menu == [("lent", f"{HOSTILE[:100].strip()} (ada)")]


def test_recipients_leave_and_are_not_asked_again(town, mine):
    ada, bob, carol = map(town.browser, (ADA, BOB, CAROL))
    ada.asks("add everyone", of="data", key=mine.key)
    town.settle()
    key = lent_key(bob)
    bob.does("choose", data=key)
    assert bob.asks("leave", key=key) == {"name": "losses"}
    town.settle()
    assert (bob.menu, carol.menu) == ([], [("lent", "losses (ada)")])
    assert "is not, or no longer, shared with you" in bob.refused("leave", key=key)
    assert bob.bench.browsers.state("current")["current"] is None


def test_an_account_that_is_removed_takes_and_gives_nothing_more(town, mine):
    ada, bob, carol = map(town.browser, (ADA, BOB, CAROL))
    theirs = town.own(BOB).add_scores(scores(1, "bobs"))
    ada.shares("data", mine.key, "bob")
    bob.shares("data", theirs.key, "carol")
    town.settle()
    assert (bob.menu, carol.menu) == (
        [("own", "bobs"), ("lent", "losses (ada)")],
        [("lent", "bobs (bob)")],
    )
    del town.people[BOB.key]
    town.lending.look_again()
    town.settle()
    assert bob.menu == [("own", "bobs")]
    assert carol.menu == []
    assert carol.said[-1] == "“bobs” is no longer shared with you."


def test_a_share_that_ends_by_another_program_ends_in_open_pages(town, mine):
    ada, bob = map(town.browser, (ADA, BOB))
    share = ada.shares("data", mine.key, "bob")["who"][0]
    town.settle()
    other = type(town.grants)(town.database)
    other.revoke(ADA.key, share["id"])
    town.lending.look_again()
    town.settle()
    assert bob.menu == []


def test_a_change_of_shares_is_told_where_a_workspace_cannot_be_looked_at(
    town, mine, monkeypatch, caplog
):
    share = town.grants.add(ADA.key, ShareKind.DATA, mine.key, BOB.key)
    town.lending.opened(ADA.key, town.own(ADA))
    told = []
    town.lending.listen(lambda: told.append(town.grants.holds(share)))

    def fails():
        raise OSError("the disk is gone")

    monkeypatch.setattr(town.own(ADA).changes, "refresh", fails)
    with town.database.writing() as connection:  # another program
        connection.execute(update(SHARES).values(revoked=1.0))
    town.lending.look_again()
    assert told == [False]
    assert "the disk is gone" in caplog.text


@pytest.mark.parametrize("look", [data_sets, lambda own: own.add([table()]), None])
def test_a_share_that_ends_while_its_owner_is_asked_for_makes_no_data_of_the_server(
    town, monkeypatch, look
):
    mine = town.own(ADA).add([table()])
    share = town.grants.add(ADA.key, ShareKind.DATA, mine.key, BOB.key)
    own = town.own(BOB)
    assert [owner for _, owner in own.catalog.owned] == ["ada"]
    asked = LentData.owner_of

    def ends(lent, key):
        town.grants.revoke(ADA.key, share.id)
        return asked(lent, key)

    monkeypatch.setattr(LentData, "owner_of", ends)
    if look is None:
        assert town.sharing(BOB).lent() == {}
    elif look is data_sets:
        assert not [one for one in data_sets(own) if one["group"] in ("lent", "shared")]
    else:
        assert look(own) in own.catalog.own


def test_a_drag_with_shared_data_asks_no_database_of_shares(town, mine, monkeypatch):
    ada, bob = map(town.browser, (ADA, BOB))
    ada.shares("data", mine.key, "bob")
    town.settle()
    bob.does("choose", data=lent_key(bob))

    def asked():
        raise AssertionError("the database was asked")

    monkeypatch.setattr(town.database, "reading", asked)
    monkeypatch.setattr(town.database, "writing", asked)
    for value in (0.1, 0.2, 0.3):
        bob.on("scores", kind="set", name="threshold", value=value)
    page = bob.bench.pages.live("scores").page
    assert (page.threshold, page.message) == (0.3, "")
    assert page.data == lent_key(bob)


# -- who may share what -------------------------------------------------------------------------


def test_only_the_owner_shares(town, mine):
    ada, bob = map(town.browser, (ADA, BOB))
    ada.shares("data", mine.key, "bob")
    town.settle()
    asked = [("add", {"name": "carol"}), ("add everyone", {}), ("link", {"days": 7}), ("list", {})]
    for do, more in asked:
        for key in (mine.key, lent_key(bob), "losses", FIRST, "", "\ud800"):
            said = bob.refused(do, of="data", key=key, **more)
            assert said == "Only its owner shares this data set, and it is not yours."
        assert "and it is not yours" in bob.refused(do, of="audit", key="x", **more)
        assert bob.refused(do, of="workspace", key=mine.key, **more)
    share = town.grants.given_by(ADA.key)[0]
    town.own(BOB).add_scores(scores(2, "own"))
    own = town.own(BOB).catalog.own[0]
    bob.asks("revoke", of="data", key=own.key, id=share.id)
    assert town.grants.holds(share)


def test_viewers_share_nothing_and_see_what_is_shared_with_them(town, mine):
    vic = town.browser(VIEWER)
    town.browser(ADA).shares("data", mine.key, "vic")
    town.settle()
    assert vic.menu == [("lent", "losses (ada)")]
    own = town.own(VIEWER).add_scores(scores(3, "of vic"))
    for do, more in (("add", {"name": "bob"}), ("add everyone", {}), ("link", {"days": 7})):
        assert vic.refused(do, of="data", key=own.key, **more) == (
            "Your role is viewer; an administrator can change it with 'workbench users role vic "
            "editor'."
        )
    assert "your role is viewer" in vic.asks("list", of="data", key=own.key)["refused"]
    assert vic.asks("people", text="")["people"] == []
    assert town.grants.given_by(VIEWER.key) == []
    town.people[VIEWER.key] = ("vic", Role.EDITOR)
    town.lending.look_again()
    vic.shares("data", own.key, "bob")


def test_names_are_proposed_to_people_who_may_share(town):
    town.people["key-of-d"] = (HOSTILE, Role.EDITOR)
    town.lending.look_again()
    ada = town.browser(ADA)
    assert ada.asks("people", text="")["people"] == [HOSTILE, "bob", "carol", "vic"]
    assert ada.asks("people", text=" BO")["people"] == ["bob"]
    assert ada.asks("people", text="ob")["people"] == []
    assert ada.asks("people", text="ada")["people"] == []
    for other in town.people:
        assert other not in str(ada.asks("people", text=""))


@pytest.mark.parametrize("name", ["nobody", "key-of-bob", "ada", "<b>bob</b>", "  "])
def test_names_that_are_nobodys_are_refused(town, mine, name):
    said = town.browser(ADA).refused("add", of="data", key=mine.key, name=name)
    assert "nobody here is called" in said.lower() or "this is yours already" in said.lower()
    assert town.grants.given_by(ADA.key) == []


def test_without_accounts_there_are_links_and_the_reason(town):
    free = Town("scores", people=None)
    one = replace(ADA, signed_in=False)
    mine = free.own(one).add_scores(scores())
    reader = free.browser(one)
    shown = reader.asks("list", of="data", key=mine.key)
    assert (shown["people"], shown["why"]) == (False, NOBODY_SIGNS_IN)
    assert reader.refused("add", of="data", key=mine.key, name="bob") == NOBODY_SIGNS_IN
    assert reader.refused("add everyone", of="data", key=mine.key) == NOBODY_SIGNS_IN
    link = reader.asks("link", of="data", key=mine.key, days=7)["link"]
    other = free.browser(replace(BOB, signed_in=False))
    accepted = other.asks("accept", token=link.removeprefix("shared/"))
    free.settle()
    assert accepted["name"] == "losses"
    assert other.menu == [("lent", "losses (somebody)")]
    assert "is not, or no longer, shared" in other.refused("accept", token="x" * 43)
    free.end()


def accepted(town, mine, *people):
    """The id of a link of ada, and the browser of ada and of those who accepted it."""
    ada, *others = map(town.browser, (ADA, *people))
    answer = ada.asks("link", of="data", key=mine.key, days=7)
    token = answer["link"].removeprefix("shared/")
    for one in others:
        key = one.asks("accept", token=token)["key"]
        town.settle()
        assert key == lent_key(one)
    return answer["who"][0]["id"], token, ada, *others


def shown(ada, mine):
    """What the dialog lists: with whom, their name, and who accepted it."""
    who = ada.asks("list", of="data", key=mine.key)["who"]
    return [(one["to"], one["name"], one["accepted"]) for one in who]


def test_who_accepts_a_link_has_the_data_until_it_is_revoked(town, mine):
    id, token, ada, bob, carol = accepted(town, mine, BOB, CAROL)
    vic = town.browser(VIEWER)
    assert [one.menu for one in (bob, carol, vic)] == [[("lent", "losses (ada)")]] * 2 + [[]]
    assert ada.asks("accept", token=token)["key"] == mine.key
    ada.shares("data", mine.key, "vic")
    town.settle()
    assert shown(ada, mine) == [
        ("link", "", ["bob", "carol"]), ("person", "bob", []), ("person", "carol", []),
        ("person", "vic", []),
    ]  # fmt: skip
    bob.does("choose", data=lent_key(bob))
    ada.asks("revoke", of="data", key=mine.key, id=id)
    town.settle()
    assert [one.menu for one in (bob, carol, vic)] == [[], [], [("lent", "losses (ada)")]]
    assert not bob.bench.pages.live("scores").page.data.startswith(LENT)
    assert bob.said[-1] == "“losses” is no longer shared with you."
    assert shown(ada, mine) == [("person", "vic", [])]
    assert "is not, or no longer, shared" in bob.refused("accept", token=token)


def test_what_is_accepted_leaves_open_pages_when_the_link_ends_by_itself(town, mine, monkeypatch):
    _, _, _, bob = accepted(town, mine, BOB)
    bob.does("choose", data=lent_key(bob))
    assert bob.bench.pages.live("scores").page.data == lent_key(bob)
    with town.database.writing() as connection:  # as if it had begun a week ago
        connection.execute(update(SHARES).values(expires=SHARES.c.expires - 7 * 24 * 3600))
    town.lending.look_again()
    town.settle()
    assert bob.menu == []
    assert not bob.bench.pages.live("scores").page.data.startswith(LENT)


def test_a_job_on_what_is_no_longer_shared_ends_without_a_result(town, mine, monkeypatch):
    ada, bob = map(town.browser, (ADA, BOB))
    share = ada.shares("data", mine.key, "bob")["who"][0]
    town.settle()
    bob.does("choose", data=lent_key(bob))
    scores, other = (
        bob.bench.pages.live("scores").page,
        town.browser(CAROL).bench.pages.live("scores").page,
    )
    ended = []
    monkeypatch.setattr(Jobs, "end", lambda jobs: ended.append((jobs.page, jobs.page.data)))
    ada.asks("revoke", of="data", key=mine.key, id=share["id"])
    town.settle()
    assert [page for page, _ in ended] == [scores]
    assert other not in ended
    assert ended[0][1].startswith(LENT)  # before the page shows other data


def test_the_owner_keeps_a_person_who_accepted_a_link(town, mine):
    id, _, ada, bob = accepted(town, mine, BOB)
    ada.shares("data", mine.key, "bob")
    assert shown(ada, mine) == [("link", "", ["bob"]), ("person", "bob", []), ("person", "bob", [])]
    ada.asks("revoke", of="data", key=mine.key, id=id)
    town.settle()
    assert bob.menu == [("lent", "losses (ada)")]
    assert "is no longer shared" not in "".join(bob.said)


def test_one_person_is_taken_from_those_who_accepted_a_link(town, mine):
    _, _, ada, bob, carol = accepted(town, mine, BOB, CAROL)
    who = ada.asks("list", of="data", key=mine.key)["who"]
    ada.asks("revoke", of="data", key=mine.key, id=who[1]["id"])
    town.settle()
    assert (bob.menu, carol.menu) == ([], [("lent", "losses (ada)")])


@pytest.mark.parametrize("end", ["removed data", "removed owner", "demoted owner"])
def test_what_ends_a_link_ends_what_was_accepted_through_it(town, mine, end):
    _, token, ada, bob = accepted(town, mine, BOB)
    before = dict(town.people)
    if end == "removed data":
        town.own(ADA).kept.remove(mine.key)
    elif end == "removed owner":
        del town.people[ADA.key]
    else:
        town.people[ADA.key] = ("ada", Role.VIEWER)
    town.lending.look_again()
    town.settle()
    assert bob.menu == []
    assert "is not, or no longer, shared" in bob.refused("accept", token=token)
    if end == "demoted owner":
        assert (
            "nobody reads what you shared" in ada.asks("list", of="data", key=mine.key)["refused"]
        )
        town.people.update(before)
        town.lending.look_again()
        town.settle()
        assert bob.menu == [("lent", "losses (ada)")]


# -- the way into another workspace ----------------------------------------------------------------


def test_keys_references_and_ids_grant_nothing(town, mine):
    ada, carol = map(town.browser, (ADA, CAROL))
    audit = save(town, ADA)
    ada.shares("data", mine.key, "bob")
    ada.shares("audit", audit.key, "bob")
    town.settle()
    guesses = [
        mine.key, audit.key, ADA.key, BOB.key, "losses (ada)", "release 7",
        reference_of(ADA.key, ShareKind.DATA, mine.key),
        reference_of(ADA.key, ShareKind.AUDIT, audit.key),
        *(share.id for share in town.grants.given_by(ADA.key)),
        LENT, f"{LENT}{'0' * 32}", "../ada", "",
    ]  # fmt: skip
    for key in guesses:
        for read in (town.own(CAROL).scores, town.own(CAROL).tables, town.own(CAROL).dataset):
            with pytest.raises(WorkspaceError):
                read(key)
        for do in ("record", "open"):
            assert "no audit" in (said := carol.refused(do, "audit", key=key)) or "shared" in said
        assert carol.refused("compare", "audit", keys=[key, key])
        assert "shared" in carol.refused("leave", key=key)
        assert "shared" in carol.refused("accept", token=key)
    assert carol.asks("list", "audit", lent=True)["audits"] == []


def test_each_way_in_asks_for_the_share_again(town, mine):
    audit = save(town, ADA)
    lending, grants = town.lending, town.grants
    data = grants.add(ADA.key, ShareKind.DATA, mine.key, BOB.key)
    of_audit = grants.add(ADA.key, ShareKind.AUDIT, audit.key, BOB.key)
    ways = [
        (lending.dataset, data), (lending.data_workspace, data),
        (lending.summary, of_audit), (lending.audit_archive, of_audit),
    ]  # fmt: skip
    for way, share in ways:
        way(share)
        other = of_audit if share is data else data
        with pytest.raises(NotSharedError):
            way(other)  # a share of data lets nobody read audits
        for changed in ({"id": "x"}, {"key": "another"}, {"owner": CAROL.key}):
            with pytest.raises(NotSharedError):
                way(replace(share, **changed))
    for share in (data, of_audit):
        grants.revoke(ADA.key, share.id)
    for way, share in ways:
        with pytest.raises(NotSharedError):
            way(share)


# -- saved audits ----------------------------------------------------------------------------------


def test_a_saved_audit_is_shared_read_compared_and_never_changed(town):
    ada, bob, carol = map(town.browser, (ADA, BOB, CAROL))
    ada.asks("save", "audit", of="scores", name=HOSTILE, tags=["nightly"])
    one, other = town.own(ADA).audits[HOSTILE], save(town, ADA, "not shared")
    own = save(town, BOB, "of bob")
    share = ada.shares("audit", one.key, "bob")["who"][0]
    town.settle()
    assert [row.get("shared") for row in ada.asks("list", "audit")["audits"]] == [None, True]
    found = bob.asks("list", "audit", lent=True)
    (row,) = found["audits"]
    assert (row["name"], row["owner"]) == (HOSTILE, "ada")
    assert [r["name"] for r in bob.asks("list", "audit")["audits"]] == ["of bob"]
    assert bob.asks("list", "audit")["lent"] is True
    assert carol.asks("list", "audit")["lent"] is False
    for more, number in (
        ({"text": "IMG ada"}, 1), ({"text": "absent"}, 0), ({"tags": ["Nightly"]}, 1),
        ({"tags": ["x"]}, 0), ({"of": "scores"}, 1), ({"of": "plan"}, 0), ({"offset": 1}, 0),
    ):  # fmt: skip
        assert len(bob.asks("list", "audit", lent=True, **more)["audits"]) == number
    key = row["key"]
    record = bob.asks("record", "audit", key=key)
    assert (record["name"], record["owner"], record["versions"]) == (HOSTILE, "ada", [])
    assert record["sha256"] == one.sha256
    assert len(bob.asks("compare", "audit", keys=[key, own.key])["audits"]) == 2
    assert bob.asks("open", "audit", key=key)["page"] == "scores"
    assert bob.asks("propose", "audit", of="scores")["previous"] is None
    for do in ("remove", "restore"):
        assert "no audit" in bob.refused(do, "audit", key=key)
    assert "no audit" in bob.refused("save", "audit", of="scores", name="x", previous=key)
    with pytest.raises(ArchiveError, match="no audit"):
        town.own(BOB).audits[other.key]
    ada.asks("revoke", of="audit", key=one.key, id=share["id"])
    town.settle()
    for do in ("record", "open"):
        assert "is not, or no longer, shared" in bob.refused(do, "audit", key=key)
    assert bob.asks("list", "audit", lent=True)["audits"] == []
    assert any(told.get("audits") == {"changed": True} for told in bob.told)


def test_who_reads_an_imported_audit_of_others_hears_that_it_is_one(town):
    """Also by way of the reader's own archive, where a third person imported it."""
    ada, bob = map(town.browser, (ADA, BOB))
    content = town.own(CAROL).audits.exported(save(town, CAROL).key)
    audit = town.own(ADA).audits.add_file(content, "ada")
    ada.shares("audit", audit.key, "bob")
    town.settle()
    (row,) = bob.asks("list", "audit", lent=True)["audits"]
    assert row["imported"].endswith("UTC by ada")
    assert "was not checked here" in bob.asks("record", "audit", key=row["key"])["imported"]
    lent = town.sharing(BOB).lent_audit(row["key"])
    assert town.own(BOB).audits.add_file(lent.exported(), "bob").imported.by == "bob"


def test_an_audit_that_its_owner_removes_is_gone_for_others(town):
    ada, bob = map(town.browser, (ADA, BOB))
    audit = save(town, ADA)
    ada.shares("audit", audit.key, "bob")
    town.settle()
    key = bob.asks("list", "audit", lent=True)["audits"][0]["key"]
    ada.asks("remove", "audit", key=audit.key)
    assert bob.asks("list", "audit", lent=True)["audits"] == []
    assert "is not, or no longer, shared" in bob.refused("record", "audit", key=key)
    assert "it is not yours" in ada.refused("add", of="audit", key=audit.key, name="carol")


def test_a_shared_audit_opens_with_the_scores_that_were_saved_with_it(town, mine):
    ada, bob = map(town.browser, (ADA, BOB))
    ada.does("choose", data=mine.key)
    key = ada.asks("save", "audit", of="scores", name="with scores", scores=True)["key"]
    ada.shares("audit", key, "bob")
    town.settle()
    lent = bob.asks("list", "audit", lent=True)["audits"][0]["key"]
    assert {one["kind"] for one in bob.asks("record", "audit", key=lent)["attached"]} == {
        "source",
        "table",
    }
    assert bob.asks("open", "audit", key=lent)["page"] == "scores"
    assert bob.bench.pages.live("scores").page.scores.n_p == 300
    package = bob.bench.audits.readable.exported(lent)
    assert town.own(BOB).audits.add_file(package).name == "with scores"


# -- the page that was saved ---------------------------------------------------------------------


def test_the_page_knows_as_which_audit_it_was_saved_until_it_changes(town):
    ada = town.browser(ADA)
    assert ada.asks("kept", "audit", of="scores") == {"kept": None}
    saved = ada.asks("save", "audit", of="scores", name="release 7")
    assert ada.asks("kept", "audit", of="scores")["kept"] == saved | {"same": True}
    ada.sets("scores", "log_delta", -4.0)
    assert ada.asks("kept", "audit", of="scores")["kept"] == saved | {"same": False}
    # What is saved then is proposed as a new version of it.
    proposed = ada.asks("propose", "audit", of="scores", version=saved["key"])
    assert proposed["previous"]["key"] == saved["key"]
    assert ada.asks("propose", "audit", of="scores")["previous"] is None
    again = ada.asks("save", "audit", of="scores", name="release 8", previous=saved["key"])
    assert ada.asks("kept", "audit", of="scores")["kept"] == again | {"same": True}
    ada.asks("remove", "audit", key=again["key"])
    assert ada.asks("kept", "audit", of="scores") == {"kept": None}


def test_a_page_that_was_opened_from_an_audit_is_that_audit_and_one_of_others_is_none(town):
    ada, bob = town.browser(ADA), town.browser(BOB)
    saved = ada.asks("save", "audit", of="scores", name="release 7")
    again = town.browser(ADA)  # a visit that did not save it
    again.asks("open", "audit", key=saved["key"])
    assert again.asks("kept", "audit", of="scores")["kept"] == saved | {"same": True}
    ada.shares("audit", saved["key"], "bob")
    lent = bob.asks("list", "audit", lent=True)["audits"][0]["key"]
    bob.asks("open", "audit", key=lent)
    assert bob.asks("kept", "audit", of="scores") == {"kept": None}
