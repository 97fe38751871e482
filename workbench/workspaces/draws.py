"""Draws from a pair of distributions of a kind, and their keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from workbench import _checks
from workbench.pairs.base import Pair
from workbench.pairs.own.kinds import PAIR_KINDS as KINDS
from workbench.scores.sample import Scores
from workbench.workspaces.errors import WorkspaceError

#: What a key of a draw begins with.
DRAW = "draw:"

#: Most samples of each group of a draw.
MOST_DRAWN = 1_000_000

#: Draws up to this size are made once for everybody.
SHARED_N = 10_000

_VALUE = r"[a-z]\w*=[\w.+-]+"
_SHAPE = re.compile(rf"draw:(?P<kind>[a-z][a-z0-9_-]*)\?(?P<rest>{_VALUE}(?:&{_VALUE})*)")
_EXAMPLE = "draw:gaussian?mu=1.0&n=10000&seed=0"


@dataclass(frozen=True)
class Recipe:
    """What a draw is made from; the same recipe gives the same scores.

    Parameters
    ----------
    kind : str
        A key of `workbench.pairs.own.kinds.PAIR_KINDS`.
    arguments : mapping of str to float
        All arguments of that kind.
    n : int
        Samples of each group.
    seed : int

    Raises
    ------
    WorkspaceError
        Another kind, arguments that are missing, superfluous or out of range, a size below 2 or
        above `MOST_DRAWN`.
    """

    kind: str
    arguments: Mapping[str, float]
    n: int
    seed: int

    def __post_init__(self) -> None:
        try:
            _checks.one_of(self.kind, "the kind of pair", KINDS)
            ranges = KINDS[self.kind].arguments
            if set(self.arguments) != set(ranges):
                raise ValueError(
                    f"a draw of {self.kind!r} takes {', '.join(ranges)}; got "
                    f"{', '.join(self.arguments) or 'none of them'}"
                )
            values = {name: _checks.number(self.arguments[name], name) for name in ranges}
            for name, (least, most) in ranges.items():
                if not least <= values[name] <= most:
                    raise ValueError(
                        f"{name} must be from {least:g} to {most:g}, got {values[name]!r}"
                    )
            object.__setattr__(self, "arguments", values)
            object.__setattr__(self, "n", _checks.count(self.n, "n", least=2))
            object.__setattr__(self, "seed", _checks.count(self.seed, "seed"))
            if self.n > MOST_DRAWN:
                raise ValueError(f"n must be at most {MOST_DRAWN:,}, got {self.n!r}")
        except ValueError as error:
            raise WorkspaceError(f"these scores cannot be drawn: {error}") from None

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> str:
        """The key of the data set: ``draw:gaussian?mu=1.0&n=10000&seed=0``."""
        given = {**self.arguments, "n": self.n, "seed": self.seed}
        return f"{DRAW}{self.kind}?" + "&".join(f"{name}={x!r}" for name, x in given.items())

    @classmethod
    def of(cls, key: str) -> Recipe:
        """The recipe of a key.

        Raises
        ------
        WorkspaceError
            A key of another form, or values out of range.
        """
        found = _SHAPE.fullmatch(key)
        if found is None:
            raise WorkspaceError(
                f"{_checks.shown(key)} is not the key of a draw; write it as {_EXAMPLE}"
            )
        pairs = [part.split("=") for part in found["rest"].split("&")]
        values = dict(pairs)
        try:
            if len(values) < len(pairs):
                raise ValueError("a name occurs twice")
            n, seed = int(values.pop("n")), int(values.pop("seed"))
            arguments = {name: float(text) for name, text in values.items()}
        except KeyError as error:
            raise WorkspaceError(f"{_checks.shown(key)} lacks {error}; see {_EXAMPLE}") from None
        except ValueError as error:
            raise WorkspaceError(f"{_checks.shown(key)} cannot be read: {error}") from None
        return cls(found["kind"], arguments, n, seed)

    @property
    def pair(self) -> Pair:
        """The pair that is drawn from."""
        return KINDS[self.kind].build(**self.arguments)

    def draw(self) -> Scores:
        """The scores; small draws are made once for everybody."""
        return _shared(self) if self.n <= SHARED_N else self.pair.sample(self.n, seed=self.seed)


@lru_cache(maxsize=8)
def _shared(recipe: Recipe) -> Scores:
    return recipe.pair.sample(recipe.n, seed=recipe.seed)
