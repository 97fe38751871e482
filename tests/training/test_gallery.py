"""The gallery: runs open as what their audits collect, and come out again from their plans."""

import json
from dataclasses import replace

import numpy as np
import pytest

import workbench as wb
from workbench.scores.examples import NAMES as EXAMPLES
from workbench.scores.examples import data_folder
from workbench.tables.examples import TABLES
from workbench.training.runs.gallery import NAMES

RUNS = wb.training.gallery()
BY_NAME = {run.name: run for run in RUNS}


#: Processors differ in the last digits of a sum, 1e-6 of these scores; other seeds, by tenths.
ROUNDING = 1e-3


def all_scores(result):
    """Scores of a run of one model, in their order."""
    if isinstance(result, wb.OneRun):
        return result.scores
    return np.concatenate([result.p, result.q])


def test_the_runs_are_bundled_as_all_examples_are():
    assert tuple(run.name for run in RUNS) == NAMES
    assert {*NAMES} <= {*EXAMPLES, *TABLES}
    assert {*NAMES} <= {*wb.training.plans()}
    assert sum(run.path.stat().st_size for run in RUNS) < 1_000_000
    for run in RUNS:
        assert run.title
        assert len(run.look) > 40


@pytest.mark.parametrize("run", RUNS, ids=NAMES)
def test_the_provenance_is_that_of_the_plan(run):
    provenance = run.provenance
    assert provenance["seed"] == run.plan.seed
    assert run.cpu_seconds > 0
    assert provenance["sessions"][0]["software"]["numpy"]
    again = wb.training.make_audit(provenance["parameters"])
    assert again.parameters == run.audit.parameters
    assert run.kind == again.kind


@pytest.mark.parametrize("run", RUNS, ids=NAMES)
def test_a_run_opens_as_what_its_audit_collects(run):
    opened = run.open()
    assert opened.name == run.name
    assert opened.larger_is_member == run.audit.larger_is_member
    if isinstance(opened, wb.OneRun):
        assert opened.design == "fair-coins"
        assert opened.canaries == run.audit.models * run.audit.subjects
        return
    assert opened.sampling == run.audit.sampling
    rows = run.audit.models * run.audit.subjects
    if isinstance(opened, wb.ScoreTable):
        assert (opened.n_models, opened.n_records) == (run.audit.models, run.audit.subjects)
    else:
        assert opened.n_p + opened.n_q == rows


@pytest.mark.parametrize("name", ["one-shot-private", "canaries-in-one-run"])
def test_a_run_of_one_model_comes_out_again(name):
    run = BY_NAME[name]
    again = wb.training.run_training_audit(run.plan)
    assert type(again.result) is type(run.open())
    old, new = all_scores(run.open()), all_scores(again.result)
    np.testing.assert_allclose(new, old, atol=ROUNDING)


@pytest.mark.parametrize("name", ["black-box-gaussian", "flawed-white-box"])
def test_the_first_models_of_a_run_come_out_again(name):
    run = BY_NAME[name]
    audit = replace(run.audit, models=24)
    again = wb.training.run_training_audit(audit, run.plan.seed).result
    opened = run.open()
    for new, old in ((again.p, opened.p), (again.q, opened.q)):
        np.testing.assert_allclose(new, old[: new.size], atol=ROUNDING)


def test_the_first_models_of_the_table_come_out_again():
    run = BY_NAME["digits-losses-table"]
    table = run.open()
    again = wb.training.run_training_audit(replace(run.audit, models=4), run.plan.seed).result
    assert (again.member == table.member[:4]).all()
    np.testing.assert_allclose(again.matrix, table.matrix[:4], atol=ROUNDING)


def test_the_flawed_claim_is_refuted_and_the_others_are_not():
    for run in RUNS:
        claim, scores = run.plan.claimed, run.open()
        if claim is None or not isinstance(scores, wb.Scores):
            continue
        refuted = wb.epsilon_lower_bound(scores, delta=1e-5).value > run.audit.reference.epsilon(
            1e-5
        )
        assert refuted == (run.name == "flawed-white-box")


def test_an_unknown_run():
    with pytest.raises(ValueError, match=r"name must be one of .*black-box-gaussian"):
        wb.training.GalleryRun("black-box")


def test_only_what_is_named_is_in_the_provenance():
    found = json.loads((data_folder() / "training-runs.json").read_bytes())
    assert tuple(found) == NAMES
