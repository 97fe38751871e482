"""Mechanisms to test: private ones, and broken ones from the literature.

- `base`: `Mechanism`, a function with its claim, and `Domain`, the datasets that it takes.
- `gallery`: every mechanism by name; to add one, write its function and add it there.
- `counts`, `means`, `selection`, `svt`, `gradient_descent`: their functions by subject;
  `datasets` reads what they are given.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
