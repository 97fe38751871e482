"""The audit of a mechanism: what it claims, what it survives, that it says the same anywhere."""

import copy
import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers.programs import alive
from scipy.stats import binom

import workbench as wb
from workbench.bounds.counts.binomial import clopper_pearson_lower, clopper_pearson_upper
from workbench.processes import child
from workbench.progress import Cancelled
from workbench.testers.audit import TESTERS
from workbench.testers.error_budget import Budget
from workbench.testers.evidence import Trial
from workbench.testers.finders.base import Finder
from workbench.testers.learning.histogram_of_outputs import picture
from workbench.testers.property_testers.base import Finding, FittedWitness, Tester
from workbench.testers.running import sandbox, source

pytestmark = pytest.mark.slow

PAIR = (np.array([0.0, 1.0]), np.array([0.0]))


class Above(FittedWitness):
    """The event that a number lies above the fitting part's median."""

    def __init__(self, claim, p, q):
        self.claim, self.at = claim, np.median(np.concatenate([p, q]))
        self.predicted = abs(np.mean(p > self.at) - np.mean(q > self.at))

    def measure(self, p, q, confidence):
        side = (1 - confidence) / 4  # two directions, two sides

        def at_least(a, b):
            k, m = np.sum(a > self.at), np.sum(b > self.at)
            low = clopper_pearson_lower(k, a.size, side)
            return float(low - clopper_pearson_upper(m, b.size, side))

        tv = max(at_least(p, q), at_least(q, p))
        bound = wb.Bound(
            "total variation", tv, "held-out", "hockey-stick classifier", "independent runs",
            p.size, q.size, confidence,
        )  # fmt: skip
        parameter = self.claim.parameter_refuted_by_delta(max(tv, 0.0), 0.0)
        return Finding(bound, self.claim, self.claim.max_total_variation(), parameter)

    def scores(self, outputs):
        return np.where(outputs > self.at, 1.0, -1.0)


class Threshold(Tester):
    """Quick and simple; the engine needs no more."""

    name = "threshold"

    def unsupported_reason(self, claim, example):
        return "it takes numbers of one column" if example.ndim > 1 else None

    def fit(self, p, q, claim, rng):
        return Above(claim, p, q)

    def detectable(self, claim, n_p, n_q, confidence):
        return (claim.parameter or 0) + 10 / np.sqrt(n_p)


def laplace(dataset, size, rng):
    """The sum of records between 0 and 1: 1-DP."""
    return np.sum(dataset) + rng.laplace(size=size)


def leaky(dataset, size, rng):
    """A tenth of the noise: 10-DP."""
    return np.sum(dataset) + rng.laplace(scale=0.1, size=size)


def audit(mechanism, claim="pure(1)", **settings):
    asked = {"datasets": PAIR, "testers": (Threshold(),), "trials": 3, "samples": 1000} | settings
    return wb.audit_mechanism(mechanism, claim, **asked)


def values(result):
    """All that must not depend on where it was computed."""
    trials = tuple(replace(trial, seconds=0.0) for trial in result.trials)
    return replace(result, trials=trials, seconds=0.0).to_dict()


def test_a_leak_is_found_and_a_private_mechanism_is_not_accused():
    found = audit(leaky)
    assert found.verdict == "violation found"
    assert found.best.finding.parameter > 1
    none = audit(laplace)
    assert none.verdict == "none found"
    assert none.best is not None
    assert "does not show that the mechanism is private" in none.in_words()


# -- the level ------------------------------------------------------------------------------------


class Sharp(Tester):
    """Accuses a private mechanism exactly as often as its level allows, by one uniform output."""

    name = "sharp"

    def __init__(self, row):
        self.name, self.row = f"sharp {row}", row

    def unsupported_reason(self, claim, example):
        return None

    def fit(self, p, q, claim, rng):
        return SharpWitness(claim, self.row)

    def detectable(self, claim, n_p, n_q, confidence):
        return None


class SharpWitness(Above):
    def __init__(self, claim, row):
        self.claim, self.row, self.predicted = claim, row, 0.0

    def measure(self, p, q, confidence):
        bound = wb.Bound(
            "total variation", float(p[self.row] > confidence), "held-out", "any",
            "independent runs", p.size, q.size, confidence,
        )  # fmt: skip
        return Finding(bound, self.claim, 0.5, 0.0)

    def scores(self, outputs):
        return outputs


