"""The command ``python -m benchmarks text``."""

from __future__ import annotations

from benchmarks.text import audits

#: Name -> its heading and its rows.
TABLES = {
    "audits": (audits.HEADING, audits.main),
}


def command(wanted: list[str]) -> int:
    """Print the tables that are named, or all."""
    from benchmarks.__main__ import print_tables

    return print_tables(TABLES, wanted)
