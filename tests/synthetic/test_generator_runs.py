"""A generator run many times: independent runs, continued in folders, whatever it is made of."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from workbench.progress import Cancelled
from workbench.synthetic import GeneratorError, generator_runs
from workbench.training import RunFolderError, open_run
from workbench.training.runs import tasks

TABLE = pd.DataFrame(
    {
        "x": np.random.default_rng(0).normal(size=60),
        "y": np.random.default_rng(1).integers(0, 50, 60),
        "z": list("abc") * 20,
    }
)
COPIES = wb.synthetic.CopyingGenerator(share=1.0, noise=0.0)


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch):
    monkeypatch.setattr(tasks, "MOST", 3)


def stop_after(parts):
    seen = []

    def report(fraction=None, message=None, partial=None):
        if fraction is not None:
            seen.append(fraction)
        if len(seen) >= parts:
            raise Cancelled

    return report


def test_one_target_is_in_every_other_run_and_copied_where_it_is_in(threads):
    scores = generator_runs(COPIES, TABLE, runs=20, targets=3, rows=60, executor=threads)
    assert isinstance(scores, wb.Scores)
    assert (scores.n_p, scores.n_q) == (10, 10)
    assert scores.sampling == "independent runs"
    assert scores.larger_is_member
    assert np.all(scores.p == 0)  # 60 copies of 60 records: at distance 0
    assert np.all(scores.q < 0)
    assert scores.name.startswith("20 runs of CopyingGenerator")
    assert wb.epsilon_lower_bound(scores, delta=1e-5).value > 0


def test_several_targets_have_coins_of_their_own(threads):
    found = generator_runs(COPIES, TABLE, runs=120, targets=[5, 2, 9], executor=threads)
    assert isinstance(found, wb.ScoreTable)
    assert found.record_names.tolist() == [5, 2, 9]
    assert "independent coins" in repr(found)
    shares = found.member.mean(axis=0)
    assert np.all(np.abs(shares - 0.5) < 0.15)
    apart = np.corrcoef(found.member.T)[np.triu_indices(3, 1)]
    assert np.all(np.abs(apart) < 0.25)
    assert np.all(found.matrix[~found.member] < 0)
    assert np.mean(found.matrix[found.member] == 0) > 0.9


SEEN = []


def remembers_sizes(table, n, seed):
    SEEN.append((len(table), n))
    return table.sample(n, replace=True, random_state=seed)


def works_twice(table, seed):
    SEEN.append(seed)
    if len(SEEN) > 2:
        raise RuntimeError("out of luck")
    return table.sample(20, random_state=seed)


def test_all_records_are_targets_by_default_and_rows_do_not_follow_the_coins(threads):
    SEEN.clear()
    found = generator_runs(remembers_sizes, TABLE, runs=8, executor=threads)
    assert found.n_records == 60
    trained, asked = zip(*SEEN[2:], strict=True)  # the first two ask whether it has chance
    assert set(asked) == {30}
    assert len(set(trained)) > 1
    assert 60 not in trained


def test_a_run_that_was_stopped_is_continued_with_the_same_scores(tmp_path, threads):
    given = {"runs": 24, "targets": [1, 2], "seed": 5, "executor": threads}
    whole = generator_runs(COPIES, TABLE, **given)
    with pytest.raises(Cancelled):
        generator_runs(COPIES, TABLE, **given, report=stop_after(3), folder=tmp_path / "a")
    kept = len(list((tmp_path / "a" / "parts").glob("*.parquet")))
    assert 0 < kept < 8
    said = []
    again = generator_runs(
        COPIES,
        TABLE,
        **given,
        report=lambda f=None, m=None, p=None: said.append(m),
        folder=tmp_path / "a",
    )
    first = next(filter(None, said))
    assert first.endswith("of 24 models")
    assert not first.startswith("0 of")
    np.testing.assert_array_equal(again.matrix, whole.matrix)
    np.testing.assert_array_equal(again.member, whole.member)
    about = json.loads((tmp_path / "a" / "run.json").read_text())
    assert len(about["sessions"]) == 2
    read = wb.read_score_table(tmp_path / "a")
    np.testing.assert_array_equal(read.matrix, whole.matrix)
    assert read.sampling == "independent runs"


def test_scores_in_a_folder_are_opened_as_such(tmp_path, threads):
    found = generator_runs(
        COPIES, TABLE, runs=8, targets=0, executor=threads, folder=tmp_path / "one"
    )
    read = wb.read_scores(tmp_path / "one")
    np.testing.assert_array_equal(np.sort(read.p), np.sort(found.p))
    assert read.larger_is_member
    assert "CopyingGenerator(share=1.0, noise=0.0)" in (tmp_path / "one/plan.toml").read_text()
    with pytest.raises(RunFolderError, match="runs of a generator"):
        open_run(tmp_path / "one")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"generator": wb.synthetic.CopyingGenerator(0.5)}, "parameters.generator is"),
        ({"table": TABLE.assign(x=0.5 * TABLE["x"])}, "other data"),
        ({"runs": 12}, "parameters.models is"),
        ({"targets": [0, 2]}, "parameters.targets is"),
        ({"rows": 10}, "parameters.rows is"),
        ({"seed": 3}, "seed is"),
        ({"columns": {"y": "category"}}, "parameters.columns.y is"),
    ],
)
def test_a_folder_of_other_runs_is_refused(tmp_path, threads, change, says):
    given = {"generator": COPIES, "table": TABLE, "runs": 8, "targets": [0, 1]}
    generator_runs(**given, executor=threads, folder=tmp_path / "a")
    with pytest.raises(RunFolderError, match=says):
        generator_runs(**{**given, **change}, executor=threads, folder=tmp_path / "a")


def test_a_finished_folder_is_opened_without_a_run(tmp_path, threads):
    class Once:
        """A generator that works as long as it is told to."""

        works = True

        def __repr__(self):
            return "Once()"

        def fit(self, table):
            if not Once.works:
                raise RuntimeError("again")
            self.table = table

        def sample(self, n, seed):
            return self.table.sample(n, replace=True, random_state=seed)

    given = {"runs": 8, "targets": 1, "folder": tmp_path / "a", "executor": threads}
    first = generator_runs(Once(), TABLE, **given)
    Once.works = False
    np.testing.assert_array_equal(generator_runs(Once(), TABLE, **given).p, first.p)


@pytest.mark.slow
def test_lambdas_and_local_classes_go_to_processes():
    found = generator_runs(lambda table, seed: table.sample(20, random_state=seed), TABLE, runs=4)
    assert found.n_models == 4


# -- duck typing -----------------------------------------------------------------------------------


class LikeSDV:
    """What SDV's synthesizers have: metadata, fit(data), sample(num_rows)."""

    def __init__(self, metadata):
        self.metadata = metadata

    def fit(self, data):
        self.data = data[list(self.metadata)]

    def sample(self, num_rows, batch_size=None):
        return self.data.iloc[np.random.randint(len(self.data), size=num_rows)]  # noqa: NPY002


