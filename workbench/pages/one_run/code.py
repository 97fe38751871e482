"""The Python that reproduces a page on one run: its guesses, their bounds, and the page itself."""

from __future__ import annotations

from typing import Any

from workbench.bounds.bound import Bound
from workbench.onerun.guesses import Guesses
from workbench.onerun.simulate import CanaryMechanism, Memoryless
from workbench.onerun.tuning import Tuning
from workbench.pages.one_run.audit import FAMILY, OneRunAudit
from workbench.pages.one_run.source import COUNTS, RULE, SIMULATOR

#: What a view keeps besides its run.
KEPT = (
    *("show", *FAMILY, "confidence", "tuned", *RULE, "rule_moved", "looked"),
    *(*SIMULATOR, "log_canaries", "seed", "seeds"),
)


def one_run_code(page: OneRunAudit, spec: dict[str, Any]) -> str:
    """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore_one_run``."""
    guesses = page.guesses()
    if isinstance(guesses, str):
        return f"import workbench as wb\n\n# {guesses}\n"
    given = {"counts": ["guesses"], "simulate": []}.get(page.source, ["run"])
    kept = {name: spec[name] for name in KEPT if name in spec} if given else spec
    lines = ["import workbench as wb", *_run_code(page, guesses)]
    lines += [
        f"{name.replace('-', '_')} = wb.one_run_bound(guesses, {_arguments(page.asked(name))})"
        for name, bound in page.by_method().items()
        if isinstance(bound, Bound)
    ]
    if isinstance(page.tuning(), Tuning):
        lines.append(f"tuning = wb.tune_one_run(run, {_arguments(page.asked(page.tuned))})")
    explored = ", ".join([*given, f"spec={kept!r}"])
    return "\n".join([*lines, f"view = wb.explore_one_run({explored})", ""])


def _run_code(page: OneRunAudit, guesses: Guesses) -> list[str]:
    if page.source == "counts":
        known = {name: getattr(page, name) for name in COUNTS[:3]}
        counts = dict(zip(("canaries", "guesses", "correct"), known.values(), strict=True))
        more = {"included": page.included or None, "design": page.design}
        return ["", f"guesses = wb.Guesses({_arguments({**counts, **more})})"]
    rule = (
        {"threshold": page.threshold}
        if page.rule == "threshold"
        else {"k_in": guesses.rule.k_in, "k_out": guesses.rule.k_out}  # type: ignore[union-attr]
    )
    made = [f"guesses = run.guess({_arguments(rule)})"]
    if page.source == "simulate":
        kind, text = _mechanism_code(page.simulated())
        imported = f"from workbench.onerun import {kind}"
        return [imported, "", f"run = {text}.run({page.size}, seed={page.seed})", *made]
    if page.source == "given":
        return ["", "# run: as it was given in Python", *made]
    ((name, _),) = page.upload
    how = {"larger_is_member": page.larger_is_member, "design": page.design}
    return ["", f"run = wb.read_one_run({name!r}, {_arguments(how)})", *made]


def _mechanism_code(mechanism: CanaryMechanism) -> tuple[str, str]:
    """The class of a mechanism, and the expression that makes it."""
    kind = type(mechanism).__name__
    if isinstance(mechanism, Memoryless):
        pair = mechanism.of
        return kind, f"{kind}(wb.{type(pair).__name__}({_arguments(pair.parameters)}))"
    return kind, f"{kind}({_arguments(vars(mechanism))})"


def _arguments(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items() if value is not None)
