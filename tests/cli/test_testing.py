"""The helper for test suites: passes, fails with words, and fails when it could not have told."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import workbench as wb
from workbench.cli import main
from workbench.mechanisms.gallery import GALLERY
from workbench.testers.mechanism_audit import MechanismAudit
from workbench.testing import AuditFailure, assert_no_violation, assert_not_refuted

QUICK = {"testers": ("hockey-stick",), "trials": 4, "samples": 4000}


def private(dataset, size, rng):
    return np.sum(dataset) + rng.laplace(size=size)


def broken(dataset, size, rng):
    return np.sum(dataset) + rng.laplace(scale=0.1, size=size)


def test_a_private_mechanism_passes_and_the_result_says_what_would_have_been_found():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        audit = assert_no_violation(private, "pure(1)", **QUICK)
    assert isinstance(audit, MechanismAudit)
    assert audit.verdict == "none found"
    assert 1 < audit.least_detectable() < 2
    assert "a leak of ε ≥ " in audit.explain()
    assert audit.seed == 0


def test_a_broken_one_fails_with_words():
    with pytest.raises(AssertionError) as caught:
        assert_no_violation(broken, wb.PureDP(1), **QUICK)
    said = str(caught.value)
    assert "broken, which claims pure(1): violation found: ε ≥ " in said
    assert "where 1 is claimed" in said
    assert "Dataset: [" in said
    assert "neighbor: [" in said
    assert "fails this test for at most 5% of all seeds" in said
    assert "error.audit.replay()" in said
    replay = caught.value.audit.replay()
    assert replay.violation
    with pytest.raises(AssertionError) as again:  # the same seed says the same
        assert_no_violation(broken, "pure(1)", **QUICK)
    assert str(again.value) == said


def test_the_false_alarm_rate_is_the_confidence_asked():
    with pytest.raises(AuditFailure, match=r"at most 0\.1% of all seeds; this is seed 3"):
        assert_no_violation(broken, "pure(1)", confidence=0.999, seed=3, **QUICK)


def test_an_audit_that_could_not_have_told_fails_when_it_must():
    assert assert_no_violation(private, "pure(1)", must_detect=2, **QUICK)
    with pytest.raises(AuditFailure, match="too weak: a leak of ε") as caught:
        assert_no_violation(private, "pure(1)", must_detect=1.1, **QUICK)
    assert "give more samples (4,000 in each trial)" in str(caught.value)
    assert "none found in 4 trials" in str(caught.value)
    # The number that it names is the number that passes.
    least = caught.value.audit.least_detectable()
    assert assert_no_violation(private, "pure(1)", must_detect=least, **QUICK)
    few = QUICK | {"samples": 50}
    with pytest.raises(AuditFailure, match="too weak"):
        assert_no_violation(private, "approx(4, 1e-5)", must_detect=8, **few)
    with pytest.raises(AuditFailure, match="80%, only none, however large; give more samples"):
        assert_no_violation(private, "pure(20)", must_detect=40, **few)


def test_nothing_tested_is_no_pass():
    def raises(dataset, size, rng):
        raise KeyError("column")

    with pytest.raises(AuditFailure, match=r"nothing tested in 4 trials: .*KeyError: 'column'"):
        assert_no_violation(raises, "pure(1)", **QUICK)


def test_lost_trials_are_a_warning():
    def fails_on_three(dataset, size, rng):
        if len(dataset) == 3:
            raise ValueError("three are a crowd")
        return private(dataset, size, rng)

    pairs = [([0.0] * n, [0.0] * n + [1.0]) for n in (1, 2, 4, 5)]
    with pytest.warns(UserWarning, match="1 of 4 trials were lost: .*three are a crowd") as caught:
        assert_no_violation(fails_on_three, "pure(1)", datasets=pairs, **QUICK)
    assert caught[0].filename == __file__


def test_text_and_the_gallery(capsys):
    assert assert_no_violation("noisy-max", **QUICK).name == "noisy-max"
    assert assert_no_violation(GALLERY["noisy-max"], **QUICK).claim == wb.PureDP(1)
    assert assert_no_violation(f"{__file__}:private", "pure(1)", **QUICK).verdict == "none found"


def test_the_evidence_is_saved_for_the_command_line(tmp_path, capsys):
    path, target = tmp_path / "found.json", f"{__file__}:broken"
    with pytest.raises(AuditFailure, match=f"The evidence is in {path}"):
        assert_no_violation(target, "pure(1)", save=path, **QUICK)
    assert main(["test", target, "--replay", str(path)]) == 1
    assert "confirmed on fresh samples" in capsys.readouterr().out
    path.unlink()
    assert_no_violation(private, "pure(1)", save=path, **QUICK)
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((private, "pure(1)", 1.0), "must_detect must be above what is claimed, 1, got 1.0"),
        ((private, "gdp(2)", 1), "above what is claimed, 2"),
        ((private, "pure(1)", "much"), "must_detect must be a number"),
        ((private, wb.LaplacePair(1), 2), "needs a claim with a parameter"),
        ((private, None, None), "what does the mechanism claim?"),
        (("svt55", None, None), "did you mean svt5"),
        ((3, "pure(1)", None), "must be a function"),
    ],
)
def test_bad_input_is_no_failure_of_the_mechanism(arguments, says):
    mechanism, claim, must_detect = arguments
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        assert_no_violation(mechanism, claim, must_detect=must_detect, **QUICK)
    assert says in str(caught.value)


PROJECT = """
import unittest
from functools import partial
import numpy as np
from workbench.testing import assert_no_violation

