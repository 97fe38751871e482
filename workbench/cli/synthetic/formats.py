"""The output of `workbench synthetic`: text, JSON, markdown, JUnit XML and annotations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from workbench._format import percent, round_safely
from workbench._markup import code_span, visible
from workbench._markup import escape_markdown as markdown
from workbench.bounds.power.verdict import NOT_REFUTED, REFUTED, TOO_FEW
from workbench.cli.output import Case, annotation, one_line, to_json, to_junit
from workbench.cli.score_audit.formats import require_result
from workbench.cli.synthetic.findings import Findings
from workbench.onerun.judged import GuessVerdict
from workbench.synthetic.threats.base import Threat, leaking

#: Version of the JSON.
VERSION = 1

#: Records and columns of a threat that the text names.
_NAMED = 5

#: Of a verdict that is not valid.
_VOID = "not judged"


def require_claims(form: str, there: bool) -> None:
    """Refuse formats that have something per claim where there is no claim.

    Parameters
    ----------
    form : str
        A key of `FORMATS`.
    there : bool

    Raises
    ------
    ValueError
        There is none.
    """
    require_result(form, there)


def as_text(found: Findings) -> str:
    """The answer, verdicts, threats, and what is told of the tables."""
    audit = found.audit
    lines = [f"{found.answer} {found.bound}", _about(found)]
    for verdict in found.verdicts:
        lines += ["", verdict.explain()]
    lines += ["", *_threat_table(found)]
    if leading := list(_leading(found.threats, found.confidence)):
        lines += ["", *leading]
    lines += ["", found.bound.explain(), audit.split_test.explain()]
    if audit.tables.remarks:
        lines += ["", *(f"- {visible(remark.text)}" for remark in audit.tables.remarks)]
    return "\n".join(lines)


def _about(found: Findings) -> str:
    """The tables, in a sentence."""
    tables = found.audit.tables
    inside = int(tables.included.sum())
    kinds = ", ".join(f"{visible(one.name)} ({one.kind})" for one in tables.used)
    return (
        f"{inside:,} {tables.counted} in {visible(found.names[0])}, {tables.canaries - inside:,} "
        f"in {visible(found.names[1])}, {len(tables.synthetic):,} records in "
        f"{visible(found.names[2])}; seed {tables.seed}\ncolumns: {kinds}"
    )


_HEAD = ("threat", "members", "held out", "difference", "p", "ε")


def _row(threat: Threat) -> tuple[str, ...]:
    low, high = threat.difference_limits
    epsilon = threat.epsilon
    return (
        threat.label,
        _share(threat.hits, threat.members),
        _share(threat.held_out_hits, threat.held_out),
        f"{_points(low, 'down')} to {_points(high, 'up')}",
        round_safely(threat.p_value, "up", 2),
        "–" if epsilon is None or epsilon.void else f"{epsilon.relation} {epsilon.rounded}",
    )


def _share(hits: int, tried: int) -> str:
    share = f" ({100 * hits / tried:.1f}%)" if tried else ""
    return f"{hits:,} of {tried:,}{share}"


def _points(value: float, to: str) -> str:
    return f"{round_safely(100 * value, to, 2)}%"


def _notes(found: Findings) -> tuple[str, ...]:
    """What the columns of the table of threats assume."""
    exact = {
        "coin": "p and ε assume the coins alone",
        "fixed-size": "p and ε assume the random part alone",
        "given": "the split was not random, so that p compares two populations",
    }[found.audit.split]
    turns = [one.confidence for one in found.threats if one.name == "inference"]
    each = f", {percent(turns[0])} where columns are inferred in turn" if len(turns) > 1 else ""
    return (
        f"The limits of the difference are exact ({percent(found.confidence)}{each}) if records "
        f"are independent; {exact}. Each threat has its own error probability.",
    )


def _threat_table(found: Findings) -> list[str]:
    if not found.threats:
        return ["No threat was measured."]
    rows = [_HEAD, *map(_row, found.threats)]
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return [*lines, *_notes(found)]


def _leading(threats: tuple[Threat, ...], confidence: float) -> Iterator[str]:
    """Of each threat that is shown to leak, the training records and the columns."""
    shown = leaking(threats, confidence)
    if shown:
        yield (
            f"Shown to leak, all together with {percent(confidence)} (Holm), with rows of the "
            "training table, counted from 1:"
        )
    for one in shown:
        strongest = np.lexsort((one.row, one.distance))
        rows = one.row[strongest][one.is_member[strongest]] + 1
        more = f" and {rows.size - _NAMED:,} more" if rows.size > _NAMED else ""
        used = ", ".join(
            f"{visible(name)} ({n:,})" for name, n in islice(one.column_counts.items(), _NAMED)
        )
        how = {"singling-out": "by", "copies": "the same in"}.get(one.name)
        yield (
            f"- {visible(one.label)} (p = {round_safely(one.p_value, 'up', 2)}): rows "
            f"{', '.join(map(str, rows[:_NAMED].tolist()))}{more}"
            + (f"; {how} {used}" if how and used else "")
        )


def as_json(found: Findings) -> str:
    """The findings as JSON; ±∞ and NaN, which JSON lacks, are strings."""
    audit, tables, test = found.audit, found.audit.tables, found.audit.split_test
    inside = int(tables.member.sum())
    report: dict[str, Any] = {
        "version": VERSION,
        "answer": found.answer,
        "tables": {
            "files": list(found.names),
            "training": inside,
            "holdout": tables.records - inside,
            "synthetic": len(tables.synthetic),
            "units": tables.canaries if tables.units is not None else None,
            "unit": tables.unit,
            "seed": tables.seed,
            "columns": [
                {
                    "name": one.name,
                    "kind": one.kind,
                    "distinct": one.distinct,
                    "missing": one.missing,
                    "reason": one.reason,
                }
                for one in tables.columns
            ],
            "remarks": [
                {"about": one.word, "text": one.text, "count": one.count} for one in tables.remarks
            ],
        },
        "split": {
            "stated": audit.split,
            "p_value": test.p_value,
            "coins_p_value": test.coins,
            "passed": test.passed,
        },
        "chosen": audit.chosen,
        "attacks": audit.to_frame().to_dict("records"),
        "epsilon": {
            **found.bound.to_dict(),
            "rounded": found.bound.rounded,
            "terms": found.bound.terms,
        },
        "threats": [one.to_dict() for one in found.threats],
        "leaking": [one.label for one in leaking(found.threats, found.confidence)],
    }
    if found.verdicts:
        report["claims"] = {
            "version": VERSION,
            "status": found.status,
            "verdicts": [_verdict(one) for one in found.verdicts],
        }
    return to_json(report)


def _verdict(one: GuessVerdict) -> dict[str, Any]:
    return {
        "claim": one.claimed,
        "verdict": _VOID if one.void else one.verdict,
        "void": one.void,
        "confidence": one.confidence,
        "p_value": one.p_value,
        "relation": one.relation,
        "guesses": one.guesses.guesses,
        "correct": one.guesses.correct,
        "bound": one.bound.to_dict(),
        "text": one.explain(),
    }


def as_markdown(found: Findings) -> str:
    """The findings as markdown tables."""
    lines = [
        "### Synthetic table",
        "",
        f"**{markdown(found.answer)}** {markdown(str(found.bound))}",
    ]
    if found.verdicts:
        lines += ["", "| claim | verdict | which rests on |", "|---|---|---|"]
        lines += [
            f"| {code_span(one.claimed)} | **{_VOID if one.void else one.verdict}** "
            f"| {markdown(_rests_on(one))} |"
            for one in found.verdicts
        ]
    if found.threats:
        lines += ["", f"| {' | '.join(_HEAD)} |", "|---" * len(_HEAD) + "|"]
        lines += [
            f"| {' | '.join(markdown(one_line(cell)) for cell in _row(one))} |"
            for one in found.threats
        ]
        lines += ["", *map(markdown, _notes(found))]
    lines += [""] * bool(found.audit.tables.remarks)
    lines += [f"- {markdown(remark.text)}" for remark in found.audit.tables.remarks]
    return "\n".join(lines)


def _rests_on(one: GuessVerdict) -> str:
    made = one.guesses
    said = f"{made.correct:,} of {made.guesses:,} guesses right, {one.bound}"
    return f"{said}; {one.void}" if one.void else said


_OUTCOME = {REFUTED: "failure", TOO_FEW: "skipped", NOT_REFUTED: "passed"}
_LEVEL = {REFUTED: "error", TOO_FEW: "warning", NOT_REFUTED: "notice"}


def as_junit(found: Findings) -> str:
    """A test case per claim: a failure if it is refuted, skipped if nothing can be told."""
    facts = {
        "epsilon": str(found.bound),
        "split": found.audit.split,
        "seed": str(found.audit.tables.seed),
    }
    cases = [
        Case(
            one.claimed,
            "skipped" if one.void else _OUTCOME[one.verdict],
            _VOID if one.void else one.verdict,
            f"{_VOID if one.void else one.verdict}: {_rests_on(one)}",
            one.explain(),
        )
        for one in found.verdicts
    ]
    return to_junit("workbench synthetic", visible(found.names[2]), facts, cases)


def as_github(found: Findings) -> str:
    """An annotation per claim: an error if it is refuted, a warning if nothing can be told."""
    return "\n".join(
        annotation(
            "warning" if one.void else _LEVEL[one.verdict],
            f"{one.claimed}: {_VOID if one.void else one.verdict}",
            one.explain(),
        )
        for one in found.verdicts
    )


FORMATS: dict[str, Callable[[Findings], str]] = {
    "text": as_text,
    "json": as_json,
    "markdown": as_markdown,
    "junit": as_junit,
    "github": as_github,
}
