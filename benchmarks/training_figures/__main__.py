"""The command line of the figures."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.training_figures import GROUPS, rows
from benchmarks.training_figures.row import table


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.training_figures",
        description="Make the figures of the papers again that need training.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(GROUPS)}")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the models (default: 1)")
    parser.add_argument("--out", type=Path, default=Path("build", "training-figures"))
    given = parser.parse_args()
    for name in set(given.names) - set(GROUPS):
        parser.error(f"no figures {name!r}; there are {', '.join(GROUPS)}")
    if not 0 < given.scale <= 1:
        parser.error(f"--scale must lie in (0, 1], got {given.scale}")
    for name in given.names or GROUPS:
        print(f"\n{name}\n\n{table(rows((name,), given.scale, given.out))}", flush=True)
    print(f"\nThe charts are in {given.out}.")


if __name__ == "__main__":
    main()
