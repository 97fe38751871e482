"""`record.check_training`: every bug of DP-SGD is named with its line, and DP-SGD itself is not."""

import inspect
from dataclasses import replace

import numpy as np
import pytest

import workbench as wb
from workbench import training
from workbench.testing import record
from workbench.training.controls import BUGS, positive_control
from workbench.training.dp_sgd.bugs import procedure
from workbench.training.dp_sgd.procedure import RECORDER

#: What is found, in which method of the procedure, and in which words.
FOUND = {
    "average-first": ("sensitivity", "total", "moves the sum of step"),
    "divided-first": ("sensitivity", "total", "by 10, and the clipping norm"),
    "micro-batches": ("sensitivity", "total", "by 0.0195, and the clipping norm"),
    "scaled-noise": ("scale", "noise", "deviation 0.5, and the claim is for 1"),
    "same-seed": ("noise reused", "noise", "step 1 has the noise of step 0"),
    "last-unclipped": ("sensitivity", "total", "moves the sum of step"),
    "no-noise": ("no noise", "noise", "no noise is drawn"),
    "divided-by-data": ("divisor", "divisor", "by 9 on the data set and by 10 on the neighbor"),
    "fixed-size": ("sampling", "sample", "all have 10 items"),
    "shuffled": ("sampling", "sample", "they are drawn otherwise"),
}


def given(bug):
    """Settings, data and what the neighbor has more, as the positive control of a bug has them."""
    audit = positive_control(bug).audit
    if audit.canary == "record":
        others, one = audit.record.split(audit.data)
        return audit.settings, others, {"record": one, "theta": audit._theta}
    canary = training.DiracCanaries([3], audit.canary_norm * audit.settings.clip)
    return audit.settings, audit.data, {"canaries": canary, "theta": audit._theta}


@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_is_named_with_its_line(bug):
    found = record.check_training_audit(positive_control(bug).audit)
    kind, method, words = FOUND[bug]
    first = found.findings[0]
    assert (first.kind, first.certain) == (kind, True)
    assert words in first.words
    written = getattr(procedure(bug), method)
    assert first.place.file == inspect.getsourcefile(written)
    assert first.place.line == written.__code__.co_firstlineno
    assert found.claim is not None


@pytest.mark.parametrize("bug", BUGS)
def test_without_the_bug_nothing_is_found(bug):
    settings, data, more = given(bug)
    settings = replace(settings, bug="none")
    for seed in range(3):
        found = record.check_training(settings, data, **more, seed=seed)
        assert found.findings == ()
        clipped = next(one for one in found.primitives if one.kind == "clip")
        assert 0.99 * settings.clip < clipped.measured <= settings.clip * (1 + 1e-4)


def test_half_of_the_noise_under_any_other_factor():
    settings, data, more = given("scaled-noise")
    assert record.check_training(replace(settings, noise_scale=1.0), data, **more).findings == ()
    more_noise = record.check_training(replace(settings, noise_scale=2.0), data, **more)
    assert more_noise.findings == ()
    less = record.check_training(replace(settings, noise_scale=0.99), data, **more)
    assert [one.kind for one in less.findings] == ["scale"]


@pytest.mark.parametrize("bug", ["none", *BUGS])
def test_a_recorded_training_is_the_same_training(bug):
    settings, data, more = given(BUGS[0] if bug == "none" else bug)
    settings = replace(settings, bug=bug)
    seen = []
    original = training.DPSGDSettings.train

    def watched(self, data, rng, theta=None, canaries=None, watch=None):
        model = original(self, data, rng, theta, canaries, watch)
        seen.append(model.final)
        return model

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training.DPSGDSettings, "train", watched)
        record.check_training(settings, data, **more, seed=5)
    plain = settings.train(data, np.random.default_rng(5), more["theta"])
    np.testing.assert_array_equal(seen[0], plain.final)


def test_nothing_is_recorded_afterwards():
    settings, data, more = given("scaled-noise")
    record.check_training(settings, data, **more)
    assert RECORDER.get() is None
    with pytest.raises(ValueError, match="theta must be"):
        record.check_training(settings, data, canaries=more["canaries"], theta=np.zeros(3))
    assert RECORDER.get() is None


def test_what_is_refused():
    settings, data, more = given("scaled-noise")
    with pytest.raises(ValueError, match="one record or one canary more, got 0"):
        record.check_training(settings, data)
    with pytest.raises(ValueError, match="one record or one canary more, got 2"):
        record.check_training(settings, data, data.take([0]), canaries=more["canaries"])
    with pytest.raises(ValueError, match="nothing is claimed"):
        record.check_training(replace(settings, noise_multiplier=0), data, **more)
    assert wb.training.positive_control("no-noise").bug == "no-noise"
