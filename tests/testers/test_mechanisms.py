"""The gallery: outputs follow their exact laws, and by these laws the cards say the truth.

The laws are in `helpers.laws_of_mechanisms`, on outcomes that divide up the outputs. On outcomes a
divergence can only be smaller than on outputs: what exceeds a claim here does.
"""

import functools
import math
import pickle

import numpy as np
import pytest
from helpers.laws_of_mechanisms import LAWS, LEAKS, Patterns
from scipy import stats

import workbench as wb
from workbench import GDP, ApproxDP, PureDP
from workbench.mechanisms import svt, svt_numbers
from workbench.mechanisms.gallery import GALLERY, groups
from workbench.mechanisms.local_protocols import rappor
from workbench.testers.finders.neighbors import Neighbors

pytestmark = pytest.mark.slow

RUNS = 200_000

#: Sparse vector algorithms that release numbers, with NaN for the others.
TELLING = {
    *("svt3", "svt-numeric", "svt-gap", "svt-gap-count", "svt-adaptive", "svt-adaptive-count"),
    "svt34-parallel",
}


def p_value(counts, law):
    """Of a χ² test of counts against a law; outcomes of fewer than 10 expected are taken as one."""
    expected = law * counts.sum()
    often = expected >= 10
    seen = np.append(counts[often], counts[~often].sum())
    hoped = np.append(expected[often], expected[~often].sum())
    if hoped[-1] < 10:  # too few to compare but by their number
        if stats.poisson.sf(seen[-1] - 1, max(hoped[-1], 1e-9)) < 1e-6:
            return 0.0
        seen, hoped = seen[:-1], hoped[:-1] * seen[:-1].sum() / hoped[:-1].sum()
    return stats.chisquare(seen, hoped * seen.sum() / hoped.sum()).pvalue if len(seen) > 1 else 1.0


def leak(claim, p, q):
    """The claim's parameter that two laws have, at least: the larger of both directions."""
    seen = (p > 1e-7) | (q > 1e-7)
    p, q = p[seen], q[seen]
    with np.errstate(divide="ignore"):
        if isinstance(claim, PureDP):
            return np.abs(np.log(p / q)).max()
        if isinstance(claim, GDP):
            order = np.argsort(-p / q)
            fpr, tpr = np.cumsum(q[order])[:-1], np.cumsum(p[order])[:-1]
            middle = (fpr > 1e-4) & (tpr < 1 - 1e-4)
            return (stats.norm.ppf(tpr[middle]) - stats.norm.ppf(fpr[middle])).max()
        if type(claim) is ApproxDP:
            factor = math.exp(claim.epsilon_0)
            return max(np.maximum(x - factor * y, 0).sum() for x, y in ((p, q), (q, p)))
        a = claim.order
        return max(np.log(np.sum(x**a * y ** (1 - a))) / (a - 1) for x, y in ((p, q), (q, p)))


def parameter(claim):
    return claim.delta_0 if type(claim) is ApproxDP else claim.parameter


@functools.cache
def laws(name):
    return tuple(map(LAWS[name].law, GALLERY[name].pair))


# ---------------------------------------------------------------- the cards


def test_every_card_has_a_law_here():
    assert set(LAWS) == set(GALLERY)
    assert set(LEAKS) == {name for name, card in GALLERY.items() if card.private}


@pytest.mark.parametrize("name", GALLERY)
def test_outputs_follow_the_exact_law(name):
    """χ² at level 1e-5 for each of 128 samples: a right gallery fails in fewer than 1 in 780."""
    card, outcomes = GALLERY[name], LAWS[name]
    rng = np.random.default_rng(7)
    for dataset, law, other in zip(card.pair, laws(name), laws(name)[::-1], strict=True):
        assert law.min() > -1e-9
        assert abs(law.sum() - 1) < 1e-6
        counts = np.bincount(outcomes.codes(card(dataset, RUNS, rng)), minlength=len(law))
        assert p_value(counts, law) > 1e-5
        assert p_value(counts, other) < 1e-5, "the test must tell the neighbor's law apart"


