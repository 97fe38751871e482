"""The Python that reproduces the page: its run or counts, its bounds, and the page itself."""

from __future__ import annotations

from typing import Any

from workbench.bounds.bound import Bound
from workbench.onerun.guesses import Guesses
from workbench.onerun.simulate import CanaryMechanism, Memoryless
from workbench.onerun.tuning import Tuning
from workbench.pages.inputs.code import call, kept, pair_code, script
from workbench.pages.one_run.audit import FAMILY, OneRunAudit
from workbench.pages.one_run.source import RULE, SIMULATOR

#: Settings that a view keeps beside its run.
OWN = (*FAMILY, "tuned", *RULE, "rule_moved", *SIMULATOR, "log_canaries", "seed", "seeds")


def one_run_code(page: OneRunAudit, spec: dict[str, Any]) -> str:
    """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_one_run``."""
    guesses = page.guesses()
    if isinstance(guesses, str):
        return script(f"# {guesses}")
    given = {"counts": ["guesses"], "simulate": []}.get(page.source, ["run"])
    imports, lines = _run_code(page, guesses)
    lines += [
        f"{name.replace('-', '_')} = {call('wb.one_run_bound', 'guesses', **page.asked(name))}"
        for name, bound in page.by_method().items()
        if isinstance(bound, Bound)
    ]
    if isinstance(page.tuning(), Tuning):
        lines.append(f"tuning = {call('wb.tune_one_run', 'run', **page.asked(page.tuned))}")
    explored = call("wb.explore_one_run", *given, spec=kept(spec, *OWN) if given else spec)
    return script(*lines, f"view = {explored}", imports=imports)


def _run_code(page: OneRunAudit, guesses: Guesses) -> tuple[list[str], list[str]]:
    """Imports, and the lines that make ``guesses``, and ``run`` where there is one."""
    if page.source == "counts":
        made = call(
            "wb.Guesses",
            canaries=page.canaries,
            guesses=page.guessed,
            correct=page.right,
            included=page.included or None,
            design=page.design,
        )
        return [], [f"guesses = {made}"]
    rule = (
        {"threshold": page.threshold}
        if page.rule == "threshold"
        else {"k_in": guesses.rule.k_in, "k_out": guesses.rule.k_out}  # type: ignore[union-attr]
    )
    guessed = f"guesses = {call('run.guess', **rule)}"
    if page.source == "simulate":
        kind, text = _mechanism_code(page.simulated())
        imported = f"from workbench.onerun import {kind}"
        return [imported], [f"run = {call(f'{text}.run', str(page.size), seed=page.seed)}", guessed]
    if page.source == "given":
        return [], ["# run: as given in Python", guessed]
    ((name, _),) = page.upload
    how = {"larger_is_member": page.larger_is_member, "design": page.design}
    return [], [f"run = {call('wb.read_one_run', repr(name), **how)}", guessed]


def _mechanism_code(mechanism: CanaryMechanism) -> tuple[str, str]:
    """The class of a mechanism, and the expression that makes it."""
    kind = type(mechanism).__name__
    if isinstance(mechanism, Memoryless):
        return kind, call(kind, pair_code(mechanism.of))
    return kind, call(kind, **vars(mechanism))
