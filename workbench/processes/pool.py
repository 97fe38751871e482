"""Long work on all cores: `map_in_processes` and the processes that it uses.

Where the system starts no processes, the same work is done in the caller, a task at a time
(`workbench.processes.serial`).

`workbench.progress` has the protocol by which the work reports its progress and is cancelled.
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from workbench import _checks
from workbench.processes.limits import ONE_THREAD
from workbench.processes.serial import InTurn, none_start
from workbench.progress import Report, silent
from workbench.software.private_names import processes_of

__all__ = [
    "ProcessesEnded",
    "cores",
    "interruptible",
    "map_in_processes",
    "new_processes",
    "one_blas_thread",
    "one_thread",
    "shared_processes",
]

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


class ProcessesEnded(RuntimeError):  # noqa: N818
    """Raised where processes ended in the middle of their work.

    Parameters
    ----------
    signal : int
        That ended one of them; 0 where it is not known.
    """

    def __init__(self, signal: int = 0):
        super().__init__(ENDED)
        self.signal = signal


def map_in_processes(
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    report: Report = silent,
    executor: Executor | None = None,
    ahead: int | None = None,
) -> Iterator[tuple[int, Result]]:
    """Results of many independent tasks, each as soon as it is available.

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
    ahead : int, optional
        Tasks that are handed to ``executor`` at a time; all by default. Further tasks are then made
        while others run.

    Yields
    ------
    index : int
        The task's place among the tasks.
    result
        What the function returned.

    Raises
    ------
    workbench.progress.Cancelled
        From ``report``. Tasks that wait are dropped, as they are when the loop is left early.
    ProcessesEnded
        The processes ended, as they do in a script without ``if __name__ == "__main__":``.

    Notes
    -----
    An error in a task is raised here, and drops the others.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from workbench.parallel import map_in_processes
    >>> with ThreadPoolExecutor() as threads:
    ...     dict(sorted(map_in_processes(abs, [-5, 7], executor=threads)))
    {0: 5, 1: 7}
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
        if executor is None:
            ahead = 1 if isinstance(pool, InTurn) else AHEAD * cores()
        submit(ahead)
        while at_work:
            report()
            try:
                future = done.get(timeout=PATIENCE)
            except Empty:
                continue
            index, result = at_work.pop(future), future.result()
            submit(1)
            yield index, result
    except BrokenExecutor as error:
        _forget(pool)
        raise ProcessesEnded(_signal_that_ended(pool)) from error
    finally:
        for future in at_work:
            future.cancel()


@contextmanager
def interruptible() -> Iterator[None]:
    """Context in which Ctrl-C interrupts, also where SIGINT is ignored outside.

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
    """Number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def one_thread() -> AbstractContextManager[Any]:
    """Context in which OpenMP loops of the caller use one thread.

    For many small tasks threads cost more than they give, and very much more when other programs
    want the cores. It knows libraries that are loaded, so import them first. Without threadpoolctl
    they use as many threads as they like.
    """
    return _limited("openmp")


def one_blas_thread() -> AbstractContextManager[Any]:
    """Context in which matrix products of this program use one thread; see `one_thread`."""
    return _limited("blas")


def _limited(kind: str) -> AbstractContextManager[Any]:
    libraries = _libraries()
    return nullcontext() if libraries is None else libraries.limit(limits=1, user_api=kind)


@cache
def _libraries() -> Any:
    try:
        from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        return None
    return ThreadpoolController()


# -- the processes that all work of this program shares --------------------------------------------

_lock = threading.Lock()
_pool: Executor | None = None
_start_method = "spawn"  # not "fork": a server has threads, and a fork may inherit their locks


def shared_processes() -> Executor:
    """The shared pool: one process per core, started when first needed, ended with the program.

    Where the system starts none, it computes in the caller.
    """
    global _pool
    with _lock:
        if _pool is None:
            _pool = new_processes(cores())
        return _pool


@atexit.register
def _let_go() -> None:
    """At the end of the program: drop the pool while the modules that it uses are still there."""
    global _pool
    _pool = None


def new_processes(count: int) -> Executor:
    """A new pool of processes with one thread each, which are started; the caller shuts it down.

    Where the system starts none, it computes in the caller.
    """
    pool = None
    try:
        import multiprocessing
        from concurrent.futures.process import ProcessPoolExecutor

        context: Any = multiprocessing.get_context(_start_method)
        pool = ProcessPoolExecutor(count, mp_context=context, initializer=_begin)
        pool.submit(int)
    except (ImportError, OSError, RuntimeError) as error:
        if not none_start(error):
            raise
        for process in processes_of(pool):
            process.terminate()
        return InTurn()
    return pool


def fork_processes() -> None:
    """Have the processes of this program be forks of it, which start at once.

    Only for a program with one thread, in the thread that is going to need them.
    """
    global _start_method, _pool
    _start_method, _pool = "fork", None


def _signal_that_ended(pool: Executor) -> int:
    """The signal that ended a process of a broken pool, which ends the others by SIGTERM."""
    processes = processes_of(pool)
    for process in processes:
        process.join(1.0)
    codes = [process.exitcode or 0 for process in processes]
    return max((-code for code in codes if code < 0 and -code != signal.SIGTERM), default=0)


def _forget(pool: Executor) -> None:
    """The next who needs processes gets new ones."""
    global _pool
    with _lock:
        if _pool is pool:
            _pool = None


def _begin() -> None:
    """In a new process: one thread, behind the page, and no longer than the program lives."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the program's to answer
    os.environ.update(ONE_THREAD)  # for what is loaded from now on
    with suppress(ModuleNotFoundError):
        from threadpoolctl import threadpool_limits

        threadpool_limits(1)  # for what was loaded
    if hasattr(os, "setpriority"):
        now = os.getpriority(os.PRIO_PROCESS, 0)
        os.setpriority(os.PRIO_PROCESS, 0, max(NICE, now))
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A program that was killed cannot tell its processes, and they would wait for ever."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