def uniform(dataset, size, rng):
    return rng.random(size)


def accusations(runs, **settings):
    """How often a private mechanism is accused, over audits of 6 trials with 4 sharp testers."""
    four = tuple(Sharp(row) for row in range(4))
    settings = {"testers": four, "trials": 6, "samples": 50} | settings
    return sum(audit(uniform, seed=k, **settings).violation for k in range(runs))


def too_often(false, runs, nominal=0.05):
    """Whether the one-sided binomial test at 1% refutes the nominal rate."""
    return binom.sf(false - 1, runs, nominal) < 0.01


def test_the_whole_audit_accuses_a_private_mechanism_no_more_often_than_it_says():
    # 24 findings: 1 − (1 − 0.05/24)^24 = 4.9% is what the budget should come to.
    false = accusations(200)
    assert not too_often(false, 200)
    assert binom.cdf(false, 200, 0.049) > 1e-3  # and no share is wasted


def test_the_same_test_catches_a_budget_that_gives_each_trial_the_full_level(monkeypatch):
    monkeypatch.setattr(Budget, "level", lambda self, testers: 1 - 0.05 / testers)
    assert too_often(accusations(60), 60)


def bit(dataset, size, rng):
    """Randomized response: leaks all that pure(1) allows."""
    truth = len(dataset) > 1
    return np.where(rng.random(size) < np.e / (1 + np.e), truth, not truth)


#: Mechanisms that meet a claim and leak all that it allows.
EXACTLY = (
    (lambda d, size, rng: 1e4 * rng.standard_normal(size), "pure(0)"),
    (lambda d, size, rng: 1e-3 * np.repeat(rng.standard_normal((size, 1)), 3, 1), "gdp(0)"),
    (lambda d, size, rng: np.where(rng.random(size) < 0.5, np.nan, rng.random(size)), "pure(0)"),
    (lambda d, size, rng: np.array(["a", "b", "c"])[rng.integers(0, 3, size)], "approx(0, 0)"),
    (bit, "pure(1)"),
    (lambda d, size, rng: np.sum(d) + rng.standard_normal(size), "renyi(1.5, 0.75)"),
)


def real_accusations(rounds, testers):
    """How often all real testers together accuse such mechanisms, at a level of 10%."""
    return sum(
        audit(mechanism, claim, testers=testers, trials=2, samples=250, confidence=0.9, seed=k)
        .violation
        for k in range(rounds)
        for mechanism, claim in EXACTLY
    )  # fmt: skip


def test_the_real_testers_keep_the_level_of_the_whole_audit():
    # Run once with 1000 audits of 3 trials, 400 samples, ten mechanisms, at 95%: 9 were accused.
    assert not too_often(real_accusations(4, TESTERS), 24, nominal=0.1)


def test_the_same_test_catches_testers_that_are_careless(monkeypatch):
    monkeypatch.setattr(Budget, "level", lambda self, testers: 0.51)
    assert too_often(real_accusations(3, TESTERS), 18, nominal=0.1)


def test_stopping_at_the_first_violation_costs_no_level():
    assert not too_often(accusations(100, anytime=True), 100)


def test_who_refuses_gives_its_share_to_the_others():
    class Refuses(Threshold):
        name = "refuses"

        def unsupported_reason(self, claim, example):
            return "it never wants to"

    one = audit(laplace, testers=(Threshold(),))
    two = audit(laplace, testers=(Threshold(), Refuses()))
    assert one.trials[0].confidence == two.trials[0].confidence == pytest.approx(1 - 0.05 / 3)
    assert two.trials[0].refused == {"refuses": "it never wants to"}
    assert "it never wants to" in two.explain()


def test_who_fails_after_outputs_were_measured_keeps_its_share():
    class Fails(Threshold):
        name = "fails"

        def fit(self, p, q, claim, rng):
            witness = super().fit(p, q, claim, rng)
            witness.measure = lambda p, q, confidence: 1 / 0
            return witness

    found = audit(leaky, testers=(Threshold(), Fails()))
    assert found.trials[0].confidence == pytest.approx(1 - 0.05 / 6)
    assert "ZeroDivisionError" in found.trials[0].refused["fails"]
    assert found.violation


