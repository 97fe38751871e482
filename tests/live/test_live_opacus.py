"""Canaries in optimizers of Opacus: what is inserted, clipped, released and accounted."""

import numpy as np
import pytest

import workbench as wb

torch = pytest.importorskip("torch")
pytest.importorskip("opacus")

from opacus import GradSampleModule, PrivacyEngine  # noqa: E402
from opacus.optimizers import DPOptimizer  # noqa: E402
from opacus.optimizers.optimizer_fast_gradient_clipping import (  # noqa: E402
    DPOptimizerFastGradientClipping,
)
from opacus.utils.batch_memory_manager import BatchMemoryManager  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


def network(hidden=6):
    torch.manual_seed(0)
    layers = torch.nn.Linear(4, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, 2)
    return torch.nn.Sequential(*layers)


def optimizer_of(model, noise=0.0, clip=1.0, batch=8):
    plain = torch.optim.SGD(model.parameters(), lr=0.0)
    return DPOptimizer(plain, noise_multiplier=noise, max_grad_norm=clip, expected_batch_size=batch)


def backward(model, rows=8, seed=1):
    rng = torch.Generator().manual_seed(seed)
    x, y = torch.randn(rows, 4, generator=rng), torch.arange(rows) % 2
    torch.nn.functional.cross_entropy(model(x), y).backward()


def private(noise=1.0, rows=256, batch=32, seed=0, hidden=6):
    torch.manual_seed(seed)
    x = torch.randn(rows, 4)
    data = torch.utils.data.TensorDataset(x, (x[:, 0] > 0).long())
    loader = torch.utils.data.DataLoader(data, batch_size=batch)
    model = network(hidden)
    engine = PrivacyEngine()
    made = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=loader,
        noise_multiplier=noise,
        max_grad_norm=1.0,
    )
    return engine, *made


def released(optimizer):
    return np.concatenate([p.grad.flatten().double().numpy() for p in optimizer.params])


def test_canaries_are_clipped_and_summed_with_the_gradients_of_records():
    model = GradSampleModule(network())
    plain = optimizer_of(model, clip=0.5)
    backward(model)
    plain.step()
    before = 8 * released(plain)
    plain.zero_grad()

    canaries = wb.live.opacus_canaries(plain, 10, sample_rate=1.0, seed=3)
    audit = wb.live.CanaryAudit(canaries, steps=2)
    wb.live.watch_opacus(plain, audit)
    backward(model)
    plain.step()
    inserted = 8 * released(plain) - before
    expected = np.zeros(canaries.size)
    expected[canaries.directions.places[canaries.included]] = 0.5
    np.testing.assert_allclose(inserted, expected, atol=2e-6)
    # Without noise, scores are inner products: 0.5 more for canaries that are in.
    own = canaries.scores - before[canaries.directions.places]
    np.testing.assert_allclose(own, 0.5 * canaries.included, atol=2e-6)
    assert audit.step == 1


def test_the_settings_come_from_the_optimizer():
    optimizer = optimizer_of(GradSampleModule(network()), noise=2.0, clip=0.7, batch=16)
    canaries = wb.live.opacus_canaries(optimizer, 5, sample_rate=0.25, kind="random", seed=1)
    found = (canaries.size, canaries.noise_multiplier, canaries.clip, canaries.divisor)
    assert found == (44, 2.0, 0.7, 16.0)
    assert canaries.directions.norm == 0.7


def test_several_backward_passes_before_a_step_release_one_gradient():
    model = GradSampleModule(network())
    optimizer = optimizer_of(model)
    canaries = wb.live.opacus_canaries(optimizer, 10, sample_rate=1.0, seed=3)
    audit = wb.live.CanaryAudit(canaries, steps=2)
    wb.live.watch_opacus(optimizer, audit)
    backward(model, seed=1)
    backward(model, seed=2)
    assert optimizer.accumulated_iterations == 2
    optimizer.step()
    assert optimizer.accumulated_iterations == 2  # the accountant divides by it
    plain = GradSampleModule(network())
    other = optimizer_of(plain)
    backward(plain, seed=1)
    backward(plain, seed=2)
    other.step()
    difference = 16 * (released(optimizer) - released(other))
    assert difference.sum() == pytest.approx(canaries.included.sum(), abs=1e-4)
    own = canaries.scores - 16 * released(other)[canaries.directions.places]
    np.testing.assert_allclose(own, canaries.included, atol=1e-5)


