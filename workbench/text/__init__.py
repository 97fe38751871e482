"""Canaries for language models, and their scores: what was drawn, and what the model says of it.

- `making` makes canaries: new tokens, random sequences, identifiers. `laws` are what their secrets
  are drawn from, `draws` the random numbers that each version of numpy gives alike, and
  `recognized` finds identifiers that are in a text already.
- `canaries` has `Canaries`: the texts, the coin or the value of each, and the file with which they
  are proved later, which `evidence` writes and checks.
- `checks` looks for secrets in known texts, and for canaries that a tokenizer makes one of.
- `scoring` has `score`: a `OneRun` where canaries were in or out, `Ranks` where each had one of K
  values. `signals` are the scores of the literature, of what `answers` a model gives.
- `choice` takes the score that does best on a share that is not measured.
- `causal` makes log-probabilities of a causal model of Hugging Face, or of one like it.
- `refusals` are the errors.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
