"""`check_mechanism`: whether a mechanism runs as stated, and its claim is as true as stated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench import _checks
from workbench.mechanisms.base import Mechanism
from workbench.mechanisms.gallery import mechanism as of_gallery
from workbench.mechanisms.table_domain import TableDomain
from workbench.testers.audit import TESTERS, audit_mechanism
from workbench.testers.finders.given import as_neighbors
from workbench.testers.finders.neighbors import RELATIONS
from workbench.testers.property_testers.base import Tester
from workbench.testing.failure import Properties

_RUNS = 400


def check_mechanism(
    mechanism: Mechanism | str,
    *,
    samples: int = 20_000,
    must_refute: bool = True,
    testers: Sequence[str | Tester] = TESTERS,
) -> None:
    """Nothing, if a mechanism runs as stated and an audit of its pair agrees with ``private``.

    Parameters
    ----------
    mechanism : Mechanism or str
        Or the name of one of the gallery.
    samples : int
        Runs on each dataset of its pair.
    must_refute : bool
        Whether so many runs have to refute the claim of a mechanism that is not private.
    testers : sequence of str or Tester
        As in `audit_mechanism`; "bits" for one whose fault is in the digits of floats.

    Raises
    ------
    CheckFailure
        The first property that fails: its datasets are in its domain and neighbors, equal
        generators give equal outputs, each run gives one row, and its claim is refuted if it is
        not private (a private one is refuted with probability at most 1e-6).

    Examples
    --------
    >>> from workbench.testing import check_mechanism
    >>> check_mechanism("laplace-mean", samples=2000)
    """
    card = of_gallery(mechanism) if isinstance(mechanism, str) else mechanism
    demand = Properties(f"the mechanism {getattr(card, 'name', card)!r}")
    demand.demand(isinstance(card, Mechanism), "it is a wb.Mechanism")
    demand.demand(card.title.strip() and card.about.strip(), "it has a title and says what it does")
    samples = _checks.count(samples, "samples", least=1000)
    _check_datasets(card, demand)
    for dataset in card.pair:
        once, again = (np.asarray(card(dataset, _RUNS, np.random.default_rng(1))) for _ in range(2))
        demand.demand(
            once.ndim in (1, 2) and len(once) == _RUNS,
            "each run gives one row",
            f"{_RUNS} runs gave the shape {once.shape}",
        )
        demand.demand(
            np.array_equal(once, again, equal_nan=once.dtype.kind == "f"),
            "equal generators give equal outputs: rng is the only source of randomness",
        )
        other = np.asarray(card(dataset, _RUNS, np.random.default_rng(2)))
        demand.demand(
            not np.array_equal(once, other) or len(np.unique(once, axis=0)) == 1,
            "other generators give other outputs",
        )
    audit = audit_mechanism(
        card,
        card.claim,
        card.pair,
        testers=testers,
        samples=samples,
        confidence=1 - 1e-6,
        trials=1,
    )
    demand.demand(not audit.errors, "no run raises", f"{list(audit.errors.values())[:1]}")
    violated = any(found.violation for trial in audit.trials for found in trial.findings.values())
    if card.private:
        demand.demand(not violated, f"its claim {card.claim} is true, as stated", audit.in_words())
    elif must_refute:
        demand.demand(
            violated,
            f"{samples} runs on its pair refute its claim {card.claim}, which is said to be false",
            audit.in_words(),
        )


def _check_datasets(card: Mechanism, demand: Properties) -> None:
    demand.demand(
        card.neighboring_relation in RELATIONS,
        "its neighboring relation is known",
        f"got {card.neighboring_relation!r}",
    )
    if card.neighboring_relation == "stated":
        return  # nothing is known of such datasets
    domain = card.domain
    if isinstance(domain, TableDomain):
        _check_frames(card, domain, demand)
        return
    first, second = card.pair
    for dataset in (first, second):
        columns = dataset.shape[1] if dataset.ndim == 2 else 0
        inside = bool(((dataset >= domain.low) & (dataset <= domain.high)).all())
        demand.demand(
            columns == domain.columns and inside,
            "the datasets of its pair are in its domain",
            f"the shape {dataset.shape} with values {dataset.min():g} to {dataset.max():g}",
        )
    apart = abs(len(first) - len(second))
    if card.neighboring_relation == "add-remove":
        demand.demand(apart == 1, "its datasets differ by one record", f"by {apart} in size")
        return
    differ = int((first != second).reshape(len(first), -1).any(axis=1).sum()) if not apart else -1
    demand.demand(differ == 1, "its datasets differ in one record", f"they differ in {differ}")


def _check_frames(card: Mechanism, domain: TableDomain, demand: Properties) -> None:
    said = ""
    try:
        as_neighbors(card.pair, card.neighboring_relation, domain)
    except ValueError as error:
        said = str(error)
    demand.demand(not said, "the frames of its pair are neighbors in its domain", said)
