"""Files of TOML that are none, or that have no end: each is refused in words, with its name."""

import pytest

from workbench.cli import main
from workbench.training.runs.plan import TrainingPlanError, read_plan
from workbench.training.runs.toml_text import tables_of

BAD = {
    "brackets": b"a = " + b"[" * 20_000,
    "tables": b"a = " + b"{a=" * 5_000,
    "digits": b"a = 1" + b"0" * 5_000,
    "binary": b"\xff\xfe\x00",
    "nul": b"a = 1\x00",
    "twice": b"[run]\n[run]\n",
    "cut": b'a = "',
    "date": b"a = 99999-01-01",
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_no_toml(tmp_path, name, capsys):
    with pytest.raises(ValueError, match=r"^.{10,300}$"):
        tables_of(BAD[name])
    path = tmp_path / "bad.toml"
    path.write_bytes(BAD[name])
    with pytest.raises(TrainingPlanError, match=r"bad\.toml"):
        read_plan(path)
    assert main(["train", str(path), "--print"]) == 2
    assert "bad.toml is no TOML file" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--config", str(path)])
    assert ended.value.code == 2
    assert "bad.toml is no TOML file" in capsys.readouterr().err


def test_a_file_without_end(tmp_path, capsys):
    path = tmp_path / "long.toml"
    path.write_bytes(b"# comment\n" * 200_000)
    with pytest.raises(SystemExit):
        main(["serve", "--config", str(path)])
    assert "more than 1,000,000 bytes" in capsys.readouterr().err
    with pytest.raises(TrainingPlanError, match="more than 1,000,000 bytes"):
        read_plan(path)


def test_text_and_bytes():
    assert tables_of('a = "é"') == tables_of('a = "é"'.encode()) == {"a": "é"}
