"""`workbench users`, and who may come to `workbench serve`."""

import io
import json

import pytest

import workbench as wb
from workbench.cli import main
from workbench.server.people.accounts import Accounts
from workbench.server.people.identity import VisitorIdentity
from workbench.server.people.signed_in import AccountIdentity
from workbench.server.people_folders import PeopleFolders, person_folder
from workbench.server.storing.database import ServerDatabase

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def typed(monkeypatch):
    """Has a password come from the standard input."""

    def give(password):
        monkeypatch.setattr("sys.stdin", io.StringIO(password))

    give(f"{PASSWORD}\n")
    return give


def users(*words):
    return main(["users", *words])


def listed(capsys):
    capsys.readouterr()
    assert users("list", "--json") == 0
    return json.loads(capsys.readouterr().out)["users"]


def accounts(home):
    return Accounts(ServerDatabase(home / "server"))


def test_people_are_added_listed_changed_and_removed(capsys, home, typed):
    assert users("list") == 0
    assert "no people yet; add somebody with 'workbench users add NAME'" in capsys.readouterr().out
    assert users("add", "Anna Müller", "--password-stdin") == 0
    assert capsys.readouterr().out == "Anna Müller can sign in, as editor\n"
    assert users("role", "anna müller", "viewer") == 0
    (one,) = listed(capsys)
    assert (one["name"], one["role"], one["browsers"]) == ("Anna Müller", "viewer", 0)
    assert one["signs_in_with"] == "password"
    assert users("list") == 0
    said = capsys.readouterr().out
    assert said.splitlines()[0].split() == [
        "name",
        "role",
        "signs",
        "in",
        "with",
        "browsers",
        "last",
        "used",
    ]
    assert PASSWORD not in said
    known = accounts(home).find("Anna Müller")
    assert accounts(home).passwords.verify(known.password, PASSWORD)

    typed("another good one\n")
    assert users("password", "Anna Müller", "--password-stdin") == 0
    assert "was signed out everywhere" in capsys.readouterr().out
    known = accounts(home).find("Anna Müller")
    assert accounts(home).passwords.verify(known.password, "another good one")
    assert users("sign-out", "Anna Müller") == 0
    assert "was signed out in 0 browsers" in capsys.readouterr().out
    assert users("remove", "Anna Müller") == 0
    assert listed(capsys) == []


def test_the_data_of_somebody_who_is_removed_stay_unless_they_are_to_be_deleted(
    capsys, home, typed, monkeypatch
):
    monkeypatch.setattr("workbench.cli.users.LET_GO", 0.0)
    for words, left in (((), True), (("--delete-data",), False)):
        typed(f"{PASSWORD}\n")
        assert users("add", "Anna", "--password-stdin") == 0
        person = accounts(home).find("Anna").person
        workspace = PeopleFolders(home / "server").open(person)
        workspace.add_scores(wb.Scores([1.0, 2.0, 3.0], [0.0, 1.0, 2.0]), "mine")
        workspace.close()
        folder = person_folder(home / "server", person.key)
        assert folder.is_dir()
        capsys.readouterr()
        assert users("remove", "Anna", *words) == 0
        assert (str(folder) in capsys.readouterr().out) is left
        assert folder.exists() is left


def test_no_password_is_on_the_disk(home, typed):
    assert users("add", "Anna", "--password-stdin") == 0
    found = [path for path in (home / "server").iterdir() if PASSWORD.encode() in path.read_bytes()]
    assert found == []
    assert accounts(home).find("Anna").password.startswith("$argon2id$v=19$m=65536,t=3,p=4$")


@pytest.mark.parametrize(
    ("password", "says"),
    [("short", "at least 12 characters, got 5"), ("", "got 0"), ("a" * 20, "too easy to guess")],
)
def test_a_weak_password_is_refused(capsys, typed, password, says):
    typed(password)
    assert users("add", "Anna", "--password-stdin") == 2
    assert says in capsys.readouterr().err
    assert listed(capsys) == []


