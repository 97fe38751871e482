"""The best of many trainings: what is trained, chosen and shown."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import kstest

import workbench as wb

training, selection = wb.training, wb.selection
DIGITS = training.labeled_data("digits")
HELD_OUT = DIGITS.take(range(1000, 1040))


def settings(noise=3.0, steps=4, batch=1):
    return training.DPSGDSettings(
        training.Network((64, 10)), steps=steps, sample_rate=1.0, noise_multiplier=noise,
        expected_batch=batch, learning_rate=0.1, optimizer="sgd",
    )  # fmt: skip


def audit(noise=3.0, runs=None, n=10, records=0, **more):
    data = DIGITS.take(range(records))
    runs = selection.PointMass(3) if runs is None else runs
    how = settings(noise, batch=max(records, 1))
    return training.audit_best_of(how, data, runs, n, validation=HELD_OUT, **more)


def test_one_run_without_data_is_the_gaussian_pair():
    found = audit(runs=selection.PointMass(1), n=150, choice="canary")
    # The mean of four products N(1 or 0, 9): standard deviation 1.5.
    for side, mean in ((found.scores.p, 1.0), (found.scores.q, 0.0)):
        assert kstest((side - mean) / 1.5, ndtr).pvalue > 1e-3
    assert (found.scores.p == found.single.p).all()
    assert found.trained == 300
    assert found.scores.sampling == "independent runs"


def test_the_best_of_five_by_the_canary_has_the_law_of_the_largest():
    found = audit(runs=selection.PointMass(5), n=100, choice="canary")
    for side, mean in ((found.scores.p, 1.0), (found.scores.q, 0.0)):
        assert kstest((side - mean) / 1.5, lambda x: ndtr(x) ** 5).pvalue > 1e-3
    assert found.trained == 1000
    one = found.single.q / 1.5
    assert kstest(one, ndtr).pvalue > 1e-3


def test_the_validation_loss_chooses():
    found = audit(n=6, records=20, seed=5)
    again = audit(n=6, records=20, seed=5)
    assert (found.scores.p == again.scores.p).all()
    alone = audit(n=6, records=20, seed=5, runs=selection.PointMass(1))
    assert (found.single.q == alone.scores.q).all()
    # The best of three has at most the loss of the first of them.
    assert (found.chosen_by.p >= alone.chosen_by.p).all()
    assert (found.chosen_by.p > alone.chosen_by.p).any()
    assert found.with_score.p == pytest.approx(found.scores.p - found.chosen_by.p)
    by_canary = audit(n=6, choice="canary")
    assert by_canary.with_score.q == pytest.approx(by_canary.scores.q + by_canary.chosen_by.q)


def test_a_record_may_be_the_canary_and_trainings_have_no_noise():
    record = training.AuditedRecord("mislabeled", 0)
    found = audit(noise=0.0, n=6, records=20, canary="record", record=record, choice="canary")
    assert np.isfinite(found.scores.p).all()
    assert (found.chosen_by.p < 0).all()  # minus a loss
    with pytest.raises(ValueError, match="noise_multiplier is 0"):
        found.upper_bound()


def test_nothing_is_released_where_no_run_is_made():
    found = audit(runs=selection.Poisson(0.5), n=20)
    none = np.isneginf(found.scores.q)
    assert 0 < none.sum() < 20
    assert (np.isneginf(found.with_score.q) == none).all()
    assert np.isfinite(found.single.q).all()
    assert 0 <= found.lower_bound().value < found.upper_bound().value


def test_what_is_shown_stays_below_what_is_proven():
    found = audit(noise=2.0, runs=selection.PointMass(4), n=150, choice="canary")
    shown = found.lower_bound(1e-5)
    assert (shown.guarantee, shown.side) == ("simultaneous", "lower")
    direct = found.upper_bound(bound="direct")
    assert 0 < shown.value < direct.value < found.upper_bound().value
    assert found.upper_bound().family is None
    assert found.settings.pair.epsilon(1e-5) < direct.value
    assert found.lower_bound(1e-5, 0.95, "single").value < direct.value


def test_progress_is_told_and_can_be_stopped():
    told = []

    def report(done, words="", partial=None):
        told.append((done, partial))
        if done > 0.6:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        audit(n=20, report=report)
    partial = [part for _, part in told if part is not None]
    assert partial
    assert partial[-1].scores.n_p == partial[-1].scores.n_q >= 2


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"n": 1}, "selections must be a whole number of at least 2"),
        ({"choice": "luck"}, "choice must be one of"),
        ({"canary": "bird"}, "canary must be one of"),
        ({"runs": selection.PointMass(10**6)}, "take fewer"),
        ({"seed": -1}, "seed must be"),
        ({"canary": "record"}, "row must be below the 0 records"),
    ],
)
def test_bad_questions_are_refused(more, says):
    with pytest.raises(ValueError, match=says):
        audit(**more)
    with pytest.raises(ValueError, match="validation must have records"):
        training.audit_best_of(
            settings(), DIGITS.take([]), selection.PointMass(2), 2, validation=DIGITS.take([])
        )


def test_an_unknown_statistic_is_refused():
    with pytest.raises(ValueError, match="statistic must be one of"):
        audit(n=2).lower_bound(statistic="best")
