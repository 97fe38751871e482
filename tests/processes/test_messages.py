"""Messages between processes: whole, no longer than allowed, over any pipe."""

from __future__ import annotations

import io
import os
import socket
import threading

import numpy as np
import pytest

from workbench.processes.messages import WrongAnswer, packed, ready, received, send, unpacked
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


def test_arrays_and_bytes_anywhere_in_a_message():
    told = {
        "kind": "table",
        "columns": {"array": np.arange(6.0).reshape(2, 3).T, "text": b"text", "none": b""},
        "more": [np.array([], "U5"), {"__array__": np.array([[True], [False]])}, np.empty((3, 0))],
        "__array__": "a name like any other",
        "inf": float("inf"),
    }
    file = io.BytesIO()
    send(file, packed(told))
    file.seek(0)
    found = unpacked(received(file))
    assert list(found) == list(told)
    assert (found["kind"], found["__array__"], found["inf"]) == ("table", told["__array__"], np.inf)
    assert [bytes(found["columns"][name]) for name in ("text", "none")] == [b"text", b""]
    arrays = [(told["columns"]["array"], found["columns"]["array"])]
    arrays += [(told["more"][k], found["more"][k]) for k in (0, 2)]
    arrays += [(told["more"][1]["__array__"], found["more"][1]["__array__"])]
    for sent, array in arrays:
        assert (array.dtype, array.shape) == (sent.dtype, sent.shape)
        np.testing.assert_array_equal(array, sent)
    assert found["columns"]["array"].flags.f_contiguous


@pytest.mark.parametrize(
    "spec",
    [
        '[0, "<f8", [2], "C"]',  # another size
        '[0, "<f8", [-3, 0], "C"]',
        '[1, "<f8", [1], "C"]',  # no such part
        '[-1, "<f8", [1], "C"]',
        '[0, "|O", [1], "C"]',
        '[0, "V8", [1], "C"]',
        '[0, "f8,f8", [1], "C"]',
        '[0, "|b1", [8], "C"]',  # no truth values
        '[0, "<U0", [8], "C"]',
        '[0, 7, [8], "C"]',
        '["0", "<f8", [1], "C"]',
        '[0, "<f8", [1e400], "C"]',
        "[0]",
        "[]",
    ],
)
def test_arrays_that_are_none(spec):
    with pytest.raises(WrongAnswer):
        unpacked([f'{{"a": {{"__array__": {spec}}}}}'.encode(), b"\x02" * 8])


@pytest.mark.parametrize("head", [b"", b"[]", b"7", b"{", b"\xff", b"[" * 100_000, b"\x80\x04N."])
def test_headers_that_are_none(head):
    with pytest.raises(WrongAnswer, match="no header"):
        unpacked([head])


def test_objects_are_in_no_message():
    for value in (object(), np.array([None]), {1, 2}):
        with pytest.raises(TypeError):
            packed({"a": value})


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
