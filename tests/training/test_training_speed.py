"""The benchmark of training measures what it says."""

import sys

import workbench as wb
from benchmarks import training_speed


def test_the_plan_of_the_benchmark_has_its_settings(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(f"{training_speed.PLAN}16\n")
    plan = wb.training.read_plan(path)
    assert plan.audit.settings == training_speed.SETTINGS
    assert plan.audit.data.size == training_speed.TRAIN.size == training_speed.RECORDS
    assert plan.audit.models == 16


def test_the_cost_of_a_command_is_that_of_all_its_processes():
    code = """
import multiprocessing, time
def work():
    block = bytearray(10**8)
    while time.process_time() < 1:
        pass
    return block
child = multiprocessing.get_context("fork").Process(target=work)
child.start()
block = work()  # which the child's is beside until it ends
child.join()
"""
    cost = training_speed.cost_of([sys.executable, "-c", code])
    assert cost.cpu >= 2
    assert cost.memory >= 2 * 10**8
