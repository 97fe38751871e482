"""`ScoreSource`: base of the pages about one data set of the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, ClassVar

import param

from workbench.pages.core.page import Control, Page, Section
from workbench.pages.inputs.data import (
    DataChoice,
    DataInput,
    SizeChoice,
    described,
    example_key,
    is_draw,
    same_numbers,
)
from workbench.pages.inputs.pair import SamplePair
from workbench.pages.inputs.settings import ResetSetting
from workbench.scores.examples import card
from workbench.scores.sample import Scores
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.followed.data import require_kept
from workbench.workspaces.followed.source import following_of
from workbench.workspaces.seen.identity import named
from workbench.workspaces.seen.memory import Sight
from workbench.workspaces.sources import DrawnSource, ExampleSource
from workbench.workspaces.workspace import Workspace

FIRST_EXAMPLE = "subsampled-gaussian"

#: What the direction of the score is kept under.
DIRECTION = "larger_is_member"

#: The choice of the data of a page about one data set.
INPUT = DataInput("data", "sample", "seed")


class Arrival(Enum):
    """How scores come into view."""

    ANOTHER = "another data set"
    REREAD = "the same data set, read differently or once more"
    MOVED = "a draw after another draw: of another pair, or of another size"
    REDRAWN = "a draw from the same pair that was not in view before"


def data_choice(default: str, doc: str = "") -> DataChoice:
    """The choice of the data of a page about one data set.

    Parameters
    ----------
    default : str
        A key.
    doc : str
        Help.
    """
    return DataChoice(default, input=INPUT, label="Data", doc=doc)


def sight_of(dataset: DataSet | None, scores: Scores) -> Sight:
    """A data set as the workspace knows what was seen of it.

    Parameters
    ----------
    dataset : DataSet or None
        None for scores that are given in Python.
    scores : Scores
    """
    if dataset is None:
        return Sight(scores, scores.name)
    if following_of(dataset) is not None:  # its scores become more
        return Sight(named(dataset.key), dataset.name, kept="passing")
    kept = {DrawnSource.kind: "passing", ExampleSource.kind: "there"}
    return Sight(scores, dataset.name, dataset.sha256, kept.get(dataset.source.kind, "store"))


class ScoreSource(ResetSetting, SamplePair, Page):
    """Base of the pages about one data set of the workspace.

    Provides ``scores``, ``loaded`` (what they are), ``source_controls`` and ``adopt``, which pages
    extend to set what depends on new scores. If loading fails, the former data set stays in view,
    under its name, and ``message`` says why.
    """

    data = data_choice(example_key(FIRST_EXAMPLE))
    sample_n = SizeChoice()
    seed = param.Integer(default=0, precedence=-1, doc="Seed of the sample.")
    draw_again = param.Event(label="Draw again", doc="A new sample from the same pair.")

    scores = param.Parameter(precedence=-1, doc="The Scores in view.")
    loaded = param.String("", precedence=-1, doc="What was loaded, and how it was read.")

    source_controls: ClassVar[tuple[Section, ...]] = (
        Section(
            "Data",
            (
                *INPUT.controls(),
                Control("draw_again", when=lambda page: page.source == DrawnSource.kind),
            ),
        ),
    )

    def __init__(self, workspace: Workspace | None = None, **params: Any):
        self._dataset: DataSet | None = None
        self._most_seed = -1
        super().__init__(workspace=workspace, **params)
        self.param.watch(self._load, [*INPUT.parameters, "draw_again"])
        self._open({"data", *params})

    @property
    def dataset(self) -> DataSet | None:
        """The data set in view; None for scores that are given in Python."""
        return self._dataset

    @property
    def source(self) -> str:
        """Where the scores come from: "example", "file", "pair" or "given"."""
        return "" if self._dataset is None else self._dataset.source.kind

    @property
    def drawn(self) -> str:
        """Key of the draw that the controls of the pair describe."""
        return INPUT.drawn(self).key

    @property
    def data_key(self) -> str:
        """Key of the data set in view."""
        return str(self.data)

    @property
    def reread(self) -> str:
        """The choice of how the data are read that was changed after results were shown."""
        return "" if self._dataset is None else self._dataset.reread

    @property
    def known(self) -> dict[str, Any]:
        """What an example says of its distributions; see `workbench.scores.examples.Card`."""
        source = None if self._dataset is None else self._dataset.source
        return dict(card(source.name).reference) if isinstance(source, ExampleSource) else {}

    @property
    def sights(self) -> tuple[Sight, ...]:
        """The data in view, as the workspace knows them."""
        return () if self.scores is None else (sight_of(self._dataset, self.scores),)

    @property
    def choices(self) -> dict[str, Any]:
        """The choices that the results rest on: also the direction of the score."""
        return {**super().choices, DIRECTION: self.scores.larger_is_member}

    @property
    def choice_words(self) -> Mapping[str, str]:
        """What messages call the choices; `reread` marks a direction that was declared."""
        declared = None if self._dataset is None else self._dataset.declared
        known = {} if declared is not None else {DIRECTION: "the direction of the score"}
        return {**super().choice_words, **known}

    def follow(self, key: str | None) -> None:
        """Take a data set into view.

        Parameters
        ----------
        key : str or None
            Of the workspace; None for the data set that the page begins with.
        """
        self.data = self.param.data.default if key is None else key

    def refresh(self) -> None:
        """Take note that the data set was renamed or read in another way."""
        self._load()

    def adopt(self, scores: Scores, said: str, arrival: Arrival = Arrival.ANOTHER) -> None:
        """Take scores into view; pages extend it to set what depends on them.

        Parameters
        ----------
        scores : Scores
        said : str
            What they are and how they were read.
        arrival : Arrival
            How they come.
        """
        self.param.update(scores=scores, loaded=said, message="")

    def restart(self) -> None:
        """Set what depends on the scores as if they had just come into view."""
        self.adopt(self.scores, self.loaded, Arrival.REREAD)

    # -- steps ---------------------------------------------------------------------------------

    def _open(self, given: set[str]) -> None:
        """Take the first data set into view; ``given`` are the parameters that were set."""
        self._take(INPUT.key(self, given))

    def _load(self, *events: Any) -> None:
        if self._quiet:
            return
        changed = {event.name for event in events}
        try:
            if "draw_again" in changed and self.source == DrawnSource.kind:
                self._set_quietly(seed=self._most_seed + 1)
            self._take(INPUT.key(self, changed))
        except ValueError as error:
            self._stay(str(error))

    def _take(self, key: str) -> None:
        """Take a data set into view, unless it is there already."""
        dataset = self.workspace.dataset(key)
        if not self.shows_live:
            require_kept(dataset)
        scores = self.workspace.scores(dataset.key)
        said, before = described(self.workspace, dataset), self._dataset
        arrival = self._arrival(dataset.key)
        if arrival is Arrival.REDRAWN and self.workspace.seen.of(scores) is not None:
            arrival = Arrival.MOVED  # another window was faster
        self._dataset = dataset
        try:
            if arrival is Arrival.REREAD and same_numbers(scores, self.scores):
                self._set_quietly(data=dataset.key, scores=scores, loaded=said)
            else:
                self._set_quietly(data=dataset.key)
                self.adopt(scores, said, arrival)
        except ValueError:
            self._dataset = before
            raise
        self._most_seed = max(self._most_seed, self.seed if is_draw(dataset.key) else -1)
        self.recall(arriving=arrival is not Arrival.REREAD)

    def _arrival(self, key: str) -> Arrival:
        before = "" if self._dataset is None else self._dataset.key
        if before == key:
            return Arrival.REREAD
        if not (is_draw(before) and is_draw(key)):
            return Arrival.ANOTHER
        now, then = DrawnSource.of(key), replace(DrawnSource.of(before), seed=self.seed)
        fresh = now == then and now.seed > self._most_seed
        return Arrival.REDRAWN if fresh else Arrival.MOVED

    def _stay(self, why: str) -> None:
        """Keep the former data set in view, with its name and its controls."""
        if self._dataset is not None:
            self._set_quietly(data=self._dataset.key)
            INPUT.key(self, {"data"})
        self.message = why
