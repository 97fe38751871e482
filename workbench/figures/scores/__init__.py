"""Charts of two score samples.

`curves` has histograms, trade-off curve, privacy profile and μ at every threshold; `refutation`
magnifies where a claim fails, and `fits` shows what estimates leave over.
"""
