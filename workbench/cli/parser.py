"""`CommandParser`: the argument parser of all commands, whose errors propose what was meant."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from workbench.scores.refusals import did_you_mean

_CHOICE = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)$", re.DOTALL)


class CommandParser(argparse.ArgumentParser):
    """An argument parser that proposes the nearest option or choice for one that it does not know.

    A command refuses its unknown options itself, and so with its own usage.
    """

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """As in the base class, but without unknown arguments: they are an error here."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = [word.split("=")[0] for word in unknown if word.startswith("-")]
            hints = [did_you_mean(word, self._option_string_actions) for word in options]
            self.error(f"unrecognized arguments: {' '.join(unknown)}{''.join(hints[:1])}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, and exit with status 2."""
        match = _CHOICE.search(message)
        if match:
            message += did_you_mean(match[1], re.findall(r"'([^']*)'", match[2]))
        super().error(message)
