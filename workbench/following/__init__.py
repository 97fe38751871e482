"""Audits of score files that grow: what arrived, the anytime bounds, and a claim that is tested.

`following` reads and updates, `evidence` tests a claim (also on scores that are all there), `state`
is what is known at a moment, and `follow` yields it in notebooks.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
