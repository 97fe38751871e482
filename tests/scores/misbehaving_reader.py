"""A reading process that does by the name of a file what a damaged one might make a parser do."""

import os
import signal
import sys
import time

from workbench.scores.parsing import reader

read = reader._read
files = 0


def crash(answers):
    os.kill(os.getpid(), signal.SIGSEGV)


def crash_if_warm(answers):
    if files > 1:
        os._exit(7)


def hang(answers):
    time.sleep(100)


def take_memory(answers):
    return bytearray(3 * 10**9)


def say(answers, *parts):
    answers.extend(parts)


WAYS = {
    "crash.csv": crash,
    "once.csv": crash_if_warm,
    "hang.csv": hang,
    "memory.csv": take_memory,
    "exit.csv": lambda answers: sys.exit(3),
    "pickle.csv": lambda answers: say(answers, b"\x80\x04N."),
    "deep.csv": lambda answers: say(answers, b"[" * 100_000),
    "nothing.csv": lambda answers: say(answers, b"{}"),
    "table.csv": lambda answers: say(answers, b'{"kind": "table", "columns": [["p", "int64"]]}'),
}


def act(request, content):
    global files
    files += 1
    answers = []
    reader.hold_to(request["memory"], request["seconds"])
    if way := WAYS.get(request["filename"]):
        way(answers)
    return answers or read(request, content)


def serve():
    pipe = os.dup(1)  # what `requests` keeps from all other code
    one_part, many_bytes = (1).to_bytes(8, "little"), (2**33).to_bytes(8, "little")
    WAYS["long.csv"] = lambda answers: os.write(pipe, one_part + many_bytes)
    reader._read = act
    reader.serve()
