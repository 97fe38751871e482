"""`OnePage`: what a report on one page says, shortened to what a sheet of A4 holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from workbench.audits.items import AuditData, AuditFigure, AuditNumber
from workbench.reports.contents import Contents, NumberCard, Row

#: Numbers on the page.
NUMBERS = 3

#: Data sets that are listed.
DATA_SETS = 2

#: Characters of a part, about: what is longer is shortened, and stands in the complete report.
LONGEST = {
    "words": 60,
    "evidence": 320,
    "title": 120,
    "name": 90,
    "data": 60,
    "warnings": 250,
    "summary": 230,
    "terms": 110,
    "list": 460,
    "settings": 200,
}

#: Page -> the chart that carries its verdict, where that is not the first one.
CHARTS = {"scores": "tradeoff", "family": "normal_paper", "train": "growth", "pairlab": "tradeoff"}

#: Page -> what its audit leaves open. Pages that audit nothing say so in their summary.
NOT_TESTED = {
    "scores": "Other attacks than the one that gave these scores, and other trainings and people "
    "than those that were scored.",
    "counts": "Other attacks and other thresholds than the one that was counted.",
    "onerun": "Other trainings than this one, other kinds of canaries, and other guesses.",
    "records": "Records and models that are not in the table, and other attacks than this one.",
    "synthetic": "Other attacks than these, and other synthetic tables of the same generator.",
    "mechanism": "Pairs of datasets that the search did not try, and other program settings.",
    "watch": "Other attacks than the one that gave these scores.",
    "compare": "Other attacks than those that gave A and B.",
    "family": "Families other than the chosen one.",
    "risk": "Other attacks than the one that gave these scores: between both ends nobody knows.",
    "train": "Other models, data and attacks than those of this training.",
}

#: What a calculation without data rests on.
_CHOSEN = "The settings that were chosen. No data were used."


@dataclass(frozen=True)
class OnePage:
    """What a report on one page says.

    Parameters
    ----------
    words, evidence : str
        The answer, and what it rests on.
    tone : {"bad", "good", "open", "void"}
        What the answer means; see `workbench.pages.core.page.Answer`.
    title : str
        The name of the audit, or its page and data.
    facts : tuple of str
        Kind of audit, when and by whom.
    warnings : tuple of str
        That it was imported, and what the page warns of.
    chart : AuditFigure or None
        The chart that carries the answer; None where the audit has no chart with data.
    summary : str
        What the chart shows, in words.
    numbers : tuple of NumberCard
        At most three: those that answer the question, then bounds, then the others.
    rests_on, not_tested : tuple of str
        Assumptions, and what must not be concluded.
    checks : tuple of (str, str)
        How to check it: data, hashes, programs, versions.
    """

    words: str
    evidence: str
    tone: str
    title: str
    facts: tuple[str, ...]
    warnings: tuple[str, ...]
    chart: AuditFigure | None
    summary: str
    numbers: tuple[NumberCard, ...]
    rests_on: tuple[str, ...]
    not_tested: tuple[str, ...]
    checks: tuple[Row, ...]

    @property
    def size(self) -> int:
        """Characters on the page, about."""
        texts = [self.words, self.evidence, self.title, self.summary]
        lists = (self.facts, self.warnings, self.rests_on, self.not_tested)
        rows = [text for row in self.checks for text in row]
        numbers = [f"{one.title}{one.value}{one.note}" for one in self.numbers]
        return sum(map(len, (*texts, *rows, *numbers, *(text for part in lists for text in part))))


def one_page(contents: Contents) -> OnePage:
    """The report on one page of an audit."""
    audit, found = contents.audit, contents.summary
    words, evidence, tone = _answer(contents)
    chart = _chart(contents)
    said = "" if chart is None else str(chart.figure["layout"]["meta"]["summary"])
    left = NOT_TESTED.get(audit.page, "")
    return OnePage(
        words=shortened(words, LONGEST["words"]),
        evidence=shortened(evidence, LONGEST["evidence"]),
        tone=tone,
        title=shortened(contents.title, LONGEST["title"]),
        facts=tuple(shortened(text, LONGEST["name"]) for text in _facts(contents)),
        warnings=fitted(found.warnings, LONGEST["warnings"]),
        chart=chart,
        summary=shortened(said, LONGEST["summary"]),
        numbers=tuple(_three(contents, words)),
        rests_on=fitted(map(_begun, found.rests_on), LONGEST["list"]) or (_CHOSEN,),
        not_tested=fitted(
            [*([left] if left else []), *found.not_shown, *found.void], LONGEST["list"]
        ),
        checks=tuple(_checks_of(contents)),
    )


def shortened(text: str, most: int) -> str:
    """A text in one line of at most ``most`` characters, cut between words where it has some."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    at_word = cut.rpartition(" ")[0]
    return f"{at_word if len(at_word) > most // 2 else cut}…"


