"""`ServerLimits`: what one person may use of a server, and `LimitError` where it is not enough."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass

from workbench.processes.limits import memory_of_machine

logger = logging.getLogger(__name__)

#: Bytes of memory that the pages may have on a small machine.
_LEAST_MEMORY = 2.0**30


class LimitError(ValueError):
    """Raised where something would exceed a limit of the server.

    Parameters
    ----------
    problem : str
        What exceeds which limit, such as "the file has 2.1 GB; this server takes 1.0 GB".
    option : str
        The option of ``workbench serve`` that sets the limit.
    """

    def __init__(self, problem: str, option: str):
        super().__init__(f"{problem}. Whoever runs this server can raise the limit with {option}")
        self.option = option
        # Here, so that no place forgets it: the server's metrics count these records.
        logger.info("a limit was reached", extra={"event": "limit_refused", "limit": option})


@dataclass(frozen=True)
class ServerLimits:
    """What one person may use of a server; ``inf`` is no limit.

    Parameters
    ----------
    upload : float
        Bytes of one upload, all its files together.
    data_sets : float
        Data sets of one person.
    disk : float
        Bytes of one person's data sets, uploads and audits.
    jobs_each : float
        Jobs of one person at once.
    jobs : float
        Jobs of all people at once.
    job_memory : float
        Bytes of memory of one job.
    job_seconds : float
        Seconds that one job may take.
    idle : float
        Seconds without a gesture after which an open page is put away.
    pages_each : float
        Open browser pages of one person.
    pages : float
        Open browser pages of all people.
    memory : float
        Bytes of memory of the process of the pages. Above it, pages that are not in use are put
        away, and no further ones are opened.
    """

    upload: float = 2.0**30
    data_sets: float = math.inf
    disk: float = math.inf
    jobs_each: float = math.inf
    jobs: float = math.inf
    job_memory: float = math.inf
    job_seconds: float = math.inf
    idle: float = math.inf
    pages_each: float = math.inf
    pages: float = math.inf
    memory: float = math.inf

    @classmethod
    def shared(cls) -> ServerLimits:
        """The limits of a server for several people, unless its options say otherwise."""
        return cls(
            data_sets=200,
            disk=5 * 2.0**30,
            jobs_each=2,
            jobs=4,
            job_memory=4 * 2.0**30,
            job_seconds=3600.0,
            idle=7200.0,
            pages_each=20,
            pages=500,
            memory=max(_LEAST_MEMORY, memory_of_machine() / 2),
        )
