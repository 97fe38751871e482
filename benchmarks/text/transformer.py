"""A causal transformer of some hundred thousand weights, and a tokenizer of characters."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

#: Characters that have tokens; what is none of them becomes "?".
CHARACTERS = "\n" + "".join(map(chr, range(32, 127)))


class CharacterTokenizer:
    """Characters as tokens, and the new tokens that are added; called as those of Hugging Face."""

    def __init__(self) -> None:
        self.bos_token_id = 0
        self._ids = {one: i + 1 for i, one in enumerate(CHARACTERS)}
        self._pieces = re.compile(".", re.DOTALL)

    def __len__(self) -> int:
        return len(self._ids) + 1

    def add_tokens(self, tokens: Sequence[str]) -> int:
        """Add tokens that are not characters."""
        for one in tokens:
            self._ids.setdefault(one, len(self._ids) + 1)
        longer = [re.escape(one) for one in self._ids if len(one) > 1]
        self._pieces = re.compile("|".join([*longer, "."]), re.DOTALL)
        return len(tokens)

    def __call__(
        self, texts: Sequence[str], add_special_tokens: bool = True
    ) -> dict[str, list[list[int]]]:
        first = [self.bos_token_id] if add_special_tokens else []
        unknown = self._ids["?"]
        rows = [[self._ids.get(p, unknown) for p in self._pieces.findall(one)] for one in texts]
        return {"input_ids": [first + row for row in rows]}


@dataclass
class Output:
    """What a model returns, as those of Hugging Face."""

    logits: Tensor


class Transformer(nn.Module):
    """A decoder with learned places, tied embeddings and no dropout."""

    def __init__(
        self, vocabulary: int, longest: int, width: int = 64, layers: int = 2, heads: int = 4
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(longest, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        for one in (self.embedding, self.places):
            nn.init.normal_(one.weight, std=0.05)

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Output:
        """Logits of the next token at each place; padding on the right changes nothing."""
        x = self.embedding(input_ids) + self.places.weight[: input_ids.shape[-1]]
        for block in self.blocks:
            x = block(x)
        return Output(self.norm(x) @ self.embedding.weight.T)

    @property
    def size(self) -> int:
        """Number of weights."""
        return sum(one.numel() for one in self.parameters())


class Block(nn.Module):
    """Attention to what is before, and two layers for each place."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.into, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        n, width = x.shape[-2:]
        split = self.into(self.first(x)).reshape(*x.shape[:-1], 3, self.heads, width // self.heads)
        q, k, v = (split[..., i, :, :].transpose(-2, -3) for i in range(3))
        weights = q @ k.transpose(-1, -2) / math.sqrt(width // self.heads)
        later = torch.ones(n, n, dtype=torch.bool).triu(1)
        weights = weights.masked_fill(later, -math.inf).softmax(-1)
        x = x + self.out((weights @ v).transpose(-2, -3).reshape(x.shape))
        return x + self.down(functional.gelu(self.up(self.second(x))))


def loss(logits: Tensor, ids: Tensor, mask: Tensor) -> Any:
    """The mean loss of the tokens of a text but the first, padding left out."""
    said = logits[..., :-1, :].log_softmax(-1)
    each = -said.gather(-1, ids[..., 1:, None])[..., 0]
    kept = mask[..., 1:]
    return (each * kept).sum(-1) / kept.sum(-1)