class LikeSynthcity:
    """What synthcity's plugins have: fit(X), generate(count, random_state), a data loader."""

    def fit(self, X):
        self.data = X
        return self

    def generate(self, count=None, random_state=0):
        return Loader(self.data.sample(count, replace=True, random_state=random_state))


class Loader:
    def __init__(self, frame):
        self.frame = frame

    def dataframe(self):
        return self.frame


class WithoutArguments:
    def fit(self, table):
        self.table = table

    def sample(self, how_many, rng):
        return {
            name: rng.choice(self.table[name].to_numpy(), how_many) for name in self.table.columns
        }


@pytest.mark.parametrize(
    "generator",
    [
        LikeSDV(list("xyz")),
        LikeSynthcity(),
        WithoutArguments,
        WithoutArguments(),
        lambda table, num_rows, random_state: table.sample(
            num_rows, replace=True, random_state=random_state
        ),
    ],
)
def test_generators_of_other_libraries(generator):
    made = wb.synthetic.generate(generator, TABLE, 25, seed=1)
    assert list(made.columns) == ["x", "y", "z"]
    assert made.index.tolist() == list(range(25))
    assert made["x"].isin(TABLE["x"]).all()
    again = wb.synthetic.generate(generator, TABLE, 25, seed=1)
    pd.testing.assert_frame_equal(made, again)
    assert not made.equals(wb.synthetic.generate(generator, TABLE, 25, seed=2))


def test_a_generator_is_left_as_it_was_and_so_is_the_chance_of_the_program():
    generator = LikeSDV(list("xyz"))
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    wb.synthetic.generate(generator, TABLE, 5, seed=1)
    assert not hasattr(generator, "data")
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_as_many_rows_as_the_table_by_default():
    assert len(wb.synthetic.generate(COPIES, TABLE, seed=0)) == 60


def fails(table):
    raise KeyError("no such thing")


@pytest.mark.parametrize(
    ("generator", "says"),
    [
        (3, "generator must have fit"),
        (dict, "generator must have fit"),
        (pd.DataFrame, "generator must have fit"),
        (fails, "failed on a table of 60 rows: KeyError: 'no such thing'"),
        (lambda table: table.head(0), "has no rows"),
        (lambda table: table[["x", "y"]], "has no column 'z'"),
        (lambda table: None, "must return a pandas DataFrame"),
        (lambda table: table.sample(20, random_state=3), "the same synthetic table twice"),
    ],
)
def test_what_is_no_generator_or_returns_no_table(generator, says):
    with pytest.raises(GeneratorError, match=says):
        generator_runs(generator, TABLE, runs=8)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"runs": 3}, "runs must be"),
        ({"targets": [1, 1]}, "targets must be different rows"),
        ({"targets": []}, "targets must be different rows"),
        ({"targets": 60}, "targets"),
        ({"attack": "luck"}, "attack must be one of"),
        ({"attack": "forest"}, "learns from memberships of the same run"),
        ({"rows": 0}, "rows must be"),
        ({"columns": {"w": "numeric"}}, "which the tables do not have"),
        ({"table": TABLE.assign(x=1, y=2, z="a")}, "no column of the table can be compared"),
        ({"table": TABLE.set_axis([0, 1, 2], axis=1)}, "must have texts as names"),
    ],
)
def test_bad_arguments(change, says):
    with pytest.raises(ValueError, match=says):
        generator_runs(**{"generator": COPIES, "table": TABLE, "runs": 8, **change})


def test_an_error_in_a_run_says_what_it_was(threads):
    SEEN.clear()
    with pytest.raises(GeneratorError, match="RuntimeError: out of luck"):
        generator_runs(works_twice, TABLE, runs=8, targets=1, executor=threads)