def test_a_witness_that_cannot_be_drawn_still_counts():
    class Blind(Threshold):
        name = "blind"

        def fit(self, p, q, claim, rng):
            witness = super().fit(p, q, claim, rng)
            witness.scores = lambda outputs: 1 / 0
            return witness

    found = audit(leaky, testers=Blind())
    assert found.violation
    assert not found.trials[0].pictures


def test_a_refused_claim_is_nothing_tested():
    found = audit(lambda d, size, rng: rng.random((size, 2)))
    assert found.verdict == "nothing tested"
    assert "one column" in found.in_words()


# -- mechanisms that misbehave --------------------------------------------------------------------


def on_first(wrong):
    """A mechanism that does something wrong in the first trial only."""

    def mechanism(dataset, size, rng):
        return wrong(dataset, size, rng) if dataset.max() > 1 else laplace(dataset, size, rng)

    return mechanism


#: Only the first has a record above 1.
PAIRS = [(np.array([5.0, 1.0]), np.array([5.0])), PAIR, PAIR]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda d, size, rng: 1 / 0, "ZeroDivisionError"),
        (lambda d, size, rng: sys.exit("done"), "SystemExit: done"),
        (lambda d, size, rng: np.zeros(size + 1), "one row for each run"),
        (lambda d, size, rng: 0.0, "shape"),
        (lambda d, size, rng: np.zeros((size, 2, 2)), "shape"),
        (lambda d, size, rng: [object()] * size, "return its values as numbers"),
        (lambda d, size, rng: [dict.fromkeys(range(2000), 1)] * size, "different keys or places"),
        (lambda d, size, rng: rng.random((size, 1 + d.size)), "change from call to call"),
        (lambda d, size, rng: ["a"] * size if d.size > 1 else [1] * size, "change from call"),
        (lambda d, size, rng: None, "Error"),
    ],
)
def test_a_mechanism_that_does_wrong_loses_one_trial(wrong, said):
    found = audit(on_first(wrong), datasets=list(PAIRS))
    assert [trial.error is None for trial in found.trials] == [False, True, True]
    assert said in found.trials[0].error
    assert found.trials[0].runs <= 2000
    assert found.verdict == "none found"
    assert "2 trials (1 trial lost)" in found.in_words()
    assert said in found.explain()
    assert len(found.to_frame()) == 3


def test_if_all_trials_are_lost_nothing_was_tested():
    found = audit(lambda d, size, rng: 1 / 0)
    assert found.verdict == "nothing tested"
    assert not found.violation
    assert found.best is None
    assert "none found" not in found.in_words()
    assert "ZeroDivisionError" in found.in_words()
    with pytest.raises(ValueError, match="no finding to replay"):
        found.replay()


def test_outputs_that_ignore_the_random_stream_are_void():
    def seeded(dataset, size, rng):
        return np.sum(dataset) + np.random.default_rng(0).laplace(scale=0.01, size=size)

    def tiled(dataset, size, rng):
        return np.sum(dataset) + np.resize(rng.laplace(scale=0.01, size=30), size)

    def doubled(dataset, size, rng):
        return np.sum(dataset) + np.repeat(rng.laplace(scale=0.01, size=size), 2)[:size]

    def coins(dataset, size, rng):
        return np.random.default_rng(dataset.size).random(size) < 0.5

    for mechanism in (seeded, tiled, doubled, coins):
        found = audit(mechanism)
        assert found.verdict == "nothing tested"
        assert all(trial.dependent for trial in found.trials)
        assert "the runs are not independent" in found.explain()
    # The same noise on both datasets is no independence either.
    shared = iter(np.random.default_rng(7).random((1000, 1000)))
    kept = {}

    def same_noise(dataset, size, rng):
        key = kept.setdefault(dataset.size, iter(range(1000)))
        k = next(key)
        noise = kept.setdefault(("noise", k), next(shared))
        return noise[:size]

    found = audit(same_noise)
    assert found.verdict == "nothing tested"
    assert "dataset and on its neighbor" in found.explain()


