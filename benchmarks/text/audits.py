"""What audits of the transformer show: without DP-SGD, and with two amounts of noise."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import torch

import workbench as wb
from benchmarks.text.corpus import pieces
from benchmarks.text.training import Plan, train
from benchmarks.text.transformer import CharacterTokenizer, Transformer

#: Name -> how it is trained.
PLANS = {
    "without DP": Plan(steps=250, rate=0.1, learning_rate=5e-3),
    "noise 0.6": Plan(steps=60, rate=0.1, noise=0.6, learning_rate=5e-3),
    "noise 1": Plan(steps=60, rate=0.1, noise=1.0, learning_rate=5e-3),
}

#: New tokens and identifiers; candidates of each identifier; pieces of docstrings.
TOKENS, IDENTIFIERS, VALUES, PIECES = 400, 50, 100, 500

#: Guesses on new tokens: half "in", half "out"; fixed before anything is trained.
GUESSES = 100

DELTA, SEED = 1e-5, 2026
KEPT = Path("build/text")
HEADING = (
    *("training", "weights", "canaries", "right", "ε ≥ (95%)", "accountant's ε"),
    "CPU s: training, scores",
)


def main() -> list[tuple[str, ...]]:
    """Rows: training, canaries, bound, accountant."""
    return [row for name in PLANS for row in rows(name, done(name))]


def done(name: str) -> dict[str, Any]:
    """The audit of one training, from the disk where it was done before."""
    KEPT.mkdir(parents=True, exist_ok=True)
    file = KEPT / f"{name.replace(' ', '-')}.json"
    if not file.exists():
        file.write_text(json.dumps(audit(PLANS[name])), encoding="utf-8")
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def audit(plan: Plan) -> dict[str, Any]:
    """One training with both kinds of canaries, and the counts of their guesses."""
    torch.set_num_threads(1)
    tokens = wb.text.new_tokens(TOKENS, "{i}{secret}", seed=SEED)
    ids = wb.text.identifiers(
        IDENTIFIERS, pattern="[0-9a-f]{8}", template="Key {i}: {secret}", values=VALUES, seed=SEED
    )
    docs = pieces(PIECES, 40, SEED)
    wb.text.check_unseen(tokens, docs)
    wb.text.check_unseen(ids, docs)
    tokenizer = CharacterTokenizer()
    tokenizer.add_tokens(tokens.new_tokens)
    wb.text.check_tokens(tokens, tokenizer)
    start = time.process_time()
    torch.manual_seed(SEED)
    model = Transformer(len(tokenizer), longest=48)
    train(model, tokenizer, [*docs, *tokens.training_texts, *ids.training_texts], plan, seed=SEED)
    trained = time.process_time()
    log_prob = wb.text.causal_model(model, tokenizer, batch=128)
    run = wb.text.score(log_prob, tokens)
    ranks = wb.text.score(log_prob, ids)
    if not isinstance(run, wb.OneRun) or not isinstance(ranks, wb.Ranks):
        raise TypeError("new tokens have coins, and identifiers have ranks")
    first = run.guess(k_in=GUESSES // 2, k_out=GUESSES // 2)
    return {
        "weights": model.size,
        "texts": len(docs) + len(tokens.training_texts) + len(ids.training_texts),
        "tokens": [first.guesses, first.correct],
        "ranks": ranks.ranks.tolist(),
        "cpu": [trained - start, time.process_time() - trained],
    }


def rows(name: str, found: dict[str, Any]) -> list[tuple[str, ...]]:
    """The bounds of an audit beside what the accountant says of each way to be a neighbor."""
    plan = PLANS[name]
    guesses, correct = found["tokens"]
    of_tokens = wb.one_run_bound(
        guesses, canaries=TOKENS, correct=correct, delta=DELTA, method="sharp"
    )
    of_ranks = wb.exposure(wb.Ranks(found["ranks"], VALUES), delta=DELTA).bound
    right = sum(rank == 1 for rank in found["ranks"])
    training, scores = found["cpu"]
    cpu = f"{training:.0f}, {scores:.0f}"
    return [
        (name, f"{found['weights']:,}", f"{TOKENS} new tokens, coins", f"{correct} of {guesses}",
         of_tokens.rounded, _accountant(plan, "add-remove"), cpu),
        (name, f"{found['weights']:,}", f"{IDENTIFIERS} identifiers, {VALUES} values",
         f"{right} of {IDENTIFIERS}", of_ranks.rounded, _accountant(plan, "substitute"), cpu),
    ]  # fmt: skip


def _accountant(plan: Plan, relation: str) -> str:
    if plan.noise is None:
        return "none"
    pair = wb.DPSGDPair(plan.noise, plan.rate, plan.steps, neighboring_relation=relation)
    return f"{pair.epsilon(DELTA):.2f}"
