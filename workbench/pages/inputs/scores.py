"""Choosing scores in a few controls, for pages that need several sets of them.

``scores_choice("a")`` is a mixin with the parameters ``a_source``, ``a_example``, ``a_upload``, … ;
a page may hold several under different prefixes. `workbench.pages.inputs.score_source` offers more,
once.
"""

from __future__ import annotations

from typing import Any

import param

from workbench.pages.core.page import Control
from workbench.pages.core.upload import Upload
from workbench.pages.inputs.pair import chosen_pair, pair_choice, pair_controls, pair_parameters
from workbench.pages.inputs.score_source import SAMPLE_SIZES, read_files
from workbench.pages.scores.code import sample_code
from workbench.scores.examples import card, example, examples
from workbench.scores.layouts.apply import scores_from_tables
from workbench.scores.sample import Scores

OWN = ("source", "example", "upload", "larger_is_member", "n")


def scores_choice(prefix: str, example_name: str) -> type:
    """A mixin with the choice of one set of scores; its parameters are named ``prefix_…``."""
    known = examples()
    members: dict[str, Any] = {
        "source": param.Selector(
            default="example",
            objects={
                "Bundled example": "example",
                "My file": "file",
                "Sampled from a pair": "pair",
            },
            label="Scores from",
        ),
        "example": param.Selector(
            default=example_name,
            objects=dict(zip(known["title"], known["name"], strict=True)),
            label="Example",
        ),
        "upload": Upload(
            default=(),
            label="Score file",
            doc="csv, tsv, parquet, feather, npy, npz or json; one file, or one a side (members "
            "first). It stays in this server's memory, for this session only.",
        ),
        "larger_is_member": param.Selector(
            default=True,
            objects={"larger = member": True, "smaller = member": False},
            label="Direction",
            doc="A loss is smaller for members, a match with a canary larger.",
        ),
        "n": param.Selector(
            default=10_000, objects={f"{n:,}": n for n in SAMPLE_SIZES}, label="Samples a side"
        ),
    }
    pair = pair_choice(prefix, optional=False, label="Pair", default="gaussian")
    named = {f"{prefix}_{name}": value for name, value in members.items()}
    return type(f"Scores{prefix.capitalize()}", (pair,), named)


def scores_parameters(prefix: str) -> tuple[str, ...]:
    """Names of all parameters of the choice."""
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
    """The scores as chosen and what they are; None while a file is awaited.

    Raises
    ------
    ValueError
        Files that cannot be read, or whose layout is in doubt.
    """
    source, name, upload, larger, n = (getattr(page, f"{prefix}_{own}") for own in OWN)
    if source == "example":
        return example(name), card(name).title
    if source == "pair":
        pair = chosen_pair(page, prefix)
        if pair is None:
            raise ValueError("choose a pair to sample from")
        return pair.sample(n, seed=seed), f"{n:,} draws a side of {pair.name}, seed {seed}"
    if not upload:
        return None
    scores, layout = scores_from_tables(read_files(upload), larger_is_member=larger)
    return scores, f"file “{scores.name}”: {layout.describe()}"


def choice_code(page: Any, prefix: str, seed: int) -> str:
    """The line that sets ``prefix`` to these scores."""
    source, name, upload, larger, n = (getattr(page, f"{prefix}_{own}") for own in OWN)
    if source == "example":
        return f'{prefix} = wb.example("{name}")'
    if source == "pair":
        return f"{prefix} = {sample_code(chosen_pair(page, prefix), n, seed)}"
    names = ", ".join(repr(file) for file, _ in upload)
    return f"# {prefix} = wb.read_scores(..., larger_is_member={larger}) of {names}"