def fitted(texts: Iterable[str], most: int) -> tuple[str, ...]:
    """Texts of ``most`` characters together; what is left out is counted in a last one."""
    kept: list[str] = []
    room, left_out = most, 0
    for text in texts:
        if left_out or (kept and len(text) > room):
            left_out += 1
            continue
        kept.append(shortened(text, room))
        room -= max(len(text), 80)  # a line is taken as a whole
    more = f"{left_out} more in the complete report."
    return tuple([*kept, more] if left_out else kept)


def _answer(contents: Contents) -> tuple[str, str, str]:
    """The answer of the page; of an audit without one, the first statement of its summary."""
    audit, shown = contents.audit, contents.summary.shown
    for one in audit.sentences:
        if one.place == "answer" and one.text:
            return one.text, one.evidence, one.tone or "open"
    if audit.verdicts:
        verdict = str(audit.verdicts[0]["verdict"])
        tone = "bad" if verdict == "refuted" else "open"
        return verdict.capitalize(), str(audit.verdicts[0]["explanation"]), tone
    if not shown:
        return "Nothing to conclude", "The audit has no number with a guarantee.", "void"
    title, text = shown[0]
    value = next((one.shown for one in audit.numbers if one.title == title), "")
    if not title:
        words, _, rest = text.partition(": ")
        short = rest and len(words) < LONGEST["words"]
        return (words, rest, "open") if short else ("Result", text, "open")
    return f"{title} {value}", _begun(text), "open"


def _begun(text: str) -> str:
    """A text with a capital letter."""
    return f"{text[:1].upper()}{text[1:]}"


def _facts(contents: Contents) -> Iterator[str]:
    audit = contents.audit
    if audit.name:
        yield audit.title
    yield f"made {audit.made:%d %B %Y}".replace(" 0", " ")
    if audit.by:
        yield f"by {audit.by}"


def _chart(contents: Contents) -> AuditFigure | None:
    """The chart that carries the answer, or the first one that shows anything."""
    figures = {one.name: one for one in contents.audit.figures if one.figure["data"]}
    wanted = CHARTS.get(contents.audit.page, "")
    return figures.get(wanted) or next(iter(figures.values()), None)


def _three(contents: Contents, words: str) -> Iterator[NumberCard]:
    """The numbers of the page, without those that have no value or repeat the answer."""
    cards = dict(zip(contents.audit.numbers, contents.cards, strict=True))
    of_use = [
        one for one in cards if not one.ask and one.shown not in ("–", "…") and _differs(one, words)
    ]
    for one in sorted(of_use, key=_rank)[:NUMBERS]:
        card = cards[one]
        yield replace(
            card,
            title=shortened(card.title, LONGEST["name"]),
            value=shortened(card.value, LONGEST["words"]),
            note=shortened(card.note, LONGEST["terms"]),
            explanation="",
            caution="",
        )


def _differs(number: AuditNumber, words: str) -> bool:
    return number.shown.casefold() != words.casefold()


def _rank(number: AuditNumber) -> int:
    """Those that answer the question first, then bounds, estimates, facts; invalid ones last."""
    bound = number.bound
    if bound is not None and bound.void:
        return 4
    if number.main:
        return 0
    if bound is None:
        return 3
    return 2 if bound.guarantee == "estimate" else 1


def _checks_of(contents: Contents) -> Iterator[Row]:
    audit = contents.audit
    for one in audit.data[:DATA_SETS]:
        yield "Data", _data(one)
        if one.sha256:
            yield "SHA-256", one.sha256
    if len(audit.data) > DATA_SETS:
        yield "", f"{len(audit.data) - DATA_SETS} more data sets in the complete report."
    settings = "; ".join(f"{label}: {value}" for label, value in contents.parameters[0])
    if settings:
        yield "Settings", shortened(settings, LONGEST["settings"])
    if any(one.sha256 for one in audit.data):
        yield (
            "Same data?",
            "“workbench data add FILE”, then “workbench data list --json”, prints it.",
        )
    named = f"“workbench report {audit.key} -o check.ipynb”" if audit.key else "Share › Notebook"
    yield (
        "Same numbers?",
        f"The notebook of this audit ({named}) computes every number again, and stops at the first "
        "that differs.",
    )
    if audit.key:
        yield "Record", f"SHA-256 {audit.sha256}"
    software = audit.software
    shown = ("dp-audit-workbench", "python", "numpy", "scipy")
    versions = ", ".join(f"{name} {software[name]}" for name in shown if name in software)
    yield "Version", shortened(versions, LONGEST["terms"])


def _data(one: AuditData) -> str:
    parts = [shortened(one.name, LONGEST["data"])]
    if one.n_p or one.n_q:
        parts.append(f"{one.n_p:,} scores of members, {one.n_q:,} of non-members")
    if one.files and one.files != (one.name,):
        parts.append(shortened(" and ".join(one.files), LONGEST["data"]))
    return " · ".join(parts)
