"""Deterministic checks of the level of each method, by computations of their own.

Each function raises an AssertionError unless its method refutes at 95% confidence what it should
and not one count, or a factor of the wealth, less. ``tests/coverage/test_constants.py`` runs them
on the methods as they are, and at half and twice their level, where each has to fail.
"""

import math
from dataclasses import replace
from unittest import mock

import numpy as np
from scipy import stats
from scipy.integrate import quad

import workbench as wb
from workbench.audits.series.spending import spent_at
from workbench.bounds.anytime.anytime import AnytimeAudit
from workbench.bounds.anytime.betting import ROWS, EpsilonClaims, log_factors, log_wealth
from workbench.bounds.anytime.predictable_counts import Tally
from workbench.bounds.held_out import held_out
from workbench.bounds.parametric import own_variances
from workbench.coverage_lab.exact.orders import (
    least_at_ranks,
    level_of_blocks,
    level_of_equal,
    ordered,
)
from workbench.coverage_lab.exact.tables import least_false, level_of_two, likely
from workbench.coverage_lab.methods import METHODS, Request
from workbench.coverage_lab.scenarios import SCENARIOS
from workbench.onerun.scored import independence
from workbench.onerun.scored.check import permutation_p_values
from workbench.tables.bounds import e_values, each_record, exceeding
from workbench.tables.bounds.bets import Bets
from workbench.testers.error_budget import Budget
from workbench.testers.property_testers.mean_bets import Expected, HockeyStickLine, in_shares

ERROR = 0.05


