"""Pages as objects of Python, to read, set and show wherever Python shows something.

`explore` makes views. A `view` has the controls and numbers of a page as `attributes`, with the
names and values of Python (`settings`), and `observers`; `parts` are what it shows of the page. The
rooms `jupyter` and `panel` carry its `messages` to a browser. Its turns run on the `kernel_queue`.
`opening` is the address at which the dashboard shows it.
"""

from workbench import _names
from workbench.software.extras import check

check("param", "views of pages need", extra="lab")

__getattr__, __dir__, __all__ = _names.attach(__name__)
