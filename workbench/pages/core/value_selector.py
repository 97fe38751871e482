"""`ValueSelector`: a selector whose setting is the value itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param


class ValueSelector(param.Selector):
    """Parameter type of a choice whose setting is its value: what people read may change."""

    def setting(self, value: Any) -> Any:
        """The value."""
        return value

    def from_setting(self, setting: Any, file: Callable[[str], bytes | None]) -> Any:
        """The value of a `setting`; whether it is one is checked when it is set.

        Parameters
        ----------
        setting : object
            See `setting`.
        file : callable
            Not used.
        """
        return setting
