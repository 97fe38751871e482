"""Files that state what their scores are, which readers take unless a person states otherwise."""

import json

import numpy as np
import pytest

import workbench as wb
from workbench.scores.statement import KEY, ScoreStatement, statement_in
from workbench.training import write_result


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "stated.parquet"
    scores = wb.Scores(
        [0.1, 0.2], [0.3, 0.4, 0.5], larger_is_member=False, sampling="independent runs", name="σ"
    )
    write_result(path, scores)
    return path


def with_metadata(path, content):
    from pyarrow import parquet

    table = parquet.read_table(path).replace_schema_metadata({KEY: content})
    parquet.write_table(table, path)


@pytest.mark.parametrize("trusted", [True, False])
def test_a_file_states_direction_sampling_and_name(file, trusted):
    scores = wb.read_scores(file, trusted=trusted)
    assert (scores.n_p, scores.n_q) == (2, 3)
    assert not scores.larger_is_member
    assert scores.sampling == "independent runs"
    assert scores.name == "σ"


def test_what_is_counted_states_the_same(file):
    scores = wb.read_scores(file, counted=True)
    assert not scores.larger_is_member
    assert scores.sampling == "independent runs"


def test_a_person_comes_first(file):
    scores = wb.read_scores(file, larger_is_member=True, sampling="one run", name="mine")
    assert scores.larger_is_member
    assert (scores.sampling, scores.name) == ("one run", "mine")


def test_it_is_said(file, caplog):
    caplog.set_level("INFO", "workbench")
    wb.read_scores(file)
    assert "the file states: smaller = member, independent runs" in caplog.text


def test_the_import_step_takes_it(file):
    from workbench.pages.core.upload import UploadedFile
    from workbench.pages.importing.page import ImportPage

    page = ImportPage()
    page.upload = (UploadedFile.of("stated.parquet", file.read_bytes()),)
    assert page.larger_is_member is False
    assert page.sampling == "independent runs"
    assert page.data_name == "σ"
    assert page.missing() == ""
    assert "what the file states" in page.direction()


def test_the_page_of_one_run_takes_it(tmp_path):
    from workbench.pages.core.upload import UploadedFile
    from workbench.pages.one_run.page import OneRunPage

    run = wb.OneRun([0.1, 0.4, 0.3, 0.2], [1, 0, 0, 1], larger_is_member=False, design="fixed-half")
    write_result(tmp_path / "run.parquet", run)
    page = OneRunPage(source="file")
    page.upload = (UploadedFile.of("run.parquet", (tmp_path / "run.parquet").read_bytes()),)
    assert page.message == ""
    assert page.larger_is_member is False
    assert page.design == "fixed-half"
    assert not page.run().larger_is_member
    assert page.looked == ""
    page.larger_is_member = True  # a person comes first
    assert page.run().larger_is_member
    assert page.looked == "the direction of the score"


def test_the_code_of_a_page_states_the_direction_where_a_file_may(file):
    from workbench.pages.inputs.code import reading_code
    from workbench.workspaces.reading import Reading

    assert "larger_is_member=True" in reading_code(["stated.parquet"], Reading())
    assert "larger_is_member" not in reading_code(["scores.csv"], Reading())


def test_files_without_a_statement_are_read_as_before(tmp_path):
    path = tmp_path / "plain.parquet"
    wb.Scores([1.0, 2.0], [0.0, 0.5]).to_frame().to_parquet(path)
    assert statement_in(path).to_dict() == {}
    assert wb.read_scores(path).sampling == "unknown"
    assert statement_in(tmp_path).to_dict() == {}
    assert statement_in(np.zeros(3)).to_dict() == {}


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b'{"sampling": "random"}',
        b'{"sampling": "clustered"}',
        b'{"larger_is_member": "yes"}',
        b'{"size": 3}',
        b'{"name": 3}',
    ],
)
@pytest.mark.parametrize("trusted", [True, False])
def test_statements_that_are_none_are_refused(file, content, trusted):
    with_metadata(file, content)
    with pytest.raises(wb.ScoresError, match="states"):
        wb.read_scores(file, trusted=trusted)


def test_a_statement_survives_its_dictionary():
    one = ScoreStatement(False, "one run", "fixed-half", "a name")
    assert ScoreStatement.from_dict(json.loads(json.dumps(one.to_dict()))) == one
