"""`read_scores`: the scores of an audit from one file or two."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

from workbench.progress import Report
from workbench.scores.chance import checked_seed
from workbench.scores.counting.large import is_large
from workbench.scores.layouts.apply import scores_from_tables
from workbench.scores.layouts.direction import doubt_of_direction
from workbench.scores.layouts.guess import check_order, guess_layout
from workbench.scores.layouts.labels import shared_columns, text_of
from workbench.scores.layouts.layout import Layout
from workbench.scores.layouts.tools import recognized
from workbench.scores.opening import Opened, open_sources
from workbench.scores.sample import Scores, ScoresError
from workbench.scores.statement import NOTHING, ScoreStatement, statement_in

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

log = logging.getLogger(__name__)


def read_scores(
    path: str | os.PathLike[str] | pd.DataFrame,
    *,
    path_q: str | os.PathLike[str] | pd.DataFrame | None = None,
    path_labels: str | os.PathLike[str] | pd.DataFrame | None = None,
    p: str | None = None,
    q: str | None = None,
    score: str | None = None,
    member: str | None = None,
    member_value: object = None,
    cluster: str | None = None,
    rows: str | None = None,
    cluster_rule: str = "mean",
    larger_is_member: bool | None = None,
    sampling: str = "unknown",
    nonfinite: str = "keep",
    name: str | None = None,
    seed: int | np.random.Generator | None = None,
    trusted: bool = False,
    counted: bool | None = None,
    progress: Report | None = None,
    client: Any = None,
) -> Scores:
    """Scores from csv, tsv, parquet, feather, arrow, npy, npz or json files, or a tool's folder.

    Also from JSON lines, and from any of them compressed (gz, bz2, xz, zst, zip). The layout is
    found by the names of the columns, logged (logger ``workbench.scores.files``) and can be
    overruled.

    Parameters
    ----------
    path : path or DataFrame
        The file, the file of P where each side has its own, or a folder that a public tool wrote.
    path_q : path or DataFrame, optional
        The file of Q.
    path_labels : path or DataFrame, optional
        The file of the labels, one per score. Its order is assumed to be that of the scores.
    p, q : str, optional
        Columns (arrays) of the two sides. Empty cells at the end of the shorter one are no scores.
    score, member : str, optional
        Column of the scores and column of the labels that say whether each is of P.
    member_value : optional
        The label of P; all other rows become Q.
    cluster : str, optional
        Column of labels: scores that share one are reduced to one by ``cluster_rule``.
    rows : str, optional
        The rows that are used, where a file has several of each record: ``"attack=loss"`` are those
        with this value in this column. All by default.
    larger_is_member : bool, optional
        As in `Scores`; True by default, with a warning where a name such as ``loss`` suggests
        otherwise.
    cluster_rule, sampling, nonfinite
        As in `Scores`.
    name : str, optional
        Shown in titles; the file's name by default.
    seed : int or numpy.random.Generator, optional
        As in `Scores`.
    trusted : bool
        Parse the files in this process and without limits: for large files of your own. By default
        a file is parsed in a process of its own, with limits of size, memory and time
        (`workbench.scores.parsing.limits`), where a damaged or hostile one can do no harm. Where
        the system starts no processes, as in a browser, it is parsed in this one: with the limits
        of size, without those of memory and time, and with a warning in the log.
    counted : bool, optional
        Count the rows on a fine grid in one pass, within 1 GB of memory, instead of keeping them
        (True), or not (False). By default files above 500 MB of the formats csv, tsv, parquet,
        feather and arrow are counted, and folders of parts in these formats.
    progress : callable, optional
        While rows are counted: takes the share that is done, and the rows and the time left as
        text. What it raises ends the reading.
    client : dask.distributed.Client, optional
        Count on the workers of a cluster, which must find the files under the same paths.

    Returns
    -------
    Scores
        `CountedScores` where the rows are counted.

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
    seed = checked_seed(seed)
    if counted is None:
        counted = client is not None or is_large(path, path_q)
    if counted:
        if rows is not None:
            raise ScoresError("rows= needs all rows in memory; read the files with counted=False")
        if path_labels is not None:
            raise ScoresError(
                "labels of a file of their own need all rows in memory; write them beside the "
                "scores, or read the files with counted=False"
            )
        statement = NOTHING if path_q is not None else statement_in(path).of_scores(f"'{path}'")
        found = _counted(
            path,
            path_q,
            p=p,
            q=q,
            score=score,
            member=member,
            member_value=None if member_value is None else text_of(member_value),
            cluster=cluster,
            larger_is_member=(
                statement.larger_is_member if larger_is_member is None else larger_is_member
            ),
            sampling=statement.sampling_or(sampling),
            nonfinite=nonfinite,
            name=name or statement.name or None,
            trusted=trusted,
            progress=progress,
            client=client,
        )
        return found if seed is None else found._changed(seed=seed)
    if client is not None:
        raise ScoresError("client= counts on a cluster, which counted=False excludes")
    opened = open_sources(path, path_q, path_labels, member=member, trusted=trusted)
    check_order(opened.tables, p, q)
    layout = guess_layout(
        *opened.tables,
        p=p,
        q=q,
        score=score,
        member=opened.member or member,
        member_value=member_value,
        cluster=cluster,
        rows=rows,
    )
    statement = ScoreStatement.of(opened.tables)
    _say(opened, layout, larger_is_member is not None or statement.larger_is_member is not None)
    scores, _ = scores_from_tables(
        opened.tables,
        layout,
        larger_is_member=statement.stated_direction(larger_is_member),
        sampling=statement.sampling_or(sampling),
        cluster_rule=cluster_rule,
        nonfinite=nonfinite,
        name=name or statement.name or None,
        seed=seed,
    )
    return scores


def _say(opened: Opened, layout: Layout, stated: bool) -> None:
    """Log what was found, and warn of a direction that nobody stated."""
    tables = opened.tables
    log.info("%s: %s", tables[0].label, layout.describe())
    known = recognized(tables)
    if known is not None:
        log.info("%s: %s", tables[0].label, known.describe(layout.score))
    for table in tables:
        for note in (*table.notes, ScoreStatement.of([table]).describe()):
            if note:
                log.info("%s: %s", table.label, note)
    if layout.cluster is None:
        for name, different in shared_columns(tables[0]):
            log.info(
                "%s: column %r has %d different values; if rows that share one are not "
                "independent, combine them with cluster=%r",
                *(tables[0].label, name, different, name),
            )
    if known is None and not stated:
        doubt = doubt_of_direction(layout.columns, [table.name for table in tables])
        if doubt:
            log.warning("%s: %s", tables[0].label, doubt)


def _counted(
    path: Any, path_q: Any, *, trusted: bool, progress: Report | None, client: Any, **reading: Any
) -> Scores:
    """The scores of files that are counted: of trusted ones here, of others in a process apart."""
    from workbench.scores.counting.in_process import count_in_process
    from workbench.scores.counting.one_pass import count_scores

    for source in (path, path_q):
        if not isinstance(source, str | os.PathLike | None):
            raise ScoresError(
                f"only files and folders are counted, not {type(source).__name__}; leave out "
                "counted=True, or save it first"
            )
    if trusted or client is not None:
        scores = count_scores(path, path_q=path_q, progress=progress, client=client, **reading)
    else:
        scores = count_in_process(path, path_q, progress=progress, **reading)
    for note in scores.notes:
        log.info("%s: %s", scores.name, note)
    return scores
