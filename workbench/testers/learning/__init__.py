"""From raw outputs to what a tester measures.

- `outputs` checks them, `encoding` turns them into numbers, `fit_split` divides them.
- `log_ratio`, `sequences` and `chebyshev` learn estimates of log(p/q), `bits` from the digits of
  floats.
- `histogram_of_outputs` bins them for charts; `event_in_words` says which were counted.
"""
