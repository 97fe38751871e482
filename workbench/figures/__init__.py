"""Charts: functions from results to plain dicts in plotly's format.

One module per page or subject. Charts speak the vocabulary of `kit` and know no front end; they
compute no statistics.
"""
