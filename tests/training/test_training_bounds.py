"""How much of the accountant's μ is found; `benchmarks/training_bounds.py` has the full sizes."""

from concurrent.futures import ThreadPoolExecutor

import workbench as wb
from workbench import training

DIGITS = training.labeled_data("digits")


def test_many_canaries_in_one_model_show_most_of_the_accountants_mu():
    settings = training.DPSGDSettings(
        training.Network((64, 140, 10)), 100, 0.05, 1.0, expected_batch=10, optimizer="sgd"
    )
    audit = training.WhiteBoxOneRun(settings, DIGITS.take(slice(0)), 1, canaries=8000)
    scores = audit.collect(audit.score_model(0, audit.generator(0, 0)))
    bound = wb.mu_lower_bound(scores)
    assert 0.65 < bound.value / audit.reference.gdp_mu() < 1
    assert bound.assumption == "one run"


def test_final_models_show_most_of_it_where_the_initial_weights_are_the_worst():
    """A blank record at weights that know all others, in full batches; ε = 10."""
    noise = wb.noise_multiplier_for(epsilon=10, delta=1e-5, sample_rate=1, steps=10)
    settings = training.DPSGDSettings(
        training.Network((64, 32, 10)),
        steps=10,
        sample_rate=1,
        noise_multiplier=noise,
        expected_batch=20,
        learning_rate=0.1,
        optimizer="sgd",
    )
    audit = training.BlackBox(
        settings,
        DIGITS.take(slice(0, 20)),
        models=600,
        record=training.AuditedRecord("blank"),
        initial=training.InitialWeights("pretrained"),
    )
    with ThreadPoolExecutor(1) as executor:
        scores = training.run_training_audit(audit, executor=executor).result
    bound = wb.mu_lower_bound(scores)
    assert 0.5 < bound.value / audit.reference.gdp_mu() < 1
    assert bound.assumption == "independent runs"
