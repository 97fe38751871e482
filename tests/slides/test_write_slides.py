"""What cannot become slides is said, with the remedy."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from workbench.cli import BAD_INPUT, main
from workbench.slides.deck import write_slides


def stored(path, *cells):
    nbformat.write(new_notebook(cells=list(cells)), path)
    return path


def test_another_file_is_no_notebook(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text("a,b\n1,2\n")
    assert main(["slides", str(path), "--no-run"]) == BAD_INPUT
    assert "is not a notebook" in capsys.readouterr().err
    assert main(["slides", str(tmp_path / "none.ipynb")]) == BAD_INPUT
    assert "No such file" in capsys.readouterr().err


def test_a_notebook_with_nothing_to_show_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no cells to show"):
        write_slides(stored(tmp_path / "empty.ipynb"), run=False)
    skipped = new_markdown_cell("skipped", metadata={"slideshow": {"slide_type": "skip"}})
    with pytest.raises(ValueError, match="every cell has the slide type"):
        write_slides(stored(tmp_path / "skipped.ipynb", skipped), run=False)


@pytest.mark.kernel
def test_a_cell_that_fails_writes_nothing(tmp_path):
    path = stored(tmp_path / "fails.ipynb", new_code_cell("1 / 0"))
    with pytest.raises(ValueError, match=r"fails with ZeroDivisionError: .*--no-run"):
        write_slides(path)
    assert not (tmp_path / "fails.slides.html").exists()


def test_the_file_is_beside_the_notebook_and_its_folder_is_made(tmp_path):
    path = stored(tmp_path / "one.ipynb", new_markdown_cell("# One"))
    assert write_slides(path, run=False) == tmp_path / "one.slides.html"
    far = tmp_path / "new" / "one.html"
    assert write_slides(path, far, run=False) == far
    assert far.exists()


def test_markup_in_a_title_or_a_style_ends_nothing(tmp_path):
    path = stored(tmp_path / "a<b>&c.ipynb", new_markdown_cell("# One"))
    assert "<title>a&lt;b&gt;&amp;c</title>" in write_slides(path, run=False).read_text("utf-8")
