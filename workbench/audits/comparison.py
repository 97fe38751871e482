"""`AuditComparison`: two or more audits side by side, and what differs between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from workbench import _checks
from workbench._markup import table
from workbench.audits.audit import Audit
from workbench.audits.errors import ArchiveError
from workbench.audits.items import AuditData, AuditNumber
from workbench.scores.refusals import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

#: ``"module:callable"`` of the floor above.
_CAN_OVERLAY = "workbench.figures.overlay:can_overlay"
_OVERLAY = "workbench.figures.overlay:overlay"

#: What an audit shows where it lacks a parameter, a number or a package.
MISSING = "–"

#: What pages note of their visitors. It follows from what was changed, and no one chooses it; what
#: it does to a guarantee is in the numbers.
NOTED = ("looked", "threshold_moved", "bins_moved", "asked_late", "asked_delta")

#: Characters of a name here.
_LONGEST = 80

#: Fields of data that say what they are, and their names in a sentence.
_DATA = {"sha256": "the content", "key": "the data set", "reread": "what was reread"}


@dataclass(frozen=True)
class ComparedNumber:
    """A number in each of several audits.

    Parameters
    ----------
    name, title : str
        As of `AuditNumber`.
    numbers : tuple of AuditNumber or None
        One per audit; None where it has no number of this name.
    """

    name: str
    title: str
    numbers: tuple[AuditNumber | None, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        """The number in each audit, as its page shows it; with its δ, where that differs."""
        named = self.of_several
        return tuple(MISSING if one is None else _shown(one, named) for one in self.numbers)

    @property
    def of_several(self) -> bool:
        """Whether audits bound different quantities, such as ε at several δ."""
        bounds = [one.bound for one in self.numbers if one is not None and one.bound is not None]
        return len({bound.at for bound in bounds}) > 1

    @property
    def terms(self) -> tuple[tuple[str, ...], ...]:
        """Guarantee, confidence and assumptions in each audit."""
        return tuple(() if one is None else one.terms for one in self.numbers)

    @property
    def differs(self) -> bool:
        """Whether audits have different numbers or different guarantees, in any digit."""
        first, *others = (
            # A bound that asks for a choice is none yet.
            None if one is None else one.ask or (one.bound, one.text, one.note)
            for one in self.numbers
        )
        return any(one != first for one in others)


@dataclass(frozen=True, eq=False)
class AuditComparison:
    """Two or more audits side by side, and what differs between them.

    Parameters
    ----------
    audits : tuple of Audit

    Raises
    ------
    ArchiveError
        Fewer than two audits.
    """

    audits: tuple[Audit, ...]

    def __post_init__(self) -> None:
        _checks.fields(self)
        if len(self.audits) < 2:
            raise ArchiveError(
                f"a comparison needs at least two audits, got {len(self.audits)}; give their names"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the audits in one line; where they are the same, with a time or a number."""
        names = [_one_line(one.name or one.title) for one in self.audits]
        same = Counter(names)
        names = [
            f"{name} ({one.made.astimezone():%Y-%m-%d %H:%M})" if same[name] > 1 else name
            for name, one in zip(names, self.audits, strict=True)
        ]
        same = Counter(names)
        numbers: Counter[str] = Counter()
        for place, name in enumerate(names):
            numbers[name] += 1
            names[place] = f"{name}, {numbers[name]}" if same[name] > 1 else name
        return tuple(names)

    # -- what differs -------------------------------------------------------------------------

    @property
    def pages(self) -> tuple[str, ...]:
        """Titles of the pages, or () where all audits are of one page."""
        titles = tuple(one.title for one in self.audits)
        return titles if len({one.page for one in self.audits}) > 1 else ()

    @cached_property
    def parameters(self) -> Mapping[str, tuple[Any, ...]]:
        """The parameters that differ: values by name, one per audit."""
        found = _different([one.settings for one in self.audits])
        return {name: values for name, values in found.items() if name not in NOTED}

    @cached_property
    def data(self) -> Mapping[str, tuple[AuditData | None, ...]]:
        """The data that differ: data sets by parameter, one per audit.

        Names and times do not count, but content and reading.
        """
        sets = [{one.parameter: one for one in audit.data} for audit in self.audits]
        names = list(dict.fromkeys(name for one in sets for name in one))
        found = {name: tuple(one.get(name) for one in sets) for name in names}
        return {name: each for name, each in found.items() if _data_differ(each)}

    @cached_property
    def software(self) -> Mapping[str, tuple[str, ...]]:
        """The packages that differ: versions by name, one per audit."""
        return _different([one.software for one in self.audits])

    @property
    def plans(self) -> tuple[str, ...]:
        """The plan of each audit, or () where it is the same."""
        plans = tuple(
            MISSING if one.plan is None else f"{one.plan.name} ({one.plan.sha256[:8]})"
            for one in self.audits
        )
        return plans if len(set(plans)) > 1 else ()

    @cached_property
    def numbers(self) -> tuple[ComparedNumber, ...]:
        """All numbers by name, in the order of the first audit that has them."""
        sets = [{one.name: one for one in audit.numbers} for audit in self.audits]
        titles = {name: one.title for each in reversed(sets) for name, one in each.items()}
        names = dict.fromkeys(name for each in sets for name in each)
        return tuple(
            ComparedNumber(name, titles[name], tuple(each.get(name) for each in sets))
            for name in names
        )

    def explain(self) -> str:
        """What differs, in sentences, one per line."""
        return "\n".join(self._sentences())

    # -- charts -------------------------------------------------------------------------------

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """Names of the figures whose curves can be laid over each other."""
        can_overlay = resolve_name(_CAN_OVERLAY)
        sets = [{one.name: one.figure for one in audit.figures} for audit in self.audits]
        shared = [name for name in sets[0] if all(name in one for one in sets)]
        return tuple(name for name in shared if can_overlay([one[name] for one in sets]))

    def overlay(self, name: str) -> dict[str, Any]:
        """The curves of a figure of all audits in one chart.

        Parameters
        ----------
        name : str
            One of `figures`.

        Returns
        -------
        dict
            In plotly's format with colors as roles. Each audit has a color, which the key names.
        """
        if _checks.text(name, "name") not in self.figures:
            shared = f"they share {', '.join(self.figures) or 'none'}"
            raise ArchiveError(
                f"the audits share no figure {_checks.shown(name)} with curves"
                f"{did_you_mean(name, self.figures)}; {shared}"
            )
        figures = [one.figure for audit in self.audits for one in audit.figures if one.name == name]
        return dict(resolve_name(_OVERLAY)(figures, self.names))

    # -- tables -------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """What differs and all numbers as text: a row each, a column per audit.

        The index has what it is ("origin", where an audit was imported, "page", "parameter",
        "data", "number", "software", "plan") and its name.
        """
        import pandas as pd

        rows = list(self._rows())
        index = pd.MultiIndex.from_tuples([(kind, name) for kind, name, _ in rows])
        return pd.DataFrame([texts for _, _, texts in rows], index, list(self.names))

    def __repr__(self) -> str:
        return f"AuditComparison({', '.join(map(repr, self.names))})"

    def _repr_html_(self) -> str:
        rows = [("", *self.names), *((name, *texts) for _, name, texts in self._rows())]
        return table("Comparison of audits", rows, " ".join(self._sentences()))

    # -- steps --------------------------------------------------------------------------------

    def _rows(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        if any(one.imported is not None for one in self.audits):
            yield (
                "origin",
                "origin",
                tuple(o.imported.short if o.imported else "made here" for o in self.audits),
            )
        if self.pages:
            yield "page", "page", self.pages
        for name, values in self.parameters.items():
            yield "parameter", name, tuple(map(_text, values))
        for name, sets in self.data.items():
            yield "data", name, tuple(MISSING if one is None else one.name for one in sets)
        if self.plans:
            yield "plan", "plan", self.plans
        for number in self.numbers:
            terms = (", ".join(one) for one in number.terms)
            yield (
                "number",
                number.title,
                tuple(f"{a} ({b})" if b else a for a, b in zip(number.shown, terms, strict=True)),
            )
        for name, versions in self.software.items():
            yield "software", name, versions

    def _sentences(self) -> Iterator[str]:
        for name, one in zip(self.names, self.audits, strict=True):
            if one.imported is not None:
                yield (f"“{name}” was {one.imported.short}: what it states was not checked here.")
        if self.pages:
            yield f"The audits are of different pages: {self._each(self.pages)}."
        for name, values in self.parameters.items():
            yield f"The parameter {name} differs: {self._each(tuple(map(_text, values)))}."
        for name, sets in self.data.items():
            shown = tuple(MISSING if one is None else one.name for one in sets)
            what = " and ".join(_what_differs(sets))
            yield f"The data of {name} differ in {what}: {self._each(shown)}."
        if self.plans:
            yield f"The plans differ: {self._each(self.plans)}."
        for package, versions in self.software.items():
            yield f"The version of {package} differs: {self._each(versions)}."
        if not (self.pages or self.parameters or self.data or self.plans or self.software):
            yield "The audits have the same page, parameters, data, plan and software."
        changed = [one.title for one in self.numbers if one.differs]
        if changed:
            yield f"{len(changed)} of {len(self.numbers)} numbers differ: {', '.join(changed)}."
        elif self.numbers:
            yield f"All {len(self.numbers)} numbers are the same."

    def _each(self, texts: tuple[str, ...]) -> str:
        pairs = zip(self.names, texts, strict=True)
        return ", ".join(f"{text} in “{name}”" for name, text in pairs)


def _shown(number: AuditNumber, named: bool) -> str:
    """A number as its page shows it; if ``named`` with what it bounds, such as ε at δ = 1e-5."""
    if named and number.bound is not None and not number.ask:
        return f"{number.bound.symbol} {number.shown}"
    return number.shown


def _different(sets: list[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """The values that are not the same in all sets, by name."""
    names = dict.fromkeys(name for one in sets for name in one)
    found = {name: tuple(one.get(name, MISSING) for one in sets) for name in names}
    return {n: values for n, values in found.items() if any(one != values[0] for one in values)}


def _data_differ(sets: tuple[AuditData | None, ...]) -> bool:
    return any(one is None for one in sets) or bool(_what_differs(sets))


def _what_differs(sets: tuple[AuditData | None, ...]) -> list[str]:
    """What differs between data sets, in words."""
    there = [one for one in sets if one is not None]
    if len(there) < len(sets):
        return ["whether there are any"]
    found = [
        words for name, words in _DATA.items() if len({getattr(one, name) for one in there}) > 1
    ]
    if any(_without_seed(one.reading) != _without_seed(there[0].reading) for one in there):
        found.append("how they were read")
    # Other data have a number of their own.
    seeds = {one.reading.get("seed") for one in there}
    if len(seeds) > 1 and len({(one.sha256, one.key) for one in there}) == 1:
        found.append("the number that splits follow from")
    return found


def _without_seed(reading: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in reading.items() if name != "seed"}


def _one_line(name: str) -> str:
    text = " ".join(name.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _text(value: Any) -> str:
    """A parameter in one line."""
    if isinstance(value, str):
        return value or "nothing"
    return f"{value:.10g}" if isinstance(value, float) else _checks.shown(value)
