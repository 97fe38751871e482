"""A bound on one quantity, or one claim, fixed before the scores are seen; all thresholds at once.

`one_question` has the bound and its proof, `crossing` the probability on which it rests.
"""
