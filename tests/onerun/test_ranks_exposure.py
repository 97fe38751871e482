"""Ranks of secrets and their exposure: the law against linear programs, levels, files, refusals."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import workbench as wb
from tests.onerun.test_values_sharp import largest_probability
from workbench.onerun.ranks.law import ExposureSum, within

RANKS = [1] * 30 + [400] * 70


# -- the law of ranks ------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [2, 3, 4])
@pytest.mark.parametrize("epsilon", [0.3, 1.5])
def test_no_mechanism_has_smaller_ranks_and_one_reaches_each(values, epsilon):
    """One canary, and every order of the candidates: the limit of each j is the optimum."""
    inputs = [(v,) for v in range(values)]
    orders = list(itertools.permutations(range(values)))
    for top in range(1, values):
        found = largest_probability(
            inputs, orders, lambda x, order, top=top: float(order.index(x[0]) < top), epsilon, 0.0
        )
        assert float(within(values, top, epsilon)) == pytest.approx(found, abs=1e-7)


@pytest.mark.parametrize(("values", "reached"), [(2, True), (3, False)])
def test_no_mechanism_has_a_larger_sum_of_exposures(values, reached):
    """Two canaries: the tail is never below the optimum; for two values it is the optimum."""
    epsilon, law = 0.8, ExposureSum(values, 2)
    inputs = list(itertools.product(range(values), repeat=2))
    orders = list(itertools.product(itertools.permutations(range(values)), repeat=2))

    def total(x, order):
        ranks = [1 + one.index(v) for v, one in zip(x, order, strict=True)]
        return law.of(np.array(ranks))

    gaps = []
    for least in sorted({total(x, orders[0]) for x in inputs} - {0}):
        found = largest_probability(
            inputs, orders, lambda x, order, s=least: float(total(x, order) >= s), epsilon, 0.0
        )
        gaps.append(law.p_value(least, epsilon) - found)
    assert min(gaps) > -1e-7
    assert (max(gaps) < 1e-6) == reached


@pytest.mark.parametrize(("values", "canaries"), [(3, 4), (10, 3), (1000, 2)])
def test_the_tail_of_a_sum_is_that_of_all_combinations(values, canaries):
    law, epsilon = ExposureSum(values, canaries), 1.2
    single = np.diff(np.r_[0.0, within(values, np.arange(1, values + 1), epsilon)])
    units = np.array([law.of(np.array([rank])) for rank in range(1, values + 1)])
    sums = np.zeros(1)
    one = np.bincount(units, weights=single)
    for _ in range(canaries):
        sums = np.convolve(sums if sums.any() else [1.0], one)
    for least in range(1, sums.size, max(sums.size // 7, 1)):
        assert law.p_value(least, epsilon) == pytest.approx(sums[least:].sum(), abs=1e-12)
    assert np.all(units >= np.floor(8 * np.log2(values / np.arange(1, values + 1)) - 1e-9))


def test_for_two_values_the_sum_counts_first_ranks_and_its_level_is_exact():
    """Fails if the level is halved or doubled."""
    m, epsilon = 50, 1.0
    right = math.exp(epsilon) / (1 + math.exp(epsilon))
    for least in (40, 43):
        error = binom.sf(least - 1, m, right)
        ranks = [1] * least + [2] * (m - least)

        def bound(error, ranks=ranks):
            found = wb.exposure(ranks, values=2, delta=0, statistic="sum", confidence=1 - error)
            return found.bound.value

        assert bound(error) == pytest.approx(epsilon, abs=1e-6)
        assert bound(error / 2) < epsilon - 0.05
        assert bound(2 * error) > epsilon + 0.05


@pytest.mark.parametrize("values", [10, 1000, 10**6])
def test_the_level_of_the_sum_is_exact_under_the_law(values):
    """20,000 draws from the law itself: p-values of at most 5% are 5%, and of its half the half."""
    rng, m, epsilon = np.random.default_rng(3), 30, 2.0
    law = ExposureSum(values, m)
    uniform = rng.random((20_000, m))
    # The law of ranks, inverted: F(j) ≥ u for j ≥ uK/(u + (1 − u)e^ε).
    ranks = np.ceil(uniform * values / (uniform + (1 - uniform) * math.exp(epsilon)))
    totals = np.array([law.of(row) for row in np.maximum(ranks, 1).astype(np.int64)])
    for error in (0.05, 0.025, 0.1):
        least = next(s for s in range(totals.min(), 10**6) if law.p_value(s, epsilon) <= error)
        rate = float((totals >= least).mean())
        assert rate == pytest.approx(law.p_value(least, epsilon), abs=0.007)
        assert rate < error + 0.007
        assert law.epsilon(least, error) >= epsilon - 1e-6
        assert law.epsilon(least - 1, error) <= epsilon + 1e-6


def test_a_sum_of_very_many_has_larger_units():
    small, large = ExposureSum(10**6, 1000), ExposureSum(10**6, 200_000)
    assert small.limits.size == 159
    assert large.limits.size < 8
    assert ExposureSum(2, 10**6).of(np.array([1, 1, 2])) == 2
    assert ExposureSum(10**6, 10**7).limits.tolist() == [1]


# -- bounds ----------------------------------------------------------------------------------------


def test_one_top_is_the_sharp_bound_and_several_share_the_error():
    for top in (1, 400):
        found = wb.exposure(RANKS, values=1000, delta=1e-5, top=top)
        counted = wb.Guesses(100, 100, 30 if top == 1 else 100, values=1000, top=top)
        assert found.bound == wb.one_run_bound(counted, delta=1e-5)
        assert found.top == (top,)
    several = wb.exposure(RANKS, values=1000, delta=1e-5, top=[1, 10, 400])
    alone = [
        wb.exposure(RANKS, values=1000, delta=1e-5, top=t, confidence=1 - 0.05 / 3).bound.value
        for t in (1, 10, 400)
    ]
    assert several.bound.value == max(alone)
    assert several.bound.confidence == 0.95
    assert "each of which has 98.3333% confidence" in several.bound.note


def test_it_says_what_each_number_guarantees():
    found = wb.exposure(wb.Ranks(RANKS, 1000), delta=1e-5)
    assert found.mean == pytest.approx(np.log2(1000) * 0.3 + np.log2(2.5) * 0.7)
    assert found.mean_without_leak == pytest.approx(np.mean(np.log2(1000 / np.arange(1, 1001))))
    text = found.explain()
    assert "estimates without a guarantee" in text
    assert "how many ranks are at most 1, which was to be chosen before" in text
    assert "replacing one value by another" in text
    assert "estimate" in str(found)
    assert "estimate" in found._repr_html_()
    assert found.bound.assumption == "independent uniform values"
    frame = found.to_frame()
    assert list(frame[["ranks", "exposures"]].iloc[0]) == [1, np.log2(1000)]
    total = wb.exposure(RANKS, values=1000, delta=0, statistic="sum")
    assert "the sum of the exposures" in total.explain()
    assert "Secret Sharer" in total.bound.cite()


def test_two_values_are_pairs_of_records():
    found = wb.exposure([1] * 40 + [2] * 10, values=2, delta=1e-5)
    assert found.bound.assumption == "fair coins of pairs of records"
    assert "substituting" in found.bound.note
    pairs = wb.Guesses(50, 50, 40, design="matched-pairs")
    assert found.bound.value == wb.one_run_bound(pairs, delta=1e-5, method="sharp").value
    total = wb.exposure([1] * 40 + [2] * 10, values=2, delta=0, statistic="sum")
    assert total.bound.assumption == found.bound.assumption


def test_no_leak_shows_nothing():
    rng = np.random.default_rng(0)
    ranks = wb.Ranks(rng.integers(1, 10**6 + 1, 1000), 10**6)
    assert wb.exposure(ranks, delta=1e-5).bound.value == 0
    assert wb.exposure(ranks, delta=0, statistic="sum").bound.value < 0.2
    assert abs(float(ranks.exposures.mean()) - 1.44) < 0.15


# -- ranks from scores -----------------------------------------------------------------------------


def test_ranks_of_scores_count_the_candidates_that_are_not_behind():
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 30, (40, 200)).astype(float)
    true = rng.integers(0, 200, 40)
    own = scores[np.arange(40), true][:, None]
    expected = (scores >= own).sum(axis=1)
    assert wb.Ranks.of_scores(scores, true).ranks.tolist() == expected.tolist()
    losses = wb.Ranks.of_scores(-scores, true, larger_is_member=False)
    assert losses.ranks.tolist() == expected.tolist()
    one_by_one = wb.Ranks.of_scores((row for row in scores), true)
    assert one_by_one.ranks.tolist() == expected.tolist()
    assert one_by_one.values == 200


def test_ties_have_the_largest_rank_so_a_constant_score_shows_nothing():
    ranks = wb.Ranks.of_scores(np.zeros((50, 10)), np.zeros(50, int))
    assert ranks.ranks.tolist() == [10] * 50
    assert wb.exposure(ranks, delta=0, top=9).bound.value == 0
    unknown = np.array([[np.nan, 1.0, 2.0], [3.0, np.nan, 1.0]])
    assert wb.Ranks.of_scores(unknown, [0, 0]).ranks.tolist() == [3, 2]
    with pytest.raises(wb.ScoresError, match="every true candidate has the score NaN"):
        wb.Ranks.of_scores(np.full((2, 3), np.nan), [0, 0])


def test_a_million_candidates_are_ranked_in_little_memory(tmp_path):
    import tracemalloc

    def rows():
        rng = np.random.default_rng(2)
        for _ in range(3):
            yield rng.normal(size=10**6)

    tracemalloc.start()
    ranks = wb.Ranks.of_scores(rows(), [5, 6, 7])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert ranks.values == 10**6
    assert peak < 60e6
    stored = np.lib.format.open_memmap(
        tmp_path / "s.npy", mode="w+", dtype=np.float32, shape=(40, 200_000)
    )
    stored[:] = np.random.default_rng(3).normal(size=stored.shape)
    tracemalloc.start()
    wb.Ranks.of_scores(stored, np.arange(40))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6


@pytest.mark.parametrize(
    ("candidates", "true", "message"),
    [
        (np.zeros((3, 1)), [0, 0, 0], "at least 2 candidates"),
        (np.zeros(3), [0, 0, 0], "with a row for each canary"),
        (np.zeros((3, 4)), [0, 0, 4], "whole numbers from 0 to 3"),
        (np.zeros((3, 4)), [0, 0], "give one for each"),
        (np.zeros((3, 4)), [0, 0, 0, 0], "give one for each"),
        (iter([np.zeros(3), np.zeros(4)]), [0, 0], "canary 1 .* has 4 scores"),
        (iter([]), [0], "0 rows of scores for 1 true"),
    ],
)
def test_scores_that_do_not_fit_are_refused(candidates, true, message):
    with pytest.raises(ValueError, match=message):
        wb.Ranks.of_scores(candidates, true)


# -- what is no rank -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranks", "values", "message"),
    [
        ([1, 11], 10, "ranks must lie from 1 to 10, got 11 for canary 1"),
        ([0, 1], 10, "add 1 to ranks that are counted from 0"),
        ([1, 1.5], 10, "whole numbers, got 1.5 for canary 1"),
        ([1, math.nan], 10, "whole numbers, got nan"),
        ([1, math.inf], 10, "from 1 to 10, got inf"),
        ([], 10, "at least one canary"),
        ([[1, 2]], 10, r"got shape \(1, 2\)"),
        (["first"], 10, "ranks must be"),
        ([1], 1, "values must be a whole number of at least 2, got 1"),
        ([1], 10**10, "values must be at most"),
    ],
)
def test_what_is_no_rank_is_refused(ranks, values, message):
    with pytest.raises(ValueError, match=message):
        wb.Ranks(ranks, values)
    with pytest.raises(ValueError, match=message):
        wb.exposure(ranks, values=values, delta=0)


def test_two_canaries_with_one_secret_are_refused():
    with pytest.raises(wb.ScoresError, match=r"canary 'b' occurs twice .* one secret"):
        wb.Ranks([1, 2, 3], 10, ids=["a", "b", "b"])
    with pytest.raises(wb.ScoresError, match="2 ids for 3 ranks"):
        wb.Ranks([1, 2, 3], 10, ids=["a", "b"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"delta": 1e-5, "statistic": "sum"}, "holds at delta=0 only, got delta=1e-05"),
        ({"delta": 0, "statistic": "mean"}, "statistic must be one of 'top', 'sum'"),
        ({"delta": 0, "top": 1000}, "top must be below the 1000 values"),
        ({"delta": 0, "top": 0}, "top must be a whole number of at least 1"),
        ({"delta": 0, "top": []}, "top must be a list of whole numbers"),
        ({"delta": 0, "values": None}, "give values="),
        ({"delta": 0, "ranks": wb.Ranks([1], 5)}, "already state values"),
    ],
)
def test_arguments_of_exposure(arguments, message):
    with pytest.raises(ValueError, match=message):
        wb.exposure(**{"ranks": RANKS, "values": 1000} | arguments)


# -- files -----------------------------------------------------------------------------------------

TABLE = pd.DataFrame({"canary": ["a", "b", "c"], "rank": [1, 7, 1000], "candidates": [1000] * 3})


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json", "parquet"])
def test_files_of_ranks_are_read(kind, tmp_path):
    path = tmp_path / f"secrets.{kind}"
    if kind == "csv":
        TABLE.to_csv(path, index=False)
    elif kind == "parquet":
        pytest.importorskip("pyarrow")
        TABLE.to_parquet(path)
    else:
        TABLE.to_json(path, orient="records", lines=kind == "jsonl")
    found = wb.read_ranks(path)
    assert found.ranks.tolist() == [1, 7, 1000]
    assert found.values == 1000
    assert found.ids.tolist() == ["a", "b", "c"]
    assert found.name == "secrets"


@pytest.mark.parametrize("name", ["k", "values", "n_candidates", "Candidates", "num_candidates"])
def test_other_names_of_the_number_of_candidates(name):
    assert wb.read_ranks(TABLE.rename(columns={"candidates": name})).values == 1000
    assert wb.read_ranks(TABLE[["rank"]], values=1000).values == 1000
    named = TABLE.rename(columns={"rank": "place", "candidates": "of"})
    assert wb.read_ranks(named, rank="place", candidates="of", id="canary").canaries == 3


@pytest.mark.parametrize("read", [wb.read_scores, wb.read_one_run])
@pytest.mark.parametrize("name", ["candidates", "k", "values"])
def test_other_readers_say_what_it_is(read, name):
    with pytest.raises(
        wb.ScoresError, match=r"ranks of true values .* read it with wb\.read_ranks"
    ):
        read(TABLE.rename(columns={"candidates": name}))


def test_a_rank_beside_memberships_is_a_score_as_before():
    table = pd.DataFrame({"rank": [3, 1, 2, 5, 4, 6], "k": 9, "member": [1, 0, 1, 0, 1, 0]})
    assert wb.read_scores(table, score="rank").n_p == 3


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            TABLE.assign(candidates=[10, 1000, 1000]),
            "10 to 1000 candidates .* rows='candidates=1000'",
        ),
        (TABLE.assign(candidates=1), "1 candidates"),
        (TABLE.assign(candidates=3), "from 1 to 3, got 7"),
        (TABLE.assign(canary=["a", "a", "c"]), "occurs twice"),
        (TABLE[["canary", "rank"]], "no column called 'candidates' beside 'rank'"),
        (TABLE[["canary", "candidates"]], "no column called 'rank'"),
        (TABLE.assign(rank=["1", "x", "3"]), "'x' is not a number"),
        (TABLE[:0], "no rows|empty"),
    ],
)
def test_files_that_hold_no_ranks_are_refused(table, message):
    with pytest.raises(wb.ScoresError, match=message):
        wb.read_ranks(table)


def test_rows_of_one_number_of_candidates_are_chosen():
    mixed = TABLE.assign(candidates=[10, 1000, 1000])
    assert wb.read_ranks(mixed, rows="candidates=1000").canaries == 2
    with pytest.raises(ValueError, match="either values= or candidates="):
        wb.read_ranks(TABLE, values=5, candidates="candidates")
