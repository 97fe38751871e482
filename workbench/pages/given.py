"""Pages about objects of Python: `page_about` finds the page of any of them."""

from __future__ import annotations

import warnings
from os import PathLike
from typing import Any

from workbench import _checks
from workbench.bounds.counts.counts import Counts
from workbench.estimators.direction import direction_doubt
from workbench.onerun.guesses import Guesses
from workbench.onerun.ranks.ranks import Ranks
from workbench.onerun.ranks.read import ranks_of_table
from workbench.onerun.read import one_run_of_table
from workbench.onerun.run import OneRun
from workbench.pages.core.page import Page
from workbench.pages.counts import CountsPage
from workbench.pages.inputs.known import values_of_known
from workbench.pages.inputs.pair import KINDS, PairChoice, values_of_pair
from workbench.pages.one_run.page import OneRunPage
from workbench.pages.pair_lab import PairLabPage
from workbench.pages.records.page import RecordsPage
from workbench.pages.registry import PAGES
from workbench.pages.scores.page import ScoresPage
from workbench.pages.selection.page import SelectionPage, run_values
from workbench.pages.synthetic.page import SyntheticPage
from workbench.pairs.base import Pair
from workbench.scores.files import read_scores
from workbench.scores.layouts.folders import run_file
from workbench.scores.layouts.ranked import ranks_in
from workbench.scores.parsing.source import read_table
from workbench.scores.sample import Scores, ScoresError
from workbench.selection.runs import RunCount
from workbench.synthetic.audit import SyntheticAudit
from workbench.tables.table import ScoreTable
from workbench.workspaces.dataset import DataSet
from workbench.workspaces.home import workspace


def page_about(subject: Any) -> Page:
    """The page about an object, or that of a name.

    Parameters
    ----------
    subject : object
        As of `workbench.explore`.

    Raises
    ------
    ScoresError
        Scores that cannot be audited, or an object that has no page.
    ValueError
        An object that the controls of its page cannot show.
    """
    if subject is None:
        return ScoresPage(workspace=workspace())
    if isinstance(subject, DataSet):
        kind = RecordsPage if subject.kind == "table" else ScoresPage
        return kind(workspace=workspace(), data=subject.key)
    if isinstance(subject, str) and subject in PAGES:
        page: Page = PAGES[subject].kind(workspace=workspace())
        return page
    entry = next((one for one in PAGES.values() if one.is_about(subject)), PAGES["scores"])
    about: Page = entry.page_about(subject)
    return about


def as_scores(given: Any) -> Scores:
    """`Scores` from `Scores`, a path, a pair of arrays (members first) or a DataFrame."""
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


def scores_page(given: Any) -> ScoresPage:
    """The page about scores; see `as_scores`. It warns if their direction is in doubt."""
    scores = as_scores(given)
    if doubt := direction_doubt(scores):
        warnings.warn(doubt, stacklevel=5)
    return ScoresPage(scores)


def counts_page(counts: Counts) -> CountsPage:
    """The page about the four counts of an attack."""
    return CountsPage(tp=counts.tp, fp=counts.fp, tn=counts.tn, fn=counts.fn)


def one_run_page(run: Any) -> OneRunPage:
    """The page about one training run: `Guesses`, `OneRun`, `Ranks`, or a file of one of these."""
    if isinstance(run, Guesses):
        return OneRunPage(
            source="counts",
            canaries=run.canaries,
            guessed=run.guesses,
            right=run.correct,
            included=run.included or 0,
            design=run.design,
            values=run.values,
            top=run.top,
            condition=run.condition or "",
            counts_void=run.void or "",
        )
    if isinstance(run, OneRun | Ranks):
        return OneRunPage(run)
    table = read_table(run_file(run))
    return OneRunPage(ranks_of_table(table) if ranks_in(table) else one_run_of_table(table))


def records_page(table: ScoreTable) -> RecordsPage:
    """The page about the records of a score table."""
    return RecordsPage(table)


def selection_page(runs: RunCount) -> SelectionPage:
    """The page about the best of so many runs; see `run_values`."""
    return SelectionPage(**run_values(runs))


def synthetic_page(audit: SyntheticAudit) -> SyntheticPage:
    """The page about an audit of a synthetic table."""
    return SyntheticPage(audit)


def pair_page(pair: Pair | str) -> PairLabPage:
    """The page about a pair with known privacy loss; see `given_pair`."""
    return PairLabPage(
        **(given_pair(pair) if isinstance(pair, str) else values_of_known("pair", pair))
    )


def given_pair(pair: Pair | str) -> dict[str, Any]:
    """Controls of a page that choose a pair, which is given by name or as an object.

    Raises
    ------
    ValueError
        A pair that the controls do not offer.
    """
    if isinstance(pair, str):
        kind, mu = _checks.one_of(pair, "pair", KINDS), PairChoice.parameters["mu"].default
        return {"pair_kind": kind, "pair_mu": mu}
    return values_of_pair("pair", pair)
