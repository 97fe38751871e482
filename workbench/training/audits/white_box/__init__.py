"""Audits that see all noisy gradients of a training.

`white_box` has one canary in each of many models, `white_box_one_run` many canaries in one model.
Both score by `step_statistics`.
"""
