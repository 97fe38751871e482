"""Functions and objects of any interface are tested as they are, through every door."""

import functools
import inspect
import json
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from helpers import call_forms
from helpers.call_forms import FORMS
from helpers.foreign_mechanisms import auditorium, sniper, statdp

import workbench as wb
from workbench.cli import main
from workbench.mechanisms.adapting.calls import ROLES, CallForm
from workbench.pytest_plugin.audits import PrivacyAudit
from workbench.testing import AuditFailure, assert_no_violation

QUICK = {"testers": "histogram", "trials": 2, "samples": 1000}

#: Of frames the outputs are dictionaries, which have several columns.
TESTER = {"frames": "hockey-stick"}


def quick(form):
    return QUICK | {"testers": TESTER.get(form, "histogram")}  # its samples are those of the page


def evidence(audit):
    return [
        (name, finding.bound.value, finding.parameter)
        for trial in audit.trials
        for name, finding in trial.findings.items()
    ]


@pytest.fixture(scope="module")
def expected():
    """The evidence of each form, as `audit_mechanism` finds it."""

    @functools.cache
    def of(form):
        audit = wb.audit_mechanism(getattr(call_forms, form), "pure(1)", **quick(form))
        assert not audit.errors
        assert audit.violation
        return audit

    return of


# -- every call form through every door ------------------------------------------------------------


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "mine.py"
    path.write_text(inspect.getsource(call_forms))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return "mine.py"


@pytest.mark.sampled(8)
@pytest.mark.parametrize("form", FORMS)
def test_the_same_seed_gives_the_same_evidence(form, expected):
    again = wb.audit_mechanism(getattr(call_forms, form), "pure(1)", **quick(form))
    assert evidence(again) == evidence(expected(form))
    other = wb.audit_mechanism(getattr(call_forms, form), "pure(1)", **quick(form), seed=1)
    assert [t.digest for t in other.trials] != [t.digest for t in again.trials]


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    "form", ["with_size", "given", "one_of_own_generator", "release", "sniped", "frames", "card"]
)
def test_a_process_of_its_own_changes_nothing(form, expected):
    audit = wb.audit_mechanism(getattr(call_forms, form), "pure(1)", time_limit=60, **quick(form))
    assert evidence(audit) == evidence(expected(form))
    assert audit.replay(samples=400, time_limit=60).violation


@pytest.mark.parametrize("form", FORMS)
def test_outputs_of_both_datasets_are_tested(form):
    mechanism = wb.mechanism_from(getattr(call_forms, form))
    sides = mechanism.pair or (np.ones(3), np.ones(2))
    p, q = (
        mechanism(np.array(side) if isinstance(side, list) else side, 500, rng)
        for side, rng in zip(sides, np.random.default_rng(0).spawn(2), strict=True)
    )
    assert wb.find_violation(p, q, "pure(1)").violation


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_the_command_line(form, expected, file, capsys):
    asked = [f"--testers={quick(form)['testers']}", "--trials=2", "--samples=1000", "--json"]
    status = main(["test", f"{file}:{form}", "--claim=pure(1)", "--time-limit=0", *asked])
    said = json.loads(capsys.readouterr().out)
    assert status == 1
    assert said["verdict"] == "violation found"
    best = expected(form).best
    assert said["evidence"]["bound"]["value"] == best.finding.bound.value


@pytest.mark.parametrize("form", FORMS)
def test_the_page(form, expected):
    tester = quick(form)["testers"].replace("-", "_")
    switches = {name: name == tester for name in ("hockey_stick", "renyi", "mmd", "histogram")}
    view = wb.explore_mechanism(
        getattr(call_forms, form), "pure(1)", trials=2, log_samples=3.0, anytime=False, **switches
    )
    view.page.executor = None
    view.page.choice.time_limit = 60.0
    asked = view.page.choice.source()
    assert wb.audit_mechanism(
        view.page.chosen(), "pure(1)", **{**asked, "time_limit": None}, **quick(form)
    ).violation
    assert ("your code" in view.page.described()) == (form != "card")


