"""`causal_model`: log-probabilities of texts by a causal language model of Hugging Face, or alike.

Nothing of ``transformers`` is imported: what is called is ``model(input_ids=, attention_mask=)``
with ``logits`` in its output, and ``tokenizer(texts, add_special_tokens=False)["input_ids"]``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from workbench import _checks
from workbench.software.extras import require
from workbench.text.answers import Numbers
from workbench.text.checks import token_ids
from workbench.text.refusals import LogProbabilityError


class CausalModel:
    """A function from texts to the log-probabilities of their tokens; `causal_model` makes it.

    Parameters
    ----------
    model, tokenizer, bos, batch
        As of `causal_model`.
    """

    def __init__(self, model: Any, tokenizer: Any, bos: int | None, batch: int) -> None:
        self._model, self._tokenizer = model, tokenizer
        self._bos, self._batch = bos, batch

    def __call__(self, texts: Sequence[str]) -> list[Numbers]:
        """The log-probability of each token, given those before it; one array for each text.

        Parameters
        ----------
        texts : sequence of str

        Raises
        ------
        LogProbabilityError
            Logits of another shape, or more tokens than the model takes.
        """
        return self._each(texts, _log_probabilities)

    def standardized(self, texts: Sequence[str]) -> list[Numbers]:
        """The same less their mean under the model, over their standard deviation (Min-K%++).

        Parameters
        ----------
        texts : sequence of str
        """
        return self._each(texts, _standardized)

    def _each(self, texts: Sequence[str], of: Callable[[Any, Any, Any], Any]) -> list[Numbers]:
        torch = require("torch", "scores of a causal model need")
        first = () if self._bos is None else (self._bos,)
        rows = [first + ids for ids in token_ids(self._tokenizer, texts)]
        self._check_lengths(rows)
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        found: list[Numbers] = [np.empty(0)] * len(rows)
        was_training = bool(getattr(self._model, "training", False))
        if was_training:
            self._model.eval()
        try:
            with torch.no_grad():
                for start in range(0, len(rows), self._batch):
                    some = order[start : start + self._batch]
                    done = self._batch_of([rows[i] for i in some], of, torch)
                    for i, one in zip(some, done, strict=True):
                        found[i] = one
        finally:
            if was_training:
                self._model.train()
        return found

    def _batch_of(
        self, rows: list[tuple[int, ...]], of: Callable[[Any, Any, Any], Any], torch: Any
    ) -> list[Numbers]:
        longest = max(map(len, rows))
        if longest < 2:  # nothing is given before the only token
            return [np.empty(0) for _ in rows]
        ids = torch.zeros((len(rows), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = torch.tensor(row, dtype=torch.long)
            mask[i, : len(row)] = 1
        device = _device(self._model)
        if device is not None:
            ids, mask = ids.to(device), mask.to(device)
        logits = self._model(input_ids=ids, attention_mask=mask).logits
        if tuple(logits.shape[:2]) != tuple(ids.shape) or logits.ndim != 3:
            raise LogProbabilityError(
                f"the model returned logits of shape {tuple(logits.shape)} for tokens of shape "
                f"{tuple(ids.shape)}; a causal model returns (texts, tokens, vocabulary)"
            )
        said = of(logits[:, :-1].float(), ids[:, 1:], torch).cpu().numpy().astype(float)
        return [said[i, : max(len(row) - 1, 0)] for i, row in enumerate(rows)]

    def _check_lengths(self, rows: list[tuple[int, ...]]) -> None:
        config = getattr(self._model, "config", None)
        most = getattr(config, "max_position_embeddings", None) or getattr(
            config, "n_positions", None
        )
        longest = max(map(len, rows), default=0)
        if isinstance(most, int) and longest > most:
            raise LogProbabilityError(
                f"a text has {longest:,} tokens, and the model takes {most:,}; shorten what stands "
                "before the secret, with context= or in the template"
            )


def causal_model(
    model: Any, tokenizer: Any, *, bos: int | str | None = "auto", batch: int = 32
) -> CausalModel:
    """A function from texts to log-probabilities of tokens, for `score`, of a causal model.

    Parameters
    ----------
    model : callable
        ``model(input_ids=, attention_mask=).logits``, such as
        ``transformers.AutoModelForCausalLM`` or one that PEFT wrapped.
    tokenizer : callable
        ``tokenizer(texts, add_special_tokens=False)["input_ids"]``.
    bos : int, "auto" or None
        The token that stands before each text, so that its first token is scored, too. "auto" is
        the tokenizer's ``bos_token_id``, if it has one; None none.
    batch : int
        Texts in one call of the model.

    Returns
    -------
    CausalModel

    Raises
    ------
    TypeError
        What cannot be called.

    Notes
    -----
    Texts are padded on the right, where a causal model does not look, and the model is put into
    its evaluation mode for the call, without gradients.
    """
    _checks.function(model, "model", "a causal model, called with input_ids= and attention_mask=")
    _checks.function(tokenizer, "tokenizer", "a tokenizer, called with texts")
    if bos == "auto":
        first = getattr(tokenizer, "bos_token_id", None)
    elif isinstance(bos, str):
        raise ValueError(f"bos must be a token's number, 'auto' or None, got {bos!r}")
    else:
        first = bos
    start = None if first is None else _checks.count(first, "bos")
    return CausalModel(model, tokenizer, start, _checks.count(batch, "batch", least=1))


def _log_probabilities(logits: Any, ids: Any, torch: Any) -> Any:
    return torch.log_softmax(logits, -1).gather(-1, ids[..., None])[..., 0]


def _standardized(logits: Any, ids: Any, torch: Any) -> Any:
    logs = torch.log_softmax(logits, -1)
    probabilities = logs.exp()
    mean = (probabilities * logs).sum(-1)
    spread = (probabilities * (logs - mean[..., None]) ** 2).sum(-1).sqrt()
    own = logs.gather(-1, ids[..., None])[..., 0]
    return torch.where(spread > 0, (own - mean) / spread, torch.zeros_like(own))


def _device(model: Any) -> Any:
    parameters = getattr(model, "parameters", None)
    if parameters is None:
        return None
    first = next(iter(parameters()), None)
    return None if first is None else first.device
