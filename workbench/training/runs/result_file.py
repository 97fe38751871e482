"""`write_result`: scores as a parquet file that states what they are, for every reader."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from workbench import _checks
from workbench.onerun.run import OneRun
from workbench.scores.sample import Scores
from workbench.scores.statement import ScoreStatement
from workbench.software.extras import check
from workbench.tables.table import ScoreTable
from workbench.training.runs.whole_file import write_whole


@_checks.arguments
def write_result(path: str | Path, result: Scores | OneRun | ScoreTable) -> None:
    """Write scores to a parquet file that states their direction, sampling and name.

    `wb.read_scores` opens `Scores` again, `wb.read_one_run` a `OneRun` and `wb.read_score_table` a
    `ScoreTable`, without an option; so do the pages and the commands.

    Parameters
    ----------
    path : path
        Ending in ``.parquet``. The file is complete or not there: it is written under another name
        first.
    result : Scores, OneRun or ScoreTable
        Clusters of `Scores`, and attributes and augmentations of a `ScoreTable`, are not written.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    columns, statement = _parts(result)
    write_parquet(Path(path), columns, statement.metadata)


def _parts(result: Scores | OneRun | ScoreTable) -> tuple[dict[str, Any], ScoreStatement]:
    """Columns by name, and what is to be stated of them."""
    stated = ScoreStatement(larger_is_member=result.larger_is_member, name=result.name)
    if isinstance(result, OneRun):
        ids = np.arange(result.canaries) if result.ids is None else result.ids
        columns = {"canary": ids, "included": result.included, "score": result.scores}
        return columns, replace(stated, sampling="one run", design=result.design)
    if isinstance(result, ScoreTable):
        there = np.ones_like(result.member) if result.present is None else result.present
        model, record = np.nonzero(there)
        oriented = result.matrix[model, record]
        columns = {
            "model": result.model_names[model],
            "record": result.record_names[record],
            "included": result.member[model, record],
            "score": oriented if result.larger_is_member else -oriented,
        }
        return columns, replace(stated, sampling=result.sampling, table=True)
    included = np.repeat([True, False], [result.n_p, result.n_q])
    columns = {"included": included, "score": np.concatenate([result.p, result.q])}
    known = "unknown" if result.sampling == "clustered" else result.sampling
    return columns, replace(stated, sampling=known)


def write_parquet(path: Path, columns: dict[str, Any], metadata: dict[bytes, bytes]) -> None:
    """Write columns to a parquet file, which is complete or not there.

    Parameters
    ----------
    path : Path
    columns : dict of str to array
    metadata : dict of bytes to bytes
        Of the file.
    """
    check("pyarrow", "results of training runs need")
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    content = BytesIO()
    parquet.write_table(table.replace_schema_metadata(metadata), content, compression="zstd")
    write_whole(path, content.getvalue())
