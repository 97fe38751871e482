"""Text that every Python has: the docstrings of its standard library, in pieces."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from pathlib import Path

import numpy as np

#: Modules whose docstrings are taken.
MODULES = (
    *("argparse", "ast", "calendar", "cmd", "codecs", "collections/__init__", "configparser"),
    *("contextlib", "copy", "csv", "datetime", "decimal", "difflib", "dis", "doctest", "enum"),
    *("ftplib", "functools", "gettext", "glob", "heapq", "imaplib", "inspect", "locale", "mailbox"),
    *("ntpath", "optparse", "os", "pathlib", "pdb", "pickle", "platform", "poplib", "posixpath"),
    *("random", "sched", "shelve", "shutil", "smtplib", "socket", "socketserver", "ssl"),
    *("statistics", "string", "subprocess", "tarfile", "tempfile", "textwrap", "threading"),
    *("trace", "traceback", "turtle", "typing", "uuid", "warnings", "weakref", "zipfile/__init__"),
)


def docstrings() -> str:
    """The docstrings of some modules of the standard library, one after the other."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    found = []
    for name in MODULES:
        path = folder / f"{name}.py"
        if not path.exists():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_text(encoding="utf-8"))
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
        texts = [ast.get_docstring(one) for one in ast.walk(tree) if isinstance(one, kinds)]
        found += [one for one in texts if one]
    return "\n".join(found)


def pieces(count: int, length: int, seed: int) -> list[str]:
    """Different pieces of the docstrings, in random order."""
    text = docstrings()
    starts = np.arange(0, len(text) - length, length)
    if starts.size < count:
        raise ValueError(
            f"the docstrings have {starts.size} pieces of {length}, fewer than {count}"
        )
    chosen = np.random.default_rng(seed).permutation(starts)[:count]
    return [text[i : i + length] for i in chosen.tolist()]
