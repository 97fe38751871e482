"""DP-SGD for small dense networks: many models in a short time, on one core each.

`network` has the models and their gradients, `data` what they are trained on, `canary_gradients`
what an auditor inserts, `step_gradients` both in a batch. `procedure` is the mechanism:
sampling, clipping, noise and division; `bugs` has procedures with one mistake each. `optimizers`
apply what is released, and `dp_sgd` trains.

The noise comes from numpy's generators, which are not cryptographically secure: the trained models
are for audits, not for release.
"""
