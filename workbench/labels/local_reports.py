"""`audit_local_reports`: what the reports of a local protocol tell of the values of its users.

Each of n users has a value of K, drawn uniformly and independently, and sends a report. The auditor
names a set of j values for some users, and is right where the true one is in it. If a report is
ε-DP for replacing its value, each set is right with probability at most je^ε/(je^ε + K − j),
whatever the others are, so that the number of right sets bounds ε (`wb.one_run_bound` with
``values=K, top=j``). The attack is that of Arcolezi and Gambs (2024), with these changes:

- They compare the rates of naming one value for users with it and with another one. Here all users
  and values count together, in one binomial tail without a correction.
- They name one value. A report that speaks for many values alike, as unary encodings of many values
  do, is guessed rightly too rarely to show its ε. Naming as many values as it speaks for shows it.

**Which sets.** For each report and each j the posterior probability that the truth is among the j
likeliest values follows from the protocol's own likelihood. The auditor chooses j, and names the
sets of the r reports with the largest of these probabilities, where j and r are those with which
the largest bound is expected. All of that is a function of the reports alone. At δ = 0 the bound
holds for a number of guesses that follows from what was released (`workbench.onerun.steinke`); so
it does for j, since given the reports the true values are independent, and each is in its set with
at most the probability above, whatever the set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from workbench import _checks
from workbench._format import percent, round_safely
from workbench._frames import to_frame
from workbench._markup import table
from workbench.bounds.bound import Bound
from workbench.curves.validation import Floats
from workbench.mechanisms.local_protocols.protocols import LocalProtocol
from workbench.onerun.bound import VALUES, one_run_bound
from workbench.onerun.guesses import Guesses
from workbench.scores import chance

#: Users times values, at most, and sizes of sets and numbers of guesses that are compared.
_MOST, _SIZES, _NUMBERS = 5 * 10**7, 25, 40

#: What a bound is about where there are two values.
TWO_VALUES = "Each user had one of 2 values, and the bound is about replacing one value by another."


@dataclass(frozen=True)
class LocalReportAudit:
    """What the reports of a local protocol told of the values of its users.

    Attributes
    ----------
    protocol : str
        Its name.
    claimed : float
        The ε that it claims for one report.
    guesses : Guesses
        The counts: ``canaries`` are users, and each guess names ``top`` values.
    bound : Bound
        Lower bound on ε at δ = 0 of one report, for replacing its value.
    seed : int
        The random number from which values, reports and ties followed.
    """

    protocol: str
    claimed: float
    guesses: Guesses
    bound: Bound
    seed: int

    to_frame = to_frame

    def __post_init__(self) -> None:
        _checks.fields(self)

    @property
    def refuted(self) -> bool:
        """Whether the claim is refuted, at the confidence of the bound."""
        return self.bound.void is None and self.bound.value > self.claimed

    def explain(self) -> str:
        """The finding in plain sentences."""
        made = self.guesses
        named = "value" if made.top == 1 else f"set of {made.top:,} values"
        told = (
            f"Of {made.canaries:,} users with one of {made.values:,} values, the auditor named a "
            f"{named} for {made.guesses:,}, and {made.correct:,} are right; chance gives "
            f"{made.guesses * made.top / made.values:,.0f}."
        )
        verdict = (
            f"The claim ε = {self.claimed:g} of {self.protocol} is refuted."
            if self.refuted
            else f"That does not refute the claim ε = {self.claimed:g} of {self.protocol}."
        )
        return f"{told} {self.bound.explain()} {verdict}"

    def __str__(self) -> str:
        level = percent(self.bound.confidence or 0)
        verdict = "refuted" if self.refuted else "not refuted"
        return (
            f"{self.protocol}: ε ≥ {round_safely(self.bound.value, 'down')} ({level}), claim "
            f"{self.claimed:g} {verdict}"
        )

    def _repr_html_(self) -> str:
        made = self.guesses
        rows = [(self.bound.symbol, f"{self.bound.relation} {self.bound.rounded}")]
        rows += [("claimed", f"{self.claimed:g}"), ("users", f"{made.canaries:,}")]
        rows += [("guesses", f"{made.guesses:,}"), ("values in a guess", f"{made.top:,}")]
        rows += [("right", f"{made.correct:,}")]
        return table(f"Reports by {self.protocol}", rows, self.explain())


def audit_local_reports(
    protocol: LocalProtocol,
    users: int = 10_000,
    *,
    confidence: float = 0.95,
    seed: int | np.random.Generator | None = None,
) -> LocalReportAudit:
    """An audit of a local protocol from one report of each of many users.

    Parameters
    ----------
    protocol : LocalProtocol
        Such as ``wb.mechanisms.local_protocol("optimized-unary", values=10, epsilon=1)``, or one of
        your own.
    users : int
        Number n of users, each with a value that is drawn uniformly.
    confidence : float
    seed : int or numpy.random.Generator, optional
        By default a number from the operating system, which the result keeps.

    Returns
    -------
    LocalReportAudit

    Raises
    ------
    ValueError
        More users times values than fit into memory; reports or scores of another shape.

    Notes
    -----
    Guarantee: pointwise. The bound holds for the ε of one report whatever the likelihood that the
    protocol states, which decides about the guesses alone. Several reports of a user are one report
    here: let ``report`` return all of them.

    References
    ----------
    Arcolezi and Gambs (2024), *Revealing the true cost of locally differentially private protocols:
    an auditing perspective*, arXiv 2309.01597. The proof is in the head of
    `workbench.labels.local_reports`.

    Examples
    --------
    >>> protocol = wb.mechanisms.local_protocol("unary-kept-bit", values=10, epsilon=1.0)
    >>> print(wb.audit_local_reports(protocol, users=20_000, seed=1))
    unary-kept-bit: ε ≥ 1.48 (95%), claim 1 refuted
    """
    _checks.instance(
        protocol, LocalProtocol, "protocol",
        "a workbench.LocalProtocol; wb.mechanisms.local_protocol(name, values, epsilon) makes one",
    )  # fmt: skip
    n = _checks.count(users, "users", least=1)
    if n * protocol.values > _MOST:
        raise ValueError(
            f"users times values must be at most {_MOST:,}, got {n:,} · {protocol.values:,}; take "
            "fewer users"
        )
    level = _checks.confidence(confidence)
    given = chance.checked_seed(seed)
    drawn = chance.new_seed() if given is None else given
    values, reports, ties = np.random.default_rng(drawn).spawn(3)
    true = values.integers(protocol.values, size=n)
    scores = protocol.scores_of(protocol.reports_of(true, reports))
    top, certain, rank = _named(scores, true, ties)
    order = np.argsort(-certain, kind="stable")
    number = _number(certain[order], top, protocol.values)
    guesses = Guesses(
        n, number, int((rank[order[:number]] <= top).sum()), values=protocol.values, top=top,
        seed=drawn,
    )  # fmt: skip
    bound = one_run_bound(guesses, delta=0.0, confidence=level, method="sharp")
    if protocol.values == 2:  # which two guesses "in" and "out" would be about
        bound = replace(bound, assumption=VALUES, note=TWO_VALUES)
    return LocalReportAudit(protocol.name, protocol.epsilon, guesses, bound, drawn)


def _named(
    scores: Floats, true: NDArray[np.int64], rng: np.random.Generator
) -> tuple[int, Floats, NDArray[np.int64]]:
    """The size j of sets, the posterior probability of each report's set, and the truth's rank."""
    n, k = scores.shape
    known = np.where(np.isnan(scores), -np.inf, scores)
    peak = known.max(axis=1, keepdims=True)
    weights = np.exp(known - np.where(np.isfinite(peak), peak, 0))
    weights = np.where(np.isfinite(weights), weights, 1.0)
    total = weights.sum(axis=1, keepdims=True)
    posterior = np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / k)
    likeliest = np.cumsum(-np.sort(-posterior, axis=1), axis=1)
    sizes = np.unique(np.round(np.geomspace(1, max(k - 1, 1), _SIZES)).astype(int))
    if k - 1 <= 2 * _SIZES:
        sizes = np.arange(1, k)
    expected = []
    for j in sizes:
        certain = -np.sort(-likeliest[:, j - 1])
        expected.append(max(_expected(certain, int(j), k).values(), default=0.0))
    top = int(sizes[int(np.argmax(expected))])
    # Equal posteriors are ranked by chance.
    own = posterior[np.arange(n), true][:, None]
    keys = rng.random((n, k))
    before = (posterior > own) | ((posterior == own) & (keys < keys[np.arange(n), true][:, None]))
    return top, likeliest[:, top - 1], 1 + before.sum(axis=1)


def _expected(certain: Floats, top: int, values: int) -> dict[int, float]:
    """Number of guesses -> about the ε that they are expected to show, for several numbers.

    Parameters
    ----------
    certain : ndarray, shape (n,)
        The probability that each set is right by the protocol, in falling order.
    """
    n = certain.size
    numbers = np.unique(np.round(np.geomspace(min(50, n), n, _NUMBERS)).astype(int))
    # Reports that are equally certain are taken together.
    ends = np.searchsorted(-certain, -certain[numbers - 1] + 1e-12, side="right")
    numbers = np.unique(np.concatenate([numbers, ends]))
    rate = np.cumsum(certain)[numbers - 1] / numbers
    low = rate - 1.645 * np.sqrt(rate * (1 - rate) / numbers) - 1 / numbers
    low = np.clip(low, 1e-12, 1 - 1e-12)
    found = np.log(low) - np.log1p(-low) + np.log((values - top) / top)
    return dict(zip(numbers.tolist(), found.tolist(), strict=True))


def _number(certain: Floats, top: int, values: int) -> int:
    """The number of guesses with which the largest bound is expected."""
    found = _expected(certain, top, values)
    return max(found, key=lambda number: found[number])
