"""`workbench synthetic`: three tables and what they show, or one table split by coins."""

import json
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.cli import main
from workbench.cli.synthetic.command import _SPLITS, in_options, kinds
from workbench.synthetic.attacks.registry import ATTACKS
from workbench.synthetic.choice import SPLITS
from workbench.synthetic.threats.registry import default_attacks

NAMES = ("train.csv", "holdout.csv", "synthetic.csv")


@pytest.fixture(autouse=True)
def two_attacks(monkeypatch):
    """The attacks that learn take seconds; `tests/synthetic` has them."""
    few = {name: ATTACKS[name] for name in list(ATTACKS)[:2]}
    monkeypatch.setattr("workbench.synthetic.audit.ATTACKS", few)


def people(n, seed):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    return pd.DataFrame(
        {
            "age": np.round(50 + 12 * z + 5 * rng.normal(size=n)).astype(int),
            "pay": np.exp(10 + 0.5 * z + 0.4 * rng.normal(size=n)).round(2),
            "zip": rng.choice(["01234", "02345", "10115"], n),
            "job": rng.choice(["baker", "clerk", "driver"], n),
        }
    )


def write(folder, made):
    """Three files: a table that was split by coins, and a synthetic one made of its members."""
    split = wb.synthetic.split_by_coin(people(600, 0), seed=1)
    for part, name in zip((*split, made(split.train)), NAMES, strict=True):
        part.to_csv(folder / name, index=False)
    return folder


@pytest.fixture(scope="module")
def leaking(tmp_path_factory):
    """A synthetic table with copies of half of the members."""
    folder = tmp_path_factory.mktemp("leaking")
    return write(folder, lambda train: pd.concat([train.iloc[:150], people(150, 5)]))


@pytest.fixture(scope="module")
def private(tmp_path_factory):
    """A synthetic table that does not depend on the training table."""
    return write(tmp_path_factory.mktemp("private"), lambda train: people(300, 5))


def run(capsys, *words, status=0):
    assert main(["synthetic", *map(str, words)]) == status
    return capsys.readouterr()


def files(folder):
    return [folder / name for name in NAMES]


def audit(folder, **more):
    return wb.SyntheticAudit(*files(folder), seed=3, **more)


def test_the_answer_is_first_then_threats_then_remarks(capsys, leaking):
    said = run(capsys, *files(leaking), "--seed", 3, "--claim", "approx(0.1, 1e-5)", status=1).out
    lines = said.splitlines()
    bound = audit(leaking, claim="approx(0.1, 1e-5)").epsilon(1e-5)
    assert lines[0] == f"The synthetic table tells who was in the training table. {bound}"
    assert "columns: age (numeric), pay (numeric), zip (" in lines[2]
    places = [said.index(part) for part in ("is refuted", "threat  ", "Shown to leak, all together",
                                            "With 95% confidence", "random split")]  # fmt: skip
    assert places == sorted(places)
    assert "exact copies" in said
    assert "assume the coins alone" in said


def test_threats_are_those_of_the_audit(capsys, leaking):
    report = json.loads(run(capsys, *files(leaking), "--seed", 3, "--secret", "job", "--json").out)
    expected = audit(leaking).threats(default_attacks("job"))
    assert [one["label"] for one in report["threats"]] == [one.label for one in expected]
    for one, threat in zip(report["threats"], expected, strict=True):
        assert (one["hits"], one["members"]) == (threat.hits, threat.members)
        assert one["p_value"] == threat.p_value
        assert one["epsilon"]["value"] == threat.epsilon.value
        assert one["training_rows"] == threat.row[threat.is_member].tolist()
    assert "exact copies" in report["leaking"]
    copies = next(one for one in report["threats"] if one["label"] == "exact copies")
    assert sorted(copies["training_rows"]) == list(range(150))
    assert copies["held_out_hits"] == 0


def test_for_machines(capsys, leaking):
    words = (*files(leaking), "--seed", 3, "--claim", "approx(1, 1e-5)", "--claim", "gdp(9)")
    report = json.loads(run(capsys, *words, "--json", "--delta", "1e-4", status=1).out)
    found = audit(leaking)
    assert report["version"] == 1
    assert report["epsilon"]["value"] == found.epsilon(1e-4).value
    assert report["chosen"] == found.chosen
    assert report["tables"]["files"] == list(NAMES)
    assert report["tables"]["training"] + report["tables"]["holdout"] == 600
    assert report["tables"]["seed"] == 3
    kinds_of = {one["name"]: one["kind"] for one in report["tables"]["columns"]}
    assert kinds_of["job"] == "category"
    assert report["split"]["stated"] == "coin"
    assert report["claims"]["status"] == 1
    first, second = report["claims"]["verdicts"]
    assert first["verdict"] == "refuted"
    assert second["verdict"] != "refuted"
    # Two claims share the error probability.
    assert first["confidence"] == pytest.approx(0.975)
    assert first["p_value"] == found.judge("approx(1, 1e-5)").p_value


