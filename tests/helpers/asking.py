"""Requests to a `Served` as they are: `ask` with any method and headers, `raw` with any bytes."""

from __future__ import annotations

import http.client
import socket


def ask(served, path, method="GET", body=None, **headers):
    """Status, headers and body of an answer; nothing is followed or decoded."""
    connection = http.client.HTTPConnection("localhost", served.port, timeout=60)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def raw(served, text):
    """What the server answers to some bytes before it closes the connection."""
    with socket.create_connection(("localhost", served.port), timeout=60) as asking:
        try:
            asking.sendall(text)
            found = b""
            while more := asking.recv(65536):
                found += more
        except ConnectionError:
            return b""
        return found