def first_true(found, low, high):
    """The least whole number in [low, high] at which a rising condition holds."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle + 1, high)
    return low


def of_lab(name, scores, scenario="gaussian-2"):
    """The first bound of a method of the lab."""
    request = Request(0.0, 1 - ERROR, SCENARIOS[scenario])
    return next(iter(METHODS[name].bounds(scores, request)))


# -- all thresholds at once ------------------------------------------------------------------------


def band_levels(n, error=ERROR):
    """The ranks 1, 2, 4, … from both ends, and the level of each: 96% of the log of 0.95."""
    near = [2**j for j in range(20) if 2**j <= n // 2]
    ranks = sorted({*near, *(n + 1 - k for k in near)})
    return ranks, 1 - (1 - error) ** (0.96 / len(ranks))


def near_least(found, rank, n_p, n_q, level):
    """Whether a count is the least at a rank of Q that is rare if P = Q, or little more.

    p-values are rounded up: up to a third of what half of the level would ask for in addition.
    """
    every = np.arange(1, n_p + 1)
    tail = stats.nhypergeom.sf(every - 1, n_p + n_q, n_p, rank)
    right, at_half = (int(every[np.argmax(tail <= x)]) for x in (level, level / 2))
    return right <= found <= right + (at_half - right) / 3


def simultaneous():
    """The least count at some ranks that refutes P = Q, from negative hypergeometric tails."""
    n_p, n_q = 3000, 150
    ranks, level = band_levels(n_q)
    for rank in (1, 8, 64, n_q - 7):
        assert rank in ranks
        found = first_true(
            lambda t, k=rank: of_lab("simultaneous", wb.Scores(*ordered(t, k, n_p, n_q))).value > 0,
            1,
            n_p,
        )
        assert near_least(found, rank, n_p, n_q, level)


def learned_ordering():
    """At its bound, the smallest exact p-value over the ranks is the level of each."""
    scores = wb.GaussianPair(2).sample(150, seed=1)
    learned = wb.learn_ordering(scores).scores
    value = of_lab("learned-ordering", scores).value
    ranks, level = band_levels(learned.n_q)
    q = np.sort(learned.q)[::-1]
    p_values = [_p_value(learned.p, q, k, value) for k in ranks]
    assert 0.9 * level < min(p_values) <= level * 1.0001


def _p_value(p, q, rank, epsilon):
    """Pr[W ≤ 1 − f(U)] by quadrature, f that of ε at δ = 0."""
    t, n = int((p > q[rank - 1]).sum()), p.size
    if not t:
        return 1.0

    def reached(u):
        f = max(1 - math.exp(epsilon) * u, math.exp(-epsilon) * (1 - u), 0)
        return stats.beta.pdf(u, rank, q.size - rank + 1) * stats.beta.cdf(1 - f, t, n - t + 1)

    middle = rank / (q.size + 1)
    return quad(reached, 0, 1, points=[middle / 2, middle, min(3 * middle, 0.99)], limit=200)[0]


def _level_at_equal(bound, n_p, n_q):
    """The exact level at P = Q of a function from scores to a bound."""
    limits = least_at_ranks(
        lambda t, k: bound(wb.Scores(*ordered(t, k, n_p, n_q))).value > 0, n_p, n_q
    )
    return level_of_equal(limits, n_p)


def one_question():
    assert 0.04 < _level_at_equal(lambda s: of_lab("one-question", s), 40, 30) <= ERROR


def one_question_mu():
    assert 0.04 < _level_at_equal(lambda s: of_lab("one-question-mu", s), 40, 30) <= ERROR


def _level_of_answers(bound, epsilon):
    """The level at randomized response of a function from four counts to a bound."""
    n, rate = 30, 1 / (1 + math.exp(epsilon))
    columns = likely(n, rate)

    def is_false(a, b):
        return 0 < a + b < 2 * n and bound(a, n - a, b, n - b).value > epsilon

    least = least_false(is_false, n, columns.tolist())
    return level_of_two(least, columns, (n, n), np.array([1 - rate]), np.array([rate]))[0]


def yes_or_no():
    def bound(tp, fn, fp, tn):
        p, q = np.arange(tp + fn) < tp, np.arange(fp + tn) < fp
        return wb.epsilon_lower_bound(wb.Scores(p, q), 0.0, guarantee="one question")

    assert 0.037 < _level_of_answers(bound, 1.0) <= ERROR


# -- one threshold ---------------------------------------------------------------------------------


def exact():
    def bound(tp, fn, fp, tn):
        p, q = np.arange(tp + fn) < tp, np.arange(fp + tn) < fp
        return of_lab("exact", wb.Scores(2.0 * p, 2.0 * q), "gaussian-2")

    assert 0.037 < _level_of_answers(bound, 1.0) <= ERROR


#: TP, FN, FP, TN of a fixed attack.
COUNTS = (60, 40, 12, 108)


def _of_counts(name):
    tp, fn, fp, tn = COUNTS
    p, q = np.repeat([2.0, 0.0], [tp, fn]), np.repeat([2.0, 0.0], [fp, tn])
    return of_lab(name, wb.Scores(p, q), "gaussian-2").value


def _of_rates(fpr, fnr):
    return max(math.log((1 - fnr) / fpr), math.log((1 - fpr) / fnr))


def _with_limits(upper):
    tp, fn, fp, tn = COUNTS
    return _of_rates(upper(fp, fp + tn), upper(fn, tp + fn))


def clopper_pearson():
    right = _with_limits(lambda k, n: stats.beta.ppf(1 - ERROR / 2, k + 1, n - k))
    assert math.isclose(_of_counts("clopper-pearson"), right, rel_tol=1e-9)


def jeffreys():
    right = _with_limits(lambda k, n: stats.beta.ppf(1 - ERROR / 2, k + 0.5, n - k + 0.5))
    assert math.isclose(_of_counts("jeffreys"), right, rel_tol=1e-9)


def wilson():
    right = _with_limits(lambda k, n: stats.binomtest(k, n).proportion_ci(1 - ERROR, "wilson").high)
    assert math.isclose(_of_counts("wilson"), right, rel_tol=1e-9)


def katz_log():
    tp, fn, fp, tn = COUNTS
    z = stats.norm.isf(ERROR / 2)
    ways = ((tp, fn, fp, tn), (tn, fp, fn, tp))
    right = max(
        math.log(a / (a + b) / (c / (c + d))) - z * math.sqrt(b / a / (a + b) + d / c / (c + d))
        for a, b, c, d in ways
    )
    assert math.isclose(_of_counts("katz-log"), right, rel_tol=1e-9)


def bayesian():
    """The posterior probability that ε is at most the limit, by quadrature."""
    tp, fn, fp, tn = COUNTS
    a = math.exp(_of_counts("bayesian"))
    alpha, beta = stats.beta(fp + 0.5, tn + 0.5), stats.beta(fn + 0.5, tp + 0.5)

    def inside(x):
        low = max(1 - a * x, (1 - x) / a)
        high = 1 - max(1 - a * (1 - x), x / a)
        return alpha.pdf(x) * (beta.cdf(high) - beta.cdf(low))

    mass = quad(inside, 0, 1, points=[0.05, 0.1, 0.2], limit=200)[0]
    assert math.isclose(mass, ERROR, rel_tol=1e-4)


# -- tuned, then measured --------------------------------------------------------------------------


def _held_out_level(name):
    """The level of the rest, given a first part that chooses the ranks."""
    first = wb.GaussianPair(2).sample(12, seed=3)
    whole = wb.GaussianPair(2).sample(50, seed=4)
    n_p, n_q = 40, 38

    def is_false(t, k):
        parts = first, wb.Scores(*ordered(t, k, n_p, n_q))
        with mock.patch.object(held_out, "split", return_value=parts):
            return of_lab(name, whole).value > 0

    return level_of_equal(least_at_ranks(is_false, n_p, n_q), n_p)


def held_out_thresholds():
    assert 0.035 < _held_out_level("held-out") <= ERROR


def held_out_splits():
    """Three equal splits have equal p-values, which count twice."""
    assert 0.02 < _held_out_level("held-out-splits") <= ERROR / 2


# -- at every sample size --------------------------------------------------------------------------


def anytime():
    """The wealth at the look at which the bound rises from 0, and at the look before."""
    factors = log_factors(EpsilonClaims(0.0), 0.25 / 64, 0.25, (1, 1))
    assert abs(log_wealth(np.zeros((ROWS, 1, 8)), factors)[0]) < 1e-12
    rng = np.random.default_rng(2)
    p, q = (rng.random(600) < 0.62).astype(float), (rng.random(600) < 0.38).astype(float)
    audit, tally = AnytimeAudit(delta=0.0), Tally((1, 1))
    before = 0.0
    for x, y in zip(p, q, strict=True):
        value = audit.update([x], [y]).value
        tally.add(np.array([x]), np.array([y]))
        wealth = math.exp(log_wealth(tally.total[:, None], factors)[0])
        assert (value > 0) == (wealth >= 1 / ERROR)
        if value > 0:
            assert before < 1 / ERROR < 1.6 * before  # half and twice as much differ
            return
        before = wealth
    raise AssertionError("never refuted")


def anytime_in_lab():
    """That of the lab is the same audit, fed at once."""
    scores = wb.GaussianPair(1).sample(400, seed=5)
    audit, factors = AnytimeAudit(delta=0.0), {}
    bound = of_lab("anytime", scores).value
    assert bound > 0
    # The wealth against the claim below the bound reached the goal, that above it did not.
    tally, reached = Tally((1, 1)), {}
    cell = 0.25
    for step in (0, 1):
        theta = bound + step * cell / 64
        top = cell * (math.floor((bound - 1e-9) / cell) + 1)
        factors[step] = log_factors(EpsilonClaims(0.0), theta, max(top, theta), (1, 1))
        reached[step] = 0.0
    for _, counts in tally.add(*scores.samples.in_order()):
        for step in (0, 1):
            largest = float(log_wealth(counts, factors[step]).max())
            reached[step] = max(reached[step], largest)
    assert math.exp(reached[1]) < 1 / ERROR <= math.exp(reached[0])
    assert math.exp(reached[0] - reached[1]) < 1.5
    assert audit.bound.value == 0


def e_value():
    e = wb.anytime_e_value(wb.GaussianPair(1).sample(200, seed=0), 0.5, 0.0)
    assert replace(e, log=math.log(20.01)).refutes(0.95)
    assert not replace(e, log=math.log(19.99)).refutes(0.95)


# -- families and bins -----------------------------------------------------------------------------


def gaussian():
    """μ from the noncentral t distribution, as ε."""
    scores = wb.GaussianPair(2).sample((30, 25), seed=0)
    n_p, n_q = 30, 25
    p, q = scores.p, scores.q
    pooled = math.sqrt(((n_p - 1) * p.var(ddof=1) + (n_q - 1) * q.var(ddof=1)) / (n_p + n_q - 2))
    scale = math.sqrt(1 / n_p + 1 / n_q)
    mu = wb.parametric_bound(scores, "gaussian", "mu").value / scale
    t = (p.mean() - q.mean()) / pooled / scale
    assert math.isclose(stats.nct.sf(t, n_p + n_q - 2, mu), ERROR, rel_tol=1e-5)
    request = Request(1e-5, 1 - ERROR, SCENARIOS["gaussian-2"])
    (of_lab_,) = METHODS["gaussian"].bounds(scores, request)
    right = wb.GaussianPair(mu * scale).epsilon(1e-5)
    assert math.isclose(of_lab_.value, right, rel_tol=1e-6)


def own_variance():
    """At δ = 0 any difference of two Gaussians is infinite: the least one of the means, for equal
    variances, which takes what the test of the variances leaves of the error."""
    base = np.array([-1.2, -0.7, -0.1, 0.2, 0.6, 1.2])

    def found(shift):
        scores = wb.Scores(base + shift, base)
        return wb.parametric_bound(scores, "gaussian", delta=0.0, equal_variances=False).value > 0

    shift = first_true(lambda k: found(k / 4096), 0, 4 * 4096) / 4096
    t = shift / (base.std(ddof=1) * math.sqrt(2 / 6))
    right = ERROR * (1 - own_variances.RATIO_SHARE)
    assert math.isclose(2 * stats.t.sf(t, 10), right, rel_tol=2e-3)
    normals = own_variances.Normals(3.0, 1.3, 0.9, 12, 9)
    low, high = normals.ratio_limits(0.01)
    ratio = 1.3 / 0.9
    assert math.isclose(stats.f.sf(ratio / low, 11, 8), 0.005, rel_tol=1e-6)
    assert math.isclose(stats.f.cdf(ratio / high, 11, 8), 0.005, rel_tol=1e-6)
    one = np.ones(1)
    (theta,) = normals.distance_limit(one, one, 0.04, "lower")
    pooled, scale = math.sqrt((11 * 1.3 + 8 * 0.9) / 19), math.sqrt(1 / 12 + 1 / 9)
    p = stats.nct.sf(3.0 / pooled / scale, 19, theta / scale)
    assert math.isclose(p, 0.04, rel_tol=1e-5)


def _binned(name, reach):
    scores = wb.GaussianPair(2).sample(4000, seed=0)
    scenario = SCENARIOS["gaussian-2"]
    edges = np.linspace(*scenario.reach, 21)[1:-1]
    p, q = (
        np.bincount(np.searchsorted(edges, x), minlength=20) / x.size for x in (scores.p, scores.q)
    )
    right = abs(p - q).sum() / 2 - reach
    assert right > 0
    assert math.isclose(of_lab(name, scores).value, right, rel_tol=1e-9)


def bins_mcdiarmid():
    v = 2 / 4000
    _binned("bins-mcdiarmid", math.sqrt(v * math.log(1 / ERROR) / 2) + math.sqrt(19 * v) / 2)


def bins_canonne():
    """With many bins their number decides; with few, the level does."""
    _binned("bins-canonne", 2 * math.sqrt(20 / 4000))
    scores = wb.GaussianPair(2).sample(4000, seed=0)
    found = wb.histogram(scores, bins=2, range=(-4, 5))
    lower, _ = wb.hockey_stick_limits(found, method="canonne")
    right = abs(found.p - found.q).sum() / 2 - 2 * math.sqrt(2 / 4000 * math.log(2 / (ERROR / 2)))
    assert math.isclose(lower.value, right, rel_tol=1e-9)


def family_check():
    """Randomized response needs equal error rates: the least count of errors that says no."""
    n = 200

    def refuted(fn):
        p, q = np.repeat([1.0, 0.0], [n - fn, fn]), np.repeat([1.0, 0.0], [40, n - 40])
        return wb.family_check(wb.Scores(p, q), "randomized-response").refuted

    high = stats.beta.isf(ERROR / 4, 41, n - 40)
    right = first_true(lambda k: stats.beta.ppf(ERROR / 4, k, n - k + 1) > high, 41, n)
    assert first_true(refuted, 41, n) == right


def comparison():
    """A quarter of the error for each limit, shared over ranks of both samples."""
    a, b = (wb.GaussianPair(mu).sample(500, seed=3) for mu in (2, 0.5))
    found = wb.compare(a, b, fpr=[0.2])
    q, ranks = np.sort(a.q)[::-1], band_levels(500)[0]
    each = ERROR / 4 / (4 * len(ranks))
    best = 0.0
    for k in ranks:
        if stats.beta.isf(each, k, 500 - k + 1) <= 0.2:
            hit = int((a.p > q[k - 1]).sum())
            best = max(best, stats.beta.ppf(each, hit, 500 - hit + 1))
    p = np.sort(a.p)
    for k in ranks:
        above = int((a.q >= p[k - 1]).sum())
        if stats.beta.isf(each, above + 1, 500 - above) <= 0.2:
            best = max(best, 1 - stats.beta.isf(each, k, 500 - k + 1))
    assert math.isclose(found.a_lower[0], best, rel_tol=1e-9)


# -- one run ---------------------------------------------------------------------------------------


def _guessed(method, **more):
    return wb.one_run_bound(
        200, canaries=more.pop("canaries", 200), correct=140, delta=0.0, method=method, **more
    ).value


def steinke():
    for method in ("steinke", "sharp"):
        right = 1 / (1 + math.exp(-_guessed(method)))
        assert math.isclose(stats.binom.sf(139, 200, right), ERROR, rel_tol=1e-6)


def of_values():
    """Guesses that name one or twenty of a thousand values: subset selection is at the edge."""
    for top in (1, 20):
        found = _guessed("sharp", values=1000, top=top)
        right = top * math.exp(found) / (top * math.exp(found) + 1000 - top)
        assert math.isclose(stats.binom.sf(139, 200, right), ERROR, rel_tol=1e-6)


def sum_of_exposures():
    """For two values the sum of exposures counts those that are first."""
    ranks = [1] * 140 + [2] * 60
    found = wb.exposure(ranks, values=2, delta=0, statistic="sum").bound.value
    assert math.isclose(stats.binom.sf(139, 200, 1 / (1 + math.exp(-found))), ERROR, rel_tol=1e-6)


def matched_pairs():
    """The whole audit of a random half, at the edge of what ε = 1 of substitution allows.

    The differences are +1 or −1 and as many guesses are made as there are pairs, so the right ones
    are binomial: the bound exceeds 1 from the count on whose tail is at most the error.
    """
    n, least = 60, None
    included = np.arange(2 * n) < n
    for correct in range(n + 1):
        # Members beat their partners in so many pairs, whichever the partners are.
        scores = np.where(included, np.where(np.arange(2 * n) < correct, 2.0, 0.0), 1.0)
        run = wb.OneRun(scores, included, design="fixed-half", seed=0)
        guesses = wb.matched_pairs(run).guess(threshold=0)
        assert guesses.correct == correct
        if least is None and wb.one_run_bound(guesses, delta=0.0, confidence=1 - ERROR).value > 1:
            least = correct
    p = stats.binom.sf([least - 1, least - 2], n, 1 / (1 + math.exp(-1)))
    assert p[0] <= ERROR < p[1]
    assert p[0] > ERROR / 2


def fdp():
    """The recursion, one guess at a time."""
    found = _guessed("fdp", family="randomized-response", canaries=400)

    def refuted(epsilon):
        r, h = ERROR * 140 / 400, ERROR * 60 / 400
        for i in range(139, -1, -1):
            more = max(h, math.exp(-epsilon) * r)
            r, h = r + i / (200 - i) * (more - h), more
        return r + h > 200 / 400

    assert refuted(found)
    assert not refuted(found + 1e-4)


def fdp_of_values():
    found = _guessed("fdp", family="randomized-response", canaries=400, values=10)

    def refuted(epsilon):
        r, h = ERROR * 140 / 400, ERROR * 60 / 400
        for i in range(139, -1, -1):
            more = max(h, 9 * math.exp(-epsilon) * r)
            r, h = r + i / (200 - i) * (more - h), more
        return r + h > 200 / 400

    assert refuted(found)
    assert not refuted(found + 1e-4)


def abstain():
    found = _guessed("abstain", family="randomized-response", canaries=400)
    p = stats.binom.cdf(60, 200, 1 / (1 + math.exp(found)))
    assert math.isclose(p, ERROR, rel_tol=1e-5)


def bits():
    found = _guessed("bits", family="randomized-response")
    assert math.isclose(stats.binom.cdf(60, 200, 1 / (1 + math.exp(found))), ERROR, rel_tol=1e-5)


def bits_hoeffding():
    found = _guessed("bits-hoeffding", family="randomized-response")
    share = 1 / (1 + math.exp(found))
    assert math.isclose(share, 0.3 + math.sqrt(math.log(1 / ERROR) / 400), rel_tol=1e-6)


def canary_independence():
    run = wb.OneRun(np.random.default_rng(0).normal(size=40), np.arange(40) % 2 == 0, seed=0)
    found = wb.canary_independence(run, permutations=399)
    for p, dependent in ((0.0099, True), (0.0101, False)):
        checks = tuple(replace(c, p_value=1.0) for c in found.checks[1:])
        first = replace(found.checks[0], p_value=p / len(found.checks))
        assert replace(found, checks=(first, *checks)).dependent is dependent


def permutations():
    """The data are one of the permutations."""
    draws = [np.arange(99.0).reshape(-1, 1)]
    p = permutation_p_values(np.array([200.0]), draws, lambda _: False)
    assert p[0] == 1 / 100
    two_sided = permutation_p_values(np.array([200.0]), draws, lambda _: True)
    assert two_sided[0] == 2 / 100


# -- many records ----------------------------------------------------------------------------------


def _claims_from(claims, others):
    """Whether the least count that makes a record leak is right for its share of the error.

    Of n records that have an equal share of it; the other ones are constant.
    """
    n_in, n_out, rank = 1500, 150, 8
    member = np.repeat([True, False], [n_in, n_out])[:, None]

    def claimed(t):
        column = np.concatenate(ordered(t, rank, n_in, n_out))[:, None]
        scores = np.hstack([column, np.zeros((n_in + n_out, others))])
        table = wb.ScoreTable(
            scores,
            np.repeat(member, others + 1, axis=1),
            sampling="independent runs",
            attributes={"class": np.arange(others + 1)},
            seed=0,
        )
        return claims(table)

    level = band_levels(n_out, ERROR / (others + 1))[1]
    return near_least(first_true(claimed, 1, n_in), rank, n_in, n_out, level)


def table_simultaneous():
    def claims(table):
        return table.worst_record(0.0, method="simultaneous").value > 0

    assert _claims_from(claims, 0)
    assert _claims_from(claims, 1)


def table_sharpened():
    """What is said of a record that leaks is the limit of one question, with a level of its own."""
    n_in, n_out, epsilon = 60, 50, 1.0
    member = np.repeat([True, False], [n_in, n_out])[:, None]

    def is_false(t, k):
        column = np.concatenate(ordered(t, k, n_in, n_out))[:, None]
        table = wb.ScoreTable(column, member, sampling="independent runs", seed=0)
        return table.worst_record(0.0, method="simultaneous").value > epsilon

    limits, right = least_at_ranks(is_false, n_in, n_out), 1 / (1 + math.exp(-epsilon))
    assert 0.035 < level_of_blocks(limits, n_in, right, 1 - right) <= ERROR


def table_groups():
    def claims(table):
        found = table.worst_of_groups("class", 0.0, method="simultaneous")
        return any(bound.value > 0 for bound in found.values())

    assert _claims_from(claims, 1)


def table_e_values():
    """The calibrated p-value that refutes the first ε above 0, 0.02, and not one count less."""
    n_in, n_out, rank = 300, 60, 8
    member = np.repeat([True, False], [n_in, n_out])[:, None]

    def table(t):
        column = np.concatenate(ordered(t, rank, n_in, n_out))[:, None]
        return wb.ScoreTable(column, member, sampling="independent runs", seed=0)

    def e(t):
        p = float(table(t).each_record(0.0).p_values(0.02)[0])
        return (1 - p + p * math.log(p)) / (p * math.log(p) ** 2) if p < 0.9 else 0.0

    found = first_true(lambda t: table(t).worst_record(0.0, method="e-values").value > 0, 1, n_in)
    assert e(found) >= 1.01 / ERROR > e(found - 1)
    assert e(found) / e(found - 1) < 4


def table_e_values_of_coins():
    """The wealth at the bound, and a step of ε above it."""
    rng = np.random.default_rng(4)
    member = rng.random((64, 1)) < 0.5
    table = wb.ScoreTable(rng.normal(2.0 * member), member, sampling="independent runs", seed=0)
    assert table.design.has_fair_coins
    bound = table.worst_record(0.0, method="e-values").value
    bets = Bets.of(e_values.evidence_of(table, np.array([0])))
    at, above = np.exp([bets.log_wealth(bound + x, 0.0)[0] for x in (0, 0.02)])
    assert bound > 0
    assert at >= 1.01 / ERROR > above > at / 1.6
    # A fair game where guesses are right as often as ε allows.
    right, wrong = np.exp(Bets.of(np.array([[2.0, -2.0]])).log_wealth(1.0, 0.0))
    share = 1 / (1 + math.exp(-1.0))
    assert math.isclose(share * right + (1 - share) * wrong, 1, rel_tol=1e-12)


def table_guesses():
    rng = np.random.default_rng(0)
    member = rng.random((128, 6)) < 0.5
    table = wb.ScoreTable(rng.normal(3.0 * member), member, sampling="independent runs", seed=1)
    bound = table.worst_record(0.0)
    assert bound.method == "held-out guesses"
    right = 1 / (1 + math.exp(-bound.value))
    p = stats.binom.sf(bound.correct - 1, bound.guesses, right)
    assert math.isclose(p, 0.99 * ERROR, rel_tol=1e-5)


def table_exceeding():
    """Two records: the first is refuted at half of the error."""

    def claims(table):
        return table.exceeding(0.0, 0.0).value > 0

    assert _claims_from(claims, 0)
    assert _claims_from(claims, 1)


def holm():
    p = np.array([0.0124, 0.0166, 0.0251, 0.6])
    assert each_record.holm(p, 4, ERROR).tolist() == [True, True, False, False]
    assert not each_record.holm(np.array([0.01251, 0.2, 0.3, 0.6]), 4, ERROR).any()
    assert each_record.holm(np.array([0.01, 0.0249]), 2, ERROR).all()


def e_bh():
    assert wb.e_benjamini_hochberg([200.1] + [1.0] * 9).sum() == 1
    assert wb.e_benjamini_hochberg([199.9] + [1.0] * 9).sum() == 0
    assert wb.e_benjamini_hochberg([100.1, 100.1] + [1.0] * 8).sum() == 2


def e_bh_of_tables():
    goal = math.log(10 / ERROR)
    for excess, listed in ((1e-6, 1), (-1e-6, 0)):
        logs = np.full(10, -1.0)
        logs[3] = goal + excess
        assert exceeding.e_benjamini_hochberg(logs, 10, ERROR).sum() == listed


# -- shared budgets --------------------------------------------------------------------------------


def series():
    spent = [spent_at(k) for k in range(1, 2001)]
    assert math.isclose(sum(spent), ERROR * (1 - 1 / 2001), rel_tol=1e-9)
    assert math.isclose(spent[0], ERROR / 2)


def testers():
    assert math.isclose(1 - Budget(0.95, trials=4).level(3), ERROR / 12, rel_tol=1e-9)


def tester_bets():
    """The wealth that refutes, of means of values in [0, 1]."""
    rng = np.random.default_rng(0)
    u, v = rng.random(300) ** 0.5, rng.random(300) ** 2
    expected = Expected.of(in_shares(u), in_shares(v), 300, 300)
    confidence = Budget(0.95, trials=1).level(1)
    bet = expected.bet(HockeyStickLine(0.0), 300, 300, confidence)
    assert math.isclose(math.exp(bet.needed), 1 / ERROR, rel_tol=1e-6)


#: Check of each method of the lab that has a level, by its name there.
OF_LAB = {
    "simultaneous": simultaneous,
    "one-question": one_question,
    "one-question-mu": one_question_mu,
    "exact": exact,
    "clopper-pearson": clopper_pearson,
    "anytime": anytime_in_lab,
    "held-out": held_out_thresholds,
    "held-out-splits": held_out_splits,
    "learned-ordering": learned_ordering,
    "bins-mcdiarmid": bins_mcdiarmid,
    "bins-canonne": bins_canonne,
    "gaussian": gaussian,
    "wilson": wilson,
    "jeffreys": jeffreys,
    "bayesian": bayesian,
    "katz-log": katz_log,
}

#: Checks of other methods, whose level is a confidence.
OF_OTHERS = {
    check.__name__: check
    for check in (
        yes_or_no, anytime, e_value, own_variance, family_check, comparison, steinke, of_values,
        sum_of_exposures, matched_pairs, fdp,
        fdp_of_values, abstain, bits, bits_hoeffding, table_simultaneous, table_groups,
        table_e_values, table_e_values_of_coins, table_sharpened, table_guesses, table_exceeding,
        e_bh, series, testers, tester_bets,
    )
}  # fmt: skip

#: Checks of functions that are given an error probability, or have a number of their own.
OF_FUNCTIONS = {
    "holm": (holm, each_record, "holm"),
    "e_bh_of_tables": (e_bh_of_tables, exceeding, "e_benjamini_hochberg"),
    "canary_independence": (canary_independence, independence, "DEPENDENT"),
}
