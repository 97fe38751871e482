"""`workbench audit` with --series, --save and --baseline, and names that are more than letters."""

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from xml.etree import ElementTree

import pytest

import workbench as wb
from workbench._markup import code_span, escape_markdown, visible
from workbench.audits.series.spending import confidence_at
from workbench.cli import main

#: A name with all that has a meaning somewhere.
NASTY = (
    "<img src=x onerror=alert(1)> **bold** [a](http://b) `code` ``two`` | \"double\" 'single' & "
    "😀👩‍💻 é %0A ::error::forged, a:b {0} \\ $x$ @user #1"
)
CONTROL = "one\ntwo\r\n::error::forged\x1b[31mred\x07\u202eright to left\u2028end\t."


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("WORKBENCH_DATABASE", raising=False)
    yield
    wb.workspace().close()


@pytest.fixture
def scores(tmp_path):
    def write(mu, seed, n=1500, name=""):
        drawn = wb.GaussianPair(mu).sample(n, seed=seed)
        path = tmp_path / (name or f"scores-{mu}-{seed}.csv")
        rows = (f"{a},{b}" for a, b in zip(drawn.p, drawn.q, strict=True))
        path.write_text("\n".join(["in,out", *rows]))
        return path

    return write


@pytest.fixture
def audit(capsys):
    def run(*arguments):
        status = main(["audit", *map(str, arguments)])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


# -- a series ------------------------------------------------------------------------------------


def test_each_audit_of_a_series_has_its_own_level(audit, scores):
    for k, mu in ((1, 1), (2, 1), (3, 2)):
        path = scores(mu, k)
        status, said, _ = audit(path, "--series", "nightly", "--claim", "gdp(1)", "--json")
        report = json.loads(said)
        assert report["series"]["position"] == k
        assert report["series"]["confidence"] == confidence_at(k)
        assert report["series"]["left"] == pytest.approx(0.05 / (k + 1))
        assert {one["confidence"] for one in report["results"]} == {confidence_at(k), None}
        assert report["claims"]["verdicts"][0]["confidence"] == confidence_at(k)
        assert status == (1 if mu == 2 else 0)
    series = wb.workspace().audits.series("nightly")
    assert len(series) == 3
    assert [one.refuted for one in series] == [(), (), ("gdp(1)",)]
    assert [one.audit.name for one in series] == [f"nightly, audit {k}" for k in (1, 2, 3)]
    assert series.audits[2].audit.bounds["epsilon"].confidence == confidence_at(3)
    assert [one.audit.key for one in series] == series.to_frame()["key"].tolist()
    found = wb.workspace().audits.search(series="nightly")
    assert {one.position for one in found} == {1, 2, 3}


def test_the_same_scores_have_the_same_place_and_result(audit, scores):
    path = scores(1, 1)
    first = audit(path, "--series", "nightly", "--claim", "gdp(1)")
    audit(scores(1, 2), "--series", "nightly")
    again = audit(path, "--series", "nightly", "--claim", "gdp(1)")
    assert "nothing more was spent" in again[1]
    assert "nothing more was spent" not in first[1]
    numbers = [one[1].split("\nAudit 1 of the series")[0] for one in (first, again)]
    assert numbers[0] == numbers[1]
    key = re.search(r"\((\w+)\)\.$", first[1].strip())[1]
    assert key in again[1]
    assert len(wb.workspace().audits) == 2


def test_other_claims_on_the_same_scores_are_a_new_version(audit, scores):
    path = scores(1, 1)
    audit(path, "--series", "nightly", "--claim", "gdp(1)")
    audit(path, "--series", "nightly", "--claim", "gdp(2)")
    (newest,) = wb.workspace().audits.search()
    assert newest.versions == 2
    (place,) = wb.workspace().audits.series("nightly")
    assert place.verdicts == {"gdp(1)": "not refuted"}


