"""Audits from trainers, on doubles of these: which steps are seen, and what may go wrong."""

import logging
import random
import subprocess
import sys

import numpy as np
import pytest
from helpers.trainer_doubles import HuggingFaceTrainer, LightningTrainer, install

import workbench as wb
from workbench.live.trainers.undisturbed import undisturbed

COUNT = 40

TRAINERS = {
    "Hugging Face": (wb.live.hugging_face_callback, HuggingFaceTrainer),
    "Lightning": (wb.live.lightning_callback, LightningTrainer),
}


@pytest.fixture(params=list(TRAINERS))
def kind(request, monkeypatch):
    install(monkeypatch)
    return TRAINERS[request.param]


def made_canaries(seed=1):
    return wb.live.RecordCanaries(COUNT, seed=seed)


class Counted:
    """Scores that show membership, and how often they were asked for."""

    def __init__(self, canaries=None):
        self.canaries = made_canaries() if canaries is None else canaries
        self.models = []

    def __call__(self, model):
        self.models.append(model)
        return self.canaries.included * 1.0


# -- which steps are seen --------------------------------------------------------------------------


@pytest.mark.parametrize(("every", "steps"), [("step", 12), ("epoch", 3), ("training", 1)])
def test_each_step_of_the_audit_is_seen_once(kind, every, steps):
    make, trainer = kind
    audit = wb.live.CanaryAudit(made_canaries(), steps=steps)
    score = Counted()
    trainer(make(audit, score, every=every), "model").train()
    assert audit.step == steps
    assert tuple(audit.state.n) == audit.looks.planned
    assert score.models == ["model"] * (1 + len(audit.looks.planned))
    assert audit.bound.value > 0


def test_steps_without_a_look_ask_for_no_score(kind):
    make, trainer = kind
    audit = wb.live.CanaryAudit(made_canaries(), steps=400)
    score = Counted()
    trainer(make(audit, score), "model", epochs=4, per_epoch=100).train()
    assert audit.step == 400
    assert len(score.models) == 1 + len(audit.looks.planned) < 30


def test_other_processes_have_no_audit(kind):
    make, trainer = kind
    audit = wb.live.CanaryAudit(made_canaries(), steps=12)
    score = Counted()
    trainer(make(audit, score), "model", zero=False).train()
    assert (audit.step, score.models) == (0, [])


def test_a_training_that_resumes_makes_no_look_twice(kind, tmp_path):
    make, trainer = kind
    path = tmp_path / "canaries.csv"

    def audit_of():
        return wb.live.CanaryAudit(made_canaries(), steps=12, path=path, resume=True)

    first = audit_of()
    trainer(make(first, Counted()), "model").train(until=9)
    again, score = audit_of(), Counted()
    assert again.last_look == first.last_look
    assert again.bound == first.bound
    assert again.mu == first.mu
    trainer(make(again, score), "model").train(start=4)
    assert tuple(again.state.n) == again.looks.planned
    assert len(score.models) == 1 + sum(step > first.last_look for step in again.looks.planned)
    # In the program itself, too.
    trainer(make(again, score), "model").train(start=4)
    assert tuple(again.state.n) == again.looks.planned


def test_an_audit_that_begins_in_the_middle_loses_the_looks_before(kind):
    make, trainer = kind
    audit = wb.live.CanaryAudit(made_canaries(), steps=12)
    trainer(make(audit, Counted()), "model").train(start=8)
    lost = [step for step in audit.looks.planned if step <= 8]
    assert tuple(audit.state.n) == audit.looks.planned[len(lost) :]
    assert f"{len(lost)} looks were lost, the last at step 8" in audit.state.notes[0]


def test_a_run_has_one_score(kind, tmp_path):
    make, trainer = kind
    audit = wb.live.Audit(path=tmp_path / "runs.csv", resume=True)
    for run in range(4):
        callback = make(audit, lambda model: np.array([1.5]), member=run % 2 == 0, run=run)
        for _ in range(2):  # the second time in the same program
            trainer(callback, "model").train()
    assert audit.runs == 4
    audit.close()
    continued = wb.live.Audit(path=tmp_path / "runs.csv", resume=True)
    # The last training began again after a crash that came behind its end.
    trainer(make(continued, lambda model: 7.0, member=False, run=3), "model").train()
    assert continued.runs == 4
    with pytest.raises(ValueError, match="run 9 is out of order"):
        trainer(make(continued, lambda model: 7.0, member=False, run=9), "model").train()


# -- what may go wrong -----------------------------------------------------------------------------


