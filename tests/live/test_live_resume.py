"""An audit of canaries that goes on after a crash: what is kept, and what is refused."""

import numpy as np
import pytest

import workbench as wb
from workbench.live.looks import LookPlan


def made_canaries(seed=1, **more):
    return wb.live.RecordCanaries(60, seed=seed, **more)


def audit_of(path, seed=1, **more):
    given = {"steps": 40, "claim": "pure(0.1)"} | more
    return wb.live.CanaryAudit(made_canaries(seed), path=path, resume=True, **given)


def feed(audit, last, seed=0):
    rng = np.random.default_rng(seed)
    while audit.step < last:
        audit.observe(3 * audit.canaries.included + rng.standard_normal(60))


@pytest.mark.parametrize("steps", [40, None])
def test_what_was_found_is_found_again(tmp_path, steps):
    path = tmp_path / "c.csv"
    first = audit_of(path, steps=steps)
    feed(first, 25)
    second = audit_of(path, steps=steps)
    assert second.step == second.last_look == first.last_look
    assert (second.bound, second.mu, second.refuted) == (first.bound, first.mu, True)
    np.testing.assert_array_equal(second.state.n, first.state.n)
    np.testing.assert_array_equal(second.state.values, first.state.values)
    assert second.state.refuted_at == first.state.refuted_at
    np.testing.assert_array_equal(second.run.scores, first.run.scores)
    feed(second, 40)
    assert len(set(second.state.n)) == len(second.state.n)
    assert second.state.n.tolist() == LookPlan(steps).between(0, 40)


def test_looks_keep_the_levels_of_the_plan_whatever_was_lost(tmp_path):
    """The budget is that of the plan: a lost look gives its share to no other."""
    levels = []

    def noted(audit):
        epsilon = audit._reading.epsilon

        def reading(run, delta, confidence):
            levels.append((audit.step, confidence))
            return epsilon(run, delta, confidence)

        audit._reading.epsilon = reading
        return audit

    first = noted(audit_of(tmp_path / "c.csv"))
    feed(first, 20)
    first.skip(24, "no room")
    feed(first, 29)
    second = noted(audit_of(tmp_path / "c.csv"))
    feed(second, 40)
    planned = second.looks.planned
    assert [step for step, _ in levels] == [s for s in planned if s != 24]
    assert levels == [(step, second.looks.confidence_at(step)) for step, _ in levels]
    assert sum(1 - level for _, level in levels) < 1 - second.confidence
    assert "1 look was lost, the last at step 24: no room." in second.state.notes


def test_a_file_of_another_audit_is_refused(tmp_path):
    path = tmp_path / "c.csv"
    feed(audit_of(path), 10)
    for words, changed in {
        "the canaries was": {"seed": 2},
        "steps was 40 and is 41": {"steps": 41},
        "delta was 1e-05 and is 0.0": {"delta": 0.0},
        "confidence was 0.95 and is 0.9": {"confidence": 0.9},
        "guesses was 12 and is 20": {"guesses": 20},
        "assumption was 'independent fair coins' and is 'one run'": {"assumption": "one run"},
        "claim was 'pure": {"claim": None},
    }.items():
        with pytest.raises(ValueError, match=words):
            audit_of(path, **changed)
    (tmp_path / "c.csv.looks").write_text("[]")
    with pytest.raises(ValueError, match="no file of the looks"):
        audit_of(path)
    (tmp_path / "c.csv.looks").unlink()
    with pytest.raises(ValueError, match=r"c\.csv\.looks is missing"):
        audit_of(path)
    with pytest.raises(FileExistsError, match="resume=True from the start"):
        wb.live.CanaryAudit(made_canaries(), path=path)


def test_a_damaged_table_is_refused_and_a_missing_one_is_not(tmp_path):
    path = tmp_path / "c.csv"
    first = audit_of(path)
    feed(first, 10)
    path.write_text("canary,score,included,step\n0,1.0,1,3\n")
    with pytest.raises(ValueError, match="is damaged"):
        audit_of(path)
    path.unlink()
    assert audit_of(path).bound == first.bound


def test_what_cannot_resume_is_named(tmp_path):
    with pytest.raises(ValueError, match="resume=True needs path="):
        wb.live.CanaryAudit(made_canaries(), resume=True)
    gradients = wb.live.GradientCanaries.dirac(4, 9, sample_rate=1.0)
    with pytest.raises(ValueError, match="canary gradients cannot resume"):
        wb.live.CanaryAudit(gradients, path=tmp_path / "c.csv", resume=True)
    audit = wb.live.CanaryAudit(gradients, steps=3)
    with pytest.raises(ValueError, match="none can be left out"):
        audit.skip(1)
    audit = audit_of(tmp_path / "c.csv")
    feed(audit, 3)
    with pytest.raises(ValueError, match="at least the 3 made so far, got 2"):
        audit.skip(2)
    audit.close()
    with pytest.raises(ValueError, match="closed"):
        audit.skip(9)


def test_looks_between_steps_are_those_of_the_plan():
    for plan in (LookPlan(100), LookPlan()):
        looks = [step for step in range(1, 101) if plan.confidence_at(step) is not None]
        assert plan.between(0, 100) == looks
        assert plan.between(10, 30) == [step for step in looks if 10 < step <= 30]
        assert plan.next_after(10) == min(step for step in looks if step > 10)
    assert LookPlan(100).next_after(100) == float("inf")