def test_a_batch_in_parts_has_its_canaries_once():
    engine, model, optimizer, loader = private()
    canaries = wb.live.opacus_canaries(optimizer, 20, sample_rate=1 / len(loader), seed=3)
    audit = wb.live.CanaryAudit(canaries, steps=len(loader))
    wb.live.watch_opacus(optimizer, audit)
    steps = 0
    with BatchMemoryManager(
        data_loader=loader, max_physical_batch_size=8, optimizer=optimizer
    ) as parts:
        for x, y in parts:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
            steps += 1
    assert steps > len(loader) == audit.step
    assert len(engine.accountant) == 1
    assert engine.accountant.history[0][2] == len(loader)


def test_gradients_that_were_not_cleared_are_refused_as_without_an_audit():
    model = GradSampleModule(network())
    optimizer = optimizer_of(model)
    canaries = wb.live.opacus_canaries(optimizer, 10, sample_rate=1.0, seed=3)
    wb.live.watch_opacus(optimizer, wb.live.CanaryAudit(canaries, steps=4))
    backward(model)
    optimizer.step()
    with pytest.raises(ValueError, match="haven't been cleared"):
        optimizer.step()


def test_a_closed_audit_and_a_removed_watch_leave_the_optimizer_alone():
    for ending in ("close", "remove"):
        model = GradSampleModule(network())
        optimizer = optimizer_of(model)
        calls = []
        optimizer.attach_step_hook(calls.append)
        canaries = wb.live.opacus_canaries(optimizer, 10, sample_rate=1.0, seed=3)
        audit = wb.live.CanaryAudit(canaries, steps=4)
        watch = wb.live.watch_opacus(optimizer, audit)
        backward(model)
        optimizer.step()
        optimizer.zero_grad()
        assert len(calls) == 1
        audit.close() if ending == "close" else watch.remove()
        backward(model)
        optimizer.step()
        assert audit.step == 1
        assert len(calls) == 2
        assert len(model._module[0].weight.grad_sample) == 8


def test_a_training_is_audited_below_its_claim_and_one_with_too_little_noise_above():
    found = {}
    for noise in (1.0, 0.05):
        engine, model, optimizer, loader = private(noise=noise, seed=1, hidden=64)
        steps = 4 * len(loader)
        canaries = wb.live.opacus_canaries(optimizer, 200, sample_rate=1 / len(loader), seed=5)
        claim = "approx(5.28, 1e-5)"  # what DPSGDPair(1, 1/8, 32) says
        audit = wb.live.CanaryAudit(canaries, steps, delta=1e-5, claim=claim, guesses=100)
        wb.live.watch_opacus(optimizer, audit)
        for _ in range(4):
            for x, y in loader:
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(model(x), y).backward()
                optimizer.step()
        assert audit.step == steps
        assert engine.accountant.history[0][2] == steps
        found[noise] = audit
    assert not found[1.0].refuted
    assert found[1.0].bound.value < 1 < found[0.05].bound.value


def test_what_cannot_be_watched_is_refused():
    model = GradSampleModule(network())
    optimizer = optimizer_of(model)
    canaries = wb.live.opacus_canaries(optimizer, 10, sample_rate=1.0, seed=3)
    audit = wb.live.CanaryAudit(canaries, steps=4)
    with pytest.raises(TypeError, match="make_private"):
        wb.live.watch_opacus(torch.optim.SGD(model.parameters(), lr=0.1), audit)
    with pytest.raises(TypeError, match="CanaryAudit"):
        wb.live.watch_opacus(optimizer, wb.live.Audit())
    records = wb.live.CanaryAudit(wb.live.RecordCanaries(10), steps=4)
    with pytest.raises(TypeError, match="GradientCanaries"):
        wb.live.watch_opacus(optimizer, records)
    other = wb.live.GradientCanaries.dirac(4, 10, sample_rate=1.0)
    with pytest.raises(ValueError, match="44 trainable parameters, and the canaries 10"):
        wb.live.watch_opacus(optimizer, wb.live.CanaryAudit(other, steps=4))
    ghost = DPOptimizerFastGradientClipping(
        torch.optim.SGD(model.parameters(), lr=0.1),
        noise_multiplier=1.0,
        max_grad_norm=1.0,
        expected_batch_size=8,
    )
    with pytest.raises(ValueError, match="ghost clipping"):
        wb.live.watch_opacus(ghost, audit)
    with pytest.raises(ValueError, match="'dirac', 'random'"):
        wb.live.opacus_canaries(optimizer, 10, sample_rate=1.0, kind="blank")


def test_a_step_without_backward_is_named():
    model = GradSampleModule(network())
    optimizer = optimizer_of(model)
    canaries = wb.live.opacus_canaries(optimizer, 10, sample_rate=1.0, seed=3)
    watch = wb.live.watch_opacus(optimizer, wb.live.CanaryAudit(canaries, steps=4))
    with pytest.raises(ValueError, match="no per-example gradients"):
        watch._insert_and_clip()