@pytest.mark.parametrize("form", FORMS)
def test_tests_of_other_projects(form):
    mechanism, kept = getattr(call_forms, form), []
    fixture = PrivacyAudit("test_mine", 0.95, 0, kept.append)
    for check in (assert_no_violation, fixture):
        with pytest.raises(AuditFailure):
            check(mechanism, "pure(1)", **quick(form))
    assert [one.passed for one in kept] == [False]


def test_claims_relations_and_datasets_that_objects_state():
    own = wb.mechanism_from(call_forms.randomiser)
    assert (str(own.claim), own.neighboring_relation, own.pair) == ("pure(1)", "stated", (0.0, 1.0))
    assert wb.audit_mechanism(call_forms.randomiser, **QUICK).claim == wb.PureDP(1)
    card = wb.mechanism_from(call_forms.card)
    assert (card.claim, card.domain) == (wb.PureDP(1), wb.Domain())
    assert str(wb.mechanism_from(call_forms.card, "gdp(2)").claim) == "gdp(2)"
    with_domain = wb.mechanism_from(
        call_forms.one, domain=wb.Domain(high=9), neighboring_relation="substitute"
    )
    assert wb.audit_mechanism(with_domain, "pure(1)", **QUICK).neighboring_relation == "substitute"
    assert not wb.audit_mechanism(call_forms.one, **QUICK).claim.stated
    approximate = type("Gaussian", (call_forms.Randomiser,), {"delta": 1e-5})()
    assert wb.mechanism_from(approximate).claim == wb.ApproxDP(1.0, 1e-5)


def test_the_claim_that_is_given_wins():
    audit = wb.audit_mechanism(call_forms.randomiser, "pure(60)", **QUICK)
    assert str(audit.claim) == "pure(60)"
    assert not audit.violation


# -- twenty mechanisms of each tool ----------------------------------------------------------------

FOREIGN = {"auditorium": auditorium(), "statdp": statdp(), "sniper": sniper()}


def test_there_are_twenty_of_each():
    assert {tool: len(known) for tool, known in FOREIGN.items()} == dict.fromkeys(FOREIGN, 20)


@pytest.mark.sampled(20)
@pytest.mark.parametrize(
    ("tool", "name"), [(tool, name) for tool, known in FOREIGN.items() for name in known]
)
def test_mechanisms_of_other_tools_run_as_they_are(tool, name):
    foreign = FOREIGN[tool][name]
    how = {"neighboring_relation": "stated", "trials": 1, "samples": 5000, "confidence": 0.999}
    audit, again = (
        wb.audit_mechanism(
            foreign.mechanism,
            foreign.claim,
            foreign.pair,
            testers=("hockey-stick", "histogram"),
            **how,
        )
        for _ in range(2)
    )
    assert not audit.errors
    assert audit.violation == foreign.broken, audit.in_words()
    assert evidence(again) == evidence(audit)


# -- randomness ------------------------------------------------------------------------------------


def test_generators_are_left_as_they_were():
    mechanism = wb.mechanism_from(call_forms.one_of_own_generator)
    state = lambda: (  # noqa: E731
        call_forms.own_generator.bit_generator.state,
        np.random.get_state()[1].tolist(),  # noqa: NPY002
        random.getstate(),
    )
    before = state()
    first = mechanism(np.ones(2), 3, np.random.default_rng(1))
    assert state() == before
    assert first == mechanism(np.ones(2), 3, np.random.default_rng(1))
    assert first != mechanism(np.ones(2), 3, np.random.default_rng(2))


def test_threads_take_turns():
    with ThreadPoolExecutor(4) as threads:
        for mechanism in (call_forms.one, call_forms.one_of_own_generator):
            here = wb.audit_mechanism(mechanism, "pure(1)", **QUICK | {"trials": 4})
            there = wb.audit_mechanism(
                mechanism, "pure(1)", executor=threads, **QUICK | {"trials": 4}
            )
            assert evidence(there) == evidence(here)


