"""Charts of two score samples.

`curves` has histograms, trade-off curve, privacy profile and μ at every threshold; `refutation`
magnifies where a claim fails, `fits` shows what estimates leave over, and `readings` posterior mass
and exposure.
"""
