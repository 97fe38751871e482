"""`Contents`: the parts of a report, in words and rows, before they become a document."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import param

from workbench import _json
from workbench._format import percent, plain
from workbench.assets.board import content
from workbench.audits.audit import Audit
from workbench.audits.items import AuditData, AuditNumber
from workbench.bounds.citations import references
from workbench.claims.fields import LABELS
from workbench.coverage_lab.measured import measured
from workbench.pages.auditing.notebook import NOT_SHOWN
from workbench.pages.auditing.steps import code_cells
from workbench.pages.core.page import Page
from workbench.pages.core.settings import setting_text
from workbench.pages.core.sliders import displayed
from workbench.pages.registry import PAGES
from workbench.reports.states import recorded
from workbench.reports.summary import Summary, summary

#: Parameters that are always shown unfolded.
MAIN = ("threshold", "log_delta", "confidence")

#: A label and what it says.
Row = tuple[str, str]


@dataclass(frozen=True)
class NumberCard:
    """A number as the page shows it, with its texts.

    Parameters
    ----------
    title : str
    relation, value : str
    badge, tone : str
        The guarantee, and its color on the page.
    note : str
        Confidence, assumptions, and why the number is not valid.
    explanation, caution : str
    rank : {"bound", "estimate", "fact"}
    """

    title: str
    relation: str
    value: str
    badge: str
    tone: str
    note: str
    explanation: str
    caution: str
    rank: str


@dataclass(frozen=True)
class CitedSource:
    """A source: as text, and as BibTeX."""

    text: str
    bibtex: str


class Contents:
    """The parts of a report.

    Parameters
    ----------
    audit : Audit
    page : Page, optional
        In the state of the audit: it knows which parameters it offers, and their defaults.
    """

    def __init__(self, audit: Audit, page: Page | None = None):
        self.audit = audit
        self._page = page

    @property
    def title(self) -> str:
        """The name of the audit, or its page and data."""
        names = " and ".join(one.name for one in self.audit.data)
        return self.audit.name or (f"{self.audit.title}: {names}" if names else self.audit.title)

    @property
    def facts(self) -> list[Row]:
        """When, by whom, on which page, under which name it is kept."""
        audit = self.audit
        imported = "" if audit.imported is None else audit.imported.short
        rows = [
            ("Origin", imported and f"{imported[0].upper()}{imported[1:]}"),
            ("Made", f"{audit.made:%d %B %Y, %H:%M} {audit.made:%Z}".lstrip("0")),
            ("By", audit.by),
            ("Kind of audit", audit.title),
            ("Tags", ", ".join(audit.tags)),
            ("Series", f"{audit.series}, number {audit.position}" if audit.series else ""),
            ("New version of", audit.previous),
            ("Key", audit.key),
        ]
        return [(label, text) for label, text in rows if text]

    @cached_property
    def summary(self) -> Summary:
        """The audit in plain sentences."""
        return summary(self.audit)

    @cached_property
    def cards(self) -> list[NumberCard]:
        """The numbers."""
        drawn = recorded(self.audit)
        found = []
        for one in self.audit.numbers:
            shown = _json.loads(content(drawn[one.name]))
            shown.pop("reason", None)
            if one.bound is not None:
                none = f"The audit has no such number: {one.bound.void}."
                shown["explanation"] = none if one.ask else one.bound.explain()
            else:
                shown["explanation"] = one.help
            found.append(NumberCard(one.title, caution=one.caution, **shown))
        return found

    @property
    def guarantees(self) -> list[Row]:
        """What the guarantees of the numbers withstand, and how methods did in simulations."""
        bounds = self.audit.bounds.values()
        kept = dict.fromkeys((b.guarantee, b.survival) for b in bounds if b.survival)
        tried = dict.fromkeys((b.method, measured().sentence(b.method)) for b in bounds)
        return [(name, text) for name, text in (*kept, *tried) if text]

    @property
    def said(self) -> list[str]:
        """What the page says beside its numbers."""
        return [s.text for s in self.audit.sentences if s.text and s.place in ("text", "foot")]

    @property
    def data(self) -> list[tuple[str, list[Row]]]:
        """The data sets: their names, and what is known of them."""
        return [(one.name, list(_data_rows(one))) for one in self.audit.data]

    @cached_property
    def parameters(self) -> tuple[list[Row], list[Row]]:
        """Labels and values of the parameters: the main ones and those that were set; the rest."""
        kind = PAGES[self.audit.page].kind if self.audit.page in PAGES else None
        changed: list[Row] = []
        usual: list[Row] = []
        fresh = {} if self._page is None else self._page.at_start().settings()
        offered = set() if kind is None else _control_names(kind)
        for name, value in self.audit.settings.items():
            if kind is None or name not in kind.param or name not in offered:
                continue
            if self._page is not None and not _offered(self._page, name):
                continue
            parameter = kind.param[name]
            default = fresh[name] if name in fresh else _default(parameter)
            row = (str(parameter.label), setting_text(parameter, value))
            main = name in (*kind.main, *MAIN)
            (changed if main or value != default else usual).append(row)
        return changed, usual

    @property
    def plan(self) -> list[Row]:
        """The plan that the audit was made under."""
        plan = self.audit.plan
        if plan is None:
            return []
        sizes = f"{plan.n_p:,} + {plan.n_q:,}" if plan.n_p and plan.n_q else ""
        bins = "" if plan.bins is None else ", ".join(f"{k} = {v}" for k, v in plan.bins.items())
        rows = [
            ("Name", plan.name),
            ("Stored", f"{plan.created:%Y-%m-%d %H:%M:%S} UTC"),
            ("SHA-256", plan.sha256),
            ("Data", plan.data),
            ("Direction", _direction(plan.larger_is_member)),
            ("Rows are", plan.sampling),
            ("Threshold", "" if plan.threshold is None else displayed(plan.threshold)),
            ("Bins", bins),
            ("δ", plain(plan.delta)),
            ("Confidence", percent(plan.confidence)),
            ("Interval", plan.interval),
            ("Claim", plan.claim),
            ("Sample sizes", sizes),
            ("Stopping rule", plan.stopping),
        ]
        return [(label, text) for label, text in rows if text]

    @property
    def deviations(self) -> list[tuple[str, str, str, str]]:
        """How the audit departs from its plan: what, planned, done, consequence."""
        return [
            (d.what, d.planned, d.done, "voids bounds" if d.voids else "changes no guarantee")
            for d in self.audit.deviations
        ]

    @property
    def verdicts(self) -> list[tuple[str, str, str]]:
        """Claims: the claim, the verdict, and the evidence."""
        return [
            (str(v["claim"]), str(v["verdict"]), str(v["explanation"])) for v in self.audit.verdicts
        ]

    @property
    def claim_fields(self) -> list[tuple[str, list[Row]]]:
        """What each claim is about, beside its numbers, where that was stated."""
        return [
            (
                str(v["claim"]),
                [(LABELS.get(name, str(name)), str(one)) for name, one in fields.items()],
            )
            for v in self.audit.verdicts
            if isinstance(fields := v.get("fields"), Mapping)
        ]

    @cached_property
    def references(self) -> list[CitedSource]:
        """The sources of the methods, each once."""
        found: dict[str, None] = {}
        for bound in self.audit.bounds.values():
            found |= dict.fromkeys(re.split(r"\n\n(?=@)", _cited(bound.method)))
        found.pop("", None)
        rows = {row.bibtex: row for row in references().itertuples()}
        return sorted((_reference(entry, rows.get(entry)) for entry in found), key=str)

    @property
    def versions(self) -> list[Row]:
        """Names and versions of the software."""
        return list(self.audit.software.items())

    @property
    def install(self) -> str:
        """The shell commands that install what computes the numbers."""
        software = self.audit.software
        python = ".".join(software.get("python", "3").split(".")[:2])
        version = software.get("dp-audit-workbench", "")
        package = f"'dp-audit-workbench[files,mechanisms]=={version}'"
        return (
            f"python{python} -m venv audit && . audit/bin/activate\npython -m pip install {package}"
        )

    @cached_property
    def program(self) -> str:
        """The Python program that computes and prints the numbers; as recorded if it is none."""
        numbers = {one.name: one for one in self.audit.numbers}
        shown = {name for name, one in numbers.items() if one.shown not in NOT_SHOWN}
        try:
            steps = code_cells(self.audit)
        except ValueError:  # a stranger's audit
            return self.audit.code
        imports, *rest = steps
        parts = []
        for step in rest:
            unused = step.names and not shown & set(step.names) and set(step.sets) <= set(numbers)
            if step.sets == ("view",) or unused:  # the page itself, or a job that nobody ran
                continue
            prints = [f"print({_label(numbers[n])!r}, {n})" for n in step.names if n in shown]
            parts.append("\n".join([step.source, *prints]))
        # Processes that share long work read the file, too.
        body = textwrap.indent("\n\n".join(parts), "    ")
        return f'{imports.source}\n\nif __name__ == "__main__":\n{body}'

    @property
    def checks(self) -> list[tuple[str, str]]:
        """For data from files: how to check that a file is the one, and its hash."""
        home = "WORKBENCH_HOME=check workbench data"
        return [
            (f"{home} add {' '.join(map(_quoted, one.files))}\n{home} list --json", one.sha256)
            for one in self.audit.data
            if one.files
        ]


def _data_rows(data: AuditData) -> Iterator[Row]:
    yield "Source", data.source
    if data.reading:
        from workbench.workspaces.reading import Reading

        yield "Read as", Reading.from_dict(dict(data.reading)).describe()
    yield "Scores", f"{data.n_p:,} of members + {data.n_q:,} of non-members"
    if data.sha256:
        yield "SHA-256", data.sha256
    if data.opened:
        yield "Opened", data.opened[:19].replace("T", " ") + " UTC"
    if data.reread:
        yield "Changed", f"{data.reread} was changed after results were shown"


def _label(number: AuditNumber) -> str:
    """What the program prints before a number."""
    void = number.bound.void if number.bound is not None else None
    return f"{number.title} (not valid: {void}):" if void else f"{number.title}:"


def _quoted(name: str) -> str:
    return "'" + name.replace("'", "'\\''") + "'"


def _offered(page: Page, name: str) -> bool:
    controls = (c for section in page.sections for c in section.controls if c.name == name)
    return any(control.offered(page) for control in controls)


def _default(parameter: Any) -> Any:
    """The default of a parameter as a setting."""
    if hasattr(parameter, "setting"):
        return parameter.setting(parameter.default)
    if isinstance(parameter, param.Selector):
        named = parameter.get_range()
        return next((label for label, one in named.items() if one == parameter.default), None)
    return parameter.default


def _direction(larger: bool) -> str:
    return f"{'larger' if larger else 'smaller'} scores speak for membership"


def _cited(method: str) -> str:
    from workbench.bounds.citations import bibtex

    try:
        return bibtex(method)
    except ValueError:  # an older or newer version's method
        return ""


def _reference(entry: str, row: Any) -> CitedSource:
    if row is None:
        return CitedSource(entry.splitlines()[0], entry)
    where = f" {row.published}." if row.published else ""
    return CitedSource(f"{row.authors} ({row.year}). {row.title}.{where}", entry)


def _control_names(kind: type[Page]) -> set[str]:
    return {control.name for section in kind.controls for control in section.controls}
