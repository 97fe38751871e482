"""Scores from training: DP-SGD on small networks, and audits of what it leaks.

::

    from workbench import training

    data = training.labeled_data("digits").take(range(500))
    settings = training.DPSGDSettings(
        training.Network((64, 32, 10)), steps=50, sample_rate=0.1, noise_multiplier=1.0,
        expected_batch=50,
    )
    audit = training.BlackBox(settings, data, models=200)
    run = training.run_training_audit(audit, seed=0)
    run.result                     # Scores, a OneRun or a ScoreTable
    audit.reference.epsilon(1e-5)  # what the accountant says

- `dp_sgd`: settings, networks and data; procedures with one mistake each.
- `audits`: what is trained, and what is scored; `runs`: training many models, by plans and into
  folders.
- `controls`: for every bug an audit that detects it.
- `best_of`: the best of many trainings, chosen by a score.
- `canaries`: simulated releases with many random canaries.

The noise is not cryptographically secure: the models are for audits, not for release.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
