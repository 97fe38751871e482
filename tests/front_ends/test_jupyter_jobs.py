"""Jobs in notebooks: as a button, as a method, and in a real kernel."""

import json
import time

import param
import pytest
from helpers.kernel import Kernel, until

from workbench.pages.core.jobs import DOUBLE_CLICK, job
from workbench.pages.core.page import Control, Fact, Page, Section, number, sentence
from workbench.views.view import View


class Sum(Page):
    """Adds up numbers."""

    title = "Sum"
    controls = (Section("Sum", (Control("n"), Control("unused"), Control("add"))),)
    n = param.Integer(3, bounds=(1, 100), label="Numbers")
    unused = param.Number(0.5, bounds=(0, 1), label="Unused")
    total = param.Parameter(precedence=-1)
    stop_at = None

    @job("Add up", needs=("n",), into="total")
    def add(self, report):
        "From 1 to n."
        total = 0
        for k in range(1, self.n + 1):
            if k == self.stop_at:
                raise KeyboardInterrupt
            if k == 50:
                raise ValueError("50 is too much")
            total += k
            report(k / self.n, f"{k} added", total)
        return total

    @number("Total", needs=("total",))
    def shown(self):
        """The sum."""
        return Fact(str(self.total))

    @sentence(needs=("unused",))
    def words(self):
        return f"{self.unused}"


@pytest.fixture
def view():
    made = View(Sum(), lambda spec: "")
    yield made
    made.close()


def row(view):
    return json.loads(view.widget.job_add)


def test_a_job_is_a_method_that_runs_to_its_end(view):
    assert "add" in dir(view)
    assert view.widget is not None
    assert view.add() == 6
    assert view.total == 6
    assert view.shown.text == "6"
    assert row(view)["words"].startswith("Done in")
    assert json.loads(view.widget.item_shown)["value"] == "6"
    view.n = 4
    assert row(view)["words"].endswith("The settings have changed since.")
    assert "Add up: Done in" in view._picture()
    assert "total" not in view.spec()
    with pytest.raises(AttributeError, match="cannot be set"):
        view.add = 3


def test_progress_is_drawn_on_the_way(view):
    states = []
    view.n = 10
    assert view.widget is not None
    view.widget.observe(lambda change: states.append(json.loads(change.new)), "job_add")
    view.add()
    assert states[0]["status"] == "running"
    assert states[-1]["fraction"] == 1.0


def test_ctrl_c_cancels_and_keeps_what_was_found(view):
    view.page.stop_at = 3
    assert view.widget is not None
    with pytest.raises(KeyboardInterrupt):
        view.add()
    assert view.total == 3
    assert row(view)["words"].endswith("The result shown is partial.")
    assert "The result shown is partial." in view._picture()
    view.page.stop_at = None
    assert view.add() == 6


def test_an_error_is_raised_in_the_cell_and_shown_in_the_view(view):
    view.n = 60
    assert view.widget is not None
    with pytest.raises(ValueError, match="50 is too much"):
        view.add()
    assert view.widget.message == "Add up: 50 is too much"
    assert row(view)["tone"] == "warn"


def test_a_part_keeps_the_job_that_it_needs_and_the_controls_of_the_job(view):
    part = View(Sum(), lambda spec: "", show=("shown",))
    offered = {control.name for section in part._sections for control in section.controls}
    assert offered == {"n", "add"}
    part.close()


PAGE = """
import param
import time
from workbench.views.view import View
from workbench.pages.core.page import Control, Fact, Page, Section, number
from workbench.pages.core.jobs import job
from workbench.parallel import map_in_processes

class Wait(Page):
    title = "Wait"
    controls = (Section("Wait", (Control("n"), Control("wait"))),)
    n = param.Integer(10, bounds=(1, 10_000), label="Times")
    waited = param.Parameter(precedence=-1)

    @job("Wait", needs=("n",), into="waited")
    def wait(self, report):
        "In other processes."
        done = 0
        for _ in map_in_processes(time.sleep, [0.05] * self.n, report):
            done += 1
            report(done / self.n, f"{done} of {self.n}", done)
        return done

    @number("Waited", needs=("waited",))
    def shown(self):
        return Fact(str(self.waited))

view = View(Wait(), lambda spec: "")
view.widget
"""


def press(kernel, comm):
    time.sleep(DOUBLE_CLICK)
    kernel.gesture(comm, kind="job", job="wait")


def test_a_job_in_a_kernel_runs_between_cells_and_can_be_cancelled(started):
    kernel = Kernel(started[1])
    kernel.run(PAGE)
    comm = kernel.run("view.widget.comm.comm_id").strip("'")
    press(kernel, comm)
    until(kernel, "view.page.work.state('wait').status", "'done'", seconds=60)
    assert kernel.run("'10' in view.widget.item_shown") == "True"
    kernel.run("view.n = 10_000")
    press(kernel, comm)
    until(kernel, "view.waited is not None and 0 < view.waited < 10_000 "
        "and view.page.work.state('wait').running", "True")  # fmt: skip
    assert "Cancel" in kernel.run("view.widget.control_wait")
    kernel.run("view.n = 9_000")  # a cell, meanwhile
    time.sleep(0.5)
    press(kernel, comm)
    until(kernel, "view.page.work.state('wait').status", "'cancelled'")
    assert "settings have changed" in kernel.run("view.widget.job_wait")
    kernel.run("view.close()")


def test_an_interrupted_cell_keeps_the_partial_result_and_the_processes(started):
    manager, client = started
    kernel = Kernel(client)
    kernel.run(PAGE)
    kernel.run("view.wait()")
    client.execute("view.n = 10_000; view.wait()")
    time.sleep(3)
    manager.interrupt_kernel()
    until(kernel, "view.page.work.state('wait').status", "'cancelled'")
    assert 0 < int(kernel.run("view.waited")) < 10_000
    kernel.run("view.n = 5")
    assert kernel.run("view.wait()") == "5"
    kernel.run("view.close()")