@pytest.mark.parametrize(("claim", "status"), [("approx(8, 1e-5)", 3), ("approx(0.1, 1e-5)", 3)])
def test_nothing_is_refuted_without_a_leak(capsys, private, claim, status):
    said = run(capsys, *files(private), "--seed", 3, "--claim", claim, status=status).out
    assert said.startswith("No leak is shown. That does not show that there is none.")
    assert "Shown to leak" not in said


def test_a_split_that_was_not_random_gives_estimates_and_no_verdict(capsys, leaking):
    words = (*files(leaking), "--split", "given", "--claim", "approx(0.1, 1e-5)", "--seed", 3)
    said = run(capsys, *words, status=4).out
    assert said.startswith("An estimate: the split was not drawn at random")
    assert "p compares two populations" in said
    report = json.loads(run(capsys, *words, "--json", status=4).out)
    assert report["epsilon"]["guarantee"] == "estimate"
    assert report["claims"]["verdicts"][0]["verdict"] == "not judged"
    assert {one["epsilon"] for one in report["threats"]} == {None}
    assert report["leaking"] == []


def test_a_part_of_fixed_size(capsys, leaking):
    words = (*files(leaking), "--split", "fixed-size", "--seed", 3, "--json")
    report = json.loads(run(capsys, *words).out)
    assert report["epsilon"]["assumption"] == "fair coins of pairs of records"
    assert report["threats"][0]["epsilon"]["assumption"] == "fair coins of pairs of records"


def test_units_columns_and_repeated_rows(capsys, tmp_path):
    first = people(600, 2)
    first["person"] = np.arange(600) // 3
    split = wb.synthetic.split_by_coin(first, unit="person", seed=1)
    made = people(300, 3)
    parts = (pd.concat([split.train, split.train.iloc[:3]]), split.holdout, made)
    for part, name in zip(parts, NAMES, strict=True):
        part.to_csv(tmp_path / name, index=False)
    words = (*files(tmp_path), "--seed", 3, "--unit", "person")
    stated = ("--columns", "zip=category", "job=left out", "--remove-copies")
    report = json.loads(run(capsys, *words, *stated, "--json").out)
    assert report["tables"]["units"] == 199
    assert report["tables"]["unit"] == "person"
    kinds_of = {one["name"]: one["kind"] for one in report["tables"]["columns"]}
    assert kinds_of["zip"] == "category"
    assert kinds_of["job"] == "left out"
    assert any(one["about"] == "repeated rows" for one in report["tables"]["remarks"])
    said = run(capsys, *words).out
    assert "--remove-copies leaves all copies out" in said


def test_a_named_attack_and_all_of_them(capsys, leaking):
    found = audit(leaking)
    for attack in ("all", found.attacks[0].name):
        words = (*files(leaking), "--seed", 3, "--attack", attack, "--json")
        report = json.loads(run(capsys, *words).out)
        assert report["epsilon"]["value"] == found.epsilon(1e-5, attack=attack).value
    said = run(capsys, *files(leaking), "--attack", "psychic", status=2).err
    assert "attack must be" in said


def test_markdown_junit_and_annotations(capsys, leaking):
    words = (*files(leaking), "--seed", 3, "--claim", "approx(0.1, 1e-5)", "--format")
    said = run(capsys, *words, "markdown", status=1).out
    assert said.startswith("### Synthetic table")
    assert "| `approx(0.1, 1e-5)` | **refuted** |" in said
    assert "| exact copies |" in said
    root = ElementTree.fromstring(run(capsys, *words, "junit", status=1).out)
    assert root.get("failures") == "1"
    said = run(capsys, *words, "github", status=1).out
    assert said.startswith("::error title=approx(0.1%2C 1e-5)%3A refuted::")
    for form in ("junit", "github"):
        said = run(capsys, *files(leaking), "--format", form, status=2).err
        assert "no claim was given" in said


def test_names_that_act_are_shown(capsys, tmp_path):
    name = "a\x1b[31m|b"
    split = wb.synthetic.split_by_coin(people(200, 0).rename(columns={"job": name}), seed=1)
    made = people(100, 1).rename(columns={"job": name})
    for part, file in zip((*split, made), NAMES, strict=True):
        part.to_csv(tmp_path / file, index=False)
    for form in ("text", "json", "markdown"):
        said = run(capsys, *files(tmp_path), "--format", form).out
        assert "\x1b" not in said
        assert "31m" in said


