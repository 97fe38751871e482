"""`Upload`: the parameter that holds uploaded files."""

from __future__ import annotations

import param


class Upload(param.Parameter):
    """Parameter type of uploaded files; its value is a tuple of (filename, bytes).

    A file that the server was started with comes as (filename, `DataTable`): it
    was parsed once, for all visitors.
    """
