"""Dataset finders: neighbors within the domain, repeatable, and the bandit learns."""

from collections import Counter

import numpy as np
import pytest

from workbench.mechanisms.base import ARRAYS, Domain
from workbench.testers.finders import SEARCHES, finder
from workbench.testers.finders.base import FinishedTrial, ProposalError
from workbench.testers.finders.given import FixedFinder, GivenFinder
from workbench.testers.finders.neighbors import Neighbors, NotNeighbors
from workbench.testers.finders.records import left_over

pytestmark = pytest.mark.slow

DOMAINS = {
    "vectors": Domain(),
    "tables": Domain(low=-2.0, high=3.0, columns=2, min_records=0, max_records=40),
    "0/1 tables": Domain(columns=10, min_records=3, max_records=25, integer=True),
    "whole numbers": Domain(low=-0.5, high=6.3, min_records=1, max_records=6, integer=True),
}


def differing(neighbors):
    """The record that only the first dataset has, and the one that only the second has."""
    first, second = (
        Counter(tuple(np.atleast_1d(r).tolist()) for r in data)
        for data in (neighbors.dataset, neighbors.neighbor)
    )
    return [np.array(next(iter(x), ())) for x in (first - second, second - first)]


def run(search, predicted, trials):
    """A whole search, with the leak predicted on each trial's datasets."""
    history = []
    while len(history) < trials and (proposal := search.propose(history)) is not None:
        history.append(FinishedTrial(proposal, predicted(proposal)))
    return history


def same(a, b):
    return np.array_equal(a.dataset, b.dataset) and np.array_equal(a.neighbor, b.neighbor)


@pytest.mark.parametrize("neighboring_relation", ARRAYS)
@pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
@pytest.mark.parametrize("name", SEARCHES)
def test_proposals_are_neighbors_within_the_domain(name, domain, neighboring_relation):
    trials = 16 if name == "bandit" else 200
    history = run(
        finder(name, neighboring_relation, domain, seed=1), lambda n: n.dataset.mean(), trials
    )
    assert history
    for proposal, _ in history:  # that they are neighbors, `Neighbors` has checked
        assert proposal.neighboring_relation == neighboring_relation
        for data in (proposal.dataset, proposal.neighbor):
            assert data.shape[1:] == ((domain.columns,) if domain.columns else ())
            assert domain.min_records <= len(data) <= domain.max_records
            assert np.all((domain.low <= data) & (data <= domain.high))
            assert data.dtype == (np.int64 if domain.integer else np.float64)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.statistical
def test_a_seed_and_a_history_fix_the_proposals(name):
    def searched(seed, predicted):
        return [n for n, _ in run(finder(name, "substitute", Domain(), seed), predicted, 12)]

    first = searched(4, len_of)
    assert all(map(same, first, searched(4, len_of)))
    assert all(map(same, first, searched(np.random.default_rng(4), len_of)))
    assert all(map(same, first, searched(5, len_of))) == (name == "grid")


def len_of(neighbors):
    return float(len(neighbors.dataset))


@pytest.mark.parametrize("name", SEARCHES)
def test_only_the_bandit_looks_at_the_history(name):
    small, large = (
        [
            n
            for n, _ in run(
                finder(name, domain=Domain(max_records=60)), lambda x, s=sign: s * len_of(x), 14
            )
        ]
        for sign in (-1, 1)
    )
    assert finder(name).batch == (name != "bandit") == all(map(same, small, large))


def test_random_often_takes_the_ends():
    history = run(finder("random", "substitute", Domain(max_records=50)), lambda n: 0.0, 400)
    records = np.concatenate([differing(n)[0] for n, _ in history])
    sizes = np.array([len(n.dataset) for n, _ in history])
    assert 0.5 < np.mean(np.isin(records, [0.0, 1.0])) < 0.85
    assert len(set(records)) > 80
    assert 0.15 < np.mean(sizes == 50) < 0.5
    assert 0.15 < np.mean(sizes == 1) < 0.5
    assert len(set(sizes)) > 15


def test_random_finds_opposite_records_of_wide_tables():
    """Queries of which some rise while others fall: where broken sparse vectors leak."""

    def opposite(n):
        a, b = differing(n)
        return np.all(a + b == 1) and 0 < a.sum() < a.size

    history = run(finder("random", "substitute", DOMAINS["0/1 tables"]), opposite, 200)
    assert sum(predicted for _, predicted in history) >= 20


