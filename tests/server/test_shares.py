"""The shares of a server: what holds, for whom, until when, and what is kept of a link."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from helpers.sharing import ADA, BOB, CAROL, EVERYBODY
from sqlalchemy import select, update

from workbench.server.handlers.shared import EVERY, WRONG_AT_ONCE
from workbench.server.network.rates import TokenBuckets
from workbench.server.people.person import Person
from workbench.server.sharing import grants as module
from workbench.server.sharing.grant import (
    LENT,
    NotSharedError,
    ShareKind,
    ShareTarget,
    SharingError,
    reference_of,
)
from workbench.server.sharing.grants import Grants
from workbench.server.storing.database import ServerDatabase
from workbench.server.storing.schema import SHARES

DATA, AUDIT = ShareKind.DATA, ShareKind.AUDIT


@pytest.fixture
def database(tmp_path):
    return ServerDatabase(tmp_path)


@pytest.fixture
def grants(database):
    return grants_of(database)


def rows(database):
    with database.reading() as connection:
        return connection.execute(select(SHARES)).all()


def grants_of(database):
    return Grants(database, lambda: {one.key: (one.name, one.role) for one in EVERYBODY})


def seen_by(grants, person):
    return [(one.kind, one.key) for one in grants.given_to(person)]


def test_each_kind_of_share_reaches_exactly_whom_it_names(grants):
    grants.add(ADA.key, DATA, "a", BOB.key)
    grants.add(ADA.key, AUDIT, "b", None)
    grants.add_link(ADA.key, DATA, "c")
    assert seen_by(grants, BOB) == [(DATA, "a"), (AUDIT, "b")]
    assert seen_by(grants, CAROL) == [(AUDIT, "b")]
    assert seen_by(grants, Person("a visitor")) == []
    assert seen_by(grants, ADA) == []
    assert [one.key for one in grants.given_by(ADA.key)] == ["a", "b", "c"]
    assert grants.given_by(BOB.key) == []


def test_what_is_shared_in_several_ways_is_there_once_until_the_last_one_ends(grants):
    one, two = grants.add(ADA.key, DATA, "a", BOB.key), grants.add(ADA.key, DATA, "a", None)
    assert grants.add(ADA.key, DATA, "a", BOB.key) == one
    assert seen_by(grants, BOB) == [(DATA, "a")]
    grants.revoke(ADA.key, one.id)
    assert seen_by(grants, BOB) == [(DATA, "a")]
    grants.revoke(ADA.key, two.id)
    assert seen_by(grants, BOB) == []
    assert not grants.holds(one)
    assert not grants.holds(two)


def test_nobody_ends_the_share_of_another_person(grants):
    share = grants.add(ADA.key, DATA, "a", BOB.key)
    for other in (BOB.key, CAROL.key, "", share.id):
        grants.revoke(other, share.id)
    assert grants.holds(share)


def test_whoever_leaves_sees_it_no_more_until_it_is_shared_with_them_again(grants):
    share = grants.add(ADA.key, DATA, "a", None)
    grants.leave(BOB.key, share)
    assert (seen_by(grants, BOB), seen_by(grants, CAROL)) == ([], [(DATA, "a")])
    assert grants.given_by(ADA.key) == [share]
    grants.add(ADA.key, DATA, "a", BOB.key)
    assert seen_by(grants, BOB) == [(DATA, "a")]
    again = next(one for one in grants.given_by(ADA.key) if one.person == BOB.key)
    grants.leave(BOB.key, again)
    assert not grants.holds(again)
    assert seen_by(grants, BOB) == []


def test_of_a_link_only_the_hash_is_kept(grants, database, tmp_path):
    share, token = grants.add_link(ADA.key, DATA, "a", 30)
    assert len(token) == 43
    (row,) = rows(database)
    assert token not in str(row)
    assert token not in repr(share)
    assert token.encode() not in b"".join(one.read_bytes() for one in tmp_path.iterdir())
    assert grants.by_token(token) == share
    for wrong in (
        "",
        token[:-1],
        token + "A",
        row.token_hash,
        share.id,
        token.swapcase(),
        "\ud800",
    ):
        assert grants.by_token(wrong) is None
    assert share.expires - share.created == timedelta(days=30)
    _, other = grants.add_link(ADA.key, DATA, "a")
    assert other != token
    grants.revoke(ADA.key, share.id)
    assert grants.by_token(token) is None
    assert grants.by_token(other) is not None


@pytest.mark.parametrize("days", [0, -1, 366, 1.5, True, "7", None, float("nan")])
def test_a_link_holds_for_a_day_to_a_year(grants, days):
    with pytest.raises(SharingError, match="a link holds for 1 to 365 days"):
        grants.add_link(ADA.key, DATA, "a", days)
    assert grants.given_by(ADA.key) == []


def test_a_link_ends_by_itself_in_the_moment_it_is_asked_for(grants, monkeypatch):
    share, token = grants.add_link(ADA.key, DATA, "a", 1)
    version = grants.version

    later(monkeypatch, days=1, seconds=1)
    assert grants.by_token(token) is None
    assert not grants.holds(share)
    assert grants.given_by(ADA.key) == []
    assert grants.refresh()
    assert grants.version == version + 1


def test_openings_are_counted_and_change_nothing(grants, database):
    share, token = grants.add_link(ADA.key, DATA, "a")
    version = grants.version
    for _ in range(3):
        grants.note_opening(share)
    assert grants.by_token(token).opened == 3
    assert not grants.refresh()
    assert grants.version == version
    assert [row.opened for row in rows(database)] == [3]
    assert grants_of(database).by_token(token).opened == 3


def test_openings_that_are_not_written_down_yet_outlast_another_share(grants):
    share, token = grants.add_link(ADA.key, DATA, "a")
    for _ in range(3):
        grants.note_opening(share)
    grants.add(ADA.key, DATA, "b", BOB.key)
    assert grants.by_token(token).opened == 3
    grants.accept(share, CAROL.key)
    assert grants.by_token(token).opened == 3
    grants.refresh()
    assert grants.by_token(token).opened == 3


def test_what_another_program_changes_is_seen_after_a_refresh(grants, database):
    other = grants_of(database)
    share = other.add(ADA.key, DATA, "a", BOB.key)
    assert seen_by(grants, BOB) == []
    assert grants.refresh()
    assert seen_by(grants, BOB) == [(DATA, "a")]
    other.revoke(ADA.key, share.id)
    assert grants.refresh()
    assert not grants.refresh()
    assert not grants.holds(share)


def test_shares_outlive_the_program(grants, database):
    grants.add(ADA.key, DATA, "a", BOB.key)
    _, token = grants.add_link(ADA.key, AUDIT, "b")
    again = grants_of(database)
    assert seen_by(again, BOB) == [(DATA, "a")]
    assert again.by_token(token).target is ShareTarget.LINK


def test_questions_ask_no_database(grants, database, monkeypatch):
    share = grants.add(ADA.key, DATA, "a", BOB.key)
    _, token = grants.add_link(ADA.key, DATA, "a")

    def asked():
        raise AssertionError("the database was asked")

    monkeypatch.setattr(database, "reading", asked)
    monkeypatch.setattr(database, "writing", asked)
    assert grants.holds(share)
    assert seen_by(grants, BOB) == [(DATA, "a")]
    assert grants.by_token(token) is not None
    assert len(grants.given_by(ADA.key)) == 2


def test_ended_shares_are_deleted_after_a_month(grants, database):
    old, new = (grants.add(ADA.key, DATA, key, BOB.key) for key in "ab")
    for one in (old, new):
        grants.revoke(ADA.key, one.id)
    with database.writing() as connection:
        long_ago = datetime.now(UTC).timestamp() - 31 * 24 * 3600
        connection.execute(update(SHARES).where(SHARES.c.id == old.id).values(revoked=long_ago))
    grants.purge()
    assert [row.id for row in rows(database)] == [new.id]


def test_nobody_shares_without_end(grants, monkeypatch):
    monkeypatch.setattr(module, "MOST_SHARES", 2)
    for key in "ab":
        grants.add(ADA.key, DATA, key, BOB.key)
    for share in (
        lambda: grants.add(ADA.key, DATA, "c", BOB.key),
        lambda: grants.add_link(ADA.key, DATA, "c"),
    ):
        with pytest.raises(SharingError, match="which is the most"):
            share()
    grants.add(BOB.key, DATA, "c", ADA.key)


def test_a_reference_tells_no_key(grants):
    share = grants.add(ADA.key, DATA, "a secret key", BOB.key)
    assert share.reference.startswith(LENT)
    for secret in (ADA.key, BOB.key, "a secret key"):
        assert secret not in share.reference
        assert secret not in repr(share)
    different = {
        reference_of(*given)
        for given in (
            ("a", DATA, "bc"), ("ab", DATA, "c"), ("a", AUDIT, "bc"), ("a\0b", DATA, "c"),
            ("\ud800", DATA, ""),
        )
    }  # fmt: skip
    assert len(different) == 5


def test_guesses_are_bounded_for_each_sender_alone():
    now = [0.0]
    guesses, times = TokenBuckets(WRONG_AT_ONCE, EVERY, lambda: now[0]), []
    while now[0] < 600:  # somebody who tries as often as it is possible
        wait = guesses.wait("one")
        assert wait <= 60
        assert guesses.wait("another") == 0
        if wait == 0:
            guesses.take("one")
            times.append(now[0])
        now[0] += wait
    assert sum(t == 0 for t in times) == 60
    assert max(sum(t < u <= t + 60 for u in times) for t in times) == 60
    now[0] += 60
    assert guesses.wait("one") == 0


# -- what people accept through a link -------------------------------------------------------------


def later(monkeypatch, **much):
    """Have the clock of shares go ahead."""
    ahead = timedelta(**much)
    monkeypatch.setattr(module.time, "time", lambda: (datetime.now(UTC) + ahead).timestamp())


def holding(database):
    """Ids of the rows that hold by the database itself."""
    now = module.time.time()
    return {
        row.id
        for row in rows(database)
        if row.revoked is None and (row.expires is None or row.expires > now)
    }


def test_what_is_accepted_through_a_link_is_revoked_with_it_at_once(grants, database):
    link, _ = grants.add_link(ADA.key, DATA, "a")
    other, _ = grants.add_link(ADA.key, DATA, "a")
    accepted = [grants.accept(link, one.key) for one in (BOB, CAROL)]
    assert grants.accept(link, BOB.key) == accepted[0]
    kept = grants.accept(other, CAROL.key)
    assert grants.accepted(link) == accepted
    assert {one.expires for one in accepted} == {link.expires}
    assert seen_by(grants, BOB) == seen_by(grants, CAROL) == [(DATA, "a")]
    grants.revoke(ADA.key, link.id)
    assert holding(database) == {other.id, kept.id}
    assert (seen_by(grants, BOB), seen_by(grants, CAROL)) == ([], [(DATA, "a")])
    assert not any(map(grants.holds, accepted))


def test_what_is_accepted_through_a_link_ends_by_itself_in_the_same_moment(grants, monkeypatch):
    link, _ = grants.add_link(ADA.key, DATA, "a", 1)
    later(monkeypatch, hours=20)
    accepted = grants.accept(link, BOB.key)
    later(monkeypatch, days=1, seconds=-5)
    assert (grants.holds(link), grants.holds(accepted)) == (True, True)
    later(monkeypatch, days=1, seconds=5)
    assert (grants.holds(link), grants.holds(accepted)) == (False, False)
    assert seen_by(grants, BOB) == []
    assert grants.refresh()


def test_a_link_that_another_program_revoked_just_now_is_not_accepted(grants, database):
    link, _ = grants.add_link(ADA.key, DATA, "a")
    grants_of(database).revoke(ADA.key, link.id)
    with pytest.raises(NotSharedError):
        grants.accept(link, BOB.key)
    direct = grants.add(ADA.key, DATA, "a", CAROL.key)
    with pytest.raises(NotSharedError):
        grants.accept(direct, BOB.key)  # not a link
    assert holding(database) == {direct.id}


@pytest.mark.parametrize("accepted_first", [True, False])
def test_what_the_owner_gives_to_a_person_needs_no_link(grants, accepted_first):
    link, _ = grants.add_link(ADA.key, DATA, "a")
    if accepted_first:
        grants.accept(link, BOB.key)
    given = grants.add(ADA.key, DATA, "a", BOB.key)
    assert given.link == ""
    assert given.expires is None
    if not accepted_first:
        assert grants.accept(link, BOB.key) == given
    (seen,) = grants.given_to(BOB)
    assert seen == given  # its end would be told of, and then it would be there again
    grants.revoke(ADA.key, link.id)
    assert grants.given_to(BOB) == [given]


def test_who_left_has_it_again_by_a_link_until_that_ends(grants):
    link, _ = grants.add_link(ADA.key, DATA, "a")
    grants.leave(BOB.key, grants.accept(link, BOB.key))
    assert seen_by(grants, BOB) == []
    grants.accept(link, BOB.key)
    assert seen_by(grants, BOB) == [(DATA, "a")]
    grants.revoke(ADA.key, link.id)
    assert seen_by(grants, BOB) == []


def test_who_accepts_takes_no_room_of_the_owner(grants, monkeypatch):
    link, _ = grants.add_link(ADA.key, DATA, "a")
    monkeypatch.setattr(module, "MOST_SHARES", 2)
    monkeypatch.setattr(module, "MOST_ACCEPTED", 3)
    for number in range(3):
        grants.accept(link, f"visitor {number}")
    with pytest.raises(SharingError, match="3 people accepted this link"):
        grants.accept(link, "visitor 3")
    grants.accept(link, "visitor 2")
    grants.add(ADA.key, AUDIT, "b", BOB.key)


def test_no_acceptance_outlives_its_link_whatever_happens(grants, database, monkeypatch):
    """Gestures of three people in a drawn order, in two programs, with a clock that goes on."""
    rng, other, hours = np.random.default_rng(29), grants_of(database), 0.0
    links, ended = [], 0
    for _ in range(300):
        one = (grants, other)[rng.integers(2)]
        link = links[rng.integers(len(links))] if links else None
        match rng.integers(7) if link else 0:
            case 0:
                links.append(one.add_link(ADA.key, DATA, "ab"[rng.integers(2)], 1)[0])
            case 1 | 2 | 3:
                with suppress(NotSharedError):
                    one.accept(link, (BOB, CAROL)[rng.integers(2)].key)
            case 4:
                one.revoke(ADA.key, link.id)
            case 5:
                for share in one.given_to(BOB)[:1]:
                    one.leave(BOB.key, share)
            case 6:
                hours += 5
                later(monkeypatch, hours=hours)
                one.refresh()
        held = holding(database)
        for row in rows(database):
            if row.link is not None:
                assert row.link in held or row.id not in held
                ended += row.link not in held
    assert ended > 100
