"""`OpenBrowsers`: the open documents of a visitor, and what is shown in all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Reader(Protocol):
    """An open document of a visitor."""

    def tell(self, **entries: Any) -> None:
        """Send a message that is not about one page."""


class OpenBrowsers:
    """The open documents of a visitor.

    Attributes
    ----------
    readers : list of Reader
    entries : mapping of str to callable
        What they show that is not about one page, such as the data sets; by name.
    """

    def __init__(self) -> None:
        self.readers: list[Reader] = []
        self.entries: Mapping[str, Callable[[], Any]] = {}

    def tell(self, **entries: Any) -> None:
        """Send a message that is not about one page."""
        for reader in list(self.readers):
            reader.tell(**entries)

    def state(self, *names: str) -> dict[str, Any]:
        """Present values of `entries`, all by default."""
        return {name: self.entries[name]() for name in names or self.entries}

    def show(self, *names: str) -> None:
        """Send present values of `entries`."""
        if self.readers:
            self.tell(bench=self.state(*names))
