"""Settings that several pages share.

`pair` and `reference` choose distributions, `scores` and `score_source` choose score samples.
"""
