"""The search of the documentation answers what people ask, with the page that answers it first."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import ensure_node
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("site")]

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("search_of_the_site.mjs")

#: A site of the pages and the notebooks as they are written: nothing is run, no reference is made.
CONF = """
extensions = ["myst_nb"]
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
suppress_warnings = ["*"]
root_doc = "which-bound"
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    source = tmp_path_factory.mktemp("site")
    (source / "conf.py").write_text(CONF, encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        if page.name not in ("contributing.md", "changelog.md", "development.md"):  # other files
            shutil.copy(page, source)
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        shutil.copy(notebook, source)
    built = source / "_build"
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", source, built]
    subprocess.run(command, check=True, capture_output=True)
    return built


def searched(site, *questions):
    node = ensure_node.find()
    if node is None:
        pytest.skip("needs Node.js")
    command = [node, SCRIPT, site, *questions]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "question",
    [
        "which bound",
        "Which bound",
        "which bound when",
        "which bound should I use",
        "what bound should i use",
        "choose a bound",
        "which guarantee",
    ],
)
def test_who_asks_which_bound_finds_the_page_that_says_so(site, question):
    (found,) = searched(site, question)
    assert found[0] == "which-bound"


def test_other_questions_are_not_answered_by_it(site):
    found = searched(site, "reveal.js", "sign in with a provider")
    assert all(pages and pages[0] != "which-bound" for pages in found)