@pytest.mark.parametrize(
    "outputs",
    [
        lambda d, size, rng: np.full(size, 3.0),
        lambda d, size, rng: rng.random(size) < 0.01,
        lambda d, size, rng: rng.geometric(0.5, size),
        lambda d, size, rng: np.where(rng.random(size) < 0.5, np.nan, rng.random(size)),
        lambda d, size, rng: np.where(rng.random(size) < 0.001, rng.random(size), 0.0),
    ],
)
def test_discrete_and_constant_outputs_are_not_suspected(outputs):
    found = audit(outputs, trials=20)
    assert not any(trial.dependent for trial in found.trials)
    assert found.verdict == "none found"


def test_a_deterministic_mechanism_that_leaks_is_caught():
    assert audit(lambda d, size, rng: np.full(size, d.sum())).violation


def test_a_mechanism_cannot_change_the_datasets_of_the_next_call():
    def spoils(dataset, size, rng):
        dataset[:] = 0
        return laplace(dataset, size, rng)

    found = audit(spoils, datasets=(np.array([0.0, 9.0]), np.array([0.0])))
    assert found.verdict == "none found"
    np.testing.assert_array_equal(found.trials[0].neighbors.dataset, [0.0, 9.0])


def test_datasets_that_are_no_neighbors_lose_one_trial():
    far = (np.array([0.0, 1.0, 2.0]), np.array([0.0]))
    found = audit(leaky, datasets=[far, PAIR, PAIR])
    assert found.trials[0].neighbors is None
    assert "neighbors by add-remove" in found.trials[0].error
    assert found.violation
    with pytest.raises(ValueError, match="neighbors by add-remove"):
        audit(leaky, datasets=far)


def test_a_generator_may_end_before_the_trials_do():
    found = audit(laplace, datasets=(PAIR for _ in range(2)))
    assert len(found.trials) == 2
    assert found.complete
    assert "datasets ended after 2 trials of 3" in found.explain()
    assert found.trials[0].confidence == pytest.approx(1 - 0.05 / 3)  # of those planned


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"trials": 0}, "trials must be"),
        ({"samples": 49}, "samples must be"),
        ({"confidence": 0.05}, "confidence must be above 0.5"),
        ({"seed": -1}, "seed must be"),
        ({"time_limit": 0}, "time_limit must be above 0"),
        ({"executor": "threads"}, "executor must be one of 'processes'"),
        ({"executor": 4}, r"client.get_executor\(\)"),
        ({"testers": ()}, "at least one, each once"),
        ({"testers": (Threshold(), Threshold())}, "at least one, each once"),
        ({"datasets": "everywhere"}, "datasets must be one of"),
        ({"claim": "private"}, "cannot read the claim"),
        ({"mechanism": 3}, "must be a function"),
    ],
)
def test_bad_arguments_are_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        audit(**({"mechanism": laplace} | settings))


# -- in a process of its own ----------------------------------------------------------------------


def misbehaving():
    """Prints, writes to descriptor 1; hangs on one dataset and crashes on another.

    Made in a function, so that its process need not import this module.
    """

    def mechanism(dataset, size, rng):
        print("a mechanism may print")  # noqa: T201
        os.write(1, b"and write to descriptor 1\n")
        if dataset.max() == 5:
            time.sleep(10**6)  # only its time limit ends it
        if dataset.max() == 6:
            os._exit(3)
        if dataset.max() == 7:
            raise KeyError("seven")
        if dataset.max() == 8:  # its child keeps the pipe open
            time.sleep(60) if os.fork() == 0 else os._exit(4)
        return np.sum(dataset) + rng.laplace(size=size)

    return mechanism


def pair_with(record):
    return np.array([record, 0.0, 1.0]), np.array([record, 0.0])


def test_hanging_and_crashing_lose_one_trial_each_and_prints_do_no_harm(monkeypatch):
    monkeypatch.setattr(source, "PATIENCE", 3.0)
    datasets = [PAIR, pair_with(5.0), PAIR, pair_with(6.0), PAIR, pair_with(7.0), PAIR]
    datasets += [pair_with(8.0), PAIR]
    found = audit(misbehaving(), datasets=datasets, trials=9, time_limit=1.0)
    errors = found.errors
    assert set(errors) == {1, 3, 5, 7}
    assert "time limit" in errors[1]
    assert "exit status 3" in errors[3]
    assert "KeyError: 'seven'" in errors[5]
    assert found.verdict == "none found"
    # The others are what they are without a process of their own.
    direct = audit(laplace, datasets=[PAIR] * 9, trials=9)
    for k in (0, 2, 4, 6, 8):
        one, other = (result.trials[k] for result in (found, direct))
        assert one.findings["threshold"].bound == other.findings["threshold"].bound
        assert one.digest == other.digest