@pytest.mark.parametrize("name", GALLERY)
def test_the_card_says_whether_the_claim_holds(name):
    card = GALLERY[name]
    value, claimed = leak(card.claim, *laws(name)), parameter(card.claim)
    if card.private:
        assert LEAKS[name] * claimed <= value <= claimed * (1 + 1e-4)  # integrals are rounded
    else:
        assert value > 1.2 * claimed


def test_svt4_leaks_what_lyu_su_and_li_prove_and_no_more():
    """(1 + 6c)/4 · ε, where the others' proof said ε; with few queries, less."""
    for answers in (1, 2, 3):
        pair = GALLERY["svt4"].pair
        p, q = (Patterns(4, 4 / 3, answers).law(dataset) for dataset in pair)
        assert 0.7 * (1 + 6 * answers) / 4 < leak(PureDP(1), p, q) <= (1 + 6 * answers) / 4
        rows = svt.svt4(pair[0], 50_000, np.random.default_rng(1), answers=answers)
        law = Patterns(4, 4 / 3, answers).law(pair[0])
        codes = np.bincount(LAWS["svt4"].codes(rows), minlength=len(law))
        assert p_value(codes, law) > 1e-5
        assert (rows == 1).sum(axis=1).max() == answers


def test_svt5_tells_the_order_of_two_counts():
    first, second = GALLERY["svt5"].pair
    rng = np.random.default_rng(0)
    told = [
        np.any((rows[:, :9] == 0) & (rows[:, 9:] == 1), axis=1).sum()
        for rows in (GALLERY["svt5"](d, 10_000, rng) for d in (first, second))
    ]
    assert told[0] > 1000
    assert told[1] == 0


@pytest.mark.parametrize("name", GALLERY)
def test_pairs_are_neighbors_within_the_domain(name):
    card = GALLERY[name]
    Neighbors(*card.pair, card.neighboring_relation)
    for dataset in card.pair:
        domain = card.domain
        assert domain.low <= dataset.min() <= dataset.max() <= domain.high
        assert domain.min_records <= len(dataset) <= domain.max_records
        assert dataset.shape[1:] == ((domain.columns,) if domain.columns else ())
        assert not domain.integer or np.array_equal(dataset, np.round(dataset))


@pytest.mark.parametrize("name", GALLERY)
def test_runs_depend_on_rng_and_dataset_only(name):
    card = pickle.loads(pickle.dumps(GALLERY[name]))
    dataset, _ = card.pair
    before = dataset.copy()
    runs = [card(dataset, 100, np.random.default_rng(seed)) for seed in (3, 3, 4)]
    assert len(runs[0]) == 100
    assert runs[0].ndim in (1, 2)
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2], equal_nan=runs[0].dtype.kind == "f")
    np.testing.assert_array_equal(dataset, before)


@pytest.mark.parametrize("name", GALLERY)
@pytest.mark.parametrize("records", [0, 1, 10])
def test_datasets_of_any_length_are_taken(name, records):
    card, rng = GALLERY[name], np.random.default_rng(5)
    shape = (records, card.domain.columns) if card.domain.columns else (records,)
    dataset = rng.integers(0, 2, shape).astype(float)
    outputs = card(dataset, 50, rng)
    assert len(outputs) == 50
    assert len(card(dataset.tolist() if records else dataset, 1, rng)) == 1
    finite = np.isfinite(outputs)
    assert finite.all() or (name in TELLING and np.isnan(outputs[~finite]).all())


@pytest.mark.parametrize("name", GALLERY)
def test_a_dataset_of_the_wrong_kind_is_refused(name):
    card = GALLERY[name]
    wrong = np.ones(3) if card.domain.columns else np.ones((3, 2))
    with pytest.raises(ValueError, match=r"this mechanism takes a .*got \(3"):
        card(wrong, 10, np.random.default_rng(0))


def test_the_gallery_is_public():
    table = wb.mechanism_gallery()
    assert list(table) == [
        *("name", "title", "claim", "private", "neighboring_relation", "about"),
        *("group", "source"),
    ]
    assert table["name"].tolist() == list(GALLERY)
    assert all(str(wb.parse_claim(claim)) == claim for claim in table["claim"])
    assert wb.mechanism("svt3") is GALLERY["svt3"]
    with pytest.raises(ValueError, match="no mechanism 'svt7'; there are laplace-mean, "):
        wb.mechanism("svt7")