def test_a_failed_audit_has_spent_its_place(audit, scores, monkeypatch):
    def fail(*arguments, **more):
        raise ValueError("broken")

    with monkeypatch.context() as broken:
        broken.setattr(import_module("workbench.bounds.power.judge"), "judge", fail)
        assert audit(scores(1, 1), "--series", "nightly", "--claim", "gdp(1)")[0] == 2
    (place,) = wb.workspace().audits.series("nightly")
    assert place.audit is None
    _, said, _ = audit(scores(1, 2), "--series", "nightly", "--json")
    assert json.loads(said)["series"]["position"] == 2


def test_a_removed_audit_gives_nothing_back(audit, scores):
    audit(scores(1, 1), "--series", "nightly")
    archive = wb.workspace().audits
    archive.remove("nightly, audit 1")
    archive.purge()
    _, said, _ = audit(scores(1, 2), "--series", "nightly", "--json")
    assert json.loads(said)["series"]["position"] == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--series", "nightly", "--confidence", "0.9"), "confidence of 95% .* cannot become 90%"),
        (("--series", ""), "the name of a series must have 1 to 200 characters"),
        (("--series", "x" * 201), "the name of a series must have 1 to 200"),
        (("--series", "nightly", "--delta", "0"), "--delta 0 cannot be saved"),
        (("--series", "nightly", "--delta", "2"), r"delta must lie in \[0, 1\)"),
        (("--series", "nightly", "--claim", "gdp(x)"), "mu must be a number"),
        (("--series", "nightly", "--baseline", "nothing"), "there is no audit 'nothing'"),
        (("--series", "nightly", "--format", "junit"), "add --claim"),
        (("--series", "nightly", "--format", "sarif"), "add --claim"),
        (("--note", "text"), "add --save NAME"),
        (("--tag", "x"), "add --save NAME"),
        (("--keep-scores",), "add --save NAME"),
    ],
)
def test_bad_input_spends_nothing(audit, scores, arguments, says):
    audit(scores(1, 9), "--series", "nightly")
    status, said, problem = audit(scores(1, 1), *arguments)
    assert (status, said) == (2, "")
    assert re.search(says, problem)
    assert len(wb.workspace().audits.series("nightly")) == 1


def test_a_series_has_the_confidence_that_it_began_with(audit, scores):
    audit(scores(1, 1), "--series", "strict", "--confidence", "0.99")
    assert audit(scores(1, 2), "--series", "strict")[0] == 0
    assert audit(scores(1, 3), "--series", "strict", "--confidence", "0.99")[0] == 0
    assert wb.workspace().audits.series("strict").confidence == 0.99


def test_the_place_and_the_budget_are_in_every_format(audit, scores):
    path = scores(1, 1)
    for form in ("text", "json", "markdown", "junit", "github", "sarif"):
        _, said, _ = audit(path, "--series", "nightly", "--claim", "gdp(2)", "--format", form)
        plain = said.replace("%25", "%")
        assert "97.5%" in plain or "0.975" in plain
        if form == "junit":
            facts = {one.get("name"): one.get("value")
                     for one in ElementTree.fromstring(said).iter("property")}  # fmt: skip
            assert facts["series position"] == "1"
            assert float(facts["series left"]) == pytest.approx(0.025)
        elif form in ("json", "sarif"):
            report = json.loads(said)
            found = report if form == "json" else report["runs"][0]["properties"]
            assert found["series"]["position"] == 1
            assert found["saved"]["name"] == "nightly, audit 1"
        else:
            assert "2.5% are spent and 2.5% left" in plain


# -- saved audits ----------------------------------------------------------------------------------


def test_an_audit_is_saved_as_the_page_would_show_it(audit, scores):
    path = scores(1, 1)
    options = ("--note", "a note", "--tag", "release", "--tag", "ci", "--claim", "gdp(0.5)")
    status, said, _ = audit(path, "--delta", "3e-6", "--save", "release 7", *options)
    assert status == 1
    assert "Saved as “release 7” (" in said
    saved = wb.workspace().audits["release 7"]
    assert (saved.page, saved.note, saved.tags) == ("scores", "a note", ("release", "ci"))
    assert saved.bounds["epsilon"].rounded in said
    assert saved.bounds["epsilon"].delta == 3e-6
    assert [one["verdict"] for one in saved.verdicts] == ["refuted"]
    assert saved.data[0].source == "File “scores-1-1.csv”"
    assert (saved.series, saved.position) == ("", 0)
    assert wb.workspace().audits.attachments("release 7") == ()


