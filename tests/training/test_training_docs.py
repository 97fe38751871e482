"""The page on training names all kinds of audits and all procedures."""

from pathlib import Path

from workbench.training import AUDITS, PROCEDURES

TEXT = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")


def test_all_kinds_and_procedures_are_named():
    wanted = {*AUDITS, *PROCEDURES} - {"none"}
    assert {name for name in wanted if f"| `{name}` |" not in TEXT} == set()
