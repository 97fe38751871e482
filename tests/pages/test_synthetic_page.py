"""The page of synthetic tables: files and their roles, columns, the split, what voids a bound."""

import csv
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.assets.controls import Controls
from workbench.pages.core.page import Fact
from workbench.pages.core.upload import Download, NothingOffered, offered_file
from workbench.pages.synthetic import audit as measuring
from workbench.pages.synthetic import measured as results
from workbench.pages.synthetic.measured import MeasuredAudit
from workbench.pages.synthetic.page import SyntheticPage
from workbench.pages.synthetic.roles import ROLES, guess_roles
from workbench.synthetic.attacks.registry import ATTACKS
from workbench.workspaces.workspace import Workspace


def patients(n=600, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "id": [f"P{k:04d}" for k in range(n)],
            "age": rng.integers(18, 95, n),
            "sex": rng.choice(["f", "m"], n),
            "ward": rng.choice(["A", "B", "C"], n),
            "admitted": (
                pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
            ).strftime("%Y-%m-%d"),
            "weight": rng.normal(75, 15, n).round(1),
            "country": "DE",
        }
    )


def three(copies=100, seed=1, shared=0):
    """Three csv files of a generator that copies some records, by their names."""
    table = patients(seed=seed)
    train, holdout = wb.synthetic.split_by_coin(table, seed=seed)
    synthetic = patients(300, seed=seed + 100)
    synthetic.iloc[:copies] = train.iloc[:copies].to_numpy()
    holdout = pd.concat([holdout, train.iloc[:shared]])
    tables = {"train.csv": train, "holdout.csv": holdout, "synthetic.csv": synthetic}
    return tuple((name, frame.to_csv(index=False).encode()) for name, frame in tables.items())


@pytest.fixture(scope="module")
def files():
    return three()


def page_with(files, **more):
    page = SyntheticPage(workspace=Workspace())
    page.upload = files
    page.param.update(seed=7, **more)
    return page


@pytest.fixture
def quick(monkeypatch):
    """Two attacks that take a moment."""
    monkeypatch.setattr(results, "ATTACKS", dict(list(ATTACKS.items())[:2]))


@pytest.fixture(scope="module")
def measured(files):
    """The audit of the files, which takes a second or two."""
    page = page_with(files, split="coin")
    page.work.run("measure")
    assert not page.message
    return page


@pytest.fixture
def audited(files, measured):
    """A page on the files with that audit."""
    page = page_with(files, split="coin")
    page.work.show("measure", measured.work.shown("measure"))
    assert page.result() is measured.audited
    return page


# -- which file is which ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("synth.csv", "train.csv", "holdout.csv"), ("train.csv", "holdout.csv", "synth.csv")),
        (("c.csv", "real.csv", "fake.parquet"), ("real.csv", "c.csv", "fake.parquet")),
        (
            ("adults_ori.csv", "adults_syn_ctgan.csv", "adults_control.csv"),
            ("adults_ori.csv", "adults_control.csv", "adults_syn_ctgan.csv"),
        ),
        (
            ("synthetic_train.csv", "train_holdout.csv", "trainset.csv"),
            ("trainset.csv", "train_holdout.csv", "synthetic_train.csv"),
        ),
    ],
)
def test_names_say_which_file_is_which(names, expected):
    found = guess_roles(names)
    assert tuple(getattr(found, role) for role in ROLES) == expected
    assert found.by_name


def test_names_that_say_nothing_stand_as_they_were_given():
    found = guess_roles(("a.csv", "b.csv", "c.csv"))
    assert (found.training, found.holdout, found.synthetic) == ("a.csv", "b.csv", "c.csv")
    assert not found.by_name


def test_three_files_are_taken_and_the_page_says_which_is_which(files):
    page = page_with(files[::-1])
    assert page.source == "files"
    assert [page.training_file, page.holdout_file, page.synthetic_file] == [n for n, _ in files]
    said = page.provenance()
    assert said.startswith("Training: train.csv (")
    assert said.endswith("guessed from their names")
    page.training_file = "holdout.csv"  # the two change places
    assert (page.training_file, page.holdout_file) == ("holdout.csv", "train.csv")
    assert page.provenance().endswith("as chosen")
    assert page.result() is None


