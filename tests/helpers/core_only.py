"""Programs that run in a new interpreter without the packages of extras, or without processes.

`run` is the only thing that tests call. The interpreter is that of the tests: what it does not have
is hidden before the program begins, so that an import that leaks into the core is an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import workbench as wb

#: What `pip install dp-audit-workbench` installs, and what that needs.
CORE = ("numpy", "scipy", "pandas", "dateutil", "six", "pytz", "tzdata", "workbench")

_HIDE = """
import sys
from importlib.machinery import PathFinder

class Core:
    @staticmethod
    def find_spec(name, path=None, target=None):
        hidden = path is None and not (
            name in {core!r} or name in sys.stdlib_module_names or name.startswith("_")
        )
        return None if hidden else PathFinder.find_spec(name, path, target)

    invalidate_caches = PathFinder.invalidate_caches
    find_distributions = PathFinder.find_distributions

sys.meta_path[:] = [Core if one is PathFinder else one for one in sys.meta_path]
"""

# As in Pyodide: the modules are there, and starting anything is an error.
_FORBID = """
import errno, os, subprocess, sys, threading

def no_thread(*args, **options):
    raise RuntimeError("can't start new thread")

def no_process(*args, **options):
    raise OSError(errno.ENOTSUP, "this platform does not support processes")

threading.Thread.start = no_thread
subprocess.Popen.__init__ = no_process
os.fork = os.posix_spawn = no_process
for name in {modules!r}:
    sys.modules[name] = None
if "multiprocessing.process" not in {modules!r}:
    import multiprocessing.process
    multiprocessing.process.BaseProcess.start = no_process
"""

#: Modules that Pyodide lacks.
LACKING = ("_multiprocessing", "_posixsubprocess", "_posixshmem", "resource")


def run(
    program: str, *, extras: tuple[str, ...] = (), serial: bool = False, lacking=LACKING
) -> subprocess.CompletedProcess[str]:
    """A program that has ended, in a folder of its own.

    Parameters
    ----------
    program : str
    extras : tuple of str
        Packages that it has besides those of the core.
    serial : bool
        It can start no thread and no process.
    lacking : tuple of str
        Modules of Python that it lacks then.
    """
    text = _HIDE.format(core={*CORE, *extras})
    if serial:
        text += _FORBID.format(modules=lacking)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.py")
        # Processes of a pool read the file again, and hide the same.
        text += f"\nif __name__ == '__main__':\n    exec(compile({program!r}, 'program', 'exec'))\n"
        file.write_text(text, encoding="utf-8")
        return subprocess.run(
            [sys.executable, str(file)],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": str(Path(wb.__file__).parents[1]),
                "WORKBENCH_HOME": str(Path(folder, "home")),
                "OMP_NUM_THREADS": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
