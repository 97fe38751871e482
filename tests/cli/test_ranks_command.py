"""`workbench audit FILE --ranks`."""

import json

import pandas as pd
import pytest

import workbench as wb
from workbench.cli import main


@pytest.fixture
def secrets(tmp_path):
    path = tmp_path / "secrets.csv"
    pd.DataFrame({"rank": [1] * 30 + [400] * 70, "candidates": 1000}).to_csv(path, index=False)
    return path


def test_the_text_has_estimates_and_the_bound(secrets, capsys):
    assert main(["audit", str(secrets), "--ranks"]) == 0
    said = capsys.readouterr().out
    bound = wb.exposure(wb.read_ranks(secrets), delta=1e-5).bound
    assert str(bound) in said
    assert "bits  estimate" in said
    assert "replacing one value by another" in said


def test_claims_are_judged_and_the_status_says_so(secrets, capsys):
    assert main(["audit", str(secrets), "--ranks", "--claim", "approx(1, 1e-5)"]) == 1
    assert "is refuted" in capsys.readouterr().out
    assert main(["audit", str(secrets), "--ranks", "--claim", "approx(6, 1e-5)"]) in (0, 3)
    capsys.readouterr()


def test_json_has_the_bound_and_what_guarantees_it(secrets, capsys):
    arguments = ["--ranks", "--top", "1", "--top", "10", "--format", "json", "--delta", "0"]
    assert main(["audit", str(secrets), *arguments]) == 0
    said = json.loads(capsys.readouterr().out)
    expected = wb.exposure(wb.read_ranks(secrets), delta=0, top=(1, 10))
    assert said["bound"]["value"] == expected.bound.value
    assert said["exposure"]["guarantee"] == "estimate"
    assert said["exposure"]["mean"] == expected.mean
    assert said["top"] == [1, 10]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--top", "2"], "add --ranks"),
        (["--ranks", "--score", "rank"], "--score is about scores"),
        (["--ranks", "--smaller-is-member"], "is about scores"),
        (["--ranks", "--format", "sarif"], "with --ranks take text or json"),
        (["--ranks", "--top", "1", "--top", "2", "--claim", "pure(1)"], "one --top, got 1, 2"),
        (["--ranks", "--top", "1000"], "top must be below the 1000 values"),
        ([], "--ranks"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message, secrets, capsys):
    assert main(["audit", str(secrets), *arguments]) == 2
    assert message in capsys.readouterr().err
