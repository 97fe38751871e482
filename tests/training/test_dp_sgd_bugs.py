"""Each procedure with a mistake makes that mistake, and the right one does not."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.training.dp_sgd.bugs import PROCEDURES, procedure
from workbench.training.dp_sgd.canary_gradients import RandomCanaries
from workbench.training.dp_sgd.data import LabeledData
from workbench.training.dp_sgd.dp_sgd import DPSGDSettings
from workbench.training.dp_sgd.network import Network
from workbench.training.dp_sgd.procedure import Procedure
from workbench.training.dp_sgd.step_gradients import StepGradients

NETWORK = Network((5, 4, 3))
CLIP, EXPECTED = 0.7, 8.0
SETTINGS = DPSGDSettings(NETWORK, 4, 0.5, 1.0, EXPECTED, clip=CLIP, noise_scale=0.25)
CANARIES = RandomCanaries.drawn(6, NETWORK.size, np.random.default_rng(5), norm=2.5)


def batch(records=7, chosen=(0, 2, 3), seed=0):
    """A batch, and its gradients one by one."""
    rng = np.random.default_rng(seed)
    data = LabeledData(rng.normal(size=(records, 5)), rng.integers(0, 3, records), 3)
    found = NETWORK.gradients(NETWORK.initial(rng), data.x, data.y)
    made = StepGradients(found, CANARIES, np.array(chosen, dtype=np.intp))
    weights = np.eye(made.size, dtype=np.float32)
    return made, np.array([made.weighted_sum(row) for row in weights]).reshape(-1, NETWORK.size)


def shortened(vectors, clip=CLIP):
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors * np.minimum(1, clip / np.maximum(norms, 1e-30))


def by_hand(bug, each):
    """The sum of a step, written out."""
    if bug == "average-first":
        return EXPECTED * shortened(each.mean(axis=0)) if len(each) else np.zeros(NETWORK.size)
    if bug == "divided-first":
        return EXPECTED * shortened(each / EXPECTED).sum(axis=0)
    if bug == "micro-batches":
        groups = [each[i : i + 2].sum(axis=0) / 2 for i in range(0, len(each), 2)]
        return sum((shortened(group) for group in groups), np.zeros(NETWORK.size))
    if bug == "last-unclipped":
        return shortened(each[:-1]).sum(axis=0) + each[-1:].sum(axis=0)
    return shortened(each).sum(axis=0)


@pytest.mark.parametrize("bug", PROCEDURES)
@pytest.mark.parametrize("records", [0, 1, 2, 7])
@pytest.mark.parametrize("chosen", [(), (4,), (0, 2, 3)])
def test_sums_are_those_written_out(bug, records, chosen):
    made, each = batch(records, chosen)
    total = procedure(bug)(SETTINGS).total(made)
    np.testing.assert_allclose(total, by_hand(bug, each), atol=2e-6)


def changes(bug):
    """How far sums move when one gradient joins at the end, over the clipping norm."""
    found = []
    for seed in range(40):
        less, _ = batch(7, (), seed)
        more, _ = batch(7, (seed % CANARIES.count,), seed)
        steps = procedure(bug)(SETTINGS)
        found.append(np.linalg.norm(steps.total(more) - steps.total(less)) / CLIP)
    return np.array(found)


@pytest.mark.parametrize(
    "bug", ["none", "scaled-noise", "same-seed", "no-noise", "fixed-size", "shuffled"]
)
def test_one_gradient_moves_a_right_sum_by_at_most_the_clipping_norm(bug):
    assert changes(bug).max() <= 1 + 1e-5


@pytest.mark.parametrize(
    "bug", ["average-first", "divided-first", "micro-batches", "last-unclipped"]
)
def test_one_gradient_moves_a_wrong_sum_by_more(bug):
    assert changes(bug).max() > 1.05


def test_scaled_noise_is_s_times_the_right_noise():
    right = Procedure(SETTINGS).noise(9, np.random.default_rng(3))
    scaled = procedure("scaled-noise")(SETTINGS).noise(9, np.random.default_rng(3))
    np.testing.assert_allclose(scaled, 0.25 * right)
    assert abs(right).min() > 0


def test_the_same_seed_gives_the_same_noise_in_all_steps_of_a_training():
    def noises(bug, seed):
        seen, settings = [], replace(SETTINGS, bug=bug)
        nothing = LabeledData(np.zeros((0, 5)), np.zeros(0, int), 3)
        settings.train(
            nothing, np.random.default_rng(seed), watch=lambda *step: seen.append(step[2].copy())
        )
        return np.array(seen)

    same, other, right = noises("same-seed", 0), noises("same-seed", 1), noises("none", 0)
    assert len(same) == SETTINGS.steps
    assert (same == same[0]).all()
    assert not (same[0] == other[0]).any()
    assert not (right[0] == right[1:]).any()


def test_without_noise_there_is_none():
    noise = procedure("no-noise")(SETTINGS).noise(9, np.random.default_rng(3))
    np.testing.assert_array_equal(noise, 0)


def test_a_divisor_that_depends_on_the_data_tells_their_number():
    steps = procedure("divided-by-data")(SETTINGS)
    assert [steps.divisor(items) for items in (0, 1, 15, 16, 17, 18)] == [1, 1, 7, 8, 8, 9]
    assert procedure("divided-by-data")(replace(SETTINGS, sample_rate=0.1)).divisor(30) == 3
    assert {Procedure(SETTINGS).divisor(items) for items in range(20)} == {EXPECTED}
    halves = procedure("micro-batches")(SETTINGS)
    assert halves.divisor(16) == EXPECTED / 2


def test_batches_of_a_fixed_size_have_that_size_and_all_records_the_same_rate():
    rng = np.random.default_rng(0)
    fixed, right = procedure("fixed-size")(SETTINGS), Procedure(SETTINGS)
    drawn = [fixed.sample(16, rng) for _ in range(4000)]
    assert {found.size for found in drawn} == {8}
    assert all((np.diff(found) > 0).all() for found in drawn)
    counts = np.bincount(np.concatenate(drawn), minlength=16)
    # 16 counts of 4000 draws with probability 1/2 each; one error in 10,000.
    assert abs(counts - 2000).max() < 4.6 * np.sqrt(1000)
    assert len({right.sample(16, rng).size for _ in range(50)}) > 3
    np.testing.assert_array_equal(fixed.sample(3, rng), [0, 1, 2])


@pytest.mark.parametrize(("items", "sizes"), [(16, [8, 8]), (19, [8, 8, 3]), (5, [5])])
def test_shuffled_batches_use_each_record_once_in_an_epoch(items, sizes):
    rng, steps = np.random.default_rng(0), procedure("shuffled")(SETTINGS)
    orders = set()
    for _ in range(50):
        epoch = [steps.sample(items, rng) for _ in sizes]
        assert [found.size for found in epoch] == sizes
        assert all((np.diff(found) > 0).all() for found in epoch)
        assert sorted(np.concatenate(epoch).tolist()) == list(range(items))
        orders.add(tuple(epoch[0].tolist()))
    assert len(orders) > 30 or items < 8


def test_each_training_and_each_epoch_has_an_order_of_its_own():
    rng = np.random.default_rng(1)
    counts = np.zeros(16)
    for _ in range(2000):
        counts[procedure("shuffled")(SETTINGS).sample(16, rng)] += 1
    # 16 counts of 2000 draws with probability 1/2 each; one error in 10,000.
    assert abs(counts - 1000).max() < 4.6 * np.sqrt(500)


def test_every_procedure_has_a_name_a_title_and_a_text_of_its_own():
    assert next(iter(PROCEDURES)) == "none"
    assert len(PROCEDURES) == 11
    for attribute in ("name", "title", "about"):
        assert len({getattr(kind, attribute) for kind in PROCEDURES.values()}) == len(PROCEDURES)
    with pytest.raises(ValueError, match="bug must be one of 'none', 'average-first'"):
        procedure("typo")
