"""Training of 10,000 models by one command, its CPU seconds and memory; Opacus and JAX on the same.

A model has the layers 64-200-10 and is trained for 100 steps on 1000 digits, 64 in a batch on
average, by Adam on private gradients. ``workbench train`` is measured as a whole, with all that it
loads, starts and writes. Opacus and JAX train fewer models, on one thread each, and what they load
and compile is left out. JAX is installed apart, in ``build/jax``.

``python -m benchmarks training_speed`` takes some seven minutes of CPU time. On two cores that many
programs shared, 26.9 models per CPU second and 267 MB were measured, 2.9 by Opacus and 7.9 by JAX.
On quiet cores the engine alone trained 31, Opacus 5.0 and JAX 9.8.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import venv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from workbench.training.dp_sgd.data import labeled_data
from workbench.training.dp_sgd.dp_sgd import DPSGDSettings
from workbench.training.dp_sgd.network import Network

Row = tuple[str, str, str]

ROOT = Path(__file__).parents[1]
JAX = ROOT / "build" / "jax"
JAX_VERSION = "0.10.2"

MODELS = 10_000
#: Models of each of the others, about 8 s of CPU time.
OPACUS_MODELS, JAX_MODELS = 40, 80

RECORDS = 1000
SETTINGS = DPSGDSettings(Network((64, 200, 10)), 100, 0.064, 1.0, 64.0, learning_rate=0.005)
DIGITS = labeled_data("digits")
TRAIN, TEST = DIGITS.take(slice(RECORDS)), DIGITS.take(slice(RECORDS, None))

PLAN = f"""
[data]
name = "digits"
rows = {RECORDS}

[network]
sizes = {list(SETTINGS.network.sizes)}

[training]
steps = {SETTINGS.steps}
sample_rate = {SETTINGS.sample_rate}
expected_batch = {SETTINGS.expected_batch}
noise_multiplier = {SETTINGS.noise_multiplier}
learning_rate = {SETTINGS.learning_rate}

[audit]
kind = "black-box"
record = {{ kind = "mislabeled", row = 7 }}

[run]
models = """

#: One thread for each library that the others use.
ONE_THREAD = {
    **{f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")},
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}


@dataclass(frozen=True)
class Cost:
    """What a command took: seconds, CPU seconds, and bytes of memory of all of its processes."""

    seconds: float
    cpu: float
    memory: int


def main() -> list[Row]:
    """Rows: what, measured, target."""
    rows = one_command(MODELS)
    accuracies = {"workbench": own_accuracies(40)}
    for name, models, run, expected in (
        ("Opacus", OPACUS_MODELS, by_opacus, "0.8-1.3 expected"),
        ("JAX", JAX_MODELS, by_jax, "8-12 expected"),
    ):
        what = f"{name}: models per CPU second, of {models}"
        try:
            found = run(models)
        except subprocess.CalledProcessError as error:
            rows.append(
                (what, f"not measured: {(error.stderr.splitlines() or [str(error)])[-1]}", expected)
            )
            continue
        rows.append((what, f"{models / found['cpu']:.2f}", expected))
        accuracies[name] = np.array(found["accuracies"])
    for name, found in accuracies.items():
        error = found.std(ddof=1) / np.sqrt(found.size)
        rows.append((f"{name}: accuracy", f"{found.mean():.3f} ± {error:.3f}", "equal"))
    return rows


def one_command(models: int) -> list[Row]:
    """The cost of ``workbench train`` for so many models."""
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder, "plan.toml")
        plan.write_text(f"{PLAN}{models}\n")
        command = [sys.executable, "-m", "workbench", "train", str(plan), "--out", f"{folder}/run"]
        cost = cost_of(command)
    what = f"workbench train, {models:,} models"
    return [
        (f"{what}: models per CPU second", f"{models / cost.cpu:.1f}", "at least 15"),
        (f"{what}: CPU seconds", f"{cost.cpu:.0f}", ""),
        (f"{what}: seconds", f"{cost.seconds:.0f}", ""),
        (f"{what}: peak memory", f"{cost.memory / 1e6:.0f} MB", "below 1000 MB"),
    ]


def cost_of(command: list[str]) -> Cost:
    """What a command and the processes that it starts and waits for take."""
    before, began = _children_cpu(), time.perf_counter()
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    memory = [0]
    watcher = threading.Thread(target=_watch, args=(running.pid, memory), daemon=True)
    watcher.start()
    status = running.wait()
    if status not in (0, 1):  # 1 is a claim that is refuted
        raise RuntimeError(f"{' '.join(command)} ended with status {status}")
    return Cost(time.perf_counter() - began, _children_cpu() - before, memory[0])


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _watch(pid: int, memory: list[int]) -> None:
    """Keep the largest sum of the memory of a process and its children, shared parts once."""
    while True:
        try:
            top = psutil.Process(pid)
            found = sum(
                process.memory_full_info().pss for process in (top, *top.children(recursive=True))
            )
        except psutil.Error:  # one of them just ended
            if not psutil.pid_exists(pid):
                return
            continue
        memory[0] = max(memory[0], found)
        time.sleep(0.5)


def own_accuracies(models: int) -> np.ndarray:
    trained = [SETTINGS.train(TRAIN, np.random.default_rng(seed)).final for seed in range(models)]
    return np.array([SETTINGS.network.accuracy(theta, TEST) for theta in trained])


def by_opacus(models: int) -> dict:
    return _answer([sys.executable, "-m", "benchmarks._by_opacus", str(models)])


def by_jax(models: int) -> dict:
    python = JAX / "bin" / "python"
    if not python.exists():
        venv.create(JAX, with_pip=True)
        try:
            _run([str(python), "-m", "pip", "install", "--quiet", f"jax[cpu]=={JAX_VERSION}"])
        except subprocess.CalledProcessError:
            shutil.rmtree(JAX)  # so that the next run tries again
            raise
    task = {
        name: getattr(SETTINGS, name)
        for name in (
            *("steps", "sample_rate", "noise_multiplier"),
            *("clip", "expected_batch", "learning_rate"),
        )
    }
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/task.npz"
        records = {"x": TRAIN.x, "y": TRAIN.y, "x_test": TEST.x, "y_test": TEST.y}
        np.savez(path, sizes=SETTINGS.network.sizes, **records, **task)
        script = ROOT / "benchmarks" / "_by_jax.py"
        return _answer([str(python), str(script), path, str(models)])


def _answer(command: list[str]) -> dict:
    return json.loads(_run(command).splitlines()[-1])


def _run(command: list[str]) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=ROOT, env=os.environ | ONE_THREAD
    )
    return done.stdout
