"""The Share menu, the menus of charts and the copies of numbers in a real browser."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from helpers.bench import BenchPage
from helpers.board import SHOWN
from helpers.browser import WIDE, await_charts, grave_faults
from helpers.pages import NOT_ASKED

from workbench.bounds.texts import bound_texts
from workbench.figures.paper.table import figure_csv
from workbench.pages.registry import PAGES

PHONE = {"width": 390, "height": 844}

TITLES = {
    "html": "Complete report (HTML)",
    "pdf": "Complete report (PDF)",
    "md": "Markdown",
    "json": "JSON (audit card)",
    "ipynb": "Notebook",
}

#: What no browser loads before it is used.
LATER = ("share.js", "chart_menu.js", "copy.js")


class SharingPage(BenchPage):
    """An open document, and what a person takes along from it."""

    def open_share(self):
        self.page.get_by_role("button", name="Share", exact=True).click()
        panel = self.page.get_by_role("group", name="Share this page")
        panel.get_by_role("button", name="Link to this page").wait_for()
        return panel

    def download(self, kind):
        """Content of a file of the Share menu, and its name."""
        with self.page.expect_download() as download:
            self.open_share().get_by_role("button", name=TITLES[kind]).click()
        return download.value.path().read_bytes(), download.value.suggested_filename

    def open_chart(self, title):
        """The menu of a chart, opened."""
        self.shown.get_by_role("button", name=f"Save: {title}").click()
        menu = self.page.get_by_role("group", name=f"Save: {title}")
        menu.get_by_role("button", name="SVG").wait_for()
        return menu

    def save(self, menu, button):
        """Content of a file of the menu of a chart, and its name."""
        with self.page.expect_download() as download:
            menu.get_by_role("button", name=button).click()
        return download.value.path().read_bytes(), download.value.suggested_filename

    def open_number(self, title):
        """The buttons that copy a number, once the texts are here."""
        self.shown.get_by_role("button", name=f"About: {title}", exact=True).click()
        copies = self.page.get_by_role("group", name=f"Copy: {title}", exact=True)
        copies.locator("button:enabled").first.wait_for()
        return copies

    def copied(self, copies, kind):
        """What is in the clipboard after a press."""
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        copies.get_by_role("button", name=f"Copy {kind}").click()
        copies.get_by_role("status").filter(has_text=re.compile(f"{kind} copied", re.I)).wait_for()
        return self.page.evaluate("navigator.clipboard.readText()")


@pytest.fixture
def sharing(visit, served):
    """``sharing(page, **context)`` opens a page of a new visitor."""

    def opened(name="scores", **context):
        return SharingPage(visit(served + name, **context))

    return opened


def drawn(name, **values):
    """The page without a browser."""
    page = PAGES[name].kind()
    page.follow(None)
    page.param.update(**values)
    return page


# -- the Share menu --------------------------------------------------------------------------------


def test_the_menu_is_used_by_keyboard_and_its_script_comes_when_it_is_opened(sharing):
    one = sharing("counts", viewport=WIDE["viewport"])
    page = one.page
    loaded = """() => performance.getEntriesByType("resource").map(e => e.name.split("/").at(-1))"""
    assert not set(page.evaluate(loaded)) & set(LATER)
    button = page.get_by_role("button", name="Share", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    focused = "document.activeElement.dataset.kind"
    # Nobody signs in here, so it begins with files. An example in view is nobody's to share.
    page.wait_for_function(f"() => {focused} === 'pdf'")
    assert "share.js" in page.evaluate(loaded)
    for kind in ("html", *TITLES, "audit-link", "link"):  # after the one page in both formats
        page.keyboard.press("ArrowDown")
        assert page.evaluate(focused) == kind
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == "pdf"
    page.keyboard.press("ArrowUp")
    assert page.evaluate(focused) == "link"
    page.keyboard.press("Escape")
    assert page.locator("#share").is_hidden()
    assert button.evaluate("e => e === document.activeElement")
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => {focused} === 'pdf'")
    for _ in ("html", "html", "pdf", "md"):
        page.keyboard.press("Tab")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "counts.md"
    assert button.evaluate("e => e === document.activeElement")


def test_each_kind_is_saved_and_has_the_numbers_of_the_page(sharing):
    one = sharing("counts", viewport=WIDE["viewport"])
    one.set("False positives", "31")
    shown = {title: text.rsplit(" ", 1)[0] for title, text in one.numbers().items()}
    card, name = one.download("json")
    assert name == "counts.json"
    card = json.loads(card)
    assert card["settings"]["fp"] == 31
    values = [one["title"] for one in card["numbers"]]
    assert values == list(shown)
    for kind in ("html", "md"):
        text, name = one.download(kind)
        assert name == f"counts.{kind}"
        assert shown["ε"].split()[0] in text.decode()
        one.says(f"counts.{kind} was saved.")
    notebook, _ = one.download("ipynb")
    assert "'fp': 31" in json.dumps(json.loads(notebook)["cells"])


@pytest.mark.slow
def test_a_report_is_saved_as_pdf(sharing):
    one = sharing("counts", viewport=WIDE["viewport"])
    content, name = one.download("pdf")
    assert name == "counts.pdf"
    assert content.startswith(b"%PDF")


def test_the_page_goes_on_while_a_report_is_made_which_can_be_cancelled(sharing):
    one = sharing("counts", viewport=WIDE["viewport"])
    page, held = one.page, []
    page.route("**/report/**", lambda route: held.append(route))
    before = one.numbers()
    one.open_share().get_by_role("button", name=TITLES["html"]).click()
    one.says("Making: Complete report (HTML)")
    page.get_by_role("progressbar", name="Making: Complete report (HTML)").wait_for()
    one.set("False positives", "31")
    assert one.numbers() != before
    # The same is not asked for twice.
    one.open_share().get_by_role("button", name=TITLES["html"]).click()
    page.wait_for_timeout(200)
    assert len(held) == 1
    page.locator(".wb-toast").get_by_role("button", name="Cancel").click()
    one.says("Cancelled: Complete report (HTML)")
    page.unroute("**/report/**")
    _, name = one.download("md")
    assert name == "counts.md"


def test_what_is_missing_is_said_with_its_command_and_stays(chromium, served):
    """In a visit of its own, since a browser notes answers that are errors."""
    context = chromium.new_context(**WIDE)
    page = context.new_page()
    page.goto(served + "counts")
    await_charts(page)
    one = SharingPage(page)
    command = "pip install 'dp-audit-workbench[paper]'"
    words = f"charts need matplotlib, which is not installed; run: {command}"
    for where in ("**/report/**", "**/figure/**"):
        page.route(where, lambda route: route.fulfill(status=501, body=words))
    one.open_share().get_by_role("button", name=TITLES["pdf"]).click()
    one.says(f"Charts need matplotlib, which is not installed; run: {command}")
    assert grave_faults(page) == []
    page.locator(".wb-toast").get_by_role("button", name="Close").click()
    menu = one.open_chart("Error rates")
    menu.get_by_role("button", name="PDF").click()
    menu.get_by_role("status").filter(has_text=command).wait_for()
    assert grave_faults(page) == []
    # Without a server, too, there are words.
    page.unroute_all()
    page.route("**/figure/**", lambda route: route.abort())
    menu.get_by_role("button", name="SVG").click()
    menu.get_by_role("status").filter(has_text="The server does not answer").wait_for()
    context.close()


# -- charts ----------------------------------------------------------------------------------------


def test_a_chart_is_saved_for_a_paper_in_the_letters_that_were_chosen_last(sharing):
    one = sharing("scores", viewport=WIDE["viewport"])
    menu = one.open_chart("Trade-off curve")
    assert menu.get_by_role("radio", name="Serif").is_checked()
    serif, name = one.save(menu, "SVG")
    assert name == "scores-tradeoff.svg"
    assert ElementTree.fromstring(serif).tag.endswith("svg")
    menu.get_by_role("status").filter(has_text="scores-tradeoff.svg was saved.").wait_for()
    menu.get_by_role("radio", name="Sans").check()
    sans, _ = one.save(menu, "SVG")
    assert sans != serif
    for kind, begins in (("PDF", b"%PDF"), ("PNG", b"\x89PNG")):
        content, name = one.save(menu, kind)
        assert name == f"scores-tradeoff.{kind.lower()}"
        assert content.startswith(begins)
    one.page.reload()
    await_charts(one.page)
    menu = one.open_chart("Trade-off curve")
    assert menu.get_by_role("radio", name="Sans").is_checked()
    again, _ = one.save(menu, "SVG")
    assert again == sans


def test_a_saved_chart_and_its_data_are_those_in_view(sharing):
    one = sharing("counts", viewport=WIDE["viewport"])
    one.set("False positives", "31")
    one.numbers()
    for item in PAGES["counts"].kind.figures()[:2]:
        wanted = figure_csv(drawn("counts", fp=31).draw(item))
        menu = one.open_chart(item.title)
        data, name = one.save(menu, "Data (CSV)")
        assert name == f"counts-{item.name}.csv"
        assert data.decode() == wanted
        assert wanted != figure_csv(drawn("counts").draw(item))
        # The button beside the table saves the same.
        one.shown.get_by_role("button", name=f"Data: {item.title}").click()
        assert menu.is_hidden()  # one panel at a time
        with one.page.expect_download() as download:
            one.shown.get_by_role("button", name="Download CSV").locator("visible=true").click()
        assert download.value.path().read_bytes() == data
        one.page.keyboard.press("Escape")


def test_the_menu_of_a_chart_is_used_by_keyboard_also_in_the_whole_window(sharing):
    one = sharing("counts", viewport=WIDE["viewport"])
    page, title = one.page, "Error rates"
    page.get_by_role("button", name=f"Enlarge: {title}").click()
    dialog = page.get_by_role("dialog", name=title)
    button = dialog.get_by_role("button", name=f"Save: {title}")
    button.focus()
    page.keyboard.press("Enter")
    menu = dialog.get_by_role("group", name=f"Save: {title}")
    menu.get_by_role("button", name="SVG").wait_for()
    assert grave_faults(page) == []
    menu.get_by_role("button", name="SVG").focus()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith(".svg")
    page.keyboard.press("Escape")
    assert menu.is_hidden()
    assert button.evaluate("e => e === document.activeElement")
    assert dialog.is_visible()


def test_a_press_elsewhere_closes_the_menu_of_a_chart(sharing):
    one = sharing("counts", viewport=WIDE["viewport"])
    menu = one.open_chart("Error rates")
    one.shown.locator("h1").click()
    assert menu.is_hidden()


# -- numbers ---------------------------------------------------------------------------------------


def test_a_number_is_copied_as_sentence_latex_and_bibtex(sharing):
    one = sharing("scores", viewport=WIDE["viewport"])
    bound = drawn("scores").epsilon()
    copies = one.open_number("ε lower bound")
    texts = bound_texts(bound)
    assert one.copied(copies, "LaTeX") == bound.to_latex()
    assert one.copied(copies, "BibTeX") == texts["bibtex"]
    assert one.copied(copies, "sentence") == texts["sentence"]
    # A fact has no source, and what asks for a choice is nothing to copy.
    one.page.keyboard.press("Escape")
    copies = one.open_number("Scores")
    assert copies.get_by_role("button").all_text_contents() == ["Copy sentence"]
    assert "10,000 + 10,000" in one.copied(copies, "sentence")
    one.page.keyboard.press("Escape")
    one.shown.get_by_role("button", name="About: ε at the threshold").click()
    assert one.page.get_by_role("group", name="Copy: ε at the threshold").is_hidden()


def test_what_is_copied_is_what_is_shown(sharing):
    one = sharing("counts", viewport=WIDE["viewport"])
    copies = one.open_number("ε")
    first = one.copied(copies, "LaTeX")
    assert first == drawn("counts").epsilon().to_latex()
    one.page.keyboard.press("Escape")
    one.set("False positives", "31")
    shown = one.numbers()["ε"].split()[0]
    copies = one.open_number("ε")
    assert one.copied(copies, "LaTeX") == drawn("counts", fp=31).epsilon().to_latex() != first
    # While the explanation is open, too.
    one.page.keyboard.press("Control+z")
    copies.locator("button:disabled").first.wait_for()
    copies.locator("button:enabled").first.wait_for()
    assert one.numbers()["ε"].split()[0] != shown
    assert one.copied(copies, "LaTeX") == first


@pytest.mark.parametrize("allowed", ["copy by selection", "nothing"])
def test_without_a_clipboard_the_text_is_copied_otherwise_or_selected(sharing, allowed):
    one = sharing("counts", viewport=WIDE["viewport"])
    page = one.page
    # As on an address that is neither localhost nor https.
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.evaluate(
        """works => {
            document.execCommand = name => {
                window.wbCopied = document.activeElement.value
                return works
            }
        }""",
        allowed != "nothing",
    )
    copies = one.open_number("ε")
    button = copies.get_by_role("button", name="Copy LaTeX")
    button.click()
    wanted = drawn("counts").epsilon().to_latex()
    if allowed == "nothing":
        copies.get_by_role("status").filter(has_text="Press Ctrl+C").wait_for()
        area = copies.get_by_role("textbox", name="The LaTeX")
        assert area.input_value() == wanted
        assert area.evaluate("e => e.selectionEnd - e.selectionStart") == len(wanted)
        assert area.evaluate("e => e === document.activeElement")
    else:
        copies.get_by_role("status").filter(has_text="LaTeX copied").wait_for()
        assert page.evaluate("window.wbCopied") == wanted
        assert button.evaluate("e => e === document.activeElement")


# -- for everybody ---------------------------------------------------------------------------------


@pytest.mark.exhaustive
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE["viewport"], PHONE], ids=["wide", "phone"])
def test_open_menus_are_inside_the_window_and_shut_nobody_out(sharing, scheme, size):
    one = sharing("scores", viewport=size, color_scheme=scheme)
    page, found = one.page, {}

    def inside(element):
        element.scroll_into_view_if_needed()
        box = element.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size["width"]
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]

    inside(one.open_share())
    found["share"] = grave_faults(page)
    page.keyboard.press("Escape")
    charts = PAGES["scores"].kind.figures()
    more = sum(item.folded for item in charts)
    page.get_by_role("button", name=f"{more} more charts").click()
    for item in charts:
        if item.name in NOT_ASKED:
            continue
        menu = one.open_chart(item.title)
        inside(menu)
        found[item.name] = grave_faults(page)
        page.keyboard.press("Escape")
    inside(one.open_number("ε lower bound"))
    found["number"] = grave_faults(page)
    assert not any(found.values()), found


def test_there_is_no_share_menu_where_nothing_is_shared(visit, served):
    page = visit(served)
    assert page.get_by_role("button", name="Share", exact=True).is_hidden()
    page.goto(served + "scores")
    await_charts(page)
    page.locator(SHOWN).wait_for()
    assert page.get_by_role("button", name="Share", exact=True).is_visible()
