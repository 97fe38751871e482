"""A mechanism that runs wild is ended at its limits and harms nothing else."""

from __future__ import annotations

import ctypes
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from helpers.programs import alive

from workbench.pages.core.session import PageSession
from workbench.pages.registry import PAGES
from workbench.processes import child
from workbench.processes.child import TimeLimit, plain_environment
from workbench.processes.family import family
from workbench.processes.guard import MOST_PRINTED
from workbench.processes.limits import ProcessLimits, on_linux
from workbench.testers.running.portable import PortableMechanism
from workbench.testers.running.sandbox import MechanismError, Sandbox

pytestmark = pytest.mark.skipif(not on_linux(), reason="the limits are those of Linux")

PATIENCE = 60
MB = 2**20

#: Tight enough to be reached in a moment.
TIGHT = ProcessLimits(memory=300 * MB, tasks=40, disk=8 * MB, files=50, open_files=40)


def ran(mechanism, seconds=PATIENCE, limits=TIGHT):
    """Outputs of one call in a sandbox."""
    box = Sandbox(PortableMechanism(mechanism), limits)
    try:
        return box.run(np.zeros(1), 1, np.random.default_rng(0), TimeLimit(seconds))
    finally:
        box.close()


def outputs_of(mechanism):
    """What a mechanism finds out, as text."""
    return str(ran(lambda d, size, rng: np.array([str(mechanism())]))[0])


def gone(pids):
    deadline = time.monotonic() + PATIENCE
    while any(map(alive, pids)):
        assert time.monotonic() < deadline
        time.sleep(0.02)


# -- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("session", [False, True], ids=["forks", "daemons"])
def test_a_fork_bomb_is_ended_with_all_that_it_started(tmp_path, session):
    notes = tmp_path / "pids"

    def bomb(dataset, size, rng):
        for _ in range(300):  # bounded, should the limit fail
            if os.fork() == 0:
                if session:
                    os.setsid()
                with open(notes, "a") as file:
                    file.write(f"{os.getpid()}\n")
                time.sleep(PATIENCE)
                os._exit(0)
            time.sleep(0.005)
        time.sleep(PATIENCE)

    with pytest.raises(MechanismError, match="more than 40 processes and threads at once"):
        ran(bomb)
    gone([int(pid) for pid in notes.read_text().split()])


def test_threads_by_thousands_are_ended():
    def threads(dataset, size, rng):
        for _ in range(2000):
            threading.Thread(target=time.sleep, args=(PATIENCE,), daemon=True).start()
        time.sleep(PATIENCE)

    limits = ProcessLimits(memory=10**10, tasks=40)
    with pytest.raises(MechanismError, match=r"more than 40 processes|can't start new thread"):
        ran(threads, limits=limits)


def test_what_one_process_cannot_have_of_memory_is_refused():
    with pytest.raises(MechanismError, match="MemoryError"):
        ran(lambda dataset, size, rng: b"x" * (400 * MB))


def test_memory_is_that_of_all_processes_together():
    def eat(dataset, size, rng):
        for _ in range(4):
            if os.fork() == 0:
                eaten = os.urandom(MB) * 120
                time.sleep(PATIENCE)
                os._exit(len(eaten) % 2)
        time.sleep(PATIENCE)

    with pytest.raises(MechanismError, match=r"needed more than 0\.293 GB of memory"):
        ran(eat)


def test_an_endless_loop_ends_at_the_time_limit():
    def loop(dataset, size, rng):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            pass

    with pytest.raises(MechanismError, match="longer than its time limit"):
        ran(loop, seconds=1.0)


def test_the_processes_that_it_starts_compute_for_it():
    def loop_elsewhere(dataset, size, rng):
        subprocess.run([sys.executable, "-c", "while True: pass"], check=False)

    with pytest.raises(MechanismError, match="longer than its time limit"):
        ran(loop_elsewhere, seconds=1.0)


def test_one_that_sleeps_ends_at_the_limit_of_the_clock(monkeypatch):
    monkeypatch.setattr(child, "PATIENCE", 4)
    with pytest.raises(MechanismError, match=r"time limit by the clock: \S+ s passed, of which it"):
        ran(lambda dataset, size, rng: time.sleep(PATIENCE), seconds=0.5)


