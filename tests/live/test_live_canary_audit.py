"""Live audits of canaries in one training: looks, error budget, file, bad input."""

import numpy as np
import pytest
from scipy.stats import binom

import workbench as wb
from workbench.live.looks import LookPlan


def trained(audit, steps, sigma=1.0, seed=1):
    """The audit after steps of a mechanism that releases the canaries and noise, nothing else."""
    canaries, rng = audit.canaries, np.random.default_rng(seed)
    for _ in range(steps):
        total = canaries.insert(np.zeros((0, canaries.size))).sum(axis=0)
        audit.observe(total + sigma * rng.standard_normal(canaries.size))
    return audit


def made(steps=32, sigma=1.0, count=600, rate=0.5, **options):
    canaries = wb.live.GradientCanaries.dirac(
        count, 600, sample_rate=rate, noise_multiplier=sigma, seed=2
    )
    return wb.live.CanaryAudit(canaries, steps, **options)


# -- the plan of looks -----------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 2, 7, 100, 12_345])
def test_a_plan_spends_at_most_the_error_budget_and_half_of_it_on_the_end(steps):
    plan = LookPlan(steps, 0.9)
    errors = [1 - plan.confidence_at(step) for step in plan.planned]
    assert sum(errors) <= 0.1 + 1e-12
    assert errors[-1] == pytest.approx(0.05)
    assert plan.planned[-1] == steps
    beyond = set(range(1, min(steps, 500) + 5)) - set(plan.planned)
    assert all(plan.confidence_at(step) is None for step in beyond)


def test_a_plan_without_an_end_spends_at_most_the_error_budget():
    plan = LookPlan(None, 0.9)
    levels = [plan.confidence_at(step) for step in range(1, 3000)]
    errors = [1 - level for level in levels if level is not None]
    assert levels[:7] == [None] * 7
    assert errors[:3] == pytest.approx([0.1 / 2, 0.1 / 6, 0.1 / 12])
    assert len(errors) > 30
    assert 0.09 < sum(errors) < 0.1


# -- the bound -------------------------------------------------------------------------------------


@pytest.mark.parametrize("assumption", ["independent fair coins", "one run"])
def test_the_bound_is_the_largest_of_the_looks_at_their_levels(assumption):
    audit = made(assumption=assumption)
    largest, values = 0.0, []
    for step in range(1, 33):
        trained(audit, 1, seed=step)
        level = audit.looks.confidence_at(step)
        if level is None:
            assert audit.bound.value == largest  # reading it in between is no look
            continue
        run = wb.OneRun(audit.canaries.scores, audit.canaries.included)
        if assumption == "one run":
            bound = wb.epsilon_lower_bound(run.as_scores(), 1e-5, level)
        else:
            guesses = run.guess(k_in=60, k_out=60)
            bound = wb.one_run_bound(guesses, delta=1e-5, confidence=level, method="sharp")
        largest = max(largest, bound.value)
        values.append(largest)
        assert audit.bound.value == largest
    assert largest > 1
    np.testing.assert_array_equal(audit.state.values, values)
    np.testing.assert_array_equal(audit.state.n, audit.looks.planned)
    found = audit.bound
    assert (found.guarantee, found.assumption, found.confidence) == ("anytime", assumption, 0.95)
    assert "largest bound of the looks" in found.note
    assert audit.mu.value > 0
    assert audit.mu.assumption == assumption


def test_before_the_first_look_nothing_is_shown():
    audit = made(steps=None)
    trained(audit, 7)
    assert audit.bound.value == audit.mu.value == 0
    assert "no look yet" in audit.bound.note
    with pytest.raises(wb.ScoresError, match="no look yet"):
        audit.scores  # noqa: B018
    trained(audit, 1)
    assert audit.scores.n_p == audit.canaries.included.sum()


def test_no_looks_after_the_planned_end():
    audit = trained(made(steps=4), 4)
    before = audit.bound
    trained(audit, 30)
    assert audit.bound == before
    assert audit.step == 34
    assert audit.state.notes == ("No looks after the 4 steps that were planned.",)


@pytest.mark.parametrize(("sigma", "refuted"), [(1.0, False), (0.2, True)])
def test_a_claim_is_refuted_where_the_noise_is_too_small(sigma, refuted):
    claim = "approx(4, 1e-5)"
    audit = trained(made(steps=16, sigma=sigma, rate=0.25, claim=claim, guesses=400), 16, sigma)
    assert audit.claimed == 4
    assert audit.refuted == refuted
    if refuted:
        assert audit.state.refuted_at in audit.looks.planned
        assert audit.bound.value > 4
        assert "refuted, by" in audit.state.verdict


def test_coins_that_put_all_in_show_nothing():
    canaries = wb.live.RecordCanaries(2, seed=0)
    canaries.included[:] = True
    audit = wb.live.CanaryAudit(canaries, steps=1)
    audit.observe([1.0, 2.0])
    assert audit.bound.value == 0


