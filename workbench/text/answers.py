"""What a model says of texts: log-probabilities of texts or of their tokens, checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.scores.refusals import quoted
from workbench.text.refusals import LogProbabilityError

#: From texts to a number each, or to the log-probabilities of the tokens of each.
LogProb = Callable[[Sequence[str]], Any]

#: What rounding in half precision may add to a log-probability of 0.
_ROUNDING = 1e-3

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model says of some texts.

    Attributes
    ----------
    texts : tuple of str
    totals : ndarray, shape (n,)
        Log-probability of each, in nats.
    tokens : tuple of ndarray, optional
        Those of the tokens of each; None where the model gives one number for a text.
    """

    texts: tuple[str, ...]
    totals: Numbers
    tokens: tuple[Numbers, ...] | None


def asked(model: LogProb, texts: Sequence[str], name: str = "model_log_prob") -> Answers:
    """The answers of a model, one for each text.

    Parameters
    ----------
    model : callable
    texts : sequence of str
    name : str
        Of the argument, for messages.

    Raises
    ------
    LogProbabilityError
        Not one answer for each text, or answers that are no log-probabilities.
    """
    rows = _rows(model(list(texts)), len(texts), name)
    single = [np.ndim(row) == 0 for row in rows]
    if any(single) and not all(single):
        raise LogProbabilityError(
            f"{name} returned a number for {sum(single)} texts and several for "
            f"{len(single) - sum(single)}; return one for each text, or those of its tokens"
        )
    found = [_checked(row, text, name) for row, text in zip(rows, texts, strict=True)]
    totals = np.array([float(row.sum()) for row in found])
    known = tuple(found) if found and not single[0] else None
    return Answers(tuple(texts), totals, known)


def _rows(made: Any, count: int, name: str) -> list[Any]:
    if hasattr(made, "detach"):  # a tensor
        made = made.detach().cpu().numpy()
    if not isinstance(made, list | tuple | np.ndarray) or (
        isinstance(made, np.ndarray) and not made.ndim
    ):
        raise LogProbabilityError(
            f"{name} must return a list or an array, one log-probability or an array of those of "
            f"tokens for each text; got {_checks.shown(made)}, a {type(made).__name__}"
        )
    rows = list(made)
    if len(rows) != count:
        raise LogProbabilityError(
            f"{name} returned {len(rows)} answers for {count} texts; return one for each, in "
            "their order"
        )
    return [row.detach().cpu().numpy() if hasattr(row, "detach") else row for row in rows]


def _checked(row: Any, text: str, name: str) -> Numbers:
    try:
        x = np.asarray(row, dtype=float)
    except (TypeError, ValueError):
        raise LogProbabilityError(
            f"{name} returned {_checks.shown(row)} for {quoted(text)}, which is no number and no "
            "array of numbers"
        ) from None
    if x.ndim > 1:
        raise LogProbabilityError(
            f"{name} returned an array of shape {x.shape} for {quoted(text)}; return one number, "
            "or one for each token"
        )
    x = np.atleast_1d(x)
    if not np.isfinite(x).all():
        bad = x[~np.isfinite(x)][0]
        raise LogProbabilityError(
            f"{name} returned {bad:g} for {quoted(text)}; a log-probability is finite: smooth "
            "probabilities of 0, compute in float32, and leave out what is padding"
        )
    if (x > _ROUNDING).any():
        raise LogProbabilityError(
            f"{name} returned {x.max():g} for {quoted(text)}; a log-probability is at most 0: "
            "return minus the loss, and no probabilities or logits"
        )
    return x
