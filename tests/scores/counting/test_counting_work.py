"""What counting does for a file: memory of a batch, search for the ends of cells, answers."""

import tracemalloc
from concurrent.futures import Future
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from workbench.scores.counting import cluster, tally
from workbench.scores.counting.grid import BLOCK, Center, Grid
from workbench.scores.counting.one_pass import count_scores
from workbench.scores.counting.piece import count_piece
from workbench.scores.counting.row_sources import BATCH
from workbench.scores.counting.sides import Groups, LabeledRows, _truth_values
from workbench.scores.counting.tally import GridTally
from workbench.scores.layouts.layout import Layout

rng = np.random.default_rng(11)

LABELS = {
    "truth values": lambda m: pa.array(m),
    "integers": lambda m: pa.array(m.astype(np.int64)),
    "floats": lambda m: pa.array(m.astype(np.float64)),
    "words": lambda m: pa.array(np.where(m, "in", "out")),
    "a dictionary": lambda m: pa.array(np.where(m, "in", "out")).dictionary_encode(),
}


@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("labels", [name for name in LABELS if name != "words"])
def test_no_array_of_a_block_has_memory_of_its_own(labels, discrete):
    """Memory that goes back to the system after each block is handed out again page by page."""
    score = rng.integers(0, 50, BATCH).astype(float) if discrete else rng.standard_normal(BATCH)
    member = rng.random(BATCH) < 0.5
    batch = pa.record_batch({"score": score, "member": LABELS[labels](member)})
    layout = Layout("score and label", score="score", member="member")
    sides = LabeledRows(layout, Groups(None, "member", "x"), "x")
    counts = GridTally(Grid.of(score), most=0)

    def add(start):
        for x, group in sides.parts(batch.slice(start, BLOCK)):
            counts.add(x, group)

    add(0)
    tracemalloc.start()
    for start in range(BLOCK, BATCH, BLOCK):
        add(start)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * BLOCK  # an array of as many floats, which the system hands out by itself


@pytest.mark.parametrize(
    ("grid", "most"), [(Grid((Center(0.3, 0),)), 12), (Grid((Center(0.7, -2), Center())), 45)]
)
def test_ends_are_computed_before_they_are_searched(grid, most, monkeypatch):
    """A bisection over all floats takes 64 keys for each cell."""
    keys = np.unique(grid.keys(rng.standard_normal(100_000)))
    made = []
    plain = Grid.keys
    monkeypatch.setattr(Grid, "keys", lambda self, x: made.append(x.size) or plain(self, x))
    ends = grid.largest(keys)
    assert sum(made) < most * keys.size
    np.testing.assert_array_equal(plain(grid, ends), keys)


@pytest.mark.parametrize("seed", range(30))
def test_ends_are_those_of_a_bisection_over_all_floats(seed):
    draw = np.random.default_rng(seed)
    at = [0.0, 1.0, *(draw.standard_cauchy(3) * 10.0 ** draw.integers(-300, 300, 3))]
    chosen = draw.choice(at, size=draw.integers(1, 4), replace=False)
    grid = Grid(tuple(Center(float(x), int(draw.integers(-1022, 1023))) for x in chosen))
    near = [c.at + np.ldexp(draw.standard_normal(100), min(c.exponent, 1000)) for c in grid.centers]
    any_floats = draw.integers(-(2**63), 2**63 - 1, 100).view(np.float64)
    keys = np.unique(grid.keys(np.concatenate([any_floats, *near])))
    finite = keys[(keys > 0) & (keys < grid.size - 2)]
    np.testing.assert_array_equal(grid.largest(finite), _bisected(grid, finite))


