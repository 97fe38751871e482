"""Parts of an audit: the numbers, figures and sentences of its page, and its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self, get_args

from workbench import _checks, _json
from workbench.bounds.bound import Bound


@dataclass(frozen=True)
class AuditNumber:
    """A number of an audit.

    Parameters
    ----------
    name : str
        Name of the item on its page.
    title : str
    bound : Bound, optional
        None for a number without uncertainty.
    text : str
        What is shown for a number without uncertainty.
    note : str
        What is shown beside it; for a bound, by which plan its choices were fixed in advance.
    ask : str
        What has to be chosen before the bound means anything; "" for nothing.
    help, formula, caution : str
        What it shows, its formula, and the limits of what it says.
    main : bool
        True for the number that answers the question of the page.
    """

    name: str
    title: str
    bound: Bound | None = None
    text: str = ""
    note: str = ""
    ask: str = ""
    help: str = ""
    formula: str = ""
    caution: str = ""
    main: bool = False

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def shown(self) -> str:
        """The number as the page shows it, such as "≥ 1.62"; what it asks for where it asks."""
        if self.ask:
            return self.ask
        return self.text if self.bound is None else f"{self.bound.relation} {self.bound.rounded}"

    @property
    def terms(self) -> tuple[str, ...]:
        """Guarantee, note, confidence, assumptions, and why they do not hold."""
        terms = () if self.bound is None else self.bound.terms
        note = (self.note,) if self.note else ()
        return (*terms[:1], *note, *terms[1:])

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values; ±∞, which JSON lacks, are strings, and `main` may lack."""
        return {
            **(_texts(self, "bound") if self.main else _texts(self, "bound", "main")),
            "bound": None if self.bound is None else _json.plain(self.bound.to_dict(), "text"),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The number that `to_dict` described."""
        bound = values["bound"]
        return cls(
            bound=None if bound is None else Bound.from_dict(_numbers(bound)),
            **{name: value for name, value in values.items() if name != "bound"},
        )


#: What an answer means: a leak or violation is shown; what was asked holds; nothing is shown; or
#: nothing may be concluded.
Tone = Literal["bad", "good", "open", "void"]
TONES: tuple[Tone, ...] = get_args(Tone)


@dataclass(frozen=True)
class AuditSentence:
    """A sentence of an audit.

    Parameters
    ----------
    name : str
        Name of the item on its page.
    text : str
        Of the answer of the page, its words.
    place : str
        See `workbench.pages.core.page.Item`.
    evidence : str
        Of the answer of the page, what it rests on.
    tone : {"", "bad", "good", "open", "void"}
        Of the answer of the page, what it means; "" for every other sentence.
    """

    name: str
    text: str
    place: str = "text"
    evidence: str = ""
    tone: str = ""

    def __post_init__(self) -> None:
        _checks.fields(self)
        _checks.one_of(self.tone, "tone", ("", *TONES))

    def __str__(self) -> str:
        return f"{self.text}: {self.evidence}" if self.evidence else self.text

    def to_dict(self) -> dict[str, str]:
        """The fields as JSON values; those of an answer are left out of any other sentence."""
        return asdict(self) if self.tone else _texts(self, "evidence", "tone")


@dataclass(frozen=True, eq=False)
class AuditFigure:
    """A figure of an audit.

    Parameters
    ----------
    name : str
        Name of the item on its page.
    title : str
    figure : dict
        In plotly's format with colors as roles, as the functions of `workbench.figures` return.
    help, formula, caution : str
        As of `AuditNumber`.
    span : int
        Width in twelfths of the page.
    """

    name: str
    title: str
    figure: Mapping[str, Any] = field(repr=False)
    help: str = ""
    formula: str = ""
    caution: str = ""
    span: int = 6

    def __post_init__(self) -> None:
        _checks.fields(self)


@dataclass(frozen=True)
class AuditData:
    """A data set of an audit, as far as the audit names it.

    Parameters
    ----------
    parameter : str
        The parameter of the page that chooses it.
    name, source : str
        Its name, and where it comes from, in words.
    sha256 : str
        Hash of its content (see `workbench.workspaces.content`); "" for examples and draws.
    key : str
        Of an example or a draw; "" for other data sets.
    reading : mapping
        How it was read, as `workbench.workspaces.reading.Reading.to_dict`; empty for examples and
        draws.
    n_p, n_q : int
        Scores of P and of Q.
    reread : str
        The choice of the reading that was changed after results were shown; "" for none.
    opened : str
        When it was added to the workspace, in ISO 8601; "" for examples and draws.
    files : tuple of str
        Names of the files that it came from, members first; empty for other sources.
    """

    parameter: str
    name: str
    source: str
    sha256: str = ""
    key: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict)
    n_p: int = 0
    n_q: int = 0
    reread: str = ""
    opened: str = ""
    files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _checks.fields(self)

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {**asdict(self), "reading": dict(self.reading), "files": list(self.files)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The data set that `to_dict` described."""
        return cls(**{**values, "files": tuple(values["files"])})


def _texts(item: Any, *without: str) -> dict[str, Any]:
    return {f.name: getattr(item, f.name) for f in fields(item) if f.name not in without}


def _numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a bound, with what is written for ±∞ as numbers again."""
    texts = {"Infinity": float("inf"), "-Infinity": float("-inf")}
    return {n: texts.get(v, v) if isinstance(v, str) else v for n, v in values.items()}
