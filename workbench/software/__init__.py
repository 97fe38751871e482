"""The software: `versions` of what numbers come from, packages of the `extras`, and `plugins`.

`private_names` has what is used of other libraries that they keep to themselves.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
