"""A broken sum of values in [0, 1] in every call form; tests import it, or copy it to a file."""

import functools
import random

import numpy as np
import pandas as pd

import workbench as wb

SCALE = 0.02  # of the noise: ε = 50 where 1 is claimed


def whole(dataset, size, rng):
    return np.sum(dataset) + rng.laplace(scale=SCALE, size=size)


def other_names(daten, anzahl, zufall):
    return whole(daten, anzahl, zufall)


def other_order(rng, num_samples, data):
    return whole(data, num_samples, rng)


def with_size(data, num_samples):
    return np.sum(data) + np.random.laplace(scale=SCALE, size=num_samples)  # noqa: NPY002


def with_size_of_one(data, n_samples=1, rng=None):
    return whole(data, n_samples, rng)


def one(data):
    return np.sum(data) + np.random.laplace(scale=SCALE)  # noqa: NPY002


def one_of_python(data):
    return float(np.sum(data)) + SCALE * (random.expovariate(1) - random.expovariate(1))


def one_with_generator(prng, queries, epsilon):
    return sum(queries) + prng.laplace(scale=1 / epsilon)


given = functools.partial(one_with_generator, epsilon=1 / SCALE)


def one_with_state(data, *, random_state=None):
    return np.sum(data) + random_state.laplace(scale=SCALE) + 0 * random_state.rand()


def one_with_annotation(data: list[float], source: random.Random):
    assert isinstance(data, list)
    return sum(data) + SCALE * (source.expovariate(1) - source.expovariate(1))


def one_with_seed(data, seed):
    return np.sum(data) + np.random.default_rng(seed).laplace(scale=SCALE)


def changes_its_dataset(data):
    data += np.random.laplace(scale=SCALE)  # noqa: NPY002
    return data.sum()


def stream(data):
    yield one(data)
    yield one(data)


own_generator = np.random.default_rng(3)


def one_of_own_generator(data):
    return np.sum(data) + own_generator.laplace(scale=SCALE)


class Release:
    """Keeps its generator, and the method that it draws by."""

    def __init__(self):
        self._draw = np.random.default_rng(5).laplace

    def __call__(self, data, num_samples):
        return np.sum(data) + self._draw(scale=SCALE, size=num_samples)

    def released(self, data):
        return np.sum(data) + self._draw(scale=SCALE)


release = Release()
method = release.released


class Sniped:
    def m(self, a, n_samples: int = 1):
        return a.sum() + np.random.laplace(scale=SCALE, size=n_samples)  # noqa: NPY002


sniped = wb.mechanism_from(Sniped(), pair=([1.0, 1.0], [0.0, 0.0]))


class Randomiser:
    """As of diffprivlib: a value, its sensitivity, and what is claimed."""

    epsilon, delta, sensitivity = 1.0, 0.0, 1.0

    def randomise(self, value):
        assert isinstance(value, float)
        return value + np.random.laplace(scale=SCALE)  # noqa: NPY002


randomiser = Randomiser()


def ambiguous(data, k):
    return with_size(data, k)


stated = wb.mechanism_from(ambiguous, call="dataset, size")
stated_by_name = wb.mechanism_from(ambiguous, call="k=size, data=dataset")


def of_frame(frame: pd.DataFrame, rng):
    sums = {}
    for group, value in zip(frame["group"].array, frame["value"].array, strict=True):
        sums[group] = sums.get(group, rng.laplace(scale=SCALE)) + value
    return sums


FRAME = pd.DataFrame({"group": [*"aab"], "value": [0.5, 0.25, 1.0]})

frames = wb.mechanism_from(of_frame, pair=(FRAME, FRAME.iloc[:2]))

card = wb.Mechanism(
    *("card", "A card", one, wb.PureDP(1), False, "add-remove", wb.Domain(), "A sum."),
    pair=([1.0, 1.0], [1.0]),
)

FORMS = (
    *("whole", "other_names", "other_order", "with_size", "with_size_of_one", "one"),
    *("one_of_python", "given", "one_with_state", "one_with_annotation", "one_with_seed"),
    *("changes_its_dataset", "stream", "one_of_own_generator", "release", "method", "sniped"),
    *("randomiser", "stated", "stated_by_name", "frames", "card"),
)
