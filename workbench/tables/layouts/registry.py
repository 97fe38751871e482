"""`LAYOUTS`: the layouts of score tables, in the order in which they are tried."""

from __future__ import annotations

import warnings
from typing import Any

from workbench import _checks
from workbench.scores.sample import ScoresError
from workbench.software.plugins import PluginWarning, Registry
from workbench.tables.layouts.arrays import Arrays
from workbench.tables.layouts.base import TableLayout
from workbench.tables.layouts.lira import LiraFolder
from workbench.tables.layouts.long_form import LongForm
from workbench.tables.layouts.place import TablePlace
from workbench.tables.layouts.privacy_guard import PrivacyGuardFrames
from workbench.tables.layouts.privacy_meter import PrivacyMeterFolder
from workbench.tables.layouts.shadow_statistics import ShadowStatistics
from workbench.tables.layouts.vulnerability_matrix import VulnerabilityMatrix
from workbench.tables.layouts.wide_form import WideForm

#: Ours. The long form comes before layouts whose files are read as a whole to be recognized.
_OURS: dict[str, TableLayout] = {
    layout.name: layout
    for layout in (
        LiraFolder(),
        PrivacyMeterFolder(),
        ShadowStatistics(),
        LongForm(),
        PrivacyGuardFrames(),
        VulnerabilityMatrix(),
        Arrays(),
        WideForm(),
    )
}


def _taken(name: str, found: Any) -> TableLayout:
    """The layout of a plug-in (ValueError or TypeError that says what is wrong)."""
    layout = found() if isinstance(found, type) else found
    lacks = [one for one in ("recognizes", "read") if not callable(getattr(layout, one, None))]
    if lacks or not isinstance(getattr(layout, "about", None), str):
        raise TypeError(
            "it must have name, about, recognizes(place) and read(place, stated, report), as "
            f"wb.tables.TableLayout says; got {_checks.shown(found)}"
        )
    if layout.name != name:
        raise ValueError(f"its name is {_checks.shown(layout.name)}, which must be {name!r}")
    return layout


#: Name -> layout: ours, then those of plug-ins, in the order in which they are tried.
LAYOUTS: Registry[TableLayout] = Registry("workbench.table_layouts", _OURS, _taken)


def recognizes(name: str, place: TablePlace) -> bool:
    """Whether a folder or file is of a layout; one of a plug-in that fails says no, with a warning.

    Raises
    ------
    ScoresError
        A layout could not read the files.
    """
    try:
        return bool(LAYOUTS[name].recognizes(place))
    except ScoresError:
        raise
    except Exception as error:  # other people's code
        if name in LAYOUTS.ours:
            raise
        warnings.warn(
            f"the layout {name!r} of a plug-in failed and is passed over: "
            f"{type(error).__name__}: {error}",
            PluginWarning,
            stacklevel=3,
        )
        return False
