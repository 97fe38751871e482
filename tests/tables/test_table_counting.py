"""Ranks once for each table, and the same values as by plain definitions."""

import math
import pickle
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import log_expit, logsumexp

import workbench as wb
from workbench.bounds.quantities import Epsilon
from workbench.pages.records.page import RecordsPage
from workbench.pages.records.ranking import rank
from workbench.progress import Cancelled
from workbench.scores.ordered import is_sealed, sealed
from workbench.tables.bounds import counting, e_values
from workbench.tables.bounds.bets import Bets
from workbench.tables.bounds.counting import rank_counts
from workbench.tables.bounds.e_values import evidence_of, log_e_values
from workbench.tables.design import REMARKABLE

DELTA = 1e-5

#: What the scores of random tables look like.
KINDS = ("continuous", "single", "rounded", "yes or no", "constant columns", "odd", "missing")


def table(kind="continuous", seed=0, models=60, records=25, leak=4.0, coins=True, **rest):
    rng = np.random.default_rng(seed)
    member = rng.random((models, records)) < (0.5 if coins else 0.7)
    scores = rng.normal(size=member.shape) + leak * member * (np.arange(records) < 4)
    present = None
    if kind == "single":
        scores = scores.astype(np.float32)
    elif kind == "rounded":
        scores = np.round(scores)
    elif kind == "yes or no":
        scores = (scores > 1).astype(float)
    elif kind == "constant columns":
        scores[:, ::2] = 0
    elif kind == "odd":
        odd = rng.choice([np.inf, -np.inf, np.nan, -0.0], size=scores.shape)
        scores = np.where(rng.random(scores.shape) < 0.2, odd, scores)
    elif kind == "missing":
        present = rng.random(member.shape) < 0.9
        member &= present
    return wb.ScoreTable(scores, member, present=present, seed=seed, **rest)


def sides(table, record):
    """Scores with and without a record, NaN the largest."""
    here = np.ones(table.n_models, bool) if table.present is None else table.present[:, record]
    column = np.where(np.isnan(table.matrix[:, record]), np.inf, table.matrix[:, record])
    nan = np.isnan(table.matrix[:, record])
    keys = np.stack([column, nan], axis=1)
    inside = table.member[:, record]
    return (sorted(map(tuple, keys[m].tolist())) for m in (inside, here & ~inside))


# -- counts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("models", [5, 60])
def test_counts_and_areas_are_those_of_plain_loops(kind, models):
    t = table(kind, models=models)
    counts = rank_counts(t)
    for group in counts.groups:
        assert group.counts.dtype == np.uint8
        for record, found in zip(group.records, group.counts, strict=True):
            p, q = sides(t, record)
            assert (len(p), len(q)) == (group.n_p, group.n_q)
            of_rank = [sum(x > q[-k] for x in p) for k in group.ranks]
            assert all(c in (0, n) for c, n in zip(found.tolist(), of_rank, strict=True))
            fixed = group._all.weight == 1
            assert found[fixed].tolist() == np.array(of_rank)[fixed].tolist()
            right = sum((x > y) + (x == y) / 2 for x in p for y in q)
            assert counts.auc[record] == right / (len(p) * len(q))


@pytest.mark.parametrize("models", [4, 60, 300])
def test_tests_that_are_left_out_refute_nothing(models):
    t = table(models=models, records=2)
    for group in rank_counts(t).groups:
        index = np.repeat(np.arange(group.ranks.size), group.n_p + 1)
        count = np.tile(np.arange(group.n_p + 1), group.ranks.size)
        least = group._least_p_values(index, count)
        tests = group._all.of(index).counted(count, group.n_p)
        for delta in (0.0, 1e-5, 0.1):
            p_values = tests.of_values(Epsilon(delta), np.zeros(index.size))
            assert (np.minimum(least, 1) <= p_values).all()


def counted(monkeypatch, module, name):
    """Calls of a function of a module."""
    calls, work = [], getattr(module, name)

    def call(*arguments, **options):
        calls.append(arguments)
        return work(*arguments, **options)

    monkeypatch.setattr(module, name, call)
    return calls


@pytest.fixture
def sorts(monkeypatch):
    """The blocks of records that were sorted."""
    calls, work = [], counting._Ordered.of

    def of(table, models, columns):
        calls.append((table.n_models == models.size, columns.size))
        return work(table, models, columns)

    monkeypatch.setattr(counting._Ordered, "of", of)
    return calls


def test_ranks_are_computed_once_for_each_table(sorts):
    t = table()
    for delta in (1e-5, 1e-3):
        t.each_record(delta)
        t.exceeding(1.0, delta)
        t.uncorrected_maximum(delta)
        t.worst_record(delta, method="simultaneous")
    assert sorts == [(True, 25)]
    assert replace(t, name="another").kept.counts is None
    assert t.each_record(DELTA).counts is t.kept.counts


