"""Inference: a secret column is that of the synthetic record nearest by the other columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.synthetic.threats.successes import Successes, ThreatName, attacked, checked_attacks
from workbench.synthetic.threats.view import ThreatView, Values, nearest, nearest_without


@dataclass(frozen=True)
class Inference:
    """The attack that knows all columns of a record but one, and guesses that one.

    The guess is the value of the synthetic record that is nearest by the known columns. It is right
    if a category is the same, a number differs from the guess by at most a share of it, a date by
    at most that share of the range of all dates; or if both are missing.

    Parameters
    ----------
    secret : str, optional
        The column that is guessed. By default each column in turn; the error probability is divided
        among them then.
    known : sequence of str, optional
        The columns that the attacker knows; by default all others.
    tolerance : float
        The share; 0.05 as in anonymeter.
    attacks : int, optional
        As of `Linkability`.

    Notes
    -----
    anonymeter divides by the guess with its sign, so that any negative guess is right there; here
    its absolute value counts.
    """

    secret: str | None = None
    known: Sequence[str] | None = None
    tolerance: float = 0.05
    attacks: int | None = None

    name: ClassVar[ThreatName] = "inference"

    def __post_init__(self) -> None:
        _checks.fields(self)
        if _checks.non_negative(self.tolerance, "tolerance") > 1:
            raise ValueError(
                f"tolerance must be a share of at most 1, got {self.tolerance!r}; 0.05 is 5%"
            )
        object.__setattr__(self, "attacks", checked_attacks(self.attacks))
        if self.secret is not None:
            _checks.text(self.secret, "secret")
        if self.known is not None:
            if isinstance(self.known, str) or not len(self.known):
                raise ValueError(
                    f"known must have names of columns, got {_checks.shown(self.known)}"
                )
            if self.secret in self.known:
                raise ValueError(f"known has the secret column {self.secret!r}; leave it out")
            if self.secret is None:
                raise ValueError("known says what is known of one secret column; give secret=, too")
            object.__setattr__(self, "known", tuple(self.known))

    @_checks.arguments
    def run(self, view: ThreatView, chance: np.random.Generator) -> tuple[Successes, ...]:
        """The records whose secret is guessed, for each secret; nothing without other columns.

        Parameters
        ----------
        view : ThreatView
        chance : numpy.random.Generator
            Draws the attacked records of large tables.
        """
        hidden = view.columns if self.secret is None else view.named((self.secret,), "secret")
        if len(view.columns) < 2:
            return ()
        rows = attacked(view, self.attacks, chance)
        if self.known is not None:
            places, _ = nearest(view.named(self.known, "known"), rows, 1)
            columns = (*self.known, hidden[0].name)
        else:
            left_out = [view.columns.index(secret) for secret in hidden]
            places, columns = nearest_without(view.columns, rows, left_out), view.names
        return tuple(
            self._found(view, secret, rows, places[:, j], len(hidden), columns)
            for j, secret in enumerate(hidden)
        )

    def _found(
        self,
        view: ThreatView,
        secret: Values,
        rows: NDArray[np.intp],
        synthetic: NDArray[np.intp],
        shares: int,
        columns: tuple[str, ...],
    ) -> Successes:
        guess, truth = secret.synthetic[synthetic], secret.pool[rows]
        by = np.array([f"{secret.name} = {secret.text(value)}" for value in truth], object)
        return Successes.of_rows(
            self.name,
            f"inference of {secret.name}",
            columns,
            view,
            rows,
            right(secret, guess, truth, self.tolerance),
            by=by,
            used=lambda at: (secret.name,),
            synthetic=synthetic,
            shares=shares,
        )


def right(
    column: Values, guess: NDArray[np.float64], truth: NDArray[np.float64], tolerance: float
) -> NDArray[np.bool_]:
    """Which guesses of a column are right.

    Parameters
    ----------
    column : Values
    guess, truth : ndarray, shape (m,)
    tolerance : float
        As of `Inference`.
    """
    if not column.ordered:
        return guess == truth
    both_missing = np.isnan(guess) & np.isnan(truth)
    unit = column.spread if column.kind == "date" else np.abs(guess)
    return both_missing | (np.abs(guess - truth) <= tolerance * unit)
