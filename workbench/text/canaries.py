"""`Canaries`: texts that are put into a training, and what was drawn of each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench.onerun.guesses import LAW_OF_VALUES
from workbench.scores.refusals import quoted
from workbench.text import laws
from workbench.text.draws import Draws
from workbench.text.laws import SecretLaw
from workbench.text.refusals import CanaryTextError

if TYPE_CHECKING:
    import pandas as pd

#: What is drawn of a canary: whether it is in, or which of K values it has.
TEXT_DESIGNS = ("coin", "alternatives")

#: Values of a canary, at most.
MOST_VALUES = 10**6

#: Canaries whose texts have the same surroundings may have one secret with this probability.
_NEVER = 1e-6

#: What bounds from these canaries assume of the draw.
_ASSUMED = {
    ("coin", False): "fair coins, drawn by the workbench",
    ("alternatives", False): "uniform values, drawn by the workbench",
    ("alternatives", True): "if the identifiers follow {} independently of all other data",
}


@dataclass(frozen=True, eq=False, repr=False)
class Canaries:
    """Texts for a training, each with a secret, and the seed from which all that is random follows.

    Parameters
    ----------
    before, secrets, after : tuple of str
        The parts of each text. Scores are about the secret and what follows, given what is before.
    design : {"coin", "alternatives"}
        What is drawn of a canary: whether it is in the training (a fair coin), or its secret, one
        of K values of a law; all of them are in then.
    seed : int
        The random number from which coins and alternatives follow.
    values : int
        K; 2 with coins.
    kind : str
        What the secrets are.
    law : SecretLaw, optional
        What alternatives are drawn from.
    found : bool
        Whether the secrets were in a text by themselves, so that the workbench drew alternatives
        alone.

    Raises
    ------
    CanaryTextError
        Empty texts, two canaries with one secret, fewer than two canaries, more values than the
        law has.

    See Also
    --------
    new_tokens, random_sequences, identifiers, found_identifiers : they make canaries.
    """

    before: tuple[str, ...]
    secrets: tuple[str, ...]
    after: tuple[str, ...]
    design: str
    seed: int
    values: int = 2
    kind: str = "texts"
    law: SecretLaw | None = None
    found: bool = False
    # Texts of one law and one surrounding, so that names say which is meant.
    ids: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        _checks.one_of(self.design, "design", TEXT_DESIGNS)
        _checks.text(self.kind, "kind")
        object.__setattr__(self, "found", _checks.flag(self.found, "found"))
        object.__setattr__(self, "seed", _checks.count(self.seed, "seed"))
        values = _checks.count(self.values, "values", least=2, most=MOST_VALUES)
        object.__setattr__(self, "values", values)
        for name in ("before", "secrets", "after"):
            object.__setattr__(self, name, _texts(getattr(self, name), name))
        n = len(self.secrets)
        if len(self.before) != n or len(self.after) != n:
            raise CanaryTextError(
                f"{len(self.before)} texts before, {n} secrets and {len(self.after)} texts after; "
                "give one of each for every canary"
            )
        if n < 2:
            raise CanaryTextError(f"{n} canaries show nothing; give two or more, better hundreds")
        for i, secret in enumerate(self.secrets):
            if not secret.strip():
                raise CanaryTextError(
                    f"the secret of canary {i} is empty: {secret!r}; each needs characters that a "
                    "model can learn"
                )
        self._check_design()
        self._check_repeats()
        names = [f"{self.kind} {i}" for i in range(n)]
        object.__setattr__(self, "ids", tuple(names))

    def _check_design(self) -> None:
        if self.design == "coin":
            if self.values != 2 or self.found:
                raise CanaryTextError(
                    "with design='coin' a canary is in or out, and the workbench decides: leave "
                    "out values= and found="
                )
            return
        if self.law is None:
            raise CanaryTextError(
                "design='alternatives' needs the law of the secrets; give law=, or take "
                "wb.text.identifiers or wb.text.random_sequences, which have one"
            )
        if self.values > self.law.size:
            raise CanaryTextError(
                f"values={self.values:,}, and the law of the secrets has {self.law.size:g}; give "
                "fewer values, or longer secrets"
            )

    def _check_repeats(self) -> None:
        alone = self.design == "coin" or self.found
        seen: dict[object, int] = {}
        for i in range(len(self.secrets)):
            known = self.secrets[i] if alone else self.texts[i]
            if known in seen:
                raise CanaryTextError(
                    f"canaries {seen[known]} and {i} have one secret, {quoted(self.secrets[i])}: a "
                    "model that learned one knows the other, and neither draw stands for itself; "
                    "keep one of them"
                )
            seen[known] = i
        pairs = len(self.secrets) ** 2 / 2
        around = len(set(zip(self.before, self.after, strict=True)))
        if not alone and around < len(self.secrets) and pairs > _NEVER * self._size:
            raise CanaryTextError(
                f"{len(self.secrets)} canaries have {around} surroundings, and the law only "
                f"{self._size:g} secrets, so that two may have one secret by chance; give each its "
                "own text around the secret, such as template='User {i} has the code {secret}'"
            )

    # -- description ------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.secrets)

    def __repr__(self) -> str:
        what = (
            f"{int(self.included.sum())} in"
            if self.included is not None
            else f"{self.values:,} values"
        )
        return (
            f"Canaries({len(self)} {self.kind}, design={self.design!r}, {what}, seed={self.seed})"
        )

    @property
    def _size(self) -> float:
        return np.inf if self.law is None else self.law.size

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The whole texts."""
        parts = zip(self.before, self.secrets, self.after, strict=True)
        return tuple(map("".join, parts))

    @cached_property
    def included(self) -> NDArray[np.bool_] | None:
        """Which canaries are in the training, shape (m,); None where all are."""
        if self.design != "coin":
            return None
        coins = Draws(self.seed, "coins").coins(len(self))
        coins.flags.writeable = False
        return coins

    @property
    def training_texts(self) -> tuple[str, ...]:
        """The texts that go into the training, in the order of the canaries; shuffle all data."""
        if self.included is None:
            return self.texts
        return tuple(text for text, inside in zip(self.texts, self.included, strict=True) if inside)

    @property
    def new_tokens(self) -> tuple[str, ...]:
        """The tokens that the tokenizer has to be given, in or out; none of other kinds."""
        return self.secrets if self.kind == NEW_TOKENS else ()

    @property
    def assumption(self) -> str:
        """What bounds from these canaries assume of the draw."""
        of = "the stated law" if self.law is None else _named(self.law)
        return _ASSUMED[self.design, self.found].format(of)

    @property
    def condition(self) -> str | None:
        """What bounds are conditional on where nobody drew the secrets; None where they were."""
        return LAW_OF_VALUES if self.found else None

    @property
    def digest(self) -> str:
        """What identifies the draw: publish it before the training, and the file after it."""
        from workbench.text.evidence import digest_of

        return digest_of(self)

    def to_frame(self) -> pd.DataFrame:
        """One row for each canary: its parts, and ``included`` where it was in or out."""
        import pandas as pd

        columns: dict[str, object] = {
            "id": self.ids, "before": self.before, "secret": self.secrets, "after": self.after,
        }  # fmt: skip
        if self.included is not None:
            columns["included"] = self.included.astype(int)
        return pd.DataFrame(columns)

    # -- alternatives, and the file ---------------------------------------------------------------

    def candidates(self, canary: int, batch: int = 4096) -> tuple[int, Iterator[list[str]]]:
        """The place of a canary's text among its K candidates, and the candidates in batches.

        Parameters
        ----------
        canary : int
        batch : int
            Texts held at once.

        Raises
        ------
        CanaryTextError
            Canaries with coins, which have no alternatives.
        """
        if self.law is None or self.design == "coin":
            raise CanaryTextError(
                "canaries that are in or out have no alternatives; score them with wb.text.score"
            )
        i = _checks.count(canary, "canary", most=len(self) - 1)
        batch = _checks.count(batch, "batch", least=1)
        draws = Draws(self.seed, "alternatives", i)
        place, found = laws.candidates(self.law, self.secrets[i], self.values, draws, batch)
        start, end = self.before[i], self.after[i]
        return place, ([f"{start}{one}{end}" for one in some] for some in found)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write texts, seed, law and digest to a JSON file; keep it from who trains the model.

        Parameters
        ----------
        path : path
        """
        from workbench.text.evidence import write

        write(self, path)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        sampler: object = None,
    ) -> Canaries:
        """The canaries of a file, after everything that follows from the seed was drawn again.

        Parameters
        ----------
        path : path
        sampler : callable, optional
            The function that drew the secrets, where one did.

        Raises
        ------
        EvidenceError
            The file is none of canaries, or was changed.
        """
        from workbench.text.evidence import read

        found: Canaries = read(cls, path, sampler)
        return found


#: `Canaries.kind` of tokens that are added to a tokenizer.
NEW_TOKENS = "new tokens"


def _texts(values: object, name: str) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, list | tuple):
        raise TypeError(
            f"{name} must be a tuple of texts, one for each canary, got {_checks.shown(values)}"
        )
    for one in values:
        _checks.text(one, name)
    return tuple(values)


def _named(law: SecretLaw) -> str:
    pattern = law.to_json().get("pattern")
    return "the law of their sampler" if pattern is None else f"the uniform law on {pattern}"
