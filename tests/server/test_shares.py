"""The shares of a server: what holds, for whom, until when, and what is kept of a link."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from helpers.sharing import ADA, BOB, CAROL
from sqlalchemy import select, update

from workbench.server.sharing import shares as module
from workbench.server.sharing.errors import NotSharedError, SharingError
from workbench.server.sharing.guesses import MOST, WITHIN, LinkGuesses
from workbench.server.sharing.share import LENT, ShareKind, ShareTarget, reference_of
from workbench.server.sharing.shares import Shares
from workbench.server.storing.database import ServerDatabase
from workbench.server.storing.schema import SHARES

DATA, AUDIT = ShareKind.DATA, ShareKind.AUDIT


@pytest.fixture
def database(tmp_path):
    return ServerDatabase(tmp_path)


@pytest.fixture
def shares(database):
    return Shares(database)


def rows(database):
    with database.reading() as connection:
        return connection.execute(select(SHARES)).all()


def seen_by(shares, person, signed_in=True):
    return [(one.kind, one.key) for one in shares.with_person(person.key, signed_in)]


def test_each_kind_of_share_reaches_exactly_whom_it_names(shares):
    shares.add(ADA.key, DATA, "a", BOB.key)
    shares.add(ADA.key, AUDIT, "b", None)
    shares.add_link(ADA.key, DATA, "c")
    assert seen_by(shares, BOB) == [(DATA, "a"), (AUDIT, "b")]
    assert seen_by(shares, CAROL) == [(AUDIT, "b")]
    assert seen_by(shares, CAROL, signed_in=False) == []
    assert seen_by(shares, ADA) == []
    assert [one.key for one in shares.of(ADA.key)] == ["a", "b", "c"]
    assert shares.of(BOB.key) == []


def test_what_is_shared_in_several_ways_is_there_once_until_the_last_one_ends(shares):
    one, two = shares.add(ADA.key, DATA, "a", BOB.key), shares.add(ADA.key, DATA, "a", None)
    assert shares.add(ADA.key, DATA, "a", BOB.key) == one
    assert seen_by(shares, BOB) == [(DATA, "a")]
    shares.revoke(ADA.key, one.id)
    assert seen_by(shares, BOB) == [(DATA, "a")]
    shares.revoke(ADA.key, two.id)
    assert seen_by(shares, BOB) == []
    assert not shares.holds(one)
    assert not shares.holds(two)


def test_nobody_ends_the_share_of_another_person(shares):
    share = shares.add(ADA.key, DATA, "a", BOB.key)
    for other in (BOB.key, CAROL.key, "", share.id):
        shares.revoke(other, share.id)
    assert shares.holds(share)


def test_whoever_leaves_sees_it_no_more_until_it_is_shared_with_them_again(shares):
    share = shares.add(ADA.key, DATA, "a", None)
    shares.leave(BOB.key, share)
    assert (seen_by(shares, BOB), seen_by(shares, CAROL)) == ([], [(DATA, "a")])
    assert shares.of(ADA.key) == [share]
    shares.add(ADA.key, DATA, "a", BOB.key)
    assert seen_by(shares, BOB) == [(DATA, "a")]
    (again,) = shares.with_person(BOB.key, False)
    shares.leave(BOB.key, again)
    assert not shares.holds(again)


def test_of_a_link_only_the_hash_is_kept(shares, database, tmp_path):
    share, token = shares.add_link(ADA.key, DATA, "a", 30)
    assert len(token) == 43
    (row,) = rows(database)
    assert token not in str(row)
    assert token not in repr(share)
    assert token.encode() not in b"".join(one.read_bytes() for one in tmp_path.iterdir())
    assert shares.by_token(token) == share
    for wrong in (
        "",
        token[:-1],
        token + "A",
        row.token_hash,
        share.id,
        token.swapcase(),
        "\ud800",
    ):
        assert shares.by_token(wrong) is None
    assert share.expires - share.created == timedelta(days=30)
    _, other = shares.add_link(ADA.key, DATA, "a")
    assert other != token
    shares.revoke(ADA.key, share.id)
    assert shares.by_token(token) is None
    assert shares.by_token(other) is not None


@pytest.mark.parametrize("days", [0, -1, 366, 1.5, True, "7", None, float("nan")])
def test_a_link_holds_for_a_day_to_a_year(shares, days):
    with pytest.raises(SharingError, match="a link holds for 1 to 365 days"):
        shares.add_link(ADA.key, DATA, "a", days)
    assert shares.of(ADA.key) == []


def test_a_link_ends_by_itself_in_the_moment_it_is_asked_for(shares, monkeypatch):
    share, token = shares.add_link(ADA.key, DATA, "a", 1)
    version = shares.version

    class Later(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(days=1, seconds=1)

    monkeypatch.setattr(module, "datetime", Later)
    assert shares.by_token(token) is None
    assert not shares.holds(share)
    assert shares.of(ADA.key) == []
    monkeypatch.setattr(module.time, "time", lambda: Later.now(UTC).timestamp())
    assert shares.refresh()
    assert shares.version == version + 1


def test_openings_are_counted_and_change_nothing(shares, database):
    share, token = shares.add_link(ADA.key, DATA, "a")
    version = shares.version
    for _ in range(3):
        shares.note_opening(share)
    assert shares.by_token(token).opened == 3
    assert not shares.refresh()
    assert shares.version == version
    assert [row.opened for row in rows(database)] == [3]
    assert Shares(database).by_token(token).opened == 3


def test_what_another_program_changes_is_seen_after_a_refresh(shares, database):
    other = Shares(database)
    share = other.add(ADA.key, DATA, "a", BOB.key)
    assert seen_by(shares, BOB) == []
    assert shares.refresh()
    assert seen_by(shares, BOB) == [(DATA, "a")]
    other.revoke(ADA.key, share.id)
    assert shares.refresh()
    assert not shares.refresh()
    assert not shares.holds(share)


def test_shares_outlive_the_program(shares, database):
    shares.add(ADA.key, DATA, "a", BOB.key)
    _, token = shares.add_link(ADA.key, AUDIT, "b")
    again = Shares(database)
    assert seen_by(again, BOB) == [(DATA, "a")]
    assert again.by_token(token).target is ShareTarget.LINK


def test_questions_ask_no_database(shares, database, monkeypatch):
    share = shares.add(ADA.key, DATA, "a", BOB.key)
    _, token = shares.add_link(ADA.key, DATA, "a")

    def asked():
        raise AssertionError("the database was asked")

    monkeypatch.setattr(database, "reading", asked)
    monkeypatch.setattr(database, "writing", asked)
    assert shares.holds(share)
    assert seen_by(shares, BOB) == [(DATA, "a")]
    assert shares.by_token(token) is not None
    assert len(shares.of(ADA.key)) == 2


def test_ended_shares_are_deleted_after_a_month(shares, database):
    old, new = (shares.add(ADA.key, DATA, key, BOB.key) for key in "ab")
    for one in (old, new):
        shares.revoke(ADA.key, one.id)
    with database.writing() as connection:
        long_ago = datetime.now(UTC).timestamp() - 31 * 24 * 3600
        connection.execute(update(SHARES).where(SHARES.c.id == old.id).values(revoked=long_ago))
    shares.purge()
    assert [row.id for row in rows(database)] == [new.id]


def test_nobody_shares_without_end(shares, monkeypatch):
    monkeypatch.setattr(module, "MOST_SHARES", 2)
    for key in "ab":
        shares.add(ADA.key, DATA, key, BOB.key)
    for share in (
        lambda: shares.add(ADA.key, DATA, "c", BOB.key),
        lambda: shares.add_link(ADA.key, DATA, "c"),
    ):
        with pytest.raises(SharingError, match="which is the most"):
            share()
    shares.add(BOB.key, DATA, "c", ADA.key)


def test_a_reference_tells_no_key(shares):
    share = shares.add(ADA.key, DATA, "a secret key", BOB.key)
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
    guesses = LinkGuesses(lambda: now[0])
    for _ in range(MOST):
        assert guesses.wait("one") == 0
        guesses.note("one")
    assert guesses.wait("one") == WITHIN
    assert guesses.wait("another") == 0
    now[0] = WITHIN - 0.5
    assert guesses.wait("one") == 1
    now[0] = WITHIN
    assert guesses.wait("one") == 0


# -- what people accept through a link -------------------------------------------------------------


def later(monkeypatch, **much):
    """Have the clock of shares go ahead."""

    class Later(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(**much)

    monkeypatch.setattr(module, "datetime", Later)
    monkeypatch.setattr(module.time, "time", lambda: Later.now(UTC).timestamp())


def holding(database):
    """Ids of the rows that hold by the database itself."""
    now = module.time.time()
    return {
        row.id
        for row in rows(database)
        if row.revoked is None and (row.expires is None or row.expires > now)
    }


def test_what_is_accepted_through_a_link_is_revoked_with_it_at_once(shares, database):
    link, _ = shares.add_link(ADA.key, DATA, "a")
    other, _ = shares.add_link(ADA.key, DATA, "a")
    accepted = [shares.accept(link, one.key) for one in (BOB, CAROL)]
    assert shares.accept(link, BOB.key) == accepted[0]
    kept = shares.accept(other, CAROL.key)
    assert shares.accepted(link) == accepted
    assert {one.expires for one in accepted} == {link.expires}
    assert seen_by(shares, BOB) == seen_by(shares, CAROL) == [(DATA, "a")]
    shares.revoke(ADA.key, link.id)
    assert holding(database) == {other.id, kept.id}
    assert (seen_by(shares, BOB), seen_by(shares, CAROL)) == ([], [(DATA, "a")])
    assert not any(map(shares.holds, accepted))


def test_what_is_accepted_through_a_link_ends_by_itself_in_the_same_moment(shares, monkeypatch):
    link, _ = shares.add_link(ADA.key, DATA, "a", 1)
    later(monkeypatch, hours=20)
    accepted = shares.accept(link, BOB.key)
    later(monkeypatch, days=1, seconds=-5)
    assert (shares.holds(link), shares.holds(accepted)) == (True, True)
    later(monkeypatch, days=1, seconds=5)
    assert (shares.holds(link), shares.holds(accepted)) == (False, False)
    assert seen_by(shares, BOB) == []
    assert shares.refresh()


def test_a_link_that_another_program_revoked_just_now_is_not_accepted(shares, database):
    link, _ = shares.add_link(ADA.key, DATA, "a")
    Shares(database).revoke(ADA.key, link.id)
    with pytest.raises(NotSharedError):
        shares.accept(link, BOB.key)
    direct = shares.add(ADA.key, DATA, "a", CAROL.key)
    with pytest.raises(NotSharedError):
        shares.accept(direct, BOB.key)  # not a link
    assert holding(database) == {direct.id}


@pytest.mark.parametrize("accepted_first", [True, False])
def test_what_the_owner_gives_to_a_person_needs_no_link(shares, accepted_first):
    link, _ = shares.add_link(ADA.key, DATA, "a")
    if accepted_first:
        shares.accept(link, BOB.key)
    given = shares.add(ADA.key, DATA, "a", BOB.key)
    assert given.link == ""
    assert given.expires is None
    if not accepted_first:
        assert shares.accept(link, BOB.key) == given
    (seen,) = shares.with_person(BOB.key, True)
    assert seen == given  # its end would be told of, and then it would be there again
    shares.revoke(ADA.key, link.id)
    assert shares.with_person(BOB.key, True) == [given]


def test_who_left_has_it_again_by_a_link_until_that_ends(shares):
    link, _ = shares.add_link(ADA.key, DATA, "a")
    shares.leave(BOB.key, shares.accept(link, BOB.key))
    assert seen_by(shares, BOB) == []
    shares.accept(link, BOB.key)
    assert seen_by(shares, BOB) == [(DATA, "a")]
    shares.revoke(ADA.key, link.id)
    assert seen_by(shares, BOB) == []


def test_who_accepts_takes_no_room_of_the_owner(shares, monkeypatch):
    link, _ = shares.add_link(ADA.key, DATA, "a")
    monkeypatch.setattr(module, "MOST_SHARES", 2)
    monkeypatch.setattr(module, "MOST_ACCEPTED", 3)
    for number in range(3):
        shares.accept(link, f"visitor {number}")
    with pytest.raises(SharingError, match="3 people accepted this link"):
        shares.accept(link, "visitor 3")
    shares.accept(link, "visitor 2")
    shares.add(ADA.key, AUDIT, "b", BOB.key)


def test_no_acceptance_outlives_its_link_whatever_happens(shares, database, monkeypatch):
    """Gestures of three people in a drawn order, in two programs, with a clock that goes on."""
    rng, other, hours = np.random.default_rng(29), Shares(database), 0.0
    links, ended = [], 0
    for _ in range(300):
        one = (shares, other)[rng.integers(2)]
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
                for share in one.with_person(BOB.key, True)[:1]:
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
