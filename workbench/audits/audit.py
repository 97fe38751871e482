"""`Audit`: what a page showed, of which data, with which settings, by which software."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Self

from workbench import _checks, _json
from workbench.audits.imported import Imported
from workbench.audits.items import AuditData, AuditFigure, AuditNumber, AuditSentence
from workbench.audits.plan import Deviation, RegisteredPlan
from workbench.bounds.bound import Bound

if TYPE_CHECKING:
    import pandas as pd

#: Version of what `Audit.to_dict` returns, the audit card.
CARD_VERSION = 1

#: ``"module:callable"`` that writes a report; above this floor.
_WRITE_REPORT = "workbench.reports.write:write_report"


@dataclass(frozen=True, eq=False)
class Audit:
    """What a page showed, of which data, with which settings, by which software.

    `wb.audit` makes one from scores, `View.audit` from a page in a notebook, and
    ``workspace.audits`` keeps those that were saved. A saved audit is never changed: a new version
    refers to the old one.

    Parameters
    ----------
    page : str
        Name of the page.
    title : str
        Title of the page.
    settings : mapping
        All settings of the page, as `workbench.pages.core.page.Page.settings`.
    data : tuple of AuditData
    numbers : tuple of AuditNumber
    sentences : tuple of AuditSentence
    figures : tuple of AuditFigure
    verdicts : tuple of dict
        Verdicts on claims, as `Verdict.to_dict` with ±∞ as strings.
    code : str
        The Python that computes the numbers.
    made : datetime
        When, with a time zone.
    software : mapping of str to str
        See `workbench.software.versions.software`.
    by : str
        Who made it; "" where nobody said.
    plan : RegisteredPlan, optional
        The plan that it was made under.
    deviations : tuple of Deviation
        How it deviates from the plan.
    name, note : str
    tags : tuple of str
    key : str
        Names it in its archive; "" until it is saved.
    previous : str
        Key of the audit that this one is a new version of.
    series : str
        Name of the series that it belongs to; "" for none.
    position : int
        Its number in the series, from 1; 0 for none.
    imported : Imported, optional
        Where it was taken in from a file: when and by whom. None for an audit made here.
    live : Page, optional
        The page, where the audit comes from one of this program; it is not stored.
    """

    page: str
    title: str
    settings: Mapping[str, Any]
    data: tuple[AuditData, ...]
    numbers: tuple[AuditNumber, ...]
    sentences: tuple[AuditSentence, ...]
    figures: tuple[AuditFigure, ...] = field(repr=False)
    code: str = field(repr=False)
    made: datetime
    software: Mapping[str, str] = field(repr=False)
    verdicts: tuple[Mapping[str, Any], ...] = ()
    by: str = ""
    plan: RegisteredPlan | None = None
    deviations: tuple[Deviation, ...] = ()
    name: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()
    key: str = ""
    previous: str = ""
    series: str = ""
    position: int = 0
    imported: Imported | None = None
    live: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def bounds(self) -> dict[str, Bound]:
        """The bounds by name of the number."""
        return {one.name: one.bound for one in self.numbers if one.bound is not None}

    def to_frame(self) -> pd.DataFrame:
        """All numbers, one row each: name, title, text, and the fields of `Bound`."""
        import pandas as pd

        return pd.DataFrame(
            {
                "name": one.name,
                "title": one.title,
                "text": one.text if one.bound is None else one.bound.rounded,
                **({} if one.bound is None else one.bound.to_dict()),
            }
            for one in self.numbers
        )

    @property
    def sha256(self) -> str:
        """Hash of `text`, the same in every archive."""
        return hashlib.sha256(self.text.encode("ascii")).hexdigest()

    @property
    def text(self) -> str:
        """The card without what belongs to an archive, key and import, as JSON in ASCII."""
        kept = {n: value for n, value in self.to_dict().items() if n not in ("key", "imported")}
        return _json.dumps_ascii(kept, sort_keys=True)

    def named(self, name: str, note: str = "", tags: tuple[str, ...] = ()) -> Self:
        """The same audit under a name.

        Parameters
        ----------
        name, note : str
        tags : tuple of str
        """
        return replace(self, name=name, note=note, tags=tags)

    def report(self, path: str | Path, **options: Any) -> Path:
        """Write a report; the ending of the path chooses its format.

        Parameters
        ----------
        path : str or pathlib.Path
            ``.html``, ``.pdf``, ``.md``, ``.json`` (the audit card) or ``.ipynb`` (a notebook that
            computes the numbers).
        **options
            See `workbench.reports.write.write_report`; ``form="one-page"`` writes the answer on one
            page of A4, ``"both"`` that page and the complete report.

        Returns
        -------
        pathlib.Path
            Of the file.
        """
        return Path(resolve_name(_WRITE_REPORT)(self, path, **options))

    # -- the card -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """The audit card: all but the figures as JSON values.

        Only the card of an imported audit has the field ``imported``.
        """
        return {
            "card": CARD_VERSION,
            "key": self.key,
            "name": self.name,
            "note": self.note,
            "tags": list(self.tags),
            "page": self.page,
            "title": self.title,
            "made": self.made.isoformat(),
            "by": self.by,
            "previous": self.previous,
            "series": self.series,
            "position": self.position,
            "data": [one.to_dict() for one in self.data],
            "settings": dict(self.settings),
            "numbers": [one.to_dict() for one in self.numbers],
            "sentences": [one.to_dict() for one in self.sentences],
            "verdicts": [dict(one) for one in self.verdicts],
            "plan": None if self.plan is None else self.plan.to_dict(),
            "deviations": [asdict(one) for one in self.deviations],
            "code": self.code,
            "software": dict(self.software),
            **({} if self.imported is None else {"imported": self.imported.to_dict()}),
        }

    @classmethod
    def from_dict(cls, card: Mapping[str, Any], figures: tuple[AuditFigure, ...] = ()) -> Self:
        """The audit of a card.

        Parameters
        ----------
        card : mapping
            What `to_dict` returned.
        figures : tuple of AuditFigure

        Raises
        ------
        TypeError, ValueError
            Something else than a card of this version.
        """
        _checks.instance(card, Mapping, "card", "a dict of Audit.to_dict()")
        if card.get("card") != CARD_VERSION:
            raise ValueError(
                f"an audit card of version {_checks.shown(card.get('card'))}; this program reads "
                f"{CARD_VERSION}"
            )
        try:
            imported = card.get("imported")
            rest = {name: value for name, value in card.items() if name != "card"}
            return cls(
                **{
                    **rest,
                    "tags": tuple(card["tags"]),
                    "made": datetime.fromisoformat(card["made"]),
                    "data": tuple(map(AuditData.from_dict, card["data"])),
                    "numbers": tuple(map(AuditNumber.from_dict, card["numbers"])),
                    "sentences": tuple(AuditSentence(**one) for one in card["sentences"]),
                    "verdicts": tuple(card["verdicts"]),
                    "plan": None
                    if card["plan"] is None
                    else RegisteredPlan.from_dict(card["plan"]),
                    "deviations": tuple(Deviation(**one) for one in card["deviations"]),
                    "imported": None if imported is None else Imported.from_dict(imported),
                    "figures": figures,
                }
            )
        except (KeyError, AttributeError) as error:
            raise ValueError(f"this is no card of an audit: {error} is missing") from None