@pytest.mark.statistical
def test_bounds_of_a_training_that_is_watched_rarely_exceed_the_truth():
    """Each canary is released once, by randomized response, at a step of its own.

    So ε stays the same from the first step on, while looks see ever more canaries; "sharp" is
    tight for randomized response. Looks that all err at 20% would err in most audits.
    """
    epsilon, count, steps, audits = 1.0, 128, 64, 120
    right = np.exp(epsilon) / (1 + np.exp(epsilon))
    wrong = {"watched": 0, "unspent": 0}
    for seed in range(audits):
        rng = np.random.default_rng([seed, 9])
        canaries = wb.live.RecordCanaries(count, seed=seed)
        audit = wb.live.CanaryAudit(canaries, steps, delta=0.0, confidence=0.8, guesses=16)
        said = np.where(rng.random(count) < right, canaries.included, ~canaries.included)
        # The auditor guesses the latest releases.
        released = np.zeros(count)
        largest = 0.0
        for step in range(1, steps + 1):
            new = slice(2 * step - 2, 2 * step)
            released[new] = (2 * said[new] - 1.0) * step
            audit.observe(released)
            if audit.looks.confidence_at(step) is not None:
                guesses = audit.run.guess(k_in=8, k_out=8)
                bound = wb.one_run_bound(guesses, delta=0.0, confidence=0.8, method="sharp")
                largest = max(largest, bound.value)
        wrong["watched"] += audit.bound.value > epsilon
        wrong["unspent"] += largest > epsilon
    # With an error rate of 20% a larger count has a probability of 1e-4; so has, with 35%, a
    # smaller one.
    assert wrong["watched"] <= binom.ppf(1 - 1e-4, audits, 0.2)
    assert wrong["unspent"] > binom.ppf(1 - 1e-4, audits, 0.35)


# -- records ---------------------------------------------------------------------------------------


def test_canary_records_are_scored_at_looks_only():
    canaries = wb.live.RecordCanaries(400, larger_is_member=False, seed=3)
    audit = wb.live.CanaryAudit(canaries, steps=100)
    rng, calls = np.random.default_rng(4), []

    def losses():
        calls.append(audit.step)
        return rng.standard_normal(400) - 2.0 * canaries.included

    for _ in range(100):
        audit.observe(losses)
    assert len(calls) == len(audit.looks.planned) < 30
    assert audit.bound.value > 1
    assert audit.run.larger_is_member
    assert audit.scores.p.mean() > audit.scores.q.mean()


# -- the file --------------------------------------------------------------------------------------


def test_the_file_has_the_canaries_at_the_last_look(tmp_path):
    path = tmp_path / "canaries.csv"
    audit = made(path=path)
    trained(audit, 1)
    assert "1" in path.read_text().splitlines()[1].split(",")[3]
    trained(audit, 31)
    audit.close()
    run, scores = wb.read_one_run(path), wb.read_scores(path)
    np.testing.assert_array_equal(run.scores, audit.run.scores)
    np.testing.assert_array_equal(run.included, audit.canaries.included)
    assert scores.n_p == audit.scores.n_p
    assert [entry.name for entry in tmp_path.iterdir()] == ["canaries.csv"]
    with pytest.raises(FileExistsError, match="another path"):
        made(path=path)


def test_a_file_that_cannot_be_written_keeps_the_earlier_one(tmp_path, monkeypatch):
    path = tmp_path / "canaries.csv"
    audit = made(steps=3, path=path)
    trained(audit, 1)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        trained(audit, 1)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["canaries.csv"]
    trained(audit, 1)
    assert audit.step == 3
    assert path.read_bytes() != before


# -- bad input -------------------------------------------------------------------------------------


def test_bad_steps_change_nothing():
    audit = trained(made(), 5)
    before = audit.bound
    audit.canaries.draw()
    zeros = np.zeros(600)
    for bad, said in (
        ({"observed": np.full(600, np.nan)}, "nan at place 0"),
        ({"observed": zeros, "step": 4}, "step 4 is out of order: the next one is 5"),
        ({"observed": zeros, "step": 6}, "out of order"),
        ({"observed": zeros[:5]}, "flatten"),
    ):
        with pytest.raises(ValueError, match=said):
            audit.observe(**bad)
    assert audit.step == 5
    assert audit.bound == before
    audit.observe(zeros, step=5)
    with pytest.raises(ValueError, match="before the canaries of its step"):
        audit.observe(zeros)
    audit.close()
    with pytest.raises(ValueError, match="closed"):
        audit.observe(zeros)
    assert audit.step == 6


def test_canaries_of_another_kind_are_named():
    with pytest.raises(TypeError, match=r"wb\.live\.GradientCanaries or wb\.live\.RecordCanaries"):
        wb.live.CanaryAudit(wb.OneRun([1.0, 2.0], [1, 0]))


def test_scores_that_are_nan_at_a_look_change_nothing():
    audit = wb.live.CanaryAudit(wb.live.RecordCanaries(10, seed=1), steps=1)
    with pytest.raises(ValueError, match="canary 3 is NaN"):
        audit.observe([0, 1, 2, np.nan, 4, 5, 6, 7, 8, 9])
    assert audit.step == 0
    audit.observe(np.arange(10))
    assert audit.step == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"steps": 0}, "steps must be a whole number of at least 1"),
        ({"delta": -1}, "delta"),
        ({"confidence": 0.1}, "did you mean 0.9"),
        ({"assumption": "none"}, "'independent fair coins', 'one run'"),
        ({"guesses": 1}, "guesses"),
        ({"guesses": 601}, "at most the 600 canaries"),
    ],
)
def test_settings_of_a_canary_audit_out_of_range_are_named(given, said):
    with pytest.raises(ValueError, match=said):
        made(**given)
