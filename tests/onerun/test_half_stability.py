"""How much one training with a random half may show beyond what privacy limits."""

import numpy as np
import pytest

import workbench as wb
from workbench.onerun.half.stability import HalfStability, half_stability
from workbench.scores.sample import ScoresError


def trainings(shifts, n=400, mu=1.0, seed=0):
    """Each shifts the scores of its members and held-out records alike."""
    rng = np.random.default_rng(seed)
    return [wb.Scores(rng.normal(mu + s, 1, n), rng.normal(s, 1, n)) for s in shifts]


def test_trainings_that_are_alike_show_no_distance_and_no_floor():
    found = half_stability(trainings([0.0] * 12, mu=0.0))
    assert found.pooled == pytest.approx(0, abs=0.01)
    assert abs(found.single.mean()) < 0.015
    assert found.plain.mean() > 0.05  # the floor of a plain histogram
    assert abs(found.members.mean()) < 0.015
    assert found.excess() < 0.03
    assert found.excess(2.0) <= found.members.mean() + np.exp(2.0) * max(found.held_out.mean(), 0)


def test_what_a_model_does_to_all_records_is_found_and_the_leak_is_kept():
    found = half_stability(trainings(np.linspace(-1, 1, 12)))
    truth = wb.GaussianPair(1.0).total_variation
    assert found.single.mean() == pytest.approx(truth, abs=0.06)
    assert found.members.mean() > 0.15
    assert found.held_out.mean() > 0.15
    # The scores of all trainings together tell less, and their distance is what privacy limits.
    assert found.pooled < found.single.mean() - 0.02
    assert found.single.mean() <= found.pooled + found.excess() + 0.05
    assert found.excess(1.0) > found.excess()
    assert "12 trainings" in found.explain()


def test_one_run_overstates_where_its_half_decides():
    """A model that favors whichever half it got leaks nothing of one record by pooled scores.

    Every training moves members and held-out records apart by a sign of its own: pooled, both are
    the same mixture, and each training alone shows a large distance.
    """
    rng = np.random.default_rng(2)
    runs = [
        wb.Scores(rng.normal(s, 1, 400), rng.normal(-s, 1, 400)) for s in np.tile([1.0, -1.0], 8)
    ]
    found = half_stability(runs)
    assert found.single.mean() > 0.6
    assert found.pooled < 0.05
    assert found.single.mean() <= found.pooled + found.excess() + 0.02


def test_runs_tables_and_losses_are_read_alike():
    scores = trainings([0.0, 0.5, 1.0])
    runs = [
        wb.OneRun(
            np.concatenate([-s.p, -s.q]),
            np.repeat([1, 0], 400),
            larger_is_member=False,
            design="fixed-half",
        )
        for s in scores
    ]
    a, b = half_stability(scores), half_stability(runs)
    np.testing.assert_allclose(a.members, b.members)
    assert a.pooled == pytest.approx(b.pooled)
    table = wb.ScoreTable(
        np.stack([run.scores for run in runs]),
        np.stack([run.included for run in runs]),
        larger_is_member=False,
    )
    np.testing.assert_allclose(half_stability(table).held_out, b.held_out)
    assert list(a.to_frame()) == ["single", "plain", "members", "held_out"]
    assert "between trainings" in a._repr_html_()


def test_one_training_says_nothing_of_others():
    with pytest.raises(ScoresError, match="at least 2"):
        half_stability(trainings([0.0]))
    with pytest.raises(TypeError, match="each of runs"):
        half_stability([1, 2])
    run = wb.OneRun([1.0, 2.0, 3.0], [1, 0, 1], design="matched-pairs")
    with pytest.raises(ScoresError, match="are pairs"):
        half_stability([run, run])
    with pytest.raises(ValueError, match="one value for each"):
        HalfStability(np.zeros(2), np.zeros(2), np.zeros(3), np.zeros(2), 0.0)
    with pytest.raises(ValueError, match="epsilon"):
        half_stability(trainings([0.0, 0.0])).excess(-1.0)
