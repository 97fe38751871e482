"""The version is stated in several files, and they agree."""

from pathlib import Path

import workbench as wb

ROOT = Path(__file__).parents[1]


def test_the_changelog_and_the_citation_state_the_version():
    assert f"\n## {wb.__version__} (" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {wb.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
