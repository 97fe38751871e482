"""Texts of a chart for matplotlib, which has another markup than plotly.

The only markup that figures use is that of powers of ten; all else, such as the name of a data set
with signs that mean something elsewhere, is shown as it is.
"""

from __future__ import annotations

import re

_POWER = re.compile(r"10<sup>(−?)(\d+)</sup>")

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
    found = _POWER.split(line)  # text, sign, digits, text, ...
    made = [_escaped(found[0])]
    for sign, digits, after in zip(found[1::3], found[2::3], found[3::3], strict=True):
        power = digits if not sign else f"-{digits}"
        made += [rf"$\mathdefault{{10^{{{power}}}}}$", _escaped(after)]
    return "".join(made)


def _escaped(text: str) -> str:
    return text.replace("$", r"\$")
