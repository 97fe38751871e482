"""`workbench serve --config FILE`: options in a file, and what is refused."""

from __future__ import annotations

import pytest

from workbench.cli import _parser


def options(*given):
    return vars(_parser().parse_args(["serve", *map(str, given)]))


@pytest.fixture
def file(tmp_path):
    def written(text):
        path = tmp_path / "workbench.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return written


def refusal(capsys, *given):
    with pytest.raises(SystemExit) as ended:
        options(*given)
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_options_of_a_file_are_those_of_the_command_line(file):
    path = file(
        'port = 6001\naddress = "0.0.0.0"\nno-open = true\nmax-upload = "500M"\nmax-jobs = 3\n'
        'allow-origin = ["https://a.example.org", "https://b.example.org"]\nstop-within = 2.5\n'
        'log-format = "json"\n'
    )
    found, same = options("--config", path), options(
        *("--port", 6001, "--address", "0.0.0.0", "--no-open", "--max-upload", "500M"),
        *("--max-jobs", 3, "--allow-origin", "https://a.example.org"),
        *("--allow-origin", "https://b.example.org", "--stop-within", 2.5, "--log-format", "json"),
    )  # fmt: skip
    for name in ("config", "run"):
        del found[name], same[name]
    assert found == same


def test_the_command_line_wins_wherever_it_stands(file):
    path = file('port = 6001\nallow-origin = ["https://a.example.org"]\n')
    for given in (
        ("--port", 7001, "--config", path),
        ("--config", path, "--port", 7001),
        (f"--config={path}", "--port=7001"),
    ):
        assert options(*given)["port"] == 7001
    named = options("--config", path, "--allow-origin", "https://c.example.org")
    assert named["allow_origin"] == ["https://c.example.org"]


def test_a_flag_that_is_false_is_not_set(file):
    assert options("--config", file("no-open = false"))["no_open"] is False


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prt = 1", "has 'prt', which is no option; did you mean 'port'"),
        ("no_open = true", "did you mean 'no-open'?"),
        ("config = 'other.toml'", "has 'config', which is no option"),
        ("help = true", "has 'help', which is no option"),
        ("port = true", "port must be a text or a number, got True"),
        ("port = [1]", "port must be a text or a number, got [1]"),
        ("no-open = 1", "no-open must be true or false, got 1"),
        ("allow-origin = [[1]]", "allow-origin must be a text, a number or a list of them"),
        ("[limits]\nmax-jobs = 1", "has 'limits', which is no option"),
        ("port = 'many'", "argument --port: invalid int value: 'many'"),
        ("log-format = 'xml'", "argument --log-format: invalid choice: 'xml'"),
        ("port = ", "is no TOML file"),
    ],
)
def test_what_a_file_may_not_say_is_refused(file, capsys, text, words):
    assert words in " ".join(refusal(capsys, "--config", file(text)).split())


def test_a_file_that_is_not_there_is_refused(tmp_path, capsys):
    said = refusal(capsys, "--config", tmp_path / "nothing.toml")
    assert "No such file" in said


def test_a_value_cannot_be_another_option(file, capsys):
    said = refusal(capsys, "--config", file('address = "--no-auth"\nport = "--no-auth"'))
    assert "invalid int value: '--no-auth'" in said
