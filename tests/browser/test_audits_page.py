"""Saved audits in a browser: save, search, open, compare, delete, undo, export, import."""

from __future__ import annotations

import json
import re

import pytest
from helpers.bench import BenchPage, losses
from helpers.board import SHOWN
from helpers.browser import await_charts, grave_faults

PHONE = {"viewport": {"width": 390, "height": 844}}
HOSTILE = ('<img src=x onerror="window.hit=1"> **bold** "q" \' 😀 ' + "long" * 2500)[:9_900]


class AuditsPage(BenchPage):
    """An open document of a visitor who saves audits."""

    def save(self, name="", note="", tags="", **more):
        """Save the page that is shown."""
        self.page.keyboard.press("Control+s")
        dialog = self.save_dialog()
        if name:
            dialog.get_by_role("textbox", name="Name").fill(name)
        dialog.get_by_role("textbox", name="Note").fill(note)
        dialog.get_by_role("textbox", name="Tags").fill(tags)
        for label, on in more.items():
            dialog.get_by_label(re.compile(label, re.IGNORECASE)).set_checked(on)
        dialog.get_by_role("button", name="Save", exact=True).click()
        dialog.wait_for(state="hidden")

    def save_dialog(self):
        """The dialog that saves, once it has its proposals."""
        dialog = self.page.get_by_role("dialog", name="Save this audit")
        dialog.wait_for()
        dialog.locator("form:not([aria-busy])").wait_for()
        return dialog

    def go_to_list(self):
        self.page.get_by_role("link", name="Saved audits").locator("visible=true").first.click()
        self.page.get_by_role("heading", name="Saved audits", exact=True).wait_for()

    def row(self, name):
        """The row of an audit in the list."""
        link = self.page.get_by_role("link", name=name, exact=True)
        found = self.page.locator("tr[data-key]").filter(has=link)
        found.wait_for()
        return found

    def listed(self, *names):
        """Until the list has these names, newest first."""
        self.page.wait_for_function(
            """names => {
                const links = [...document.querySelectorAll("tr[data-key] .wb-audit-name")]
                return JSON.stringify(links.map(link => link.textContent)) === names
            }""",
            arg=self.page.evaluate("names => JSON.stringify(names)", list(names)),
        )

    def act(self, name, action):
        self.row(name).get_by_role("button", name=re.compile(f"^{action}: ")).click()

    def undo(self):
        self.page.locator(".wb-undo").click()


@pytest.fixture
def audits(visit, served):
    """``audits(page, **context)`` opens a page of a new visitor."""

    def opened(name="scores", **context):
        return AuditsPage(visit(served + name, **context))

    return opened


