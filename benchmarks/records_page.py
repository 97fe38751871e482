"""The page Records at 1000 models × 60,000 records: the ranking, and the moves after it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import workbench as wb
from workbench.assets import board
from workbench.pages.records.page import RecordsPage

MODELS, RECORDS, LEAKING = 1000, 60_000, 300

#: CPU seconds of the ranking, and CPU milliseconds of a move.
MOST_SECONDS, MOST_MILLISECONDS = 12.0, 100.0


def large_table() -> wb.ScoreTable:
    """A table with some leaking records and ten classes."""
    rng = np.random.default_rng(0)
    member = rng.random((MODELS, RECORDS)) < 0.5
    scores = rng.standard_normal((MODELS, RECORDS), dtype=np.float32)
    leaking = rng.choice(RECORDS, LEAKING, replace=False)
    scores[:, leaking] += np.float32(2.5) * member[:, leaking]
    return wb.ScoreTable(
        scores,
        member,
        attributes={"class": np.arange(RECORDS) % 10},
        sampling="independent runs",
        name="large",
    )


def draw(page: Any) -> None:
    """Everything that the page shows, as it goes to browsers."""
    for item in page.items():
        board.content(page.draw(item))


def main() -> list[tuple[str, str, str]]:
    page = RecordsPage(large_table())
    began = time.process_time()
    page.work.run("rank_records")
    rows = [
        ("ranking, CPU", f"{time.process_time() - began:.1f} s", f"{MOST_SECONDS:g} s"),
    ]
    draw(page)
    moves: dict[str, list[dict[str, Any]]] = {
        "ε₀": [{"epsilon": 0.1 * k} for k in range(1, 21)],
        "the record": [{"rank": k} for k in (2, 17, 31, 500, 59_000)],
        "the group": [{"group": name} for name in ("3", "7", "")],
        "the attribute": [{"by": name} for name in ("", "class")],
    }
    for what, steps in moves.items():
        began = time.process_time()
        for step in steps:
            page.param.update(**step)
            draw(page)
        each = 1000 * (time.process_time() - began) / len(steps)
        rows.append((f"move of {what}, CPU", f"{each:.0f} ms", f"{MOST_MILLISECONDS:g} ms"))
    return rows