@pytest.mark.parametrize("name", ["", " Anna", "A\nB", "A\u202eB", "A\u200bB", "x" * 65])
def test_a_name_that_cannot_be_read_is_refused(capsys, typed, name):
    assert users("add", name, "--password-stdin") == 2
    said = capsys.readouterr().err
    assert "a name must have" in said
    assert "\u202e" not in said
    assert listed(capsys) == []


def test_a_name_is_taken_in_any_case(capsys, typed):
    assert users("add", "Anna", "--password-stdin") == 0
    typed(f"{PASSWORD}\n")
    assert users("add", "ａＮＮＡ", "--password-stdin") == 2
    assert "there is an account" in capsys.readouterr().err


def test_an_unknown_name_is_named_with_the_nearest(capsys, typed):
    assert users("add", "Anna", "--password-stdin") == 0
    for words in (("remove",), ("password",), ("sign-out",)):
        assert users(*words, "Anne") == 2
        said = capsys.readouterr().err
        assert "there is no account 'Anne'" in said
        assert "Anna" in said
    assert users("role", "Anne", "admin") == 2


def test_a_password_is_typed_twice(capsys, monkeypatch):
    typed = iter([PASSWORD, PASSWORD, PASSWORD, "a different one"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(typed))
    assert users("add", "Anna") == 0
    assert users("add", "Ben") == 2
    assert "the passwords are not the same; nothing was changed" in capsys.readouterr().err
    assert [one["name"] for one in listed(capsys)] == ["Anna"]


def test_without_a_terminal_a_password_is_not_asked_for(capsys, typed):
    assert users("add", "Anna") == 2
    assert "pass --password-stdin" in capsys.readouterr().err


def test_a_password_cannot_be_an_argument(capsys):
    with pytest.raises(SystemExit):
        users("add", "Anna", "--password", PASSWORD)
    with pytest.raises(SystemExit):
        users("add", "Anna", PASSWORD)


# -- who may come ----------------------------------------------------------------------------------


@pytest.fixture
def served(monkeypatch):
    """The options of servers that were asked for, which are not started."""
    found = []
    monkeypatch.setattr(
        "workbench.server.app.serve", lambda app, options, open_at=None: found.append(options)
    )
    return found


ELSEWHERE = [
    ["--address", "0.0.0.0"],
    ["--proxy", "127.0.0.1"],
    ["--root-path", "/workbench"],
    ["--allow-origin", "https://audit.example.org"],
]


@pytest.mark.parametrize("where", [*ELSEWHERE, ["--accounts"]], ids=" ".join)
def test_a_server_for_others_does_not_start_without_accounts(capsys, served, where):
    assert main(["serve", "--no-open", *where]) == 2
    said = capsys.readouterr().err
    for remedy in ("workbench users add NAME", "--oauth-provider", "--no-auth"):
        assert remedy in said
    assert served == []


@pytest.mark.parametrize("where", [*ELSEWHERE, ["--accounts"]], ids=" ".join)
def test_people_with_accounts_sign_in(served, typed, where):
    assert users("add", "Anna", "--password-stdin") == 0
    assert main(["serve", "--no-open", *where]) == 0
    (options,) = served
    assert isinstance(options.identity, AccountIdentity)


@pytest.mark.parametrize("where", ELSEWHERE, ids=" ".join)
def test_everybody_may_come_only_if_that_is_said(capsys, served, where):
    assert main(["serve", "--no-open", "--no-auth", *where]) == 0
    (options,) = served
    assert isinstance(options.identity, VisitorIdentity)
    assert options.identity.owner is None
    assert "everybody who reaches this server can use it" in capsys.readouterr().err


def test_this_machine_alone_is_as_it_was(served):
    assert main(["serve", "--no-open"]) == 0
    (options,) = served
    assert isinstance(options.identity, VisitorIdentity)


def test_options_that_contradict_each_other(capsys, served):
    assert main(["serve", "--no-open", "--accounts", "--no-auth"]) == 2
    assert "--no-auth lets in everybody" in capsys.readouterr().err
    assert served == []
