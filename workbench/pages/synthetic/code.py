"""The Python that reproduces the page: its tables, its audit, and the page itself."""

from __future__ import annotations

from typing import Any

from workbench.pages.core.page import Page
from workbench.pages.inputs.code import call, comment, duration, kept, lines, script
from workbench.pages.synthetic.columns import arguments_of
from workbench.pages.synthetic.tables import EXAMPLE, EXAMPLE_OF, FILES, GIVEN, ONE_TABLE
from workbench.pages.synthetic.threats import EXACT

#: Settings that a view keeps beside its audit.
OWN = ("attack", "guess_share", "rank")


def synthetic_code(page: Page, spec: dict[str, Any]) -> str:
    """Lines to run in a notebook or a script; ``spec`` is for ``wb.explore``.

    Parameters
    ----------
    page : SyntheticPage
    spec : dict
        The settings that ``wb.explore`` restores.
    """
    if page.source == ONE_TABLE:
        return _split_code(page, spec)
    made = _audit_code(page)
    if not made:
        return script(f"view = {call('wb.explore', repr('synthetic'), spec=spec)}")
    steps, found = [made], page.result()
    if found is not None:
        asked = {"delta": page.delta.value, "confidence": page.confidence}
        steps += [
            f"epsilon = {call('audit.epsilon', **asked)}",
            f"together = {call('audit.epsilon', **asked, attack='all')}",
            "made = audit.attack('chosen').guess()\ncounted = made.correct, made.guesses",
            "split_tested = audit.split_test.p_value",
            f"exact = next(one for one in audit.threats() if one.label == {EXACT!r})\n"
            "copies = exact.hits, exact.members",
        ]
        rule = page.rule_in_view()
        if page.guesses_moved or page.measuring.in_view(found).name != found.chosen:
            name = page.measuring.in_view(found).name
            guess = call("run.guess", **rule.arguments)
            here = call("wb.one_run_bound", guess, **asked, method="sharp")
            steps.append(f"run = audit.attack({name!r}).run\nepsilon_here = {here}")
        if page.promised.text:
            claim, level = repr(page.promised.text), page.confidence
            steps.append(f"verdict = {call('audit.judge', claim, confidence=level)}")
    given = call("wb.explore", "audit", spec=kept(spec, *OWN))
    return script(*steps, f"view = {given}")


def _audit_code(page: Page) -> str:
    """The step that makes ``audit``; "" where the tables are not all there."""
    found = page.result()
    chosen = page.measuring.stated.choices if found is None else found.stated.choices
    if page.source == GIVEN:
        return comment("audit: as given in Python")
    how: dict[str, Any] = {"split": chosen["split"], "seed": chosen["seed"]}
    how |= arguments_of(chosen)
    if page.source == EXAMPLE:
        tables = call("wb.synthetic.example", repr(EXAMPLE_OF[0]), seed=EXAMPLE_OF[1])
    elif page.source == FILES and page.three.files and chosen["split"] is not None:
        tables = "(" + ", ".join(repr(file.name) for file in page.three.files.values()) + ")"
    else:
        return ""
    return lines(
        f"tables = {tables}",
        duration(page, "measure"),
        f"audit = {call('wb.SyntheticAudit', '*tables', **how)}",
    )


def _split_code(page: Page, spec: dict[str, Any]) -> str:
    view = f"view = {call('wb.explore', repr('synthetic'), spec=spec)}"
    files = page.whole_upload or ()
    if page.whole_table is None or len(files) != 1:
        return script(view)
    how = {"unit": page.split_unit or None, "seed": page.split_seed}
    return script(
        lines(
            f"table = pd.read_csv({files[0].name!r})",
            f"train, holdout = {call('wb.synthetic.split_by_coin', 'table', **how)}",
            "train.to_csv('train.csv', index=False)",
            "holdout.to_csv('holdout.csv', index=False)",
        ),
        view,
        imports=["import pandas as pd"],
    )
