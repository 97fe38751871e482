"""Audits of one pipeline over time, with one error budget over all of them.

`spending` divides the budget, with the proof; `audit_series` is what a series knows of its audits,
and `kept` has the series in the database.
"""
