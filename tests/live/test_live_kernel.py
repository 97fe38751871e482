"""A live audit in a real kernel: what the browser is told while the cell still runs."""

import json

import pytest

pytest.importorskip("ipykernel")

pytestmark = [pytest.mark.timeout(300), pytest.mark.kernel]


@pytest.fixture(scope="module")
def client():
    """The client of a kernel."""
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel()
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


#: Drawn at every tenth pair of runs, however slow the machine is.
LOOP = """
import workbench as wb
import workbench.live.drawing.pace as pace
pace.LEAST = float("inf")
audit = wb.live.Audit(claim="approx(0.5, 1e-5)")
audit.show()
scores = wb.GaussianPair(2).sample(100, seed=0)
for k, (p, q) in enumerate(zip(scores.p, scores.q)):
    audit.add(p, True)
    audit.add(q, False)
    if k % 10 == 0:
        audit._changed(at_once=True)
audit.close()
print("done", audit.runs)
"""


def test_the_widget_is_drawn_while_the_cell_runs(client):
    """Messages arrive before the cell ends: new values of the board, and new pictures.

    The pictures are what is shown while the browser waits for the answer of a busy kernel.
    """
    sent = client.execute(LOOP)
    boards, pictures, done = [], [], False
    while True:
        answer = client.get_iopub_msg(timeout=120)
        if answer["parent_header"].get("msg_id") != sent:
            continue
        kind, content = answer["msg_type"], answer["content"]
        assert kind != "error", content
        if kind == "comm_msg" and "item_seen" in content["data"].get("state", {}):
            boards.append(json.loads(content["data"]["state"]["item_seen"])["value"])
        if kind == "update_display_data":
            pictures.append(content["data"]["text/html"])
        done = done or (kind == "stream" and "done 200" in content["text"])
        if kind == "status" and content["execution_state"] == "idle":
            break
    assert done
    assert len(boards) >= 10
    counts = [int(text) for text in boards]
    assert counts == sorted(counts)
    assert counts[-1] == 100
    assert len(set(counts)) >= 10
    assert len(pictures) >= 10
    assert "data:image/svg+xml" in pictures[-1]
    assert "refuted" in pictures[-1]
    assert "runs of each kind, closed" in pictures[-1]
