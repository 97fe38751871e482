"""The start page, the tour, the glossary and the search index: texts that lead to what exists."""

import json
import re

import pytest

import workbench as wb
from workbench.assets import start as assets
from workbench.assets.search import search_index
from workbench.explorables.registry import listed
from workbench.pages import start
from workbench.pages.glossary import GLOSSARY, TERMS
from workbench.pages.registry import MENU, PAGES
from workbench.server.page_document import first_words

EXAMPLES = {f"example:{name}" for name in wb.examples().name}
INDEX = search_index(PAGES)


def exists(page, item="", control=""):
    kind = PAGES[page].kind
    items = {each.name for each in kind.items()}
    controls = {each.name for section in kind.controls for each in section.controls}
    return (not item or item in items) and (not control or control in controls)


@pytest.mark.parametrize("door", start.DOORS, ids=lambda door: door.key)
def test_a_door_leads_to_a_page_and_an_example(door):
    assert {door.page, *door.then} <= set(PAGES)
    assert door.page not in door.then
    assert door.data in EXAMPLES | {""}
    assert {door.looks[-1], door.learn[-1]} == {"."}


def test_doors_for_what_people_have():
    assert len({door.key for door in start.DOORS}) == len(start.DOORS) == 6
    assert len(start.AUDIT) == 3


@pytest.mark.parametrize("step", start.TOUR, ids=lambda step: step.item or step.control)
def test_a_step_of_the_tour_points_at_one_thing(step):
    assert bool(step.item) != bool(step.control)
    assert exists(step.page, step.item, step.control)
    assert step.title
    assert step.text.endswith(".")


def test_the_tour_is_short_and_has_data():
    assert 5 <= len(start.TOUR) <= 7
    assert start.TOUR_DATA in EXAMPLES


def sentences(text):
    return re.split(r"(?<=[.?])\s+(?=[A-ZΔ-Ωα-ω])", text)


@pytest.mark.parametrize("term", TERMS.values(), ids=TERMS)
def test_a_definition_is_two_to_four_sentences_and_shown_where_it_says(term):
    assert 2 <= len(sentences(term.text)) <= 4
    assert term.text.endswith(".")
    assert len(term.text) <= 460
    assert not term.shown or exists(*term.shown)


def test_keys_and_words_belong_to_one_term():
    terms = [term for topic in GLOSSARY.values() for term in topic]
    assert len(TERMS) == len(terms)
    words = [word for term in terms for word in term.words]
    assert len(set(words)) == len(words)
    assert all(re.fullmatch(r"[a-z-]+", term.key) for term in terms)


#: What somebody new to the field has to be able to look up.
@pytest.mark.parametrize(
    "word",
    [
        *("differential privacy", "ε", "δ", "membership game", "neighboring datasets", "P", "Q"),
        *("trade-off function", "f-DP", "GDP", "total variation", "privacy profile"),
        *("false positive rate", "false negative rate", "hockey-stick divergence"),
        *("estimate", "pointwise", "simultaneous", "one question", "held-out"),
        *("anytime", "approximate"),
        *("chosen after looking", "confidence", "canary", "one-run audit", "shadow models"),
        *("LiRA", "RMIA", "composition", "user-level privacy", "post-processing"),
        *("label leakage", "data-set shift"),
    ],
)
def test_the_glossary_defines(word):
    assert word in {word for term in TERMS.values() for word in term.words}


def test_numbers_quoted_by_the_glossary():
    assert wb.GaussianPair(1).epsilon(1e-5) == pytest.approx(4.4, abs=0.05)
    assert "ε = 4.4 at δ = 1e-5" in TERMS["gdp"].text
    odds = {epsilon: 2.718281828459045**epsilon for epsilon in (1, 5)}
    assert [round(odds[1], 1), round(odds[5])] == [2.7, 148]
    assert round(100 * odds[1] / (1 + odds[1])) == 73
    assert round(100 * odds[5] / (1 + odds[5]), 1) == 99.3
    for quoted in ("2.7 to 1", "73%", "148 to 1", "99.3%"):
        assert quoted in TERMS["epsilon"].text


def test_the_start_page_is_plain_json_and_names_every_page_of_the_menu():
    sent = json.loads(json.dumps(assets.content()))
    assert [group["title"] for group in sent["menu"]] == list(MENU)
    names = [page["name"] for group in sent["menu"] for page in group["pages"]]
    assert names == [name for pages in MENU.values() for name in pages]
    assert [step["where"] for step in sent["tour"]["steps"]] == [
        PAGES[step.page].title for step in start.TOUR
    ]
    assert sum(len(topic["terms"]) for topic in sent["glossary"]) == len(TERMS)


def test_the_start_page_of_a_server_lists_the_explorables():
    sent = json.loads(first_words())
    assert sent["explorables"] == listed()
    assert {**sent, "explorables": 0} == {
        **json.loads(json.dumps(assets.content())),
        "explorables": 0,
    }


def test_the_index_has_all_pages_controls_items_and_terms():
    found = {
        (e["kind"], e.get("page"), e.get("control") or e.get("item") or e.get("key")) for e in INDEX
    }
    expected = {("page", name, None) for name in (*PAGES, "audits")}
    expected |= {("term", None, key) for key in TERMS}
    for name, entry in PAGES.items():
        kind = entry.kind
        expected |= {("number", name, item.name) for item in kind.numbers()}
        expected |= {("chart", name, item.name) for item in kind.figures()}
        expected |= {
            ("control", name, control.name)
            for section in kind.controls
            for control in section.controls
            if control.given is not True
        }
    assert found == expected
    assert len(INDEX) == len(found)


def test_every_entry_of_the_index_has_a_title_and_texts():
    for entry in INDEX:
        assert entry["title"].strip()
        assert isinstance(entry["text"], str)
        assert isinstance(entry["where"], str)
    threshold = next(e for e in INDEX if e["kind"] == "control" and e["control"] == "threshold")
    assert threshold["title"] == "Threshold"
    assert threshold["where"] == "Scores · Audit"
    assert "drag the line" in threshold["text"]


def test_the_index_makes_no_page(monkeypatch):
    def made(self, *args, **params):
        raise AssertionError("a page was made")

    for entry in PAGES.values():
        monkeypatch.setattr(entry.kind, "__init__", made)
    assert search_index(PAGES) == INDEX