def _bisected(grid, keys):
    """The last float of each cell, found among all."""

    def floats(order):
        bits = np.where(order >= 0, order, order ^ np.int64(2**63 - 1))
        return bits.view(np.float64) + 0.0

    most = np.finfo(np.float64).max
    high = np.full(keys.size, np.array([most]).view(np.int64)[0] + 1)
    low = -high - 1
    while (high - 1 > low).any():
        middle = (low & high) + ((low ^ high) >> 1)
        enough = grid.keys(np.clip(floats(middle), -most, most)) <= keys
        low = np.where(enough & (middle > low), middle, low)
        high = np.where(enough, high, middle)
    return floats(low)


class Here:
    """A client whose workers are this process."""

    def __init__(self):
        self.tasks = []

    def ncores(self):
        return {"here": 2}

    @contextmanager
    def get_executor(self):
        yield self

    def submit(self, function, task, *rest):
        assert function is count_piece
        found = function(task, *rest)
        self.tasks.append((task, rest, found))
        future = Future()
        future.set_result(found)
        return future


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("order", ["mixed", "sorted", "sorted the other way", "rare"])
def test_first_scores_come_from_few_pieces(order, labels, tmp_path, monkeypatch):
    """They are those of one process, and pieces beyond them send none."""
    most = 300
    monkeypatch.setattr(cluster, "MOST_FIRST", most)
    monkeypatch.setattr(tally, "MOST_FIRST", most)
    n = 16_000
    member = {
        "mixed": rng.random(n) < 0.5,
        "sorted": np.arange(n) >= n // 2,
        "sorted the other way": np.arange(n) < n // 2,
        "rare": np.arange(n) % 800 == 0,
    }[order]
    table = pa.table({"score": rng.standard_normal(n) + member, "member": LABELS[labels](member)})
    pa.parquet.write_table(table, tmp_path / "a.parquet", row_group_size=1000)
    client = Here()
    far = count_scores(tmp_path / "a.parquet", client=client)
    here = count_scores(tmp_path / "a.parquet")
    for name in ("values", "counts_p", "counts_q"):
        np.testing.assert_array_equal(getattr(far, name), getattr(here, name))
    for one, other in zip(far.first, here.first, strict=True):
        np.testing.assert_array_equal(one, other[:most])
    asked = [sum(map(len, found.counts.first)) for _, rest, found in client.tasks if not rest]
    assert len(asked) == 8
    assert asked[1:] == [0] * 7
    again = [task for task, rest, _ in client.tasks if rest]
    assert len(again) == {"mixed": 0, "rare": 7}.get(order, 1)  # the first rows of the second half


def test_files_of_every_type_are_counted_as_their_rows(tmp_path):
    """Types of scores and labels, several row groups, and what is not finite."""
    n = 70_000
    member = rng.random(n) < 0.5
    x = rng.standard_normal(n) + member
    odd = x.copy()
    odd[::97], odd[5::97], odd[7::97] = np.nan, np.inf, -np.inf
    for score in (x, odd, x.astype(np.float32), np.round(x, 1), np.round(4 * x).astype(np.int32)):
        for labels in LABELS.values():
            table = pa.table({"score": pa.array(score), "member": labels(member)})
            pa.parquet.write_table(table, tmp_path / "a.parquet", row_group_size=33_000)
            found = count_scores(tmp_path / "a.parquet")
            rows = score.astype(np.float64)
            finite = np.isfinite(found.values)
            for counts, of in ((found.counts_p, member), (found.counts_q, ~member)):
                up_to = np.searchsorted(np.sort(rows[of]), found.values[finite], side="right")
                np.testing.assert_array_equal(np.cumsum(counts)[finite], up_to)
            for kept, of in zip(found.first, (member, ~member), strict=True):
                np.testing.assert_array_equal(kept, rows[of])


@pytest.mark.parametrize("start", [0, 1, 7, 8, 13, 1000])
@pytest.mark.parametrize("size", [1, 7, 8, 9, 64, 999])
def test_truth_values_are_taken_from_their_bits(start, size):
    flags = rng.random(2000) < 0.5
    column = pa.array(flags).slice(start, size)
    np.testing.assert_array_equal(_truth_values(column), flags[start : start + size])
