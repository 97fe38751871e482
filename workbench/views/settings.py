"""Settings of a page under the names and with the values of Python: δ, where a page keeps log₁₀ δ.

What a setting does not take is refused in words of the library, not of param.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import param

from workbench import _checks
from workbench._names import did_you_mean
from workbench.pages.core.page import Page
from workbench.pages.core.sliders import LogNumber, number_of, taken

#: How param begins the messages of its own checks.
_OF_PARAM = re.compile(r"\w+ parameter '[\w.]+'")


def plain_names(page: Page) -> dict[str, str]:
    """Names of numbers that the page keeps as logarithms, without "log_", and its names for them.

    Those that the page uses for something else are left out.
    """
    used = {item.name for item in page.items()} | page.jobs().keys() | {*page.param}
    named = {
        name.replace("log_", "", 1): name
        for name in page.control_names()
        if name in page.param and isinstance(page.param[name], LogNumber)
    }
    return {plain: name for plain, name in named.items() if plain not in used}


def plain_value(page: Page, name: str) -> float | int:
    """The number itself of a setting that the page keeps as a logarithm."""
    found = number_of(getattr(page, name))
    return round(found) if page.param[name].whole else found


def translated(page: Page, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings under the names of the page, logarithms of those of `plain_names`.

    Raises
    ------
    ValueError
        A number that is not positive, or a setting under both names.
    """
    plain = plain_names(page)
    found: dict[str, Any] = {}
    for name, value in settings.items():
        if name in plain:
            if plain[name] in settings:
                raise ValueError(f"state {name} or {plain[name]}, not both")
            found[plain[name]] = _log10(name, value)
        else:
            found[name] = value
    return found


@contextmanager
def in_words(page: Page, settings: Mapping[str, Any]) -> Iterator[None]:
    """Say in words of the library what a page does not take of settings that are set meanwhile.

    Numbers may lie beyond the slider, as typed ones on the page, but not beyond their bounds.

    Raises
    ------
    ValueError
        A value that a setting does not take; the message says what it takes.
    """
    for name, value in settings.items():
        if name in page.param and _is_number(page.param[name]) and value is not None:
            _number(page, name, value)
    try:
        yield
    except ValueError as error:
        # Of several, the first that is refused: param does not say which one it was.
        said = (_refusal(page, n, v, error) for n, v in settings.items() if n in page.param)
        raise ValueError(next(filter(None, said), str(error))) from None


def _is_number(parameter: Any) -> bool:
    return isinstance(parameter, param.Number) and not isinstance(parameter, param.Boolean)


def _log10(name: str, value: Any) -> float:
    number = _checks.number(value, name)
    if number <= 0:
        raise ValueError(
            f"{name} must be above 0, as the page has a logarithmic slider; got {value}"
        )
    return math.log10(number)


def _number(page: Page, name: str, value: Any) -> None:
    """Refuse what is no number, NaN or ∞, whatever the bounds are, which may follow from others."""
    parameter = page.param[name]
    kind: Any = param.Integer if isinstance(parameter, param.Integer) else param.Number
    try:
        taken(kind(label=parameter.label), value, typed=True)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _refusal(page: Page, name: str, value: Any, error: ValueError) -> str:
    """Why a setting does not take a value; "" where it does, or where that is not known."""
    parameter: Any = page.param[name]
    if _is_number(parameter):
        try:
            taken(parameter, value, typed=True)
        except ValueError as refused:
            plain = {log: number for number, log in plain_names(page).items()}
            return f"{plain.get(name, name)}: {refused}"
        return ""
    if f"{type(page).__name__}.{name}'" not in str(error) or not _OF_PARAM.match(str(error)):
        return ""  # it is about another setting, or has our words already
    if isinstance(parameter, param.Selector):
        choices = list(parameter.objects)
        listed = ", ".join(map(repr, choices))
        meant = did_you_mean(value, [c for c in choices if isinstance(c, str)], repr)
        return f"{name} must be one of {listed}; got {_checks.shown(value)}{meant}"
    if isinstance(parameter, param.Boolean):
        return f"{name} must be True or False; got {_checks.shown(value)}"
    return _OF_PARAM.sub(name, str(error), count=1)
