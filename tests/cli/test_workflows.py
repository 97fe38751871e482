"""The workflows of the documentation: they are YAML, and what they run does what they say."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

import workbench as wb

WORKFLOWS = Path(__file__).parents[2] / "docs" / "workflows"
GITHUB = yaml.safe_load((WORKFLOWS / "privacy-audit.yml").read_text(encoding="utf-8"))
GITLAB = yaml.safe_load((WORKFLOWS / "privacy-audit.gitlab-ci.yml").read_text(encoding="utf-8"))


@pytest.fixture
def shell(tmp_path):
    """Runs a script as a runner does, with `workbench` on the path."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, module in (("workbench", "-m workbench"), ("python", "")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
        program.chmod(0o755)
    folder = tmp_path / "checkout"
    folder.mkdir()

    def run(script, variables):
        root = str(Path(wb.__file__).parents[1])
        given = {
            **os.environ,
            **{name: str(value) for name, value in variables.items()},
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": root,
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        }
        return subprocess.run(
            ["bash", "-e", "-c", script], cwd=folder, env=given, capture_output=True, text=True,
            timeout=300, check=False,
        )  # fmt: skip

    run.folder = folder
    return run


def losses(path, mu, seed):
    drawn = wb.GaussianPair(mu).sample(800, seed=seed)
    rows = [f"{-x},1" for x in drawn.p] + [f"{-x},0" for x in drawn.q]
    path.write_text("\n".join(["loss,is_member", *rows]))


def steps():
    return GITHUB["jobs"]["privacy-audit"]["steps"]


def test_the_workflow_has_what_a_runner_needs():
    (audit,) = [step for step in steps() if step.get("id") == "audit"]
    assert "schedule" in GITHUB[True]  # YAML reads `on` as true
    assert GITHUB["permissions"]["security-events"] == "write"
    kept = [step["with"] for step in steps() if "actions/cache" in step.get("uses", "")]
    assert len(kept) == 2
    assert {one["path"] for one in kept} == {GITHUB["env"]["WORKBENCH_HOME"]}
    assert len({one["key"] for one in kept}) == 1
    # What comes after the audit also runs where it fails the build.
    after = steps()[steps().index(audit) + 1 :]
    assert len(after) == 3
    assert all(step["if"].startswith("always()") for step in after)
    wb.parse_claim(GITHUB["env"]["CLAIM"])
    wb.parse_claim(GITLAB["privacy-audit"]["variables"]["CLAIM"])


@pytest.mark.exhaustive
@pytest.mark.slow
def test_what_the_workflow_runs(shell):
    (audit,) = [step for step in steps() if step.get("id") == "audit"]
    variables = {**GITHUB["env"], "CLAIM": "gdp(1)"}
    for night, (mu, status) in enumerate(((1, 0), (2, 1)), start=1):
        losses(shell.folder / "scores.csv", mu, night)
        done = shell(audit["run"], variables)
        assert done.returncode == status, done.stderr
        assert f"title=series nightly%3A audit {night}::" in done.stdout
        log = json.loads((shell.folder / "privacy-audit.sarif").read_text())
        assert len(log["runs"][0]["results"]) == status
        assert log["runs"][0]["properties"]["series"]["position"] == night
        assert "### Privacy audit" in (shell.folder / "summary.md").read_text()
        report = (shell.folder / "privacy-audit.html").read_text(encoding="utf-8")
        assert f"nightly, audit {night}" in report
    archive = wb.workspace(shell.folder / ".workbench").audits
    assert len(archive.series("nightly")) == len(archive) == 2


@pytest.mark.exhaustive
@pytest.mark.slow
def test_the_workflow_compares_with_the_baseline_in_the_repository(shell, tmp_path):
    losses(shell.folder / "scores.csv", 1, 0)
    home = {"WORKBENCH_HOME": str(tmp_path / "mine")}
    done = shell(
        "workbench audit scores.csv --smaller-is-member --save release --keep-scores", home
    )
    assert done.returncode == 0, done.stderr
    wb.workspace(tmp_path / "mine").audits.export("release", shell.folder / "baseline.audit.zip")
    (audit,) = [step for step in steps() if step.get("id") == "audit"]
    losses(shell.folder / "scores.csv", 2, 1)
    done = shell(audit["run"], {**GITHUB["env"], "CLAIM": "gdp(5)"})
    assert done.returncode == 1, done.stderr
    assert "::error title=leaks more than the imported baseline::" in done.stdout


def test_bad_input_stops_the_workflow_without_a_report(shell):
    (audit,) = [step for step in steps() if step.get("id") == "audit"]
    done = shell(audit["run"], GITHUB["env"])  # no scores
    assert done.returncode == 2
    assert "scores.csv" in done.stderr
    assert not (shell.folder / "privacy-audit.sarif").exists()


