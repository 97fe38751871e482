"""The installed software: `versions` of what numbers come from, and packages of the `extras`."""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