def test_evidence_is_computed_once_for_each_table(monkeypatch):
    calls = counted(monkeypatch, e_values, "evidence_of")
    t = table(leak=0.0)
    assert t.design.has_fair_coins
    first = [t.leaking(epsilon, DELTA).log_e_values for epsilon in (0.5, 1.0, 3.0)]
    t.worst_record(DELTA, method="e-values")
    assert len(calls) == 1
    again = [table(leak=0.0).leaking(epsilon, DELTA).log_e_values for epsilon in (0.5, 1.0, 3.0)]
    assert np.array_equal(first, again)


def test_bets_are_kept_only_where_they_take_no_more_memory_than_the_scores():
    few = table("single", leak=0.0)
    many = wb.ScoreTable(few.scores + np.float32(3) * few.member, few.member, seed=0)
    for one, kept in ((few, True), (many, False)):
        values = one.leaking(1.0, DELTA).log_e_values
        assert (one.kept.bets is not None) == kept
        assert np.array_equal(one.leaking(1.0, DELTA).log_e_values, values)
        direct = one.worst_record(DELTA, method="e-values").value
        assert direct == wb.ScoreTable(one.scores, one.member, seed=0).worst_record(
            DELTA, method="e-values").value  # fmt: skip
    assert few.kept.bets.nbytes <= few.scores.nbytes


def test_what_is_kept_does_not_go_to_other_processes():
    t = table()
    values = t.each_record(DELTA).values
    copy = pickle.loads(pickle.dumps(t))
    assert "kept" not in vars(copy)
    assert np.array_equal(copy.each_record(DELTA).values, values)


# -- e-values -----------------------------------------------------------------------------------


def plain_log_wealth(evidence, epsilon, delta):
    """The product of the factors, a cell at a time."""
    found = []
    for column in evidence.T:
        log = 0.0
        for x in column[np.abs(column) > epsilon]:
            probability = log_expit(epsilon) if x > 0 else log_expit(-epsilon)
            log += log_expit(x) - probability - np.log1p(delta * np.exp(-epsilon))
        found.append(log)
    return np.array(found)


