"""Settings that several pages share.

`pair` and `reference` choose distributions, `claim` a claim, `scores` and
`score_source` choose score samples.
"""
