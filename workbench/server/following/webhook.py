"""`Webhook`: an address to which events are posted as JSON."""

from __future__ import annotations

import ipaddress
import logging
import socket
import threading
from contextlib import suppress
from functools import partial
from http.client import HTTPConnection, HTTPSConnection
from queue import Empty, SimpleQueue
from typing import Any
from urllib import error, request
from urllib.parse import urlsplit

from workbench import _checks, _json

logger = logging.getLogger(__name__)

#: Seconds for an answer, and before each further attempt.
TIMEOUT, RETRIES = 10.0, (1.0, 5.0, 25.0)


class Webhook:
    """An address to which events are posted as JSON.

    Only its host is ever logged: paths and queries of webhooks are secrets. The host may be any,
    of the own network too: the operator names it, and neither a redirect nor an answer leads
    elsewhere. Of an answer only the head is read.

    Parameters
    ----------
    url : str
        Of the scheme https; http only for this machine.
    insecure : bool
        Whether http is allowed for any host.
    retries : sequence of float
        Seconds before each further attempt.
    timeout : float
        Seconds for an answer, from the look-up of the host to the last header.

    Raises
    ------
    ValueError
        No such address; it is not quoted.
    """

    def __init__(
        self,
        url: str,
        insecure: bool = False,
        retries: tuple[float, ...] = RETRIES,
        timeout: float = TIMEOUT,
    ):
        try:
            parts = urlsplit(_checks.text(url, "url"))
            self.host, _ = parts.hostname or "", parts.port
        except ValueError:
            raise ValueError("the webhook is no address of the web, such as https://…") from None
        if parts.scheme not in ("http", "https") or not self.host or not url.isascii():
            raise ValueError("the webhook must be an address that begins with https://")
        if any(ord(one) <= 32 for one in url):
            raise ValueError("the webhook is no address: it holds a space or a control character")
        self._here = _is_here(self.host)
        if parts.scheme == "http" and not (self._here or insecure):
            raise ValueError(
                f"the webhook at {self.host} is not encrypted; use https, or allow it with "
                "--webhook-insecure"
            )
        if parts.username or parts.password:
            raise ValueError(
                f"the webhook at {self.host} holds a user name, which would not be sent; leave it "
                "out"
            )
        self._url, self._retries, self._timeout = url, retries, timeout

    def __repr__(self) -> str:
        return f"Webhook({self.host!r})"

    def send(self, content: dict[str, Any]) -> threading.Thread:
        """Post an event, in a thread of its own.

        Parameters
        ----------
        content : dict
            JSON values.

        Returns
        -------
        Thread
            It ends once the event was taken, or all attempts have failed.
        """
        body = _json.dumps_ascii(content).encode()
        thread = threading.Thread(
            target=self._try, args=(body,), name="workbench-webhook", daemon=True
        )
        thread.start()
        return thread

    def _try(self, body: bytes) -> None:
        why = ""
        for wait in (*self._retries, None):
            why = self._post(body)
            if not why:
                logger.info("posted to %s", self.host, extra={"event": "webhook_posted"})
                return
            if wait is not None:
                threading.Event().wait(wait)
        logger.error(
            "%s did not take what was posted, in %d attempts: %s",
            *(self.host, len(self._retries) + 1, why),
            extra={"event": "webhook_failed"},
        )

    def _post(self, body: bytes) -> str:
        """Why an attempt failed; "" if it did not."""
        connections: list[HTTPConnection] = []
        outcome: SimpleQueue[str] = SimpleQueue()
        # A thread of its own: timeouts of sockets begin anew with every byte.
        threading.Thread(
            target=lambda: outcome.put(self._asked(body, connections)),
            name="workbench-webhook-attempt",
            daemon=True,
        ).start()
        try:
            return outcome.get(timeout=self._timeout)
        except Empty:
            for one in connections:
                with suppress(OSError, AttributeError):  # it is not connected
                    one.sock.shutdown(socket.SHUT_RDWR)
            return f"no answer within {self._timeout:g} s"

    def _asked(self, body: bytes, connections: list[HTTPConnection]) -> str:
        handlers: list[request.BaseHandler] = [
            _NoRedirects(),
            _Http(connections),
            _Https(connections),
        ]
        if self._here:
            handlers.append(request.ProxyHandler({}))
        headers = {"Content-Type": "application/json", "User-Agent": "dp-audit-workbench"}
        try:
            asked = request.Request(self._url, body, headers, method="POST")
            with request.build_opener(*handlers).open(asked, timeout=self._timeout):
                return ""
        except error.HTTPError as refused:
            refused.close()
            return f"status {refused.code}"
        except Exception as problem:  # their messages may hold the address
            reason = getattr(problem, "reason", problem)
            return type(reason).__name__ if isinstance(reason, Exception) else "no connection"


class _Http(request.HTTPHandler):
    """Keeps its connections where another thread can end them."""

    def __init__(self, connections: list[HTTPConnection]):
        super().__init__()
        self._connections = connections

    def http_open(self, req: request.Request) -> Any:
        return self.do_open(partial(_kept, self._connections, HTTPConnection), req)


class _Https(request.HTTPSHandler):
    """As `_Http`."""

    def __init__(self, connections: list[HTTPConnection]):
        super().__init__()
        self._connections = connections

    def https_open(self, req: request.Request) -> Any:
        return self.do_open(partial(_kept, self._connections, HTTPSConnection), req)


def _kept(
    connections: list[HTTPConnection], kind: type[HTTPConnection], host: str, **more: Any
) -> HTTPConnection:
    connections.append(kind(host, **more))
    return connections[-1]


class _NoRedirects(request.HTTPRedirectHandler):
    """Follows no redirects, which could lead anywhere."""

    def redirect_request(self, *given: Any, **more: Any) -> None:
        """Nothing: the answer is an error."""


def _is_here(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