def test_what_gitlab_runs(shell):
    job = GITLAB["privacy-audit"]
    losses(shell.folder / "scores.csv", 1, 0)
    home = {"WORKBENCH_HOME": str(shell.folder / ".workbench"), "CLAIM": "gdp(1)"}
    done = shell("\n".join(job["script"]), {**job["variables"], **home})
    assert done.returncode == 0, done.stderr
    report = ElementTree.fromstring(
        (shell.folder / job["artifacts"]["reports"]["junit"]).read_text()
    )
    assert report.find("testsuite").get("tests") == "1"
    assert job["cache"]["paths"] == [".workbench"]


# -- the action, and the hooks for pre-commit -----------------------------------------------------

ROOT = WORKFLOWS.parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def action_step():
    (step,) = [one for one in ACTION["runs"]["steps"] if one.get("id") == "audit"]
    return step


@pytest.fixture
def act(shell):
    """Runs the audit of the action with inputs, and gives its outputs."""

    def run(**given):
        inputs = {n: str(one.get("default", "")) for n, one in ACTION["inputs"].items()} | given
        named = {
            name: inputs[re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)[1]]
            for name, value in action_step()["env"].items()
        }
        outputs = shell.folder / "outputs"
        outputs.write_text("")
        done = shell(action_step()["run"], {**named, "GITHUB_OUTPUT": outputs})
        return done, outputs.read_text()

    return run


def test_inputs_of_the_action_are_never_commands():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert "uses" in step or step["shell"] == "bash"
    used = re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8"))
    assert set(used) == ACTION["inputs"].keys()
    assert ACTION["runs"]["using"] == "composite"


@pytest.mark.slow
def test_the_action_ends_with_the_verdict(shell, act):
    losses(shell.folder / "my scores.csv", 2, 1)
    given = {"scores": "my scores.csv", "direction": "smaller-is-member", "sarif": "a.sarif"}
    done, outputs = act(**given, claim="gdp(1)\ngdp(5)", options="--confidence\n0.9")
    assert done.returncode == 1, done.stderr
    assert outputs == "status=1\n"
    assert "::error title=gdp(1)%3A refuted::" in done.stdout
    assert "gdp(5)" in done.stdout
    assert len(json.loads((shell.folder / "a.sarif").read_text())["runs"][0]["results"]) >= 1
    assert "### Privacy audit" in (shell.folder / "summary.md").read_text()


@pytest.mark.slow
def test_the_action_may_pass_where_there_are_too_few_samples(shell, act):
    (shell.folder / "scores.csv").write_text("loss,is_member\n1,1\n2,0\n1.5,1\n2.5,0\n")
    given = {"scores": "scores.csv", "direction": "smaller-is-member", "claim": "gdp(1)"}
    for choice, status in (("fail", 3), ("pass", 0)):
        done, outputs = act(**given, **{"too-few-samples": choice})
        assert done.returncode == status, done.stderr
        assert outputs == "status=3\n"


def test_bad_input_stops_the_action(shell, act):
    done, outputs = act(scores="$(touch owned).csv", claim="gdp(1)")
    assert done.returncode == 2
    assert outputs == "status=2\n"
    assert not (shell.folder / "owned").exists()
    assert not (shell.folder / "summary.md").exists()


@pytest.mark.slow
def test_the_hooks_run_the_command_line(shell):
    hooks = {hook["id"]: hook for hook in HOOKS}
    assert hooks.keys() == {"workbench-audit-scores", "workbench-test-mechanism"}
    for hook in hooks.values():
        assert hook["language"] == "python"
        assert hook["pass_filenames"] is False
    losses(shell.folder / "scores.csv", 2, 1)
    entry = hooks["workbench-audit-scores"]["entry"]
    done = shell(f'{entry} scores.csv --smaller-is-member --claim "gdp(1)"', {})
    assert done.returncode == 1, done.stderr
    assert "is refuted" in done.stdout
    (shell.folder / "release.py").write_text(
        "def release(dataset, size, rng):\n    return dataset.sum() + rng.laplace(size=size)\n"
    )
    entry = hooks["workbench-test-mechanism"]["entry"]
    done = shell(f'{entry} release.py:release --claim "pure(1)" --trials 1 --samples 4000', {})
    assert done.returncode in (0, 3), done.stderr
    assert "pure(1)" in done.stdout


def test_the_documentation_shows_the_hooks_and_inputs_that_there_are():
    page = (ROOT / "docs" / "continuous-integration.md").read_text(encoding="utf-8")
    for hook in HOOKS:
        assert f"`{hook['id']}`" in page
    shown = re.search(r"- uses: OWNER.*?```", page, re.DOTALL)[0]
    assert set(re.findall(r"^    ([\w-]+):", shown, re.MULTILINE)) <= ACTION["inputs"].keys()
