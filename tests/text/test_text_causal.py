"""Scores of a causal model: a small transformer, made and trained here, in the duck's clothes."""

import math

import numpy as np
import pytest

import workbench as wb

torch = pytest.importorskip("torch")

from benchmarks import __main__ as benchmarks  # noqa: E402
from benchmarks.text import audits, command, corpus  # noqa: E402
from benchmarks.text.training import Plan, clipped, rows, train  # noqa: E402
from benchmarks.text.transformer import CharacterTokenizer, Output, Transformer, loss  # noqa: E402

TEXTS = ["a line of text", "another", "x", "the last one, and the longest of all"]


@pytest.fixture(scope="module")
def tokenizer():
    return CharacterTokenizer()


@pytest.fixture(scope="module")
def model(tokenizer):
    torch.manual_seed(0)
    return Transformer(len(tokenizer), longest=48, width=16, layers=1, heads=2)


# -- the adapter -----------------------------------------------------------------------------------


def by_hand(model, ids):
    """Log-probability of each token after the first, one text alone, and what Min-K%++ makes."""
    with torch.no_grad():
        logs = torch.log_softmax(model(torch.tensor([ids])).logits[0].double(), -1).numpy()
    plain, standard = [], []
    for before, token in enumerate(ids[1:]):
        p = np.exp(logs[before])
        mean = (p * logs[before]).sum()
        spread = math.sqrt((p * (logs[before] - mean) ** 2).sum())
        plain.append(logs[before][token])
        standard.append((logs[before][token] - mean) / spread)
    return np.array(plain), np.array(standard)


@pytest.mark.parametrize("batch", [1, 3, 32])
def test_each_text_has_the_log_probabilities_it_has_alone(model, tokenizer, batch):
    log_prob = wb.text.causal_model(model, tokenizer, batch=batch)
    found, standard = log_prob(TEXTS), log_prob.standardized(TEXTS)
    for text, row, other in zip(TEXTS, found, standard, strict=True):
        plain, expected = by_hand(model, tokenizer([text])["input_ids"][0])
        assert row == pytest.approx(plain, abs=1e-4)
        assert other == pytest.approx(expected, abs=1e-3)


def test_a_training_that_is_watched_gets_the_scores_of_its_texts(model, tokenizer):
    canaries = wb.text.identifiers(8, "md5", design="coin", template="{secret}", seed=1)
    found = wb.live.text_scores(canaries, tokenizer)(model)
    scored = wb.text.score(wb.text.causal_model(model, tokenizer), canaries)
    assert found == pytest.approx(scored.scores)
    assert np.array_equal(wb.live.text_canaries(canaries).included, canaries.included)


def test_without_a_first_token_the_first_character_is_not_scored(model, tokenizer):
    log_prob = wb.text.causal_model(model, tokenizer, bos=None)
    assert [row.size for row in log_prob(TEXTS)] == [len(text) - 1 for text in TEXTS]
    assert [row.size for row in log_prob(["x"])] == [0]
    assert wb.text.causal_model(model, tokenizer, bos=3)._bos == 3


def test_the_mode_of_the_model_is_as_it_was(model, tokenizer):
    seen = []

    class Watched(torch.nn.Module):
        def forward(self, input_ids, attention_mask):
            seen.append((self.training, torch.is_grad_enabled(), attention_mask.sum().item()))
            return model(input_ids)

    watched = Watched()
    wb.text.causal_model(watched, tokenizer)(["abc"])
    assert watched.training
    assert seen == [(False, False, 4)]


class Flat:
    """A model with logits of another shape, and a limit."""

    def __call__(self, input_ids, attention_mask):
        return Output(torch.zeros(1, 2))


class Config:
    max_position_embeddings = 10


