"""The command line, as people and scripts call it."""

import errno
import io
import json
import socket
import time
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from helpers.junit import assert_junit

import workbench as wb
from workbench.claims.parse import CLAIMS
from workbench.cli import main
from workbench.cli.serving.address import listening
from workbench.scores import opening
from workbench.scores.examples import card
from workbench.scores.parsing import source
from workbench.workspaces.home import ticket_end

GAUSSIAN = str(card("gaussian").path)


def test_audit_prints_each_number_with_its_guarantee(capsys, caplog):
    caplog.set_level("INFO")
    assert main(["audit", GAUSSIAN, "--delta", "1e-3", "--confidence", "0.9"]) == 0
    said = capsys.readouterr()
    bound = wb.epsilon_lower_bound(wb.read_scores(GAUSSIAN), 1e-3, 0.9)
    assert f"ε at δ = 0.001    ≥ {bound.rounded}" in said.out
    assert "simultaneous, 90%, assuming independent rows" in said.out
    assert "estimate" in said.out
    assert "P = column 'in'" in caplog.text


def test_audit_for_machines(capsys):
    assert main(["audit", GAUSSIAN, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["version"] == 1
    assert report["scores"]["n_p"] == 10_000
    assert {r["quantity"] for r in report["results"]} >= {"epsilon", "mu", "auc", "tpr"}
    assert all(r["guarantee"] for r in report["results"])


def test_audit_of_one_training_with_a_random_half(capsys):
    path = str(card("one-shot-private").path)
    assert main(["audit", path, "--json"]) == 0
    without = json.loads(capsys.readouterr().out)["results"]
    assert main(["audit", path, "--random-part", "--json"]) == 0
    *same, last = json.loads(capsys.readouterr().out)["results"]
    assert same == without
    tuned = wb.tune_one_run(wb.matched_pairs(wb.read_scores(path)), delta=1e-5).simultaneous
    assert (last["value"], last["seed"]) == (tuned.value, tuned.seed)
    assert last["assumption"] == "fair coins of pairs of records"
    assert main(["audit", GAUSSIAN, "--random-part", "--sampling", "independent runs"]) == 2
    assert "not of one" in capsys.readouterr().err


def test_audit_takes_the_layout_and_the_direction(tmp_path, capsys):
    path = tmp_path / "odd.csv"
    path.write_text("a,b\n" + "\n".join(f"{i},{i + 20}" for i in range(60)))
    assert main(["audit", str(path)]) == 2
    assert "Give --p and --q (one column" in capsys.readouterr().err
    assert main(["audit", str(path), "--p", "a", "--q", "b"]) == 4
    assert "--smaller-is-member" in capsys.readouterr().out
    assert main(["audit", str(path), "--p", "a", "--q", "b", "--smaller-is-member"]) == 0


def test_serve_takes_the_same_layout_and_reads_once(tmp_path, monkeypatch, capsys):
    served, read = [], []
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("workbench.server.app.serve", lambda app, *_, **__: served.append(app))
    monkeypatch.setattr(
        opening,
        "read_table",
        lambda path, **how: read.append(path) or source.read_table(path, **how),
    )
    path = tmp_path / "odd.csv"
    path.write_text("a,b\n" + "\n".join(f"{i},{i + 20}" for i in range(60)))
    assert main(["serve", str(path)]) == 2
    assert "Give --p and --q (one column" in capsys.readouterr().err
    read.clear()
    assert main(["serve", str(path), "--p", "b", "--q", "a", "--smaller-is-member"]) == 0
    (app,) = served
    for data_sets in (app.own, app.base):  # for the owner of the workspace, and for all others
        scores = data_sets.scores(data_sets.current)
        assert not scores.larger_is_member
        assert scores.p.tolist() == list(range(20, 80))
    assert read == [path]
    shown = app.by_name["scores"].first()
    assert json.loads(shown.text)["settings"]["data"] == app.base.current
    app.own.close()


def test_serve_keeps_data_sets_on_disk_for_this_machine_only(tmp_path, monkeypatch):
    served = []
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("workbench.server.app.serve", lambda *given, **_: served.append(given))
    assert main(["serve"]) == 0
    assert main(["serve", "--address", "0.0.0.0", "--no-auth"]) == 0
    (own, mine), (shared, theirs) = served
    key = (tmp_path / "home" / "key").read_text()
    assert ticket_end(key, mine.identity.owner.ticket()) > time.time()
    assert shared.own is None
    assert theirs.identity.owner is None
    own.own.close()


def test_a_file_of_labels_and_a_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    folder = tmp_path / "run"
    folder.mkdir()
    scores, labels = folder / "mia_scores.npy", folder / "mia_labels.npy"
    rng = np.random.default_rng(0)
    np.save(scores, np.r_[rng.normal(2, 1, 60), rng.normal(0, 1, 40)])
    np.save(labels, np.repeat([1.0, 0.0], [60, 40]))
    said = []
    for given in ([folder], [scores, "--labels", labels]):
        assert main(["audit", *map(str, given)]) == 0
        said.append(capsys.readouterr().out)
    assert "60" in said[0]
    assert said[0] == said[1]
    assert main(["audit", str(scores), str(labels)]) == 2
    assert "give it with --labels" in capsys.readouterr().err
    assert main(["audit", str(scores), str(scores), "--labels", str(labels)]) == 2
    assert "--labels goes with one FILE" in capsys.readouterr().err
    assert main(["data", "add", str(folder), "--name", "run"]) == 0
    out = capsys.readouterr().out
    assert "60 + 40 scores" in out
    assert "Files “mia_scores.npy” and “mia_labels.npy”" in out
    assert main(["audit", str(folder), "--save", "kept"]) == 0


def test_serve_takes_the_layout_of_two_files(tmp_path, monkeypatch):
    served = []
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("workbench.server.app.serve", lambda app, *_, **__: served.append(app))
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for path, shift in zip(paths, (5, 0), strict=True):
        path.write_text("a,b\n" + "\n".join(f"{i + shift},{-i}" for i in range(60)))
    assert main(["serve", *map(str, paths), "--p", "a", "--q", "a"]) == 0
    base = served[0].base
    assert base.scores(base.current).p.tolist() == list(range(5, 65))
    served[0].own.close()


def test_one_file_a_side(tmp_path, capsys):
    for name, shift in (("in", 1), ("out", 0)):
        rows = "\n".join(str(i + shift) for i in range(40))
        (tmp_path / f"{name}.csv").write_text("score\n" + rows)
    assert main(["audit", str(tmp_path / "in.csv"), str(tmp_path / "out.csv")]) == 0
    assert "n_p=40, n_q=40" in capsys.readouterr().out


TRUE, FALSE, HARD = "gdp(1)", "approx(1, 1e-5)", "pure(0)"


def audit(capsys, *arguments):
    """Exit status and standard output."""
    status = main(["audit", *map(str, arguments)])
    return status, capsys.readouterr().out


@pytest.fixture
def few(tmp_path):
    path = tmp_path / "few|ß.csv"
    path.write_text("in,out\n" + "\n".join(f"{i},{i + 0.5}" for i in range(20)))
    return path


def test_the_status_is_the_verdict(capsys, few):
    assert audit(capsys, GAUSSIAN, "--claim", TRUE)[0] == 0
    assert audit(capsys, GAUSSIAN, "--claim", FALSE)[0] == 1
    assert audit(capsys, few, "--claim", "pure(1)")[0] == 3
    # Of several claims a refuted one counts, then one that cannot be told.
    assert audit(capsys, GAUSSIAN, "--claim", TRUE, "--claim", FALSE)[0] == 1
    assert audit(capsys, few, "--claim", "gdp(1.5)", "--claim", "gdp(0.1)")[0] == 3


def test_text_explains_each_verdict(capsys):
    _, said = audit(capsys, GAUSSIAN, "--claim", TRUE, "--claim", FALSE)
    s = wb.read_scores(GAUSSIAN)
    for claim in (TRUE, FALSE):
        assert wb.judge(s, claim).explain() in said


def test_json_keeps_the_fields_of_version_1_and_adds_claims(capsys):
    _, without = audit(capsys, GAUSSIAN, "--format", "json")
    assert without == audit(capsys, GAUSSIAN, "--json")[1]
    status, said = audit(capsys, GAUSSIAN, "--json", "--claim", TRUE, "--claim", FALSE)
    report, claims = json.loads(without), json.loads(said)
    assert "claims" not in report
    for key in ("version", "scores", "results"):
        assert claims[key] == report[key]
    claims = claims["claims"]
    assert claims["version"] == 1
    assert claims["status"] == status == 1
    assert [v["claim"] for v in claims["verdicts"]] == [TRUE, FALSE]
    assert [v["verdict"] for v in claims["verdicts"]] == ["not refuted", "refuted"]
    refuted = claims["verdicts"][1]
    assert refuted["p_value"] < 0.05
    assert refuted["bounds"][0]["value"] > 1
    assert refuted["witness"]["fnr_upper"] < refuted["witness"]["claimed_fnr"]
    assert {p["mechanism"] for p in refuted["power"]} == {
        "randomized response without ties",
        "Gaussian",
    }


def test_json_has_no_numbers_that_json_lacks(capsys, few):
    def refuse(token):
        raise AssertionError(f"{token} is not JSON")

    few.write_text("in,out\n" + "\n".join(f"{i},{i + 0.5}" for i in range(4)))
    _, said = audit(capsys, few, "--json", "--claim", "approx(9, 1e-5)")
    report = json.loads(said, parse_constant=refuse)
    assert report["claims"]["verdicts"][0]["power"][0]["caught"] == "Infinity"


def test_markdown_is_tables(capsys, few):
    _, said = audit(capsys, few, "--format", "markdown", "--claim", "pure(1)")
    rows = [line for line in said.splitlines() if line.startswith("|")]
    # Three columns each, and no bar of a file's name opens a fourth.
    assert {row.replace("\\|", "").count("|") for row in rows} == {4}
    assert "| `pure(1)` | **too few samples** | about" in said
    assert "| μ | ≥ 0 | simultaneous, 95%, assuming independent rows |" in said
    assert "claim" not in audit(capsys, GAUSSIAN, "--format", "markdown")[1]


def test_junit_has_the_elements_that_jenkins_and_gitlab_read(capsys, few):
    claims = ("gdp(1.5)", "gdp(0.1)", "GDP(0.1)")
    status, said = audit(capsys, few, "--format", "junit", *(f"--claim={c}" for c in claims))
    assert status == 3
    assert said.isascii()
    root = ElementTree.fromstring(said)
    assert root.tag == "testsuites"
    assert_junit(root)
    suite = root.find("testsuite")
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    assert list(cases) == ["gdp(1.5)", "gdp(0.1)"]  # the same claim twice is one test
    assert all("few|ß" in case.get("classname") for case in cases.values())
    found = [len(suite.findall(f"testcase/{tag}")) for tag in ("failure", "skipped")]
    assert [suite.get(k) for k in ("tests", "failures", "skipped")] == ["2", *map(str, found)]
    assert "would suffice" in cases["gdp(0.1)"].find("skipped").get("message")


def test_junit_of_refuted_and_standing_claims(capsys):
    status, said = audit(
        capsys, GAUSSIAN, "--format", "junit", "--claim", TRUE, "--claim", FALSE, "--claim", HARD
    )
    assert status == 1
    true, false, hard = ElementTree.fromstring(said).iter("testcase")
    assert "not refuted" in true.find("system-out").text
    for case in (false, hard):
        assert case.find("failure").get("type") == "refuted"
        assert "Above the threshold" in case.find("failure").text


def test_the_same_audit_says_the_same(capsys, few):
    for form in ("json", "junit"):
        arguments = (few, "--format", form, "--claim", "gdp(0.1)")
        assert audit(capsys, *arguments) == audit(capsys, *arguments)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["audit", "nowhere.csv"], "nowhere.csv"),
        (["audit", GAUSSIAN, "--delta", "2"], "delta must lie in [0, 1)"),
        (["audit", GAUSSIAN, "--confidence", "0.05"], "did you mean 0.95"),
        (["audit", GAUSSIAN, GAUSSIAN, GAUSSIAN], "3 files were given"),
        (["audit", GAUSSIAN, "--claim", "private(1)"], "cannot read the claim 'private(1)'"),
        (["audit", GAUSSIAN, "--claim", "approx(2)"], "approx takes (epsilon, delta)"),
        (["audit", GAUSSIAN, "--claim", "approx(2, 1)"], "delta must lie in [0, 1)"),
        (["audit", GAUSSIAN, "--claim", "gdp(-1)"], "mu must be at least 0"),
        (["audit", GAUSSIAN, "--claim", "renyi(1, 1)"], "order must be above 1"),
        (["audit", GAUSSIAN, "--format", "junit"], "add --claim"),
        (["serve", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_bad_input_is_a_message_and_status_2(arguments, says, capsys):
    assert main(arguments) == 2
    assert says in capsys.readouterr().err


def test_examples_are_listed_with_their_truth(capsys):
    assert main(["examples"]) == 0
    said = capsys.readouterr().out
    for name in wb.examples()["name"]:
        assert name in said
    assert "ε = 4.377 at δ = 1e-5" in said


def test_an_unknown_format_is_status_2_too(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["audit", GAUSSIAN, "--format", "html"])
    assert stop.value.code == 2
    assert "markdown" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["audit", "test"])
def test_the_help_names_every_claim(command, capsys):
    """The commands do not import the registry: it would cost every call the time of scipy."""
    with pytest.raises(SystemExit):
        main([command, "--help"])
    said = capsys.readouterr().out
    assert [kind.word for kind in CLAIMS if f"{kind.word}(" not in said] == []


# -- what people get wrong ---------------------------------------------------------------------


@pytest.fixture
def losses(tmp_path):
    """A file of losses, which are smaller for members."""
    leaky = wb.GaussianPair(1).sample(2000, seed=0)
    path = tmp_path / "losses.csv"
    rows = [f"{-x},1" for x in leaky.p] + [f"{-x},0" for x in leaky.q]
    path.write_text("\n".join(["loss,is_member", *rows]))
    return path


def test_scores_read_the_wrong_way_are_not_green(losses, capsys):
    claim = ("--claim", "approx(0.5, 1e-5)")
    assert main(["audit", str(losses), *claim]) == 4
    said = capsys.readouterr()
    for text in (said.out, said.err):
        assert "Members score lower than non-members (AUC 0.2" in text
        assert "add --smaller-is-member; if not, --larger-is-member" in text
    assert main(["audit", str(losses)]) == 4  # the bounds of such a file say nothing, too
    assert main(["audit", str(losses), *claim, "--smaller-is-member"]) == 1
    capsys.readouterr()
    assert main(["audit", str(losses), *claim, "--larger-is-member"]) == 0
    assert "Members score lower" not in "".join(capsys.readouterr())
    with pytest.raises(SystemExit):
        main(["audit", str(losses), "--larger-is-member", "--smaller-is-member"])


def test_a_doubtful_direction_is_in_every_format(losses, capsys):
    for how in ("json", "markdown", "junit"):
        assert main(["audit", str(losses), "--claim", "gdp(1)", "--format", how]) == 4
    said = capsys.readouterr().out
    assert '"direction_in_doubt": true' in said
    assert "**Members score lower than non-members" in said
    suite = ElementTree.fromstring(said[said.index("<?xml") :].encode()).find("testsuite")
    assert suite.get("skipped") == "1"
    assert suite.find("testcase/skipped").get("type") == "direction in doubt"


def test_annotations_of_github(losses, few, capsys):
    claims = ("--claim", "approx(0.5, 1e-5)", "--claim", "gdp(1.5)", "--format", "github")
    assert main(["audit", str(losses), "--smaller-is-member", *claims]) == 1
    error, notice = capsys.readouterr().out.splitlines()
    assert error.startswith("::error title=approx(0.5%2C 1e-5)%3A refuted::The claim “approx(0.5, ")
    assert "with 95%25 confidence" in error
    assert notice.startswith("::notice title=gdp(1.5)%3A not refuted::")
    assert main(["audit", str(losses), *claims]) == 4
    said = capsys.readouterr().out.splitlines()
    assert said[-1].startswith("::warning title=direction in doubt::Members score lower")
    assert main(["audit", str(few), "--claim", "gdp(1)", "--format", "github"]) == 3
    assert capsys.readouterr().out.startswith("::warning title=gdp(1)%3A too few samples::")
    assert main(["audit", str(few), "--format", "github"]) == 2
    assert "add --claim 'gdp(1)'" in capsys.readouterr().err


def test_scores_that_leak_nothing_are_of_no_doubtful_direction(capsys):
    path = str(card("no-leak").path)
    assert main(["audit", path, "--claim", "approx(4, 1e-5)"]) == 0
    assert "Members score lower" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "claim",
    ["dpsgd(noise=1, rate=0.01, steps=100)", "dpsgd(1, 0.01, 100)", "laplace(0.1)", "gaussian(.1)"],
)
def test_a_pair_is_a_claim(losses, claim, capsys):
    assert main(["audit", str(losses), "--smaller-is-member", "--claim", claim]) == 1
    assert "The claim “no leakier than " in capsys.readouterr().out


def test_a_table_is_a_claim(losses, tmp_path, capsys):
    table = tmp_path / "Table (1).csv"
    table.write_text("epsilon,delta\n0.5,1e-5\n1,1e-6\n")
    claims = ("--claim", f"table({table})")
    assert main(["audit", str(losses), "--smaller-is-member", *claims]) == 1
    assert "no leakier than Table of 2 (ε, δ)" in capsys.readouterr().out
    assert main(["audit", str(losses), "--claim", f"table({tmp_path}/no.csv)"]) == 2
    assert "no.csv' cannot be read: No such file" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [".csv", ".npz", ".parquet"])