def test_a_process_that_was_idle_for_long_is_replaced(monkeypatch):
    monkeypatch.setattr(child, "IDLE", 0.0)
    pids = set()
    monkeypatch.setattr(sandbox.Sandbox, "run", watched(sandbox.Sandbox.run, pids))
    found = audit(misbehaving(), trials=1, samples=50, time_limit=5.0)
    assert not found.errors
    assert len(pids) == 10


def watched(run, pids):
    def watching(self, *arguments):
        pids.add(self._process.pid)
        return run(self, *arguments)

    return watching


def test_time_is_counted_over_the_calls_of_a_trial():
    def slow(dataset, size, rng):
        end = time.process_time() + 0.15
        while time.process_time() < end:
            pass
        return rng.random(size)

    found = audit(slow, trials=1, time_limit=0.7)
    assert "time limit" in found.errors[0]


def test_a_process_is_used_again_and_ends_with_its_program():
    script = (
        "import os, sys, time, workbench.testers.running.sandbox as s, numpy as np\n"
        "from workbench.processes.child import TimeLimit\n"
        "pids = lambda d, size, rng: np.full(size, os.getpid())\n"
        "p = s.PortableMechanism(pids)\n"
        "rng, ids, t = np.random.default_rng(0), [], TimeLimit(99)\n"
        "for _ in range(3):\n"
        "    box = s.Sandbox.with_mechanism(p)\n"
        "    ids.append(box.run([1.0], 1, rng, t)[0]); box.give_back()\n"
        "assert len(set(ids)) == 1, ids\n"
        "print(ids[0], flush=True)\n"
        "sleeping = s.PortableMechanism(lambda d, size, rng: time.sleep(99))\n"
        "hang = s.Sandbox.with_mechanism(sleeping)\n"
        "import threading; threading.Thread(target=hang.run, args=([1.0], 1, rng, t)).start()\n"
        "time.sleep(0.3); print(hang._process.pid, flush=True); os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    deadline = time.monotonic() + 10
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 2
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, pids))


# -- the same anywhere ----------------------------------------------------------------------------

#: Unlike the testers here, it can be imported without this module, which takes seconds.
QUICK = "histogram"


