"""Files that are counted instead of read, on the command line."""

import argparse
import json

import numpy as np
import pytest
from scores.counting.test_one_pass import frame, sides

import workbench as wb
from workbench.cli import main
from workbench.cli.files import GivenFiles, add_layout_arguments


@pytest.fixture
def parts(tmp_path):
    """A folder of parts, with one missing."""
    folder = tmp_path / "parts"
    folder.mkdir()
    f = frame(40_000)
    for i in (0, 1, 3):
        f[i * 10_000 : (i + 1) * 10_000].to_parquet(folder / f"part-{i}.parquet")
    return folder


def test_the_audit_of_a_folder(parts, capsys, caplog):
    with caplog.at_level("INFO"):
        assert main(["audit", str(parts), "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["scores"]["n_p"] + said["scores"]["n_q"] == 30_000
    f = frame(40_000).drop(index=range(20_000, 30_000))
    exact = wb.tradeoff_band(wb.Scores(*sides(f))).epsilon(1e-5).value
    found = next(bound for bound in said["results"] if bound["quantity"] == "epsilon")
    assert found["value"] == pytest.approx(exact, rel=0.01)
    assert "parts of 'part-…' are missing: '2'" in caplog.text


def test_a_folder_becomes_a_data_set(parts):
    options = argparse.ArgumentParser()
    options.add_argument("files", nargs="*", type=type(parts))
    add_layout_arguments(options)
    files = GivenFiles.of(options.parse_args([str(parts), "--smaller-is-member"]))
    workspace = wb.Workspace()
    dataset = files.add(workspace, "")
    scores = workspace.scores(dataset.key)
    assert scores.samples.is_counted
    assert not scores.larger_is_member
    assert dataset.name == "parts"
    assert (dataset.n_p, dataset.n_q) == (scores.n_p, scores.n_q)
    assert dataset.n_p + dataset.n_q == 30_000
    assert any("missing" in note for note in files.notes)


def test_columns_are_named_as_options(parts, capsys):
    f = frame(100)
    f["other"] = np.arange(100) % 3
    f.to_csv(parts.parent / "a.csv")
    assert main(["audit", str(parts), "--cluster", "id"]) == 2
    assert "--cluster" in capsys.readouterr().err