def test_the_standard_input(kind, tmp_path, monkeypatch, capsys):
    leaky = wb.GaussianPair(1).sample(200, seed=0)
    frame = pd.DataFrame({"in": leaky.p, "out": leaky.q})
    path = tmp_path / f"scores{kind}"
    if kind == ".csv":
        frame.to_csv(path, index=False)
    elif kind == ".npz":
        np.savez(path, **{"in": leaky.p, "out": leaky.q})
    else:
        frame.to_parquet(path)
    with path.open("rb") as opened:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(opened))
        assert main(["audit", "-", "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert (scores["name"], scores["n_p"]) == ("standard input", 200)
    assert main(["audit", "-", "-"]) == 2
    assert "the standard input (-) holds one file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["audit", GAUSSIAN, "--clam", "gdp(1)"], "did you mean '--claim'"),
        (["audit", GAUSSIAN, "--format", "jsn"], "did you mean 'json'?"),
        (["audti", GAUSSIAN], "did you mean 'audit', 'audits'?"),
        (["test", "svt5", "--trails=3"], "did you mean '--trials'"),
    ],
)
def test_a_mistyped_option_is_answered_with_the_usage_of_its_command(arguments, says, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    said = capsys.readouterr().err
    assert says in said
    if "--" in arguments[-1] or len(arguments) > 2:
        assert said.startswith(f"usage: workbench {arguments[0]} ")


def test_no_command_is_answered_with_the_help(capsys):
    assert main([]) == 0
    assert "the main numbers of a file, and verdicts on claims" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(errno.EADDRINUSE, "Address in use"), "port 6000 is in use, .* --port 6001"),
        (PermissionError(errno.EACCES, "Denied"), "port 6000 is reserved for the system"),
        (OSError(errno.EADDRNOTAVAIL, "No"), "--address: this computer does not have"),
        (socket.gaierror(-2, "Name unknown"), "'here' is no address of this computer"),
    ],
)
def test_a_server_that_cannot_listen(error, says):
    with pytest.raises(ValueError, match=says), listening(6000, "here"):
        raise error


