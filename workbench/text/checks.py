"""Whether canaries are what they seem: unknown to the model, and different for its tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from workbench import _checks
from workbench.scores.refusals import quoted
from workbench.text.canaries import Canaries
from workbench.text.refusals import CanaryTextError

#: Alternatives of each canary that are compared with it, in tokens.
_COMPARED = 20


def check_unseen(canaries: Canaries, texts: str | Iterable[str]) -> None:
    """Nothing; an error where a secret occurs in texts that the model knows already.

    Parameters
    ----------
    canaries : Canaries
    texts : str or iterable of str
        The pretraining text, or what is known of it, and the training texts without the canaries.

    Raises
    ------
    CanaryTextError
        A secret that occurs there: a model that knows it without the training scores it high, in
        or out.
    """
    _checks.instance(canaries, Canaries, "canaries", "workbench canaries of texts")
    need = "a text, or texts one after the other"
    _checks.instance(texts, Iterable, "texts", need)
    found: dict[str, None] = {}
    for text in (texts,) if isinstance(texts, str) else texts:
        _checks.text(text, "texts")
        found |= dict.fromkeys(one for one in canaries.secrets if one in text)
    if found:
        first = next(iter(found))
        raise CanaryTextError(
            f"{len(found)} of {len(canaries)} secrets occur in the texts, the first {quoted(first)}"
            ": the model knows them without the training, so that neither coin nor alternative "
            "shows in it; draw longer secrets, or leave these texts out"
        )


def check_tokens(canaries: Canaries, tokenizer: Any) -> None:
    """Nothing; an error where a tokenizer makes one of two canaries, or parts of a new token.

    Parameters
    ----------
    canaries : Canaries
    tokenizer : callable
        As of Hugging Face: ``tokenizer(texts, add_special_tokens=False)["input_ids"]``.

    Raises
    ------
    CanaryTextError
        Two canaries, or a canary and an alternative, with the same tokens: case, spaces or rare
        characters are lost, and no score can tell them apart; a new token that is several tokens,
        or an unknown one.
    """
    _checks.instance(canaries, Canaries, "canaries", "workbench canaries of texts")
    seen: dict[tuple[int, ...], int] = {}
    for i, ids in enumerate(token_ids(tokenizer, canaries.texts)):
        if ids in seen:
            raise CanaryTextError(
                f"canaries {seen[ids]} and {i} have the same {len(ids)} tokens, so that no model "
                f"tells {quoted(canaries.texts[seen[ids]])} from {quoted(canaries.texts[i])}; add "
                "their tokens to the tokenizer, or draw secrets of characters that it knows"
            )
        seen[ids] = i
        if canaries.design == "alternatives":
            _check_alternatives(canaries, i, ids, tokenizer)
    if canaries.new_tokens:
        unknown = getattr(tokenizer, "unk_token_id", None)
        for i, ids in enumerate(token_ids(tokenizer, canaries.new_tokens)):
            if len(ids) != 1 or ids[0] == unknown:
                raise CanaryTextError(
                    f"the new token {quoted(canaries.secrets[i])} is "
                    f"{'unknown' if len(ids) == 1 else f'{len(ids)} tokens'} to the tokenizer; "
                    "call tokenizer.add_tokens(list(canaries.new_tokens)) first, and "
                    "model.resize_token_embeddings(len(tokenizer))"
                )


def _check_alternatives(canaries: Canaries, i: int, ids: tuple[int, ...], tokenizer: Any) -> None:
    _, batches = canaries.candidates(i, batch=_COMPARED)
    some = [text for text in next(batches) if text != canaries.texts[i]]
    for text, found in zip(some, token_ids(tokenizer, some), strict=True):
        if found == ids:
            raise CanaryTextError(
                f"canary {i} and its alternative {quoted(text)} have the same {len(ids)} tokens, "
                "so that no model tells them apart; draw secrets of characters that the "
                "tokenizer knows"
            )


def token_ids(tokenizer: Any, texts: Sequence[str]) -> list[tuple[int, ...]]:
    """The tokens of each text, without those that a tokenizer adds at the ends.

    Parameters
    ----------
    tokenizer : callable
    texts : sequence of str

    Raises
    ------
    TypeError
        What is called returns no ``input_ids``.
    """
    need = "a tokenizer such as transformers.AutoTokenizer.from_pretrained(...)"
    _checks.function(tokenizer, "tokenizer", need)
    if not texts:
        return []
    made = tokenizer(list(texts), add_special_tokens=False)
    try:
        rows = made["input_ids"]
        ids = [tuple(int(one) for one in row) for row in rows]
    except (TypeError, KeyError, IndexError, ValueError):
        raise TypeError(
            f"the tokenizer must return input_ids, a list of numbers for each text; got "
            f"{_checks.shown(made)}"
        ) from None
    if len(ids) != len(texts):
        raise TypeError(f"the tokenizer returned {len(ids)} lists of tokens for {len(texts)} texts")
    return ids
