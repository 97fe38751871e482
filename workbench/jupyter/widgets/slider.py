"""`Slider`: a slider with a number field, as the dashboard has it."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets


class Slider(anywidget.AnyWidget):
    """Widget that ``slider.js`` draws: a slider, and its number, which can also be typed.

    ``scale`` holds the ends ``low`` and ``high``, the ``step`` and its ``decimals``. With ``log``,
    "real" or "whole" numbers, ``value`` is the log₁₀ of what is shown and typed. A typed number may
    lie beyond the ends.
    """

    _esm = (Path(__file__).parent / "slider.js").read_text(encoding="utf-8")

    description = traitlets.Unicode("").tag(sync=True)
    scale = traitlets.Dict().tag(sync=True)
    value = traitlets.Float(0.0).tag(sync=True)