def test_wrong_scores_come_out_before_the_training(kind):
    make, trainer = kind
    steps = []
    for score, words in (
        (lambda model: np.zeros(3), "give one for each of the 40 canaries"),
        (lambda model: np.full(COUNT, np.nan), "score of canary 0 is NaN"),
    ):
        audit = wb.live.CanaryAudit(made_canaries(), steps=12)
        with pytest.raises(ValueError, match=words):
            trainer(make(audit, score), "model").train(step=steps.append)
    with pytest.raises(ValueError, match="score of the run"):
        trainer(make(wb.live.Audit(), lambda model: float("nan"), member=True), "model").train(
            step=steps.append
        )
    assert steps == []


def test_a_look_that_fails_is_lost_and_said(kind, caplog):
    make, trainer = kind
    audit = wb.live.CanaryAudit(made_canaries(), steps=12)
    good = Counted()

    def score(model):
        if len(good.models) in (3, 4):
            good.models.append(None)
            raise MemoryError("no room")
        return good(model)

    trainer(make(audit, score), "model").train()
    assert audit.step == 12
    assert tuple(audit.state.n) == tuple(s for s in audit.looks.planned if s not in (3, 4))
    assert "2 looks were lost, the last at step 4: MemoryError: no room." in audit.state.notes
    assert "2 looks were lost" in audit.state._repr_html_()
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 2
    assert "MemoryError" in caplog.text


def test_the_score_of_a_run_that_fails_is_raised(kind):
    make, trainer = kind
    values = iter([1.0, float("nan")])
    audit = wb.live.Audit()
    with pytest.raises(ValueError, match="NaN"):
        trainer(make(audit, lambda model: next(values), member=True), "model").train()
    assert audit.runs == 0


def test_a_full_disk_ends_no_training(kind, tmp_path, caplog):
    make, trainer = kind
    folder = tmp_path / "gone"
    folder.mkdir()
    audit = wb.live.CanaryAudit(made_canaries(), steps=12, path=folder / "c.csv")
    folder.rmdir()
    trainer(make(audit, Counted()), "model").train()
    assert tuple(audit.state.n) == audit.looks.planned
    assert "could not be written" in caplog.text


def test_a_plan_of_another_length_is_said(kind, caplog):
    make, trainer = kind
    trainer(make(wb.live.CanaryAudit(made_canaries(), steps=99), Counted()), "model").train()
    assert "plans its looks for 99 steps, and the training makes 12" in caplog.text


def test_a_model_that_is_split_is_refused(monkeypatch):
    install(monkeypatch)

    class FSDPStrategy:
        pass

    audit = wb.live.CanaryAudit(made_canaries(), steps=12)
    for trainer in (
        HuggingFaceTrainer(wb.live.hugging_face_callback(audit, Counted()), "m", fsdp=["full"]),
        HuggingFaceTrainer(wb.live.hugging_face_callback(audit, Counted()), "m", deepspeed="x"),
        LightningTrainer(wb.live.lightning_callback(audit, Counted()), "m", strategy=FSDPStrategy),
    ):
        with pytest.raises(ValueError, match="no process has the whole model"):
            trainer.train()


def test_bad_arguments_are_named(kind):
    make, _ = kind
    gradients = wb.live.GradientCanaries.dirac(4, 9, sample_rate=1.0)
    with pytest.raises(ValueError, match=r"use wb\.live\.watch_opacus"):
        make(wb.live.CanaryAudit(gradients, steps=2), Counted())
    with pytest.raises(ValueError, match="member=True or member=False"):
        make(wb.live.Audit(), Counted())
    with pytest.raises(ValueError, match="got member=True"):
        make(wb.live.CanaryAudit(made_canaries()), Counted(), member=True)
    with pytest.raises(ValueError, match="got every='step'"):
        make(wb.live.Audit(), Counted(), member=True, every="step")
    with pytest.raises(ValueError, match="'batch'"):
        make(wb.live.CanaryAudit(made_canaries()), Counted(), every="batch")
    with pytest.raises(TypeError, match="CanaryAudit"):
        make("audit", Counted())
    with pytest.raises(TypeError, match="function of a model"):
        make(wb.live.CanaryAudit(made_canaries()), 3)


def test_a_library_that_is_not_installed_is_named(monkeypatch):
    for name in ("transformers", "lightning.pytorch", "lightning", "pytorch_lightning"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Nothing(), *sys.meta_path])
    audit = wb.live.CanaryAudit(made_canaries())
    with pytest.raises(wb.MissingPackage, match=r"pip install 'transformers\[torch\]'"):
        wb.live.hugging_face_callback(audit, Counted())
    with pytest.raises(wb.MissingPackage, match="pip install lightning"):
        wb.live.lightning_callback(audit, Counted())


