"""The choice of the two data sets of a page that compares them.

`ScoresA` and `ScoresB` declare the same parameters under their own prefix.
"""

from __future__ import annotations

import param

from workbench.pages.inputs.data import DataChoice, DataInput, SizeChoice, example_key
from workbench.pages.inputs.pair import (
    kind_selector,
    mu_slider,
    noise_slider,
    response_delta_slider,
    response_epsilon_slider,
    sampling_rate_slider,
)

#: The two choices by their prefix; the first is the current data set.
INPUTS = {
    side: DataInput(f"{side}_data", side, f"{side}_seed", menu=side == "a") for side in ("a", "b")
}


class ScoresA(param.Parameterized):
    """The choice of the first data set, under the prefix ``a``."""

    a_data = DataChoice(example_key("subsampled-gaussian"), input=INPUTS["a"], label="Data of A")
    a_n = SizeChoice()
    a_seed = param.Integer(0, precedence=-1, doc="Seed of A's sample.")
    a_kind = kind_selector("Pair", "gaussian")
    a_mu = mu_slider()
    a_q = sampling_rate_slider()
    a_sigma = noise_slider()
    a_epsilon = response_epsilon_slider()
    a_pure_delta = response_delta_slider()


class ScoresB(param.Parameterized):
    """The choice of the second data set, under the prefix ``b``."""

    b_data = DataChoice(example_key("gaussian"), input=INPUTS["b"], label="Data of B")
    b_n = SizeChoice()
    b_seed = param.Integer(1, precedence=-1, doc="Seed of B's sample.")
    b_kind = kind_selector("Pair", "gaussian")
    b_mu = mu_slider()
    b_q = sampling_rate_slider()
    b_sigma = noise_slider()
    b_epsilon = response_epsilon_slider()
    b_pure_delta = response_delta_slider()