def test_other_shapes_and_texts_that_are_too_long_are_told(model, tokenizer):
    with pytest.raises(wb.text.LogProbabilityError, match=r"logits of shape \(1, 2\)"):
        wb.text.causal_model(Flat(), tokenizer)(["abc"])
    model.config = Config()
    try:
        with pytest.raises(wb.text.LogProbabilityError, match="37 tokens, and the model takes 10"):
            wb.text.causal_model(model, tokenizer)(TEXTS)
    finally:
        del model.config


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        (lambda t: wb.text.causal_model("gpt2", t), TypeError, "a causal model, called with"),
        (lambda t: wb.text.causal_model(t, "gpt2"), TypeError, "a tokenizer, called with"),
        (lambda t: wb.text.causal_model(t, t, bos="<s>"), ValueError, "bos must be a token's"),
        (lambda t: wb.text.causal_model(t, t, batch=0), ValueError, "batch must be"),
    ],
)
def test_what_is_no_model_is_told(tokenizer, call, kind, says):
    with pytest.raises(kind, match=says):
        call(tokenizer)


# -- the training of the benchmark -----------------------------------------------------------------


def test_gradients_are_clipped_text_by_text(model, tokenizer):
    x, mask = rows(tokenizer, TEXTS)
    plan = Plan(steps=1, rate=1.0, noise=1.0, clip=0.5, at_once=3)
    found = clipped(model, x, mask, plan)
    total = {name: torch.zeros_like(one) for name, one in model.named_parameters()}
    for i in range(len(TEXTS)):
        model.zero_grad()
        loss(model(x[i]).logits, x[i], mask[i]).backward()
        norm = torch.cat([one.grad.flatten() for one in model.parameters()]).norm()
        for name, one in model.named_parameters():
            total[name] += one.grad * min(1.0, 0.5 / norm)
    for name, one in found.items():
        assert torch.allclose(one, total[name], atol=1e-5), name


def test_a_small_model_is_trained_and_audited_here(tokenizer):
    tokenizer = CharacterTokenizer()
    canaries = wb.text.new_tokens(80, "{i}{secret}", seed=1)
    tokenizer.add_tokens(canaries.new_tokens)
    wb.text.check_tokens(canaries, tokenizer)
    torch.manual_seed(1)
    model = Transformer(len(tokenizer), longest=12, width=24, layers=1, heads=2)
    train(model, tokenizer, canaries.training_texts, Plan(60, 0.5, learning_rate=0.02), seed=1)
    run = wb.text.score(wb.text.causal_model(model, tokenizer), canaries)
    guessed = run.guess(k_in=15, k_out=15)
    assert guessed.correct == 30
    private = Transformer(len(tokenizer), longest=12, width=24, layers=1, heads=2)
    plan = Plan(3, 0.5, noise=20.0, learning_rate=0.02)
    train(private, tokenizer, canaries.training_texts, plan, seed=1)
    hidden = wb.text.score(wb.text.causal_model(private, tokenizer), canaries)
    bound = wb.one_run_bound(hidden.guess(k_in=15, k_out=15), delta=1e-5, method="sharp")
    assert bound.value <= wb.DPSGDPair(20.0, 0.5, 3).epsilon(1e-5)


def test_the_corpus_comes_with_python():
    some = corpus.pieces(20, 40, 1)
    assert len(set(some)) == 20
    assert {len(one) for one in some} == {40}
    with pytest.raises(ValueError, match="fewer than"):
        corpus.pieces(10**6, 40, 1)


def test_an_audit_is_kept_and_counted(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(audits, "KEPT", tmp_path)
    kept = {"weights": 9, "texts": 8, "tokens": [100, 100], "ranks": [1] * 50, "cpu": [3.0, 1.0]}
    monkeypatch.setattr(audits, "audit", lambda plan: kept)
    table = audits.main()
    monkeypatch.setattr(audits, "audit", None)  # all is there
    assert audits.main() == table
    assert len(table) == 6
    assert table[0][3:] == ("100 of 100", "3.49", "none", "3, 1")
    assert float(table[2][5]) < float(table[3][5])  # substituting is more than adding
    assert benchmarks.main(["text", "nothing"]) == 2
    assert benchmarks.main(["text"]) == 0
    assert "accountant's ε" in capsys.readouterr().out
    assert set(command.TABLES) == {"audits"}
