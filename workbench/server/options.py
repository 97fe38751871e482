"""`ServerOptions`: how a server listens, who may come, and what it allows them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.dashboard.limits import ServerLimits
from workbench.following.following import Following
from workbench.server.following.webhook import Webhook
from workbench.server.people.identity import Identity, VisitorIdentity
from workbench.server.people.oauth import OAuth


@dataclass(frozen=True)
class ServerOptions:
    """How a server listens, who may come, and what it allows them.

    Parameters
    ----------
    port : int
        0 lets the system choose.
    address : str
        ``"localhost"`` keeps the page to this machine.
    origins : sequence of str
        The origins under which browsers reach the page, such as ``"https://audit.example.org"``.
        Empty for where it listens.
    root_path : str
        The path under which a proxy serves the page, such as ``"/workbench"``; "" for none.
    embed : sequence of str
        The origins whose pages may show the page in a frame, such as
        ``"https://course.example.org"``.
    proxies : sequence of str
        Addresses or networks of proxies whose forwarded headers are believed.
    identity : Identity
        How it knows who sent a request.
    limits : ServerLimits
        What one person may use.
    home : Path, optional
        The folder in which the server keeps accounts, and the workspaces of people and visitors.
        None for a server that forgets everything when it ends.
    secret : bytes
        Signs cookies and the ids of sessions.
    metrics_token : str
        The bearer token with which ``/metrics`` may be read from elsewhere; "" for none.
    stop_within : float
        Seconds for which jobs and saves may go on when the server is stopped.
    oauth : OAuth, optional
        Another way to sign in, on a server with accounts.
    following : Following, optional
        What follows a score file for everybody.
    webhook : Webhook, optional
        Where a refutation of its claim is announced.
    """

    port: int = 0
    address: str = "localhost"
    origins: Sequence[str] = ()
    root_path: str = ""
    embed: Sequence[str] = ()
    proxies: Sequence[str] = ()
    identity: Identity = field(default_factory=VisitorIdentity)
    limits: ServerLimits = field(default_factory=ServerLimits)
    home: Path | None = None
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    metrics_token: str = field(default="", repr=False)
    stop_within: float = 30.0
    oauth: OAuth | None = None
    following: Following | None = None
    webhook: Webhook | None = None