def test_the_code_of_a_saved_audit_computes_its_numbers_and_verdicts(audit, scores, monkeypatch):
    path = scores(1, 1)
    claims = ("gdp(0.5)", "dpsgd(noise=1, rate=0.01, steps=100)", "pure(9)")
    audit(path, "--series", "nightly", *(f"--claim={one}" for one in claims))
    saved = wb.workspace().audits["nightly, audit 1"]
    monkeypatch.chdir(path.parent)
    found = {}
    exec(saved.code.split("\nview = ")[0], found)
    assert found["epsilon"].value == saved.bounds["epsilon"].value
    assert [one.verdict for one in found["verdicts"]] == [one["verdict"] for one in saved.verdicts]
    assert [one.p_value for one in found["verdicts"]] == [one["p_value"] for one in saved.verdicts]


def test_an_archive_that_cannot_be_written_is_said_after_the_result(audit, scores, monkeypatch):
    from workbench.audits.archive import Archive
    from workbench.audits.errors import ArchiveError

    def fail(*arguments, **more):
        raise ArchiveError("the disk is full")

    monkeypatch.setattr(Archive, "save", fail)
    status, said, problem = audit(scores(1, 1), "--save", "x", "--claim", "gdp(0.5)")
    assert status == 2
    assert "The claim “gdp(0.5)” is refuted" in said
    assert "the disk is full" in problem


# -- a baseline ------------------------------------------------------------------------------------


@pytest.fixture
def release(audit, scores):
    audit(scores(1, 1), "--save", "release", "--keep-scores")


@pytest.mark.usefixtures("release")
def test_scores_that_leak_more_than_the_baseline_stop_a_build(audit, scores):
    status, said, _ = audit(scores(2, 2), "--baseline", "release")
    assert status == 1
    assert "the scores leak more at false positive rates" in said
    assert "Reading, parameters and software are the same." in said
    status, said, _ = audit(scores(1, 3), "--baseline", "release")
    assert status == 0
    assert "not shown to leak more at any false positive rate" in said
    status, said, _ = audit(scores(0.2, 3), "--baseline", "release")
    assert status == 0
    assert "they leak less at" in said


