"""Positive controls: every bug is detected, and DP-SGD without it is not accused."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from workbench import training
from workbench.training.controls import BUGS

#: Audits of the correct engine for each bug; `benchmarks/training_bugs.py` has 200.
AUDITS = 2


@pytest.fixture(scope="module")
def here():
    """Training in this process."""
    with ThreadPoolExecutor(1) as executor:
        yield executor


def test_there_is_a_control_for_every_bug():
    assert {"none", *BUGS} == set(training.PROCEDURES)
    for bug in BUGS:
        assert training.positive_control(bug).bug == bug


@pytest.mark.parametrize("bug", BUGS)
@pytest.mark.slow
def test_every_bug_is_detected(bug, here):
    control = training.positive_control(bug)
    verdict = control.verdict(seed=1, executor=here)
    assert verdict.refuted
    assert verdict.confidence == 0.99
    assert verdict.scores.sampling == "independent runs"
    assert control.why
    assert control.claim == control.audit.reference


@pytest.mark.statistical
def test_dp_sgd_without_bugs_is_accused_in_at_most_the_nominal_share(here):
    """2 of 20 accused have a probability of at most 1.7% at the nominal share of 1%."""
    # Without their bugs some controls are the same audit: each has seeds of its own.
    seeds = {bug: range(place * AUDITS, (place + 1) * AUDITS) for place, bug in enumerate(BUGS)}
    accused = [
        (bug, seed)
        for bug in BUGS
        for seed in seeds[bug]
        if training.positive_control(bug).verdict(seed, corrected=True, executor=here).refuted
    ]
    assert len(accused) <= 1, accused


@pytest.mark.parametrize("bug", BUGS)
def test_a_control_is_made_again_from_its_parameters(bug):
    audit = training.positive_control(bug).audit
    again = training.make_audit(audit.parameters)
    rows = [one.score_model(0, one.generator(5, 0)).score[0] for one in (audit, again)]
    assert rows[0] == rows[1]


def test_the_corrected_audit_differs_in_the_bug_alone():
    control = training.positive_control("scaled-noise")
    corrected = control.corrected.parameters
    with_bug = control.audit.parameters
    assert corrected["settings"].pop("bug") == "none"
    assert with_bug["settings"].pop("bug") == "scaled-noise"
    assert corrected == with_bug


@pytest.mark.parametrize("bug", ["none", "same_seed", ""])
def test_an_unknown_bug_is_refused(bug):
    with pytest.raises(ValueError, match="bug must be one of"):
        training.positive_control(bug)


def test_a_bad_confidence_is_refused_before_models_are_trained(here):
    with pytest.raises(ValueError, match="confidence"):
        training.positive_control("no-noise").verdict(confidence=99, executor=here)