def test_the_guard_knows_the_limit_of_the_clock():
    limits = ProcessLimits(seconds=1.0)
    with pytest.raises(MechanismError, match="longer than 1 s by the clock, and was ended"):
        ran(lambda dataset, size, rng: time.sleep(PATIENCE), limits=limits)


def test_time_in_which_it_does_not_compute_is_not_counted():
    def starved(dataset, size, rng):
        subprocess.Popen(["sh", "-c", f"sleep 1; kill -CONT {os.getpid()}"])
        os.kill(os.getpid(), signal.SIGSTOP)
        return np.zeros(size)

    assert ran(starved, seconds=0.5).tolist() == [0]


def test_calls_share_their_time():
    def compute(dataset, size, rng):
        end = time.process_time() + 0.4
        while time.process_time() < end:
            pass
        return np.zeros(size)

    box, limit = Sandbox(PortableMechanism(compute), TIGHT), TimeLimit(1.0)
    try:
        for _ in range(2):
            box.run(np.zeros(1), 1, np.random.default_rng(0), limit)
        with pytest.raises(MechanismError, match="longer than its time limit"):
            box.run(np.zeros(1), 1, np.random.default_rng(0), limit)
    finally:
        box.close()
    assert limit.seconds <= 0.0


def test_a_large_file_cannot_be_written():
    def write(dataset, size, rng):
        with open("large", "wb") as file:
            for _ in range(10_000):
                file.write(bytes(MB))
                file.flush()

    with pytest.raises(MechanismError, match="File too large"):
        ran(write)


@pytest.mark.parametrize(("files", "size"), [(30, MB), (10_000, 1)], ids=["bytes", "files"])
def test_many_files_are_ended_and_removed(tmp_path, files, size):
    notes = tmp_path / "folder"

    def write(dataset, size_, rng):
        notes.write_text(os.getcwd())
        for k in range(files):
            Path(f"file-{k}").write_bytes(bytes(size))
            time.sleep(0.001)
        time.sleep(PATIENCE)

    with pytest.raises(MechanismError, match=r"wrote more than 0\.00781 GB or 50 files"):
        ran(write)
    assert not Path(notes.read_text()).exists()


