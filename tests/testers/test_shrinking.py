"""`MechanismAudit.shrink`: smaller datasets that still show a violation, measured anew."""

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.testers.finders.records import left_places
from workbench.testers.finders.smaller import smaller

pytestmark = pytest.mark.slow

DOMAIN = wb.TableDomain(
    {"x": (0.0, 1.0), "g": ["a", "b"]}, rows=(0, 30), user="id", max_rows_per_user=9, label="g"
)

HOW = {"testers": ("hockey-stick",), "samples": 4000, "trials": 15}


def unclipped(frame, size, rng):
    """Private for users of up to three rows."""
    return frame.x.sum() + rng.laplace(scale=3.0, size=size)


def test_a_user_shrinks_to_the_fewest_rows_that_show_it():
    found = wb.audit_mechanism(
        unclipped, "pure(1)", domain=DOMAIN, neighboring_relation="user", **HOW
    )
    before = found.in_words()
    shrunk = found.shrink(samples=20_000)
    assert shrunk.violation
    assert shrunk.smaller
    pair = shrunk.neighbors
    assert 4 <= len(left_places(pair.dataset, pair.neighbor)) <= 6
    assert len(pair.neighbor) == 0
    assert found.in_words() == before  # what was reported stays
    assert shrunk.evidence.trial is found.best.trial
    assert "for this replay, apart from the audit)" in shrunk.in_words()
    again = found.shrink(samples=20_000)
    assert again.in_words() == shrunk.in_words()


def test_arrays_shrink_within_their_domain():
    card = wb.mechanism("svt5")
    found = wb.audit_mechanism(card, "pure(1)", **HOW)
    shrunk = found.shrink()
    assert shrunk.violation
    assert len(shrunk.neighbors.dataset) == 1
    assert np.sum(shrunk.neighbors.dataset != shrunk.neighbors.neighbor) <= 3


@pytest.mark.parametrize("relation", ["add-remove", "substitute", "user", "label"])
def test_all_that_is_smaller_is_neighboring_and_in_the_domain(relation):
    from workbench.testers.finders import finder

    domain = wb.TableDomain(
        {"x": (0.5, 1.0), "g": ["a", "b"]}, rows=(3, 9), user="id", max_rows_per_user=4, label="g"
    )
    search = finder("random", relation, domain, seed=5)
    met = 0
    for _ in range(8):
        pair = search.propose([])
        for one in smaller(pair, domain):
            met += 1
            assert (one.neighboring_relation, one.column) == (relation, pair.column)
            domain.check(one.dataset)
            domain.check(one.neighbor)
            assert len(one.dataset) <= len(pair.dataset)
    assert met > 30


@pytest.mark.statistical
def test_a_private_mechanism_is_not_accused_by_shrinking():
    """The measurement at the end has its own level, whatever the looks before it said."""
    rng = np.random.default_rng(0)
    accused = 0
    a = pd.DataFrame({"id": [0, 0, 0, 1], "x": 1.0, "g": "a"})
    pair = wb.Neighbors(a, a[a.id != 0], "user", column="id")
    for seed in rng.integers(1000, size=60).tolist():
        found = wb.audit_mechanism(
            unclipped, "pure(0.5)", pair, trials=1, samples=4000, seed=seed, testers=("histogram",)
        )
        shrunk = found.shrink(domain=DOMAIN, tries=3)
        own = len(left_places(shrunk.neighbors.dataset, shrunk.neighbors.neighbor))
        accused += shrunk.violation and own * np.max(shrunk.neighbors.dataset.x) / 3 <= 0.5
    assert accused <= 7  # of 60 at 95%: 8 or more have a chance below 1.2%


def test_what_cannot_shrink():
    private = wb.audit_mechanism(
        lambda frame, size, rng: rng.laplace(size=size), "pure(1)", domain=DOMAIN,
        trials=1, samples=500,
    )  # fmt: skip
    with pytest.raises(ValueError, match="there is no violation whose datasets shrink: none found"):
        private.shrink()
    leaks = lambda d, size, rng: 50 * np.sum(d) + rng.laplace(size=size)  # noqa: E731
    stated = wb.audit_mechanism(
        leaks, "pure(1)", ([0], [1]), neighboring_relation="stated", trials=1, samples=500
    )
    with pytest.raises(ValueError, match="is not known where the caller states it; audit smaller"):
        stated.shrink()
    given = wb.audit_mechanism(leaks, "pure(1)", ([1.0], [1.0, 1.0]), trials=1, samples=500)
    with pytest.raises(ValueError, match=r"state it: shrink\(domain=wb.Domain"):
        given.shrink()
    assert given.shrink(domain=wb.Domain()).violation
