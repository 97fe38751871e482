"""``wb.explore``: pages in a notebook."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from workbench import _checks
from workbench.bounds.counts.counts import Counts
from workbench.bounds.parametric.estimators import estimator_named
from workbench.claims.base import Claim
from workbench.claims.parse import as_claim
from workbench.onerun.guesses import Guesses
from workbench.onerun.ranks.ranks import Ranks
from workbench.onerun.run import OneRun
from workbench.pages.compare import ComparePage
from workbench.pages.core.page import Page
from workbench.pages.counts import CountsPage
from workbench.pages.family import FamilyPage
from workbench.pages.given import (
    as_scores,
    counts_page,
    given_pair,
    one_run_page,
    page_about,
    pair_page,
)
from workbench.pages.inputs.claims.stated import claim_settings
from workbench.pages.inputs.code import code_of
from workbench.pages.mechanism.page import MechanismPage
from workbench.pages.one_run.page import OneRunPage
from workbench.pages.plan import PlanPage
from workbench.pages.selection.page import SelectionPage, run_values
from workbench.pages.training.page import TrainPage
from workbench.pages.watch import WatchPage
from workbench.pairs.base import Pair
from workbench.scores.sample import Scores
from workbench.selection.runs import RunCount
from workbench.testers.running.load_mechanism import find_mechanism
from workbench.training.runs.gallery import GalleryRun
from workbench.training.runs.run import TrainingRun
from workbench.views.settings import translated
from workbench.views.view import View

if TYPE_CHECKING:
    import pandas as pd

    Explorable = Scores | str | PathLike[str] | tuple[ArrayLike, ArrayLike] | pd.DataFrame


def explore(
    subject: Any = None,
    show: Iterable[str] | None = None,
    controls: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
    claim: Claim | Pair | str | None = None,
    **settings: Any,
) -> View:
    """Live controls, numbers and charts of audit scores or another object, in a notebook.

    Parameters
    ----------
    subject : object, optional
        Scores: `Scores`, a path, a pair of arrays (members first) or a DataFrame. Or `Counts`,
        `OneRun`, `Guesses`, a pair such as `GaussianPair`, run counts of `workbench.selection`, a
        mechanism: each has a page of its own. Or a `DataSet` of `workspace`, or the name of a
        page, such as ``"plan"``; ``"import"`` adds files to `workspace`. None offers the data sets
        of `workspace`, the bundled examples, or a pair to sample.
    show : iterable of str, optional
        Names or titles of what to show, and nothing else: figures such as ``"histogram"`` and
        ``"tradeoff"``, numbers such as ``"epsilon"``, sentences such as ``"in_words"``; ``"all"``
        is everything. By default the answer, one chart and its slider, and a button that shows the
        rest. The picture in a saved notebook always has everything.
    controls : iterable of str, optional
        Names or labels of the controls to show, such as ``("threshold",)``; ``()`` shows none. By
        default all that something shown depends on; at first those that move the one chart.
    spec : dict, optional
        A state from `View.spec`, or any controls by name: ``{"bin_width": 0.2}``.
    claim : Claim, Pair or str, optional
        What was promised of the mechanism, such as ``"approx(2, 1e-5)"``; scores are tested against
        it, as `judge` does, and its δ is that of the bound on ε. `parse_claim` reads text.
    **settings
        Controls by name, which come before those of ``spec``: ``threshold=0.5``, ``delta=1e-5``.

    Returns
    -------
    View
        Its attributes are the controls and numbers of the page.

    Raises
    ------
    ScoresError
        Scores that cannot be audited, or an object that has no page.
    ValueError
        An unknown name in ``show``, ``controls``, ``spec`` or the settings, a value that a setting
        does not take, an object or a claim that the controls cannot show, or a claim for a page
        that tests none.

    Examples
    --------
    >>> scores = wb.example("subsampled-gaussian")
    >>> view = wb.explore(scores, show=("histogram", "tradeoff"), delta=1e-5)
    >>> view.bin_width = 0.2
    >>> view.bound
    Bound(ε at δ = 1e-5 ≥ 6.63 (simultaneous, 95%, independent runs))
    """
    if isinstance(subject, RunCount):  # the code of that page restores them from the spec
        return explore_selection(subject, show=show, controls=controls, spec=spec, **settings)
    page = page_about(subject)
    if claim is None:
        return _view(page, show, controls, spec, settings)
    if isinstance(page, MechanismPage):
        return explore_mechanism(subject, as_claim(claim), show, controls, spec, **settings)
    stated = {**claim_settings(page, claim), **(spec or {})}
    return _view(page, show, controls, stated, settings)


def explore_pair(
    pair: str | Pair = "subsampled-gaussian",
    show: Iterable[str] | None = None,
    controls: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
    **settings: Any,
) -> View:
    """Live page on a pair with known privacy loss and what audits of its samples find.

    Parameters
    ----------
    pair : str or Pair
        "gaussian", "laplace", "subsampled-gaussian", "randomized-response", or one of those with
        its parameters, such as ``wb.GaussianPair(1)``; also a `LastIteratePair`.
    show, controls, spec, **settings
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ValueError
        An unknown pair, or an unknown name in ``show``, ``controls``, ``spec`` or the settings.
    """
    return _view(pair_page(pair), show, controls, spec, settings)


def explore_family(
    scores: Explorable | None = None,
    family: str = "gaussian",
    q: float | None = None,
    show: Iterable[str] | None = None,
    controls: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
    **settings: Any,
) -> View:
    """Live page on what scores prove if their pair is of a family, and whether it is.

    Parameters
    ----------
    scores
        As the scores of `explore`.
    family : {"gaussian", "laplace", "subsampled-gaussian", "randomized-response"}
        As in ``wb.family_fit``.
    q : float, optional
        The sampling probability of "subsampled-gaussian", which has to be known.
    show, controls, spec, **settings
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ScoresError
        As `explore`.
    ValueError
        An unknown family, a q that is missing or not used by the family, or an unknown name in
        ``show``, ``controls`` or ``spec``.
    """
    estimator_named(family, q)
    asked: dict[str, Any] = {"family": family} | ({} if q is None else {"q": q})
    page = FamilyPage(**asked) if scores is None else FamilyPage(as_scores(scores), **asked)
    return _view(page, show, controls, spec, settings)


def explore_compare(
    a: Explorable | None = None,
    b: Explorable | None = None,
    show: Iterable[str] | None = None,
    controls: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
    **settings: Any,
) -> View:
    """Live page on two score sets, and which of them leaks more.

    Parameters
    ----------
    a, b
        Each as the scores of `explore`. Without them the page offers bundled examples, files, and
        pairs to sample.
    show, controls, spec, **settings
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ScoresError
        As `explore`.
    ValueError
        Only one of the two, or an unknown name in ``show``, ``controls``, ``spec`` or the settings.
    """
    if (a is None) != (b is None):
        raise ValueError("explore_compare takes two score sets, or none; only one was given")
    page = ComparePage() if a is None else ComparePage((as_scores(a), as_scores(b)))
    return _view(page, show, controls, spec, settings)


def explore_counts(
    tp: int | None = None,
    fp: int | None = None,
    tn: int | None = None,
    fn: int | None = None,
    show: Iterable[str] | None = None,
    controls: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
    **settings: Any,
) -> View:
    """Live page on what the four counts of one attack prove, with every interval in use.

    Parameters
    ----------
    tp, fp, tn, fn : int, optional
        True positives, false positives, true negatives and false negatives of the attack. Without
        them the page starts with an example.
    show, controls, spec, **settings
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ValueError
        Only some of the counts, a negative or fractional count, a group without runs, or an unknown
        name in ``show``, ``controls`` or ``spec``.
    """
    counts = {"tp": tp, "fp": fp, "tn": tn, "fn": fn}
    given = {name: value for name, value in counts.items() if value is not None}
    if given and len(given) < len(counts):
        missing = ", ".join(name for name in counts if name not in given)
        raise ValueError(f"explore_counts takes all four counts, or none; {missing} is missing")
    page = counts_page(Counts(**given)) if given else CountsPage()
    return _view(page, show, controls, spec, settings)


def explore_watch(
    scores: Explorable | None = None,
    show: Iterable[str] | None = None,
    controls: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
    **settings: Any,
) -> View:
    """Live page on scores that arrive one by one, and which bounds stay valid meanwhile.

    Parameters
    ----------
    scores
        As the scores of `explore`, rows in order of arrival. Without them the page offers a pair
        to sample, the bundled examples, or a file.
    show, controls, spec, **settings
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ScoresError
        As `explore`.
    ValueError
        An unknown name in ``show``, ``controls``, ``spec`` or the settings.
    """
    page = WatchPage() if scores is None else WatchPage(as_scores(scores))
    return _view(page, show, controls, spec, settings)


def explore_plan(
    pair: str | Pair = "gaussian",
    show: Iterable[str] | None = None,
    controls: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
    **settings: Any,
) -> View:
    """Live page on how many scores an audit of a known pair needs, and its expected bound.

    Parameters
    ----------
    pair
        As in `explore_pair`.
    show, controls, spec, **settings
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ValueError
        As `explore_pair`.
    """
    page = PlanPage(**given_pair(pair))
    return _view(page, show, controls, spec, settings)


def explore_one_run(
    run: OneRun | Guesses | Ranks | str | PathLike[str] | pd.DataFrame | None = None,
    show: Iterable[str] | None = None,
    controls: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
    **settings: Any,
) -> View:
    """Live page on what guesses about the canaries of one training run prove.

    Parameters
    ----------
    run : OneRun, Guesses, Ranks, path or DataFrame, optional
        Canaries with their scores, the counts alone, or the ranks of the true values. Without them
        the page offers counts, a file of canaries, and simulated runs.
    show, controls, spec, **settings
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ScoresError
        Canaries that cannot be audited; see `OneRun`, `Ranks`, `read_one_run` and `read_ranks`.
    ValueError
        An unknown name in ``show``, ``controls``, ``spec`` or the settings.

    Examples
    --------
    >>> view = wb.explore_one_run(wb.Guesses(canaries=1000, guesses=1000, correct=691))
    >>> view.bits.rounded, view.bits.family, view.bits.checked
    ('3.67', 'Gaussian', 'cannot be checked')
    """
    return _view(OneRunPage() if run is None else one_run_page(run), show, controls, spec, settings)


def explore_selection(
    runs: RunCount | None = None,
    mu: float | None = None,
    show: Iterable[str] | None = None,
    controls: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
    **settings: Any,
) -> View:
    """Live page on the privacy cost of releasing the best of many runs.

    Parameters
    ----------
    runs : RunCount, optional
        The distribution of the number of runs, such as ``wb.selection.TwoPoint(10, 0.1)``, but not
        a `workbench.selection.Table`, which has no controls.
    mu : float, optional
        The Gaussian DP parameter of one run; see ``wb.selection.reduced_mu``.
    show, controls, spec, **settings
        As in `explore`.

    Returns
    -------
    View

    Raises
    ------
    ValueError
        Run counts or a μ that the controls cannot show, or an unknown name in ``show``,
        ``controls`` or ``spec``.

    Examples
    --------
    >>> view = wb.explore_selection(wb.selection.NegativeBinomial(eta=1, nu=0.01), mu=0.5)
    >>> view.worst_number
    Bound(ε at δ = 1e-5 ≥ 3.96 (proven, no samples))
    """
    given = {} if runs is None else run_values(runs)
    if mu is not None:
        given |= {"base_kind": "mu", "mu": _checks.number(mu, "mu")}
    page = SelectionPage()
    return _view(page, show, controls, {**given, **(spec or {})}, settings)


def explore_mechanism(
    mechanism: Any = None,
    claim: Claim | str | None = None,
    show: Iterable[str] | None = None,
    controls: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
    **settings: Any,
) -> View:
    """Live page that searches for datasets on which a mechanism violates its claim.

    Parameters
    ----------
    mechanism : callable, object or str, optional
        ``mechanism(dataset, size, rng)`` returns the outputs of ``size`` runs. Or anything else
        that `mechanism_from` takes, or a name: of the gallery, ``"MODULE:FUNCTION"`` or
        ``"path/file.py:function"``, whose code is run. Without it the page offers the gallery.
    claim : Claim, Pair or str, optional
        The claim to test, such as ``"approx(1, 1e-5)"``; by default its own, if it states one.
    show, controls, spec, **settings
        As in `explore`.

    Returns
    -------
    View
        ``view.search()`` runs the search to its end; ``view.found`` is its `MechanismAudit`.

    Raises
    ------
    ValueError
        An unknown mechanism, something that is no mechanism, a claim that the controls cannot
        show, or an unknown name in ``show``, ``controls`` or ``spec``.

    Examples
    --------
    >>> view = wb.explore_mechanism("svt3")
    >>> view.trials = 4
    >>> found = view.search()  # doctest: +SKIP
    >>> found.in_words()  # doctest: +SKIP
    """
    found = find_mechanism(mechanism) if isinstance(mechanism, str) else mechanism
    page = MechanismPage(found, claim)
    return _view(page, show, controls, spec, settings)


def explore_training(
    run: TrainingRun | GalleryRun | None = None,
    show: Iterable[str] | None = None,
    controls: Iterable[str] | None = None,
    spec: dict[str, Any] | None = None,
    **settings: Any,
) -> View:
    """Live page that trains small models and audits them while they come.

    Parameters
    ----------
    run : TrainingRun or GalleryRun, optional
        What it shows at first, such as ``wb.training.open_run(folder)``.
    show, controls, spec, **settings
        As in `explore`.

    Returns
    -------
    View
        ``view.train()`` trains all models; ``view.trained`` is the run.

    Raises
    ------
    ValueError
        An unknown name in ``show``, ``controls``, ``spec`` or the settings.

    Examples
    --------
    >>> view = wb.explore_training()
    >>> view.bug = "same-seed"
    >>> run = view.train()  # doctest: +SKIP
    >>> view.page.verdict().text  # doctest: +SKIP
    'refuted'
    """
    if run is None:
        return _view(TrainPage(), show, controls, spec, settings)
    need = "a TrainingRun, such as wb.training.open_run(folder), or one of wb.training.gallery()"
    _checks.instance(run, (TrainingRun, GalleryRun), "run", need)
    return _view(TrainPage(run), show, controls, spec, settings)


def _view(
    page: Page,
    show: Iterable[str] | None,
    controls: Iterable[str] | None,
    spec: dict[str, Any] | None,
    settings: dict[str, Any],
) -> View:
    given = translated(page, dict(spec or {})) | translated(page, settings)
    return view_type()(page, partial(code_of, page), show, controls, given)


def view_type() -> type[View]:
    """The type of views: one that is a Viewer of Panel where Panel has been imported."""
    if sys.modules.get("panel") is None:  # to import it takes seconds
        return View
    from workbench.panel.view import PanelView

    return PanelView