def test_files_may_come_one_by_one(files):
    page = page_with(files[:1])
    assert "2 more files" in str(page.answer())
    page.upload = files[1:2]
    assert "1 more file:" in str(page.answer())
    page.upload = files[2:]
    assert [file.name for file in page.upload] == [name for name, _ in files]
    assert page.three.files.keys() == set(ROLES)


def test_what_cannot_be_read_is_told_and_changes_nothing(files):
    page = page_with(files)
    page.upload = (*files, files[0])
    assert "4 files were given; choose three" in page.message
    assert len(page.upload) == 3
    page.upload = (("a.csv", b""), *files[:2])
    assert "empty" in page.message
    assert page.three.files.keys() == set(ROLES)


def test_files_of_one_name_are_told_apart(files):
    page = page_with(tuple(("data.csv", content) for _, content in files))
    assert page.three.files.keys() == set(ROLES)
    assert page.synthetic_file == "data.csv (3)"


def test_tables_that_do_not_fit_are_told(files):
    other = files[1][1].replace(b"weight", b"height")
    page = page_with((files[0], ("holdout.csv", other), files[2]))
    assert "different columns" in str(page.answer())
    assert "Different columns" not in page.message
    page.split = "coin"
    with pytest.raises(ValueError, match="different columns"):
        page.work.run("measure")
    assert "different columns" in page.message


# -- columns ------------------------------------------------------------------------------------


def test_columns_are_shown_and_can_be_changed(files):
    page = page_with(files)
    kinds = {column.name: column.kind for column in page.tables().columns}
    assert kinds == {
        **{"id": "left out", "age": "numeric", "sex": "category", "ward": "category"},
        **{"admitted": "date", "weight": "numeric", "country": "left out"},
    }
    said = page.columns_chart()["layout"]["meta"]["summary"]
    assert "id: left out: an id" in said
    assert "country: left out: constant" in said
    page.choose_column(0.5, 1.3)
    assert (page.column, page.kind) == ("age", None)
    page.kind = "category"
    assert page.typed.chosen == {"age": "category"}
    assert {c.name: c.kind for c in page.tables().columns}["age"] == "category"
    page.column = "ward"
    assert page.kind is None
    page.column = "age"
    assert page.kind == "category"
    page.kind = None
    assert page.kinds == "{}"


def test_rows_in_both_tables_are_told_and_left_out_on_request():
    page = page_with(three(shared=5))
    offered = {c.name for s in page.sections for c in s.controls if c.offered(page)}
    assert "without_copies" in offered
    assert "both tables" in page.table_warnings()
    before = page.tables().records
    page.without_copies = True
    assert page.tables().records == before - 10
    assert "'remove'" in page.code({}) or page.split is None


# -- the split, the answer and what voids it -----------------------------------------------------


def test_the_split_of_own_tables_is_asked_for(files):
    page = page_with(files)
    assert page.split is None
    assert "“Split”" in str(page.answer())
    with pytest.raises(ValueError, match="“Split”"):
        page.work.run("measure")
    page.split = "coin"
    assert "own fair coin" in page.split_buys()
    assert str(page.answer()) == "Nothing to conclude yet: Press “Audit the tables”."


def test_a_leak_is_answered_with_its_bound_and_its_assumption(audited):
    bound = audited.epsilon()
    assert bound.value > 1
    assert (bound.guarantee, bound.assumption, bound.void) == (
        "held-out", "independent fair coins", None,
    )  # fmt: skip
    answer = audited.answer()
    assert answer.words == "The synthetic table leaks"
    assert answer.evidence.startswith(f"ε ≥ {bound.rounded} at δ = 1e-5, 95%, by ")
    assert audited.copies().text.startswith("100 of ")
    assert "Threats that succeed more often on members" in audited.threat_words()
    named = audited.audited.named
    assert named[0].copied
    assert f"row {named[0].row:,} of the training table" in audited.record_words()


