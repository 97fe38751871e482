"""Bundled examples: score files with their origin and their true privacy.

The files lie in ``data/``, each beside its card ``<name>.toml``; ``data/README.md`` explains the
fields.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench import _checks
from workbench.scores.files import read_scores
from workbench.scores.refusals import did_you_mean
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    import pandas as pd

# In the order in which a newcomer should meet them.
NAMES = (
    "gaussian",
    "laplace",
    "subsampled-gaussian",
    "unequal-variances",
    "ties",
    "no-leak",
    "messy",
    "digits-losses",
    "breast-cancer-losses",
    "black-box-gaussian",
    "black-box-skewed",
    "black-box-blank",
    "flawed-white-box",
    "one-shot-private",
    "one-shot-not-private",
    "canaries-in-one-run",
)


@dataclass(frozen=True)
class Truth:
    """Known privacy of the two distributions of an example.

    Parameters
    ----------
    tv : float or None
        Total variation distance; None where it is not known.
    epsilon, delta : float or None
        The exact ε at this δ; None where it is not known.
    words : str
        A remark in place of numbers.
    """

    tv: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    words: str = ""

    def __str__(self) -> str:
        numbers = []
        if self.tv is not None:
            numbers.append(f"TV = {self.tv:.4g}")
        if self.epsilon is not None:
            numbers.append(f"ε = {self.epsilon:.4g} at δ = {self.delta:g}".replace("e-0", "e-"))
        return ", ".join(numbers) or self.words


@dataclass(frozen=True)
class Card:
    """Description of an example: origin, size, truth.

    Parameters
    ----------
    name, title : str
        For programs and for people.
    file : str
        Name of the data file, beside the card.
    made : str
        How the scores were made, rounding included.
    seed : int
        Seed of the script that made them, and that of splits.
    n_p, n_q : int
        Scores of P and of Q, non-finite ones included.
    sampling, larger_is_member
        As in `Scores`.
    truth : Truth
        What a bound must not exceed.
    look : str
        What the example shows.
    reference : mapping
        ``pair``, the name of a pair in the workbench, and its parameters; empty where no pair
        there describes the scores.
    opens_as : {"scores", "one run"}
        What a training run collects its scores as; see `workbench.training.gallery`.
    claim : str
        A claim to test with the scores, as text of `workbench.parse_claim`; "" for none.
    """

    name: str
    title: str
    file: str
    made: str
    seed: int
    n_p: int
    n_q: int
    sampling: str
    larger_is_member: bool
    truth: Truth
    look: str
    reference: Mapping[str, Any] = field(default_factory=dict)
    opens_as: str = "scores"
    claim: str = ""

    @property
    def path(self) -> Path:
        """The data file."""
        return data_folder() / self.file


def data_folder() -> Path:
    """The folder of the bundled examples, in a wheel or in a source tree.

    Raises
    ------
    FileNotFoundError
        The installation has neither.
    """
    package = Path(__file__).parents[1]
    for folder in (package / "_data", package.parent / "data"):
        if (folder / f"{NAMES[0]}.toml").is_file():
            return folder
    raise FileNotFoundError(
        f"the bundled examples are missing beside {package}; install the package again"
    )


@lru_cache(maxsize=len(NAMES))
def card(name: str) -> Card:
    """The description of an example.

    Raises
    ------
    ValueError
        No example of that name.
    """
    if name not in NAMES:
        raise ValueError(
            f"no example {_checks.shown(name)}, only {', '.join(map(repr, NAMES))}"
            f"{did_you_mean(name, NAMES)}"
        )
    fields = read_card(name)
    return Card(name=name, **{**fields, "truth": Truth(**fields["truth"])})


def read_card(name: str) -> dict[str, Any]:
    """The fields of the card of an example or of a table.

    Parameters
    ----------
    name : str
        Of a file ``<name>.toml``.
    """
    with open(data_folder() / f"{name}.toml", "rb") as file:
        return tomllib.load(file)


@lru_cache(maxsize=len(NAMES))
def example(name: str) -> Scores:
    """Scores of a bundled example, the same object every time; `examples` lists them.

    Parameters
    ----------
    name : str

    Returns
    -------
    Scores

    Raises
    ------
    ValueError
        No example of that name.

    Examples
    --------
    >>> wb.example("gaussian").n_p
    10000
    """
    found = card(name)
    scores = read_scores(
        found.path,
        sampling=found.sampling,
        larger_is_member=found.larger_is_member,
        name=found.name,
        trusted=True,  # it came with the package
    )
    return scores.with_seed(found.seed)


def examples() -> pd.DataFrame:
    """Table of the bundled examples: name, title, n_p, n_q, truth, sampling, file."""
    import pandas as pd

    columns = ["name", "title", "n_p", "n_q", "truth", "sampling", "file"]
    cards = [card(name) for name in NAMES]
    return pd.DataFrame([[getattr(c, column) for column in columns] for c in cards], None, columns)
