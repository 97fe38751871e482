"""The Python that a page shows: expressions, scripts, and the lines that make its scores."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from workbench.pages.core.page import Page
from workbench.pages.registry import PAGES
from workbench.pairs.base import Pair
from workbench.pairs.own.kinds import PAIR_KINDS, kind_of
from workbench.scores.sample import Scores
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.reading import Reading
from workbench.workspaces.sources import DrawnSource, ExampleSource, FileSource

#: Settings that every restored view keeps, beside its data.
KEPT = ("show", "controls", "looked", "log_delta", "confidence")

#: Longer calls are written with one argument per line.
_WIDTH = 88


def page_name(page: Page) -> str:
    """The name of a page in addresses and for ``wb.explore``."""
    return next(name for name, entry in PAGES.items() if isinstance(page, entry.kind))


def code_of(page: Page, spec: dict[str, Any]) -> str:
    """The Python that reproduces a page: its data, each number, and the page in a notebook.

    Parameters
    ----------
    page : Page
    spec : dict
        Its state; see `workbench.pages.inputs.spec.Spec`.

    Returns
    -------
    str
        Blank lines separate its steps. Each number of the page has a variable of its name.
    """
    if hasattr(page, "code"):
        return str(page.code(spec))
    return script(f"view = {call('wb.explore', repr(page_name(page)), spec=spec)}")


def script(*steps: str, imports: Collection[str] = ()) -> str:
    """A program that imports the workbench and then takes these steps.

    Parameters
    ----------
    *steps : str
        Lines, which a blank line separates from the next step; empty texts are left out.
    imports : collection of str
        Further import statements.
    """
    head = "\n".join(["import workbench as wb", *imports])
    return "\n\n".join([head, *filter(None, steps)]) + "\n"


def comment(text: str) -> str:
    """A text as a comment of one line, whatever is in it."""
    return "# " + "".join(c if c.isprintable() else "�" for c in " ".join(text.split()))


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


def repeatable(page: Page, job: str) -> bool:
    """Whether code that runs a job with the present settings gives the result in view."""
    state = page.work.state(job)
    return state.status in ("done", "stored") and not state.stale


def duration(page: Page, job: str) -> str:
    """How long a job took, as a comment; "" if it was not run, or took no second."""
    state = page.work.state(job)
    if state.status == "stored":
        return comment("takes up to a minute")
    return comment(f"takes about {state.seconds:.0f} s") if state.seconds >= 1 else ""


def lines(*texts: str) -> str:
    """One step of `script`: its lines, without empty ones."""
    return "\n".join(filter(None, texts))


def pair_code(pair: Pair) -> str:
    """The expression that makes a pair."""
    if (kind := kind_of(pair)) in PAIR_KINDS.others:
        return call("wb.named_pair", repr(kind), **pair.parameters)
    arguments = {
        name: Name(pair_code(value)) if isinstance(value, Pair) else value
        for name, value in pair.parameters.items()
    }
    return call(f"wb.{type(pair).__name__}", **arguments)


def sample_code(pair: Pair, n: int, seed: int) -> str:
    """The expression that samples scores from a pair."""
    return call(f"{pair_code(pair)}.sample", str(n), seed=seed)


def kept(spec: dict[str, Any], *more: str) -> dict[str, Any]:
    """The part of a view's settings that is kept beside its data: `KEPT` and these names."""
    return {name: spec[name] for name in (*KEPT, *more) if name in spec}


def data_code(page: Page, split: bool = False) -> str:
    """The step that makes the page's ``scores``; see `given_code` where they are given.

    Parameters
    ----------
    page : Page
        With a `ScoreSource`.
    split : bool
        Whether a number of the page rests on a random split of them.
    """
    dataset = page.source.dataset
    if dataset is None:
        return given_code(page.scores, "scores", split)
    return dataset_code(dataset, page.scores, "scores", split)


def given_code(scores: Scores, variable: str, split: bool = False) -> str:
    """The step that takes scores that were given in Python, in a variable, in their direction.

    Parameters
    ----------
    scores : Scores
    variable : str
    split : bool
        See `data_code`.
    """
    return f"# {variable}: as given in Python{_turned(scores, variable, split)}"


def _turned(scores: Scores, variable: str, split: bool) -> str:
    """The end of a comment on scores that a variable has, and the line that reads them."""
    end = f"\n# splits follow from seed={scores.chance}" if split else ""
    return f"{end}\n{variable} = {variable}.with_direction({scores.larger_is_member})"


def dataset_code(dataset: DataSet, scores: Scores, variable: str, split: bool = False) -> str:
    """The step that sets a variable to the scores of a data set.

    Parameters
    ----------
    dataset : DataSet
    scores : Scores
        Of the data set.
    variable : str
    split : bool
        See `data_code`.
    """
    source = dataset.source
    if isinstance(source, DrawnSource):
        return f"{variable} = {sample_code(source.recipe.pair, source.n, source.seed)}"
    if isinstance(source, ExampleSource):
        return f"{variable} = {call('wb.example', repr(source.name))}"
    if isinstance(source, FileSource):
        read = reading_code(source.names, dataset.reading, scores.chance if split else None)
        said = comment(f"“{dataset.name}”: give the path of its file")
        return f"{said}\n{variable} = {read}"
    said = comment(f"{variable}: “{dataset.name}”, as given in Python")
    return f"{said}{_turned(scores, variable, split)}"


def reading_code(files: Sequence[str], reading: Reading, seed: int | None = None) -> str:
    """The call of `wb.read_scores` that reads files in this way.

    Parameters
    ----------
    files : sequence of str
        One path, that of members and that of non-members, or that of scores and that of labels.
    reading : Reading
        Arguments that have their defaults are left out, but for the direction of parquet files,
        which may state one of their own.
    seed : int, optional
        The number from which a split follows, where there is one.
    """
    layout, plain = reading.layout, asdict(Reading())
    columns = {} if layout is None else {**asdict(layout), "kind": None}
    kept = {"larger_is_member"} if files[0].lower().endswith(".parquet") else set()
    how = {**reading.arguments, "seed": seed}
    said = {k: v for k, v in how.items() if k in kept or v != plain[k]}
    second = files[1] if len(files) > 1 else None
    grouped = layout is None or layout.kind == "one file per group"
    others = {"path_q": second} if grouped else {"path_labels": second}
    return call("wb.read_scores", repr(files[0]), **others, **columns, **said)