def test_a_move_of_a_slider_reads_no_table_and_scores_nothing(audited, monkeypatch):
    def touched(*args, **options):
        raise AssertionError("the tables were touched")

    [audited.draw(item) for item in audited.items()]
    monkeypatch.setattr(measuring, "SyntheticAudit", touched)
    monkeypatch.setattr("workbench.pages.synthetic.tables.read_synthetic_tables", touched)
    first = audited.epsilon().value
    audited.log_delta = -2.0
    audited.confidence = 0.99
    audited.guess_share = 30.0
    [audited.draw(item) for item in audited.items()]
    assert not audited.message
    assert audited.epsilon().value < first


def test_a_number_of_guesses_that_was_moved_gives_an_estimate(audited):
    assert audited.epsilon_here() == Fact("")
    audited.guess_share = 25.0
    here = audited.epsilon_here()
    assert here.void == measuring.MOVED
    assert audited.epsilon().void is None  # which rests on the number that was learned
    other = next(
        one.name for one in audited.result().attacks if one.name != audited.result().chosen
    )
    audited.attack = other
    assert audited.epsilon_here().void == measuring.OTHER


def test_what_is_stated_anew_after_results_marks_the_bound(audited, quick):
    assert audited.epsilon().void is None
    [audited.draw(item) for item in audited.items()]
    audited.kinds = '{"age": "category"}'
    assert audited.epsilon().void is None  # the result in view rests on what was stated before
    assert "have changed since" in audited.work.state("measure").words
    audited.work.run("measure")
    assert "kind of a column was changed after results were seen" in audited.epsilon().void
    assert audited.answer().tone == "void"


def test_a_split_that_was_not_random_gives_an_estimate(files, quick):
    page = page_with(files, split="given")
    page.work.run("measure")
    assert page.epsilon().guarantee == "estimate"
    answer = page.answer()
    assert answer.words == "Nothing may be concluded"
    assert "estimate only" in answer.evidence
    assert "no proof of a leak" in page.threat_words()


def test_a_split_that_cannot_be_random_has_its_badge_withdrawn(quick):
    table = patients().sort_values("age")
    parts = {"train.csv": table.iloc[:300], "holdout.csv": table.iloc[300:],
             "synthetic.csv": patients(300, seed=9)}  # fmt: skip
    files = tuple((n, frame.to_csv(index=False).encode()) for n, frame in parts.items())
    page = page_with(files, split="fixed-size")
    page.work.run("measure")
    assert page.epsilon().guarantee == "estimate"
    assert page.split_tested().note == "it was not random"
    assert "The split was not random" in page.split_buys()


def test_a_claim_is_judged(audited):
    audited.claim_kind = "approx"
    audited.claim_epsilon, audited.claim_delta = 0.5, 1e-5
    assert audited.answer().words == "Claim refuted"
    assert "is refuted" in audited.verdict_words()
    assert audited.reference().epsilon == pytest.approx(0.5)
    audited.claim_epsilon = 9.0
    assert audited.answer().words in ("Claim not refuted", "Too few records to judge")


# -- one table ----------------------------------------------------------------------------------


@pytest.fixture
def splitting():
    page = SyntheticPage(workspace=Workspace(), source="one table")
    table = patients()
    table["id"] = [f"{k // 2:05d}" for k in range(len(table))]  # two rows a person
    page.whole_upload = (("mine.csv", table.to_csv(index=False).encode()),)
    return page


