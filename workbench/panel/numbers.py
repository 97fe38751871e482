"""Numbers of a view that are results and components of Panel at once."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from workbench.bounds.bound import Bound
from workbench.pages.core.page import Fact


class _Shown:
    """Mixin of a result: Panel shows it as the view does, and it moves with the view.

    It equals the result that it stands for, and is pickled as that result.
    """

    _view: Callable[[], Any] | None = None

    def __panel__(self) -> Any:
        if self._view is None:  # computed from one that is shown, such as by `at_confidence`
            from panel.pane import Str

            return Str(str(self))
        return self._view().__panel__()

    def servable(self, *args: Any, **options: Any) -> Any:
        """Serve the number with ``panel serve``; see `View.servable`."""
        return self.__panel__().servable(*args, **options)

    def __eq__(self, other: object) -> bool:
        return bool(_plain(self) == _plain(other))

    def __hash__(self) -> int:
        return hash(_plain(self))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return copy, (_plain(self),)


class ShownBound(_Shown, Bound):
    """A `Bound` that Panel shows live."""


class ShownFact(_Shown, Fact):
    """A `Fact` that Panel shows live."""


def shown(result: Bound | Fact, view: Callable[[], Any]) -> Bound | Fact:
    """A result that Panel shows live.

    Parameters
    ----------
    result : Bound or Fact
        What it equals.
    view : callable
        Returns the view that shows it.
    """
    return _copy(result, ShownFact if isinstance(result, Fact) else ShownBound, {"_view": view})


def _plain(result: Any) -> Any:
    """The result that a shown one stands for; anything else as it is."""
    if not isinstance(result, _Shown):
        return result
    return _copy(result, Fact if isinstance(result, Fact) else Bound, {})


def _copy(result: Any, kind: type, more: dict[str, Any]) -> Any:
    copied: Any = object.__new__(kind)
    copied.__dict__.update({n: v for n, v in vars(result).items() if n != "_view"} | more)
    return copied
