"""The dicts that a chart consists of, in plotly's format with colors as roles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: A trace, a shape, an annotation, or a part of one.
Part = dict[str, Any]
Trace = dict[str, Any]
Shape = dict[str, Any]
Label = dict[str, Any]

#: An axis; made by `workbench.figures.kit.axes`, and read by `chart` and the renderers only.
Axis = dict[str, Any]

#: Axes, shapes, annotations, margins, and the summary in ``["meta"]["summary"]``.
Layout = dict[str, Any]

#: ``{"data": [traces], "layout": layout}``, as `workbench.figures.kit.layout.chart` makes it.
Figure = dict[str, Any]

#: One of these that is only read.
Read = Mapping[str, Any]
