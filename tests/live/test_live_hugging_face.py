"""The callback in the real Trainer of transformers, where it is installed; see also the doubles."""

import numpy as np
import pytest

import workbench as wb

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("accelerate")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

COUNT, STEPS = 60, 40


def made_canaries(seed=3):
    return wb.live.RecordCanaries(COUNT, larger_is_member=False, seed=seed)


def texts(rows, seed):
    return torch.randint(0, 50, (rows, 12), generator=torch.Generator().manual_seed(seed))


def loss(model, x, y):
    logits = model(x).logits[:, :-1]
    found = torch.nn.functional.cross_entropy(logits.transpose(1, 2), y[:, 1:], reduction="none")
    return found.sum(1)


def score():
    return wb.live.record_losses(texts(COUNT, 1), texts(COUNT, 1), loss)


def trainer(folder, callbacks=(), steps=STEPS, canaries=None, **options):
    canaries = made_canaries() if canaries is None else canaries
    rows = [*texts(100, 2), *4 * [*texts(COUNT, 1)[canaries.included]]]
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=50, n_positions=16, n_embd=32, n_layer=1, n_head=2,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    how = {"save_strategy": "no", "max_steps": steps} | options
    return transformers.Trainer(
        transformers.GPT2LMHeadModel(config),
        transformers.TrainingArguments(
            str(folder), per_device_train_batch_size=16, learning_rate=1e-2, report_to=[],
            disable_tqdm=True, logging_strategy="no", use_cpu=True, **how,
        ),
        train_dataset=[{"input_ids": row, "labels": row} for row in rows],
        callbacks=list(callbacks),
    )  # fmt: skip


def weights(trained):
    return torch.cat([p.detach().flatten() for p in trained.model.parameters()])


def test_a_training_is_audited_and_stays_what_it_was(tmp_path):
    plain = trainer(tmp_path)
    plain.train()
    audit = wb.live.CanaryAudit(made_canaries(), steps=STEPS, path=tmp_path / "canaries.csv")
    callback = wb.live.hugging_face_callback(audit, score())
    watched = trainer(tmp_path, [callback])
    watched.train()
    assert isinstance(callback, transformers.TrainerCallback)
    # With dropout and shuffled data: not one random number was another.
    assert torch.equal(weights(plain), weights(watched))
    assert watched.model.training == plain.model.training
    assert audit.step == STEPS == audit.last_look
    assert tuple(audit.state.n) == audit.looks.planned
    assert audit.bound.value > 0.5
    assert wb.read_one_run(tmp_path / "canaries.csv").members == made_canaries().included.sum()


def test_epochs_and_the_whole_training_are_steps(tmp_path):
    for every, steps in (("epoch", 3), ("training", 1)):
        audit = wb.live.CanaryAudit(made_canaries(), steps=steps)
        callback = wb.live.hugging_face_callback(audit, score(), every=every)
        trainer(tmp_path, [callback], steps=-1, num_train_epochs=3).train()
        assert audit.step == audit.last_look == steps


def test_a_training_that_resumes_makes_no_look_twice(tmp_path):
    """A program dies after step 30; the next one goes on from the checkpoint of step 20."""

    class Dies(transformers.TrainerCallback):
        def on_step_end(self, args, state, control, **of):
            if state.global_step == 30:
                raise KeyboardInterrupt

    def audit_of():
        return wb.live.CanaryAudit(
            made_canaries(), steps=STEPS, path=tmp_path / "c.csv", resume=True
        )

    first = audit_of()
    saves = {"save_strategy": "steps", "save_steps": 20}
    callbacks = [wb.live.hugging_face_callback(first, score()), Dies()]
    with pytest.raises(KeyboardInterrupt):
        trainer(tmp_path, callbacks, **saves).train()
    assert first.step == 30
    calls = []
    scores = score()

    def counted(model):
        calls.append(1)
        return scores(model)

    second = audit_of()
    assert (second.last_look, second.bound) == (first.last_look, first.bound)
    callback = wb.live.hugging_face_callback(second, counted)
    trainer(tmp_path, [callback], **saves).train(resume_from_checkpoint=True)
    assert tuple(second.state.n) == second.looks.planned
    later = [step for step in second.looks.planned if step > first.last_look]
    assert len(calls) == 1 + len(later)  # once before, to see that they can be computed
    assert second.bound.value >= first.bound.value


def test_a_run_of_many_gives_its_score_at_the_end(tmp_path):
    audit = wb.live.Audit(larger_is_member=False, path=tmp_path / "runs.csv")
    canary = texts(1, 7)
    of_one = wb.live.record_losses(canary, canary, loss)
    for run in range(4):
        callback = wb.live.hugging_face_callback(audit, of_one, member=run % 2 == 0, run=run)
        watched = trainer(tmp_path, [callback], steps=2)
        watched.train()
        watched.train()  # once more, in the same program
    assert audit.runs == 4
    assert np.isfinite(audit.scores.p).all()


def test_scores_that_fail_end_no_training(tmp_path, caplog):
    audit = wb.live.CanaryAudit(made_canaries(), steps=4)
    calls = []

    def failing(model):
        calls.append(1)
        if len(calls) == 3:
            raise RuntimeError("out of memory")
        return np.zeros(COUNT)

    trainer(tmp_path, [wb.live.hugging_face_callback(audit, failing)], steps=4).train()
    assert audit.step == 4
    assert "out of memory" in caplog.text
    assert (
        "1 look was lost, the last at step 2: RuntimeError: out of memory" in audit.state.notes[0]
    )
    wrong = wb.live.hugging_face_callback(
        wb.live.CanaryAudit(made_canaries(), steps=4), lambda model: np.zeros(3)
    )
    with pytest.raises(ValueError, match="give one for each of the 60 canaries"):
        trainer(tmp_path, [wrong], steps=4).train()
