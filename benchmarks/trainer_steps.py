"""What a live audit costs a step of a training: CPU time of its callback at steps without a look.

The smallest models that the trainers train, so that a step is as short as it gets: a transformer of
one layer by Hugging Face's Trainer, a network of two layers by Lightning, and the same in a plain
loop of PyTorch. The time in the callback and that of all steps are of one training, so that other
programs on the machine slow down both. Looks are planned, and none falls into these steps; what one
costs is that of the scores, which the last rows say. Lightning and transformers are measured where
they are installed.
"""

from __future__ import annotations

import logging
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import workbench as wb

HEADING = ("what", "measured", "target")
#: Steps that are measured, and of the plan, whose looks come later.
STEPS, PLANNED = 300, 10**7
CANARIES = 1000


class Clock:
    """CPU seconds in some calls, and since it began."""

    def __init__(self) -> None:
        self.inside, self.calls, self.began = 0.0, 0, time.process_time()

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            start = time.process_time()
            try:
                return function(*args, **more)
            finally:
                self.inside += time.process_time() - start
                self.calls += 1

        return call

    def rows(self, what: str) -> list[tuple[str, str, str]]:
        whole = time.process_time() - self.began - self.inside
        share = self.inside / whole
        step, own = 1e3 * whole / self.calls, 1e6 * self.inside / self.calls
        return [
            (f"{what}: CPU of a step", f"{step:.2f} ms", ""),
            (f"{what}: CPU of the callback", f"{own:.0f} µs a step, {share:.2%}", "at most 1%"),
        ]


def records(rows: int) -> tuple[Any, Any]:
    import torch

    numbers = torch.Generator().manual_seed(0)
    x = torch.randn(rows, 16, generator=numbers)
    return x, torch.randint(0, 2, (rows,), generator=numbers)


def network() -> Any:
    import torch

    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))


def made_audit() -> wb.live.CanaryAudit:
    canaries = wb.live.RecordCanaries(CANARIES, larger_is_member=False, seed=1)
    return wb.live.CanaryAudit(canaries, steps=PLANNED)


def plain_loop() -> list[tuple[str, str, str]]:
    import torch

    model, (x, y) = network(), records(32)
    optimizer = torch.optim.Adam(model.parameters())
    scores = wb.live.record_losses(*records(CANARIES))
    watch = wb.live.watch_training(made_audit(), scores)
    watch.begin(model)

    def step() -> None:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    for _ in range(20):
        step()
    clock = Clock()
    seen = clock.timed(watch.step)
    for _ in range(STEPS):
        step()
        seen(model)
    return clock.rows("plain loop") + look(model, scores, clock)


def look(model: Any, scores: Any, of: Clock) -> list[tuple[str, str, str]]:
    """A look: what it costs, and how many there are in a training."""
    canaries = wb.live.RecordCanaries(CANARIES, larger_is_member=False, seed=1)
    audit = wb.live.CanaryAudit(canaries, steps=1)
    watch = wb.live.watch_training(audit, scores)
    watch.begin(model)
    clock = Clock()
    clock.timed(watch.step)(model)
    planned = len(wb.live.CanaryAudit(canaries, steps=10_000).looks.planned)
    return [
        (
            f"a look at {CANARIES} canaries, with its bounds",
            f"{1e3 * clock.inside:.0f} ms; {planned} in 10,000 steps",
            "",
        )
    ]


def by_lightning() -> list[tuple[str, str, str]]:
    try:
        import lightning.pytorch as pl
    except ImportError:
        import pytorch_lightning as pl
    import torch

    class Module(pl.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layers = network()

        def forward(self, x: Any) -> Any:
            return self.layers(x)

        def training_step(self, batch: Any, batch_idx: int) -> Any:
            x, y = batch
            return torch.nn.functional.cross_entropy(self(x), y)

        def configure_optimizers(self) -> Any:
            return torch.optim.Adam(self.parameters())

    callback = wb.live.lightning_callback(made_audit(), wb.live.record_losses(*records(CANARIES)))
    clock = Clock()
    begin = callback.on_train_start

    def on_train_start(trainer: Any, module: Any) -> None:
        begin(trainer, module)
        clock.began = time.process_time()

    callback.on_train_start = on_train_start
    callback.on_train_batch_end = clock.timed(callback.on_train_batch_end)
    data = torch.utils.data.TensorDataset(*records(32 * STEPS))
    with tempfile.TemporaryDirectory() as folder:
        trainer = pl.Trainer(
            max_epochs=1, default_root_dir=folder, callbacks=[callback], logger=False,
            enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
            accelerator="cpu",
        )  # fmt: skip
        trainer.fit(Module(), torch.utils.data.DataLoader(data, batch_size=32))
    return clock.rows("Lightning")


def by_hugging_face() -> list[tuple[str, str, str]]:
    import torch
    import transformers

    texts = torch.randint(0, 50, (CANARIES, 12), generator=torch.Generator().manual_seed(0))
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=50, n_positions=16, n_embd=16, n_layer=1, n_head=1,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip

    def loss(model: Any, x: Any, y: Any) -> Any:
        logits = model(x).logits[:, :-1].transpose(1, 2)
        return torch.nn.functional.cross_entropy(logits, y[:, 1:], reduction="none").sum(1)

    scores = wb.live.record_losses(texts, texts, loss)
    callback = wb.live.hugging_face_callback(made_audit(), scores)
    clock = Clock()
    begin = callback.on_train_begin

    def on_train_begin(*args: Any, **more: Any) -> None:
        begin(*args, **more)
        clock.began = time.process_time()

    callback.on_train_begin = on_train_begin
    callback.on_step_end = clock.timed(callback.on_step_end)
    with tempfile.TemporaryDirectory() as folder:
        trainer = transformers.Trainer(
            transformers.GPT2LMHeadModel(config),
            transformers.TrainingArguments(
                folder, max_steps=STEPS, per_device_train_batch_size=8, report_to=[], use_cpu=True,
                disable_tqdm=True, logging_strategy="no", save_strategy="no",
            ),
            train_dataset=[{"input_ids": text, "labels": text} for text in texts],
            callbacks=[callback],
        )  # fmt: skip
        trainer.train()
    return clock.rows("Hugging Face")


def main() -> list[tuple[str, str, str]]:
    """Rows: what, measured, target."""
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    found = []
    for what, measure in (
        ("plain loop", plain_loop),
        ("Lightning", by_lightning),
        ("Hugging Face", by_hugging_face),
    ):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found += measure()
        except ModuleNotFoundError as error:
            found.append((what, f"not measured: {error.name} is not installed", ""))
    return found
