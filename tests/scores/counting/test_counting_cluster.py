"""Counting on a dask cluster with two workers."""

import subprocess
import sys

import numpy as np
import pytest
from scores.counting.test_one_pass import assert_same_counts, frame, sides

import workbench as wb
from workbench.progress import Cancelled
from workbench.scores.counting.one_pass import count_scores


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2, timeout=120)
        yield client


@pytest.mark.slow
def test_two_workers_give_the_same_counts(tmp_path, client):
    f = frame(200_000)
    f.loc[:2, "score"] = [np.nan, np.inf, -np.inf]
    f.sort_values("member").to_parquet(tmp_path / "a.parquet", row_group_size=10_000)
    (tmp_path / "parts").mkdir()
    for i, part in enumerate(np.split(np.arange(200_000), 5)):
        f.iloc[part].to_csv(tmp_path / f"parts/part-{i}.csv", index=False)
    for name in ("a.parquet", "parts"):
        seen = []

        def report(fraction=None, message=None, partial=None, seen=seen):
            if fraction is not None:
                seen.append((fraction, message))

        far = wb.read_scores(tmp_path / name, client=client, progress=report)
        here = count_scores(tmp_path / name)
        assert_same_counts(far, *sides(f))
        for part in ("values", "counts_p", "counts_q"):
            np.testing.assert_array_equal(getattr(far, part), getattr(here, part))
        for one, other in zip(far.first, here.first, strict=True):
            np.testing.assert_array_equal(one, other)
        assert (far.grid, far.notes, repr(far)) == (here.grid, here.notes, repr(here))
        assert seen[-1][0] == 1
        assert len(seen) > 4
        assert "200,000 scores" in seen[-1][1]


@pytest.mark.slow
def test_counting_on_a_cluster_is_cancelled(tmp_path, client):
    frame(100_000).to_parquet(tmp_path / "a.parquet", row_group_size=1000)

    def cancel(fraction=None, message=None, partial=None):
        raise Cancelled

    with pytest.raises(Cancelled):
        wb.read_scores(tmp_path / "a.parquet", client=client, progress=cancel)
    frame(1000).to_csv(tmp_path / "a.csv", index=False)
    assert wb.read_scores(tmp_path / "a.csv", client=client).n_p > 0


def test_what_is_no_client_is_refused(tmp_path):
    frame(100).to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(TypeError, match=r"client must be a dask\.distributed\.Client, got str"):
        wb.read_scores(tmp_path / "a.csv", client="localhost:8786")
    with pytest.raises(wb.ScoresError, match="counted=False excludes"):
        wb.read_scores(tmp_path / "a.csv", client="localhost:8786", counted=False)


def test_counting_here_does_not_import_dask(tmp_path):
    frame(100).to_csv(tmp_path / "a.csv", index=False)
    code = (
        "import sys, workbench as wb; "
        f"wb.read_scores({str(tmp_path / 'a.csv')!r}, counted=True, trusted=True); "
        "print([m for m in ('dask', 'distributed') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
