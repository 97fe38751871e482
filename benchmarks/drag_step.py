"""What a step of a drag visits, from the frame of the socket to the message: modules, calls, CPU.

python -m benchmarks drag_step
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from helpers.traces import drag_steps  # noqa: E402

#: Pages and sliders, and the calls that a step of each may take.
SLIDERS = {
    ("scores", "threshold"): 1040,
    ("scores", "bin_width"): 1740,
    ("scores", "log_delta"): 1040,
    ("counts", "log_prior"): 500,
}


def main() -> list[tuple[str, str, str]]:
    """Rows: what, measured, target; the modules of the first slider in their order."""
    rows, ways = [], []
    for (page, name), most in SLIDERS.items():
        traces = drag_steps(page, name)
        least = min(traces, key=lambda trace: trace.calls)
        cpu = min(trace.cpu for trace in traces)
        slider = f"{page}, {name}"
        rows += [
            (f"{slider}: calls", f"{least.calls:,}", f"≤ {most:,}"),
            (f"{slider}: modules", f"{len(least.modules)}", ""),
            (f"{slider}: modules on the way", f"{len(least.way)}", "≤ 25"),
            (f"{slider}: CPU of server and browser", f"{1e3 * cpu:.1f} ms", ""),
        ]
        ways.append((slider, least))
    slider, least = ways[0]
    calls = least.calls_of
    return [*rows, *((f"  {module}", f"{calls[module]} calls", slider) for module in least.modules)]