def test_one_table_is_split_into_two_files_as_they_were_written(splitting):
    whole = splitting.whole_upload[0].content().decode().splitlines()
    parts = [offered_file(splitting, name) for name in ("training_part", "holdout_part")]
    assert [part.name for part in parts] == ["train.csv", "holdout.csv"]
    rows = [part.content.decode().splitlines() for part in parts]
    assert rows[0][0] == rows[1][0] == whole[0]
    assert sorted(rows[0][1:] + rows[1][1:]) == sorted(whole[1:])
    assert min(len(one) for one in rows) > 200
    splitting.split_unit = "id"
    sides = [
        {row[0] for row in csv.reader(StringIO(offered_file(splitting, name).content.decode()))}
        for name in ("training_part", "holdout_part")
    ]
    assert sides[0] & sides[1] == {"id"}
    assert "Train the generator on the training file alone" in splitting.split_words()
    assert splitting.answer().words == "Ready to be split"


@pytest.mark.parametrize("unit", ["", "id"])
def test_the_script_makes_the_same_split(splitting, unit, tmp_path, monkeypatch):
    splitting.split_unit = unit
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").write_bytes(splitting.whole_upload[0].content())
    exec(offered_file(splitting, "split_script").content.decode(), {})
    for name, file in (("training_part", "train.csv"), ("holdout_part", "holdout.csv")):
        mine = pd.read_csv(StringIO(offered_file(splitting, name).content.decode()))
        pd.testing.assert_frame_equal(pd.read_csv(file), mine)


def test_without_a_table_there_is_no_file_and_the_page_says_why():
    page = SyntheticPage(source="one table")
    for name in page.parameters_of_type(Download):
        with pytest.raises(NothingOffered, match="Choose the table"):
            offered_file(page, name)
    with pytest.raises(KeyError):
        offered_file(page, "split")
    kinds = {c["name"]: c for s in Controls(page).sections() for c in s["controls"]}
    assert kinds["split_script"]["kind"] == "download"
    assert all(kinds[name]["drops"] for name in ("upload", "whole_upload"))


# -- kept, given and written ---------------------------------------------------------------------


def test_an_audit_goes_through_json_without_its_tables(measured):
    found = measured.audited
    again = MeasuredAudit.from_dict(found.to_dict())
    for name in ("chosen", "all"):
        mine, other = (one.epsilon(1e-5, attack=name) for one in (found, again))
        assert (mine.value, mine.terms) == (other.value, other.terms)
    assert [one.explain() for one in again.threats()] == [one.explain() for one in found.threats()]
    assert again.named == found.named


def test_the_settings_bring_the_files_back(files):
    workspace = Workspace()
    for name, content in files:
        workspace.files.keep(name, content)
    page = SyntheticPage(workspace=workspace)
    page.upload = files
    page.split, page.unit = "coin", ""
    page.column = "age"
    page.kind = "category"
    again = SyntheticPage(workspace=workspace)
    assert again.restore(page.settings(), workspace.file) == []
    assert again.settings() == page.settings()
    assert again.answer() == page.answer()


def test_an_audit_that_is_given_is_shown_at_once(files):
    tables = [pd.read_csv(StringIO(content.decode())) for _, content in files]
    audit = wb.SyntheticAudit(*tables, split="coin", attacks=["distance"], seed=5)
    view = wb.explore(audit)
    assert view.epsilon == audit.epsilon(1e-5)
    assert isinstance(view.page, SyntheticPage)
    assert "# audit: as given in Python" in view.to_code()
    view.close()


def test_the_code_of_files_runs_beside_them(audited, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in files:
        Path(name).write_bytes(content)
    audited.claim_kind = "gdp"
    shown, _, view = audited.code({}).rpartition("view = ")
    assert view.startswith("wb.explore(audit")
    exec(shown, made := {})
    assert made["epsilon"].value == audited.epsilon().value
    assert made["together"].value == audited.together().value
    assert made["counted"][0] == int(audited.counted().text.split()[0].replace(",", ""))


def test_code_of_unfinished_tables_restores_the_page(files):
    page = page_with(files[:2])
    assert (
        page.code({"source": "files"})
        .strip()
        .endswith("view = wb.explore('synthetic', spec={'source': 'files'})")
    )
