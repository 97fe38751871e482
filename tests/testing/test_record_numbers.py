"""Recorded code computes the same as without a recorder, and random private code is not accused.

`NoisySum` is looked at in every way that numpy and Python have.
"""

import copy
import functools
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.mechanisms.adapting.adapt import mechanism_from
from workbench.mechanisms.gallery import GALLERY
from workbench.testing import record
from workbench.testing.record.running import called, run_once, same_output

DATASET, NEIGHBOR = np.array([0.2, 0.7, 0.4]), np.array([0.2, 0.7, 0.4, 1.0])


def recorded(mechanism, dataset, seed=3):
    return run_once(called(mechanism_from(mechanism)), dataset, seed).trace.output


def plain(mechanism, dataset, seed=3):
    rng = np.random.Generator(np.random.PCG64(seed))
    return called(mechanism_from(mechanism))(copy.deepcopy(dataset), rng)


def assert_same(first, second):
    """Equal to the last digit, with the same types of numbers."""
    if isinstance(first, dict | list | tuple):
        assert type(first) is type(second)
        assert len(first) == len(second)
        pairs = zip(first, second, strict=True)
        if isinstance(first, dict):
            pairs = ((first[key], second[key]) for key in first)
        for a, b in pairs:
            assert_same(a, b)
    elif isinstance(first, pd.Series | pd.DataFrame):
        assert first.equals(second)
    else:
        a, b = np.asarray(first), np.asarray(second)
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", list(GALLERY.ours))
@pytest.mark.parametrize("which", [0, 1])
def test_mechanisms_of_the_gallery_compute_the_same(name, which):
    card = wb.mechanism(name)
    assert_same(recorded(card, card.pair[which]), plain(card, card.pair[which]))


def every_draw(data, rng):
    found = [
        rng.laplace(1.0, 2.0),
        rng.normal(size=3),
        rng.standard_normal((2, 2), dtype=np.float32),
        rng.gumbel(0, 1, 2),
        rng.logistic(0, 1),
        rng.standard_cauchy(2),
        rng.standard_t(3.0),
        rng.exponential(2.0, 3),
        rng.standard_exponential(2),
        rng.geometric(0.5, 4),
        rng.random(3),
        rng.uniform(1, 2),
        rng.integers(0, 10, 3),
        rng.choice(5, 3, replace=False),
        rng.permutation(5),
        rng.binomial(5, 0.5),
        rng.multivariate_normal([0, 0], np.eye(2)),
        rng.dirichlet([1, 2]),
    ]
    deck = np.arange(6)
    rng.shuffle(deck)
    listed = [1, 2, 3, 4]
    rng.shuffle(listed)
    out = np.empty(3)
    rng.standard_normal(out=out)
    child = rng.spawn(1)[0]
    return [*found, deck, np.array(listed), out, child.laplace(0, 1), data.sum()]


def every_look(data, rng):
    noise, one = rng.laplace(0, 1, 3), 2.0 + rng.normal()
    counts = np.array([3.0, 1.0, 2.0])
    many = counts + noise
    in_place = rng.normal(0, 1, 3)
    in_place *= 2
    in_place += counts
    into = np.zeros(3)
    into += rng.laplace(0, 1, 3)
    into -= 0.5 * (counts + rng.laplace(0, 1, 3))
    whole = rng.geometric(0.5) - rng.geometric(0.5)
    return [
        float(one), int(one), round(one), round(one, 2), math.floor(one), math.ceil(one),
        math.trunc(one), math.exp(one), abs(one), one**2, divmod(one, 1)[0], one > 1, bool(one > 5),
        -one, +one, f"{one:.3f}" == "", str(one) == "", repr(one) == "", hash(one) == 0,
        max(one, 0.0), min(one, 0.0), one / 3, 3 / one, one * one, one - one,
        many.sum(), many.mean(), many.max(), many.argmax(), np.argmax(many), np.sort(many),
        np.maximum(many, 0), np.clip(many, 0, 2), np.where(counts > 1, many, 0), many[1],
        many[counts > 1], many[::-1], many.reshape(3, 1), np.ravel(many), many.T,
        np.round(many), many.astype(np.float32), np.exp(many), many @ counts, np.dot(counts, many),
        np.concatenate([many, counts]), np.stack([many, many]), np.cumsum(many), many.tolist(),
        np.array([one, whole]), np.asarray(many), list(many), len(many), many.shape, many.ndim,
        np.add.reduce(many), np.add.outer(counts, many), in_place, into, whole, whole + 3,
        copy.deepcopy(many), pickle.loads(pickle.dumps(np.asarray(many))), 1.0 in many,
        np.isfinite(many).all(), np.full(2, 1.0) * one, [one] * 2, {"key": one},
        pd.Series(counts) + noise, noise + pd.Series(counts), pd.DataFrame({"a": counts}) * one,
        pd.Series([1.0, 2.0]).map(lambda x: x + one), pd.Series(many),
    ]  # fmt: skip


