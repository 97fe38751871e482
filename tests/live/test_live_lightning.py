"""The callback in the real Trainer of Lightning, where it is installed; see also the doubles."""

import numpy as np
import pytest

import workbench as wb

torch = pytest.importorskip("torch")
try:
    import lightning.pytorch as pl
except ImportError:
    pl = pytest.importorskip("pytorch_lightning")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

COUNT = 100


def made_canaries():
    return wb.live.RecordCanaries(COUNT, larger_is_member=False, seed=3)


def records(rows, seed):
    numbers = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 8, generator=numbers)
    return x, torch.randint(0, 2, (rows,), generator=numbers)


class Module(pl.LightningModule):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(8, 128), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(128, 2)
        )
        self.layers[0].eval()  # a part that is frozen in evaluation mode

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return torch.nn.functional.cross_entropy(self(x), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


def loader(canaries):
    (x, y), (cx, cy) = records(60, 2), records(COUNT, 1)
    inside = torch.from_numpy(canaries.included)
    data = torch.utils.data.TensorDataset(
        torch.cat([x, *4 * [cx[inside]]]), torch.cat([y, *4 * [cy[inside]]])
    )
    return torch.utils.data.DataLoader(data, batch_size=20, shuffle=True)


def fit(folder, callbacks=(), epochs=6, checkpoint=None, **options):
    module = Module()
    trainer = pl.Trainer(
        max_epochs=epochs, default_root_dir=folder, callbacks=list(callbacks), logger=False,
        enable_progress_bar=False, enable_model_summary=False, accelerator="cpu",
        **{"enable_checkpointing": False} | options,
    )  # fmt: skip
    torch.manual_seed(1)
    trainer.fit(module, loader(made_canaries()), ckpt_path=checkpoint)
    return module, trainer


def weights(module):
    return torch.cat([p.detach().flatten() for p in module.parameters()])


def test_a_training_is_audited_and_stays_what_it_was(tmp_path):
    plain, trainer = fit(tmp_path, epochs=20)
    audit = wb.live.CanaryAudit(made_canaries(), steps=trainer.global_step)
    callback = wb.live.lightning_callback(audit, wb.live.record_losses(*records(COUNT, 1)))
    watched, _ = fit(tmp_path, [callback], epochs=20)
    assert isinstance(callback, pl.Callback)
    assert torch.equal(weights(plain), weights(watched))
    assert [m.training for m in plain.modules()] == [m.training for m in watched.modules()]
    assert audit.step == trainer.global_step == audit.last_look
    assert tuple(audit.state.n) == audit.looks.planned
    assert audit.bound.value > 0


def test_batches_that_are_gathered_are_one_step(tmp_path):
    audit = wb.live.CanaryAudit(made_canaries(), steps=3)
    callback = wb.live.lightning_callback(audit, wb.live.record_losses(*records(COUNT, 1)))
    _, trainer = fit(tmp_path, [callback], epochs=1, accumulate_grad_batches=3)
    assert audit.step == trainer.global_step < trainer.num_training_batches


def test_epochs_and_the_whole_training_are_steps(tmp_path):
    for every, steps in (("epoch", 3), ("training", 1)):
        audit = wb.live.CanaryAudit(made_canaries(), steps=steps)
        scores = wb.live.record_losses(*records(COUNT, 1))
        fit(tmp_path, [wb.live.lightning_callback(audit, scores, every=every)], epochs=3)
        assert audit.step == audit.last_look == steps


def test_a_training_that_resumes_makes_no_look_twice(tmp_path):
    def audit_of():
        return wb.live.CanaryAudit(made_canaries(), steps=6, path=tmp_path / "c.csv", resume=True)

    first = audit_of()
    scores = wb.live.record_losses(*records(COUNT, 1))
    callback = wb.live.lightning_callback(first, scores, every="epoch")
    _, trainer = fit(tmp_path, [callback], epochs=2, enable_checkpointing=True)
    trainer.save_checkpoint(tmp_path / "two.ckpt")
    fit(tmp_path, [callback], epochs=4, checkpoint=tmp_path / "two.ckpt")
    assert first.step == 4
    second = audit_of()  # of another program, which begins at the older checkpoint again
    calls = []

    def counted(module):
        calls.append(1)
        return scores(module)

    callback = wb.live.lightning_callback(second, counted, every="epoch")
    fit(tmp_path, [callback], epochs=6, checkpoint=tmp_path / "two.ckpt")
    assert tuple(second.state.n) == (1, 2, 3, 4, 5, 6)
    assert len(calls) == 1 + 2


def test_a_run_of_many_gives_its_score_at_the_end(tmp_path):
    audit = wb.live.Audit(larger_is_member=False)
    scores = wb.live.record_losses(*records(1, 5))
    for run in range(4):
        fit(tmp_path, [wb.live.lightning_callback(audit, scores, member=run % 2 == 0)], epochs=1)
    assert audit.runs == 4
    assert np.isfinite(audit.scores.q).all()


def test_steps_of_several_optimizers_are_refused(tmp_path):
    class Two(Module):
        automatic_optimization = False

        def configure_optimizers(self):
            return [torch.optim.SGD(self.parameters(), lr=0.1) for _ in range(2)]

    audit = wb.live.CanaryAudit(made_canaries(), steps=3)
    callback = wb.live.lightning_callback(audit, wb.live.record_losses(*records(COUNT, 1)))
    trainer = pl.Trainer(
        max_epochs=1, default_root_dir=tmp_path, callbacks=[callback], logger=False,
        enable_progress_bar=False, enable_checkpointing=False, accelerator="cpu",
    )  # fmt: skip
    module = Two()
    module.automatic_optimization = False
    with pytest.raises(ValueError, match="steps of all 2 optimizers"):
        trainer.fit(module, loader(made_canaries()))
