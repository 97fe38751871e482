"""From raw outputs to what a tester measures.

`encoding` checks outputs and turns them into numbers, `fit_split` divides them, `log_ratio` and
`chebyshev` learn log(p/q), `histogram_of_outputs` bins them for charts.
"""
