"""The command line, and the first ε of a pair of many steps: what is imported is most of it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.waits.measuring import ROOT, Wait, cpu_of, printed_by

#: Scores in each group of the file that is audited.
_SCORES = 400

_NUMERICS = "import numpy, scipy.special"

#: The processor seconds of a first ε, and of that of another pair then, each after the import.
_EPSILON = """
import sys, time
import workbench as wb

for noise_multiplier in (1.0, 1.1)[: int(sys.argv[1])]:
    began = time.process_time()
    wb.DPSGDPair(noise_multiplier, 0.01, 1000).epsilon(1e-5)
print(time.process_time() - began)
"""

_THEIRS = """
import sys, time

began = time.process_time()
from dp_accounting.pld import privacy_loss_distribution

for noise_multiplier in (1.0, 1.1)[: int(sys.argv[1])]:
    if noise_multiplier != 1.0:
        began = time.process_time()
    steps = privacy_loss_distribution.from_gaussian_mechanism(noise_multiplier, sampling_prob=0.01)
    steps.self_compose(1000).get_epsilon_for_delta(1e-5)
print(time.process_time() - began)
"""


def _command(tree: Path, command: Sequence[str]) -> float:
    """CPU seconds of a command, the second time: the first one compiles a new checkout."""
    with TemporaryDirectory() as folder:
        draw = random.Random(0)
        rows = [f"{draw.gauss(m, 1)},{m}" for m in (1, 0) for _ in range(_SCORES)]
        file = Path(folder) / "scores.csv"
        file.write_text("\n".join(["score,member", *rows]), encoding="utf-8")
        words = ["-m", "workbench", *(str(file) if word == file.name else word for word in command)]
        cpu_of(words, tree=tree, home=Path(folder))
        return cpu_of(words, tree=tree, home=Path(folder))


def audit(tree: Path) -> float:
    """Of ``workbench audit scores.csv``, with the process that parses the file."""
    return _command(tree, ["audit", "scores.csv"])


def help_of_audit(tree: Path) -> float:
    """Of ``workbench audit --help``."""
    return _command(tree, ["audit", "--help"])


def numerics() -> float:
    """Of importing what the numbers need."""
    return cpu_of(["-c", _NUMERICS])


def first_epsilon(tree: Path) -> float:
    """Of the ε of DP-SGD in a new program."""
    printed_by(_EPSILON, "1", tree=tree)
    return printed_by(_EPSILON, "1", tree=tree)


def next_epsilon(tree: Path) -> float:
    """Of the ε of another pair then."""
    return printed_by(_EPSILON, "2", tree=tree)


def their_first_epsilon() -> float:
    """Of dp-accounting, with its import."""
    _require("dp_accounting")
    return printed_by(_THEIRS, "1", tree=ROOT)


def their_next_epsilon() -> float:
    """Of dp-accounting, for another mechanism then."""
    _require("dp_accounting")
    return printed_by(_THEIRS, "2", tree=ROOT)


def _require(package: str) -> None:
    """Raise ImportError where a peer is not installed."""
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise ImportError(f"{package} is not installed")


WAITS = (
    Wait(
        f"workbench audit, {_SCORES} + {_SCORES} scores",
        "at most 1.0 CPU s, 4 times the import of numpy and scipy.special",
        audit,
        peer=_NUMERICS,
        measure_peer=numerics,
    ),
    Wait(
        "workbench audit --help",
        "at most 0.5 CPU s",
        help_of_audit,
        peer=_NUMERICS,
        measure_peer=numerics,
    ),
    Wait(
        "ε of DP-SGD (σ = 1, q = 0.01, 1000 steps) in a new program",
        "at most 0.6 CPU s",
        first_epsilon,
        peer="dp-accounting",
        measure_peer=their_first_epsilon,
    ),
    Wait(
        "ε of another DP-SGD then",
        "at most 0.3 CPU s",
        next_epsilon,
        peer="dp-accounting",
        measure_peer=their_next_epsilon,
    ),
)
