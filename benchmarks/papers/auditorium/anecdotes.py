"""AUDITORIUM §6.7: two mistakes of the authors that their tester found, as cards of the gallery."""

from __future__ import annotations

from benchmarks.papers.item import Found, Item, Line, Verdict
from benchmarks.papers.run import Run
from workbench.mechanisms.gallery import GALLERY
from workbench.testers.audit import audit_mechanism


def mistakes(run: Run) -> Found:
    """The mean with an undivided budget, and SVT4, on the pairs of their cards."""
    n = 500_000 if run.full else 100_000
    lines = []
    for name in ("laplace-mean-undivided", "svt4", "laplace-mean"):
        card = GALLERY[name]
        audit = audit_mechanism(
            card, card.claim, card.pair, testers=("hockey-stick",), trials=1, samples=n,
            seed=run.seed,
        )  # fmt: skip
        shown = audit.best.finding.parameter if audit.best is not None else None
        lines.append(
            Line(
                f"`{name}`: {card.title}, claim {card.claim}, {n:,} runs",
                "not flagged (the mended mean)" if card.private else "flagged as not private",
                f"{'refuted' if audit.violation else 'not refuted'}, ε ≥ {shown or 0:.3f}",
                "lower bound at 95%, held out",
            )
        )
    return Found(Verdict.AS_DESCRIBED, lines)


ANECDOTES = Item(
    "§6.7",
    "A budget that is not divided, and SVT4",
    "*Test a mechanism* (the cards `laplace-mean-undivided` and `svt4`); `wb.mechanism`",
    mistakes,
    quick=True,
)
