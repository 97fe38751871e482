"""Messages between processes: whole, no longer than allowed, over any pipe."""

from __future__ import annotations

import io
import os
import socket
import threading

import numpy as np
import pytest

from workbench.processes.messages import header_of, parts_of, ready, received, send
from workbench.processes.values import receive_value, send_value


def test_a_message_is_no_longer_than_allowed():
    file = io.BytesIO()
    send(file, [b"abc", b"", np.arange(2)])
    for most in (19, None):
        file.seek(0)
        assert [bytes(part) for part in received(file, most)][:2] == [b"abc", b""]
    file.seek(0)
    with pytest.raises(ValueError, match="a message of 19 bytes where 18 are allowed"):
        received(file, 18)
    for end in (3, 20):
        with pytest.raises(EOFError):
            received(io.BytesIO(file.getvalue()[:end]))
    with pytest.raises(ValueError, match="parts"):
        received(io.BytesIO(b"\xff" * 8))


def test_a_header_comes_with_arrays_and_bytes():
    file = io.BytesIO()
    send(file, parts_of({"kind": "table"}, np.arange(6.0).reshape(2, 3).T, b"text", b""))
    file.seek(0)
    header, *buffers = received(file)
    assert header_of([header]) == {"kind": "table"}
    assert np.frombuffer(buffers[0]).tolist() == [0, 3, 1, 4, 2, 5]
    assert [bytes(one) for one in buffers[1:]] == [b"text", b""]


def test_large_values_pass_a_socket_in_pieces_and_can_be_changed():
    ours, theirs = (os.fdopen(one.detach(), "r+b", buffering=0) for one in socket.socketpair())
    arrays = {"large": np.arange(10**6), "small": np.arange(3), "none": np.empty(0)}
    known = {"one": object()}
    sending = threading.Thread(target=send_value, args=(ours, (arrays, known["one"]), known))
    with ours, theirs:
        assert not ready(theirs, 0)
        sending.start()
        found, same = receive_value(theirs, known)
        sending.join()
        assert not ready(theirs, 0)  # nothing is left over
    assert same is known["one"]
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        found[name][:] = 0
