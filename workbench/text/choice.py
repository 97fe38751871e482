"""`choose_signal`: the score that does best on a share of the canaries, measured on the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.onerun.guesses import Ends, Guesses
from workbench.onerun.ranks.ranks import Ranks
from workbench.onerun.run import OneRun
from workbench.progress import Report, silent
from workbench.synthetic.choice import best_rule
from workbench.text.answers import LogProb
from workbench.text.canaries import Canaries
from workbench.text.draws import Draws
from workbench.text.refusals import CanaryTextError
from workbench.text.scoring import BATCH, ranks_of, run_of, scores_of
from workbench.text.signals import SIGNALS, Scoring

if TYPE_CHECKING:
    import pandas as pd

#: The fewest canaries of either share.
_FEWEST = 16


@dataclass(frozen=True, eq=False)
class ChosenSignal:
    """The signal that did best on a share, and the canaries of the other share.

    Attributes
    ----------
    signal : str
    measured : OneRun or Ranks
        The scores of the other share by this signal alone.
    rule : Ends, optional
        How many of them it names, fixed on the first share; None with ranks.
    tried : tuple of str
    learned : tuple of float
        How well each did on the first share, on which nothing is claimed: the bound on ε at 95%
        with coins, the mean exposure in bits with alternatives.
    """

    signal: str
    measured: OneRun | Ranks = field(repr=False)
    rule: Ends | None
    tried: tuple[str, ...]
    learned: tuple[float, ...]

    def __post_init__(self) -> None:
        _checks.fields(self)

    def guess(self) -> Guesses:
        """The counts of the guesses on the measured share, for `one_run_bound`."""
        if isinstance(self.measured, Ranks):
            return self.measured.guesses()
        return self.measured.guess(**(self.rule or Ends(0, 0)).arguments)

    def to_frame(self) -> pd.DataFrame:
        """One row for each signal: how well it did on the first share, and whether it was taken."""
        import pandas as pd

        taken = [name == self.signal for name in self.tried]
        return pd.DataFrame({"signal": self.tried, "learned": self.learned, "taken": taken})


def choose_signal(
    model_log_prob: LogProb,
    canaries: Canaries,
    signals: Sequence[str] = ("likelihood", "perplexity", "min-k", "zlib"),
    *,
    delta: float,
    share: float = 0.3,
    part: str = "secret",
    k: float = 0.2,
    reference: LogProb | None = None,
    batch: int = BATCH,
    report: Report = silent,
) -> ChosenSignal:
    """The signal that does best on a share of the canaries, and the scores of the others by it.

    Parameters
    ----------
    model_log_prob, part, k, reference, batch, report
        As of `score`.
    canaries : Canaries
    signals : sequence of str
        Those that are tried.
    delta : float
        At which they are compared, where canaries are in or out.
    share : float
        Share of the canaries that chooses, and is not measured.

    Returns
    -------
    ChosenSignal

    Raises
    ------
    CanaryTextError
        Too few canaries for two shares.
    ValueError, LogProbabilityError
        As of `score`.

    Notes
    -----
    Which canaries choose follows from their seed. Bounds from the others are as if the signal, and
    the number of guesses, had been fixed beforehand.

    Examples
    --------
    >>> canaries = wb.text.identifiers(200, "md5", design="coin", seed=3)
    >>> known = set(canaries.training_texts)
    >>> def model(texts):
    ...     return [np.full(4, -1.0 if text in known else -3.0) for text in texts]
    >>> chosen = wb.text.choose_signal(model, canaries, ("likelihood", "min-k"), delta=1e-5)
    >>> chosen.signal, chosen.guess().correct
    ('likelihood', 136)
    """
    _checks.instance(canaries, Canaries, "canaries", "workbench canaries of texts")
    tried = tuple(dict.fromkeys(_checks.listed(signals, "signals").tolist()))
    ways = [Scoring(model_log_prob, _known(one), part, k, reference) for one in tried]
    if not ways:
        raise ValueError("signals is empty; name one or more, such as 'likelihood'")
    _checks.delta(delta)
    at_once = _checks.count(batch, "batch", least=1)
    first, rest = _shares(canaries, _checks.open_unit(share, "share", "such as 0.3"))
    if canaries.included is None:
        ranks = [ranks_of(how, canaries, first, at_once, report) for how in ways]
        learned = [float(Ranks(one, canaries.values).exposures.mean()) for one in ranks]
        best = int(np.argmax(learned))
        ids = np.asarray(canaries.ids, object)[rest]
        found = ranks_of(ways[best], canaries, rest, at_once, report)
        measured = Ranks(found, canaries.values, ids=ids, condition=canaries.condition)
        return ChosenSignal(tried[best], measured, None, tried, tuple(learned))
    scores = [scores_of(how, canaries.texts, canaries.before, at_once, report) for how in ways]
    runs = [run_of(one, canaries, first) for one in scores]
    rules = [best_rule(run, delta) for run in runs]
    learned = [value for _, value in rules]
    best = int(np.argmax(learned))
    run = run_of(scores[best], canaries, rest)
    rule = rules[best][0].scaled(run.canaries, runs[best].canaries)
    return ChosenSignal(tried[best], run, rule, tried, tuple(learned))


def _known(signal: object) -> str:
    return _checks.one_of(signal, "signals", SIGNALS)


def _shares(canaries: Canaries, share: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The canaries that choose, and the others, each in their order."""
    n = len(canaries)
    size = round(share * n)
    if min(size, n - size) < _FEWEST:
        raise CanaryTextError(
            f"the shares of {n} canaries have {size} and {n - size}; at least {_FEWEST} are needed "
            "for each: give more canaries, another share=, or fix signal= beforehand"
        )
    order = Draws(canaries.seed, "share").order(n)
    return np.sort(order[:size]), np.sort(order[size:])
