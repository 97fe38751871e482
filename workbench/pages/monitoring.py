"""`Monitoring`: what may be watched as scores arrive, and simulated audits of the same pair."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import param

from workbench.bounds.anytime.anytime import AnytimePath, anytime_epsilon, anytime_path
from workbench.bounds.anytime.monitoring import (
    BettingCounts,
    EvidencePath,
    FixedSizeLimits,
    betting_counts,
    fixed_size_limits,
)
from workbench.claims.base import Claim
from workbench.following.evidence import ClaimEvidence
from workbench.following.following import Following
from workbench.pages.core.jobs import job
from workbench.pages.core.page import (
    derived,
)
from workbench.pages.core.part import Part
from workbench.pages.core.sliders import LogNumber
from workbench.pairs.base import Pair
from workbench.parallel import map_in_processes
from workbench.progress import Report
from workbench.scores.sample import Scores
from workbench.workspaces.followed.source import following_of

#: Audits that the job simulates, and how many of them are one task.
MANY, TOGETHER = 200, 5

#: log₁₀ of the first row on the slider and the charts.
FIRST_ROW = 1.0

STEP = 0.01

ASKED = ("log_delta", "confidence")


@dataclass(frozen=True)
class Above:
    """Simulated audits of one pair whose bounds ever exceeded the true ε.

    Attributes
    ----------
    asked : tuple
        The settings of the simulation.
    runs : int
        Simulated audits.
    watched, once, anytime : int
        Audits in which the fixed-size bound at any look, the same bound at the last row only, and
        the anytime bound at any look exceeded the true ε.
    """

    asked: tuple[Any, ...]
    runs: int = 0
    watched: int = 0
    once: int = 0
    anytime: int = 0


class RowsSeen(Part):
    """How many of the scores count as arrived."""

    log_rows = LogNumber(
        4.0,
        bounds=(FIRST_ROW, 4.0),
        step=STEP,
        whole=True,
        label="Scores seen per group",
        doc="How far the audit has come. You can also drag the line in the charts.",
    )

    def restart(self) -> None:
        """Have all rows seen."""
        self.log_rows = self.page.param.log_rows.bounds[1]

    @property
    def rows(self) -> int:
        """Scores per group seen so far."""
        return min(round(10**self.log_rows), min(self.page.scores.samples.arrived))

    def shown_of(self, scores: Scores) -> float:
        """log₁₀ of the rows seen of scores that come into view, with a slider that spans them.

        All are seen unless the slider was moved back.
        """
        high = round(math.ceil(math.log10(min(scores.samples.arrived)) / STEP) * STEP, 2)
        low = min(FIRST_ROW, math.floor(high / 2))
        slider: Any = self.page.param.log_rows
        # Before the first scores, the default counts as the end of the slider.
        all_seen = self.page.scores is None or self.log_rows >= slider.bounds[1]
        slider.bounds = (low, high)
        return high if all_seen else min(max(self.log_rows, low), high)


class Monitoring(Part):
    """What may be watched as scores arrive, and simulated audits of the same pair."""

    claim = param.Number(
        0.5,
        bounds=(0, 10),
        step=0.05,
        label="Claim: ε at most",
        doc="The claim to test. Set it before looking at results.",
    )

    above = param.Parameter(None, precedence=-1, doc="The `Above` of the simulated audits.")

    @property
    def following(self) -> Following | None:
        """What follows the file in view; None for other data sets."""
        return following_of(self.page.source.dataset)

    @property
    def announced(self) -> Claim | None:
        """The claim that the server tests on the file in view."""
        return None if self.following is None else self.following.claim

    @derived(needs=("scores", *ASKED), shared=True)
    def path(self) -> AnytimePath:
        """The anytime bound at every row."""
        if self.following is not None:
            return self.following.path(self.page.delta.value, self.page.confidence)
        return anytime_path(self.page.scores, self.page.delta.value, self.page.confidence)

    @derived(needs=("scores", *ASKED), shared=True)
    def limit(self) -> FixedSizeLimits:
        """The fixed-size bound, recomputed at every look."""
        return fixed_size_limits(self.page.scores, self.page.delta.value, self.page.confidence)

    @derived(needs=("scores",), shared=True)
    def looks(self) -> BettingCounts:
        """Counts of the rows, as the e-value needs them."""
        if self.following is not None:
            return self.following.counts()
        return betting_counts(self.page.scores)

    @derived(needs=("looks", "claim", "log_delta"))
    def evidence(self) -> EvidencePath | ClaimEvidence:
        """The e-value against the claim at every row; the server's claim on a followed file."""
        found = None if self.following is None else self.following.evidence()
        return (
            found if found is not None else self.looks().evidence(self.claim, self.page.delta.value)
        )

    @derived(needs=("data", "log_delta"))
    def truth(self) -> float | None:
        """The pair's ε; None unless the scores were sampled from a pair."""
        if self.page.source.kind != "pair":
            return None
        return float(self.page.sample.pair().epsilon(self.page.delta.value))

    def asked(self) -> tuple[Any, ...]:
        """The settings that simulated audits depend on."""
        return tuple(getattr(self.page, name) for name in ("data", *ASKED))

    @job(f"Simulate {MANY} audits", needs=("data", *ASKED), into="above")
    def watch_many(self, report: Report) -> Above:
        """Samples the pair repeatedly and counts how often each bound ever exceeds the truth."""
        found = Above(self.asked())
        seeds = np.random.SeedSequence(self.page.seed).spawn(MANY)
        tasks = [tuple(seeds[i : i + TOGETHER]) for i in range(0, MANY, TOGETHER)]
        pair = self.page.sample.pair()
        watch = partial(
            _watch, pair, self.page.sample.n, self.page.delta.value, self.page.confidence
        )
        for _, (watched, once, anytime) in map_in_processes(watch, tasks, report):
            found = replace(
                found,
                runs=found.runs + TOGETHER,
                watched=found.watched + watched,
                once=found.once + once,
                anytime=found.anytime + anytime,
            )
            report(found.runs / MANY, f"{found.runs} of {MANY} audits", partial=found)
        return found


def _watch(
    pair: Pair,
    n: int,
    delta: float,
    confidence: float,
    seeds: tuple[np.random.SeedSequence, ...],
) -> tuple[int, int, int]:
    """How many audits overstate ε: fixed-size at any look, at the last row only, and anytime."""
    truth, found = float(pair.epsilon(delta)), np.zeros(3, dtype=int)
    for seed in seeds:
        scores = pair.sample(n, seed=np.random.default_rng(seed))
        limit = fixed_size_limits(scores, delta, confidence)
        values = (
            limit.largest(n).value,
            limit.at(n).value,
            anytime_epsilon(scores, delta, confidence).value,
        )
        found += np.array(values) > truth
    return int(found[0]), int(found[1]), int(found[2])