def test_every_executor_gives_the_same_result():
    scale = 0.1

    def closure(dataset, size, rng):  # no process can import it
        return np.sum(dataset) + rng.laplace(scale=scale, size=size)

    settings = {"datasets": "random", "trials": 5, "testers": QUICK}
    here = values(audit(closure, **settings))
    assert values(audit(closure, **settings, time_limit=10)) == here
    assert values(audit(closure, **settings, executor="processes")) == here
    with ThreadPoolExecutor(3) as threads:
        assert values(audit(closure, **settings, executor=threads)) == here
        in_threads = audit(closure, **settings, executor=threads, time_limit=10)
    assert values(in_threads) == here
    assert values(audit(closure, **settings, seed=1)) != here


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_result():
    distributed = pytest.importorskip("distributed")
    mechanism = misbehaving()
    here = values(audit(mechanism, testers=QUICK))
    cluster = distributed.LocalCluster(
        processes=True, n_workers=2, threads_per_worker=1, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client, client.get_executor() as executor:
        there = audit(mechanism, testers=QUICK, executor=executor)
        assert values(there) == here
        settings = {"datasets": list(PAIRS), "testers": QUICK, "time_limit": 0.3}
        bounded = audit(mechanism, executor=executor, **settings)
    assert set(bounded.errors) == {0}
    assert "time limit" in bounded.errors[0]


@pytest.mark.statistical
def test_a_learning_finder_sees_the_trials_in_order():
    class Learns(Finder):
        name, batch = "learns", False

        def __init__(self):
            self.seen = []

        def propose(self, history):
            self.seen.append([predicted for _, predicted in history])
            return wb.Neighbors(*PAIR)

    here, there = Learns(), Learns()
    one = audit(leaky, datasets=here)
    two = audit(leaky, datasets=there, executor="processes")
    assert values(one) == values(two)
    assert [len(seen) for seen in here.seen] == [0, 1, 2]
    assert here.seen == there.seen
    assert here.seen[2] == [trial.predicted for trial in one.trials[:2]]


def test_a_worker_that_dies_leaves_the_trials_before_it():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        datasets = [PAIR, pair_with(6.0), PAIR]
        found = audit(misbehaving(), datasets=datasets, testers=QUICK, executor=pool)
    assert not found.complete
    assert len(found.trials) == 1
    assert "time_limit" in found.explain()


def test_what_cannot_be_sent_is_said_at_once():
    lock = threading.Lock()
    with pytest.raises(ValueError, match="cannot be sent to another process"):
        audit(lambda d, size, rng: lock and rng.random(size), executor="processes")


# -- stopping -------------------------------------------------------------------------------------


def test_anytime_stops_at_the_first_violation_and_tells_the_runs_used():
    nothing = (np.array([0.0, 0.0]), np.array([0.0]))
    datasets = [nothing, nothing, PAIR, nothing, PAIR]
    full = audit(leaky, datasets=list(datasets), trials=5)
    found = audit(leaky, datasets=list(datasets), trials=5, anytime=True)
    assert [trial.violation for trial in full.trials] == [False, False, True, False, True]
    assert len(found.trials) == 3
    assert found.complete
    assert found.runs == 3 * 2 * 1000 < full.runs
    assert found.best.trial.index == 2
    assert "after 3 trials of 5 and 6,000 runs of the mechanism" in found.explain()
    spread = audit(leaky, datasets=list(datasets), trials=5, anytime=True, executor="processes")
    assert values(spread) == values(found)


def test_cancelling_keeps_what_was_found():
    kept = []

    def report(fraction=None, message=None, partial=None):
        if partial is not None:
            kept.append((fraction, message, partial))
        if len(kept) == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        audit(leaky, report=report, trials=4)
    fraction, message, partial = kept[-1]
    assert fraction == 0.5
    assert "2 trials of 4" in message
    assert len(partial.trials) == 2
    assert not partial.complete
    assert partial.violation
    assert partial.trials[0].confidence == pytest.approx(1 - 0.05 / 4)


def test_it_can_be_cancelled_within_a_trial():
    asked = []

    def report(fraction=None, message=None, partial=None):
        asked.append(partial)
        if len(asked) == 4:
            raise Cancelled

    with pytest.raises(Cancelled):
        audit(leaky, report=report)
    assert not any(asked)


def test_ctrl_c_keeps_what_was_found():
    calls = iter(range(100))

    def interrupted(dataset, size, rng):
        if next(calls) == 25:
            raise KeyboardInterrupt
        return leaky(dataset, size, rng)

    found = audit(interrupted)
    assert not found.complete
    assert len(found.trials) == 2
    assert found.violation
    assert "Interrupted after 2 trials of 3" in found.explain()
    calls = iter([25])
    with pytest.raises(KeyboardInterrupt):
        audit(interrupted)


# -- saved, loaded, replayed ----------------------------------------------------------------------


def test_a_result_comes_back_from_its_file_as_it_was(tmp_path):
    def odd(dataset, size, rng):
        outputs = dataset.sum() + rng.laplace(size=size)
        return np.where(outputs < 0, np.nan, np.where(outputs > 2, np.inf, outputs))

    table = np.array([["a", "b"], ["c", "d"]])
    datasets = [
        PAIR,
        (np.float32([0.1, 0.2]), np.float32([0.1])),
        (np.array([[1, 2], [3, 4]]), np.array([[1, 2]])),
        (np.array([True, False]), np.array([True])),
        (np.array([0.1, np.nan, np.inf]), np.array([0.1, np.nan])),
        (np.array([1.0, 2.0]), np.array([5.0])),
    ]
    found = audit(odd, datasets=list(datasets), trials=7)
    found = replace(found, trials=(*found.trials, Trial(6, wb.Neighbors(table, table[:1]))))
    found.save(tmp_path / "audit.json")
    json.loads((tmp_path / "audit.json").read_text(), parse_constant=pytest.fail)
    back = wb.MechanismAudit.load(tmp_path / "audit.json")
    assert back.to_dict() == found.to_dict()
    assert repr(back) == repr(found)
    assert back.explain() == found.explain()
    assert back.code == found.code
    assert back._repr_html_() == found._repr_html_()
    assert back.best.finding.bound == found.best.finding.bound
    pd.testing.assert_frame_equal(back.to_frame(), found.to_frame())
    for one, other in zip(found.trials, back.trials, strict=True):
        if one.neighbors is not None:
            ours, theirs = one.neighbors.dataset, other.neighbors.dataset
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    "claim",
    ["approx(1, 1e-5)", "renyi(1.5, 0.05)", "gdp(0.1)", wb.ComposedPair(wb.LaplacePair(0.3), 4)],
)
def test_every_claim_is_saved(claim, tmp_path):
    found = audit(laplace, claim)
    found.save(tmp_path / "audit.json")
    back = wb.MechanismAudit.load(tmp_path / "audit.json")
    assert repr(back) == repr(found)
    assert back.claim.profile(0.3) == found.claim.profile(0.3)


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "x.json"
    for text in ("[1, 2]", "{", '{"class": "Path", "form": 2}', '{"pair": "Scores"}', "3"):
        path.write_text(text)
        with pytest.raises(ValueError, match="is not a saved audit"):
            wb.MechanismAudit.load(path)
    audit(laplace).save(path)
    path.write_text(path.read_text().replace('"form": 2', '"form": 99'))
    with pytest.raises(ValueError, match="form 99"):
        wb.MechanismAudit.load(path)


