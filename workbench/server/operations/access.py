"""What is counted and logged of every request, and the id by which it is found again."""

from __future__ import annotations

import logging
import re
import secrets
from contextvars import ContextVar
from typing import Any

from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import OutputTransform, RequestHandler

from workbench.server.network.proxy import is_trusted
from workbench.server.operations import metrics

logger = logging.getLogger(__name__)

#: The id of the request that is being answered; a socket keeps that of its handshake.
REQUEST: ContextVar[str] = ContextVar("request", default="")

#: The header in which a trusted proxy names a request, and in which every answer does.
HEADER = "X-Request-ID"

#: Seconds after which it is worth asking a server again that starts, stops or is busy.
AGAIN = "5"

_SANE = re.compile(r"[A-Za-z0-9._-]{8,64}")

#: Characters of a key that the log has: enough to tell people apart, too few to be one of them.
PREFIX = 8


def request_id(request: HTTPServerRequest, options: Any) -> str:
    """The id that a trusted proxy has given to a request, or a new one."""
    given = request.headers.get(HEADER, "")
    if given and _SANE.fullmatch(given) and is_trusted(request, options):
        return given
    return secrets.token_hex(8)


def tracing(options: Any) -> type[OutputTransform]:
    """The transform of answers that names every request."""

    class Traced(OutputTransform):
        """Sends the id of a request back, and says when a busy server is worth asking again."""

        def __init__(self, request: HTTPServerRequest):
            self._id = request_id(request, options)
            REQUEST.set(self._id)  # before Tornado makes the task that answers it

        def transform_first_chunk(
            self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
        ) -> tuple[int, HTTPHeaders, bytes]:
            headers[HEADER] = self._id
            if status_code == 503 and "Retry-After" not in headers:
                headers["Retry-After"] = AGAIN
            return status_code, headers, chunk

    return Traced


def log_request(handler: RequestHandler) -> None:
    """Count and log a request that was answered; the ``log_function`` of Tornado."""
    request, status = handler.request, handler.get_status()
    seconds = request.request_time()
    route = type(handler).__name__.removesuffix("Handler").lower()
    metrics.answered_request(route, status, seconds)
    if getattr(handler, "tallied", False):  # one of thousands that have a line together
        return
    # The person, if the handler has asked who it is.
    person = vars(handler).get("person")
    logger.info(
        "%s",
        route,
        extra={
            "method": (request.method or "")[:16],
            "path": getattr(handler, "asked", request.path)[:200],
            "status": status,
            "milliseconds": round(1000 * seconds, 1),
            "person": person_prefix(person.key) if person is not None else "",
        },
    )


def person_prefix(key: str) -> str:
    """What the log has of the key of a person."""
    return key[:PREFIX]
