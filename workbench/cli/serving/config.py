"""`--config FILE`: options of `workbench serve` in a file of the format TOML."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from workbench.scores.refusals import did_you_mean
from workbench.software.private_names import options_of
from workbench.training.runs.toml_text import tables_of

#: Of an option that may be repeated.
_Append = type(argparse.ArgumentParser().add_argument("--one", action="append"))

#: Options that have no place in a file.
_NEVER = ("config", "help")

#: Bytes of a file, at most.
_MOST = 10**6


def add(command: argparse.ArgumentParser) -> Callable[[Sequence[str]], list[str]]:
    """Add the option to the command.

    Returns
    -------
    callable
        Puts the options of the file before those of the command line, which win.
    """
    command.add_argument(
        "--config",
        metavar="FILE",
        help="a TOML file with options by their names, such as 'port = 5006'; those of the "
        "command line win",
    )
    finding = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    finding.add_argument("--config", nargs="?")

    def expanded(given: Sequence[str]) -> list[str]:
        path = finding.parse_known_args(list(given))[0].config
        if path is None:
            return list(given)
        try:
            return [*_options(command, path, given), *given]
        except (ValueError, OSError) as error:
            command.error(f"--config: {error}")

    return expanded


def _options(command: argparse.ArgumentParser, path: str, given: Sequence[str]) -> Iterator[str]:
    """The options of a file as they stand on a command line.

    Raises
    ------
    ValueError
        The file has another key than the name of an option, or a value of another type.
    """
    with open(path, "rb") as file:
        try:
            content = file.read(_MOST + 1)
            if len(content) > _MOST:
                raise ValueError(f"it has more than {_MOST:,} bytes")
            entries = tables_of(content)
        except ValueError as error:
            raise ValueError(f"{path} is no TOML file ({error})") from error
    known = {
        option[2:]: action
        for option, action in options_of(command).items()
        if option.startswith("--") and option[2:] not in _NEVER
    }
    here = {word.split("=", 1)[0] for word in given}
    for name, value in entries.items():
        if name not in known:
            raise ValueError(f"{path} has {name!r}, which is no option{did_you_mean(name, known)}")
        if known[name].option_strings and not here & set(known[name].option_strings):
            yield from _words(path, name, value, known[name])


def _words(path: str, name: str, value: Any, action: argparse.Action) -> Iterator[str]:
    """One option of a file as it stands on a command line."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise ValueError(f"{path}: {name} must be true or false, got {value!r}")
        if value:
            yield f"--{name}"
        return
    repeated = isinstance(action, _Append)
    values = value if repeated and isinstance(value, list) else [value]
    for one in values:
        if isinstance(one, bool) or not isinstance(one, str | int | float):
            wanted = "a text, a number or a list of them" if repeated else "a text or a number"
            raise ValueError(f"{path}: {name} must be {wanted}, got {one!r}")
        yield f"--{name}={one}"
