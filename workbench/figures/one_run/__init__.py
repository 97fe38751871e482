"""Charts of audits with one training run.

`audit` has one audit, `growth` more canaries, `ranks` canaries with many values, `reference` the
value that bounds are compared with.
"""
