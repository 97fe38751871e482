"""The Python that reproduces the page: its table, its limits, and the page itself."""

from __future__ import annotations

from typing import Any

from workbench.pages.core.page import Page
from workbench.pages.inputs.code import Name, call, comment, kept, lines, script
from workbench.pages.records.attacks import (
    LIRA,
    RMIA,
    SIGNAL,
    ComparedAttacks,
    Together,
)
from workbench.workspaces.score_tables.sources import (
    DrawnTableSource,
    ExampleTableSource,
    TableSource,
)

#: Settings that a view keeps beside its table.
OWN = ("epsilon", "by", "group", "rank", "larger_is_member", "scores_are", "fpr")


def records_code(page: Page, spec: dict[str, Any]) -> str:
    """Lines to run in a notebook or a script.

    Parameters
    ----------
    page : RecordsPage
    spec : dict
        For ``wb.explore``.
    """
    asked = {"delta": page.delta.value, "confidence": page.confidence}
    found = page.selected()
    steps = [_table_code(page)]
    if page.larger_is_member is not _direction(page):
        steps.append(
            f"table = dataclasses.replace(table, larger_is_member={page.larger_is_member})"
        )
    if not isinstance(page.ranking(), str):
        steps += [
            f"limits = {call('table.each_record', **asked)}",
            f"worst = {call('table.worst_record', **asked)}",
            f"exceeding = int((limits.values > {page.epsilon!r}).sum())",
            f"average = {call('table.pooled', **asked)}",
            f"maximum = {call('table.uncorrected_maximum', **asked)}",
        ]
    if found is not None:
        name = page.table.record_names[found]
        steps.append(
            f"record_scores = table.record({name.item() if hasattr(name, 'item') else name!r})"
        )
    compared = page.comparison()
    if isinstance(compared, ComparedAttacks):
        steps.append(_attacks_code(page, compared))
    steps.append(f"view = {call('wb.explore', 'table', spec=kept(spec, *OWN))}")
    turned = "dataclasses.replace" in "".join(steps)
    return script(*steps, imports=[*(["import dataclasses"] if turned else [])])


def _attacks_code(page: Page, compared: ComparedAttacks) -> str:
    """The step that compares attacks."""
    fields = ["records", "present", "sampling"]
    signals = call(
        "wb.SignalTable",
        "table.scores",
        "table.member",
        kind=page.scores_are,
        **{name: Name(f"table.{name}") for name in fields},
    )
    t = compared.together
    together = ""
    if isinstance(t, Together):
        limits = call("overlap.each_record", delta=t.delta, confidence=t.confidence)
        together = f"together = {limits}"
    return lines(
        f"signals = {signals}",
        "lira, rmia = signals.lira(), signals.rmia()",
        "itself = signals.as_scores().of_models(lira.models)",
        f'attacks = {{"{SIGNAL}": itself, "{LIRA}": lira, "{RMIA}": rmia}}',
        f"overlap = {call('wb.compare_attacks', 'attacks', fpr=compared.fpr)}",
        together,
    )


def _direction(page: Page) -> bool:
    """The direction of the table as the first step makes it."""
    return (
        page.table.larger_is_member
        if page.source.dataset is None
        else page.source.dataset.reading.larger_is_member
    )


def _table_code(page: Page) -> str:
    """The step that makes ``table``."""
    dataset = page.source.dataset
    if dataset is None:
        return comment("table: as given in Python")
    source = dataset.source
    if isinstance(source, ExampleTableSource):
        return f"table = {call('wb.example_table', repr(source.name))}"
    if isinstance(source, DrawnTableSource):
        return f"table = {call('wb.Workspace().table', repr(source.key))}"
    said = comment(f"“{dataset.name}”, as it is kept in the workspace of this computer")
    if isinstance(source, TableSource) and source.names:
        said += "\n" + comment(f"its files were {', '.join(source.names[:3])}")
    return f"{said}\ntable = wb.recorded_table({dataset.sha256!r})"
