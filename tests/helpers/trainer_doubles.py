"""Doubles of the trainers: the calls that Hugging Face's and Lightning's make, in their order.

Written after transformers 5.24 and pytorch-lightning 2.6, in whose trainers the same tests run
where they are installed.
"""

import sys
from types import ModuleType, SimpleNamespace


class TrainerCallback:
    """The base class of transformers."""

    def on_train_begin(self, args, state, control, **of):
        pass

    def on_step_end(self, args, state, control, **of):
        pass

    def on_epoch_end(self, args, state, control, **of):
        pass

    def on_train_end(self, args, state, control, **of):
        pass


class Callback:
    """The base class of Lightning."""

    def on_train_start(self, trainer, pl_module):
        pass

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        pass

    def on_train_epoch_end(self, trainer, pl_module):
        pass

    def on_train_end(self, trainer, pl_module):
        pass


def install(monkeypatch):
    """The doubles in place of what may be installed."""
    for name, values in {
        "transformers": {"TrainerCallback": TrainerCallback},
        "pytorch_lightning": {"Callback": Callback},
    }.items():
        module = ModuleType(name)
        vars(module).update(values)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "lightning.pytorch", raising=False)


class HuggingFaceTrainer:
    """Calls callbacks as ``Trainer.train`` does."""

    def __init__(self, callback, model, epochs=3, per_epoch=4, zero=True, **args):
        self.callback, self.model = callback, model
        self.epochs, self.per_epoch, self.zero = epochs, per_epoch, zero
        self.args = SimpleNamespace(**{"fsdp": [], "deepspeed": None} | args)

    def train(self, start=0, until=None, step=lambda model: None):
        total = self.epochs * self.per_epoch
        state = SimpleNamespace(
            global_step=start, epoch=start / self.per_epoch, max_steps=total,
            num_train_epochs=self.epochs, is_world_process_zero=self.zero,
        )  # fmt: skip
        of = {"model": self.model, "optimizer": None}
        call = self.callback
        call.on_train_begin(self.args, state, None, **of)
        while state.global_step < total:
            if state.global_step == until:
                return  # the program died
            step(self.model)
            state.global_step += 1
            state.epoch = state.global_step / self.per_epoch
            call.on_step_end(self.args, state, None, **of)
            if state.global_step % self.per_epoch == 0:
                call.on_epoch_end(self.args, state, None, **of)
        call.on_train_end(self.args, state, None, **of)


class LightningTrainer:
    """Calls callbacks as ``Trainer.fit`` does, and has the attributes that they read."""

    def __init__(self, callback, model, epochs=3, per_epoch=4, zero=True, strategy=object):
        self.callback, self.model, self.is_global_zero = callback, model, zero
        self.max_epochs, self.per_epoch = epochs, per_epoch
        self.estimated_stepping_batches = epochs * per_epoch
        self.optimizers, self.strategy = [object()], strategy()
        self.global_step = self.current_epoch = 0

    def train(self, start=0, until=None, step=lambda model: None):
        self.global_step, self.current_epoch = start, start // self.per_epoch
        call = self.callback
        call.on_train_start(self, self.model)
        while self.current_epoch < self.max_epochs:
            for batch in range(self.global_step % self.per_epoch, self.per_epoch):
                if self.global_step == until:
                    return
                step(self.model)
                self.global_step += 1
                call.on_train_batch_end(self, self.model, None, None, batch)
            call.on_train_epoch_end(self, self.model)
            self.current_epoch += 1
        call.on_train_end(self, self.model)
