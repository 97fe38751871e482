"""Mechanisms to test: private ones, and broken ones from the literature.

- `base`: `Mechanism`, a function with its claim, and `Domain`, the datasets that it takes.
- `gallery`: every mechanism by name; to add one, write its function and add it there.
- `counts`, `means`, `selection`, `svt`, `gradient_descent`: their functions by subject;
  `datasets` reads what they are given, `floating_point` has what floats give away.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
