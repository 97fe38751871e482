"""Forms that only a page of this server can send: `form_token` and `is_ours`.

The token is a keyed hash of a random cookie and of the sign-in, so a page of another site, which
reads neither, cannot make it. It changes with every sign-in.
"""

from __future__ import annotations

import hmac
import secrets

from tornado.web import RequestHandler

from workbench.server.people.cookies import keep, kept
from workbench.server.people.sign_ins import OWNER_COOKIE, SIGN_IN

#: The cookie that forms are bound to, the days for which it is kept, and the field of a form.
FORM, DAYS, FIELD = "form", 30.0, "form"


def form_token(handler: RequestHandler) -> str:
    """The token of the forms in an answer.

    Parameters
    ----------
    handler : tornado.web.RequestHandler
        Its answer has the cookie if the browser has none.
    """
    nonce = kept(handler, FORM, DAYS)
    if not nonce:
        nonce = secrets.token_urlsafe(32)
        keep(handler, FORM, nonce, DAYS)
    return _token(handler, nonce)


def is_ours(handler: RequestHandler) -> bool:
    """Whether a request has the token of a form of this server."""
    nonce = kept(handler, FORM, DAYS)
    sent = handler.get_body_argument(FIELD, "")
    return bool(nonce) and hmac.compare_digest(sent.encode(), _token(handler, nonce).encode())


def _token(handler: RequestHandler, nonce: str) -> str:
    secret = handler.settings["options"].secret
    signed_in = kept(handler, SIGN_IN, DAYS) or kept(handler, OWNER_COOKIE, DAYS)
    return hmac.new(secret, f"form {nonce} {signed_in}".encode(), "sha256").hexdigest()