@pytest.mark.parametrize("neighboring_relation", ARRAYS)
def test_the_grid_covers_every_size_value_and_change(neighboring_relation):
    """Values 0, 1, 2: each constant dataset with each record, or each two records."""
    domain = Domain(low=0, high=2, min_records=2, max_records=4, integer=True)
    history = run(finder("grid", neighboring_relation, domain), len_of, 10_000)
    met = set()
    for n, _ in history:
        shared = Counter(n.dataset.tolist()) & Counter(n.neighbor.tolist())
        if len(shared) == 1:
            change = frozenset(int(r[0]) for r in differing(n) if r.size)
            met.add((shared.total(), next(iter(shared)), change))
    shared_sizes = {"add-remove": (2, 3), "substitute": (1, 2, 3)}[neighboring_relation]
    assert met == {
        (size, value, change)
        for size in shared_sizes
        for value in range(3)
        for change in (
            [frozenset({i}) for i in range(3)]
            if neighboring_relation == "add-remove"
            else [frozenset(x) for x in ((0, 1), (0, 2), (1, 2))]
        )
    }
    contents = [(n.dataset.tobytes(), n.neighbor.tobytes()) for n, _ in history]
    assert len(set(contents)) == len(contents)  # nothing twice


def test_the_grid_begins_at_the_ends_and_goes_from_small_to_large():
    history = run(finder("grid", domain=Domain(max_records=17)), len_of, 24)
    values = np.concatenate([n.dataset for n, _ in history])
    assert set(values) == {0.0, 1.0}
    assert [len(n.dataset) for n, _ in history] == sorted([2, 3, 4, 6, 10, 17] * 4)


# -- the bandit ----------------------------------------------------------------------------------


def peak(neighbors):
    """1 at a record of 0.3 among 29 others around 0.6; next to nothing far from there."""
    record = differing(neighbors)[0][0]
    size, middle = len(neighbors.dataset), neighbors.dataset.mean()
    return float(
        np.exp(
            -(((record - 0.3) / 0.25) ** 2)
            - (np.log(size / 30) / 0.8) ** 2
            - ((middle - 0.6) / 0.3) ** 2
        )
    )


def slope(neighbors):
    """Grows with the record's value and with every record less; 1 at most."""
    return float(differing(neighbors)[0][0]) / (len(neighbors.dataset) - 1)


def best(name, predicted, seeds, trials=25):
    domain = Domain(max_records=100)
    return np.array(
        [
            max(x for _, x in run(finder(name, "add-remove", domain, seed), predicted, trials))
            for seed in range(seeds)
        ]
    )


@pytest.mark.statistical
def test_the_bandit_climbs_a_peak_that_chance_misses():
    """Sign test over 10 seeds: 8 wins or more happen by chance in 5.5% of such tests."""
    learned, drawn = best("bandit", peak, 10), best("random", peak, 10)
    assert np.sum(learned > drawn) >= 8
    assert np.median(learned) > 0.7 > np.median(drawn)


@pytest.mark.statistical
def test_the_bandit_finds_the_end_of_a_slope():
    assert np.all(best("bandit", slope, 5) > 0.8)


def test_the_bandit_survives_lost_trials_and_endless_promises(capsys, recwarn):
    search = finder("bandit", "substitute", Domain(columns=3), seed=2)
    bad = [None, np.nan, -np.inf, np.inf, 1e300, 0.0, -3.0]
    history = [(search.propose([]), x) for x in bad * 2]
    for _ in range(4):
        history.append((search.propose(history), None))
    assert len(history) == 18
    assert capsys.readouterr() == ("", "")
    assert not recwarn.list


def content_of(neighbors):
    return neighbors.dataset.tobytes(), neighbors.neighbor.tobytes()


def test_the_bandit_gives_several_at_a_time_that_differ():
    search = finder("bandit", seed=3)
    history = run(search, slope, 10)
    assert len({content_of(n) for n, _ in history[:8]}) == 8
    several = [search.propose(history) for _ in range(5)]
    assert len({content_of(n) for n in several}) == 5


def test_the_bandit_returns_to_what_leaks_most_and_not_while_it_is_open():
    """New runs on the same pair may show a violation that earlier ones missed."""
    domain = Domain(low=0, high=1, min_records=1, max_records=4, integer=True)
    search = finder("bandit", "add-remove", domain, seed=1)
    history = run(search, slope, 20)
    again = Counter(content_of(n) for n, _ in history[8:])
    (most, times), *_ = again.most_common()
    assert times > 1
    assert most in {content_of(n) for n, leak in history if leak == 1.0}
    assert len({content_of(search.propose(history)) for _ in range(3)}) == 3


@pytest.mark.statistical
def test_the_bandit_learns_from_noisy_predictions():
    """Their noise is half as large as all that differs; later trials leak more than drawn ones."""

    def gain(seed):
        rng = np.random.default_rng(seed)
        domain = Domain(max_records=10)
        history = run(
            finder("bandit", "add-remove", domain, seed), lambda n: slope(n) + rng.normal(0, 0.15),
            24,
        )  # fmt: skip
        true = [slope(n) for n, _ in history]
        return np.mean(true[12:]) - np.mean(true[:8])

    assert np.all([gain(seed) > 0.4 for seed in range(4)])