class Nothing:
    """Finds neither trainer."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("transformers", "lightning", "pytorch_lightning"):
            raise ModuleNotFoundError(name, name=name)


def test_nothing_is_imported_before_it_is_used():
    code = (
        "import sys, workbench as wb\n"
        "wb.live.hugging_face_callback, wb.live.lightning_callback\n"
        "audit = wb.live.CanaryAudit(wb.live.RecordCanaries(4), steps=1)\n"
        "wb.live.watch_training(audit, lambda model: [0.0] * 4).step(None)\n"
        "heavy = ('torch', 'transformers', 'lightning', 'pytorch_lightning', 'mlflow', 'wandb')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- a loop of one's own ---------------------------------------------------------------------------


def test_a_plain_loop_calls_step():
    audit = wb.live.CanaryAudit(made_canaries(), steps=20)
    score = Counted()
    watch = wb.live.watch_training(audit, score)
    for step in range(20):
        watch.step(step)
    assert score.models == [0, *(step - 1 for step in audit.looks.planned)]
    audit.close()
    watch.step(20)  # a closed audit stops nothing
    watch.end(20)
    with pytest.raises(ValueError, match=r"call end\(model\)"):
        wb.live.watch_training(wb.live.Audit(), score, member=True).step(1)


# -- the training stays what it was ----------------------------------------------------------------


def test_random_numbers_of_python_and_numpy_stay():
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002

    def scored():
        with undisturbed(object()):
            random.random()
            np.random.random(3)  # noqa: NPY002
            raise KeyError

    with pytest.raises(KeyError):
        scored()
    found = random.random(), np.random.random()  # noqa: NPY002
    assert found == (random.Random(1).random(), np.random.RandomState(1).random_sample())


def test_a_model_of_torch_stays():
    torch = pytest.importorskip("torch")
    model = torch.nn.Sequential(
        torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.Dropout(0.5), torch.nn.Linear(3, 1)
    )
    model[1].eval()
    model[0].weight.requires_grad_(False)
    model(torch.randn(5, 3)).sum().backward()
    gradients = [p.grad for p in model.parameters()]
    values = [None if g is None else g.clone() for g in gradients]
    modes = [m.training for m in model.modules()]
    torch.manual_seed(2)
    with undisturbed(model):
        assert not any(m.training for m in model.modules())
        assert not torch.is_grad_enabled()
        torch.randn(10)
        with torch.enable_grad():  # a score that needs gradients
            model(torch.randn(5, 3)).sum().backward()
        model[0].weight.requires_grad_(True)
    assert torch.is_grad_enabled()
    assert [m.training for m in model.modules()] == modes == [True, True, False, True, True]
    assert not model[0].weight.requires_grad
    for p, gradient, value in zip(model.parameters(), gradients, values, strict=True):
        assert p.grad is gradient
        assert gradient is None or torch.equal(gradient, value)
    assert torch.equal(torch.randn(4), torch.randn(4, generator=torch.Generator().manual_seed(2)))


# -- ready scores ----------------------------------------------------------------------------------


def test_losses_of_records_are_those_of_torch():
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(3, 4)
    x, y = torch.randn(10, 3), torch.arange(10) % 4
    expected = torch.nn.functional.cross_entropy(model(x), y, reduction="none").detach().numpy()
    np.testing.assert_allclose(wb.live.record_losses(x, y, batch=3)(model), expected, rtol=1e-5)
    squares = wb.live.record_losses(x, y, lambda model, x, y: model(x).square().sum(1))
    np.testing.assert_allclose(squares(model), model(x).square().sum(1).detach(), rtol=1e-5)
    with pytest.raises(ValueError, match=r'reduction="none"'):
        wb.live.record_losses(x, y, lambda model, x, y: model(x).sum())(model)
    with pytest.raises(ValueError, match="10 inputs and 3 targets"):
        wb.live.record_losses(x, y[:3])
    with pytest.raises(TypeError, match="a tensor of PyTorch"):
        wb.live.record_losses(x.numpy(), y)
    with pytest.raises(ValueError, match="batch"):
        wb.live.record_losses(x, y, batch=0)


class Texts:
    """Canaries of ``wb.text``, as far as they are read."""

    texts = ("a", "b", "c")
    included = np.array([True, False, True])


def test_canaries_of_texts_keep_their_coins():
    canaries = wb.live.text_canaries(Texts())
    assert canaries.included.tolist() == [True, False, True]
    assert canaries.larger_is_member
    drawn = Texts()
    drawn.included = None
    for call in (wb.live.text_canaries, lambda given: wb.live.text_scores(given, None)):
        with pytest.raises(ValueError, match="all in, with values that were drawn"):
            call(drawn)
        with pytest.raises(TypeError, match=r"canaries must be of wb\.text"):
            call(["a", "b"])