def test_what_no_seed_reaches_is_said():
    def hidden(data):
        return np.sum(data) + np.random.default_rng().laplace(scale=0.02)

    def of_the_system(data):
        return np.sum(data) + random.SystemRandom().gauss(0, 1)

    for function, word in ((hidden, "default_rng"), (of_the_system, "SystemRandom")):
        caveat = wb.mechanism_from(function).caveat
        assert word in caveat
        assert f"{caveat}." in wb.audit_mechanism(function, "pure(90)", **QUICK).explain()
    for form in FORMS:
        assert not wb.mechanism_from(getattr(call_forms, form)).caveat


def test_a_mechanism_that_seeds_itself_anew_is_noticed():
    def frozen(data, size):
        np.random.seed(3)  # noqa: NPY002
        return np.sum(data) + np.random.laplace(size=size)  # noqa: NPY002

    audit = wb.audit_mechanism(frozen, "pure(1)", samples=1000, trials=1)
    assert not audit.violation
    assert "two calls on the dataset" in audit.trials[0].dependent


def test_runs_are_independent_of_each_other():
    dataset = np.zeros(2)
    mechanism = wb.mechanism_from(call_forms.changes_its_dataset)
    found = np.array(mechanism(dataset, 400, np.random.default_rng(0)))
    assert np.abs(found).max() < 1  # a run that sees the noise of those before it drifts
    assert not dataset.any()


# -- how a call is written -------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["dataset", "dataset, size, rng", "seed, dataset, n=size"])
def test_a_form_is_read_and_written(text):
    assert str(CallForm.parse(text)) == text
    assert set(CallForm.parse(text).roles) <= set(ROLES)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("size, rng", "has no dataset"),
        ("dataset, dataset", "an argument twice"),
        ("x=dataset, size", "come last"),
        ("dataset, epsilon", "'epsilon' is none of 'dataset', 'size', 'rng'"),
        ("dataset,", "'' is none of"),
        (3, "call must be a text such as 'dataset, size, rng'"),
    ],
)
def test_another_form_is_refused(text, says):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        wb.mechanism_from(call_forms.one, call=text)
    assert says in str(caught.value)


def count(data, n=1): ...
def bounded(data, lower, upper): ...
def neither(a, b): ...
def tuned(queries, threshold, rng): ...
def without(): ...
async def later(data): ...


class Made: ...


@pytest.mark.parametrize(
    ("thing", "says"),
    [
        (count, ["is n the number of runs", "call='dataset, size')", "call='dataset')"]),
        (bounded, ["lower and upper have no value", "functools.partial(bounded, lower=..., upper"]),
        (neither, ["is b the number", "call='dataset, size'", "functools.partial(neither, b=...)"]),
        (tuned, ["threshold has no value", "functools.partial(tuned, threshold=...)"]),
        (without, ["takes no dataset", "def mechanism(dataset, size, rng):"]),
        (later, ["is asynchronous", "asyncio.run(later(dataset))"]),
        (Made, ["Made is a class", "mechanism = Made(...)"]),
        (Made(), ["not a function but of type Made", "def mechanism(dataset):"]),
        (call_forms.one_with_generator, ["functools.partial(one_with_generator, epsilon=...)"]),
        (call_forms.ambiguous, ["is k the number of runs, or a parameter"]),
    ],
    ids=lambda thing: getattr(thing, "__name__", None),
)
def test_what_is_not_clear_is_asked_with_the_code_to_write(thing, says):
    for call in (
        wb.mechanism_from,
        lambda x: wb.audit_mechanism(x, "pure(1)"),
        wb.explore_mechanism,
    ):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            call(thing)
        for one in says:
            assert one in str(caught.value)


