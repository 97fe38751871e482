"""The page "Operations" of the documentation says what the program has."""

from __future__ import annotations

import argparse
import re

from helpers.servers import ROOT

from workbench.cli import _parser
from workbench.server.operations import metrics

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def options():
    """All options of the commands that the page is about."""
    found = {"--json"}
    parsers = [commands(_parser())[name] for name in ("serve", "backup", "restore", "users")]
    for parser in parsers:
        found.update(option for action in parser._actions for option in action.option_strings)
        parsers.extend(commands(parser).values())
    return found


def commands(parser):
    """The commands of a parser, by name."""
    groups = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    return {name: one.complete() for group in groups for name, one in group.choices.items()}


def test_every_option_that_it_names_is_one():
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE))
    others = {"--format", "--file"}  # of pg_dump
    assert named - others <= options()
    assert {"--config", "--log-format", "--log-level", "--stop-within"} <= named


def test_every_limit_is_named():
    limits = {option for option in options() if option.startswith("--max-")}
    assert limits <= set(re.findall(r"--max-[a-z-]+", PAGE))


def test_every_metric_that_it_names_is_one_and_none_is_missing():
    there = {one.name for one in metrics.REGISTRY.collect() if one.name.startswith("workbench")}
    named = {
        name.removesuffix("_total").removesuffix("_bucket")
        for name in re.findall(r"\bworkbench_[a-z_]+", PAGE)
    }
    assert named == there
