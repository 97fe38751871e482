"""Accounts: names, passwords, people who sign in elsewhere, and what goes with an account."""

import threading
import unicodedata

import pytest
from argon2 import PasswordHasher
from helpers.people import PASSWORD, QUICK
from sqlalchemy import insert, select

from workbench.server.people.accounts import LONGEST, AccountError, Accounts
from workbench.server.people.checking.passwords import Passwords, check_password
from workbench.server.people.person import Role
from workbench.server.storing.database import ServerDatabase
from workbench.server.storing.schema import SHARES, SIGN_INS

NEW = "a quite different one"


@pytest.fixture
def accounts(tmp_path):
    made = Accounts(ServerDatabase(tmp_path), QUICK)
    yield made
    made.database.close()


def sign_in(accounts, account):
    row = {"id_hash": account.key, "person": account.key, "created": 1, "used": 1, "agent": ""}
    with accounts.database.writing() as connection:
        connection.execute(insert(SIGN_INS), [row])


def signed_in(accounts):
    with accounts.database.reading() as connection:
        return set(connection.scalars(select(SIGN_INS.c.person)))


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["a", "Anna Müller", "李四", "O’Neill-Smith (2)", "x" * LONGEST, "-"]
)
def test_names_that_can_be_read_are_taken(accounts, name):
    made = accounts.add(name, Role.EDITOR, PASSWORD)
    assert accounts.find(name) == accounts.by_key(made.key) == made
    assert made.person.signed_in
    assert (made.person.name, made.person.role) == (name, Role.EDITOR)


@pytest.mark.parametrize(
    "name",
    ["", " ", "a ", " a", "a\nb", "a\tb", "a\x00", "a\u202eb", "a\u200bb", "\ud800", "x" * 65],
)
def test_names_that_cannot_be_read_are_refused(accounts, name):
    with pytest.raises(AccountError, match="a name must have"):
        accounts.add(name, Role.EDITOR, PASSWORD)
    assert accounts.list() == []


@pytest.mark.parametrize(
    ("first", "second"),
    [("Anna", "ANNA"), ("Straße", "STRASSE"), ("Anna", "Ａｎｎａ"), ("José", "JOSE\u0301")],
)
def test_names_that_look_alike_are_one(accounts, first, second):
    made = accounts.add(first, Role.EDITOR, PASSWORD)
    assert accounts.find(second) == made
    with pytest.raises(AccountError, match="there is an account"):
        accounts.add(second, Role.ADMIN, PASSWORD)


