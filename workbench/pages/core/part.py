"""`Part`: a part of a page, with parameters, their controls, and what is computed from them.

A page has its parts as attributes of its class, and a part is written as a page is::

    class Chance(Part):
        heads = param.Number(0.5, bounds=(0, 1), label="Chance of heads")

        @derived(needs=("heads",))
        def odds(self):
            return self.heads / (1 - self.heads)


    class Coin(Page):
        chance = Chance()

        @number("Odds", needs=("odds",))
        def shown_odds(self):
            "Heads to tails."
            return Fact(f"{self.chance.odds():.2f}")

The values of the parameters are those of the page, under names that are unique on it: links, saved
audits and undo know a page by one flat set of names, and a copy of a page is a copy of one object.
In the part, ``self.heads`` is ``self.page.heads``.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import param
from param.parameterized import ParameterizedMetaclass

from workbench.scores.sample import Scores
from workbench.software.private_names import param_state
from workbench.workspaces.seen.memory import Sight
from workbench.workspaces.seen.record import SeenRecord

#: Attributes that decorators leave on methods; the names of these are unique on a page.
MARKS = ("_item", "_job", "_needs")


class _OfPage:
    """Attribute of a part: the value of the page's parameter."""

    def __init__(self, name: str):
        self._name = name

    def __get__(self, part: Part | None, owner: type[Part]) -> Any:
        if part is None:
            return owner.parameters[self._name]
        page, name = part.page, part.flat(self._name)
        values = param_state(page).values  # looked up here, as a step of a drag reads many
        return values[name] if name in values else getattr(page, name)

    def __set__(self, part: Part, value: Any) -> None:
        setattr(part.page, part.flat(self._name), value)


if TYPE_CHECKING:
    # A parameter of a part reads and writes a value, as one of a Parameterized class does.
    _Declares = param.Parameterized
else:
    _Declares = object


