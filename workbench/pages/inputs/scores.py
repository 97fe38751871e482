"""The choice of score samples in a few controls, for pages that need two sets of scores.

`ScoresA` and `ScoresB` declare the same parameters under their own prefix; the functions below take
the prefix. `workbench.pages.inputs.score_source` offers more controls for a single set.
"""

from __future__ import annotations

from typing import Any

import param

from workbench.pages.core.page import Control
from workbench.pages.inputs.code import call, sample_code
from workbench.pages.inputs.pair import (
    chosen_pair,
    kind_selector,
    mu_slider,
    noise_slider,
    pair_controls,
    pair_parameters,
    response_delta_slider,
    response_epsilon_slider,
    sampling_rate_slider,
)
from workbench.pages.inputs.score_source import (
    SAMPLE_SIZES,
    direction_selector,
    read_files,
    score_upload,
)
from workbench.scores.examples import card, example, examples
from workbench.scores.layouts.apply import scores_from_tables
from workbench.scores.sample import Scores

#: The choice's own parameters, beside those of a pair; their names follow the prefix.
OWN = ("source", "example", "upload", "larger_is_member", "n")


def source_selector() -> param.Selector:
    """Where the scores come from."""
    sources = {"Bundled example": "example", "My file": "file", "Sampled from a pair": "pair"}
    return param.Selector(default="example", objects=sources, label="Scores from")


def example_selector(default: str) -> param.Selector:
    """The bundled examples by their titles."""
    known = examples()
    titles = dict(zip(known["title"], known["name"], strict=True))
    return param.Selector(default=default, objects=titles, label="Example")


def size_selector() -> param.Selector:
    """How many scores are sampled from each distribution of a pair."""
    sizes = {f"{n:,}": n for n in SAMPLE_SIZES}
    return param.Selector(default=10_000, objects=sizes, label="Samples per group")


class ScoresA(param.Parameterized):
    """The choice of the first set of scores, under the prefix ``a``."""

    a_source = source_selector()
    a_example = example_selector("subsampled-gaussian")
    a_upload = score_upload()
    a_larger_is_member = direction_selector()
    a_n = size_selector()
    a_kind = kind_selector("Pair", "gaussian")
    a_mu = mu_slider()
    a_q = sampling_rate_slider()
    a_sigma = noise_slider()
    a_epsilon = response_epsilon_slider()
    a_pure_delta = response_delta_slider()


class ScoresB(param.Parameterized):
    """The choice of the second set of scores, under the prefix ``b``."""

    b_source = source_selector()
    b_example = example_selector("gaussian")
    b_upload = score_upload()
    b_larger_is_member = direction_selector()
    b_n = size_selector()
    b_kind = kind_selector("Pair", "gaussian")
    b_mu = mu_slider()
    b_q = sampling_rate_slider()
    b_sigma = noise_slider()
    b_epsilon = response_epsilon_slider()
    b_pure_delta = response_delta_slider()


def scores_parameters(prefix: str) -> tuple[str, ...]:
    """Names of the choice's parameters."""
    return (*(f"{prefix}_{name}" for name in OWN), *pair_parameters(prefix))


def scores_controls(prefix: str) -> tuple[Control, ...]:
    """The choice's controls."""

    def when(source: str) -> Any:
        return lambda page: getattr(page, f"{prefix}_source") == source

    return (
        Control(f"{prefix}_source"),
        Control(f"{prefix}_example", when=when("example")),
        Control(f"{prefix}_upload", when=when("file")),
        Control(f"{prefix}_larger_is_member", when=when("file")),
        *pair_controls(prefix, when=when("pair")),
        Control(f"{prefix}_n", when=when("pair")),
    )


def chosen_scores(page: Any, prefix: str, seed: int) -> tuple[Scores, str] | None:
    """The scores as chosen, with a description; None until there is a file.

    Parameters
    ----------
    page : Page
        With the parameters of the prefix.
    prefix : str
    seed : int
        For scores that are sampled from a pair.

    Raises
    ------
    ValueError
        Files that cannot be read, or whose layout is ambiguous.
    """
    source, name, upload, larger, n = (getattr(page, f"{prefix}_{own}") for own in OWN)
    if source == "example":
        return example(name), card(name).title
    if source == "pair":
        pair = chosen_pair(page, prefix)
        return pair.sample(n, seed=seed), f"{n:,} samples per group from {pair.name}, seed {seed}"
    if not upload:
        return None
    scores, layout = scores_from_tables(read_files(upload), larger_is_member=larger)
    return scores, f"file “{scores.name}”: {layout.describe()}"


def choice_code(page: Any, prefix: str, seed: int) -> str:
    """The line of Python that sets a variable named ``prefix`` to the chosen scores."""
    source, name, upload, larger, n = (getattr(page, f"{prefix}_{own}") for own in OWN)
    if source == "example":
        return f"{prefix} = {call('wb.example', repr(name))}"
    if source == "pair":
        return f"{prefix} = {sample_code(chosen_pair(page, prefix), n, seed)}"
    names = ", ".join(repr(file) for file, _ in upload)
    return f"# {prefix} = wb.read_scores(..., larger_is_member={larger}) of {names}"
