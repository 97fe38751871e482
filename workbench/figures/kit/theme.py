"""Color roles and the palettes that paint them, for light and for dark pages.

Figures name colors by role: ``"@p"``, ``"@q/.12"`` (with an opacity), ``"@ink"``. A renderer
paints them in its palette, so that a figure is described once.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from workbench import _checks

#: Role -> color. P and Q differ in hue and lightness, and curves in dash and direct label too.
LIGHT = {
    "p": "#0B63B5",
    "q": "#B4530A",
    "ink": "#1A1D21",
    "muted": "#5B6470",
    "grid": "#E6E9ED",
    "paper": "#FFFFFF",
    "page": "#F6F7F9",
    "line": "#D5DAE0",
    "good": "#1B7F3B",
    "warn": "#B4530A",
    "bad": "#B3261E",
    "fit": "#7A3E9D",
}
DARK = {
    "p": "#6CB6FF",
    "q": "#FFA657",
    "ink": "#E8EBEE",
    "muted": "#9AA4B0",
    "grid": "#2B3036",
    "paper": "#1C1F23",
    "page": "#14171A",
    "line": "#3A4048",
    "good": "#6FD08C",
    "warn": "#FFA657",
    "bad": "#FF8A80",
    "fit": "#D2A8FF",
}

FONT = "Roboto, Inter, system-ui, -apple-system, 'Segoe UI', sans-serif"

PALETTES = {"light": LIGHT, "dark": DARK}

_ROLE = re.compile(r"^@([a-z]+)(?:/(0?\.\d+|1|0))?$")


def palette(theme: Literal["light", "dark"] = "light") -> dict[str, str]:
    """Colors of the workbench's charts by role, for charts of your own.

    Parameters
    ----------
    theme : {"light", "dark"}
        The page that the chart is for.

    Returns
    -------
    dict of str to str
        Role -> hexadecimal color: "p" and "q" for the two groups of scores, "fit" for fitted
        curves, "good", "warn" and "bad", "ink" and "muted" for texts, and the colors of the page.

    Raises
    ------
    ValueError
        Another theme.

    Examples
    --------
    >>> wb.palette()["p"]
    '#0B63B5'
    """
    return dict(PALETTES[_checks.one_of(theme, "theme", PALETTES)])


def color(role: str, palette: dict[str, str]) -> str:
    """The color of a role.

    Parameters
    ----------
    role : str
        Such as ``"@p"`` or ``"@p/.2"``; other texts come back unchanged.
    palette : dict
        Role -> color.

    Raises
    ------
    ValueError
        A role that the palette lacks.
    """
    match = _ROLE.match(role)
    if match is None:
        return role
    name, opacity = match.groups()
    if name not in palette:
        raise ValueError(f"no color role {name!r}; there are {', '.join(palette)}")
    if opacity is None:
        return palette[name]
    red, green, blue = (int(palette[name][i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{float(opacity):g})"


def paint(figure: Any, palette: dict[str, str]) -> Any:
    """A copy of a figure dict with colors in place of color roles.

    Parameters
    ----------
    figure : dict, list or value
    palette : dict
        Role -> color.
    """
    if isinstance(figure, dict):
        return {key: paint(value, palette) for key, value in figure.items()}
    if isinstance(figure, list | tuple):
        return [paint(value, palette) for value in figure]
    if isinstance(figure, str) and figure.startswith("@"):
        return color(figure, palette)
    return figure
