"""Audits of synthetic tables: false bounds, power, other packages beside ours, real generators.

python -m benchmarks synthetic [level | power | peers | generators | size]

- `level`: 1000 audits of generators whose ε is known exactly, on tables with dependent rows; it is
  kept in ``build/synthetic`` and goes on where it was interrupted.
- `power`: bounds on generators that copy 1, 3 and 10% of their rows, with noise; `peers` shows what
  anonymeter and SDMetrics say of the same tables.
- `generators`: SDV's Gaussian copula and CTGAN, and MST and AIM of dpmm.
- `size`: CPU seconds and memory of an audit of 10⁵ × 20 cells.

Other packages run in environments of their own, as they need other versions of numpy; the variables
``ANONYMETER_PYTHON``, ``SDV_PYTHON`` and ``DPMM_PYTHON`` name their interpreters, and what is not
there is left out. `tables` draws the tables, and `environments` runs the scripts
``_in_anonymeter.py``, ``_in_sdv.py`` and ``_in_dpmm.py`` there.
"""
