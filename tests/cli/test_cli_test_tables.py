"""`workbench test` of functions of data frames: the domain of a file, and relations by name."""

import json

import pytest

from workbench.cli import main

pytestmark = pytest.mark.slow

CODE = """
import workbench as wb

DOMAIN = wb.TableDomain({"x": (0.0, 1.0)}, rows=(0, 9), user="id", max_rows_per_user=6)


def total(frame, size, rng):
    return frame.x.sum() + rng.laplace(size=size)


tested = wb.mechanism_from(total, "pure(1)", domain=DOMAIN, neighboring_relation="user")
"""

QUICK = ("--testers=hockey-stick", "--trials=6", "--samples=4000", "--time-limit=0")


@pytest.fixture
def file(tmp_path, monkeypatch):
    (tmp_path / "release.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "release.py"


def run(capsys, *words):
    status = main(["test", *words])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_domain_of_a_file_is_searched_by_user(file, capsys):
    words = ("release.py:total", "--claim=pure(1)", "--domain=release.py:DOMAIN", *QUICK)
    status, out, _ = run(
        capsys, *words, "--neighboring-relation=user", "--save=found.json", "--format=json"
    )
    found = json.loads(out)
    assert status == 1
    assert found["neighboring_relation"] == "user"
    assert list(found["evidence"]["dataset"]) == ["id", "x"]
    assert run(capsys, "release.py:total", "--replay=found.json", "--time-limit=0")[0] == 1
    status, out, _ = run(capsys, *words)
    assert status in (0, 3)
    assert "neighbors by add-remove" in out
    assert "Domain: Frames of 0 to 9 rows with id" in out


def test_a_mechanism_brings_its_domain_and_relation(file, capsys):
    status, out, _ = run(capsys, "release.py:tested", *QUICK)
    assert status == 1
    assert "neighbors by user;" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("release.py:total", "--domain=release.py:DOMAI"), "did you mean DOMAIN"),
        (("release.py:total", "--domain=DOMAIN"), "write MODULE:NAME or path/to/file.py:NAME"),
        (("release.py:total", "--domain=release.py:total"), "is a function; name a wb.TableDomain"),
        (
            ("release.py:total", "--domain=release.py:DOMAIN", "--low=3"),
            "--domain describes tables, and --low arrays; drop one",
        ),
        (("release.py:tested", "--low=3"), "such options describe arrays, and the mechanism takes"),
        (("release.py:tested", "--neighboring-relation=label"), "(…, label='x')"),
        (("release.py:tested", "--neighboring-relation=usr"), "did you mean 'user'"),
        (("release.py:tested", "--neighboring-relation=stated"), "cannot be searched for"),
        (("release.py:total", "--replay=x.json", "--domain=a:b"), "drop --domain"),
    ],
)
def test_options_that_do_not_go_together(file, capsys, words, said):
    status, _, err = run(capsys, *words, "--claim=pure(1)") if "--replay=x.json" not in words else (
        run(capsys, *words)
    )  # fmt: skip
    assert status == 2
    assert said in err
