"""What is logged to trackers, and under which names."""

import json
import math
import subprocess
import sys
from dataclasses import replace

import pytest
from helpers.tracker_doubles import FakeMLflow, FakeWandb

import workbench as wb
from workbench.trackers.naming import key_of

COUNTS = {"tp": 400, "fp": 100, "tn": 400, "fn": 100}
EPSILON = "dp_audit/epsilon_lower_delta_1e-05_95pct_pointwise"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bound(delta=1e-5, **fields):
    return replace(wb.epsilon_from_counts(**COUNTS, delta=delta), **fields)


def logged(result, **how):
    """Numbers, texts and files by name, which are the same in both trackers."""
    mlflow, wandb = FakeMLflow(), FakeWandb()
    for module in (mlflow, wandb):
        receipt = wb.trackers.log(result, module, **how)
        assert receipt.waiting == 0
    numbers = {key: [one.value for one in found] for (_, key), found in mlflow.metrics.items()}
    texts = {key: value for (_, key), value in mlflow.tags.items()}
    files = {name: json.loads(text) for (_, name), text in mlflow.texts.items()}
    assert receipt.names == ", ".join(numbers)
    assert all(len(found) == 1 for found in numbers.values())
    numbers = {key: found[0] for key, found in numbers.items()}
    (history,) = wandb.run.history
    of_wandb = {key: value for key, value in history.items() if isinstance(value, float)}
    assert of_wandb == numbers
    assert texts.items() <= wandb.run.summary.items()
    artifacts = [one.files for one in wandb.run.artifacts.values()]
    contents = [json.loads(text) for one in artifacts for text in one.values()]
    assert [at_any_time(one) for one in contents] == [at_any_time(one) for one in files.values()]
    return numbers, texts, files


def at_any_time(card):
    return {name: value for name, value in card.items() if name != "made"}


def test_a_bound_comes_with_all_that_it_rests_on():
    found = bound()
    numbers, texts, files = logged(found)
    assert numbers == {EPSILON: found.value}
    assert texts[f"{EPSILON}.guarantee"] == "pointwise"
    assert texts[f"{EPSILON}.assumption"] == found.assumption
    assert texts[f"{EPSILON}.family"] == "none: distribution-free"
    assert (texts[f"{EPSILON}.n_p"], texts[f"{EPSILON}.n_q"]) == ("500", "500")
    assert texts[f"{EPSILON}.confidence"] == "0.95"
    assert texts[f"{EPSILON}.statement"] == str(found)
    card = files[f"{EPSILON}.json"]
    assert wb.Bound.from_dict(card["bound"]) == replace(found, recompute=None)
    assert card["statement"] == str(found)
    assert card["software"]["dp-audit-workbench"] == wb.__version__


def test_the_counts_of_one_run_are_among_the_sizes():
    found = wb.one_run_bound(canaries=100, guesses=60, correct=45, delta=0)
    (key,), texts, _ = logged(found)
    sizes = [texts[f"{key}.{name}"] for name in ("canaries", "guesses", "correct")]
    assert sizes == ["100", "60", "45"]


@pytest.mark.parametrize("how", [{"method": "tv"}, {"method": "threshold", "threshold": 0.5}])
def test_an_estimate_is_called_one(how):
    estimate = wb.gdp_fit(wb.example("gaussian"), **how)
    (key,), texts, _ = logged(estimate)
    assert key.endswith("_estimate")
    assert texts[f"{key}.guarantee"] == "estimate"
    assert texts[f"{key}.family"] == "Gaussian"


def test_only_a_kept_bound_has_the_name_of_one():
    assert key_of(bound()) == "epsilon_lower_delta_1e-05_95pct_pointwise"
    plain = bound(guarantee="estimate", confidence=None)
    assert key_of(plain) == "epsilon_delta_1e-05_estimate"
    interval = wb.epsilon_from_counts(**COUNTS, delta=0, interval="jeffreys")
    assert key_of(interval) == "epsilon_lower_delta_0_95pct_approximate"
    assert key_of(bound().voided("another split")).endswith("_pointwise_not_valid")
    of_family = wb.parametric_bound(wb.example("gaussian"), "gaussian", delta=1e-5)
    assert "_if_gaussian" in key_of(of_family)
    held_out = bound(guarantee="held-out", confidence=0.999)
    assert key_of(held_out) == "epsilon_lower_delta_1e-05_99.9pct_held-out"


def test_both_ends_of_an_interval_are_logged():
    found = wb.epsilon_from_counts(**COUNTS, delta=0, sided="two")
    numbers, _, _ = logged(found)
    key = "dp_audit/epsilon_interval_delta_0_95pct_pointwise"
    assert numbers == {f"{key}.low": found.value, f"{key}.high": found.high}


