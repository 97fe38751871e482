"""Views in a real kernel: cells that run again, interrupts, saved files, and exports."""

import json
import re
import time

import nbformat
import pytest
from helpers.kernel import Kernel, until
from nbclient import NotebookClient
from nbconvert import HTMLExporter

pytestmark = pytest.mark.timeout(300)

COUNT = (
    "import gc, ipywidgets; gc.collect(); len(ipywidgets.widgets.widget._instances), "
    "len(__import__('comm').get_comm_manager().comms)"
)


@pytest.fixture
def kernel(started):
    made = Kernel(started[1])
    made.run("import workbench as wb; s = wb.GaussianPair(1).sample(500, seed=1)")
    return made


def test_running_a_cell_ten_times_leaves_no_growth(kernel):
    counts = []
    for _ in range(10):
        kernel.run("view = wb.explore(s); display(view); display(wb.explore(s))", cell="one")
        counts.append(kernel.run(COUNT))
    assert len(set(counts)) == 1
    kernel.run("other = wb.explore(s); display(other)", cell="two")
    assert kernel.run(COUNT) != counts[0]
    kernel.run("1", cell="three", deleted=["two"])
    kernel.run("display(wb.explore(s)); display(wb.explore(s))", cell="one", deleted=["two"])
    assert kernel.run(COUNT) == counts[0]
    kernel.run("wb.explore(s)", cell="one")


def test_a_message_of_a_widget_moves_the_page_between_cells(kernel):
    comm = kernel.run("view = wb.explore(s); view.widget.comm.comm_id").strip("'")
    for value in (0.1, 0.2, 0.3):
        kernel.gesture(comm, kind="set", name="threshold", value=value)
    until(kernel, "view.threshold", "0.3")
    kernel.run("from workbench.assets.board import content")
    until(kernel, "view.widget.item_epsilon_here == content(view.epsilon_here)", "True")


def test_an_interrupt_between_cells_stops_a_long_draw_and_keeps_what_there_is(kernel, started):
    kernel.run("import workbench.pages.pair_lab; workbench.pages.pair_lab.MOST_DRAWN = 10**9")
    made = "lab = wb.explore_pair('gaussian', spec={'log_n': 6.0}); lab.widget.comm.comm_id"
    kernel.gesture(kernel.run(made).strip("'"), kind="set", name="draw_many", value=True)
    time.sleep(3)
    started[0].interrupt_kernel()
    assert re.search(r"Interrupted after \d+ of 100", kernel.run("lab.widget.message"))
    assert 1 <= int(kernel.run("len(lab.past)")) < 101
    kernel.run("lab.close()")


NOTEBOOK = """\
import workbench as wb
view = wb.explore(wb.example("gaussian")); view
---
other = wb.explore(wb.GaussianPair(1).sample(1000, seed=2), show=("histogram", "tradeoff")); other
---
lab = wb.explore_pair("laplace"); lab
---
view.threshold = 0.7
view.freeze()
---
numbers = {n: getattr(v, "rounded", None) or v.text for n, v in view.numbers.items()}
import json; print(json.dumps(numbers))
"""


@pytest.fixture(scope="module")
def executed():
    cells = [nbformat.v4.new_code_cell(code) for code in NOTEBOOK.split("---\n")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=120, store_widget_state=False).execute()
    return notebook


def test_three_views_save_to_less_than_a_megabyte(executed):
    assert len(nbformat.writes(executed)) < 1_000_000
    assert "widgets" not in executed.metadata
    for cell in executed.cells[:3]:
        assert [sorted(output.data) for output in cell.outputs] == [
            ["application/vnd.jupyter.widget-view+json", "text/plain"],
            ["text/html", "text/plain"],
        ]
        assert len(cell.outputs[1].data["text/html"].encode()) <= 150_000


def test_freezing_writes_the_present_state_into_the_cell(executed):
    picture = executed.cells[0].outputs[1].data["text/html"]
    numbers = json.loads(executed.cells[4].outputs[0].text)
    assert f"≥ {numbers['epsilon_here']}" in picture


def test_an_export_holds_every_headline_number_as_text(executed):
    notebook = nbformat.v4.new_notebook(cells=executed.cells[:3])
    page, _ = HTMLExporter().from_notebook_node(notebook)
    numbers = json.loads(executed.cells[4].outputs[0].text)
    assert len(numbers) == 10
    for number in numbers.values():
        assert number in page
    assert page.count('src="data:image/svg+xml') == 10 + 2 + 5
    assert "Run the cell to make it live" in page


def test_stored_widget_state_stays_small_and_has_no_library():
    cell = nbformat.v4.new_code_cell(NOTEBOOK.split("---\n")[0])
    notebook = nbformat.v4.new_notebook(cells=[cell])
    NotebookClient(notebook, timeout=120, store_widget_state=True).execute()
    state = json.dumps(notebook.metadata["widgets"])
    assert "bdata" in state
    assert len(state) < 300_000
