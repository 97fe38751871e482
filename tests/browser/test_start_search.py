"""Start page, tour, glossary and search in a browser, on a static site of plain pages."""

from __future__ import annotations

import pytest
import start_harness
from helpers import browser

PHONE = {"viewport": {"width": 390, "height": 844}}
DESK = {"viewport": {"width": 1440, "height": 900}}


@pytest.fixture(scope="module")
def site():
    with start_harness.served() as url:
        yield url


@pytest.fixture
def opened(chromium, site):
    """``opened(**context)`` opens the start page; no error and no request to another host."""
    contexts, errors, outside = [], [], []

    def open_page(**context):
        contexts.append(chromium.new_context(**{**DESK, **context}))
        page = contexts[-1].new_page()
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda r: None if r.url.startswith(site) else outside.append(r.url))
        page.goto(site)
        page.locator(".wb-door").first.wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []
    assert [url for url in outside if not url.startswith("data:")] == []


def went(page):
    return page.evaluate("window.went.map(([name, ...what]) => [name, ...what])")


def focused(page):
    return page.evaluate("document.activeElement.textContent")


# -- the start page --


def test_doors_lead_to_pages_and_examples(opened):
    page = opened()
    page.locator("[data-door=counts]").get_by_role("link", name="Counts").click()
    assert went(page) == [["go", "counts", {}]]
    assert page.url.endswith("/")  # the shell moves, the link itself is not followed
    page = opened()
    scores = page.locator("[data-door=scores]")
    scores.get_by_role("button", name="Load a file").click()
    scores.get_by_role("button", name="Show an example").click()
    page.get_by_role("heading", name="scores").wait_for()
    assert went(page) == [["load"], ["choose", "example:gaussian"], ["go", "scores", {}]]


def test_all_doors_fit_on_the_first_screen_of_a_laptop(opened):
    page = opened()
    boxes = [door.bounding_box() for door in page.locator(".wb-door").all()]
    assert len(boxes) == 6
    assert max(box["y"] + box["height"] for box in boxes) <= 900


def test_recent_data_sets_are_shown_and_chosen(opened):
    page = opened()
    recent = page.get_by_role("region", name="Recent data sets")
    assert not recent.is_visible()
    page.evaluate(
        """start.show({datasets: [{key: "k1", name: "<b>mine</b>.csv", kind: "scores",
           size: "400 + 600", when: new Date(Date.now() - 3 * 3600e3).toISOString()}]})"""
    )
    button = recent.get_by_role("button")
    assert button.inner_text().split("\n") == [
        "<b>mine</b>.csv",
        "scores · 400 + 600",
        "3 hours ago",
    ]
    button.click()
    page.get_by_role("heading", name="scores").wait_for()
    assert went(page)[0] == ["choose", "k1"]
    page.evaluate("start.show({datasets: []})")
    assert page.evaluate("start.recent.hidden")


def test_recent_audits_are_links_beside_recent_data_sets(opened):
    page = opened()
    recent = page.get_by_role("region", name="Recent audits")
    assert not recent.is_visible()
    page.evaluate(
        """start.show({datasets: [{key: "k1", name: "mine", kind: "scores", size: "4 + 6",
           when: new Date().toISOString()}], audits: [{key: "a 1", name: "<b>release 7</b>",
           title: "Scores", made: new Date(Date.now() - 2 * 86400e3).toISOString(), number: {
           title: "ε lower bound", relation: "≥", value: "1.62", badge: "simultaneous",
           tone: "good"}}]})"""
    )
    link = recent.get_by_role("link").first
    lines = link.inner_text().split("\n")
    assert lines == [
        "<b>release 7</b>",
        "Scores",
        "ε lower bound ≥ 1.62 simultaneous",
        "2 days ago",
    ]
    assert link.get_attribute("href") == "./audits#audit=a%201"
    data = page.get_by_role("region", name="Recent data sets")
    assert abs(data.bounding_box()["y"] - recent.bounding_box()["y"]) < 1
    page.evaluate("start.show({datasets: [], audits: []})")
    assert not recent.is_visible()


