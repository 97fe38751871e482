"""Simulated cases: they run, they can be repeated, a glance at their levels, and a bad method."""

import hashlib
import importlib
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

import workbench as wb
from workbench.coverage_lab.cases.case import SimulatedCase, count_false, exceeds
from workbench.coverage_lab.cases.registry import CASES
from workbench.coverage_lab.cases.tables import DESIGNS, METHODS, MODELS, RECORDS, SCORES, Drawn

DATA = Path(__file__).parents[2] / "data"

#: Small runs are quicker in this process than in others.
SERIAL = {"executor": ThreadPoolExecutor(1)}


@pytest.fixture(scope="module")
def programs():
    """Cases of live audits and of series, which are not part of the library."""
    sys.path.insert(0, str(DATA))
    yield importlib.import_module("coverage_programs").PROGRAMS
    sys.path.remove(str(DATA))


@pytest.mark.sampled(25)
@pytest.mark.parametrize("name", CASES)
def test_a_case_can_be_repeated(name):
    case = CASES[name]
    once, again = (case.replicate(np.random.default_rng(3)) for _ in range(2))
    assert once == again
    assert len(once) == len(case.methods)
    assert set(case.unclaimed) <= set(case.methods)


def test_live_audits_and_series_are_cases_too(programs):
    for case in programs.values():
        assert len(case.replicate(np.random.default_rng(0))) == len(case.methods)


def test_tables_of_every_size_design_and_kind_of_scores_are_among_the_cases():
    drawn = [case.replicate for case in CASES.values() if isinstance(case.replicate, Drawn)]
    assert {(d.records, d.models) for d in drawn} >= {(r, m) for r in RECORDS for m in MODELS}
    assert {d.design for d in drawn} == set(DESIGNS)
    assert {d.scores for d in drawn} == set(SCORES)
    assert any(d.truth for d in drawn)


@pytest.mark.parametrize("design", DESIGNS)
def test_designs_are_what_they_say(design):
    member = Drawn(6, 40, design=design).table(np.random.default_rng(0)).member
    if design == "two in each model":
        assert (member.sum(axis=1) == 2).all()
    elif "exactly half" in design:
        assert (member.sum(axis=0) == 20).all()
    elif design == "complementary pairs":
        assert (member[::2] != member[1::2]).all()
    else:
        assert member.mean() == pytest.approx(0.65 if "0.65" in design else 0.5, abs=0.12)
    if "one user" in design:
        assert (member == member[:, :1]).all()


@pytest.mark.statistical
def test_a_glance_at_tables():
    """10 replicates of each case of few records, taken together; `make coverage` takes 1000."""
    found = dict.fromkeys(METHODS, 0)
    small = [
        case
        for case in CASES.values()
        if isinstance(case.replicate, Drawn) and case.replicate.records <= 5
    ]
    for case in small:
        for one in count_false(case, 10, seed=1, **SERIAL):
            if one.method in found:
                found[one.method] += one.false
    for method, false in found.items():
        assert binom.sf(false - 1, 10 * len(small), 0.05) > 0.001, (method, false)


@dataclass(frozen=True)
class OrderedByMembership(Drawn):
    """Equal scores are put in an order that a hash of scores and memberships gives."""

    def table(self, rng):
        right = super().table(rng)
        scores, member = right.matrix.copy(), right.member
        for row in range(len(scores)):
            known = scores[row].tobytes() + member[row].tobytes()
            scores[row] += 1e-9 * hashlib.sha256(known).digest()[0]
        return replace(right, scores=scores)


@pytest.mark.statistical
def test_ties_that_are_ordered_by_membership_are_caught():
    """As digests of models did: one record has four of them, so its members come first, or last."""
    bad = SimulatedCase("bad", "", METHODS, OrderedByMembership(1, 128))
    good = SimulatedCase("good", "", METHODS, Drawn(1, 128))
    simultaneous, *_ = count_false(bad, 30, **SERIAL)
    assert simultaneous.rate > 0.3
    assert simultaneous.p_value < 1e-6
    assert count_false(good, 30, **SERIAL)[0].false <= 3


def test_counts_do_not_depend_on_chunks_or_who_counts():
    case = SimulatedCase("coin", "", ("low", "high"), coin)
    alone = count_false(case, 120, seed=2, **SERIAL)
    assert [one.false for one in count_false(case, 120, seed=2)] == [one.false for one in alone]
    low, high = (one.false for one in alone)
    assert 0 < low < high < 120
    assert alone[1].rate == high / 120
    assert alone[1].to_dict()["p_value"] == pytest.approx(binom.sf(high - 1, 120, 0.05), rel=1e-5)


def coin(rng):
    x = rng.random()
    return x < 0.05, x < 0.5


def test_void_bounds_and_refused_data_claim_nothing():
    scores = wb.Scores(np.arange(300.0), np.arange(300.0) - 200)  # sorted rows
    void = wb.anytime_epsilon(scores, 0.0)
    assert void.void
    assert not exceeds(lambda: void, 0.0)
    assert exceeds(lambda: wb.tradeoff_band(scores).epsilon(0.0), 0.0)

    def refused():
        raise wb.ScoresError("too few")

    assert not exceeds(refused, 0.0)