def test_save_search_open_compare_delete_undo_export_import(audits, tmp_path):
    one = audits()
    page = one.page
    one.set("Threshold: value", "0.25")
    saved = one.numbers()
    one.save("threshold 0.25", "a first look", "release, loss")
    one.says("Saved as")
    one.set("δ: value", "1e-4")
    one.numbers()
    one.save("a larger delta", tags="release")
    one.go("counts")
    one.save("counts of March")
    one.go_to_list()
    one.listed("counts of March", "a larger delta", "threshold 0.25")

    search = page.get_by_role("searchbox", name="Search saved audits")
    search.fill("first LOOK")
    one.listed("threshold 0.25")
    search.fill("")
    page.get_by_role("combobox", name="Page").select_option("counts")
    one.listed("counts of March")
    page.get_by_role("combobox", name="Page").select_option("")
    tags = page.get_by_role("group", name="Tags")
    tags.get_by_role("button", name="loss").click()
    one.listed("threshold 0.25")
    tags.get_by_role("button", name="loss").click()
    one.listed("counts of March", "a larger delta", "threshold 0.25")

    # Compared: what differs is named, and curves share a chart.
    for name in ("a larger delta", "threshold 0.25"):
        one.row(name).get_by_role("checkbox").check()
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("heading", name="Comparison of 2 audits").wait_for()
    said = page.locator(".wb-sentences-list").inner_text()
    assert "δ" in said
    assert "Threshold" not in said
    page.wait_for_function(
        """() => { const plots = [...document.querySelectorAll(".wb-comparison .wb-plot")]
            return plots.length && plots.every(plot => plot.querySelector(".draglayer")) }"""
    )
    cells = page.get_by_role("row", name=re.compile("^ε lower bound")).get_by_role("cell")
    assert saved["ε lower bound"].split()[0] in cells.nth(1).inner_text()
    page.go_back()
    one.listed("counts of March", "a larger delta", "threshold 0.25")

    # Opened: the page shows it again, and undo what was there.
    one.act("threshold 0.25", "Open")
    one.wait_for("scores")
    one.wait_for_value("Threshold", "0.25")
    assert one.numbers() == saved
    one.undo()
    one.wait_for_value("δ", "1e-4")

    # Exported, deleted, back by the toast, deleted again, back by the bar's undo.
    one.go_to_list()
    with page.expect_download() as download:
        one.act("threshold 0.25", "Export")
    file = tmp_path / download.value.suggested_filename
    assert file.name == "threshold-0.25.audit.zip"
    download.value.save_as(file)
    one.act("threshold 0.25", "Delete")
    one.listed("counts of March", "a larger delta")
    page.locator(".wb-toast").get_by_role("button", name="Undo").click()
    one.listed("counts of March", "a larger delta", "threshold 0.25")
    one.act("counts of March", "Delete")
    one.listed("a larger delta", "threshold 0.25")
    one.undo()
    one.listed("counts of March", "a larger delta", "threshold 0.25")

    # Another visitor has none of them, and imports the file.
    other = audits("audits")
    other.page.get_by_role("heading", name="Nothing is saved yet").wait_for()
    other.page.set_input_files("#wb-import-audit", file)
    other.listed("threshold 0.25")
    other.page.locator(".wb-toast a").click()
    other.page.get_by_role("heading", name="threshold 0.25").wait_for()
    value = other.page.locator(".wb-record [aria-label='ε lower bound'] .wb-value")
    assert value.text_content() == saved["ε lower bound"].split()[0]
    other.page.locator(".wb-record .wb-imported", has_text="was not checked here").wait_for()
    assert grave_faults(other.page) == []
    other.go_to_list()
    other.page.locator("tr[data-key] .wb-mark", has_text="imported").wait_for()
    assert one.page.get_by_text("imported").count() == 0


def test_hostile_names_are_text_everywhere(audits):
    one = audits("counts")
    page = one.page
    one.save(HOSTILE, f"note {HOSTILE}", "<i>x</i>, ok")
    one.go_to_list()
    row = page.locator("tr[data-key]")
    row.wait_for()
    assert row.locator(".wb-audit-name").text_content() == HOSTILE
    assert row.bounding_box()["height"] < 160
    row.locator(".wb-audit-name").click()
    page.locator(".wb-record h1").first.wait_for()
    assert page.locator(".wb-record h1").first.text_content() == HOSTILE
    assert page.locator(".wb-audit-note").text_content() == f"note {HOSTILE}"
    one.page.go_back()
    one.act(HOSTILE, "Delete")
    one.says("was deleted")
    assert page.evaluate("window.hit === undefined && !document.querySelector('img, .wb-audits i')")
    over = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(over) <= 0


def test_a_version_of_an_opened_audit(audits):
    one = audits("counts")
    one.save("first try", tags="t")
    one.go_to_list()
    one.act("first try", "Open")
    one.wait_for("counts")
    one.page.get_by_role("button", name="Save this audit").click()
    dialog = one.save_dialog()
    assert dialog.get_by_label("As a new version of “first try”").is_checked()
    assert dialog.get_by_role("textbox", name="Tags").input_value() == "t"
    dialog.get_by_role("textbox", name="Name").fill("second try")
    dialog.get_by_role("button", name="Save", exact=True).click()
    dialog.wait_for(state="hidden")
    one.go_to_list()
    one.listed("second try")
    one.page.get_by_role("link", name="second try", exact=True).click()
    one.page.get_by_role("heading", name="Versions", exact=True).wait_for()
    one.page.locator(".wb-record").get_by_role("link", name="first try").click()
    one.page.get_by_role("heading", name="first try").wait_for()


