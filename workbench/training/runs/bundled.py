"""Bundled plans of training runs, by name."""

from __future__ import annotations

from pathlib import Path

from workbench.scores.examples import data_folder


def plans() -> tuple[str, ...]:
    """Names of the bundled plans; `workbench.training.read_plan` reads one."""
    return tuple(sorted(path.stem for path in _folder().glob("*.toml")))


def plan_file(name: str) -> Path:
    """The file of a bundled plan.

    Parameters
    ----------
    name : str
        One of `plans`.
    """
    return _folder() / f"{name}.toml"


def _folder() -> Path:
    return data_folder() / "plans"
