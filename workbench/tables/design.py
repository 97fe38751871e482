"""How records were assigned to models, as far as the memberships show it.

Bounds rest on it. A design is recognized where independent fair coins would show it with a
probability below `REMARKABLE`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, chdtr, chdtrc, gammaln

#: Names of designs, in the order of recognition.
DESIGNS = ("complementary pairs", "exactly half", "equal sizes", "independent coins")

#: Coins are taken to be fair unless their p-value is below this.
REMARKABLE = 0.01

#: What the assumption of a bound says of a design whose models are not independent.
ASSUMPTIONS = {
    "complementary pairs": "complementary pairs of models",
    "exactly half": "each record in exactly half of the models",
}


@dataclass(frozen=True)
class Design:
    """The design of a score table.

    Attributes
    ----------
    name : str
        One of `DESIGNS`. "complementary pairs": the models come in pairs, of which one was trained
        on the records that the other was not trained on. "exactly half": every record is in exactly
        half of the models. "equal sizes": every model was trained on the same number of records.
        "independent coins": none of these.
    fair : bool
        Whether the memberships look like fair coins, one for each model and record.
    """

    name: str
    fair: bool = False

    @classmethod
    def of(cls, member: NDArray[np.bool_], present: NDArray[np.bool_] | None = None) -> Design:
        """The design that the memberships show.

        Parameters
        ----------
        member : ndarray of bool, shape (models, records)
        present : ndarray of bool, shape (models, records), optional
            The cells that are there; all by default.
        """
        models, records = member.shape
        n_in, sizes = member.sum(axis=0, dtype=np.int64), member.sum(axis=1, dtype=np.int64)
        if present is None:
            seen, per_model = np.full(records, models), np.full(models, records)
        else:
            seen, per_model = (present.sum(axis=axis, dtype=np.int64) for axis in (0, 1))
        if complementary_pairs(member, present) is not None:
            return cls("complementary pairs")
        if _remarkable(records, seen) and (2 * n_in == seen).all():
            return cls("exactly half")
        if _remarkable(models - 1, per_model) and (sizes == sizes[0]).all():
            return cls("equal sizes")
        return cls("independent coins", _look_fair(n_in, seen, sizes, per_model))

    @property
    def is_independent(self) -> bool:
        """Whether the models of a record can be independent under this design."""
        return self.name not in ASSUMPTIONS

    @property
    def has_fair_coins(self) -> bool:
        """Whether every model may have drawn every record by a fair coin of its own."""
        return self.name == "independent coins" and self.fair


def complementary_pairs(
    member: NDArray[np.bool_], present: NDArray[np.bool_] | None = None
) -> NDArray[np.intp] | None:
    """Pairs of models that divide the records between them, shape (M/2, 2); None if there are none.

    Parameters
    ----------
    member : ndarray of bool, shape (models, records)
    present : ndarray of bool, shape (models, records), optional
        As in `Design.of`; pairs are sought in complete tables only.
    """
    models, records = member.shape
    if models % 2 or models * records < 14 or (present is not None and not present.all()):
        return None
    rows = [np.packbits(row).tobytes() for row in member]
    patterns = len(set(rows))
    if patterns == 2:
        return None  # the records go in and out together, as those of one user
    if not all((member[m] != member[m + 1]).all() for m in range(0, models, 2)):
        if patterns < models:
            return None  # a model has more than one complement
        waiting: dict[bytes, list[int]] = {}
        pairs = []
        for m in range(models):
            others = waiting.get(np.packbits(~member[m]).tobytes())
            if others:
                pairs.append((others.pop(0), m))
            else:
                waiting.setdefault(rows[m], []).append(m)
        return np.array(pairs, dtype=np.intp) if 2 * len(pairs) == models else None
    return np.arange(models).reshape(-1, 2)


def _remarkable(times: int, tosses: NDArray[np.int64]) -> bool:
    """Whether as many heads as tails, this many times, is improbable for fair coins."""
    n = float(np.median(tosses))
    log_half = gammaln(n + 1) - 2 * gammaln(n / 2 + 1) - n * math.log(2)
    return bool(times * log_half < math.log(REMARKABLE))


def _look_fair(
    n_in: NDArray[np.int64],
    seen: NDArray[np.int64],
    sizes: NDArray[np.int64],
    per_model: NDArray[np.int64],
) -> bool:
    """Whether three tests of fair coins, at a level of `REMARKABLE` together, all pass.

    They are of the number of memberships, and of its spread over records and over models.
    """
    total, tosses = int(n_in.sum()), int(seen.sum())
    p_values = [2 * float(bdtr(min(total, tosses - total), tosses, 0.5))]
    for heads, of in ((n_in, seen), (sizes, per_model)):
        some = of > 0
        spread = float((((2 * heads - of)[some]) ** 2 / of[some]).sum())
        p_values.append(2 * min(chdtr(some.sum(), spread), chdtrc(some.sum(), spread)))
    return bool(min(p_values) * len(p_values) >= REMARKABLE)
