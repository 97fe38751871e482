"""The look of charts on paper: colors, dashes, fonts.

Colors differ in lightness as well as in hue, so that a chart survives a gray printer and color
blindness; where two curves of a chart are nearly equally light, `dashes` gives one another dash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.figures.kit.types import Read

#: Role -> color on white paper.
PRINT = {
    "p": "#06397F",
    "q": "#D95F02",
    "ink": "#000000",
    "muted": "#6B6B6B",
    "grid": "#E4E4E4",
    "paper": "#FFFFFF",
    "page": "#FFFFFF",
    "line": "#4D4D4D",
    "good": "#27AD83",
    "warn": "#D95F02",
    "bad": "#B3202C",
    "fit": "#7B3FA0",
}

#: Points per pixel of a chart whose letters, 12 pixels high on the screen, have the size 1.
PER_PIXEL = 1 / 12

#: Dash -> lengths of strokes and gaps in line widths; the last two serve only `dashes`.
DASHES: dict[str, tuple[float, ...]] = {
    "solid": (),
    "dash": (4.5, 2.0),
    "dot": (1.0, 1.6),
    "dashdot": (5.0, 1.6, 1.0, 1.6),
    "longdash": (8.5, 2.0),
    "dashdotdot": (5.0, 1.6, 1.0, 1.6, 1.0, 1.6),
}

#: Two curves of the same dash differ in gray by so many steps of lightness (of 100), or by this
#: ratio of their widths.
LEAST_SHADES, LEAST_RATIO = 12, 1.5

#: Letters are at most that light.
LETTERS = 45

#: Size of the letters in points; the text of a paper has 9 or 10.
SIZE = 8.0

#: Family -> its fonts. The first serif and the last sans come with matplotlib, so that a figure
#: looks the same everywhere; STIX has the letters of Times, DejaVu all signs that others lack.
FONTS = {
    "serif": ("STIXGeneral", "DejaVu Sans"),
    "sans": ("Arial", "Liberation Sans", "DejaVu Sans"),
}
_MATHEMATICS = {"serif": "stix", "sans": "dejavusans"}


def settings(family: str) -> dict[str, Any]:
    """Settings of matplotlib for a figure of a paper.

    Parameters
    ----------
    family : {"serif", "sans"}
    """
    from matplotlib import font_manager

    known = {font.name for font in font_manager.fontManager.ttflist}
    return {
        "font.family": [name for name in FONTS[family] if name in known],
        "font.size": SIZE,
        "mathtext.fontset": _MATHEMATICS[family],
        "axes.unicode_minus": True,
        "text.usetex": False,
        "path.simplify": True,
        # TrueType, not Type 3, which publishers refuse; letters as outlines in SVG, since a
        # word processor or browser would replace fonts that it does not have.
        "pdf.fonttype": 42,
        "pdf.compression": 6,
        "svg.fonttype": "path",
        "svg.hashsalt": "workbench",
    }


_HEX = re.compile(r"#[0-9A-Fa-f]{6}$")
_PARTS = re.compile(r"rgba?\(([\d., ]+)\)$")

#: Color, dash on the screen and width in pixels: how a curve looks.
Kind = tuple[str, str, float]


def dashes(strokes: Iterable[Mapping[str, Any]]) -> dict[Kind, str]:
    """The dash of each kind of curve, so that all differ in gray.

    Parameters
    ----------
    strokes : iterable of mapping
        ``line`` of plotly's traces, in colors.

    Returns
    -------
    dict
        Kind -> key of ``DASHES``. A dash changes only where a curve that is at least as wide has
        the same and is nearly as light.
    """
    chosen: dict[Kind, str] = {}
    kinds = dict.fromkeys(map(kind_of, strokes))
    for kind in sorted(kinds, key=lambda kind: -kind[2]):
        near = {dash for other, dash in chosen.items() if alike(kind, other)}
        free = [dash for dash in (kind[1], *DASHES) if dash not in near]
        chosen[kind] = free[0] if free else kind[1]
    return chosen


def kind_of(stroke: Read) -> Kind:
    """The kind of a stroke; a faded continuation of a curve is of the curve's kind."""
    color = "#" + "".join(f"{round(255 * part):02X}" for part in rgba(stroke["color"])[:3])
    return color, stroke.get("dash", "solid"), float(stroke["width"])


def alike(one: Kind, other: Kind) -> bool:
    """Whether two curves would look the same in gray if they had the same dash."""
    if one[0] == other[0] and one[1] == other[1]:
        return False  # two ends of one band: they look the same on the screen, too
    widths = sorted((one[2], other[2]))
    shades = abs(lightness(one[0]) - lightness(other[0]))
    return shades < LEAST_SHADES and widths[1] < LEAST_RATIO * widths[0]


def of_letters(color: str) -> tuple[float, float, float, float]:
    """A color dark enough for letters; white ones, which stand on dark ground, stay.

    Parameters
    ----------
    color : str
        See `rgba`.
    """
    red, green, blue, opacity = rgba(color)
    shade = lightness(color)
    if not LETTERS < shade < 90:
        return red, green, blue, opacity
    darker = (LETTERS / shade) ** 1.2
    return red * darker, green * darker, blue * darker, opacity


def lightness(color: str) -> float:
    """CIE lightness L* of a color, from 0 (black) to 100 (white)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgba(color)[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    if luminance > 216 / 24389:
        return float(116 * luminance ** (1 / 3) - 16)
    return float(luminance * 24389 / 27)


def rgba(color: str) -> tuple[float, float, float, float]:
    """Red, green, blue and opacity of a color, from 0 to 1.

    Parameters
    ----------
    color : str
        As `workbench.figures.kit.theme.color` returns it: "#0A4C96" or "rgba(10,76,150,0.2)". Of
        figures that somebody changed also "rgb(10,76,150)" and what matplotlib knows: "red".
    """
    if _HEX.match(color):
        red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return red, green, blue, 1.0
    if found := _PARTS.match(color):
        parts = [float(part) for part in found[1].split(",")]
        red, green, blue, opacity = [*parts, 1.0][:4]
        return red / 255, green / 255, blue / 255, opacity
    from matplotlib.colors import to_rgba

    red, green, blue, opacity = to_rgba(color)
    return red, green, blue, opacity
