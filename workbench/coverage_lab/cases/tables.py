"""Score tables of few and of many records, with scores that have few values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from workbench.coverage_lab.cases.case import SimulatedCase, exceeds
from workbench.curves.validation import Floats
from workbench.scores.chance import BITS
from workbench.tables.bounds.methods import Method
from workbench.tables.table import ScoreTable

#: Numbers of records and of models.
RECORDS, MODELS = (1, 2, 5, 40), (20, 32, 128)

OF_WORST: tuple[Method, ...] = ("simultaneous", "held-out", "e-values")
METHODS = (*OF_WORST, "exceeding", "leaking")

#: Records in a class.
_CLASS = 5

#: Value of saturated scores, and their share.
_SATURATED, _SHARE = 36.7, 0.9


def _yes_no(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return rng.integers(0, 2, shape).astype(float)


def _rare(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return (rng.random(shape) < 0.9).astype(float)


def _three(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return rng.choice([0.0, 1.0, 2.0], shape, p=[0.2, 0.3, 0.5])


def _saturated(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return np.where(rng.random(shape) < _SHARE, _SATURATED, rng.normal(0, 5, shape))


SCORES = {"0/1": _yes_no, "rare 0": _rare, "three values": _three, "saturated": _saturated}


def _coins(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.bool_]:
    return rng.random(shape) < 0.5


def _exactly_half(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.bool_]:
    half = np.arange(shape[0])[:, None] < shape[0] // 2
    return rng.permuted(np.broadcast_to(half, shape), axis=0)


def _pairs(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.bool_]:
    first = rng.random((shape[0] // 2, shape[1])) < 0.5
    return np.stack([first, ~first], axis=1).reshape(shape)


def _one_user(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.bool_]:
    return np.repeat(rng.random((shape[0], 1)) < 0.5, shape[1], axis=1)


def _half_user(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.bool_]:
    return np.repeat(_exactly_half(rng, (shape[0], 1)), shape[1], axis=1)


def _two_of_all(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.bool_]:
    return rng.permuted(np.broadcast_to(np.arange(shape[1]) < 2, shape), axis=1)


def _unfair(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.bool_]:
    return rng.random(shape) < 0.65


DESIGNS = {
    "coins": _coins,
    "exactly half": _exactly_half,
    "complementary pairs": _pairs,
    "one user": _one_user,
    "one user, exactly half": _half_user,
    "two in each model": _two_of_all,
    "inclusion 0.65": _unfair,
}


@dataclass(frozen=True)
class Drawn:
    """Tables of one kind. Calling it draws one and says which methods claim too much.

    Attributes
    ----------
    records, models : int
    scores, design : str
        Keys of `SCORES` and `DESIGNS`.
    truth : float
        ε at δ = 0: 0 for scores that say nothing, else that of randomized response.
    mirrored : bool
        Whether the scores of the second model of a pair are those of the first times −1.
    same : bool
        Whether all records of a model have one score.
    groups : bool
        Whether the worst record of each class is asked for, too.
    """

    records: int
    models: int
    scores: str = "0/1"
    design: str = "coins"
    truth: float = 0.0
    mirrored: bool = False
    same: bool = False
    groups: bool = False

    def table(self, rng: np.random.Generator) -> ScoreTable:
        """A table."""
        shape = self.models, self.records
        member = DESIGNS[self.design](rng, shape)
        if self.truth:
            scores = (member == (rng.random(shape) < 1 / (1 + np.exp(-self.truth)))).astype(float)
        else:
            scores = SCORES[self.scores](rng, shape)
        if self.mirrored:
            scores[1::2] = -scores[::2]
        if self.same:
            scores[:] = scores[:, :1]
        return ScoreTable(
            scores,
            member,
            sampling="independent runs",
            seed=int(rng.integers(2**BITS)),
            attributes={"class": np.arange(self.records) // _CLASS},
        )

    def __call__(self, rng: np.random.Generator) -> tuple[bool, ...]:
        table, truth = self.table(rng), self.truth
        if not table.independent.auditable.any():  # all models have the record, or none
            return (False,) * (len(METHODS) + 2 * self.groups)
        found = [
            exceeds(partial(table.worst_record, 0.0, method=method), truth) for method in OF_WORST
        ]
        found.append(table.exceeding(truth, 0.0).value > 0)
        found.append(len(table.leaking(truth, 0.0)) > 0)
        if self.groups:
            for method in OF_WORST[:2]:
                of_each = table.worst_of_groups("class", 0.0, method=method)
                found.append(any(bound.value > truth for bound in of_each.values()))
        return tuple(found)


def _case(name: str, drawn: Drawn, about: str = "nothing leaks") -> SimulatedCase:
    methods = METHODS + (("groups, simultaneous", "groups, held-out") if drawn.groups else ())
    title = f"{drawn.models} models × {drawn.records} records"
    return SimulatedCase(f"table, {name}", f"{title}, {about}.", methods, drawn)


def _by_size() -> list[SimulatedCase]:
    """Every number of records with every number of models, each with one kind of scores."""
    kinds, found = ("0/1", "three values", "saturated"), []
    for place, (records, models) in enumerate(product(RECORDS, MODELS)):
        kind = kinds[(place + place // len(MODELS)) % len(kinds)]
        drawn = Drawn(records, models, kind)
        found.append(_case(f"{models} × {records}, {kind}", drawn))
    return found


TABLES = (
    *_by_size(),
    _case("few values, one record", Drawn(1, 128, "0/1")),
    _case("saturated, five records", Drawn(5, 128, "saturated", groups=True)),
    _case("classes of five", Drawn(20, 64, "saturated", groups=True)),
    _case("exactly half", Drawn(5, 64, "saturated", "exactly half")),
    _case("complementary pairs", Drawn(20, 64, "0/1", "complementary pairs")),
    _case(
        "complementary pairs, scores x and −x",
        Drawn(20, 64, "three values", "complementary pairs", mirrored=True),
    ),
    _case("one user", Drawn(20, 64, "0/1", "one user", groups=True)),
    _case("one user, exactly half", Drawn(20, 64, "0/1", "one user, exactly half", groups=True)),
    _case("two records in each model", Drawn(5, 64, "0/1", "two in each model", same=True)),
    _case("inclusion 0.65", Drawn(2, 64, "rare 0", "inclusion 0.65")),
    _case("inclusion 0.65, three records", Drawn(3, 128, "0/1", "inclusion 0.65")),
    _case("randomized response", Drawn(2, 64, truth=1.0), "randomized response, ε = 1"),
    _case(
        "randomized response, many records", Drawn(40, 64, truth=1.0),
        "randomized response, ε = 1",
    ),
)  # fmt: skip