def test_the_game_states_exact_rates_and_a_bound_that_is_not_too_large(opened):
    page = opened()
    slider = page.get_by_role("slider", name="Threshold of the game")
    said = page.locator(".wb-game-said")
    assert "31% of P" in said.inner_text()
    assert "7% of Q" in said.inner_text()
    assert said.locator("strong").inner_text() == "ε ≥ 1.53"  # log(0.308538 / 0.066807) = 1.53004
    slider.focus()
    slider.press("Home")
    assert said.locator("strong").inner_text().startswith("ε ≥ 3.")
    before = float(said.locator("strong").inner_text().split()[-1])
    slider.press("ArrowRight")
    assert float(said.locator("strong").inner_text().split()[-1]) < before


# -- the glossary --


def test_a_term_opens_its_definition_and_gives_the_focus_back(opened):
    page = opened()
    term = page.locator(".wb-doors .wb-term", has_text="members").first
    term.focus()
    page.keyboard.press("Enter")
    definition = page.get_by_role("dialog", name="Member and non-member")
    assert "was in the data" in definition.inner_text()
    assert page.evaluate("document.activeElement.className") == "wb-definition"
    page.keyboard.press("Escape")
    assert not definition.is_visible()
    assert focused(page) == "members"
    term.click()
    assert definition.is_visible()
    term.click()  # the same word closes it
    assert not definition.is_visible()
    term.click()
    definition.get_by_role("button", name="Show it on Scores").click()
    assert went(page)[-1] == ["go", "scores", {"item": "sizes"}]
    assert not definition.is_visible()


def test_only_whole_words_are_linked_and_each_term_once(opened):
    page = opened()
    linked = """text => [...glossary.linked(text).querySelectorAll('[data-term]')]
        .map(e => [e.textContent, e.dataset.term])"""
    for text, expected in {
        "Lower bound on the total variation distance; TV again.": [
            ["Lower bound", "lower-bound"],
            ["total variation distance", "tv"],
        ],
        "P against Q, but no p and no Paper.": [["P", "p-and-q"]],
        "The factor e^ε, P(E) and δ(ε) are formulas; ε is not.": [["ε", "epsilon"]],
        "ε′ and ε_1 are other numbers.": [],
        "Members, remembered and non-members.": [["Members", "member"]],
        "Simultaneous and held-out": [["Simultaneous", "simultaneous"], ["held-out", "held-out"]],
        "<img src=x onerror=alert(1)> AUC": [["AUC", "auc"]],
    }.items():
        assert page.evaluate(linked, text) == expected
        assert page.evaluate("text => glossary.linked(text).textContent", text) == text


@pytest.mark.parametrize("context", [DESK, PHONE], ids=["desk", "phone"])
def test_the_glossary_lists_filters_and_leads_from_term_to_term(opened, context):
    page = opened(**context)
    page.get_by_role("button", name="All definitions").click()
    terms = page.locator(".wb-glossary dt")
    assert terms.locator("visible=true").count() == page.locator(".wb-topics .wb-term").count()
    page.keyboard.type("hockey")
    shown = [term.inner_text() for term in terms.locator("visible=true").all()]
    assert "Hockey-stick divergence" in shown
    assert len(shown) < 5
    profile = page.locator(".wb-entry[data-term=profile]")
    profile.get_by_role("button", name="trade-off function").click()
    assert focused(page) == "Trade-off function"
    assert page.locator(".wb-found").get_attribute("data-term") == "tradeoff"
    page.keyboard.press("Escape")
    assert not page.locator(".wb-glossary").is_visible()


# -- the search --


def titles(page):
    return page.locator(".wb-result-title").all_inner_texts()


def search_for(page, text):
    field = page.get_by_role("combobox")
    field.fill(text)
    page.wait_for_function(
        "text => search.input.value === text && !search.said.textContent.startsWith('Load')",
        arg=text,
    )
    return titles(page)