def test_of_two_programs_that_add_one_name_one_is_refused(accounts, tmp_path):
    outcomes = []

    def add():
        own = Accounts(ServerDatabase(tmp_path), QUICK)
        try:
            outcomes.append(own.add("Anna", Role.EDITOR, PASSWORD).key)
        except AccountError:
            outcomes.append("taken")
        own.database.close()

    accounts.list()  # the database is there
    threads = [threading.Thread(target=add) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert outcomes.count("taken") == 3
    assert len(accounts.list()) == 1


def test_somebody_new_with_an_old_name_is_somebody_else(accounts):
    before = accounts.add("Anna", Role.ADMIN, PASSWORD)
    accounts.remove("Anna")
    assert accounts.by_key(before.key) is None
    assert accounts.add("Anna", Role.EDITOR, PASSWORD).key != before.key


# -- passwords -------------------------------------------------------------------------------------


def test_no_hash_is_shown(accounts):
    made = accounts.add("Anna", Role.EDITOR, PASSWORD)
    assert made.password.startswith("$argon2id$")
    assert "argon2" not in repr(made)
    assert PASSWORD not in repr(made)


@pytest.mark.parametrize(
    ("password", "says"),
    [
        ("x" * 11, "at least 12 characters, got 11"),
        ("abcdefghijkl" * 100, "at most 1,024"),
        ("abababababab", "too easy"),
        ("annaannaanna", "too easy"),
    ],
)
def test_a_weak_password_is_refused(accounts, password, says):
    with pytest.raises(ValueError, match=says):
        check_password(password, "Anna")
    with pytest.raises(ValueError, match=says) as caught:
        accounts.add("Anna", Role.EDITOR, password)
    assert password not in str(caught.value)
    assert accounts.list() == []


def test_a_password_is_the_same_however_an_accent_was_typed():
    word = "schöne grüße aus köln"
    known = QUICK.hash(unicodedata.normalize("NFD", word))
    assert QUICK.verify(known, unicodedata.normalize("NFC", word))


@pytest.mark.parametrize("known", [None, "", "not a hash", "$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA"])
def test_what_is_no_hash_of_it_lets_nobody_in(known):
    for password in (PASSWORD, "", "\x00", "\ud800"):
        assert not QUICK.verify(known, password)


def test_a_hash_is_renewed_when_the_parameters_have_changed(accounts):
    made = accounts.add("Anna", Role.EDITOR, PASSWORD)
    stronger = Passwords(PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    later = Accounts(accounts.database, stronger)
    assert stronger.is_outdated(made.password)
    later.renew_hash(made, PASSWORD)
    renewed = later.find("Anna")
    assert not stronger.is_outdated(renewed.password)
    assert stronger.verify(renewed.password, PASSWORD)
    later.renew_hash(renewed, PASSWORD)
    assert later.find("Anna") == renewed


def test_another_password_ends_all_sign_ins(accounts):
    for name in ("Anna", "Ben"):
        sign_in(accounts, accounts.add(name, Role.EDITOR, PASSWORD))
    accounts.set_password("anna", NEW)
    assert signed_in(accounts) == {accounts.find("Ben").key}
    assert QUICK.verify(accounts.find("Anna").password, NEW)
    with pytest.raises(ValueError, match="at least 12"):
        accounts.set_password("Ben", "short")
    assert signed_in(accounts) == {accounts.find("Ben").key}


def test_without_a_password_nobody_signs_in(accounts):
    made = accounts.add("Anna", Role.EDITOR)
    assert made.password is None
    assert not QUICK.verify(made.password, "")


# -- what goes with an account ---------------------------------------------------------------------


def test_what_was_shared_by_and_with_somebody_goes_with_them(accounts):
    anna, ben, cleo = (
        accounts.add(name, Role.EDITOR, PASSWORD) for name in ("Anna", "Ben", "Cleo")
    )
    shared = [(anna, ben), (ben, anna), (ben, cleo)]
    rows = [
        {
            "id": str(k),
            "owner": owner.key,
            "kind": "data",
            "key": "x",
            "to_kind": "person",
            "to_person": to.key,
            "created": 1.0,
            "opened": 0,
        }
        for k, (owner, to) in enumerate(shared)
    ]
    with accounts.database.writing() as connection:
        connection.execute(insert(SHARES), rows)
    sign_in(accounts, anna)
    accounts.remove("Anna")
    with accounts.database.reading() as connection:
        assert list(connection.scalars(select(SHARES.c.id))) == ["2"]
    assert signed_in(accounts) == set()


def test_a_role_is_changed(accounts):
    accounts.add("Anna", Role.VIEWER, PASSWORD)
    accounts.set_role("ANNA", Role.ADMIN)
    assert accounts.find("Anna").role is Role.ADMIN


@pytest.mark.parametrize(
    "ask",
    [
        lambda accounts: accounts.remove("Anne"),
        lambda accounts: accounts.set_role("Anne", Role.ADMIN),
        lambda accounts: accounts.set_password("Anne", NEW),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(accounts, ask):
    accounts.add("Anna", Role.VIEWER, PASSWORD)
    with pytest.raises(AccountError, match=r"there is no account 'Anne'.*Anna"):
        ask(accounts)


# -- people who sign in elsewhere ------------------------------------------------------------------


def test_a_provider_identifies_people_by_their_subject(accounts):
    first = accounts.sign_in_external("github", "1", "Anna", Role.EDITOR)
    again = accounts.sign_in_external("github", "1", "Anna Renamed", Role.VIEWER)
    assert again == first  # neither the name nor the role of a known person is changed
    other = accounts.sign_in_external("github", "2", "Anna", Role.EDITOR)
    elsewhere = accounts.sign_in_external("gitlab", "1", "Anna", Role.EDITOR)
    assert len({first.key, other.key, elsewhere.key}) == 3
    assert [one.name for one in (first, other, elsewhere)] == [
        "Anna",
        "Anna (github)",
        "Anna (gitlab)",
    ]
    assert accounts.sign_in_external("github", "3", "anna", Role.EDITOR).name == "anna (github 2)"


def test_nobody_takes_over_an_account_by_its_name(accounts):
    boss = accounts.add("boss", Role.ADMIN, PASSWORD)
    stranger = accounts.sign_in_external("github", "666", "boss", Role.EDITOR)
    assert stranger.key != boss.key
    assert stranger.role is Role.EDITOR
    assert accounts.find("boss") == boss


@pytest.mark.parametrize("name", ["", "\u202e\x00", "x" * 500, "  a\n b  ", "<script>"])
def test_a_name_from_elsewhere_is_made_one_that_can_be_read(accounts, name):
    made = accounts.sign_in_external("github", "1", name, Role.EDITOR)
    assert 1 <= len(made.name) <= LONGEST
    assert made.name.isprintable()
    assert made.name == made.name.strip()
