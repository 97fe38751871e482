"""`ScoreSource`: the scores that a page is about, of a data set of the workspace or given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import Any

import param

from workbench.pages.core.page import Control, Section, sentence
from workbench.pages.core.part import Part
from workbench.pages.inputs.claims.risk import RISK_OF_SCORES
from workbench.pages.inputs.data import (
    DataChoice,
    DataInput,
    described,
    example_key,
    is_draw,
    same_numbers,
)
from workbench.scores.examples import card
from workbench.scores.sample import Scores
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.followed.data import require_kept
from workbench.workspaces.followed.source import following_of
from workbench.workspaces.seen.identity import named
from workbench.workspaces.seen.memory import Sight
from workbench.workspaces.sources import DrawnSource, ExampleSource, source_of

FIRST_EXAMPLE = "gaussian"

#: What the direction of the score is kept under.
DIRECTION = "larger_is_member"

#: Where scores come from that were given in Python; see `ScoreSource.kind`.
GIVEN = "given"

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


class ScoreSource(Part):
    """The scores that a page is about: of a data set of the workspace, or given in Python.

    The page has a `Sample` under the prefix ``sample``, and a method ``adopt(scores, said,
    arrival)`` that takes scores into view with `show` and sets what depends on them. If loading
    fails, the former data set stays in view, under its name, and the message says why.

    Parameters
    ----------
    default : str
        The key of the data set that the page begins with.
    doc : str
        Help on the choice of data.
    harmless : tuple of str
        What may be changed about how the data are read without an effect on the bounds.
    """

    data = data_choice(example_key(FIRST_EXAMPLE))
    seed = param.Integer(default=0, precedence=-1, doc="Seed of the sample.")
    draw_again = param.Event(label="Draw again", doc="A new sample from the same pair.")
    larger_is_member = param.Selector(
        default=True,
        objects={"larger = member": True, "smaller = member": False},
        label="Direction of the score",
        doc="A loss is smaller for members, a similarity to the record is larger.",
    )

    scores = param.Parameter(precedence=-1, doc="The Scores in view.")
    loaded = param.String("", precedence=-1, doc="What was loaded, and how it was read.")

    section = Section(
        "Data",
        (
            Control("larger_is_member", given=True),
            *INPUT.controls(),
            Control(
                "draw_again", when=lambda page: page.source.kind == DrawnSource.kind, given=False
            ),
        ),
    )

    stays = ("_in_sight",)

    _dataset: DataSet | None = None
    _in_sight: tuple[DataSet | None, Scores, Sight] | None = None
    _most_seed = -1

    def __init__(
        self,
        default: str = example_key(FIRST_EXAMPLE),
        doc: str = "",
        harmless: tuple[str, ...] = (),
    ):
        super().__init__()
        self._choice, self._harmless = data_choice(default, doc), harmless

    def declared(self) -> dict[str, param.Parameter]:
        """The parameters, the choice of data with the page's default."""
        return {**super().declared(), "data": self._choice}

    def start(self, given: frozenset[str]) -> None:
        """Take the first scores into view."""
        page = self.page
        if page.given is None:
            page.param.watch(self._load, [*INPUT.parameters, "draw_again"])
            self._take(INPUT.key(page, {"data", *given}))
        else:
            page.param.data.default = ""
            page.set_quietly(data="", larger_is_member=page.given.larger_is_member)
            page.param.watch(self._turn, "larger_is_member")
            page.adopt(page.given, self._words_of_given(), Arrival.ANOTHER)
            page.validity.recall(arriving=True)

    @property
    def dataset(self) -> DataSet | None:
        """The data set in view; None for scores that are given in Python."""
        return self._dataset

    @property
    def kind(self) -> str:
        """Where the scores come from: "example", "file", "pair" or "given"."""
        if self.page.given is not None:
            return GIVEN
        return "" if self._dataset is None else self._dataset.source.kind

    @property
    def drawn(self) -> str:
        """Key of the draw that the controls of the pair describe."""
        return INPUT.drawn(self.page).key

    @property
    def known(self) -> dict[str, Any]:
        """What an example says of its distributions; see `workbench.scores.examples.Card`."""
        source = None if self._dataset is None else self._dataset.source
        return dict(card(source.name).reference) if isinstance(source, ExampleSource) else {}

    @property
    def true_tv(self) -> float | None:
        """The total variation of the pair that the scores come from, where it is known."""
        source = None if self._dataset is None else self._dataset.source
        if isinstance(source, ExampleSource):
            return card(source.name).truth.tv
        if isinstance(source, DrawnSource):
            return float(source.recipe.pair.total_variation)
        return None

    def data_key(self) -> str:
        """Key of the data set in view; "" for scores that are given in Python."""
        return str(self.data)

    def given_scores(self) -> Mapping[str, Scores]:
        """The scores given in Python, in the direction that they have now."""
        return {} if self.page.given is None else {"data": self.scores}

    def follow(self, key: str | None) -> None:
        """Take a data set into view; pages about scores that are given stay with them.

        Parameters
        ----------
        key : str or None
            Of the workspace; None for the data set that the page begins with.
        """
        if self.page.given is None:
            self.data = self.page.param.data.default if key is None else key

    def show(self, scores: Scores, said: str, **values: Any) -> None:
        """Take scores into view, with the parameters that follow from them.

        Parameters
        ----------
        scores : Scores
        said : str
            What they are and how they were read.
        **values : object
            Further parameters of the page.
        """
        self.page.param.update(scores=scores, loaded=said, message="", **values)

    @sentence(needs=("loaded",), place="head")
    def provenance(self) -> str:
        """What the scores are and how they were read."""
        return str(self.loaded)

    # -- what the page and its parts ask -------------------------------------------------------

    def about_risk(self) -> Mapping[str, Any]:
        """The scores, which the page Risk has in view as well."""
        return RISK_OF_SCORES

    def not_settings(self) -> tuple[str, ...]:
        """The direction, unless the scores are given: a data set has its own."""
        return ("loaded",) if self.page.given is not None else ("loaded", "larger_is_member")

    def refresh(self) -> None:
        """Take note that the data set was renamed or read in another way."""
        if self.page.given is None:
            self._load()

    def restart(self) -> None:
        """Set what depends on the scores as if they had just come into view."""
        if self.page.given is not None:
            self.page.set_quietly(larger_is_member=self.page.given.larger_is_member)
        scores = self.scores if self.page.given is None else self.page.given
        self.page.adopt(scores, self.loaded, Arrival.REREAD)

    def sights(self) -> tuple[Sight, ...]:
        """The data in view, as the workspace knows them."""
        scores, dataset, known = self.scores, self._dataset, self._in_sight
        if scores is None:
            return ()
        if known is None or known[0] is not dataset or known[1] is not scores:
            known = self._in_sight = dataset, scores, sight_of(dataset, scores)
        return (known[2],)

    def reread(self) -> str:
        """The choice of how the data are read that was changed after results were shown."""
        found = "" if self._dataset is None else self._dataset.reread
        return "" if found in self._harmless else found

    def choices(self) -> dict[str, Any]:
        """The direction of the score."""
        return {DIRECTION: self.scores.larger_is_member}

    def choice_words(self) -> Mapping[str, str]:
        """The direction; `reread` marks one that was declared."""
        declared = None if self._dataset is None else self._dataset.declared
        return {} if declared is not None else {DIRECTION: "the direction of the score"}

    # -- steps ---------------------------------------------------------------------------------

    def _words_of_given(self) -> str:
        scores: Scores = self.page.given
        said = scores.name or f"{scores.n_p:,} + {scores.n_q:,} scores given in Python."
        how = [source_of(scores).describe(), *scores.notes] if scores.samples.is_counted else []
        return " · ".join([said, *how])

    def _turn(self, *events: Any) -> None:
        """Read the scores that were given in the other direction."""
        page = self.page
        if not page.quiet:
            if not page.restores:
                page.note_shown()
            scores = page.given.with_direction(self.larger_is_member)
            page.adopt(scores, self.loaded, Arrival.REREAD)
            page.validity.recall(last=DIRECTION)

    def _load(self, *events: Any) -> None:
        page = self.page
        if page.quiet:
            return
        changed = {event.name for event in events}
        try:
            if "draw_again" in changed and self.kind == DrawnSource.kind:
                page.set_quietly(seed=self._most_seed + 1)
            self._take(INPUT.key(page, changed))
        except ValueError as error:
            self._stay(str(error))

    def _take(self, key: str) -> None:
        """Take a data set into view, unless it is there already."""
        page = self.page
        workspace, before, shown = page.workspace, self._dataset, self.scores
        for part in page.parts:
            part.data_leaves()
        dataset = workspace.dataset(key)
        if not page.shows_live:
            require_kept(dataset)
        scores = workspace.scores(dataset.key)
        said = described(workspace, dataset)
        arrival = self._arrival(dataset.key)
        if arrival is Arrival.REDRAWN and workspace.seen.of(scores) is not None:
            arrival = Arrival.MOVED  # another window was faster
        self._dataset = dataset
        try:
            if arrival is Arrival.REREAD and same_numbers(scores, shown):
                page.set_quietly(data=dataset.key, scores=scores, loaded=said)
            else:
                page.set_quietly(data=dataset.key)
                page.adopt(scores, said, arrival)
        except ValueError:
            self._dataset = before
            raise
        self._most_seed = max(self._most_seed, self.seed if is_draw(dataset.key) else -1)
        page.validity.recall(arriving=arrival is not Arrival.REREAD)
        for part in page.parts:
            part.data_came(shown)

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
            self.page.set_quietly(data=self._dataset.key)
            INPUT.key(self.page, {"data"})
        self.page.message = why
