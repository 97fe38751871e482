"""Training of the transformer: as usual, or by DP-SGD with clipped gradients of each text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.func import functional_call, grad, vmap

from benchmarks.text.transformer import CharacterTokenizer, Transformer, loss


@dataclass(frozen=True)
class Plan:
    """How it is trained: each step takes each text with probability ``rate``, independently.

    ``noise`` is that of DP-SGD over the clipping norm; None trains without clipping and noise.
    """

    steps: int
    rate: float
    noise: float | None = None
    clip: float = 1.0
    learning_rate: float = 3e-3
    at_once: int = 64


def rows(tokenizer: CharacterTokenizer, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Tokens of the texts and what of them is no padding, both (texts, longest)."""
    ids = tokenizer(texts)["input_ids"]
    longest = max(map(len, ids))
    x, mask = torch.zeros(len(ids), longest, dtype=torch.long), torch.zeros(len(ids), longest)
    for i, row in enumerate(ids):
        x[i, : len(row)], mask[i, : len(row)] = torch.tensor(row), 1.0
    return x, mask


def train(
    model: Transformer, tokenizer: CharacterTokenizer, texts: Sequence[str], plan: Plan, seed: int
) -> Transformer:
    """The model after the training; all that is random follows from the seed."""
    chance = torch.Generator().manual_seed(seed)
    x, mask = rows(tokenizer, texts)
    optimizer = torch.optim.Adam(model.parameters(), lr=plan.learning_rate)
    model.train()
    for _ in range(plan.steps):
        batch = torch.nonzero(torch.rand(len(x), generator=chance) < plan.rate)[:, 0]
        optimizer.zero_grad()
        if plan.noise is None:
            if len(batch):
                loss(model(x[batch]).logits, x[batch], mask[batch]).mean().backward()
        else:
            sums = clipped(model, x[batch], mask[batch], plan)
            expected = plan.rate * len(x)
            for name, weight in model.named_parameters():
                drawn = torch.randn(weight.shape, generator=chance)
                weight.grad = (sums[name] + plan.noise * plan.clip * drawn) / expected
        optimizer.step()
    return model.eval()


def clipped(model: Transformer, x: Tensor, mask: Tensor, plan: Plan) -> dict[str, Tensor]:
    """The sum of the gradients of all texts, each clipped to the norm of the plan."""
    weights = {name: one.detach() for name, one in model.named_parameters()}

    def of_one(given: dict[str, Tensor], ids: Tensor, kept: Tensor) -> Tensor:
        return loss(functional_call(model, given, (ids[None],)).logits[0], ids, kept)

    each = vmap(grad(of_one), in_dims=(None, 0, 0))
    sums = {name: torch.zeros_like(one) for name, one in weights.items()}
    lengths = mask.sum(1)
    for some in lengths.argsort().split(plan.at_once):
        longest = int(lengths[some].max())
        found = each(weights, x[some, :longest], mask[some, :longest])
        flat = torch.cat([one.flatten(1) for one in found.values()], dim=1)
        factor = (plan.clip / flat.norm(dim=1).clamp(min=1e-12)).clamp(max=1.0)
        for name, one in found.items():
            sums[name] += torch.einsum("i,i...->...", factor, one)
    return sums
