"""Doubles of MLflow and Weights & Biases: what `wb.trackers` calls, in memory, online or not.

Written after mlflow 3.17 and wandb 0.31; the same tests run with these where they are installed.
"""

import io
from collections import defaultdict
from contextlib import contextmanager
from types import SimpleNamespace


class OfflineError(ConnectionError):
    """The network is away."""


class FakeMLflow:
    """The module ``mlflow``; ``fail(call)`` decides which calls raise, ``lost(call)`` which of
    them reach the server all the same."""

    def __init__(self, run="run-1", uri="http://tracker"):
        self.metrics, self.tags, self.texts = defaultdict(list), {}, {}
        self.fail = self.lost = lambda call: False
        self.calls = []
        self.active = None if run is None else SimpleNamespace(info=SimpleNamespace(run_id=run))
        self.uri = uri
        self.tracking = SimpleNamespace(MlflowClient=lambda: self)
        self.entities = SimpleNamespace(
            Metric=lambda key, value, timestamp, step: SimpleNamespace(
                key=key, value=value, timestamp=timestamp, step=step
            ),
            RunTag=lambda key, value: SimpleNamespace(key=key, value=value),
        )

    def active_run(self):
        return self.active

    def get_tracking_uri(self):
        return self.uri

    @contextmanager
    def answer(self, call):
        self.calls.append(call)
        if self.fail(call):
            raise OfflineError(call)
        yield
        if self.lost(call):
            raise OfflineError(f"{call}: no answer")

    def log_batch(self, run_id, metrics=(), params=(), tags=()):
        assert len(tags) <= 100
        with self.answer("metrics" if metrics else "tags"):
            for one in metrics:
                self.metrics[run_id, one.key].append(one)
            for one in tags:
                self.tags[run_id, one.key] = one.value

    def log_text(self, run_id, text, artifact_file):
        with self.answer("text"):
            self.texts[run_id, artifact_file] = text

    def get_metric_history(self, run_id, key):
        with self.answer("history"):
            return list(self.metrics[run_id, key])


class FakeWandb:
    """The module ``wandb``; drops what comes for an earlier step, as W&B does."""

    def __init__(self, run="run-1"):
        self.run = None if run is None else FakeWandbRun(run)

    class Artifact:
        def __init__(self, name, type):
            self.name, self.type, self.files = name, type, {}

        @contextmanager
        def new_file(self, name, mode):
            file = io.StringIO()
            yield file
            self.files[name] = file.getvalue()


class FakeWandbRun:
    def __init__(self, key):
        self.id, self.entity, self.project = key, "me", "p"
        self.history, self.summary, self.artifacts, self.steps = [], {}, {}, {}
        self.fail = self.lost = lambda call: False

    def define_metric(self, name, step_metric):
        self.steps[name] = step_metric

    def log(self, values, step=None):
        assert step is None
        if self.fail("log"):
            raise OfflineError("log")
        self.history.append(values)
        self.summary.update(values)
        if self.lost("log"):
            raise OfflineError("no answer")

    def log_artifact(self, artifact):
        if self.fail("artifact"):
            raise OfflineError("artifact")
        self.artifacts[artifact.name] = artifact
