"""Charts of audits with one training run.

`audit` has one audit, `growth` more canaries, `reference` the value that bounds are compared with.
"""
