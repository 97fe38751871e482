"""Handlers of ``/health`` and ``/metrics``, for programs that watch the server."""

from __future__ import annotations

import ipaddress
from hmac import compare_digest
from typing import Any

from tornado.web import HTTPError, RequestHandler

import workbench as wb
from workbench.server.handlers.base import Handler
from workbench.server.operations import metrics
from workbench.server.operations.checks import Checks
from workbench.server.operations.state import Phase, ServerState
from workbench.server.options import ServerOptions
from workbench.server.people.person import Role

#: Names under which a program on this machine asks it directly.
_HERE = ("localhost", "127.0.0.1", "[::1]")

#: Headers that a proxy adds.
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "X-Forwarded-Host", "Via")


class _Watched(Handler):
    """Base class: who may see how the server is."""

    until_the_end = True

    @property
    def state(self) -> ServerState:
        """The state of the server."""
        state: ServerState = self.settings["state"]
        return state

    @property
    def checks(self) -> Checks:
        """The checks of the server."""
        checks: Checks = self.settings["checks"]
        return checks

    def is_watcher(self) -> bool:
        """Whether the request is of a program on this machine, or has the token for metrics."""
        return has_token(self, self.server.metrics_token) or is_from_here(self, self.server)


class HealthHandler(_Watched):
    """Handler that says whether the server is well, from memory alone.

    Everybody is sent the status. "degraded" is a server that answers while a check fails; it is
    sent with 200, for to take it away or start it again would help nobody.
    """

    def get(self) -> None:
        """Send the status: 200, or 503 for a server that starts or stops."""
        found = self.checks.findings()
        phase = self.state.phase
        status: str = phase.value
        if phase is Phase.SERVING:
            status = "ok" if all(one.passed for one in found.values()) else "degraded"
        else:
            self.set_status(503)
        answer: dict[str, Any] = {"status": status}
        if self.is_watcher():
            answer |= {
                "version": wb.__version__,
                "uptime_seconds": round(self.state.uptime, 1),
                "checks": {
                    name: {"ok": one.passed, "problem": one.problem, **(one.figures or {})}
                    for name, one in found.items()
                },
            }
        self.set_header("Cache-Control", "no-store")
        self.finish(answer)

    head = get


class MetricsHandler(_Watched):
    """Handler of all numbers, for Prometheus and administrators."""

    def get(self) -> None:
        """Send the numbers; 404 to everybody else, as of an address that does not exist."""
        if not self.is_watcher() and not self._is_admin():
            raise HTTPError(404)
        found, work = self.checks.findings(), self.visitors.work
        if work is not None:
            metrics.jobs(running=len(work.running()), waiting=len(work.waiting()))
        self.set_header("Content-Type", metrics.CONTENT_TYPE)
        self.set_header("Cache-Control", "no-store")
        self.finish(metrics.text(self.state, {name: one.passed for name, one in found.items()}))

    def _is_admin(self) -> bool:
        person = self.server.identity.person(self)
        return person is not None and person.signed_in and person.role is Role.ADMIN


def has_token(handler: RequestHandler, token: str) -> bool:
    """Whether a request has a bearer token.

    Parameters
    ----------
    handler : RequestHandler
    token : str
        "" for none, which no request has.
    """
    scheme, _, given = handler.request.headers.get("Authorization", "").partition(" ")
    same = compare_digest(given.strip().encode(), token.encode())
    return bool(token) and scheme.lower() == "bearer" and same


def is_from_here(handler: RequestHandler, options: ServerOptions) -> bool:
    """Whether a program on this machine sent a request directly.

    Behind a proxy on this machine all requests come from here. So nothing counts as sent from here
    if a proxy was named, if the request was forwarded, or if it was sent to another name, as a page
    of a stranger could have a browser do.
    """
    request = handler.request
    if options.proxies or options.root_path or options.origins:
        return False
    if any(name in request.headers for name in _FORWARDED):
        return False
    host = request.host.rsplit(":", 1)[0] if not request.host.endswith("]") else request.host
    if host not in _HERE:
        return False
    try:
        return ipaddress.ip_address(request.remote_ip or "").is_loopback
    except ValueError:  # a socket of the file system has no address
        return False


def patterns() -> list[tuple[Any, ...]]:
    """Tornado routes of what programs ask that watch the server."""
    return [(r"/health", HealthHandler), (r"/metrics", MetricsHandler)]