# -- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "three files are needed, got 0"),
        (("a.csv", "b.csv"), "three files are needed, got 2"),
        (("a.csv", "b.csv", "c.csv", "--out", "x"), "--out goes with --split-table"),
        (("--split-table", "a.csv"), "needs --out DIR"),
        (("a.csv", "--split-table", "a.csv", "--out", "x"), "leave out a.csv"),
        (("--split-table", "no.csv", "--out", "x"), "there is no file no.csv"),
        (("--split-table", "a.xlsx", "--out", "x"), "from a csv, tsv or parquet file"),
        (("a", "b", "c", "--columns", "age"), "write NAME=KIND"),
        (("no.csv", "no.csv", "no.csv"), "the training table"),
    ],
)
def test_refusals_name_the_remedy(capsys, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    assert said in run(capsys, *words, status=2).err


def test_refusals_name_options(capsys, leaking):
    said = run(capsys, *files(leaking), "--unit", "person", status=2).err
    assert "--unit person is no column" in said.replace("'", "")
    said = run(capsys, *files(leaking), "--secret", "jobs", status=2).err
    assert "--secret names 'jobs'" in said
    assert "did you mean 'job'" in said
    said = run(capsys, *files(leaking), "--columns", "jobs=category", status=2).err
    assert "--columns names" in said
    assert "columns=" not in said
    said = run(capsys, *files(leaking), "--columns", "job=word", status=2).err
    assert "--columns job=" in said
    train, holdout, made = files(leaking)
    said = run(capsys, train, made, holdout, "--claim", "approx(1)", status=2).err
    assert "--claim approx(1)" in said


def test_python_is_written_as_options():
    text = "state columns={'zip': 'category'}, duplicates=\"remove\" or split='given'"
    expected = "state --columns 'zip=category', --remove-copies or --split given"
    assert in_options(text) == expected


def test_kinds_of_columns():
    assert kinds(["a=numeric", "b=c=yes/no"]) == {"a": "numeric", "b=c": "yes/no"}
    with pytest.raises(ValueError, match="as numeric and as date"):
        kinds(["a=numeric", "a=date"])
    assert _SPLITS == SPLITS


# -- the split -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "unit"),
    [(".csv", None), (".csv", "person"), (".tsv", "person"), (".parquet", None)],
)
def test_a_table_is_split_and_its_script_makes_the_same_parts(capsys, tmp_path, kind, unit):
    first = people(300, 0).assign(person=lambda frame: frame.index // 2)
    path = tmp_path / f"table{kind}"
    if kind == ".parquet":
        first.to_parquet(path)
    else:
        first.to_csv(path, index=False, sep={".csv": ",", ".tsv": "\t"}[kind])
    out = tmp_path / "parts"
    more = [] if unit is None else ["--unit", unit]
    said = run(capsys, "--split-table", path, "--out", out, *more).out
    parts = [out / f"train{kind}", out / f"holdout{kind}"]
    assert f"workbench synthetic {parts[0]} {parts[1]} SYNTHETIC --split coin" in said
    script = (out / "split.py").read_text(encoding="utf-8")
    assert script in said
    again = tmp_path / "again"
    again.mkdir()
    subprocess.run([sys.executable, str(out / "split.py")], cwd=again, check=True)

    def rows(file):
        if kind == ".parquet":
            return pd.read_parquet(file).reset_index(drop=True)
        return pd.read_csv(file, sep={".csv": ",", ".tsv": "\t"}[kind])

    for part in parts:
        pd.testing.assert_frame_equal(rows(part), rows(again / part.name))
    sizes = [len(rows(part)) for part in parts]
    assert sum(sizes) == 300
    assert min(sizes) > 100
    if unit is not None:
        assert not set(rows(parts[0])["person"]) & set(rows(parts[1])["person"])


def test_a_split_keeps_cells_as_they_are_written(capsys, tmp_path):
    text = "zip,note\n" + "".join(f"0{i:04},NA\n" for i in range(100))
    (tmp_path / "t.csv").write_text(text)
    run(capsys, "--split-table", tmp_path / "t.csv", "--out", tmp_path / "p", "--seed", 7)
    parts = [(tmp_path / "p" / name).read_text().splitlines() for name in NAMES[:2]]
    assert sorted(parts[0][1:] + parts[1][1:]) == sorted(text.splitlines()[1:])
    expected = wb.synthetic.split_by_coin(pd.DataFrame({"i": range(100)}), seed=7).train["i"]
    assert parts[0][1:] == [f"0{i:04},NA" for i in expected]


def test_parts_that_are_there_are_not_split_again(capsys, tmp_path):
    people(100, 0).to_csv(tmp_path / "t.csv", index=False)
    words = ("--split-table", tmp_path / "t.csv", "--out", tmp_path / "p")
    run(capsys, *words)
    kept = (tmp_path / "p" / "train.csv").read_text()
    assert "is there already" in run(capsys, *words, status=2).err
    assert (tmp_path / "p" / "train.csv").read_text() == kept