def test_a_call_that_fails_is_said_at_once_and_not_fifty_times():
    calls = []

    def grouped(table):
        calls.append(1)
        return table.groupby("group").size()

    with pytest.raises(ValueError, match=r"grouped was called as grouped.dataset.*data frames"):
        wb.audit_mechanism(grouped, "pure(1)")
    assert calls == [1]

    def old(prng, data):
        calls.append(1)
        return prng.randint(3)

    with pytest.raises(ValueError, match=r"RandomState.*call='random_state, dataset'"):
        wb.audit_mechanism(old, "pure(1)")
    assert calls == [1, 1]
    assert (
        len(wb.mechanism_from(old, call="random_state, dataset")([1], 3, np.random.default_rng()))
        == 3
    )

    wrong = wb.mechanism_from(grouped, call="dataset, size")
    with pytest.raises(ValueError, match=r"takes 1 positional argument but 2 were given.*\n"):
        wb.audit_mechanism(wrong, "pure(1)", time_limit=60)


def test_errors_inside_a_mechanism_lose_their_trial_as_before():
    def inside(data):
        return len(data) + None

    audit = wb.audit_mechanism(inside, "pure(1)", trials=2, samples=100)
    assert set(audit.errors) == {0, 1}


def test_a_function_of_frames_says_so_before_it_runs():
    with pytest.raises(ValueError, match=r"of_frame takes data frames; give .*TableDomain"):
        wb.audit_mechanism(call_forms.of_frame, "pure(1)")
    audit = wb.audit_mechanism(
        call_forms.of_frame,
        "pure(1)",
        (call_forms.FRAME, call_forms.FRAME.iloc[:2]),
        trials=1,
        samples=500,
    )
    assert audit.violation
    assert isinstance(audit.best.trial.neighbors.dataset, pd.DataFrame)


# -- as an object ----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_it_is_sent_to_other_processes(form):
    mechanism = wb.mechanism_from(getattr(call_forms, form))
    again = cloudpickle.loads(cloudpickle.dumps(mechanism))
    assert (again.name, again.calls, again.claim) == (
        mechanism.name,
        mechanism.calls,
        mechanism.claim,
    )


def test_it_is_taken_again_and_stated_differently():
    mechanism = wb.mechanism_from(call_forms.one, "pure(1)")
    assert wb.mechanism_from(mechanism) is mechanism
    assert str(wb.mechanism_from(mechanism, "pure(2)").claim) == "pure(2)"
    streamed = wb.mechanism_from(wb.mechanism_from(call_forms.ambiguous, call="dataset, size"))
    assert streamed.calls == "ambiguous(dataset, size), once for all runs"
    with pytest.raises(ValueError, match="two datasets"):
        wb.mechanism_from(call_forms.one, pair=[1])


def test_how_it_is_called_is_said():
    said = {form: wb.mechanism_from(getattr(call_forms, form)).calls for form in FORMS}
    assert said["whole"] == "whole(dataset, size, rng), once for all runs"
    assert said["other_names"] == "other_names(dataset, size, rng), once for all runs"
    assert said["other_order"] == "other_order(rng, size, dataset), once for all runs"
    assert said["given"] == "one_with_generator(rng, dataset), once for each run"
    assert said["one_with_state"].startswith("one_with_state(dataset, random_state=random_state)")
    assert said["sniped"] == "Sniped.m(dataset, size), once for all runs"
    assert said["stream"] == "stream(dataset), whose outputs are taken one after another"


def test_a_script_that_only_imports_the_workbench_loads_none_of_it():
    code = (
        "import sys, workbench; "
        "print([m for m in sys.modules if 'adapting' in m or m.split('.')[0] in "
        "('opendp', 'diffprivlib', 'numpy', 'pandas', 'scipy')]); "
        "workbench.mechanism_from; "
        "print([m for m in ('opendp', 'diffprivlib', 'pipeline_dp', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert (first, second) == ("[]", "[]")
    folder = Path(wb.__file__).parent / "mechanisms" / "adapting"
    imports = "".join(path.read_text() for path in folder.glob("*.py"))
    assert "import opendp" not in imports
    assert "import diffprivlib" not in imports
