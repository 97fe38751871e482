"""Damaged files and bombs uploaded to the page, while another visitor moves a slider.

python -m benchmarks hostile_uploads. Every upload has to end in a message or in the import step's
preview, and the other visitor's answers come as before.
"""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import random
import statistics
import time
import zipfile
from mmap import mmap
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.mutants import mutants
from benchmarks.visitors import Server, Visitor, p95

FEATHER = 150
OTHERS = 45
SECONDS = 20.0  # of the other visitor's moves before the uploads


def bombs() -> list[tuple[str, bytes]]:
    """Small files that expand to gigabytes, or name a column over and over."""
    npz, rows = io.BytesIO(), 4_000_000
    with zipfile.ZipFile(npz, "w", zipfile.ZIP_DEFLATED) as archive:
        array = io.BytesIO()
        np.save(array, np.zeros(25_000_000))
        for k in range(8):
            archive.writestr(f"p{k}.npy", array.getvalue())
    parquet = io.BytesIO()
    text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), ["x" * 600])
    scores = pa.array(np.zeros(rows))
    table = pa.table({"p": scores, "q": scores, "name": text})
    pq.write_table(table, parquet, compression="zstd", store_schema=False)
    return [
        ("bomb.npz", npz.getvalue()),
        ("bomb.parquet", parquet.getvalue()),
        ("names.csv", b",".join([b"p"] * 30_000) + b"\n1,2\n"),
        ("columns.json", json.dumps({str(k): [1, 2] for k in range(100_000)}).encode()),
        ("deep.json", b"[" * 1_000_000),
    ]


class Uploader(Visitor):
    """A visitor in the import step, who keeps what it says."""

    message = ""
    found = ""
    done = 0

    async def begin(self) -> None:
        """Open the import step."""
        self._send({"kind": "import", "page": "", "serial": 1})
        while (await self._heard()).get("page") != "import":
            pass

    async def accept(self) -> None:
        """Accept what was read, and wait until the page of the scores shows it."""
        self.done += 1
        gesture = {"kind": "set", "name": "accept", "value": True}
        self._send({**gesture, "page": "import", "serial": self.done})
        while not (await self._heard()).get("imported"):
            pass
        self._send({"kind": "close import", "page": "", "serial": 2})
        self._send({"kind": "show", "show": self.page, "page": "", "serial": 3})
        while (await self._heard()).get("page") != self.page:
            pass

    async def upload(self, name: str, content: bytes | mmap) -> float:
        """Seconds until the last piece was answered."""
        await self._ask({"kind": "files", "name": "upload", "files": [[name, len(content)]]})
        began = time.monotonic()
        for at in range(0, len(content), 2**20):
            piece = bytes(content[at : at + 2**20])
            await self._ask({"kind": "chunk", "name": "upload", "file": 0}, piece)
        return time.monotonic() - began

    async def _ask(self, gesture: dict[str, Any], content: bytes | None = None) -> None:
        self.done += 1
        announced = {} if content is None else {"content": True}
        self._send({**gesture, **announced, "page": "import", "serial": self.done})
        if content is not None:
            self.socket.write_message(content, binary=True)
        while self.handled < self.done:
            await self._heard()

    async def _heard(self) -> dict[str, Any]:
        news: dict[str, Any] = await self._message()
        if news.get("page") == "import":
            self.handled = max(self.handled, news.get("handled", 0))
            self.message = news.get("message", self.message)
            self.found = news.get("items", {}).get("groups", {}).get("all", self.found)
        return news


async def uploads() -> list[tuple[str, str, str]]:
    """A server, a visitor who uploads, and one who moves."""
    server = Server()
    files = [
        *itertools.islice(mutants(1, FEATHER, ".feather"), FEATHER),
        *itertools.islice(mutants(2, OTHERS), OTHERS),
        *bombs(),
    ]
    outcomes = {"read": 0, "refused with a message": 0, "neither": 0}
    lost, times = 0, []
    try:
        await server.up()
        bad, good = Uploader(server.port), Visitor(server.port)
        await bad.open()
        await good.open()
        await good.move(SECONDS, random.Random(0))
        alone, good.waits = list(good.waits), []
        await bad.begin()
        moving = asyncio.ensure_future(good.move(600.0, random.Random(1)))
        for name, content in files:
            bad.message = bad.found = ""
            times.append(await bad.upload(name, content))
            if bad.message:
                outcomes["refused with a message"] += 1
                lost += bool(bad.found)
            else:
                outcomes["read" if content else "neither"] += 1
        moving.cancel()
        alive = server.process.poll() is None
        held = server.megabytes
    finally:
        server.close()
    return [
        (f"{len(files)} hostile uploads", ", ".join(f"{n} {k}" for k, n in outcomes.items()), ""),
        ("the server lives", str(alive), "True"),
        ("refused, but shown as read", str(lost), "0"),
        ("slowest upload", f"{max(times):.1f} s", "at most 10 s and its size's share"),
        ("the server's memory", f"{held:.0f} MB", ""),
        (
            "another's moves alone",
            f"median {statistics.median(alone):.3f}, p95 {p95(alone):.3f} s",
            "",
        ),
        (
            "another's moves meanwhile",
            f"median {statistics.median(good.waits):.3f}, p95 {p95(good.waits):.3f} s",
            "p95 at most 1 s",
        ),
    ]


def main() -> list[tuple[str, str, str]]:
    """Rows: what, measured, target."""
    return asyncio.run(uploads())


if __name__ == "__main__":
    from benchmarks.__main__ import table

    print(table(main()))