@pytest.mark.parametrize("kind", KINDS)
def test_wealth_is_that_of_a_plain_loop(kind):
    t = table(kind)
    evidence = evidence_of(t, np.arange(t.n_records))
    bets = Bets.of(evidence)
    grid = bets.log_wealth_on_grid(0.25, 0.01)
    for step, on_grid in enumerate(grid):
        plain = plain_log_wealth(evidence, 0.25 * step, 0.01)
        assert bets.log_wealth(0.25 * step, 0.01) == pytest.approx(plain, rel=1e-10, abs=1e-10)
        assert on_grid == pytest.approx(plain, rel=1e-10, abs=1e-10)
    assert (np.abs(evidence) <= 0.25 * (len(grid) - 1)).all()
    assert (grid[-1] == 0).all()
    some = np.array([3, 0, 24])
    assert np.array_equal(
        bets.of_records(some).log_wealth(0.5, 0.0), bets.log_wealth(0.5, 0.0)[some]
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_the_bound_from_e_values_is_that_of_a_search_step_by_step(kind, seed):
    t = table(kind, seed, models=(8, 40, 120)[seed % 3], leak=(0.0, 2.0, 6.0)[seed % 3])
    found = t.worst_record(DELTA, method="e-values").value
    if not t.design.has_fair_coins:
        assert found >= 0
        return
    everything = np.arange(t.n_records)
    evidence, claims = evidence_of(t, everything), int(t.auditable.sum())
    goal = math.log1p(REMARKABLE) - math.log(0.05)
    assert log_e_values(t, 0.0, DELTA)[t.auditable] == pytest.approx(
        plain_log_wealth(evidence, 0.0, DELTA)[t.auditable] - np.log1p(REMARKABLE)
    )
    steps = 0
    while logsumexp(plain_log_wealth(evidence, 0.02 * steps, DELTA)) - math.log(claims) >= goal:
        steps += 1
    assert found == (0.02 * (steps - 1) if steps else 0)


# -- progress -----------------------------------------------------------------------------------

QUESTIONS = {
    "each_record": lambda t, report: t.each_record(DELTA, progress=report),
    "held-out": lambda t, report: t.worst_record(DELTA, progress=report),
    "simultaneous": lambda t, r: t.worst_record(DELTA, method="simultaneous", progress=r),
    "e-values": lambda t, report: t.worst_record(DELTA, method="e-values", progress=report),
    "groups": lambda t, report: t.worst_of_groups("class", DELTA, progress=report),
    "exceeding": lambda t, report: t.exceeding(1.0, DELTA, progress=report),
    "leaking": lambda t, report: t.leaking(1.0, DELTA, progress=report),
    "pooled": lambda t, report: t.pooled(DELTA, progress=report),
    "uncorrected": lambda t, report: t.uncorrected_maximum(DELTA, progress=report),
    "page": lambda t, report: rank(t, "", DELTA, 0.95, report),
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("coins", [True, False])
def test_every_long_question_reports_and_is_cancelled(question, coins):
    attributes = {"class": np.arange(25) % 3}
    fractions, messages = [], []

    def report(fraction=None, message=None, partial=None):
        if fraction is not None:
            fractions.append(fraction)
        if message is not None:
            messages.append(message)

    QUESTIONS[question](table(attributes=attributes, coins=coins), report)
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0, 1)
    assert messages[-1] == "finished"
    assert len(set(messages)) > 1
    for most in (0, 1, len(fractions) // 2):
        calls = []

        def cancel(*_, calls=calls, most=most):
            calls.append(1)
            if len(calls) > most:
                raise Cancelled

        with pytest.raises(Cancelled):
            QUESTIONS[question](table(attributes=attributes, coins=coins), cancel)
        assert len(calls) == most + 1  # none after the cancellation


def test_reports_follow_each_other_within_a_block_of_cells(monkeypatch):
    monkeypatch.setattr(counting, "_AT_A_TIME", 60 * 5)
    monkeypatch.setattr(e_values, "_AT_A_TIME", 60 * 5)
    t, seen = table(), []
    t.each_record(DELTA, progress=lambda *said: seen.append(said))
    assert sum(said[1] == "sorting the scores of each record" for said in seen) == 5
    seen.clear()
    t.leaking(1.0, DELTA, progress=lambda *said: seen.append(said))
    assert sum(said[1] == "betting on each record" for said in seen) == 5
    assert np.array_equal(t.each_record(DELTA).values, table().each_record(DELTA).values)


def test_the_page_ranks_once_and_reports(sorts):
    page = RecordsPage(table())
    page.per_record.small_ranking()
    assert sorts.count((True, 25)) == 1
    sorts.clear()
    page.work.run("rank_records")
    assert (True, 25) not in sorts
    state = page.work.state("rank_records")
    assert (state.status, state.fraction) == ("done", 1.0)


def test_the_ranking_of_the_page_is_that_of_the_questions_alone():
    t = table()
    found = rank(t, "", DELTA, 0.95)
    assert np.array_equal(found.limits, table().each_record(DELTA).values)
    assert found.worst.value == table().worst_record(DELTA).value
    assert found.maximum.value == table().uncorrected_maximum(DELTA).value
    assert found.average.value == table().pooled(DELTA).value


# -- memory -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["npz", "npy", "lira"])
def test_a_table_is_read_in_little_more_than_the_memory_of_its_scores(tmp_path, form):
    rng = np.random.default_rng(0)
    member = rng.random((100, 40_000)) < 0.5
    scores = rng.normal(size=member.shape).astype(np.float32)
    path = tmp_path / "table.npz" if form == "npz" else tmp_path
    if form == "npz":
        np.savez(path, scores=scores, member=member)
    elif form == "npy":
        np.save(path / "scores.npy", scores)
        np.save(path / "member.npy", member)
    else:
        for m, (row, keep) in enumerate(zip(scores, member, strict=True)):
            (path / f"experiment-{m}_100" / "scores").mkdir(parents=True)
            np.save(path / f"experiment-{m}_100" / "keep.npy", keep)
            np.save(path / f"experiment-{m}_100" / "scores" / "0000000100.npy", row)
    wb.read_score_table(path)  # imports
    tracemalloc.start()
    found = wb.read_score_table(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.array_equal(found.scores, scores)
    assert np.array_equal(found.member, member)
    # Memberships take a quarter of the memory of the scores; a copy of the scores would not fit.
    assert peak < 1.5 * found.scores.nbytes


def test_sealed_arrays_are_not_copied_and_others_are():
    scores, member = np.random.default_rng(0).normal(size=(8, 30)), np.arange(240) % 2 == 0
    member = member.reshape(8, 30)
    copied = wb.ScoreTable(scores, member)
    assert copied.scores is not scores
    view = scores[:]
    view.flags.writeable = False
    assert not is_sealed(view)
    assert not np.shares_memory(wb.ScoreTable(view, member).scores, scores)
    kept = wb.ScoreTable(sealed(view), sealed(member))
    assert kept.scores is view
    assert kept.member is member
    assert not scores.flags.writeable
    turned = sealed(np.asfortranarray(np.array(scores)))
    assert wb.ScoreTable(turned, member).scores.flags.c_contiguous
    assert wb.ScoreTable(scores, member).matrix.tolist() == copied.matrix.tolist()


def test_sorted_scores_are_not_sorted_again():
    p, q = sealed(np.sort(np.random.default_rng(0).normal(size=3000))), np.arange(5.0)[::-1]
    scores = wb.Scores(p, q, larger_is_member=True)
    assert scores.p is p
    assert scores.samples.ordered[0] is p
    assert scores.samples.ordered[1].tolist() == [0, 1, 2, 3, 4]
    odd = np.array([1.0, np.nan, 2.0])
    assert wb.Scores(odd, q, larger_is_member=True).samples.ordered[0][:2].tolist() == [1, 2]
