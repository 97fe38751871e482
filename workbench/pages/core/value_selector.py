"""`ValueSelector`, whose setting is the value, `DataSelector`, `GroupedSelector`: choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


class GroupedSelector(param.Selector):
    """Parameter type of a choice whose options stand under headings.

    Attributes
    ----------
    groups : mapping
        Label of an option -> its heading. Options of one heading follow each other; those without
        one stand by themselves.
    """

    __slots__ = ["groups"]

    def __init__(
        self,
        default: Any = param.Undefined,
        *,
        groups: Mapping[str, str] | None = None,
        **more: Any,
    ):
        self.groups: Mapping[str, str] = groups or {}
        super().__init__(default=default, **more)


class DataSelector(param.Selector):
    """Parameter type of a choice of which the data in view rule some out.

    Attributes
    ----------
    refused : mapping
        Value that cannot be chosen -> why, in a few words. Setting it raises ValueError.
    """

    __slots__ = ["refused"]

    def __init__(self, default: Any = param.Undefined, **more: Any):
        self.refused: Mapping[Any, str] = {}
        super().__init__(default=default, **more)

    def every(self) -> dict[str, Any]:
        """All choices by their labels, those that are refused too."""
        return dict(super().get_range())

    def get_range(self) -> dict[str, Any]:
        """The choices by their labels, without those that are refused."""
        return {name: value for name, value in self.every().items() if value not in self.refused}

    def _validate(self, val: Any) -> None:
        super()._validate(val)
        why = self.refused.get(val)
        if why:
            chosen = next(name for name, value in self.every().items() if value == val)
            raise ValueError(f"{self.label} cannot be {chosen}: {why}")
