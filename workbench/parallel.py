"""Long work: how it tells its progress, how it is stopped, and how it uses all cores.

Code that takes long takes a ``report`` (see `Report`) and calls it now and then; whoever called it
sees the progress, and stops it by letting ``report`` raise `Cancelled`. `map_in_processes` spreads
many tasks over processes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, Protocol, TypeVar

from workbench import _checks

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Seconds after which work that waits asks whether it was cancelled.
PATIENCE = 0.1

#: Tasks handed to the shared processes at a time, per process: a cancelled map ends soon, and
#: several maps take turns.
AHEAD = 2

#: How much the processes stand back behind the page that shows their results.
NICE = 10

ENDED = (
    "the worker processes ended unexpectedly; in a script, start the work under "
    '`if __name__ == "__main__":`, for every process reads the script again'
)


class Cancelled(Exception):  # noqa: N818  (nothing went wrong)
    """The person who started the work does not want it any more."""


class Report(Protocol):
    """Tells how far the work is.

    Called with no argument it only asks whether to go on.

    Parameters
    ----------
    fraction : float, optional
        The share that is done, from 0 to 1.
    message : str, optional
        What is being done, in a few words.
    partial : optional
        The result as far as it is known. It must not be changed afterwards.

    Raises
    ------
    Cancelled
        Nobody wants the result any more.
    """

    def __call__(
        self, fraction: float | None = None, message: str | None = None, partial: Any = None
    ) -> None: ...


def silent(fraction: float | None = None, message: str | None = None, partial: Any = None) -> None:
    """A `Report` to nobody."""


def map_in_processes(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    report: Report = silent,
    executor: Executor | None = None,
) -> Iterator[tuple[int, Result]]:
    """Results of many independent tasks, each as soon as it is there.

    Parameters
    ----------
    function : callable
        Defined at the top of a module that can be imported (a cell of a notebook cannot), for the
        processes import it. A ``functools.partial`` of one will do.
    tasks : iterable
        What the function is called with, one at a time. Every random task needs a seed of its own,
        as of ``numpy.random.SeedSequence(seed).spawn(n)``. Tasks of 50 ms to a few seconds suit
        best: what has begun is finished even when the work was cancelled.
    report : Report, optional
        Asked while waiting whether to go on; progress and partial results are the caller's to tell.
    executor : concurrent.futures.Executor, optional
        Where the tasks run, such as ``dask.distributed.Client.get_executor()``; by default
        `shared_processes`.

    Yields
    ------
    index : int
        The task's place among the tasks.
    result
        What the function returned.

    Raises
    ------
    Cancelled
        From ``report``. Tasks that wait are dropped, as they are when the loop is left early.
    RuntimeError
        The processes ended, as they do in a script without ``if __name__ == "__main__":``.

    Notes
    -----
    An error in a task is raised here, and drops the others.

    Examples
    --------
    >>> import math
    >>> tasks, results = [1, 4, 9], {}
    >>> for k, result in map_in_processes(math.sqrt, tasks):
    ...     results[k] = result
    ...     silent(len(results) / len(tasks), f"{len(results)} of {len(tasks)}", dict(results))
    >>> [results[k] for k in range(3)]
    [1.0, 2.0, 3.0]
    """
    waiting = enumerate(tasks)
    at_work: dict[Future[Result], int] = {}
    done: SimpleQueue[Future[Result]] = SimpleQueue()
    if executor is not None:
        need = "a concurrent.futures.Executor; of a dask client take client.get_executor()"
        _checks.instance(executor, Executor, "executor", need)
    pool = shared_processes() if executor is None else executor

    def submit(count: int | None) -> None:
        for index, task in islice(waiting, count):
            future = pool.submit(function, task)
            at_work[future] = index
            future.add_done_callback(done.put)

    try:
        submit(AHEAD * cores() if executor is None else None)
        while at_work:
            report()
            try:
                future = done.get(timeout=PATIENCE)
            except Empty:
                continue
            index, result = at_work.pop(future), future.result()
            submit(1)
            yield index, result
    except BrokenProcessPool as error:
        _forget(pool)
        raise RuntimeError(ENDED) from error
    finally:
        for future in at_work:
            future.cancel()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C through to what runs inside, where SIGINT is ignored outside.

    A kernel ignores it between cells, and a program in the background of a script from its start.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def one_thread() -> AbstractContextManager[Any]:
    """Within it the caller's OpenMP loops use one thread, as in the processes of this module.

    For many small tasks threads cost more than they give, and very much more when other programs
    want the cores. It knows libraries that are loaded, so import them first.
    """
    return _openmp().limit(limits=1, user_api="openmp")


@cache
def _openmp() -> Any:
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


# -- the processes that all work of this program shares --------------------------------------------

_lock = threading.Lock()
_pool: ProcessPoolExecutor | None = None


def shared_processes() -> ProcessPoolExecutor:
    """One process a core, started at the first need, kept for all, and ended with the program."""
    global _pool
    with _lock:
        if _pool is None:
            _pool = new_processes(cores())
        return _pool


def new_processes(count: int) -> ProcessPoolExecutor:
    """Processes of one's own, to be shut down; each uses one thread.

    They are spawned, not forked: a server has threads, and a fork may inherit their locks.
    """
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, mp_context=context, initializer=_begin)


def _forget(pool: Executor) -> None:
    """The next who needs processes gets new ones."""
    global _pool
    with _lock:
        if _pool is pool:
            _pool = None


def _begin() -> None:
    """In a new process: one thread, behind the page, and no longer than the program lives."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the program's to answer
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ[f"{library}_NUM_THREADS"] = "1"  # for what is loaded from now on
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)  # for what was loaded
    if hasattr(os, "nice"):
        os.nice(NICE)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A program that was killed cannot tell its processes, and they would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
