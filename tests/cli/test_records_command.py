"""`workbench records`: a score table of any layout, and what it proves about its records."""

import json

import numpy as np
import pytest
from helpers import table_layouts as layouts

import workbench as wb
from workbench.cli import main


@pytest.fixture
def leaking(tmp_path):
    """A file of 64 models and 30 records, two of which leak."""
    rng = np.random.default_rng(7)
    member = rng.random((64, 30)) < 0.5
    member[:, 4] = True
    scores = rng.normal(size=member.shape) + member * np.where(np.arange(30) < 2, 5.0, 0.0)
    np.savez(tmp_path / "table.npz", scores=scores, member=member, records=np.arange(30) + 100)
    return tmp_path / "table.npz"


def run(capsys, *words, status=0):
    assert main(["records", *map(str, words)]) == status
    return capsys.readouterr()


def test_records_prints_the_layout_the_design_and_the_bounds(capsys, leaking):
    said = run(capsys, leaking, "--epsilon", "0.5").out
    table = wb.read_score_table(leaking)
    worst = table.worst_record(1e-5, 0.975)
    count = table.exceeding(0.5, 1e-5, 0.975)
    assert "- layout: arrays, scores = 'scores' of shape (64, 30)" in said
    assert "models      64" in said
    assert "records     30, 1 of them not auditable" in said
    assert f"design      {table.design.name}" in said
    assert f"worst record: {worst}" in said
    assert str(count) in said
    assert count.value >= 1
    assert ", ".join(map(str, count.records)) in said


def test_records_for_machines(capsys, leaking):
    report = json.loads(run(capsys, leaking, "--format", "json", "--confidence", "0.9").out)
    table = wb.read_score_table(leaking)
    assert report["version"] == 1
    assert report["table"]["models"] == 64
    assert report["table"]["auditable"] == 29
    assert report["table"]["design"] == table.design.name
    assert report["table"]["notes"] == list(table.notes)
    assert report["attack"] is None
    assert report["worst_record"]["value"] == table.worst_record(1e-5, 0.95).value
    assert report["exceeding"]["epsilon"] == 1.0
    assert report["exceeding"]["confidence"] == pytest.approx(0.95)
    names = table.exceeding(1.0, 1e-5, 0.95).records
    assert report["exceeding"]["records"] == [str(name) for name in names]
    assert run(capsys, leaking, "--json").out == run(capsys, leaking, "--format", "json").out


@pytest.mark.parametrize("attack", ["lira", "rmia"])
def test_records_attacks_signals(capsys, tmp_path, attack):
    found = layouts.audit(models=32, design="independent coins")
    folder = layouts.privacy_meter(tmp_path / "run", found)
    report = json.loads(run(capsys, folder, "--attack", attack, "--json").out)
    assert report["attack"] == attack
    assert report["table"]["notes"][0].startswith("layout: privacy-meter")
    assert 0 <= report["worst_record"]["value"] < 5


def test_records_takes_a_method_and_a_direction(capsys, leaking):
    said = run(capsys, leaking, "--method", "simultaneous", "--smaller-is-member").out
    table = wb.read_score_table(leaking, larger_is_member=False)
    assert str(table.worst_record(1e-5, 0.975, "simultaneous")) in said


def test_refusals_name_options(capsys, tmp_path):
    found = layouts.audit(models=20, records=20, design="independent coins")
    np.savez(tmp_path / "t.npz", scores=found.log_odds, member=found.member)
    said = run(capsys, tmp_path / "t.npz", status=2).err
    assert "--transposed 'neither'" in said
    assert run(capsys, tmp_path / "t.npz", "--transposed", "neither").out
    assert "one of layout" not in run(capsys, tmp_path / "nothing", status=2).err
