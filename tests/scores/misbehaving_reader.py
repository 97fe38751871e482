"""A reading process that does by the name of a file what a damaged one might make a parser do."""

import os
import signal
import subprocess
import sys
import time

from workbench.processes import limits, serving
from workbench.scores.parsing import reader, reading_process

read = reader._read
files = 0


def crash(answers):
    os.kill(os.getpid(), signal.SIGSEGV)


def crash_if_warm(answers):
    if files > 1:
        os._exit(7)


def hang(answers):
    time.sleep(100)


def burn(answers):
    while True:
        pass


def be_late(answers):
    time.sleep(1.5)


def be_starved(answers):
    subprocess.Popen(["sh", "-c", f"sleep 1.5; kill -CONT {os.getpid()}"])
    os.kill(os.getpid(), signal.SIGSTOP)


def take_memory(answers):
    return bytearray(3 * 10**9)


def say(answers, *parts):
    answers.extend(parts)


WAYS = {
    "crash.csv": crash,
    "once.csv": crash_if_warm,
    "hang.csv": hang,
    "burn.csv": burn,
    "late.csv": be_late,
    "starved.csv": be_starved,
    "memory.csv": take_memory,
    "exit.csv": lambda answers: sys.exit(3),
    "pickle.csv": lambda answers: say(answers, b"\x80\x04N."),
    "deep.csv": lambda answers: say(answers, b"[" * 100_000),
    "nothing.csv": lambda answers: say(answers, b"{}"),
    "table.csv": lambda answers: say(
        answers, b'{"kind": "table", "columns": {"p": {"__array__": [0, "<i8", [2], "C"]}}}'
    ),
}


def act(request):
    global files
    files += 1
    answers = []
    limits.hold_to(memory=request["memory"], processor=request["seconds"] + 1)
    if way := WAYS.get(request["filename"]):
        way(answers)
    return answers or read(request)


def serve_apart():
    reading_process.answer_about(act_apart)


def act_apart(request, report):
    WAYS[request["way"]]([])
    return {"kind": "done"}


def serve():
    pipe = os.dup(1)  # what `requests` keeps from all other code
    one_part, many_bytes = (1).to_bytes(8, "little"), (2**33).to_bytes(8, "little")
    WAYS["long.csv"] = lambda answers: os.write(pipe, one_part + many_bytes)
    reader._read = act
    packed = serving.packed
    serving.packed = lambda answer: answer if isinstance(answer, list) else packed(answer)
    reader.serve()
