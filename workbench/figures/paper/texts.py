"""Texts of a chart for matplotlib, which has another markup than plotly.

The only markup that figures use is that of powers of ten. Numbers such as 1e-5 are written as
powers of ten as well; all else, such as the name of a data set with signs that mean something
elsewhere, is shown as it is, and signs that no font has by their names.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_POWER = re.compile(r"10<sup>(−?)(\d+)</sup>")
#: A number such as 3.16e-5.
_SCIENTIFIC = re.compile(r"(?<![\w.])(\d(?:\.\d+)?)e(-?\d+)(?![\w.])")

#: Characters of the longest text; names of data sets may have thousands.
LONGEST = 80


def plain(text: str) -> str:
    """A text in one line, with powers of ten as ``10^−4``."""
    return " ".join(_POWER.sub(r"10^\1\2", text).split())


def written(text: str) -> str:
    """A text for matplotlib, in which an unescaped dollar sign begins a formula."""
    line = " ".join(text.split())
    if len(line) > LONGEST:
        line = line[: LONGEST - 1] + "…"
    if not line.isascii():
        line = "".join(sign if _has_glyph(sign) else f"[{_named(sign)}]" for sign in line)
    escaped = line.replace("$", r"\$")
    powers = _POWER.sub(lambda found: _formula(f"10^{{{found[1] and '-'}{found[2]}}}"), escaped)
    return _SCIENTIFIC.sub(_number, powers)


@cache
def _has_glyph(sign: str) -> bool:
    """Whether DejaVu, to which all families fall back, has a sign."""
    from matplotlib import font_manager

    font = font_manager.get_font(font_manager.findfont("DejaVu Sans"))
    return bool(font.get_char_index(ord(sign)))


def _named(sign: str) -> str:
    return unicodedata.name(sign, f"U+{ord(sign):04X}").lower()


def _number(found: re.Match[str]) -> str:
    power = f"10^{{{int(found[2])}}}"
    return _formula(power if found[1] == "1" else rf"{found[1]} \times {power}")


def _formula(inside: str) -> str:
    return rf"$\mathdefault{{{inside}}}$"
