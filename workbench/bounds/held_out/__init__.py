"""Bounds tuned on one part of the scores and measured on the rest.

`held_out` chooses a threshold, `ordering` learns how to rank records.
"""
