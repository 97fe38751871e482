"""A page takes any confidence, offers it, and is restored with it to the last digit."""

import pytest

from workbench.audits.series.spending import confidence_at
from workbench.pages.family import FamilyPage
from workbench.pages.inputs.settings import LEVELS
from workbench.pages.scores.page import ScoresPage


@pytest.mark.parametrize("kind", [ScoresPage, FamilyPage])
def test_a_level_of_a_series_is_kept_and_restored(kind):
    level = confidence_at(2)
    page = kind(confidence=level)
    assert page.confidence == level
    assert page.looked == ""
    again = kind()
    assert again.restore(page.settings()) == []
    assert again.confidence == level


def test_it_is_offered_on_this_page_alone():
    page = ScoresPage(confidence=confidence_at(1))
    assert page.param.confidence.get_range()["97.5%"] == confidence_at(1)
    page.confidence = 0.99
    assert "97.5%" in page.param.confidence.get_range()  # to go back to
    assert list(ScoresPage().param.confidence.get_range().values()) == list(LEVELS)
    assert list(ScoresPage.param.confidence.get_range().values()) == list(LEVELS)


def test_the_usual_levels_are_stored_by_their_label():
    assert ScoresPage().settings()["confidence"] == "95%"
    page = ScoresPage()
    assert page.restore({"confidence": "99%"}) == []
    assert page.confidence == 0.99


@pytest.mark.parametrize("bad", [0.05, 1, 2, "many", None])
def test_what_is_no_confidence_is_refused(bad):
    with pytest.raises(ValueError, match="confidence must"):
        ScoresPage(confidence=bad)
    page = ScoresPage()
    assert page.restore({"confidence": bad}) == ["Confidence"]
    assert page.confidence == 0.95
