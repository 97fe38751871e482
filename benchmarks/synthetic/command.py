"""The command ``python -m benchmarks synthetic``."""

from __future__ import annotations

from benchmarks.synthetic import generators, level, power, size

#: Name -> its heading and its rows.
TABLES = {
    "level": (level.HEADING, level.main),
    "power": (power.HEADING, power.main),
    "peers": (power.PEERS, power.peers),
    "generators": (generators.HEADING, generators.main),
    "size": (size.HEADING, size.main),
}


def command(wanted: list[str]) -> int:
    """Print the tables that are named, or all."""
    from benchmarks.__main__ import print_tables

    return print_tables(TABLES, wanted)
