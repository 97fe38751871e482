"""`workbench serve --app NAME=FILE`: the option, in a file and on the command line."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers.servers import ROOT

from workbench.cli import _parser, main
from workbench.cli.serving import apps


def arguments(*given):
    return _parser().parse_args(["serve", *map(str, given)])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "app.py"
    path.write_text("import panel as pn\n", encoding="utf-8")
    return path


def test_apps_are_named_by_the_option_or_in_a_file(tmp_path, file):
    config = tmp_path / "workbench.toml"
    config.write_text(f"app = ['ours={file}', 'Group-2={file}']\n", encoding="utf-8")
    given = arguments("--app", f"ours={file}", "--app", f"Group-2={file}")
    for one in (arguments("--config", config), given):
        assert [found.name for found in apps.apps_of(one)] == ["ours", "Group-2"]
    assert apps.apps_of(arguments()) == ()


def test_a_path_may_have_an_equals_sign(tmp_path):
    path = tmp_path / "a=b.py"
    path.write_text("", encoding="utf-8")
    assert apps.apps_of(arguments("--app", f"ours={path}"))[0].name == "ours"


@pytest.mark.parametrize("given", ["ours", "=app.py", "ours=", ""])
def test_what_names_no_app_is_refused_with_the_form(given, capsys):
    with pytest.raises(SystemExit):
        arguments("--app", given)
    assert "argument --app: must be NAME=FILE, such as ours=app.py" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("names", "text", "words"),
    [
        (["ours", "Ours"], "", "another app has this name already"),
        (["scores"], "", "'scores' is an address of the workbench; take another name"),
        (["ours"], "def f(:", "Invalid syntax in 'app.py' on line 1: def f(:"),
    ],
)
def test_a_server_does_not_start_with_what_cannot_be_an_app(file, names, text, words, capsys):
    file.write_text(text, encoding="utf-8")
    given = [word for name in names for word in ("--app", f"{name}={file}")]
    assert main(["serve", "--no-open", *given]) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert words in said
    assert f"--app {names[-1]}={file}: " in said


def test_panel_that_is_missing_is_named_with_the_command(file, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "panel", None)
    assert main(["serve", "--no-open", "--app", f"ours={file}"]) == 2
    said = capsys.readouterr().err
    assert "--app needs panel, which is not installed" in said
    assert "pip install 'dp-audit-workbench[panel]'" in said


def test_the_help_says_that_an_app_runs_in_the_process():
    said = " ".join(
        subprocess.run(
            [sys.executable, "-m", "workbench", "serve", "--help"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
    )
    assert "It runs in this process: name only files that you trust" in said


def test_a_server_without_apps_imports_neither_panel_nor_bokeh():
    code = (
        "import sys, workbench.cli, workbench.server.app\n"
        "from workbench.cli import _parser\n"
        "from workbench.cli.serving import apps\n"
        "assert apps.apps_of(_parser().parse_args(['serve'])) == ()\n"
        "assert not {'panel', 'bokeh'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
