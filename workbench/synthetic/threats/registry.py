"""`THREATS`: the threats that an audit measures, by name."""

from __future__ import annotations

from workbench.synthetic.threats.base import Measure

#: Name -> measure.
THREATS: dict[str, Measure] = {}
