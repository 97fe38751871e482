"""`Elsewhere`: a provider of OpenID Connect in a thread of this process."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from urllib.parse import parse_qs, urlencode, urlsplit

from tornado.web import Application, RequestHandler

from helpers.servers import PATIENCE, free_port

#: What the provider has given the server.
KEY, SECRET = "our-id", "our-secret-at-the-provider"

#: The access token, which nobody but the server may see.
ACCESS = "the-access-token"

ADA = {"sub": "248289761001", "name": "Ada Lovelace", "email": "ada@example.org"}


@dataclass
class Elsewhere:
    """What the provider of the test answers, and what it was asked."""

    port: int
    host: str = "localhost"
    claims: dict = field(default_factory=dict)
    info: dict = field(default_factory=dict)
    emails: list = field(default_factory=list)  # as GitHub has them
    token: dict = field(default_factory=dict)  # changes of its answer
    status: int = 200
    raw: bytes | None = None  # instead of JSON
    codes: dict = field(default_factory=dict)  # code -> what it was asked with
    asked: list = field(default_factory=list)

    @property
    def home(self):
        return f"http://{self.host}:{self.port}"

    def reset(self):
        self.claims, self.info, self.token, self.status, self.raw = {}, {}, {}, 200, None
        self.asked.clear()

    def approve(self, address):
        """The address to which it sends the browser back that comes to this one."""
        query = {name: one for name, (one,) in parse_qs(urlsplit(address).query).items()}
        code = f"code-{len(self.codes)}"
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"


def id_token(claims):
    parts = ({"alg": "RS256"}, claims)
    texts = [base64.urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=") for p in parts]
    return ".".join([*texts, "c2lnbmF0dXJl"])


class AuthorizeHandler(RequestHandler):
    """The page on which people sign in there."""

    def get(self):
        there = self.settings["elsewhere"]
        self.finish(f'<a href="{escape(there.approve(self.request.uri))}">Approve</a>')


class TokenHandler(RequestHandler):
    def post(self):
        there = self.settings["elsewhere"]
        sent = {name: self.get_body_argument(name) for name in self.request.body_arguments}
        there.asked.append(sent)
        if there.raw is not None:
            self.set_status(there.status)
            self.finish(there.raw)
            return
        began = there.codes.pop(sent["code"], None)  # a code is for one use
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            began is None
            or began["code_challenge"] != challenge
            or began["redirect_uri"] != sent["redirect_uri"]
            or (sent["client_id"], sent["client_secret"]) != (KEY, SECRET)
        ):
            self.set_status(400)
            self.finish({"error": "invalid_grant", "error_description": SECRET})
            return
        usual = {
            "iss": there.home,
            "aud": KEY,
            "exp": time.time() + 300,
            "nonce": began["nonce"],
            "email_verified": True,
            **ADA,
        }
        claims = {k: v for k, v in {**usual, **there.claims}.items() if v is not None}
        answer = {"access_token": ACCESS, "id_token": id_token(claims), **there.token}
        self.set_status(there.status)
        self.finish({k: v for k, v in answer.items() if v is not None})


class UserHandler(RequestHandler):
    def get(self, what):
        there = self.settings["elsewhere"]
        assert self.request.headers["Authorization"] == f"Bearer {ACCESS}"
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps(there.emails if what else there.info))


@contextmanager
def provided(host="localhost") -> Iterator[Elsewhere]:
    """A provider that answers."""
    made = Elsewhere(free_port(), host)
    loop, up, ended = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def serve():
        routes = [
            ("/authorize", AuthorizeHandler),
            ("/token", TokenHandler),
            ("/user(/emails)?", UserHandler),
        ]
        server = Application(routes, elsewhere=made).listen(made.port, host)
        up.set()
        await ended.wait()
        server.stop()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert up.wait(PATIENCE)
    yield made
    loop.call_soon_threadsafe(ended.set)
    thread.join(PATIENCE)
