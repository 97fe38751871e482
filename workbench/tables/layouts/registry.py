"""`LAYOUTS`: the layouts of score tables, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.tables.layouts.arrays import Arrays
from workbench.tables.layouts.base import TableLayout
from workbench.tables.layouts.lira import LiraFolder
from workbench.tables.layouts.long_form import LongForm
from workbench.tables.layouts.privacy_guard import PrivacyGuardFrames
from workbench.tables.layouts.privacy_meter import PrivacyMeterFolder
from workbench.tables.layouts.shadow_statistics import ShadowStatistics
from workbench.tables.layouts.vulnerability_matrix import VulnerabilityMatrix
from workbench.tables.layouts.wide_form import WideForm

#: By name. The long form comes before layouts whose files are read as a whole to be recognized.
LAYOUTS: Mapping[str, TableLayout] = {
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