def test_a_port_out_of_range():
    with pytest.raises(ValueError, match="--port must lie between 0 and 65535, got 99999"):
        listening(99999, "localhost").__enter__()
    with pytest.raises(OSError, match="disk"), listening(6000, "here"):
        raise OSError(errno.ENOSPC, "disk")


def test_refusals_name_options_and_leave_code_as_it_is(tmp_path, capsys):
    np.save(tmp_path / "two.npy", np.zeros((3, 4)))
    assert main(["audit", str(tmp_path / "two.npy")]) == 2
    assert "np.savez('scores.npz', p=a[:, 0], q=a[:, 1])" in capsys.readouterr().err
    path = tmp_path / "users.csv"
    path.write_text("score,member,user\n" + "\n".join(f"{i},{i % 2},u{i}" for i in range(60)))
    assert main(["audit", str(path), "--cluster", "user", "--sampling", "one run"]) == 2
    assert "leave out one of --cluster and --sampling 'one run'" in capsys.readouterr().err
    assert main(["audit", str(path), "--p", "score", "--q", "score"]) == 2
    assert "--p and --q name the same column 'score'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("claim", "says"),
    [
        ("dpsgd(noise=0, rate=0.1, steps=10)", "noise must be above 0"),
        ("dpsgd(noise=1, rate=2, steps=10)", "rate must lie in (0, 1], got 2.0"),
        ("dpsgd(noise=1, rate=0, steps=10)", "rate must lie in (0, 1]"),
        ("dpsgd(noise=1, rate=0.1, steps=0.5)", "steps must be a whole number"),
    ],
)
def test_a_claim_is_refused_in_its_own_words(claim, says, capsys):
    assert main(["audit", GAUSSIAN, "--claim", claim]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["audit", GAUSSIAN, "--delta", "2"], "workbench: --delta must lie in [0, 1)"),
        (["audit", GAUSSIAN, "--confidence", "95"], "workbench: --confidence must lie strictly"),
        (["audit", GAUSSIAN, "--claim", "approx(2, 1)"], "--claim approx(2, 1): delta must lie in"),
        (["test", "noisy-max", "--must-detect", "0.5"], "workbench: --must-detect must be above"),
        (["test", "noisy-max", "--time-limit", "-1"], "workbench: --time-limit must be above 0"),
        (["test", "noisy-max", "--samples", "3"], "workbench: --samples must be a whole number"),
        (["test", "noisy-max", "--testers", "x"], "workbench: --testers must be one of"),
    ],
)
def test_refusals_name_the_option_that_gave_the_value(arguments, says, capsys):
    assert main(arguments) == 2
    assert says in capsys.readouterr().err