def test_an_infinite_bound_is_logged():
    found = bound(value=math.inf)
    numbers, _, files = logged(found)
    assert numbers == {EPSILON: math.inf}
    assert files[f"{EPSILON}.json"]["bound"]["value"] == "Infinity"


def test_several_bounds_differ_in_their_names():
    both = [bound(), bound(1e-3), wb.mu_from_counts(**COUNTS)]
    assert len(logged(both)[0]) == 3
    named = {"attack A": bound(), "attack B": bound(value=0.5)}
    assert set(logged(named, name="first")[0]) == {
        f"dp_audit/first/{name}/epsilon_lower_delta_1e-05_95pct_pointwise" for name in named
    }
    with pytest.raises(ValueError, match=r"two results are called .*; name them apart"):
        wb.trackers.log([bound(), bound(value=0.5)], FakeMLflow())


def test_a_live_audit_is_logged_at_its_step():
    audit = wb.live.Audit(claim="gdp(0.5)")
    for p, q in zip(*wb.GaussianPair(2).sample(200, seed=0), strict=True):
        audit.add(p, True)
        audit.add(q, False)
    numbers, texts, _ = logged(audit)
    assert numbers == {
        "dp_audit/epsilon_lower_delta_1e-05_95pct_anytime": audit.bound.value,
        "dp_audit/mu_lower_95pct_anytime": audit.mu.value,
    }
    assert texts["dp_audit/claim"].startswith("gdp(0.5): refuted")
    mlflow = FakeMLflow()
    wb.trackers.log(audit, mlflow)
    assert {one.step for found in mlflow.metrics.values() for one in found} == {200}


@pytest.mark.slow
def test_an_audit_brings_its_card():
    jsonschema = pytest.importorskip("jsonschema")
    audit = wb.audit(wb.example("gaussian"))
    numbers, _, files = logged(audit)
    assert len(numbers) == len(audit.bounds)
    assert {key for key in numbers if "epsilon" in key and "estimate" not in key}
    jsonschema.validate(files["dp_audit/audit-card.json"], wb.card_schema())
    _, _, files = logged(bound(), card=audit)
    assert set(files) == {f"{EPSILON}.json", "dp_audit/audit-card.json"}


def test_a_result_with_a_bound_is_taken():
    class Found:
        bound = bound()

    assert set(logged(Found())[0]) == {EPSILON}


@pytest.mark.parametrize(
    "number", [1.3, 0, wb.histogram(wb.example("gaussian")).total_variation, "1.3", None, {"a": 2}]
)
def test_a_number_without_its_guarantee_is_refused(number):
    mlflow = FakeMLflow()
    with pytest.raises(TypeError, match="only a bound is logged, which states its guarantee"):
        wb.trackers.log(number, mlflow)
    assert not mlflow.calls


def test_bad_arguments_are_named():
    with pytest.raises(TypeError, match="module mlflow or wandb"):
        wb.trackers.log(bound(), object())
    with pytest.raises(ValueError, match=r"mlflow\.start_run\(\)"):
        wb.trackers.log(bound(), FakeMLflow(run=None))
    with pytest.raises(ValueError, match=r"wandb\.init\(\)"):
        wb.trackers.log(bound(), FakeWandb(run=None))
    for name in ("a/b", "ε", "a\nb"):
        with pytest.raises(ValueError, match="letters, digits"):
            wb.trackers.log(bound(), FakeMLflow(), name=name)
        with pytest.raises(ValueError, match="letters, digits"):
            wb.trackers.log({name: bound()}, FakeMLflow())
    with pytest.raises(ValueError, match="no bound"):
        wb.trackers.log([], FakeMLflow())
    with pytest.raises(ValueError, match="step"):
        wb.trackers.log(bound(), FakeMLflow(), step=-1)
    with pytest.raises(ValueError, match="timeout"):
        wb.trackers.log(bound(), FakeMLflow(), timeout=-1)
    with pytest.raises(TypeError, match="queue"):
        wb.trackers.log(bound(), FakeMLflow(), queue=3)
    with pytest.raises(TypeError, match="card"):
        wb.trackers.log(bound(), FakeMLflow(), card={})


def test_long_texts_are_cut_and_whole_in_the_file():
    note = "x" * 20_000
    _, texts, files = logged(bound(note=note))
    assert len(texts[f"{EPSILON}.note"]) == 1000
    assert files[f"{EPSILON}.json"]["bound"]["note"] == note


def test_no_tracker_is_imported():
    code = (
        "import sys, workbench as wb\n"
        "wb.trackers.log, wb.trackers.flush\n"
        "print([name for name in ('mlflow', 'wandb', 'param') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert "trackers" not in dir(wb)
