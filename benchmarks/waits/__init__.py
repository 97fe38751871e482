"""The places where people wait: each measured beside a peer, in processes of their own.

Modules: measuring (what a wait is, CPU seconds of processes), starting (the server), commands
(the command line, the first ε), moves (sliders, visitors), tables (score tables), files (csv,
parquet, dask), synthetic (audits of synthetic tables), growth (exponents from 10⁴ to 10⁷ scores),
reports (reports, one-run bounds), record (all of them, and what was measured before).
"""
