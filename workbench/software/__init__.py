"""The installed software: `versions` of what numbers come from, and packages of the `extras`.

`private_names` has what is used of other libraries that they keep to themselves.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