ODD = (None, True, -1, 0.5, 2**70, 1e400, "x", [], [1], {}, {"float": "nan"}, {"entries": [[1, 2]]})


def leaves(value, *path):
    """Places of the values in a JSON document, one for each name of a field."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:2])
    for key, each in items:
        yield (*path, key)
        if isinstance(each, dict | list):
            yield from leaves(each, *path, key)


def with_value(document, path, value):
    changed = place = copy.deepcopy(document)
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


def test_a_saved_audit_with_another_value_is_refused_or_works():
    document = audit(leaky, testers="histogram", trials=1, samples=500).to_dict()
    places = {tuple(map(str, path[-2:])): path for path in leaves(document)}
    outcomes = Counter()
    for k, path in enumerate(places.values()):
        for value in ODD[k % 3 :: 3]:
            changed = json.dumps(with_value(document, path, value))
            try:
                found = wb.MechanismAudit.from_dict(json.loads(changed))
                repr(found), found.to_dict(), found.to_frame(), found.code
                found.replay(leaky, samples=50)
                outcomes["works"] += 1
            except ValueError as error:
                outcomes[type(error)] += len(str(error)) > 10
    assert outcomes["works"] > 20
    assert outcomes[ValueError] > 200


def test_replay_measures_the_same_witness_on_fresh_outputs(tmp_path):
    found = audit(leaky, testers="histogram")
    found.save(tmp_path / "audit.json")
    back = wb.MechanismAudit.load(tmp_path / "audit.json")
    again = found.replay()
    assert again.violation
    assert not again.fitted_anew
    assert again.samples == 800
    assert again.finding.bound.confidence == 0.95
    assert "confirmed on fresh samples" in again.in_words()
    # Fresh: another seed, other outputs; the audit's own seed gives no output of the audit.
    measured = [again, found.replay(seed=2), found.replay(seed=0)]
    values = {replayed.finding.bound.value for replayed in measured}
    assert len(values | {found.best.finding.bound.value}) > 1
    # A loaded result finds the mechanism by its name, or is given it.
    assert back.name.endswith("test_audit_mechanism:leaky")
    assert back.replay(leaky, samples=5000).finding.bound.n_p == 5000
    with pytest.raises(ValueError, match=r"give it: replay\(mechanism\)"):
        replace(back, settings=replace(back.settings, name="nowhere:nothing")).replay()


def test_replay_finds_gallery_mechanisms_and_functions_by_name(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "def noisy(dataset, size, rng):\n    return dataset.sum() + 0.1 * rng.laplace(size=size)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    import mine

    for mechanism in (mine.noisy, wb.mechanism("laplace-mean-true-count")):
        found = audit(mechanism, testers="histogram")
        found.save("audit.json")
        again = wb.MechanismAudit.load("audit.json").replay()
        assert not again.fitted_anew


def test_replay_says_when_the_witness_had_to_be_fitted_anew():
    found = audit(leaky)
    other = found.replay(lambda d, size, rng: d.sum() + 0.2 * rng.laplace(size=size))
    assert other.fitted_anew
    assert "fitted anew" in other.in_words()
    assert not found.replay(laplace).violation


# -- what it tells --------------------------------------------------------------------------------


def test_a_violation_is_told_with_its_datasets():
    text = audit(leaky).in_words()
    assert text.startswith("violation found: ε ≥ ")
    assert "where 1 is claimed (threshold, trial " in text
    assert "95% for all trials and testers together" in text
    assert "Dataset: [0., 1.]; neighbor: [0.]." in text
    many = np.r_[np.zeros(29), 1.0]
    text = audit(leaky, datasets=(many, many[:-1])).in_words()
    assert "30 records; the neighbor lacks [1.]" in text
    text = audit(leaky, datasets=(many[:-1], many)).in_words()
    assert "29 records; the neighbor also has [1.]" in text
    text = audit(leaky, datasets=(many, np.zeros(30))).in_words()
    assert "the neighbor has [0.] in place of [1.]" in text


def test_the_best_finding_is_the_strongest_violation():
    weak = (np.array([0.0, 0.3]), np.array([0.0]))
    found = audit(leaky, datasets=[weak, PAIR, weak])
    assert found.best.trial.index == 1
    parameters = [trial.findings["threshold"].parameter for trial in found.trials]
    assert found.best.finding.parameter == max(parameters)


def test_code_makes_the_same_result():
    found = audit(laplace, datasets="random")
    testers = f"({found.testers[0]!r},)"
    code = found.code.replace(testers, "(Threshold(),)")
    again = eval(code, {"wb": wb, "mechanism": laplace, "Threshold": Threshold})
    assert values(again) == values(found)


def test_pictures_show_what_was_measured():
    shown = audit(leaky).trials[0].pictures["threshold"]
    assert shown.of == "outputs"
    assert len(shown.edges) - 1 == len(shown.labels) == len(shown.scores) <= 60
    assert sum(shown.counts_p) == sum(shown.counts_q) == 800
    edges = np.array(shown.edges)
    assert (np.diff(edges) > 0).all()
    seen = [s for s in shown.scores if not np.isnan(s)]
    assert seen == sorted(seen)  # the witness is a threshold

    def parts(dataset, size, rng):
        outputs = dataset.sum() + rng.laplace(size=size)
        return np.where(outputs < 0, np.nan, np.where(outputs > 2, np.inf, outputs))

    odd = audit(parts).trials[0].pictures["threshold"]
    assert odd.labels[-2:] == ("NaN", "∞")
    assert sum(odd.counts_p) == 800
    few = audit(lambda d, size, rng: rng.integers(0, 3, size)).trials[0].pictures["threshold"]
    assert (few.of, few.labels, few.edges) == ("outcomes", ("0", "1", "2"), None)
    huge = audit(lambda d, size, rng: 1e308 * (rng.random(size) - 0.5) * 3).trials[0]
    assert np.isfinite(huge.pictures["threshold"].edges).all()


class Constant(FittedWitness):
    def measure(self, p, q, confidence):
        raise NotImplementedError

    def scores(self, outputs):
        return np.arange(len(outputs), dtype=float) / len(outputs)


def test_pictures_of_text_and_of_several_columns():
    rng = np.random.default_rng(0)
    words = np.array([f"w{k:02}" for k in range(60)])
    p, q = rng.choice(words, 3000), rng.choice(words[:3], 3000)
    shown = picture("x", Constant(), p, q)
    assert shown.of == "outcomes"
    assert shown.labels[-1] == "other"
    assert set(shown.labels[:3]) == {"w00", "w01", "w02"}
    assert sum(shown.counts_p) == sum(shown.counts_q) == 3000
    bits = picture("x", Constant(), rng.integers(0, 2, (500, 2)), rng.integers(0, 2, (400, 2)))
    assert set(bits.labels) == {"(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"}
    plane = picture("x", Constant(), rng.random((500, 2)), rng.random((400, 2)))
    assert plane.of == "scores"
    assert (sum(plane.counts_p), sum(plane.counts_q)) == (500, 400)
