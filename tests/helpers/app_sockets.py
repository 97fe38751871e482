"""The socket of a Panel app, as Bokeh's script in a browser uses it."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from helpers.servers import PATIENCE


def token_of(page: str) -> str:
    """The token in the document of an app."""
    found = re.search(r'"token":"([^"]+)"', page)
    assert found, page
    return found[1]


class AppSocket:
    """An open socket of an app.

    Parameters
    ----------
    socket : tornado.websocket.WebSocketClientConnection
    """

    def __init__(self, socket: Any):
        self._socket, self._sent = socket, 0

    @classmethod
    async def open(cls, port: int, path: str, token: str, origin: str = "", **headers: str) -> Any:
        """The socket of the app at a path; raises what tornado does where there is none."""
        home = f"http://localhost:{port}"
        request = HTTPRequest(
            f"ws://localhost:{port}/{path}/ws", headers={"Origin": origin or home, **headers}
        )
        return cls(await websocket_connect(request, subprotocols=["bokeh", token]))

    async def receive(self) -> dict[str, Any] | None:
        """The type and the content of the next message; None once the socket is closed."""
        frames: list[Any] = []
        while len(frames) < 3:
            frames.append(await self._read())
            if frames[-1] is None:
                return None
        header, content = json.loads(frames[0]), json.loads(frames[2])
        for _ in range(2 * header.get("num_buffers", 0)):
            await self._read()
        return {"type": header["msgtype"], **content}

    async def _read(self) -> Any:
        return await asyncio.wait_for(self._socket.read_message(), PATIENCE)

    async def send(self, kind: str, content: Any) -> None:
        """Send a message."""
        self._sent += 1
        for part in ({"msgid": str(self._sent), "msgtype": kind}, {}, content):
            await self._socket.write_message(json.dumps(part))

    async def models(self) -> dict[str, Any]:
        """All objects of the document by titles and names, asked for as a browser does first."""
        await self.receive()  # the server is ready
        await self.send("PULL-DOC-REQ", {})
        while (answer := await self.receive()) is not None:
            if answer["type"] == "PULL-DOC-REPLY":
                return dict(_named(answer["doc"]))
        return {}

    async def set(self, model: Any, **values: Any) -> None:
        """Change attributes of an object, as by hand."""
        await self.send(
            "PATCH-DOC",
            {
                "events": [
                    {"kind": "ModelChanged", "model": {"id": model["id"]}, "attr": name, "new": new}
                    for name, new in values.items()
                ]
            },
        )

    @property
    def reason(self) -> str | None:
        """Why it was closed."""
        return self._socket.close_reason

    def close(self) -> None:
        """Close it."""
        self._socket.close()


def _named(value: Any) -> Any:
    if isinstance(value, list):
        for one in value:
            yield from _named(one)
    elif isinstance(value, dict):
        attributes = value.get("attributes")
        if isinstance(attributes, dict):
            for key in ("title", "name"):
                if isinstance(attributes.get(key), str):
                    yield attributes[key], value
        for one in value.values():
            yield from _named(one)
