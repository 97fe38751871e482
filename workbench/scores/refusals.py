"""Wording of refusals: names in messages, and errors for content that is not read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workbench._names import near
from workbench.software import extras

#: What a refusal for size or time ends with.
IF_TRUSTED = (
    "If you trust the file, trusted=True (on the command line --trusted) reads it without limits"
)

#: What to do with a list of scores in a cell.
ONE_OF_THEM = "choose one of them, or their mean or maximum, as a column of its own"

_LONGEST_QUOTE = 100
_LONGEST_REASON = 300


class ScoresError(ValueError):
    """Scores that cannot be audited; the message says what is wrong and what to do."""


class MissingParserError(extras.MissingPackage, ScoresError):
    """A file of a kind whose parser is not installed; the message has the command."""


def check_parser(filename: str) -> None:
    """Raise `MissingParserError` where pyarrow, which a file needs, is not installed."""
    try:
        extras.check("pyarrow", f"{called(filename)} needs")
    except extras.MissingPackage as error:
        raise MissingParserError(str(error), name=error.name) from None


def quoted(text: object) -> str:
    """Text of a file in quotes, cut where it is long."""
    shown = repr(str(text)[:_LONGEST_QUOTE])
    return shown if len(str(text)) <= _LONGEST_QUOTE else f"{shown}…"


def called(filename: str) -> str:
    """A file's name for messages."""
    return quoted(filename) if filename else "the upload"


def listed(names: Iterable[Any]) -> str:
    """Names in quotes, at most twelve of them."""
    names = list(names)
    shown = ", ".join(map(quoted, names[:12]))
    return shown + (f" and {len(names) - 12} more" if len(names) > 12 else "") or "none"


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """A question with the closest matches, such as "; did you mean 'score'?".

    Returns
    -------
    str
        Empty where nothing is close.
    """
    close = near(name, names)
    return f"; did you mean {listed(close)}?" if close else ""


def nested_value(value: object) -> str:
    """What a cell holds that is no single value, for messages.

    Parameters
    ----------
    value : object
        A list, tuple, array or mapping.
    """
    if isinstance(value, Mapping):
        return f"an object of {len(value)} entries"
    size = value.size if hasattr(value, "size") else len(value)  # type: ignore[arg-type]
    return f"a list of {size}" + (f"; {ONE_OF_THEM}" if size > 1 else "")


def remedy_for(cell: str) -> str:
    """What to do with a cell that is no number, from the sign before it on.

    Parameters
    ----------
    cell : str
    """
    text = cell.strip()
    if text.endswith("%"):
        return "; remove the sign %"
    if text.startswith("tensor("):
        return "; save the number in it, score.item()"
    if text.startswith(("[", "(", "array(")):
        return f"; {ONE_OF_THEM}"
    mixed = "; decimal points and commas must not be mixed" if "," in text else ""
    return f"{mixed}; correct or remove it (write nan for a missing score)"


def refused_pickle(filename: str, suffix: str) -> ScoresError:
    """The refusal of a file that holds pickled objects, with a recipe to convert it.

    Parameters
    ----------
    filename : str
        The file's name, "" where there is none.
    suffix : str
        The extension by which the file is to be loaded.
    """
    file = filename or f"scores{suffix}"
    load = {
        ".pt": f"import torch; scores = torch.load('{file}', weights_only=True)",
        ".pth": f"import torch; scores = torch.load('{file}', weights_only=True)",
        ".joblib": f"import joblib; scores = joblib.load('{file}')",
        ".npy": f"scores = np.load('{file}', allow_pickle=True).item()",
        ".npz": f"scores = np.load('{file}', allow_pickle=True)",
    }.get(suffix, f"import pickle; scores = pickle.load(open('{file}', 'rb'))")
    return ScoresError(
        f"{called(filename)} holds pickled objects, and unpickling runs whatever code a file "
        "carries, so it is refused. If you trust the file, convert it in your own Python:\n"
        "    import numpy as np\n"
        f"    {load}\n"
        f"    np.savez('{Path(file).stem}-plain.npz', p=np.asarray(scores['in'], float), "
        "q=np.asarray(scores['out'], float))"
    )


@contextmanager
def damage_refused(filename: str, suffix: str) -> Iterator[None]:
    """Context in which errors of a parser become refusals.

    Parameters
    ----------
    filename : str
    suffix : str
        The extension whose parser it is.

    Raises
    ------
    ScoresError
        The body raised: the content is damaged, or holds pickled objects.
    """
    try:
        yield
    except (ScoresError, MemoryError):
        raise
    except Exception as error:  # the parsers raise anything from SyntaxError on for damaged files
        if "allow_pickle" in str(error):
            raise refused_pickle(filename, suffix) from None
        raise ScoresError(
            f"{called(filename)} is damaged, truncated or no {suffix[1:]} file "
            f"({str(error)[:_LONGEST_REASON] or type(error).__name__}); write or copy it again"
        ) from error