check = partial(
    assert_no_violation, claim="pure(1)", testers=["hockey-stick"], trials=4, samples=4000
)

def release(dataset, size, rng, scale=1.0):
    return np.sum(dataset) + rng.laplace(scale=scale, size=size)

class TestRelease(unittest.TestCase):
    def test_private(self):
        check(release, must_detect=2)

    def test_broken(self):
        check(partial(release, scale=0.1))
"""


@pytest.mark.parametrize("runner", [["pytest", "-p", "no:cacheprovider"], ["unittest"]])
@pytest.mark.slow
def test_in_a_suite_of_its_own(tmp_path, runner):
    (tmp_path / "test_release.py").write_text(PROJECT)
    done = subprocess.run(
        [sys.executable, "-m", *runner, "test_release.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(wb.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert "1 failed, 1 passed" in said or "FAILED (failures=1)" in said
    assert "violation found: ε ≥ " in said
    assert "of all seeds; this is seed 0" in said
    if runner[0] == "pytest":
        assert "def assert_no_violation" not in said  # the traceback is of the test


# -- scores ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def leaky():
    return wb.GaussianPair(1).sample(5000, seed=0)


def test_scores_that_refute_a_claim_fail_with_the_evidence(leaky):
    with pytest.raises(AssertionError, match="is refuted with 95% confidence"):
        assert_not_refuted(leaky, "gdp(0.5)")
    with pytest.raises(AssertionError, match=r"q = 0\.01, 1000 steps” is refuted"):
        assert_not_refuted(leaky, "dpsgd(noise=1, rate=0.01, steps=1000)")
    assert assert_not_refuted(leaky, "gdp(1)").verdict == "not refuted"


def test_too_few_scores_fail_too():
    few = wb.GaussianPair(1).sample(20, seed=0)
    with pytest.raises(AssertionError, match="Too few samples to tell"):
        assert_not_refuted(few, "gdp(1)")


def test_a_leak_that_must_be_detected(leaky):
    assert assert_not_refuted(leaky, "gdp(1)", must_detect=1.5).power[0].caught < 1.5
    with pytest.raises(AssertionError, match=r"must_detect is 1.01: give more scores"):
        assert_not_refuted(leaky, "gdp(1)", must_detect=1.01)
    with pytest.raises(ValueError, match="above what is claimed"):
        assert_not_refuted(leaky, "gdp(1)", must_detect=0.5)


def test_scores_that_were_read_the_wrong_way_are_warned_about(leaky):
    wrong = wb.Scores(leaky.p, leaky.q, larger_is_member=False)
    with pytest.warns(UserWarning, match="is the direction right"):
        assert_not_refuted(wrong, "approx(2, 1e-5)")


def test_a_verdict_is_neither_true_nor_false(leaky):
    verdict = wb.judge(leaky, "gdp(0.5)")
    assert verdict.refuted
    assert not wb.judge(leaky, "gdp(2)").refuted
    with pytest.raises(TypeError, match=r"this one is 'refuted'\): ask for verdict.refuted"):
        bool(verdict)


def test_a_p_value_below_round_off_is_not_quoted(leaky):
    verdict = wb.judge(leaky, "gdp(0.1)")
    assert verdict.p_value < 1e-12
    assert "probability of less than 1e-12." in verdict.explain()
    assert "&lt; 1e-12" in verdict._repr_html_() or "< 1e-12" in verdict._repr_html_()
    weaker = wb.judge(leaky, "gdp(0.9)")
    assert 1e-12 < weaker.p_value < 0.05
    assert "probability of at most 0.0" in weaker.explain()