def test_the_search_goes_to_what_was_found_by_keyboard(opened):
    page = opened()
    page.keyboard.press("Control+k")
    page.get_by_role("option").first.wait_for()
    assert titles(page)[:2] == ["losses.csv", "Scores"]
    page.keyboard.type("rényi order")
    option = page.get_by_role("option", name="Claimed Rényi order").first
    option.wait_for()
    field = page.get_by_role("combobox")
    assert field.get_attribute("aria-expanded") == "true"
    assert field.get_attribute("aria-activedescendant") == option.get_attribute("id")
    page.keyboard.press("Enter")
    assert went(page) == [["go", "scores", {"control": "claim_order"}]]
    assert not page.get_by_role("combobox").is_visible()


def test_what_the_search_finds(opened):
    page = opened()
    page.get_by_role("button", name="Search").click()
    page.get_by_role("option").first.wait_for()
    for asked, kind, title in [
        ("coverage", "page", "Coverage"),
        ("tresh", "control", "Threshold"),  # a letter is missing
        ("neighbouring", "term", "Neighboring datasets"),
        ("epsilon lower", "number", "ε lower bound"),
        ("ε lower", "number", "ε lower bound"),
        ("tradeoff curve", "chart", "Trade-off curve"),
        ("LiRA", "term", "Shadow models: LiRA and RMIA"),
        ("losses", "data set", "losses.csv"),
        ("pairlab", "page", "Known pairs"),
    ]:
        found = search_for(page, asked)
        kinds = page.locator(".wb-result").evaluate_all("all => all.map(e => e.dataset.kind)")
        assert (kind, title) in list(zip(kinds, found, strict=True)), asked
        assert len(found) <= 12
        starts = [k for k, one in enumerate(kinds) if kinds[k - 1 : k] != [one]]
        assert len(starts) == len(set(kinds))  # one group of each kind
    assert search_for(page, "xyzzy") == []
    assert "Nothing found for “xyzzy”" in page.locator(".wb-search-said").inner_text()


def test_results_of_the_page_in_view_come_first(opened):
    page = opened()
    page.evaluate("search.page = 'watch'")
    page.keyboard.press("Control+k")
    page.get_by_role("option").first.wait_for()
    search_for(page, "δ")
    page.locator(".wb-result[data-kind=control]").first.click()
    assert went(page) == [["go", "watch", {"control": "log_delta"}]]
    page.keyboard.press("Control+k")
    search_for(page, "losses")
    page.keyboard.press("Enter")
    assert went(page)[-1] == ["choose", "abc"]
    page.keyboard.press("Control+k")
    search_for(page, "canary")
    page.locator(".wb-result[data-kind=term]").first.click()
    assert focused(page) == "Canary"
    assert page.evaluate("window.loads") == 1  # the index is fetched once


def test_an_index_that_does_not_come_is_told_and_asked_for_again(opened):
    page = opened()
    page.evaluate(
        "() => { search.was = search.load; search.load = () => Promise.reject(new Error()) }"
    )
    page.keyboard.press("Control+k")
    page.get_by_text("could not be loaded").wait_for()
    page.keyboard.press("Escape")
    page.evaluate("() => { search.load = search.was }")
    page.keyboard.press("Control+k")
    page.get_by_role("option").first.wait_for()


def test_the_arrows_go_round_the_results(opened):
    page = opened(**PHONE)
    page.get_by_role("button", name="Search").click()
    page.get_by_role("option").first.wait_for()
    search_for(page, "bound")
    options = page.get_by_role("option")
    page.keyboard.press("ArrowUp")
    assert options.last.get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowDown")
    assert options.first.get_attribute("aria-selected") == "true"
    assert page.locator('[aria-selected="true"]').count() == 1


# -- the tour --


