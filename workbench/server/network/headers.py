"""Headers that every answer has: what a browser may do with it, and what it tells others.

`SafeHeaders` adds them where an answer leaves the server, so that no handler can forget them; a
handler that needs another policy sets the header itself. It is also where the sites of ``--embed``
come into the policies: what pages of this server may show in a frame, theirs may. Pages with a form
to sign in may be in no frame at all. There is no ``X-Frame-Options``, which could name no site;
every browser that knows ``frame-ancestors`` ignores it.

A document may run and load files of this server, and the inline texts whose hashes its policy
names: the script that sets the theme before anything is drawn, and the colors of the palette.
plotly.js adds empty style elements and fills them through the CSSOM, which a policy allows; so the
hash of the empty text is in the list, and ``'unsafe-inline'`` is not. It also gives exponents on
axes an attribute named ``style``, which is allowed by its hash. All other such attributes are
refused: our scripts set styles through the CSSOM, too.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence

from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import OutputTransform

#: The policy of what is no document: it loads nothing and runs nothing.
CLOSED = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

_POLICY, _FRAMES = "Content-Security-Policy", "frame-ancestors 'self'"

#: The attribute that plotly.js gives an exponent.
_EXPONENT = "font-size:70%"

#: Features of browsers that no page uses.
_UNUSED = (
    *("accelerometer", "autoplay", "bluetooth", "camera", "display-capture", "encrypted-media"),
    *("geolocation", "gyroscope", "hid", "magnetometer", "microphone", "midi", "payment"),
    *("publickey-credentials-get", "screen-wake-lock", "serial", "usb", "xr-spatial-tracking"),
)

#: Headers of every answer, unless its handler has set another value.
EVERY: Mapping[str, str] = {
    "Content-Security-Policy": CLOSED,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _UNUSED),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class SafeHeaders(OutputTransform):
    """Output transform that adds `EVERY`, and leaves out which software answers.

    Parameters
    ----------
    request : HTTPServerRequest
    embed : sequence of str
        The origins whose pages may show a page of this server in a frame.
    """

    def __init__(self, request: HTTPServerRequest, embed: Sequence[str] = ()):
        super().__init__(request)
        self._embed = embed

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """The answer with its headers complete."""
        headers.pop("Server", None)
        for name, value in EVERY.items():
            if name not in headers:
                headers[name] = value
        if self._embed:
            headers[_POLICY] = embedded(headers[_POLICY], self._embed)
        return status_code, headers, chunk


def embedded(policy: str, origins: Iterable[str]) -> str:
    """A policy by which pages of other origins may show what pages of this server may.

    Parameters
    ----------
    policy : str
    origins : iterable of str

    Examples
    --------
    >>> embedded("base-uri 'none'; frame-ancestors 'self'", ["https://course.example.org"])
    "base-uri 'none'; frame-ancestors 'self' https://course.example.org"
    """
    return policy.replace(_FRAMES, " ".join([_FRAMES, *origins]))


def digest(text: str) -> str:
    """The source expression of an inline text, by which a policy allows it.

    Parameters
    ----------
    text : str
        What is between the tags.
    """
    found = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(found).decode('ascii')}'"


def app_policy(host: str) -> str:
    """The policy of a Panel app: of this server alone, but scripts and styles may be in it.

    Bokeh and Panel write scripts into the document, make functions from texts, and load modules and
    workers from ``blob:``.

    Parameters
    ----------
    host : str
        See `document_policy`.
    """
    return "; ".join(
        [
            "default-src 'none'",
            "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "media-src 'self' data: blob:",
            "font-src 'self' data:",
            f"connect-src 'self' data: blob: ws://{host} wss://{host}",
            "worker-src 'self' blob:",
            "frame-src 'self' data: blob:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'self'",
        ]
    )


def document_policy(scripts: Iterable[str] = (), styles: Iterable[str] = (), host: str = "") -> str:
    """The policy of a document.

    Parameters
    ----------
    scripts, styles : iterable of str
        The inline texts in it.
    host : str
        The host that the browser asked for: not every browser counts its sockets as ``'self'``.
    """
    sockets = f" ws://{host} wss://{host}" if host else ""
    return "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src 'self'", *map(digest, scripts)]),
            " ".join(["style-src 'self'", *map(digest, ("", *styles))]),
            f"style-src-attr 'unsafe-hashes' {digest(_EXPONENT)}",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            f"connect-src 'self'{sockets}",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'self'",
        ]
    )
