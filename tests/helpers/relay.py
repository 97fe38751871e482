"""`Relay`: a port that leads to a server, and whose connections can be cut."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

from helpers.servers import free_port


class Relay:
    """A port that leads to a server.

    Attributes
    ----------
    to : int
        The port of the server.
    passes : bool
        Whether new connections are taken to the server; else they are closed.
    """

    def __init__(self) -> None:
        self.port, self.passes, self.to = free_port(), True, 0
        self._open: set[socket.socket] = set()
        self._listening = socket.create_server(("localhost", self.port), backlog=100)
        threading.Thread(target=self._run, daemon=True).start()

    def cut(self) -> None:
        """Close all connections, in both directions."""
        for one in list(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Lead nowhere from now on."""
        self.passes = False
        self._listening.close()
        self.cut()

    def _run(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            if not self.passes:
                near.close()
                continue
            try:
                far = socket.create_connection(("localhost", self.to))
            except OSError:
                near.close()
                continue
            self._open |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while part := one.recv(65536):
                other.sendall(part)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        one.close()
        self._open.discard(one)
