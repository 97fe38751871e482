"""`score`: what a model says of canaries, as a `OneRun` or as `Ranks`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.onerun.ranks.ranks import Ranks
from workbench.onerun.run import OneRun
from workbench.progress import Report, silent
from workbench.text.answers import LogProb, Numbers
from workbench.text.canaries import Canaries
from workbench.text.signals import Scoring

#: Texts that a model is given at once, at most.
BATCH = 1024


def score(
    model_log_prob: LogProb,
    canaries: Canaries,
    *,
    signal: str = "likelihood",
    part: str = "secret",
    k: float = 0.2,
    reference: LogProb | None = None,
    batch: int = BATCH,
    name: str = "",
    report: Report = silent,
) -> OneRun | Ranks:
    """The scores of canaries by a trained model: a run of coins, or ranks among alternatives.

    Parameters
    ----------
    model_log_prob : callable
        From a list of texts to log-probabilities in nats: a number for each text, or an array of
        those of its tokens. `causal_model` makes one of a model of Hugging Face.
    canaries : Canaries
    signal : str
        What is made of them; each is larger for members, and fixed before they are seen, unless
        `choose_signal` takes one on a share:

        ================== ======================================================== ============
        signal             score                                                    needs
        ================== ======================================================== ============
        "likelihood"       log-probability                                          a number
        "perplexity"       mean log-probability of a token                          tokens
        "min-k"            mean of the share ``k`` of the least likely tokens       tokens
        "min-k++"          the same, each less the mean at its place, over the      tokens and
                           standard deviation there                                 their spread
        "zlib"             log-perplexity over the size after compression           tokens
        "lowercase"        log-perplexity over that of the text in lower case       tokens
        "perplexity-ratio" log-perplexity over that of a reference model            tokens
        "reference"        log-probability less that of a reference model           a number
        ================== ======================================================== ============

    part : {"secret", "text"}
        Whether the secret is scored, given what stands before it, or the whole text.
    k : float
        Share of the tokens, in (0, 1], of "min-k" and "min-k++".
    reference : callable, optional
        As ``model_log_prob``: a model that did not see the canaries, such as that before the
        fine-tuning.
    batch : int
        Texts that the functions are given at once, at most.
    name : str
        Shown in titles.
    report : Report
        Told of the progress.

    Returns
    -------
    OneRun or Ranks
        A `OneRun` with ``design="fair-coins"`` where canaries are in or out, for `one_run_bound`;
        `Ranks` where each had one of K values, for `exposure`.

    Raises
    ------
    LogProbabilityError
        Not one answer for each text; NaN, infinite or positive log-probabilities; no tokens where
        a signal needs them.
    CanaryTextError
        A text of which nothing is scored.
    ValueError
        A signal of two models without ``reference``.

    Notes
    -----
    The rank of a secret is the number of candidates whose score is at least its own. It stands at a
    random place among its alternatives while they are scored, and the scores of one canary are held
    at a time, no texts.

    References
    ----------
    "likelihood": Yeom et al. (2018); among alternatives Carlini et al. (2019), *The Secret Sharer*.
    "perplexity", "zlib", "lowercase", "perplexity-ratio": Carlini et al. (2021), *Extracting
    Training Data from Large Language Models*. "min-k": Shi et al. (2024), *Detecting Pretraining
    Data from Large Language Models*. "min-k++": Zhang et al. (2024), *Min-K%++*. "reference":
    Carlini et al. (2022), *Membership Inference Attacks From First Principles*.

    Examples
    --------
    >>> canaries = wb.text.identifiers(3, "md5", design="coin", seed=2)
    >>> known = set(canaries.training_texts)
    >>> wb.text.score(lambda texts: [-1.0 if t in known else -90.0 for t in texts], canaries)
    OneRun(3 canaries, 2 in, larger is member-like, design='fair-coins')
    """
    _checks.instance(canaries, Canaries, "canaries", "workbench canaries of texts")
    how = Scoring(model_log_prob, signal, part, k, reference)
    rows = np.arange(len(canaries))
    at_once = _checks.count(batch, "batch", least=1)
    _checks.text(name, "name")
    if canaries.included is None:
        return Ranks(
            ranks_of(how, canaries, rows, at_once, report),
            values=canaries.values,
            ids=np.asarray(canaries.ids, object),
            name=name,
            condition=canaries.condition,
        )
    scores = scores_of(how, canaries.texts, canaries.before, at_once, report)
    return run_of(scores, canaries, rows, name)


def run_of(scores: Numbers, canaries: Canaries, rows: NDArray[np.intp], name: str = "") -> OneRun:
    """The run of some canaries that were in or out.

    Parameters
    ----------
    scores : ndarray, shape (m,)
        Of all canaries.
    canaries : Canaries
    rows : ndarray of int
        Which ones.
    name : str
    """
    included = canaries.included
    if included is None:
        raise TypeError("canaries with alternatives have ranks, and no run of coins")
    ids = np.asarray(canaries.ids, object)[rows]
    return OneRun(scores[rows], included[rows], True, ids=ids, name=name, seed=canaries.seed)


def scores_of(
    how: Scoring,
    texts: tuple[str, ...],
    before: tuple[str, ...],
    batch: int,
    report: Report = silent,
) -> Numbers:
    """The scores of texts, some at a time.

    Parameters
    ----------
    how : Scoring
    texts, before : tuple of str
    batch : int
    report : Report
    """
    found = np.empty(len(texts))
    for start in range(0, len(texts), batch):
        report(start / len(texts), "Scoring canaries …")
        some = slice(start, start + batch)
        found[some] = how.scores(texts[some], before[some])
    return found


def ranks_of(
    how: Scoring,
    canaries: Canaries,
    rows: NDArray[np.intp],
    batch: int,
    report: Report = silent,
) -> NDArray[np.int64]:
    """The ranks of the secrets of some canaries among their candidates.

    Parameters
    ----------
    how : Scoring
    canaries : Canaries
    rows : ndarray of int
        Which ones.
    batch : int
    report : Report
    """
    found = np.empty(len(rows), np.int64)
    scores = np.empty(canaries.values)
    for at, i in enumerate(rows.tolist()):
        place, batches = canaries.candidates(i, batch)
        done = 0
        for texts in batches:
            report((at + done / canaries.values) / len(rows), "Scoring alternatives …")
            before = [canaries.before[i]] * len(texts)
            scores[done : done + len(texts)] = how.scores(texts, before)
            done += len(texts)
        found[at] = int((scores >= scores[place]).sum())
    return found
