"""Canaries in a plain PyTorch loop."""

import numpy as np
import pytest

import workbench as wb

torch = pytest.importorskip("torch")


def network(hidden=6):
    torch.manual_seed(0)
    layers = torch.nn.Linear(4, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, 2)
    return torch.nn.Sequential(*layers)


def per_example(model, x, y):
    """Gradients of each example, by name."""
    parameters = {name: p.detach() for name, p in model.named_parameters()}

    def loss(parameters, one, label):
        logits = torch.func.functional_call(model, parameters, one[None])
        return torch.nn.functional.cross_entropy(logits, label[None])

    return torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(parameters, x, y)


def clipped_sum(gradients, clip=1.0):
    norms = torch.sqrt(sum(g.flatten(1).square().sum(1) for g in gradients.values()))
    weights = (clip / norms.clamp(min=1e-12)).clamp(max=1.0)
    return {name: torch.einsum("i,i...", weights, g) for name, g in gradients.items()}


def test_a_plain_loop_is_audited():
    model = network(64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    canaries = wb.live.GradientCanaries.dirac(
        200, 450, sample_rate=0.5, noise_multiplier=0.2, divisor=32, seed=3
    )
    audit = wb.live.CanaryAudit(canaries, steps=16, delta=1e-5)
    handle = wb.live.watch_torch(optimizer, audit)
    rng = torch.Generator().manual_seed(4)
    for _ in range(16):
        x = torch.randn(8, 4, generator=rng)
        gradients = per_example(model, x, (x[:, 0] > 0).long())
        gradients = wb.live.insert_tensors(canaries, gradients)
        summed = clipped_sum(gradients)
        for name, p in model.named_parameters():
            noise = 0.2 * torch.randn(p.shape, generator=rng)
            p.grad = (summed[name] + noise) / 32
        optimizer.step()
    assert audit.step == 16
    member, other = (canaries.scores[side] for side in (canaries.included, ~canaries.included))
    assert member.mean() > other.mean()
    assert audit.bound.value > 1
    handle.remove()
    optimizer.step()
    assert audit.step == 16


def test_rows_of_tensors_are_those_of_arrays():
    kinds = {}
    for kind in ("list", "array"):
        canaries = wb.live.GradientCanaries.random(12, 44, sample_rate=0.8, seed=5)
        shapes = [p.shape for p in network().parameters()]
        if kind == "list":
            given = [torch.ones(3, *shape, dtype=torch.float64) for shape in shapes]
            joined = wb.live.insert_tensors(canaries, given)
            assert [j.shape[1:] for j in joined] == shapes
            assert {j.dtype for j in joined} == {torch.float64}
            kinds[kind] = torch.cat([j.flatten(1) for j in joined], dim=1).numpy()
        else:
            kinds[kind] = canaries.insert(np.ones((3, 44)))
    np.testing.assert_array_equal(kinds["list"], kinds["array"])
    assert kinds["array"].shape[0] > 3


def test_an_empty_batch_has_canaries_only():
    canaries = wb.live.GradientCanaries.dirac(12, 44, sample_rate=1.0, seed=5)
    shapes = [p.shape for p in network().parameters()]
    joined = wb.live.insert_tensors(canaries, [torch.zeros(0, *shape) for shape in shapes])
    assert {len(j) for j in joined} == {canaries.included.sum()}


def test_bad_input_is_named():
    canaries = wb.live.GradientCanaries.dirac(12, 44, sample_rate=1.0, seed=5)
    with pytest.raises(ValueError, match="10 numbers for each example, and the canaries 44"):
        wb.live.insert_tensors(canaries, [torch.zeros(3, 10)])
    with pytest.raises(TypeError, match="a tensor of PyTorch"):
        wb.live.insert_tensors(canaries, [np.zeros((3, 44))])
    with pytest.raises(TypeError, match="GradientCanaries"):
        wb.live.insert_tensors(wb.live.RecordCanaries(4), [torch.zeros(3, 44)])
    assert not canaries.inserted
    audit = wb.live.CanaryAudit(canaries, steps=2)
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    wb.live.watch_torch(optimizer, audit)
    with pytest.raises(TypeError, match="optimizer of PyTorch"):
        wb.live.watch_torch(model, audit)
    with pytest.raises(ValueError, match="parameter 0 has no gradient"):
        optimizer.step()
    for p in model.parameters():
        p.grad = torch.full_like(p, float("nan"))
    with pytest.raises(ValueError, match="nan at place 0"):
        optimizer.step()
    with pytest.raises(TypeError, match="CanaryAudit"):
        wb.live.watch_torch(optimizer, wb.live.Audit())
    assert audit.step == 0
    audit.close()
    optimizer.step()  # a closed audit stops nothing
