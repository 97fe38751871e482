"""Audits from one training run: canaries are included at random, and an auditor guesses which.

- `run`: `OneRun`, the scores and inclusions of the canaries; `read` reads one from a file.
- `guesses`: `Guesses`, the counts that an auditor obtains, and the rules `Threshold` and `Ends`.
- `bound`: lower bounds on ε and μ from guesses. Its methods are in `steinke` (Steinke, Nasr and
  Jagielski 2023), `mahloujifar` (Mahloujifar, Melis and Chaudhuri 2024), `per_bit` (Xiang, Wang and
  Wang 2025) and `abstain` (Xiang et al. 2025); `families` are the mechanisms that some assume.
- `judged`: the verdict on a claim from guesses.
- `scored`: bounds from the scores of the canaries, and tests of whether canaries are independent.
- `ranks`: ranks of true values among many candidates, and the exposure of secrets.
- `half`: runs in which a random half was in, made exact by matched pairs, and how stable they are.
- `tuning`: valid bounds after choosing among several guessing rules.
- `simulate`: simulated mechanisms with a known truth; `studies` compares bounds with it, and
  `growth_with_canaries` three methods over the number of canaries, `interference` bounds over the
  strength with which canaries influence each other.
"""

from workbench import _names

__getattr__, __dir__, __all__ = _names.attach(__name__)