@pytest.mark.usefixtures("release")
def test_the_baseline_is_in_every_format(audit, scores):
    path = scores(2, 2)
    reports = {}
    for form in ("text", "json", "markdown", "junit", "github", "sarif"):
        status, reports[form], _ = audit(path, "--baseline", "release", "--format", form)
        assert status == 1
    assert json.loads(reports["json"])["baseline"]["verdict"] == "leaks more than the baseline"
    assert json.loads(reports["json"])["status"] == 1
    (case,) = ElementTree.fromstring(reports["junit"]).iter("testcase")
    assert case.get("name") == "baseline release"
    assert case.find("failure").get("type") == "leaks more than the baseline"
    assert reports["github"].startswith("::error title=leaks more than the baseline::")
    (result,) = json.loads(reports["sarif"])["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("baseline", "error")
    assert "the scores leak more at" in reports["markdown"]


@pytest.mark.usefixtures("release")
def test_every_verdict_on_an_imported_baseline_says_that_it_is_one(audit, scores, tmp_path):
    archive = wb.workspace().audits
    file = archive.export("release", tmp_path / "release.audit.zip")
    archive.remove("release")
    archive.purge()
    archive.add_file(file, "eve\x1b[31m")
    more, less = scores(2, 2), scores(0.2, 3)
    said = {}
    for path, verdict in ((more, "leaks more than"), (less, "not shown to leak more than")):
        for form in ("text", "json", "markdown", "junit", "github", "sarif"):
            said[form] = audit(path, "--baseline", "release", "--format", form)[1]
            assert "\x1b" not in said[form]
            if form != "sarif" or path is more:
                assert "imported baseline" in said[form], form
                assert "were not checked here" in said[form], form
        (case,) = ElementTree.fromstring(said["junit"]).iter("testcase")
        assert case.get("name") == "imported baseline release"
        found = json.loads(said["json"])["baseline"]
        assert found["verdict"] == f"{verdict} the imported baseline"
        assert found["imported"] == archive["release"].imported.to_dict()
    assert f"::notice title={found['verdict']}::" in said["github"]


def test_without_its_scores_a_baseline_never_stops_a_build(audit, scores):
    audit(scores(1, 1), "--save", "release")
    path = scores(3, 2)
    status, said, _ = audit(path, "--baseline", "release")
    assert status == 0
    assert "saved without its scores: only lower bounds can be put side by side" in said
    assert re.search(r"ε at δ = 1e-5 ≥ \S+ then and ≥ \S+ now", said)
    status, said, _ = audit(path, "--baseline", "release", "--format", "github")
    assert (status, said.count("::error")) == (0, 0)
    assert said.startswith("::notice title=cannot be compared with the baseline::")
    _, said, _ = audit(path, "--baseline", "release", "--format", "junit")
    assert ElementTree.fromstring(said).find("testsuite/testcase/skipped") is not None
    _, said, _ = audit(path, "--baseline", "release", "--format", "sarif")
    assert json.loads(said)["runs"][0]["results"] == []


def test_scores_in_the_workspace_are_those_of_the_baseline(audit, scores):
    path = scores(1, 1)
    audit(path, "--save", "release")
    assert main(["data", "add", str(path)]) == 0
    assert audit(scores(2, 2), "--baseline", "release")[0] == 1


@pytest.mark.usefixtures("release")
def test_a_baseline_is_a_file_too(audit, scores, tmp_path):
    archive = wb.workspace().audits
    file = archive.export("release", tmp_path / "release.audit.zip")
    archive.remove("release")
    archive.purge()
    assert audit(scores(2, 2), "--baseline", file)[0] == 1
    assert len(archive) == 0
    status, said, _ = audit(scores(2, 2), "--baseline", file, "--json")
    assert json.loads(said)["baseline"]["verdict"] == "leaks more than the imported baseline"
    file.write_bytes(b"no audit")
    status, _, problem = audit(scores(2, 2), "--baseline", file)
    assert status == 2
    assert "release.audit.zip" in problem


@pytest.mark.usefixtures("release")
def test_changes_of_reading_and_parameters_are_named(audit, scores):
    more = ("--delta", "1e-3", "--confidence", "0.99", "--sampling", "independent runs")
    _, said, _ = audit(scores(1, 2), "--baseline", "release", *more)
    assert "sampling was “unknown”, is “independent runs”" in said
    assert "δ was “1e-5”, is “0.001”" in said
    assert "confidence was “95%”, is “99%”" in said
    assert "ε at δ" not in said.split("Bounds:")[1]  # at another δ there is nothing to compare


@pytest.mark.usefixtures("release")
def test_a_new_version_of_the_software_is_named(audit, scores, monkeypatch):
    monkeypatch.setattr(
        "workbench.pages.auditing.audit_of.software", lambda: {"numpy": "0.1", "python": "9"}
    )
    _, said, _ = audit(scores(1, 2), "--baseline", "release", "--json")
    assert json.loads(said)["baseline"]["changes"]["numpy"]["now"] == "0.1"


@pytest.mark.usefixtures("release")
def test_a_comparison_in_a_series_is_at_the_level_of_its_audit(audit, scores):
    audit(scores(1, 5), "--series", "nightly")
    _, said, _ = audit(scores(1, 6), "--series", "nightly", "--baseline", "release", "--json")
    assert json.loads(said)["baseline"]["confidence"] == confidence_at(2)


# -- names -----------------------------------------------------------------------------------------


def outputs(audit, path, name):
    """All formats of an audit in a series, with a baseline and saved under a name."""
    options = ("--claim", "gdp(0.5)", "--series", name[:200], "--baseline", name, "--save", name)
    for form in ("text", "markdown", "junit", "github", "sarif", "json"):
        status, said, problem = audit(path, *options, "--format", form)
        assert status == 1, problem
        yield form, said


@pytest.mark.parametrize("name", [NASTY, CONTROL, "long " + "é" * 9995])
def test_names_are_text_in_every_format(audit, scores, name):
    path = scores(1, 1, n=300)
    assert audit(scores(1, 2, n=300), "--save", name, "--note", name, "--tag", "x")[0] == 0
    for form, said in outputs(audit, path, name):
        assert not {one for one in said if (ord(one) < 32 and one != "\n") or one in "\u202e\u2028"}
        if form in ("json", "sarif"):
            report = json.loads(said)
            found = report if form == "json" else report["runs"][0]["properties"]
            assert found["saved"]["name"] == name
            assert found["series"]["name"] == name[:200].strip()
        elif form == "junit":
            facts = {one.get("name"): one.get("value")
                     for one in ElementTree.fromstring(said).iter("property")}  # fmt: skip
            assert facts["saved as"] == visible(name)
        elif form == "github":
            lines = said.splitlines()
            assert all(re.match(r"::(error|notice|warning) title=[^:,]*::", one) for one in lines)
            assert len(lines) == 4
        elif form == "markdown":
            assert escape_markdown(f"Saved as “{visible(name)}”") in said
        else:
            assert f"Saved as “{visible(name)}” (" in said
        assert "\n::error::forged" not in said


def test_scores_that_were_seen_at_another_level_are_marked_in_every_format(audit, scores):
    path = scores(1, 1, n=300)
    assert audit(path, "--save", "release")[0] == 0
    changed = "the confidence was changed after results were seen"
    for form, said in outputs(audit, path, "release"):
        assert changed in said, form
        if form == "github":
            assert f"::warning title=not valid::No guarantee is valid here: {changed}." in said
        if form == "sarif":
            assert json.loads(said)["runs"][0]["properties"]["not_valid"] == changed


def test_what_acts_is_written_as_an_escape_and_everything_else_stays():
    assert visible(NASTY) == NASTY
    assert visible("é" * 10_000) == "é" * 10_000
    assert visible(CONTROL) == (
        r"one\ntwo\r\n::error::forged\x1b[31mred\x07\u202eright to left\u2028end\t."
    )
    assert visible("bad\udcff") == r"bad\udcff"
    assert code_span("a``b`") == "``` a``b` ```"


@pytest.mark.parametrize(
    "name", ["a<b>|`c`'d\" é😀 %0A, x:y.csv", "line\nbreak\x1b[31m.csv", b"bad\xffbytes.csv"]
)
def test_names_of_files_are_text_in_every_format(audit, scores, tmp_path, name):
    path = scores(1, 1, n=300)
    own = tmp_path / (os.fsdecode(name) if isinstance(name, bytes) else name)
    try:
        path.rename(own)
    except OSError:
        pytest.skip("this file system does not have such names")
    for form in ("text", "markdown", "junit", "github", "sarif", "json"):
        status, said, problem = audit(own, "--claim", "gdp(0.5)", "--format", form)
        assert status == 1, problem
        assert "\x1b" not in said
        if form in ("json", "sarif"):
            json.loads(said)
        elif form == "junit":
            ElementTree.fromstring(said)
    status, _, problem = audit(own, "--claim", "gdp(0.5)", "--save", "kept", "--keep-scores")
    assert status == 1, problem
    assert audit(scores(0.2, 2), "--baseline", "kept")[0] == 0
    status, _, problem = audit(own, "--p", "nothing", "--q", "out")
    assert status == 2
    assert "\x1b" not in problem


def test_names_of_files_forge_no_line_of_the_log(tmp_path):
    path = tmp_path / "a\n::error::forged\x1b[31m.csv"
    path.write_text("in,out\n" + "\n".join(f"{i},{i + 0.5}" for i in range(50)))
    done = subprocess.run([sys.executable, "-m", "workbench", "audit", str(path)],
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert r"a\n::error::forged\x1b[31m' (csv): P = column 'in'" in done.stderr
    assert "\n::error" not in done.stderr + done.stdout
