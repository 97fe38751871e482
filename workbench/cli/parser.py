"""`CommandParser`: the argument parser of all commands, whose errors propose what was meant.

`in_options` has refusals name the options of the command line.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Collection, Sequence
from pkgutil import resolve_name
from typing import Any, NoReturn

from workbench.scores.refusals import did_you_mean
from workbench.software.private_names import options_of

_CHOICE = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)$", re.DOTALL)


#: What messages call an option in another way than it is called.
_CALLED = {"tester": "testers"}

_ABOUT = re.compile(r"(\w+)(?= must | needs )")


def in_options(message: str, options: Collection[str]) -> str:
    """A refusal of an argument in the name of the option that gave it.

    Parameters
    ----------
    message : str
        Such as "must_detect must be above what is claimed".
    options : collection of str
        Destinations of the options that there are.
    """
    match = _ABOUT.match(message)
    if match is None:
        return message
    name = _CALLED.get(match[1], match[1])
    if name not in options:
        return message
    return f"--{name.replace('_', '-')}{message[match.end() :]}"


class CommandParser(argparse.ArgumentParser):
    """An argument parser that proposes the nearest option or choice for one that it does not know.

    A command refuses its unknown options itself, and so with its own usage.

    Attributes
    ----------
    described_by : str
        "module:function" that adds description and options once they are needed, for a parser of
        which only the name was needed so far; "" where all is there.
    expand : callable
        Adds to the arguments what a file says.
    helps : list of (argparse.Action, callable)
        Options whose help texts are made when they are read: they list what is there, and what
        plug-ins add.
    """

    described_by: str = ""
    expand: Callable[[Sequence[str]], Sequence[str]] = staticmethod(lambda given: given)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.helps: list[tuple[argparse.Action, Callable[[], str]]] = []

    def complete(self) -> CommandParser:
        """The parser, with all its options."""
        add, self.described_by = self.described_by, ""
        if add:
            resolve_name(add)(self)
        return self

    def format_usage(self) -> str:
        """As in the base class."""
        self.complete()
        return super().format_usage()

    def format_help(self) -> str:
        """As in the base class."""
        for action, text in self.complete().helps:
            action.help = text()
        return super().format_help()

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """As in the base class, but without unknown arguments: they are an error here."""
        self.complete()
        given = sys.argv[1:] if args is None else args
        found, unknown = super().parse_known_args(self.expand(given), namespace)
        if unknown:
            options = [word.split("=")[0] for word in unknown if word.startswith("-")]
            hints = [did_you_mean(word, options_of(self)) for word in options]
            self.error(f"unrecognized arguments: {' '.join(unknown)}{''.join(hints[:1])}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, and exit with status 2."""
        match = _CHOICE.search(message)
        if match:
            message += did_you_mean(match[1], re.findall(r"'([^']*)'", match[2]))
        super().error(message)
