"""Refusals of a server that cannot listen where it was asked to, in the words of the options."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def listening(port: int, address: str) -> Iterator[None]:
    """Context in which a server starts; a ValueError with the remedy if it cannot listen there.

    Parameters
    ----------
    port : int
        The port; 0 lets the system choose.
    address : str
        A host name or an address of this computer.
    """
    if not 0 <= port <= 65535:
        raise ValueError(f"--port must lie between 0 and 65535, got {port}; 5006 is the default")
    try:
        yield
    except socket.gaierror as error:
        raise ValueError(
            f"--address: {address!r} is no address of this computer ({error.strerror})"
        ) from error
    except OSError as error:
        if error.errno not in _REMEDIES:
            raise
        remedy = _REMEDIES[error.errno].format(
            port=port, address=address, next=port + 1 if port < 65535 else 5006
        )
        raise ValueError(remedy) from error


_REMEDIES = {
    errno.EADDRINUSE: "port {port} is in use, perhaps by a workbench that is running already; "
    "choose another one, such as --port {next}",
    errno.EACCES: "port {port} is reserved for the system; choose one from --port 1024",
    errno.EADDRNOTAVAIL: "--address: this computer does not have the address {address!r}; "
    "localhost and 0.0.0.0 are addresses to listen on",
}