def in_numpy_random(data):
    return [
        np.random.laplace(0, 1, 2),  # noqa: NPY002
        np.random.normal(),  # noqa: NPY002
        np.random.randn(2),  # noqa: NPY002
        np.random.rand(2),  # noqa: NPY002
        np.random.exponential(2.0),  # noqa: NPY002
        np.random.choice(5, 2),  # noqa: NPY002
        np.random.default_rng(5).laplace(0, 1),
    ]


@pytest.mark.parametrize("mechanism", [every_draw, every_look, in_numpy_random])
def test_code_computes_the_same_with_a_recorder(mechanism):
    assert_same(recorded(mechanism, DATASET), plain(mechanism, DATASET))


@pytest.mark.parametrize("mechanism", [every_draw, every_look, in_numpy_random])
@pytest.mark.parametrize("eager", [False, True])
def test_a_replay_on_the_same_data_set_is_the_same_run(mechanism, eager):
    call = called(mechanism_from(mechanism))
    first = run_once(call, DATASET, 3, eager=eager).trace
    again = run_once(call, DATASET, 4, first, eager=eager)
    differ = same_output(first.output, again.trace.output)
    # What is written into an array of one's own is not recorded.
    assert not differ or (mechanism is every_draw and differ.startswith("[20]"))


# -- random private mechanisms ---------------------------------------------------------------------


def random_mechanism(seed):
    """A mechanism of several private parts, with everything that may follow noise."""
    rng = np.random.default_rng(seed)
    parts = [PARTS[i] for i in rng.integers(0, len(PARTS), rng.integers(1, 4))]
    after = AFTER[rng.integers(0, len(AFTER))]
    share = 1 / len(parts)

    def mechanism(data, rng):
        return after([part(data, rng, share) for part in parts])

    return mechanism


def a_sum(data, rng, epsilon):
    return np.clip(data, 0, 1).sum() + rng.laplace(0, 1 / epsilon)


def a_count(data, rng, epsilon):
    chance = -math.expm1(-epsilon)
    return len(data) + rng.geometric(chance) - rng.geometric(chance)


def a_stated_sum(data, rng, epsilon):
    return record.laplace(np.clip(data, 0, 1).sum(), sensitivity=1, epsilon=epsilon, rng=rng)


def a_histogram(data, rng, epsilon):
    counts = np.histogram(data, bins=3, range=(0, 1))[0]
    return np.maximum(counts + rng.laplace(0, 1 / epsilon, 3), 0).sum()


def a_mean(data, rng, epsilon):
    total = np.clip(data, 0, 1).sum() + rng.laplace(0, 2 / epsilon)
    return total / max(1.0, len(data) + rng.laplace(0, 2 / epsilon))


def a_loop(data, rng, epsilon):
    theta = 0.0
    for _ in range(3):
        gradient = rng.laplace(0, 3 / epsilon)
        for one in data:
            gradient += np.clip(theta - one, -1, 1)
        theta = np.clip(theta - 0.1 * gradient, -5, 5)
    return theta


def a_clip_at_a_noisy_end(data, rng, epsilon):
    end = record.laplace(np.clip(data, 0, 1).max(), sensitivity=1, epsilon=epsilon / 2, rng=rng)
    end = min(max(end, 0.1), 1.0)
    return np.minimum(np.clip(data, 0, 1), end).sum() + rng.laplace(0, 2 / epsilon)


def a_choice(data, rng, epsilon):
    scores = np.array([(data < 0.5).sum(), (data >= 0.5).sum()])
    return float(np.argmax(scores + rng.gumbel(0, 2 / epsilon, 2)))


def a_table(data, rng, epsilon):
    counts = pd.Series(data > 0.5).value_counts().reindex([True, False], fill_value=0)
    return float((counts + rng.laplace(0, 1 / epsilon, 2)).max())


PARTS = (
    *(a_sum, a_count, a_stated_sum, a_histogram, a_mean, a_loop, a_clip_at_a_noisy_end, a_choice),
    a_table,
)
AFTER = (
    lambda found: found,
    np.array,
    sum,
    lambda found: {f"part {i}": x for i, x in enumerate(found)},
    lambda found: "many" if max(found) > 2 else "few",
    lambda found: [round(float(x), 1) for x in found if x > 0],
    lambda found: functools.reduce(lambda a, b: a * 0.5 + b, found),
)


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_random_private_mechanisms_have_no_certain_findings(start):
    for seed in range(start, start + 10):
        rng = np.random.default_rng(seed)
        dataset = rng.random(rng.integers(1, 6)).round(2)
        neighbor = np.append(dataset, rng.random(1).round(2))
        for pair in ((dataset, neighbor), (neighbor, dataset)):
            found = record.check(random_mechanism(seed), *pair, "pure(1.000001)", runs=2, seed=seed)
            assert found.certain == (), (seed, str(found))


@pytest.mark.parametrize("part", PARTS)
def test_each_part_with_a_bare_count_beside_it_is_accused(part):
    def mechanism(data, rng):
        return [part(data, rng, 1.0), len(data)]

    found = record.check(mechanism, DATASET, NEIGHBOR, "pure(1)", runs=2)
    assert {one.kind for one in found.findings} >= {"output"}
    assert [one.kind for one in found.certain] == ["output"]
