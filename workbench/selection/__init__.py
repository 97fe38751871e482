"""Private selection: the privacy cost of releasing the best of many runs.

A base algorithm runs K times, K drawn from ``runs``, and the run with the best score is released
(Papernot and Steinke 2022; Xiang, Wang and Wang 2024)::

    runs = wb.selection.NegativeBinomial(eta=1, nu=0.01)
    wb.selection.epsilon(runs, mu=0.5, delta=1e-5)                     # monotone scores
    wb.selection.epsilon(runs, mu=0.5, delta=1e-5, bound="any")        # any score
    wb.selection.worst_order(runs, mu=0.5, delta=1e-5)                 # a score that leaks more
    wb.selection.simulate(runs, mu=0.5, n=10**6)                       # selections to audit

- `runs`, `finite_runs`: distributions of K; `orders`: scores; `base_pair`: the base algorithm.
- `bounds`: `epsilon`, by the methods of `direct`, `renyi` and `composition`; `worst_order`: a
  search for scores that leak more.
- `outcomes`, `release_distribution`, `curve`: distributions of the release; `simulation` draws
  releases, and `audit` audits them.
"""

from workbench.selection.base_pair import reduced_mu
from workbench.selection.bounds import epsilon
from workbench.selection.curve import tradeoff_curve
from workbench.selection.finite_runs import PointMass, Table, TwoPoint
from workbench.selection.orders import BlockOrder, Constant, Monotone, Noisy, Score
from workbench.selection.outcomes import FiniteSelection
from workbench.selection.renyi import NoBoundError, generic_pure_epsilon, generic_refusal
from workbench.selection.runs import NegativeBinomial, Poisson, RunCount
from workbench.selection.simulation import simulate
from workbench.selection.worst_order import WorstOrder, worst_order

__all__ = [
    "BlockOrder",
    "Constant",
    "FiniteSelection",
    "Monotone",
    "NegativeBinomial",
    "NoBoundError",
    "Noisy",
    "PointMass",
    "Poisson",
    "RunCount",
    "Score",
    "Table",
    "TwoPoint",
    "WorstOrder",
    "epsilon",
    "generic_pure_epsilon",
    "generic_refusal",
    "reduced_mu",
    "simulate",
    "tradeoff_curve",
    "worst_order",
]