def test_data_that_are_gone_leave_the_record_and_scores_bring_it_back(audits, tmp_path):
    one = audits()
    one.open_files(losses(tmp_path / "ledger-7.csv"))
    one.accept()
    one.wait_for_data("ledger-7")
    numbers = one.numbers()
    one.save("without scores")
    one.save("with scores", **{"with the scores": True})
    one.open_menu().get_by_role("button", name="Remove: ledger-7").click()
    one.says("was removed")
    one.go_to_list()
    one.act("without scores", "Open")
    warning = one.page.locator(".wb-record").get_by_role("alert").locator("visible=true").first
    assert "“ledger-7” are not in this workspace" in warning.inner_text()
    value = one.page.locator(".wb-record [aria-label='ε lower bound'] .wb-value")
    assert value.text_content() == numbers["ε lower bound"].split()[0]
    one.page.go_back()
    one.act("with scores", "Open")
    one.wait_for("scores")
    one.wait_for_data("ledger-7")
    assert one.numbers() == numbers


def test_a_refused_save_keeps_what_was_typed(audits):
    one = audits("counts")
    one.page.keyboard.press("Control+s")
    dialog = one.save_dialog()
    dialog.get_by_role("textbox", name="Name").fill("x")
    dialog.get_by_role("textbox", name="Tags").fill("t" * 300)
    dialog.get_by_role("button", name="Save", exact=True).click()
    dialog.get_by_role("alert").filter(has_text="tag").wait_for()
    assert dialog.get_by_role("textbox", name="Name").input_value() == "x"
    dialog.get_by_role("textbox", name="Tags").fill("t")
    dialog.get_by_role("button", name="Save", exact=True).click()
    dialog.wait_for(state="hidden")


def test_a_file_that_is_not_ours_is_refused_in_words(audits, tmp_path):
    one = audits("audits")
    path = tmp_path / "scores.zip"
    path.write_bytes(b"not an audit")
    one.page.get_by_role("heading", name="Nothing is saved yet").wait_for()
    one.page.set_input_files("#wb-import-audit", path)
    one.page.locator(".wb-toast").filter(has_text="audit").wait_for()
    assert one.page.locator(".wb-empty").is_visible()


def test_a_link_to_an_audit_works_after_a_reload_and_one_to_nothing_says_so(audits):
    one = audits("counts")
    page = one.page
    one.save("kept")
    page.locator(".wb-toast a").click()
    page.get_by_role("heading", name="kept", exact=True).wait_for()
    page.reload()
    page.get_by_role("heading", name="kept", exact=True).wait_for()
    page.goto(page.url.split("#")[0] + "#audit=nothing")
    page.reload()
    page.locator(".wb-empty").filter(has_text="no audit").wait_for()


def test_what_was_typed_outlives_a_reload_but_not_a_cancel(audits):
    one = audits("counts")
    one.page.keyboard.press("Control+s")
    one.save_dialog().get_by_role("textbox", name="Note").fill("a long story")
    one.page.reload()
    await_charts(one.page)
    one.page.keyboard.press("Control+s")
    note = one.save_dialog().get_by_role("textbox", name="Note")
    assert note.input_value() == "a long story"
    one.save_dialog().get_by_role("button", name="Cancel").click()
    one.page.keyboard.press("Control+s")
    one.save_dialog()
    assert note.input_value() == ""


def test_a_deleted_audit_says_so_under_its_link_and_comes_back(audits):
    one = audits("counts")
    one.save("kept")
    one.page.locator(".wb-toast a").click()
    one.page.locator(".wb-record").get_by_role("button", name="Delete").click()
    one.says("was deleted")
    one.page.go_back()
    one.page.get_by_role("button", name="Bring it back").click()
    one.page.locator(".wb-record").get_by_role("button", name="Delete").wait_for()
    one.go_to_list()
    one.listed("kept")


