"""`workbench audit FILE --ranks`: exposures of secrets, a bound on ε, and verdicts on claims."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import workbench as wb
from workbench.cli.output import say, to_json
from workbench.cli.score_audit.file_audit import STATUS
from workbench.onerun.ranks.exposure import Exposure

if TYPE_CHECKING:
    from workbench.claims.base import Claim
    from workbench.onerun.judged import GuessVerdict

#: Formats of an audit of ranks.
FORMATS = ("text", "json")

#: Options of `workbench audit` that are about scores, and say nothing of ranks.
_OF_SCORES = (
    "larger_is_member", "p", "q", "score", "member", "member_value", "labels", "cluster",
    "random_part", "series", "save", "baseline",
)  # fmt: skip


def audit_ranks(arguments: argparse.Namespace, claims: list[Claim]) -> int:
    """Print exposures, a bound on ε and verdicts; the exit status.

    Parameters
    ----------
    arguments : argparse.Namespace
    claims : list of Claim

    Raises
    ------
    ValueError
        Options of scores, several files, a format without ranks, a claim with several --top.
    """
    _check(arguments, bool(claims))
    ranks = wb.read_ranks(
        arguments.files[0],
        values=arguments.values,
        rows=arguments.rows,
        trusted=arguments.trusted,
    )
    confidence = 0.95 if arguments.confidence is None else arguments.confidence
    top = arguments.top or [1]
    found = wb.exposure(ranks, delta=arguments.delta, confidence=confidence, top=top)
    guesses = ranks.guesses(top[0])
    verdicts = [wb.judge_guesses(guesses, claim, confidence) for claim in claims]
    say((_as_json if arguments.format == "json" else _as_text)(ranks, found, verdicts))
    status = {verdict.verdict for verdict in verdicts}
    return next((number for verdict, number in STATUS.items() if verdict in status), 0)


def _check(arguments: argparse.Namespace, claimed: bool) -> None:
    given = [name for name in _OF_SCORES if getattr(arguments, name) not in (None, "")]
    if not arguments.random_part:
        given = [name for name in given if name != "random_part"]
    if given:
        option = f"--{given[0].replace('_', '-')}"
        if given[0] == "larger_is_member":
            option = "--smaller-is-member or --larger-is-member"
        raise ValueError(f"{option} is about scores, and --ranks reads ranks; leave one out")
    if len(arguments.files) > 1:
        raise ValueError(f"--ranks reads one file, got {len(arguments.files)}; join them first")
    if arguments.format not in FORMATS:
        raise ValueError(
            f"--format {arguments.format} is for scores; with --ranks take {' or '.join(FORMATS)}"
        )
    if claimed and len(arguments.top) > 1:
        raise ValueError(
            f"a claim is judged by one --top, got {', '.join(map(str, arguments.top))}; give the "
            "one that was fixed before the ranks were seen"
        )


def _as_text(ranks: wb.Ranks, found: Exposure, verdicts: list[GuessVerdict]) -> str:
    lines = [
        repr(ranks),
        "",
        f"mean exposure        {found.mean:.2f} bits  estimate",
        f"where nothing leaks  {found.mean_without_leak:.2f} bits",
        f"largest exposure     {float(found.exposures.max()):.2f} bits  estimate",
        str(found.bound),
        "",
        found.explain(),
    ]
    for verdict in verdicts:
        lines += ["", verdict.explain()]
    return "\n".join(lines)


def _as_json(ranks: wb.Ranks, found: Exposure, verdicts: list[GuessVerdict]) -> str:
    return to_json(
        {
            "version": 1,
            "ranks": {"name": ranks.name, "canaries": ranks.canaries, "values": ranks.values},
            "exposure": {
                "guarantee": "estimate",
                "mean": found.mean,
                "mean_without_leak": found.mean_without_leak,
                "largest": float(found.exposures.max()),
            },
            "top": list(found.top),
            "bound": found.bound.to_dict(),
            "claims": [
                {
                    "claim": verdict.claimed,
                    "verdict": verdict.verdict,
                    "p_value": verdict.p_value,
                    "explanation": verdict.explain(),
                }
                for verdict in verdicts
            ],
        }
    )
