"""The Python that a page shows: expressions, scripts, and the lines that make its scores."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from workbench.pages.inputs.score_source import ScoreSource
from workbench.pairs.base import Pair
from workbench.scores.sample import Scores
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.reading import Reading
from workbench.workspaces.sources import DrawnSource, ExampleSource, FileSource

#: Settings that every restored view keeps, beside its data.
KEPT = ("show", "controls", "looked", "log_delta", "confidence")

#: Longer calls are written with one argument per line.
_WIDTH = 88


def script(*lines: str, imports: Collection[str] = ()) -> str:
    """A program that imports the workbench and then runs these lines."""
    return "\n".join(["import workbench as wb", *imports, "", *lines, ""])


def call(function: str, *positional: str, **arguments: Any) -> str:
    """The expression that calls a function.

    Parameters
    ----------
    function : str
        As it is written, such as ``"wb.epsilon_lower_bound"``.
    *positional : str
        Arguments as they are written, such as ``"scores"``.
    **arguments : object
        Keyword arguments by their values. Those that are None are left out; a `Name` is written
        without quotes.

    Examples
    --------
    >>> call("wb.epsilon_lower_bound", "scores", delta=1e-5, threshold=None)
    'wb.epsilon_lower_bound(scores, delta=1e-05)'
    """
    named = [f"{name}={value!r}" for name, value in arguments.items() if value is not None]
    line = f"{function}({', '.join([*positional, *named])})"
    if len(line) <= _WIDTH or len(positional) + len(named) < 2:
        return line
    return f"{function}(\n" + "".join(f"    {text},\n" for text in (*positional, *named)) + ")"


class Name(str):
    """The name of a variable, or another expression, as the value of a keyword in `call`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def pair_code(pair: Pair) -> str:
    """The expression that makes a pair."""
    return call(f"wb.{type(pair).__name__}", **pair.parameters)


def sample_code(pair: Pair, n: int, seed: int) -> str:
    """The expression that samples scores from a pair."""
    return call(f"{pair_code(pair)}.sample", str(n), seed=seed)


def kept(spec: dict[str, Any], *more: str) -> dict[str, Any]:
    """The part of a view's settings that is kept beside its data: `KEPT` and these names."""
    return {name: spec[name] for name in (*KEPT, *more) if name in spec}


def data_code(page: ScoreSource) -> list[str]:
    """The lines that make the page's ``scores``; a comment where they are given."""
    if page.dataset is None:
        turned = f"scores = scores.with_direction({page.scores.larger_is_member})"
        return ["# scores: as given in Python", turned]
    return dataset_code(page.dataset, page.scores, "scores")


def dataset_code(dataset: DataSet, scores: Scores, variable: str) -> list[str]:
    """The lines that set a variable to the scores of a data set.

    Parameters
    ----------
    dataset : DataSet
    scores : Scores
        Of the data set.
    variable : str
    """
    source = dataset.source
    if isinstance(source, DrawnSource):
        return [f"{variable} = {sample_code(source.recipe.pair, source.n, source.seed)}"]
    if isinstance(source, ExampleSource):
        return [f"{variable} = {call('wb.example', repr(source.name))}"]
    if isinstance(source, FileSource):
        read = reading_code(source.names, dataset.reading)
        return [f"# “{dataset.name}”: give the path of its file", f"{variable} = {read}"]
    turned = f"{variable} = {variable}.with_direction({scores.larger_is_member})"
    return [f"# {variable}: “{dataset.name}”, as given in Python", turned]


def reading_code(files: Sequence[str], reading: Reading) -> str:
    """The call of `wb.read_scores` that reads files in this way.

    Parameters
    ----------
    files : sequence of str
        One path, or that of members and that of non-members.
    reading : Reading
        Arguments that have their defaults are left out.
    """
    layout, plain = reading.layout, asdict(Reading())
    columns = {} if layout is None else {**asdict(layout), "kind": None}
    said = {name: value for name, value in reading.arguments.items() if value != plain[name]}
    second = files[1] if len(files) > 1 else None
    return call("wb.read_scores", repr(files[0]), path_q=second, **columns, **said)
