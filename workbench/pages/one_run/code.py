"""The Python that reproduces the page: its run or counts, its bounds, and the page itself."""

from __future__ import annotations

from typing import Any

from workbench.bounds.bound import Bound
from workbench.onerun.guesses import Guesses
from workbench.onerun.simulate import CanaryMechanism, Memoryless
from workbench.onerun.tuning import Tuning
from workbench.pages.core.page import Page
from workbench.pages.inputs.code import call, kept, pair_code, script
from workbench.pages.one_run.audit import FAMILY, single
from workbench.pages.one_run.source import RULE, SIMULATOR

#: Methods whose variable has another name, that of the number of the page.
VARIABLES = {"bits-hoeffding": "hoeffding"}

#: A simulated run of which it is stated that nobody drew who was in.
GIVEN_RUN = "run = wb.OneRun(run.scores, run.included, design='given', seed=run.chance)"

#: Settings that a view keeps beside its run.
OWN = (*FAMILY, "tuned", "top", *RULE, "rule_moved", *SIMULATOR, "log_canaries", "seed", "seeds")


def one_run_code(page: Page, spec: dict[str, Any]) -> str:
    """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_one_run``.

    Parameters
    ----------
    page : OneRunPage
    spec : dict
        The settings that ``wb.explore_one_run`` restores.
    """
    guesses = page.guesses()
    if isinstance(guesses, str):
        return script(f"# {guesses}")
    ranks = page.ranks()
    of_data = "run" if ranks is None else "ranks"
    given = {"counts": ["guesses"], "simulate": []}.get(page.source, [of_data])
    asked = page.auditing.asked
    imports, steps = _run_code(page, guesses)
    canaries, coins, pairs = "run", "guesses", page.pairs()
    if not isinstance(pairs, str):
        canaries, coins = "pairs", "of_pairs"
        rule = page.run_source.rule_of_pairs(pairs).arguments
        steps += ["pairs = wb.matched_pairs(run)", f"of_pairs = {call('pairs.guess', **rule)}"]
    for name, bound in page.by_method().items():
        if isinstance(bound, Bound):
            used = "guesses" if single(name, guesses.design) else coins
            value = call("wb.one_run_bound", used, **asked(name))
            steps.append(f"{VARIABLES.get(name, name)} = {value}")
    tuning = page.tuning()
    if isinstance(tuning, Tuning):
        steps.append(f"tuning = {call('wb.tune_one_run', canaries, **asked(page.tuned))}")
        steps += ["claimed = tuning.claimed", "paid = tuning.simultaneous"]
        steps += ["held_out = tuning.held_out"] if tuning.held_out is not None else []
    if isinstance(page.of_scores(), Bound):
        levels = {"delta": page.delta.value, "confidence": page.confidence}
        steps.append(f"from_scores = {call('wb.one_run_score_bound', 'run', **levels)}")
    if page.source == "simulate":
        half = page.run_source.simulated_design == "fixed-half"
        if not half:
            steps.append(f"truth = mechanism.epsilon({page.delta.value!r})")
        elif page.simulated().substituted is not None:
            steps.append(f"truth = float(mechanism.substituted.epsilon({page.delta.value!r}))")
    if ranks is not None:
        steps.append("mean_exposure = ranks.exposures.mean()")
    steps.append(f"counted = {coins}.correct, {coins}.guesses")
    explored = call("wb.explore_one_run", *given, spec=kept(spec, *OWN) if given else spec)
    return script(*steps, f"view = {explored}", imports=imports)


def _run_code(page: Page, guesses: Guesses) -> tuple[list[str], list[str]]:
    """Imports, and the steps that make ``guesses``, and ``run`` where there is one."""
    if page.source == "counts":
        made = call(
            "wb.Guesses",
            canaries=page.canaries,
            guesses=page.guessed,
            correct=page.right,
            **page.run_source.stated_of_counts,
        )
        return [], [f"guesses = {made}"]
    if page.ranks() is not None:
        named = f"guesses = {call('ranks.guesses', top=page.top)}"
        if page.source == "given":
            return [], [f"# ranks: as given in Python\n{named}"]
        (file,) = page.upload
        return [], [f"ranks = {call('wb.read_ranks', repr(file.name))}", named]
    rule = (
        {"threshold": page.threshold}
        if page.rule == "threshold"
        else {"k_in": guesses.rule.k_in, "k_out": guesses.rule.k_out}  # type: ignore[union-attr]
    )
    guessed = f"guesses = {call('run.guess', **rule)}"
    if page.source == "simulate":
        kind, text = _mechanism_code(page.simulated())
        imported = f"from workbench.onerun import {kind}"
        how = {"seed": page.seed}
        if page.run_source.simulated_design != "fair-coins":
            how["design"] = page.run_source.simulated_design
        run = f"run = {call('mechanism.run', str(page.run_source.size), **how)}"
        if page.design == "given":
            run += f"\n{GIVEN_RUN}"
        return [imported], [f"mechanism = {text}\n{run}", guessed]
    if page.source == "given":
        return [], [f"# run: as given in Python\n{guessed}"]
    (file,) = page.upload
    how = {"larger_is_member": page.larger_is_member, "design": page.design}
    audited = page.run()
    if not isinstance(audited, str):
        how["seed"] = audited.chance
    return [], [f"run = {call('wb.read_one_run', repr(file.name), **how)}", guessed]


def _mechanism_code(mechanism: CanaryMechanism) -> tuple[str, str]:
    """The class of a mechanism, and the expression that makes it."""
    kind = type(mechanism).__name__
    if isinstance(mechanism, Memoryless):
        return kind, call(kind, pair_code(mechanism.of))
    return kind, call(kind, **vars(mechanism))
