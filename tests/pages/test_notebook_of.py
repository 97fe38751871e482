"""A page as a notebook: of the right format, and with the page's numbers."""

import json

import nbformat
import pytest

import workbench as wb
from workbench.pages.inputs.notebook import notebook_of
from workbench.pages.registry import PAGES
from workbench.pages.scores.page import ScoresPage


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_a_notebook(name):
    page = PAGES[name].kind()
    made = json.loads(json.dumps(notebook_of(page)))
    nbformat.validate(nbformat.from_dict(made))
    said, code, shown = made["cells"]
    assert page.title in said["source"]
    assert compile(code["source"], name, "exec")
    assert "view = " in code["source"]
    assert shown["source"] == "view"


def test_it_computes_the_numbers_of_the_page():
    page = ScoresPage()
    page.threshold = 0.5
    page.log_delta = -3.0
    code = notebook_of(page)["cells"][1]["source"]
    made = {"wb": wb}
    exec(code, made)
    assert made["epsilon"].value == page.epsilon().value
    assert made["epsilon_here"].value == page.epsilon_here().value
    assert made["view"].threshold == 0.5
