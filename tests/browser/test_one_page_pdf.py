"""The report on one page fits a sheet of A4, for all pages and all names, and a phone's screen."""

from __future__ import annotations

import io

import pypdf
import pytest
from helpers.browser import WIDE, grave_faults
from helpers.one_page import LONG, stuffed
from helpers.reports import NAMES, page_audit

from workbench.reports.contents import Contents
from workbench.reports.html import html
from workbench.reports.pdf import pdf

#: Points; a sheet of A4.
A4 = (595, 842)

PHONE = {"viewport": {"width": 390, "height": 844}}

#: Selectors of texts that nothing may cut off, and whose height is not all in view.
CUT = """() => [...document.querySelectorAll(
    ".one-page :is(.verdict, .evidence, .what, .number *, li span, td span, figcaption)")]
  .filter(one => getComputedStyle(one).display !== "inline")
  .filter(one => one.scrollHeight > one.clientHeight + 2)
  .map(one => one.textContent)"""


def document(audit, form="one-page"):
    return html(Contents(audit, audit.live), form=form)


def sheets(audit, form="one-page"):
    return pypdf.PdfReader(io.BytesIO(pdf(document(audit, form)))).pages


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", NAMES)
def test_every_page_fits_one_sheet_and_nothing_is_cut(name, chromium):
    audit = page_audit(name)
    (sheet,) = sheets(audit)
    assert [round(float(x)) for x in sheet.mediabox[2:]] == list(A4)
    text = " ".join(sheet.extract_text().split())
    for part in ("What it rests on", "What was not tested", "How to check it", "numpy"):
        assert part in text
    context = chromium.new_context(viewport={"width": 688, "height": 1017})  # 182 x 269 mm
    page = context.new_page()
    page.emulate_media(media="print")
    page.set_content(document(audit))
    assert page.evaluate(CUT) == []
    answer, others = page.evaluate(
        """() => {
            const size = one => parseFloat(getComputedStyle(one).fontSize)
            const all = [...document.querySelectorAll(".one-page *")].filter(one => one.textContent)
            const [first] = all.filter(one => one.children.length === 0)
            return [size(first), Math.max(...all.filter(one => one !== first).map(size))]
        }"""
    )
    assert page.locator(".one-page *").filter(has_text="").first.is_visible()
    assert answer > others
    picture = page.locator(".one-page img").bounding_box()
    assert picture["width"] > 250
    assert picture["height"] > 160
    context.close()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["scores", "onerun", "records"])
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_names_of_any_length_fit_too(name, text):
    assert len(sheets(stuffed(page_audit(name), text))) == 1


@pytest.mark.slow
def test_the_complete_report_follows_on_sheets_of_its_own():
    audit = page_audit("counts")
    pages = sheets(audit, "both")
    texts = ["".join(one.extract_text().split()) for one in pages]
    assert "Howtocheckit" in texts[0]
    assert "Reproducethenumbers" not in texts[0]
    assert len(pages) > 3
    assert any("Reproducethenumbers" in text for text in texts[1:])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", [WIDE, PHONE], ids=["wide", "phone"])
def test_on_a_screen_it_is_accessible_and_fits(scheme, screen, chromium, tmp_path):
    path = tmp_path / "one-page.html"
    path.write_text(document(stuffed(page_audit("scores"), "W" * 200)), encoding="utf-8")
    context = chromium.new_context(color_scheme=scheme, bypass_csp=True, **{**WIDE, **screen})
    page = context.new_page()
    page.goto(path.as_uri())
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")
    assert grave_faults(page) == []
    context.close()