def test_the_bandit_goes_on_where_every_dataset_was_tried():
    domain = Domain(low=0, high=1, min_records=1, max_records=2, integer=True)
    assert len(run(finder("bandit", "add-remove", domain), len_of, 14)) == 14


# -- a person's own ------------------------------------------------------------------------------


def test_one_pair_for_all_trials():
    pair = Neighbors(np.array([1.0, 2.0]), np.array([1.0]))
    for spec in (pair, ([1.0, 2.0], [1.0])):
        search = finder(spec)
        assert isinstance(search, FixedFinder)
        assert search.batch
        assert all(same(search.propose([]), pair) for _ in range(3))
    assert finder(([1, 2], [1, 3])).propose([]).neighboring_relation == "substitute"
    assert finder(search) is search


def test_a_pair_that_is_not_neighbors_is_told_at_once():
    with pytest.raises(NotNeighbors, match="2 records are only in the first"):
        finder(([1, 2, 3, 4], [1, 2]))
    with pytest.raises(NotNeighbors, match="one record more or less"):
        finder(([1, 2], [1, 3]), neighboring_relation="add-remove")
    with pytest.raises(NotNeighbors, match="neighbors by add-remove; the claim is about sub"):
        finder(Neighbors(np.ones(2), np.ones(1)), neighboring_relation="substitute")


def test_own_datasets_until_they_end():
    pairs = [([0], [1]), Neighbors(np.array([1, 1]), np.array([1]))]
    for source in (pairs, iter(pairs), (p for p in pairs), tuple(pairs[::-1])):
        search = finder(source)
        assert isinstance(search, GivenFinder)
        assert search.batch
        assert {len(search.propose([]).dataset), len(search.propose([]).dataset)} == {1, 2}
        assert [search.propose([]), search.propose([])] == [None, None]


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        (([0, 0], [1, 1]), NotNeighbors, "2 records are only in the first"),
        (([0], [0]), NotNeighbors, "0 records"),
        ((0.5, 1.5), NotNeighbors, "datasets must be"),
        (([[1, 2], [3]], [1]), ProposalError, "must be an array"),
        ("pair", ProposalError, "got str"),
        (None, ProposalError, "got NoneType"),
        (([0], [1], [2]), ProposalError, "tuple of length 3"),
    ],
)
def test_a_bad_pair_loses_one_trial(bad, error, words):
    search = finder([bad, ([0], [1])])
    with pytest.raises(error, match=words):
        search.propose([])
    assert search.propose([]).dataset.tolist() == [0]
    assert search.propose([]) is None


def test_a_source_that_raises():
    def broken():
        yield ([0], [1])
        raise RuntimeError("out of data")

    search = finder(broken())
    assert search.propose([]) is not None
    with pytest.raises(ProposalError, match="raised RuntimeError: out of data"):
        search.propose([])
    assert search.propose([]) is None  # a generator that raised has ended


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("bayes", "'random', 'grid', 'bandit'; got 'bayes'"),
        (7, "a list or generator of pairs; got int"),
        (lambda: iter(()), "got function, which has to be called first"),
        (np.zeros((2, 3)), "got ndarray"),
    ],
)
def test_what_is_no_finder(spec, words):
    with pytest.raises(ValueError, match=words):
        finder(spec)


@pytest.mark.parametrize(
    ("domain", "neighboring_relation", "words"),
    [
        (Domain(min_records=5, max_records=5), "add-remove", "no two datasets of 5 to 5 records"),
        (Domain(max_records=0), "substitute", "allow more records"),
        (Domain(low=1, high=1), "substitute", "no two records differ"),
        (Domain(low=0.2, high=0.8, integer=True), "add-remove", "whole numbers; widen"),
        (Domain(low=-np.inf), "add-remove", "low must be finite"),
        (Domain(), "swap", "neighboring_relation must be one of"),
    ],
)
@pytest.mark.parametrize("name", SEARCHES)
def test_a_domain_without_neighbors(name, domain, neighboring_relation, words):
    with pytest.raises(ValueError, match=words):
        finder(name, neighboring_relation, domain)


def test_whole_and_real_records_are_equal_and_so_are_nan():
    whole, real = np.array([3, 1, 2]), np.array([1.0, 2.0])
    assert Neighbors(whole, real).neighboring_relation == "add-remove"
    assert left_over(whole, real).tolist() == [3]
    table = np.array([[np.nan, 1.0], [0.0, 1.0]])
    assert left_over(table, table[:1].copy()).tolist() == [[0.0, 1.0]]
    Neighbors(table, table[:1].copy())