@pytest.mark.parametrize("times", [3, 300])
def test_the_first_of_what_it_prints_is_passed_on(capfd, times):
    def printing(dataset, size, rng):
        for file in (1, 2):
            for _ in range(times):
                os.write(file, b"spam" * 10**3)
        return np.ones(size)

    assert ran(printing).tolist() == [1]
    printed = capfd.readouterr().err
    assert printed.count("spam") == min(2 * times * 10**3, MOST_PRINTED // 4)
    assert ("the rest of what it prints is left out" in printed) == (times > 3)


def test_few_files_can_be_open():
    with pytest.raises(MechanismError, match="Too many open files"):
        ran(lambda dataset, size, rng: [os.open(os.devnull, os.O_RDONLY) for _ in range(1000)])


# -- what it finds ---------------------------------------------------------------------------------


def test_the_environment_has_no_secrets(monkeypatch):
    secrets = {
        "WORKBENCH_DATABASE": "postgresql://me:hunter2@db/audits",
        "WORKBENCH_METRICS_TOKEN": "hunter2",
        "AWS_SECRET_ACCESS_KEY": "hunter2",
        "DATABASE_URL": "hunter2",
        "GITHUB_TOKEN": "hunter2",
        "PGPASSWORD": "hunter2",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    assert "PATH" in plain_environment()
    found = outputs_of(lambda: " ".join(f"{k}={v}" for k, v in os.environ.items()))
    assert "PATH=" in found
    assert "hunter2" not in found
    assert "WORKBENCH" not in found
    # Nor is it what the process was started with.
    started = outputs_of(lambda: Path("/proc/self/environ").read_text(errors="replace"))
    assert "hunter2" not in started


def test_nothing_that_the_program_has_open_is_open_there(tmp_path):
    with open(tmp_path / "secret", "w") as file:
        os.set_inheritable(file.fileno(), True)
        open_there = outputs_of(lambda: " ".join(links()))
    assert "secret" not in open_there


def links():
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            continue
    return found


def test_it_works_in_a_folder_of_its_own_that_is_removed():
    folder = outputs_of(os.getcwd)
    assert folder != os.getcwd()
    assert Path(folder).name.startswith("workbench-")
    assert not Path(folder).exists()


def test_it_gains_no_rights_and_leaves_no_core_file():
    no_new_privileges = 39  # PR_GET_NO_NEW_PRIVS
    assert outputs_of(lambda: ctypes.CDLL(None).prctl(no_new_privileges, 0, 0, 0, 0)) == "1"
    assert outputs_of(lambda: resource.getrlimit(resource.RLIMIT_CORE)) == "(0, 0)"


# -- what it answers -------------------------------------------------------------------------------


def test_chatter_on_standard_input_and_output_does_no_harm():
    def chatter(dataset, size, rng):
        for _ in range(1000):
            os.write(1, b"\xff" * 100)
            print("chatter")  # noqa: T201
        return np.array([len(os.read(0, 100))])

    assert ran(chatter)[0] == 0


class Hostile:
    """Unpickles as a call."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_what_it_writes_to_the_pipe_is_never_unpickled(tmp_path):
    data = pickle.dumps(Hostile(tmp_path / "made"))

    def forge(dataset, size, rng):
        number = len(data).to_bytes(8, "little")
        message = (1).to_bytes(8, "little") + number + data
        for descriptor in range(3, 30):
            try:
                os.write(descriptor, message)
            except OSError:
                continue
        time.sleep(PATIENCE)

    with pytest.raises(MechanismError, match="answered with something else"):
        ran(forge)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("kind", [np.float64, np.int32, "U5", bool])
def test_outputs_are_what_the_mechanism_returned(kind):
    outputs = np.arange(12).reshape(3, 4).astype(kind)
    box = Sandbox(PortableMechanism(lambda d, size, rng: np.asfortranarray(outputs)), TIGHT)
    found = box.run(np.zeros(1), 3, np.random.default_rng(0), TimeLimit(PATIENCE))
    box.close()
    np.testing.assert_array_equal(found, outputs)
    assert found.dtype == outputs.dtype
    assert found.flags.f_contiguous


# -- how it ends -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wild", "said"),
    [
        (lambda: os._exit(7), "exit status 7"),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), "signal 11"),
        (lambda: os.kill(os.getppid(), signal.SIGKILL) or time.sleep(PATIENCE), "signal 9"),
        (lambda: os.killpg(0, signal.SIGKILL), "signal 9"),
    ],
    ids=["exit", "crash", "kills its parent", "kills its group"],
)
def test_it_ends_only_itself(wild, said):
    with pytest.raises(MechanismError, match=f"it ended its process.*{said}"):
        ran(lambda dataset, size, rng: wild())


def test_a_mechanism_of_a_program_that_was_killed_ends_with_its_folder():
    script = (
        "import os, time, threading, numpy as np\n"
        "from workbench.processes.child import TimeLimit\n"
        "from workbench.testers.running.sandbox import PortableMechanism, Sandbox\n"
        "def loop(d, size, rng):\n"
        "    os.write(2, f'{os.getpid()} {os.getcwd()}\\n'.encode())\n"
        "    while True: pass\n"
        "box = Sandbox(PortableMechanism(loop))\n"
        "box.run([0.0], 1, np.random.default_rng(0), TimeLimit(99))\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE) as program:
        pid, folder = program.stderr.readline().decode().split()
        assert Path(folder).is_dir()
        members = family(int(pid)) | {int(pid)}
        program.kill()
        program.wait()
        gone(members)
    deadline = time.monotonic() + PATIENCE
    while Path(folder).exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# -- code comes from the operator only -------------------------------------------------------------


@pytest.mark.parametrize("text", ["os:system", "evil.py:f", "own", "__import__('os')", "laplace2"])
def test_no_page_lets_a_visitor_name_code(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "made"
    (tmp_path / "evil.py").write_text(f"import os; os.mkdir({str(made)!r})\ndef f(d, n, r): ...\n")
    page = PAGES["mechanism"].kind()
    session = PageSession(page, page.items(), lambda: None, lambda turn, blocks: turn())
    before = page.choice.chosen()
    names = [name for name in page.param if isinstance(getattr(page, name), str)]
    assert "mechanism" in names
    for serial, name in enumerate([*names, "_own", "given", "executor", "chosen"]):
        session.receive({"kind": "set", "name": name, "value": text, "serial": serial})
    page.restore({"mechanism": text, "_own": text, "given": text, "executor": text})
    assert page.choice.chosen() is before
    assert page.given is None
    assert page.executor == "processes"
    assert not made.exists()
    session.end()