def test_a_report_of_a_saved_audit_is_downloaded(audits):
    one = audits("counts")
    page = one.page
    one.save("in a report")
    page.locator(".wb-toast a").click()
    page.get_by_role("button", name="Report").click()
    menu = page.get_by_role("group", name="Report")
    menu.wait_for()
    kinds = "all => all.map(one => [one.dataset.kind, one.querySelector('strong').textContent])"
    assert menu.locator("[data-kind]").evaluate_all(kinds) == [
        ["pdf", "One page (PDF)"],
        ["html", "One page (HTML)"],
        ["html", "Complete report (HTML)"],
        ["pdf", "Complete report (PDF)"],
        ["md", "Markdown"],
        ["json", "JSON (audit card)"],
        ["ipynb", "Notebook"],
    ]
    with page.expect_download() as download:
        menu.get_by_role("button", name="JSON").click()
    card = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert (card["name"], card["page"]) == ("in a report", "counts")
    one.says("was saved")


def test_a_dropped_file_is_imported(audits, tmp_path):
    one = audits("counts")
    page = one.page
    one.save("to be dropped")
    one.go_to_list()
    with page.expect_download() as download:
        one.act("to be dropped", "Export")
    content = list(download.value.path().read_bytes())
    other = audits("audits").page
    other.get_by_role("heading", name="Nothing is saved yet").wait_for()
    other.evaluate(
        """content => {
            const files = new DataTransfer()
            files.items.add(new File([new Uint8Array(content)], "a.audit.zip"))
            for (const kind of ["dragover", "drop"]) {
                document.querySelector(".wb-audits").dispatchEvent(new DragEvent(kind,
                    {bubbles: true, cancelable: true, dataTransfer: files}))
            }
        }""",
        content,
    )
    other.locator("tr[data-key]").filter(has_text="to be dropped").wait_for()


def test_the_search_and_the_start_page_lead_to_saved_audits(audits):
    one = audits("counts")
    page = one.page
    one.save("on the start page")
    page.locator(".wb-name").click()
    recent = page.get_by_role("region", name="Recent audits")
    recent.get_by_role("link", name=re.compile("on the start page")).click()
    page.get_by_role("heading", name="on the start page").wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search pages").fill("saved audits")
    page.get_by_role("option", name=re.compile("^Saved audits")).click()
    one.listed("on the start page")


def test_a_visit_loads_no_script_of_saved_audits(visit, served):
    page = visit(served + "scores")
    await_charts(page)
    page.wait_for_function("() => document.querySelector('.wb-search-button')")
    asked = "performance.getEntriesByType('resource').map(one => one.name)"
    assert not [url for url in page.evaluate(asked) if re.search(r"audit|save\.js", url)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("context", [{}, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_serious(audits, context, scheme):
    one = audits("counts", color_scheme=scheme, **context)
    page = one.page
    one.save("one", "a note", "release")
    one.save("two")
    page.keyboard.press("Control+s")
    one.save_dialog()
    assert grave_faults(page) == []
    page.keyboard.press("Escape")
    page.goto(page.url.replace("/counts", "/audits"))
    one.row("two").get_by_role("checkbox").check()
    one.row("one").get_by_role("checkbox").check()
    assert grave_faults(page) == []
    over = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(over) <= 0
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("heading", name="Comparison of 2 audits").wait_for()
    assert grave_faults(page) == []
    assert page.evaluate(over) <= 0
    page.get_by_role("link", name="one").first.click()
    page.get_by_role("heading", name="one", exact=True).wait_for()
    assert grave_faults(page) == []
    assert page.evaluate(over) <= 0


def test_the_list_is_used_by_keyboard(audits):
    one = audits("counts")
    page = one.page
    one.save("by key")
    one.go_to_list()
    one.row("by key")
    page.get_by_role("searchbox").focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "by key":
            break
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="by key", exact=True).wait_for()
    assert page.locator(SHOWN).count() == 0
