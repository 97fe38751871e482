"""Mechanisms to test: private ones, and broken ones from the literature.

- `base`: `Mechanism`, a function with its claim, and `Domain`, the datasets that it takes.
- `table_domain`: `TableDomain`, the data frames that it takes; `table_columns`: what their columns
  hold.
- `adapting`: functions and objects of other interfaces as mechanisms.
- `gallery`: every mechanism by name; `cards`: the cards by subject. To add one, write its function
  and add its card there.
- `counts`, `means`, `sums`, `selection`, `svt`, `svt_numbers`, `gradient_descent`,
  `floating_point`: their functions by subject; `datasets` reads what they are given.
- `local_protocols`: reports of single values, and protocols to audit by guesses.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
