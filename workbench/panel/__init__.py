"""Views as components of Panel, for apps and notebooks of people's own.

`dashboard` makes pages to serve. A `view` is a Viewer of Panel, and a `component` its part in the
browser, whose turns run on the `document_loop`. `numbers` are shown live, too.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
