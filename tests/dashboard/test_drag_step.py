"""The step of a drag of a slider: the modules that it visits, and how many calls it takes."""

from __future__ import annotations

import pytest
from helpers.traces import drag_step

#: Page and slider -> modules and calls of a step, from the frame of the socket to the message, with
#: all that the charts compute and draw: of scores, three charts with a claim and a reference.
MOST = {
    ("scores", "threshold"): (53, 1040),
    ("scores", "bin_width"): (61, 1740),
    ("scores", "log_delta"): (53, 1040),
    ("counts", "log_prior"): (33, 500),
}

#: The same of a move that is a gesture of its own: all controls are compared, and it is kept.
MOST_OF_A_MOVE = {("scores", "threshold"): (66, 1290), ("counts", "log_prior"): (37, 530)}

#: Modules of the way itself.
MOST_ON_THE_WAY = 25

#: What comes once, at the end of a drag.
AT_THE_END = ("dashboard.visitor.", "workspaces.workspace", "workspaces.storing", "audits.storing")


@pytest.fixture(scope="module", params=MOST, ids=" ".join)
def step(request):
    return request.param, drag_step(*request.param)


def test_a_step_is_short(step):
    of, trace = step
    modules, calls = MOST[of]
    assert len(trace.modules) <= modules, trace.calls_of
    assert trace.calls <= calls, trace.calls_of


@pytest.mark.parametrize("slider", MOST_OF_A_MOVE, ids=" ".join)
def test_a_move_of_its_own_reads_no_data_set(slider):
    trace, (modules, calls) = drag_step(*slider, done=True), MOST_OF_A_MOVE[slider]
    assert len(trace.modules) <= modules, trace.calls_of
    assert trace.calls <= calls, trace.calls_of
    assert [one for one in trace.modules if one.startswith("workspaces.storing")] == []


def test_the_way_is_short(step):
    _, trace = step
    assert len(trace.way) <= MOST_ON_THE_WAY, trace.way


def test_a_step_keeps_nothing_and_looks_at_no_data_sets(step):
    _, trace = step
    assert [one for one in trace.modules if one.startswith(AT_THE_END)] == []


def test_a_step_computes_no_curve_of_a_claim_or_a_reference_again(step):
    (_, name), trace = step
    if name != "log_delta":  # whose charts show the ε of each at the δ
        assert [one for one in trace.modules if one.startswith(("claims.", "pairs."))] == []


def test_the_way_leads_from_the_socket_over_the_page_to_the_socket(step):
    _, trace = step
    way = [
        *("server.sockets.channel", "server.sockets.connection", "dashboard.live_page"),
        *("pages.core.session", "dashboard.worker", "pages.core.state", "assets.controls"),
    ]
    assert [one for one in trace.modules if one in way] == way