def test_every_mechanism_stands_in_one_group():
    listed = [card.name for cards in groups().values() for card in cards]
    assert listed == list(GALLERY)
    assert len(set(listed)) == len(listed)
    assert wb.mechanism_gallery()["group"].nunique() == len(groups())


@pytest.mark.parametrize("answers", [1, 2, 3])
def test_adaptive_noise_gives_more_answers_for_the_same_budget(answers):
    """From c to 2c − 1, and never more than is paid for."""
    far, near = (np.full((n, 10), 1.0) for n in (100, 4))
    rng = np.random.default_rng(2)
    for gaps in (svt_numbers.svt_adaptive(d, 5000, rng, answers=answers) for d in (far, near)):
        given = (~np.isnan(gaps)).sum(axis=1)
        assert given.max() <= 2 * answers - 1
        assert np.nanmin(gaps) >= 0
    many = (~np.isnan(svt_numbers.svt_adaptive(far, 5000, rng, answers=answers))).sum(axis=1)
    assert np.mean(many == 2 * answers - 1) > (0.99 if answers == 1 else 0.9)


def test_quartiles_are_in_order_and_of_few_records():
    run = GALLERY["joint-quantiles"]
    rng = np.random.default_rng(0)
    found = run(np.linspace(0, 1, 60), 200, rng)
    assert (np.diff(found, axis=1) >= 0).all()
    with pytest.raises(ValueError, match="at most 60 records; got 61"):
        run(np.linspace(0, 1, 61), 1, rng)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 40.0])
def test_rappor_leaves_a_wrong_bit_as_often_as_its_claim_says(epsilon):
    """Both stages: 1/(1 + e^(ε/8)), and 1/8 at least for the report of both."""
    rng, value = np.random.default_rng(4), 3
    lie = 1 / (1 + math.exp(epsilon / 8))
    for run, least in ((rappor.rappor_one_time, 0), (rappor.rappor, 1 / 8)):
        wrong = run([value], 20_000, rng, epsilon=epsilon) != rappor.bits_of(value)
        assert wrong.mean() == pytest.approx(max(lie, least), abs=4e-3)


def test_delta_of_the_unclamped_mean_is_an_eighth():
    """At ε = 0.01, from (1) to (1, 1): e^(−ε)/8, of the outputs without noise alone.

    Without noise are −1/|ñ| and −2/|ñ|. Nearer to 0 than −1/(200·t) are e^(−ε/2)/2 · e^(−t) and
    e^(−ε)/2 · e^(−2t); the first less e^ε times the second is largest where e^(−t) = e^(−ε/2)/2.
    The other outputs are seldom so near 0.
    """
    edges = -np.geomspace(1e-6, 1e3, 1000)[::-1]
    law = LAWS["laplace-mean-unclamped"].cdf
    p, q = (np.diff(law(x, edges)) for x in GALLERY["laplace-mean-unclamped"].pair)
    delta = np.maximum(p - math.exp(0.01) * q, 0).sum()
    assert delta == pytest.approx(math.exp(-0.01) / 8, abs=1e-4)
    p, q = (LAWS["laplace-mean"].cdf(x, edges[::20]) for x in GALLERY["laplace-mean"].pair)
    assert np.maximum(np.diff(p) - math.e * np.diff(q), 0).sum() < 1e-6


def test_low_bits_tell_the_sum():
    """All outputs in (0, 1/2) on (1) are multiples of 2⁻⁵³; rounded to a grid, both are alike."""
    card, rng = GALLERY["laplace-inversion"], np.random.default_rng(3)
    shares = []
    for dataset in card.pair:
        outputs = card(dataset, 20_000, rng)
        inside = outputs[(outputs > 0) & (outputs < 0.5)]
        shares.append(np.mean(inside * 2.0**53 % 1 == 0))
    assert shares[0] < 0.5
    assert shares[1] == 1
    assert np.all(GALLERY["laplace-grid"](dataset, 1000, rng) * 2**10 % 1 == 0)
    assert np.all(GALLERY["laplace-snapping"](dataset, 1000, rng) % 2 == 0)
