"""`Notice`: the parameter of a button that asks the browser whether it may notify."""

from __future__ import annotations

import param


class Notice(param.Event):
    """Parameter type of a button that asks the browser whether it may show notifications.

    Only the browser asks, and only when a person presses it. The page does not hear of it.
    """