@pytest.mark.parametrize("context", [DESK, PHONE], ids=["desk", "phone"])
def test_the_tour_shows_each_element_and_covers_none(opened, context):
    page = opened(**context, reduced_motion="reduce")
    start = page.get_by_role("button", name="Take the tour")
    start.click()
    steps = page.evaluate("tour.steps")
    for k, step in enumerate(steps):
        guide = page.get_by_role("dialog", name=step["title"])
        guide.wait_for()
        page.wait_for_function("() => tour.target && !tour.ring.hidden")
        page.wait_for_timeout(100)  # two frames and more
        name = step["control"] or step["item"]
        target = page.locator(f'[data-control="{name}"], [data-item="{name}"]').first.bounding_box()
        ring, box = page.locator(".wb-ring").bounding_box(), guide.bounding_box()
        assert ring["x"] == pytest.approx(target["x"] - 6, abs=2)
        assert ring["y"] == pytest.approx(target["y"] - 6, abs=2)
        view = context["viewport"]
        assert 0 <= box["x"] <= box["x"] + box["width"] <= view["width"]
        assert 0 <= box["y"] <= box["y"] + box["height"] <= view["height"]
        apart = (
            box["x"] >= target["x"] + target["width"]
            or box["x"] + box["width"] <= target["x"]
            or box["y"] >= target["y"] + target["height"]
            or box["y"] + box["height"] <= target["y"]
        )
        assert apart
        assert focused(page) == ("Next" if k + 1 < len(steps) else "Finish")
        page.keyboard.press("ArrowRight" if k % 2 else "Enter")
    assert page.locator(".wb-tour").count() == 0
    assert page.evaluate("tour.seen")
    assert went(page)[0] == ["choose", "example:gaussian"]
    assert [call[1] for call in went(page)[1:]] == [step["page"] for step in steps]


def test_the_tour_can_be_ended_at_any_time_and_is_not_modal(opened):
    page = opened()
    assert not page.evaluate("tour.seen")
    page.evaluate("tour.start({chosen: true})")
    page.wait_for_function("() => tour.target")
    assert ["choose", "example:gaussian"] not in went(page)  # own data stay in view
    page.get_by_role("button", name="Next").click()
    page.wait_for_function("() => tour.at === 1 && tour.target")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => tour.at === 0 && tour.target")
    assert page.get_by_role("button", name="Back").is_disabled()
    page.locator("[data-item=tradeoff]").focus()  # the page can be used
    page.keyboard.press("ArrowRight")
    assert page.evaluate("tour.at") == 0
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").wait_for()
    page.keyboard.press("Escape")  # closes the search, not the tour
    page.get_by_role("dialog", name="Two groups of scores").wait_for()
    page.keyboard.press("Escape")
    assert page.locator(".wb-tour, .wb-ring").count() == 0
    page.reload()
    page.get_by_role("button", name="Repeat the tour").wait_for()
    assert page.evaluate("tour.seen")


def test_a_step_whose_element_does_not_come_still_speaks(opened):
    page = opened()
    page.evaluate("() => { tour.steps[0].item = 'gone' }")
    page.get_by_role("button", name="Take the tour").click()
    page.get_by_role("dialog", name="Two groups of scores").wait_for()
    assert page.locator(".wb-ring").is_hidden()
    page.get_by_role("button", name="Next").click()
    page.wait_for_function("() => tour.at === 1 && tour.target && !tour.ring.hidden")


# -- all of it --


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("context", [DESK, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing(opened, context, scheme):
    page = opened(**context, color_scheme=scheme, reduced_motion="reduce")
    faults = {"start": browser.grave_faults(page)}
    assert page.evaluate("document.documentElement.scrollWidth") <= context["viewport"]["width"]
    page.locator(".wb-term").first.click()
    faults["definition"] = browser.grave_faults(page)
    page.keyboard.press("Escape")
    page.evaluate("glossary.open('gdp')")
    faults["glossary"] = browser.grave_faults(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    search_for(page, "bound")
    faults["search"] = browser.grave_faults(page)
    page.keyboard.press("Escape")
    page.evaluate("tour.start()")
    page.wait_for_function("() => tour.target")
    faults["tour"] = browser.grave_faults(page)
    assert not any(faults.values()), faults
