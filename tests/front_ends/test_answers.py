"""The answer of a page: its headline on the board, in audits, reports, views and their pictures."""

import json

import param
import pytest

import workbench as wb
from workbench.assets import board
from workbench.audits.items import TONES, AuditSentence
from workbench.jupyter.snapshot import Snapshot
from workbench.pages.auditing.audit_of import drawn_sentence
from workbench.pages.core.page import Answer, Fact, Page, answer, number
from workbench.pages.registry import PAGES
from workbench.views.view import View


class Coin(Page):
    title = "A coin"

    heads = param.Number(0.5, bounds=(0, 1))

    @number("Heads", needs=("heads",), main=True)
    def shown(self):
        "Chance of heads."
        return Fact(f"{self.heads:g}")

    @number("Tails", needs=("heads",))
    def other(self):
        "Chance of tails."
        return Fact(f"{1 - self.heads:g}")

    @answer(needs=("heads",))
    def answered(self):
        tone = "good" if self.heads == 0.5 else "bad"
        return Answer("Fair" if tone == "good" else "Not <fair>", f"P = {self.heads:g}", tone)


def test_an_answer_has_words_and_a_known_tone():
    assert str(Answer("Refuted", "ε ≥ 2.13", "bad")) == "Refuted: ε ≥ 2.13"
    assert str(Answer("Nothing to conclude yet")) == "Nothing to conclude yet"
    with pytest.raises(ValueError, match="words"):
        Answer(" ")
    with pytest.raises(ValueError, match="'red'"):
        Answer("Refuted", tone="red")


def test_a_page_has_one_answer():
    item = Coin.answer_item()
    assert (item.name, item.kind, item.place) == ("answered", "sentence", "answer")
    assert Page.answer_item() is None

    class Twice(Coin):
        @answer(needs=("heads",))
        def again(self):
            return Answer("Again")

    with pytest.raises(TypeError, match="answered and again"):
        Twice.answer_item()


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_at_most_one_answer_and_two_main_numbers(name):
    page = PAGES[name].kind
    page.answer_item()
    assert sum(item.main for item in page.numbers()) <= 2


def test_the_board_has_it_as_json():
    drawn = Coin(heads=0.25).draw(Coin.answer_item())
    assert json.loads(board.content(drawn)) == {
        "words": "Not <fair>",
        "evidence": "P = 0.25",
        "tone": "bad",
    }
    frame = board.frame(Coin)
    assert [one["place"] for one in frame["sentences"]] == ["answer"]
    assert [one["main"] for one in frame["numbers"]] == [True, False]


def test_a_sentence_of_an_audit_keeps_it():
    kept = AuditSentence("answered", "Fair", "answer", "P = 0.5", "good")
    assert AuditSentence(**kept.to_dict()) == kept
    assert drawn_sentence(kept) == Answer("Fair", "P = 0.5", "good")
    with pytest.raises(ValueError, match="'red'"):
        AuditSentence("answered", "Fair", "answer", "", "red")
    # Other sentences are written as ever.
    assert AuditSentence("one", "Text.", "foot").to_dict() == {
        "name": "one",
        "text": "Text.",
        "place": "foot",
    }
    assert drawn_sentence(AuditSentence("one", "Text.")) == "Text."


def test_a_view_has_it():
    view = View(Coin(), lambda spec: "")
    assert view.answer == Answer("Fair", "P = 0.5", "good")
    view.page.heads = 1.0
    assert view.answer.tone == "bad"


@pytest.mark.parametrize("tone", TONES)
def test_the_picture_of_a_view_begins_with_it(tone):
    page = Coin()
    items = [(item, page.draw(item), "") for item in Coin.numbers()]
    made = Answer("Not <fair>", "P < 1", tone)
    picture = Snapshot("v1").html("", [], [*items, (Coin.answer_item(), made, "")])
    assert picture.index("Not &lt;fair&gt;") < picture.index("P &lt; 1") < picture.index("Heads")


def test_a_report_begins_with_it(tmp_path):
    from workbench.reports.contents import Contents
    from workbench.reports.html import html
    from workbench.reports.markdown import markdown

    audit = wb.explore(wb.Scores([1.0, 2.0, 3.0], [0.0, 1.0, 2.0])).audit(by="me")
    kept = next(one for one in audit.sentences if one.tone)
    assert (kept.text, kept.tone) == ("No leak shown", "open")
    contents = Contents(audit)
    assert contents.summary.answer == kept
    document = html(contents)
    assert document.index("</h1>") < document.index("No leak shown") < document.index("<nav")
    written = markdown(contents)
    assert written.index("# ") < written.index("**No leak shown**: ") < written.index("## Summary")
