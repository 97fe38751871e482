"""Charts of two score samples.

`curves` has histograms, trade-off curve, privacy profile and μ at every threshold; `refutation`
magnifies where a claim fails, `fits` shows what estimates leave over, `over_steps` is the profile
of many steps, and `readings` has posterior mass and exposure.
"""
