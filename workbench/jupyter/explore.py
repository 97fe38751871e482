"""``wb.explore``: pages in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from workbench import _checks
from workbench.bounds.counts.counts import Counts
from workbench.bounds.parametric.estimators import estimator_named
from workbench.claims.base import Claim
from workbench.jupyter.view import View
from workbench.onerun.canaries import Guesses, OneRun
from workbench.onerun.read import read_one_run
from workbench.pages.compare import ComparePage, GivenComparePage
from workbench.pages.counts import CountsPage
from workbench.pages.family import FamilyPage
from workbench.pages.given_scores import GivenFamilyPage, GivenScoresPage, GivenWatchPage
from workbench.pages.inputs.pair import KINDS, pair_values
from workbench.pages.mechanism.page import MechanismPage
from workbench.pages.one_run.page import GivenOneRunPage, OneRunPage
from workbench.pages.pair_lab import PairLabPage
from workbench.pages.plan import PlanPage
from workbench.pages.scores.code import score_code
from workbench.pages.scores.page import ScoresPage
from workbench.pages.selection.page import SelectionPage, run_values
from workbench.pages.watch import WatchPage
from workbench.pairs.base import Pair
from workbench.scores.files import read_scores
from workbench.scores.sample import Scores, ScoresError
from workbench.selection.runs import RunCount
from workbench.testers.running.load_mechanism import find_mechanism

if TYPE_CHECKING:
    import pandas as pd

    Explorable = Scores | str | PathLike[str] | tuple[ArrayLike, ArrayLike] | pd.DataFrame


def explore(
    scores: Explorable | None = None,
    show: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
) -> View:
    """Live controls, numbers and charts of audit scores, in a notebook.

    Parameters
    ----------
    scores : Scores, path, pair of array_like or DataFrame, optional
        Members (P) first in a pair. None offers the bundled examples, a file, or a pair to sample.
    show : iterable of str, optional
        A part of the figures, such as ``("histogram", "tradeoff")``, and of the numbers, such as
        ``"epsilon"``; controls that nothing shown needs are left out. All by default.
    spec : dict, optional
        A state from `View.spec`, or any controls by name: ``{"bin_width": 0.2}``.

    Returns
    -------
    View

    Raises
    ------
    ScoresError
        What `Scores` or `read_scores` say of scores that cannot be audited.
    ValueError
        An unknown name in ``show`` or ``spec``.

    Examples
    --------
    >>> view = wb.explore(wb.example("subsampled-gaussian"), show=("histogram", "tradeoff"))
    >>> view.bin_width = 0.2
    >>> view.bound
    """
    page = ScoresPage() if scores is None else GivenScoresPage(_scores(scores))
    return View(page, partial(score_code, page), show, spec)


def explore_pair(
    pair: str | Pair = "subsampled-gaussian",
    show: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
) -> View:
    """A pair with known truth beside what an audit of samples from it finds.

    Parameters
    ----------
    pair : str or Pair
        "gaussian", "laplace", "subsampled-gaussian", "randomized-response", or one of those with
        its parameters, such as ``wb.GaussianPair(1)``.
    show, spec
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ValueError
        An unknown pair, or an unknown name in ``show`` or ``spec``.
    """
    page = PairLabPage(**_pair_values(pair))
    return View(page, page.code, show, spec)


def explore_family(
    scores: Explorable | None = None,
    family: str = "gaussian",
    q: float | None = None,
    show: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
) -> View:
    """What scores show if their pair is of a family, and whether it is.

    Parameters
    ----------
    scores
        As in `explore`.
    family : {"gaussian", "laplace", "subsampled-gaussian", "randomized-response"}
        As in ``wb.family_fit``.
    q : float, optional
        The known sampling probability of "subsampled-gaussian".
    show, spec
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ScoresError
        As `explore`.
    ValueError
        An unknown family, a q that is missing or superfluous, or an unknown name in ``show`` or
        ``spec``.
    """
    estimator_named(family, q)
    asked: dict[str, Any] = {"family": family} | ({} if q is None else {"q": q})
    page = FamilyPage(**asked) if scores is None else GivenFamilyPage(_scores(scores), **asked)
    return View(page, page.code, show, spec)


def explore_compare(
    a: Explorable | None = None,
    b: Explorable | None = None,
    show: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
) -> View:
    """Two score sets side by side, and which of them leaks more.

    Parameters
    ----------
    a, b
        Each as in `explore`. Both or none; none offers bundled examples, files and pairs to sample.
    show, spec
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ScoresError
        As `explore`.
    ValueError
        Only one of the two, or an unknown name in ``show`` or ``spec``.
    """
    if (a is None) != (b is None):
        raise ValueError("explore_compare takes two score sets, or none; only one was given")
    page = ComparePage() if a is None else GivenComparePage(_scores(a), _scores(b))
    return View(page, page.code, show, spec)


def explore_counts(
    tp: int | None = None,
    fp: int | None = None,
    tn: int | None = None,
    fn: int | None = None,
    show: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
) -> View:
    """What the four counts of one attack prove, by every interval in use.

    Parameters
    ----------
    tp, fp, tn, fn : int, optional
        Members and non-members that were called members or not; all four, or none for an example.
    show, spec
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ValueError
        Some of the counts only, counts that make no attack, or an unknown name in ``show`` or
        ``spec``.
    """
    counts = {"tp": tp, "fp": fp, "tn": tn, "fn": fn}
    given = {name: value for name, value in counts.items() if value is not None}
    if given and len(given) < len(counts):
        missing = ", ".join(name for name in counts if name not in given)
        raise ValueError(f"explore_counts takes all four counts, or none; {missing} is missing")
    if given:
        Counts(**given)
    page = CountsPage(**given)
    return View(page, page.code, show, spec)


def explore_watch(
    scores: Explorable | None = None,
    show: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
) -> View:
    """What may be said of scores at every moment of their arrival, and what may not.

    Parameters
    ----------
    scores
        As in `explore`; rows in order of arrival. None offers a pair to sample, the bundled
        examples, or a file.
    show, spec
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ScoresError
        As `explore`.
    ValueError
        An unknown name in ``show`` or ``spec``.
    """
    page = WatchPage() if scores is None else GivenWatchPage(_scores(scores))
    return View(page, page.code, show, spec)


def explore_plan(
    pair: str | Pair = "gaussian",
    show: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
) -> View:
    """How many scores an audit of a known pair needs, and what its bound will be.

    Parameters
    ----------
    pair
        As in `explore_pair`.
    show, spec
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ValueError
        As `explore_pair`.
    """
    page = PlanPage(**_pair_values(pair))
    return View(page, page.code, show, spec)


def explore_one_run(
    run: OneRun | Guesses | str | PathLike[str] | pd.DataFrame | None = None,
    show: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
) -> View:
    """What guesses on the canaries of one training run prove, by every method, and a simulator.

    Parameters
    ----------
    run : OneRun, Guesses, path or DataFrame, optional
        Canaries with their scores, or the counts alone. None offers counts, a file of canaries, and
        simulated runs.
    show, spec
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ScoresError
        What `OneRun` or `read_one_run` say of canaries that cannot be audited.
    ValueError
        An unknown name in ``show`` or ``spec``.

    Examples
    --------
    >>> view = wb.explore_one_run(wb.Guesses(canaries=1000, guesses=1000, correct=691))
    >>> view.bits
    """
    page: OneRunPage
    if run is None:
        page = OneRunPage()
    elif isinstance(run, Guesses):
        page = OneRunPage(
            source="counts",
            canaries=run.canaries,
            guessed=run.guesses,
            right=run.correct,
            included=run.included or 0,
            design=run.design,
        )
    else:
        page = GivenOneRunPage(run if isinstance(run, OneRun) else read_one_run(run))
    return View(page, page.code, show, spec)


def explore_selection(
    runs: RunCount | None = None,
    mu: float | None = None,
    show: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
) -> View:
    """What releasing the best of many runs costs, by every bound, and an audit by simulation.

    Parameters
    ----------
    runs : RunCount, optional
        How many runs, such as ``wb.selection.TwoPoint(10, 0.1)``; a table has no controls.
    mu : float, optional
        One run is N(0,1) against N(μ,1): see ``wb.selection.reduced_mu``.
    show, spec
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ValueError
        Run counts or a μ that the controls cannot show, or an unknown name in ``show`` or ``spec``.

    Examples
    --------
    >>> view = wb.explore_selection(wb.selection.NegativeBinomial(eta=1, nu=0.01), mu=0.5)
    >>> view.worst_number
    """
    given = {} if runs is None else run_values(runs)
    if mu is not None:
        given |= {"base_kind": "mu", "mu": _checks.number(mu, "mu")}
    page = SelectionPage()
    return View(page, page.code, show, {**given, **(spec or {})})


def explore_mechanism(
    mechanism: Callable[..., Any] | str | None = None,
    claim: Claim | str | None = None,
    show: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
) -> View:
    """A search for datasets on which a mechanism breaks its claim, and the evidence.

    Parameters
    ----------
    mechanism : callable or str, optional
        ``mechanism(dataset, size, rng)`` returns the outputs of ``size`` runs; or a `Mechanism`; or
        what names one: of the gallery, ``"MODULE:FUNCTION"``, ``"path/file.py:function"``, whose
        code is run. None offers the gallery alone.
    claim : Claim, Pair or str, optional
        What is tested at first, such as ``"approx(1, 1e-5)"``; a `Mechanism` brings its own.
    show, spec
        As in `explore`.

    Returns
    -------
    View
        ``view.search()`` runs the search to its end; ``view.found`` is its `MechanismAudit`.

    Raises
    ------
    ValueError
        No such mechanism, a claim that the controls cannot show, or an unknown name in ``show`` or
        ``spec``.

    Examples
    --------
    >>> view = wb.explore_mechanism("svt3")
    >>> view.search()
    >>> view.found.in_words()
    """
    found = find_mechanism(mechanism) if isinstance(mechanism, str) else mechanism
    page = MechanismPage(found, claim)
    return View(page, page.code, show, spec)


def _pair_values(pair: str | Pair) -> dict[str, Any]:
    if isinstance(pair, str):
        return {"pair_kind": _checks.one_of(pair, "pair", KINDS)}
    if type(pair) not in [kind.build for kind in KINDS.values()]:
        raise ValueError(f"pair must be one of {', '.join(KINDS)}, got {pair!r}")
    return pair_values("pair", type(pair).__name__, **pair.parameters)


def _scores(given: Any) -> Scores:
    if isinstance(given, Scores):
        return given
    if isinstance(given, tuple | list) and len(given) == 2:
        return Scores(*given)
    if isinstance(given, str | PathLike) or hasattr(given, "columns"):
        return read_scores(given)
    raise ScoresError(
        f"scores must be Scores, a path, a pair (p, q) or a DataFrame, got {type(given).__name__}; "
        "for arrays: wb.explore((p, q)), members first"
    )
