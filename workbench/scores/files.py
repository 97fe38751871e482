"""`read_scores`: the scores of an audit from one file or two."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from workbench.scores.layouts.apply import scores_from_tables
from workbench.scores.layouts.guess import guess_layout
from workbench.scores.parsing.source import read_table
from workbench.scores.sample import Scores

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger(__name__)


def read_scores(
    path: str | os.PathLike[str] | pd.DataFrame,
    *,
    path_q: str | os.PathLike[str] | pd.DataFrame | None = None,
    p: str | None = None,
    q: str | None = None,
    score: str | None = None,
    member: str | None = None,
    member_value: object = None,
    cluster: str | None = None,
    cluster_rule: str = "mean",
    larger_is_member: bool = True,
    sampling: str = "unknown",
    nonfinite: str = "keep",
    name: str | None = None,
    trusted: bool = False,
) -> Scores:
    """Scores from csv, tsv, parquet, feather, npy, npz or json files.

    The layout is found by the names of the columns, logged (logger ``workbench.scores.files``)
    and can be overruled.

    Parameters
    ----------
    path : path or DataFrame
        The file, or the file of P where each side has its own.
    path_q : path or DataFrame, optional
        The file of Q.
    p, q : str, optional
        Columns (arrays) of the two sides. Empty cells at the end of the shorter one are no scores.
    score, member : str, optional
        Column of the scores and column of the labels that say whether each is of P.
    member_value : optional
        The label of P; all other rows become Q.
    cluster : str, optional
        Column of labels: scores that share one are reduced to one by ``cluster_rule``.
    cluster_rule, larger_is_member, sampling, nonfinite
        As in `Scores`.
    name : str, optional
        Shown in titles; the file's name by default.
    trusted : bool
        Parse the files in this process and without limits: for large files of your own. By default
        a file is parsed in a process of its own, with limits of size, memory and time
        (`workbench.scores.parsing.limits`), where a damaged or hostile one can do no harm.

    Returns
    -------
    Scores

    Raises
    ------
    ScoresError
        The file cannot be read, the layout is in doubt, or the scores cannot be audited; the
        message says what to do.

    See Also
    --------
    read_one_run : canaries of one run, each with its score and whether it was included.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"score": [0.1, 2.0, 0.3, 1.5], "member": [0, 1, 0, 1]})
    >>> wb.read_scores(frame).p
    array([2. , 1.5])
    """
    sources = (path,) if path_q is None else (path, path_q)
    tables = [read_table(source, trusted=trusted) for source in sources]
    layout = guess_layout(
        *tables,
        p=p,
        q=q,
        score=score,
        member=member,
        member_value=member_value,
        cluster=cluster,
    )
    log.info("%s: %s", tables[0].label, layout.describe())
    for table in tables:
        for note in table.notes:
            log.info("%s: %s", table.label, note)
    scores, _ = scores_from_tables(
        tables,
        layout,
        larger_is_member=larger_is_member,
        sampling=sampling,
        cluster_rule=cluster_rule,
        nonfinite=nonfinite,
        name=name,
    )
    return scores
