"""The choice of a data set of the workspace, and the controls of a draw from a pair.

A page has the key as a `DataChoice`, and the controls of the draw under a prefix: a `Sample` and a
seed. A `DataInput` names them, and keeps the key and the controls in agreement.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from workbench.pages.core.page import Control, Page
from workbench.pages.core.value_selector import ValueSelector
from workbench.pages.inputs.pair import (
    PairChoice,
    chosen_arguments,
    pair_controls,
    pair_parameters,
    parameters_of_kind,
)
from workbench.scores.examples import NAMES, card
from workbench.scores.sample import Scores
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.draws import DRAW, MOST_DRAWN
from workbench.workspaces.followed.source import following_of
from workbench.workspaces.sources import EXAMPLE, DrawnSource
from workbench.workspaces.workspace import Workspace

SAMPLE_SIZES = (200, 500, 1000, 5000, 10_000, 100_000, 1_000_000)

#: What a choice of data calls a draw with the present controls.
SAMPLED = DrawnSource.label


def example_key(name: str) -> str:
    """The key of a bundled example."""
    return f"{EXAMPLE}{name}"


def draw_key(pair: str, n: int = 10_000, seed: int = 0, **arguments: float) -> str:
    """The key of a draw.

    Parameters
    ----------
    pair : str
        A key of `workbench.pairs.own.kinds.PAIR_KINDS`.
    n, seed : int
        Samples per group, and the seed.
    **arguments : float
        Of the pair.
    """
    return DrawnSource(pair, arguments, n, seed).key


def is_draw(key: str) -> bool:
    """True if the key is that of a draw from a pair."""
    return key.startswith(DRAW)


class DataChoice(ValueSelector):
    """Parameter type of the key of a data set of the page's workspace.

    People choose it by name; a draw stands for the present controls of its pair.

    Parameters
    ----------
    default : str
        The key that a page begins with.
    input : DataInput
        The parameters that belong to the choice.
    **more
        As for ``param.Selector``.
    """

    __slots__ = ["input"]

    def __init__(self, default: str, *, input: DataInput, **more: Any):
        super().__init__(default=default, objects=[default], **more)
        self.input = input

    def get_range(self) -> dict[str, str]:
        """The keys on offer by the names of their data sets."""
        page = self._page
        if page is None:
            return {self.default: self.default}
        found = {card(name).title: example_key(name) for name in NAMES}
        for dataset in page.workspace.datasets:
            if dataset.kind != "scores":
                continue
            taken = dataset.name in found
            found[f"{dataset.name} ({dataset.source.label})" if taken else dataset.name] = (
                dataset.key
            )
        found[SAMPLED] = self.input.drawn(page).key
        key = getattr(page, str(self.name))
        if key and key not in found.values():
            found["removed, but still in view"] = key
        return found

    def _validate(self, val: Any) -> None:
        page = self._page
        if page is not None and val != self.default and not page.quiet:
            page.workspace.dataset(val)

    @property
    def _page(self) -> Any:
        """The page; None for the parameter of the class."""
        return self.owner if isinstance(self.owner, Page) else None


class SizeChoice(ValueSelector):
    """Parameter type of the size of a draw: one of `SAMPLE_SIZES`, or that of a data set in view.

    Parameters
    ----------
    default : int
        Samples per group.
    **more
        As for ``param.Selector``.
    """

    def __init__(self, default: int = 10_000, *, label: str = "Samples per group", **more: Any):
        super().__init__(default=default, objects=list(SAMPLE_SIZES), label=label, **more)

    def get_range(self) -> dict[str, int]:
        """The sizes on offer by what people read."""
        now = getattr(self.owner, str(self.name))
        return {f"{n:,}": n for n in sorted({*SAMPLE_SIZES, now})}

    def _validate(self, val: Any) -> None:
        if isinstance(val, bool) or not isinstance(val, int) or not 2 <= val <= MOST_DRAWN:
            raise ValueError(f"{self.label} must be from 2 to {MOST_DRAWN:,}, got {val!r}")


class Sample(PairChoice):
    """The pair that scores are sampled from, and the size of the sample; see `PairChoice`."""

    n = SizeChoice()


@dataclass(frozen=True)
class DataInput:
    """Names of the parameters that choose a data set.

    Attributes
    ----------
    data : str
        The parameter of the key, a `DataChoice`.
    prefix : str
        What the names of the pair's parameters and of the size begin with.
    seed : str
        The parameter of the seed.
    menu : bool
        True if the Data menu of the dashboard shows the choice, False if it has a control.
    """

    data: str
    prefix: str
    seed: str
    menu: bool = True

    @property
    def n(self) -> str:
        """The parameter of the size of a draw."""
        return f"{self.prefix}_n"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that people set."""
        return (self.data, *pair_parameters(self.prefix), self.n)

    def controls(self) -> tuple[Control, ...]:
        """The controls: those of the pair and the size are offered while a draw is in view."""

        def drawn(page: Any) -> bool:
            return is_draw(getattr(page, self.data))

        found = (
            Control(self.data, menu=self.menu),
            *pair_controls(self.prefix, when=drawn),
            Control(self.n, when=drawn),
        )
        return tuple(replace(control, given=False) for control in found)

    def drawn(self, page: Any) -> DrawnSource:
        """The draw that the controls describe."""
        kind = getattr(page, f"{self.prefix}_kind")
        arguments = chosen_arguments(page, self.prefix)
        return DrawnSource(kind, arguments, getattr(page, self.n), getattr(page, self.seed))

    def key(self, page: Any, changed: Collection[str]) -> str:
        """Key of the data set that a page has to show, with the controls set to it if it is drawn.

        Parameters
        ----------
        page : Page
            Its parameters are set quietly.
        changed : collection of str
            Names of the parameters that changed. The controls among them determine a draw; the
            others follow its key.

        Raises
        ------
        WorkspaceError
            A key that is malformed.
        """
        key = str(getattr(page, self.data))
        if not is_draw(key):
            return key
        if self.data in changed:
            shown = self._values(DrawnSource.of(key))
            page.set_quietly(**{name: v for name, v in shown.items() if name not in changed})
        return self.drawn(page).key

    def _values(self, source: DrawnSource) -> dict[str, Any]:
        """Values of the controls that describe a draw."""
        names = parameters_of_kind(source.pair)
        return {
            f"{self.prefix}_kind": source.pair,
            **{f"{self.prefix}_{names[arg]}": value for arg, value in source.arguments.items()},
            self.n: source.n,
            self.seed: source.seed,
        }


def described(workspace: Workspace, dataset: DataSet) -> str:
    """What a data set is, how it was read, and what its reader remarked.

    Parameters
    ----------
    workspace : Workspace
        It has the data set.
    dataset : DataSet
    """
    if dataset.virtual or following_of(dataset) is not None:
        return dataset.source.describe()
    layout = dataset.reading.layout
    said = dataset.source.describe()
    if dataset.source.kind == "file" and layout is not None:
        said = f"{said}: {layout.describe()}"
    notes = [note for table in workspace.tables(dataset.key) for note in table.notes]
    return " · ".join([said, *notes])


def same_numbers(a: Scores, b: Scores) -> bool:
    """True if no number changes when one set of scores replaces the other."""
    return a is b or (a.larger_is_member == b.larger_is_member and a.same_arrays(b))
