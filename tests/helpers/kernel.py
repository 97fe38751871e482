"""A Jupyter kernel that tests run cells in."""

from __future__ import annotations

import time

import pytest


class Kernel:
    """A kernel that runs code as the cells of a notebook."""

    def __init__(self, client):
        self.client = client
        self._serial = 0

    def run(self, code, cell=None, deleted=()):
        """What the cell's last line is, as text."""
        message = self.client.session.msg(
            "execute_request",
            {"code": code, "silent": False, "store_history": True, "user_expressions": {},
             "allow_stdin": False, "stop_on_error": True},
            metadata={"cellId": cell, "deletedCells": list(deleted)} if cell else {},
        )  # fmt: skip
        self.client.shell_channel.send(message)
        result = None
        while True:
            answer = self.client.get_iopub_msg(timeout=60)
            if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            content = answer["content"]
            if answer["msg_type"] == "error":
                pytest.fail("\n".join(content["traceback"]))
            if answer["msg_type"] == "execute_result":
                result = content["data"]["text/plain"]
            if answer["msg_type"] == "status" and content["execution_state"] == "idle":
                return result

    def send(self, comm, data):
        """A message as a browser sends it to a widget."""
        content = {"comm_id": comm, "data": data}
        self.client.shell_channel.send(self.client.session.msg("comm_msg", content))

    def gesture(self, comm, **gesture):
        """A gesture of a person on the widget of a view."""
        self._serial += 1
        message = {"kind": "gesture", "gesture": {**gesture, "serial": self._serial}}
        self.send(comm, {"method": "custom", "content": message, "buffer_paths": []})


def until(kernel, code, expected, seconds=30):
    """Run the code again and again until it is what is expected."""
    deadline = time.monotonic() + seconds
    while (found := kernel.run(code)) != expected:
        assert time.monotonic() < deadline, found
        time.sleep(0.1)
