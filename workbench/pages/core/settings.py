"""The settings of a page as JSON values, and a page restored from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any

import param

from workbench.pages.core.sliders import LogNumber, displayed
from workbench.pages.core.state import PageState
from workbench.pages.core.upload import Upload

#: Passes in which `restore` sets parameters that depend on each other.
RESTORE_PASSES = 4

#: ``file(sha256)`` returns the content of an uploaded file, or None if it is not there.
Files = Callable[[str], bytes | None]

#: Parameter types that settings consist of.
KINDS = (param.Boolean, param.Number, param.String, param.Selector, Upload)


def settable(page: PageState) -> dict[str, param.Parameter]:
    """The parameters that are settings of a page, by name."""
    other = page.not_settings()
    return {
        name: parameter
        for name, parameter in page.param.objects().items()
        if isinstance(parameter, KINDS)
        and not isinstance(parameter, param.Event)
        and name not in other
    }


def restore(
    page: PageState, settings: Mapping[str, Any], order: Collection[str], file: Files
) -> list[str]:
    """Set the parameters of a page to the settings of another page of its class.

    Setting one parameter may change others, such as the threshold when the data change; hence
    several passes. Parameters without a control, such as a seed, come first and last.

    Parameters
    ----------
    page : PageState
    settings : mapping of str to object
        May come from an older version or from a stranger: unknown names and values are ignored.
    order : collection of str
        Names of the controls, in the order of the page.
    file : callable
        Finds uploaded files.

    Returns
    -------
    list of str
        Labels of the parameters that could not be restored.
    """
    known = page.settable
    hidden = [name for name in known if name not in order]
    steps = [*hidden, *(name for name in order if name in known), *hidden]
    chosen = page.independent(settings)
    wanted = {name: chosen[name] for name in known if name in chosen}
    for _ in range(RESTORE_PASSES):
        for name in steps:
            if name in wanted and page.value_of(name) != wanted[name]:
                with suppress(ValueError, TypeError, KeyError):
                    setattr(page, name, _from_setting(known[name], wanted[name], file))
    lost = [name for name in wanted if page.value_of(name) != wanted[name]]
    return [str(known[name].label) for name in lost]


def sliders(kind: type[PageState]) -> list[str]:
    """Names of the parameters of a page class that a slider shows."""
    return [
        name
        for name, parameter in kind.param.objects("existing").items()
        if isinstance(parameter, param.Number) and None not in parameter.get_soft_bounds()
    ]


def setting_text(parameter: Any, value: Any) -> str:
    """A setting as people read it.

    Parameters
    ----------
    parameter : param.Parameter or None
        None where it is not known.
    value : object
        As `Page.settings` has it.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        if isinstance(parameter, LogNumber):
            return displayed(value, log=True).replace("e-0", "e-")
        return displayed(value)
    if isinstance(value, list | tuple):
        files = (one[0] if isinstance(one, list | tuple) else one for one in value)
        return ", ".join(map(str, files)) or "none"
    return "none" if value is None or value == "" else str(value)


def _from_setting(parameter: Any, setting: Any, file: Files) -> Any:
    """The parameter's value for what `Page.settings` has; an error if there is none."""
    if hasattr(parameter, "from_setting"):
        return parameter.from_setting(setting, file)
    if isinstance(parameter, param.Selector):
        return parameter.get_range()[setting]
    return setting