class Part(_Declares):
    """A part of a page; see the docstring of the module.

    Parameters
    ----------
    prefix : str
        What the page's names of the parameters begin with, before an underscore. A page may have
        several parts of a kind under prefixes of their own, unless they have results, items or
        jobs: the names of these have no prefix.
    """

    #: The parameters by their names in the part.
    parameters: ClassVar[dict[str, param.Parameter]] = {}

    #: Parameters, without prefix, that follow from others and are no settings.
    follows: ClassVar[tuple[str, ...]] = ()

    #: Attributes that stay behind when a page goes to another process, and those besides that
    #: work there does without.
    stays: ClassVar[tuple[str, ...]] = ()
    stays_from_work: ClassVar[tuple[str, ...]] = ()

    #: The page that has the part; it has the parameters of its other parts, too.
    page: Any

    def __init_subclass__(cls) -> None:
        for name, value in vars(cls).items():
            if hasattr(Part, name) and any(hasattr(value, mark) for mark in MARKS):
                raise TypeError(
                    f"{cls.__name__}.{name}: a page asks its parts for a {name!r}; rename it"
                )
        own = {
            name: value for name, value in vars(cls).items() if isinstance(value, param.Parameter)
        }
        cls.add(own)

    @classmethod
    def add(cls, parameters: Mapping[str, param.Parameter]) -> None:
        """Give pages that are defined from now on more parameters, as those of plug-ins."""
        cls.parameters = {**cls.parameters, **parameters}
        for name in parameters:
            setattr(cls, name, _OfPage(name))

    def __init__(self, prefix: str = ""):
        self.prefix = prefix

    def flat(self, name: str) -> str:
        """The page's name of a parameter."""
        return f"{self.prefix}_{name}" if self.prefix else name

    def declared(self) -> dict[str, param.Parameter]:
        """The parameters that a page gets, by their names on the page."""
        return {self.flat(name): copy.copy(one) for name, one in self.parameters.items()}

    def of(self, page: Any) -> Self:
        """The part as one of a page, with the state that it has here."""
        twin = copy.copy(self)
        twin.page = page
        return twin

    def for_process(self, page: Any) -> Self:
        """The part as one of a page for work in another process."""
        twin = self.of(page)
        for name in (*self.stays, *self.stays_from_work):
            twin.__dict__.pop(name, None)
        return twin

    def cached(
        self, name: str, needs: tuple[str, ...], compute: Callable[[], Any], shared: str = ""
    ) -> Any:
        """See `PageState.cached`."""
        return self.page.cached(name, needs, compute, shared)

    # -- what a page asks its parts ------------------------------------------------------------

    def start(self, given: frozenset[str]) -> None:
        """Begin: watch parameters, and set what follows from them. All parts have their values.

        Parameters
        ----------
        given : frozenset of str
            Names of the parameters that were set when the page was made.
        """

    def not_settings(self) -> tuple[str, ...]:
        """The page's names of the parameters that are no settings, as they follow from others."""
        return tuple(map(self.flat, self.follows))

    def renamed(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Settings of a page as an earlier version wrote them, in the names of today.

        Parameters
        ----------
        settings : dict of str to object
            Of selectors, values or their labels.
        """
        return settings

    def keep_with_data(self) -> None:
        """Keep what belongs to the data set in view with it, after a change of the page."""

    def independent(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Those of settings of a page that do not follow from others of them.

        What is computed from another setting is left out: an earlier version may have computed
        another value.

        Parameters
        ----------
        settings : dict of str to object
            Of selectors, values or their labels.
        """
        return settings

    def data_key(self) -> str:
        """Key of the data set in view; "" without one."""
        return ""

    def given_scores(self) -> Mapping[str, Any]:
        """Scores or a table given in Python, by the parameter that otherwise chooses a data set."""
        return {}

    def follow(self, key: str | None) -> None:
        """Take a data set into view; None for the one that the page begins with."""

    def refresh(self) -> None:
        """Take note of data sets that were added, renamed, removed or read in another way."""

    def data_leaves(self) -> None:
        """Take note that other data, or the same ones read anew, are about to come into view."""

    def data_came(self, before: Scores | None) -> None:
        """Take note that data have come into view, after the scores ``before``."""

    def before_reset(self) -> None:
        """Take note that controls are about to be set to their defaults."""

    def restart(self) -> None:
        """Set what depends on the data as if they had just come into view."""

    def restored(self) -> None:
        """Take note that settings of an earlier page have been set."""

    def about_risk(self) -> Mapping[str, Any]:
        """Settings with which the page Risk is about the same claim, scores or counts."""
        return {}

    # -- what `workbench.pages.inputs.settings.Validity` asks ----------------------------------

    def note_shown(self) -> None:
        """Take note that results of the page are shown now."""

    def shows_results(self) -> bool:
        """Whether there are results in view, because of which a choice may be made."""
        return True

    def sights(self) -> tuple[Sight, ...]:
        """The data in view, as the workspace knows them."""
        return ()

    def reread(self) -> str:
        """The choice of how the data are read that was changed after results were shown."""
        return ""

    def choices(self) -> dict[str, Any]:
        """The choices that the results rest on, by the names under which they are kept."""
        return {}

    def choice_words(self) -> Mapping[str, str]:
        """What messages call the choices that mark bounds, by name."""
        return {}

    def judge_changed(self, changed: list[str]) -> list[str]:
        """Those of the changed choices that are left to mark."""
        return changed

    def why_not_valid(self) -> str | None:
        """Why bounds are not valid, by a part that judges that; "" while they are, else None."""
        return None

    def recalled(self, known: tuple[SeenRecord, ...], arriving: bool) -> None:
        """Mark what differs from what the first results of the data rest on.

        Parameters
        ----------
        known : tuple of SeenRecord
            What was shown of the data before.
        arriving : bool
            Whether the data have just come into view.
        """

    @classmethod
    def marked_names(cls) -> tuple[str, ...]:
        """Names of the results, items and jobs."""
        return tuple(
            name
            for base in cls.__mro__
            for name, value in vars(base).items()
            if any(hasattr(value, mark) for mark in MARKS)
        )


@cache
def part_templates(page: type) -> dict[str, Part]:
    """The parts that a page class declares, by name; those of a page are copies of them."""
    return {
        name: value
        for base in reversed(page.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, Part)
    }


class WithParts(ParameterizedMetaclass):
    """The class of page classes: a page class gets the parameters that its parts declare.

    Two parts with a parameter, a result, an item or a job of one name raise TypeError.
    """

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]):  # noqa: N805
        super().__init__(name, bases, namespace)
        for part in namespace.values():
            if isinstance(part, Part):
                for flat, parameter in part.declared().items():
                    # A page may declare a parameter of a part itself, with another default.
                    if flat not in namespace:
                        cls.param.add_parameter(flat, parameter)
        owners: dict[str, str] = {}
        for attribute, part in part_templates(cls).items():
            for one in {*part.declared(), *part.marked_names()}:
                if (other := owners.setdefault(one, attribute)) != attribute:
                    raise TypeError(
                        f"{name}: its parts {other!r} and {attribute!r} both have {one!r}; rename "
                        "one, or give the part a prefix if it is a parameter"
                    )
