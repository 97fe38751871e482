"""Settings that pages share: a logarithmic δ, and marks for choices made after looking."""

import pytest

import workbench as wb
from workbench.assets.controls import Controls
from workbench.pages.core.page import Control, Page, Section
from workbench.pages.core.sliders import LogNumber
from workbench.pages.inputs.settings import ConfidenceSetting, DeltaSetting, Validity

BOUND = wb.epsilon_lower_bound(wb.GaussianPair(1).sample(100, seed=0), delta=1e-5)


class Toy(Page):
    """All shared settings, and a count."""

    delta = DeltaSetting()
    validity = Validity()

    log_n = LogNumber(3.0, bounds=(0, 6), step=0.25, whole=True, label="Samples")
    controls = (
        Section(
            "All",
            tuple(map(Control, ("log_delta", "log_n", "confidence"))),
        ),
    )


def test_delta_is_ten_to_the_saved_setting():
    page = Toy()
    assert page.delta.value == 1e-5
    page.log_delta = -2.5
    assert page.delta.value == pytest.approx(10**-2.5)
    assert "log_delta" in page.settings()


def test_a_page_that_does_not_mark_choices_has_the_same_levels():
    assert (
        ConfidenceSetting.parameters["confidence"].get_range() == Toy.param.confidence.get_range()
    )
    assert list(Toy.param.confidence.get_range())[:2] == ["90%", "95%"]


def test_a_choice_after_looking_marks_bounds_until_reset():
    page = Toy()
    assert page.validity.certified(BOUND) is BOUND
    page.confidence = 0.9
    assert (
        page.validity.certified(BOUND).void == "the confidence was changed after results were seen"
    )
    assert page.validity.certified(BOUND.voided("sorted")).void == "sorted"
    assert page.validity.sentence.startswith(" The guarantee is not valid: the confidence")
    page.reset = True
    assert (page.confidence, page.looked, page.validity.sentence) == (0.95, "", "")


def test_settings_of_the_page_itself_mark_nothing():
    page = Toy()
    page.set_quietly(confidence=0.99)
    assert (page.confidence, page.looked) == (0.99, "")


def test_the_dashboard_is_told_that_a_slider_is_logarithmic():
    states = Controls(Toy()).states()
    assert (states["log_delta"]["log"], states["log_delta"]["value"]) == ("real", -5)
    assert (states["log_n"]["log"], states["log_n"]["high"]) == ("whole", 6)
    assert "log" not in states["confidence"]
