"""The bench in a real browser: one data set on every page, undo, links, restarts, visitors."""

from __future__ import annotations

import re
import time
from contextlib import contextmanager

import numpy as np
import pytest
from helpers.bench import BenchPage, losses
from helpers.browser import NOTE_ANSWERS, WIDE, await_charts, grave_faults
from helpers.servers import Restartable

from workbench.pages.core.jobs import DOUBLE_CLICK
from workbench.pages.registry import PAGES
from workbench.scores.examples import card
from workbench.scores.layouts.guess import guess_layout
from workbench.scores.parsing.source import read_table
from workbench.workspaces.reading import Reading
from workbench.workspaces.workspace import Workspace

LAPLACE = card("laplace").title
ABOUT_SCORES = ("scores", "family", "compare", "watch")


@pytest.fixture
def bench(visit, served):
    """``bench(page, **context)`` opens a page of a new visitor."""

    def opened(name="scores", **context):
        return BenchPage(visit(served + name, **context))

    return opened


@pytest.fixture
def file(tmp_path):
    return losses(tmp_path / "ledger-7.csv")


def same_page(name, path, direction=False):
    """The page without a browser, on the data set of a file of `losses`."""
    workspace = Workspace()
    table = read_table(path.read_bytes(), filename=path.name)
    dataset = workspace.add([table], Reading(guess_layout(table), larger_is_member=direction))
    page = PAGES[name].kind(workspace=workspace)
    page.follow(dataset.key)
    return page


#: Whether the server has answered all that was done.
ANSWERED = "() => window.wbAnswered()"


def rounded(page):
    """Title of a number -> what a browser shows of it."""
    values = {item.title: page.draw(item) for item in page.numbers()}
    return {name: getattr(v, "rounded", None) or v.text for name, v in values.items()}


def assert_same_numbers(shown, page):
    """The browser shows what the page without a browser says."""
    for title, value in rounded(page).items():
        if shown[title].strip() != "choose a threshold":
            assert shown[title].startswith(value), title


# -- open once, see it everywhere ------------------------------------------------------------------


def test_a_loss_file_is_opened_once_and_seen_on_every_page(bench, file):
    one = bench()
    page = one.page
    page.evaluate("window.marker = true")
    before = one.numbers()
    dialog = one.open_files(file)
    said = dialog.locator(".wb-sentence")
    said.filter(has_text="400 scores of members and 600 of non-members").wait_for()
    said.filter(has_text="Smaller scores suggest membership: proposed from").wait_for()
    direction = dialog.get_by_role("combobox", name="Direction of the score")
    assert direction.evaluate("e => e.selectedOptions[0].text") == "smaller = member"
    assert one.numbers() == before  # nothing is drawn before it is asked for
    one.accept()
    one.wait_for_data("ledger-7")
    shown = one.numbers()
    assert shown["Scores"].startswith("400 + 600")
    # Only the threshold, which nobody chose before, is asked for; no bound is void.
    assert "not valid" not in shown["ε lower bound"]
    for name in ABOUT_SCORES:
        if name != "scores":
            one.go(name)
        assert one.data == "ledger-7"
        one.shown.locator(".wb-sentence").filter(has_text="ledger-7").first.wait_for()
        assert_same_numbers(one.numbers(), same_page(name, file))
    assert page.evaluate("window.marker")


def test_a_declaration_that_changes_no_number_voids_nothing_and_another_direction_does(bench, file):
    one = bench()
    one.open_files(file)
    one.accept()
    one.wait_for_data("ledger-7")
    before = one.numbers()

    def reread(label, option):
        one.open_menu().get_by_role("button", name="How it was read: ledger-7").click()
        one.dialog.get_by_role("combobox", name=label).select_option(option)

    reread("Independence of rows", "independent runs")
    one.dialog.locator(".wb-sentence").filter(has_text="This reading changes no number").wait_for()
    one.accept()
    assert one.numbers() == before
    one.go("family")
    assert_same_numbers(one.numbers(), same_page("family", file))
    assert one.shown.get_by_text("after results were seen").count() == 0
    reread("Direction of the score", "larger = member")
    one.dialog.locator(".wb-sentence").filter(has_text="marked as not valid").wait_for()
    one.accept()
    one.go("scores")
    assert "not valid" in one.numbers()["ε lower bound"]
    # Undone, everything is as it was.
    one.page.keyboard.press("Control+z")
    one.shown.locator('[aria-label="ε lower bound"]').filter(has_not_text="not valid").wait_for()
    assert one.numbers() == before


def test_two_files_are_swapped_before_any_number_is_drawn(bench, tmp_path):
    rng = np.random.default_rng(1)
    for name, shift, n in (("run_a.csv", 0, 200), ("run_b.csv", 1, 300)):
        values = rng.normal(shift, 1, n).tolist()
        (tmp_path / name).write_text("\n".join(["score", *map(repr, values)]))
    one = bench()
    dialog = one.open_files(tmp_path / "run_a.csv", tmp_path / "run_b.csv")
    said = dialog.locator(".wb-sentence")
    said.filter(has_text="200 scores of members").wait_for()
    said.filter(has_text="the names do not say which file has the members").wait_for()
    dialog.get_by_role("switch", name="Swap the files").click()
    said.filter(has_text="300 scores of members").wait_for()
    one.accept()
    assert one.numbers()["Scores"].startswith("300 + 200")
    assert "not valid" not in one.numbers()["ε lower bound"]


def test_one_of_several_columns_is_chosen_by_a_click_before_any_number(bench, tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{i % 2},{rng.random():.4f},{rng.normal(i % 2, 1):.4f}" for i in range(400)]
    path = tmp_path / "mia_baseline_default_0.csv"
    path.write_text("\n".join(["member,baseline_pred,mia_mlp10_pred", *rows]), encoding="utf-8")
    one = bench()
    one.open_menu()
    one.page.set_input_files("#open-files", path)
    one.dialog.get_by_text("2 columns may hold the scores").wait_for()
    one.dialog.get_by_text("PANORAMIA attack").wait_for()
    name = one.dialog.locator('[data-item="all_scores"] svg').get_by_text("mia_mlp10_pred").first
    place = name.bounding_box()
    one.page.mouse.click(place["x"] + 9, place["y"] + 9)  # the chart lies over its names
    said = one.dialog.locator(".wb-sentence").filter(has_text="200 scores of members and 200 of")
    said.filter(has_text="'mia_mlp10_pred'").wait_for()
    one.accept()
    one.wait_for_data("mia_baseline_default_0")


def test_scores_and_their_labels_are_two_files(bench, tmp_path):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "mia_scores.npy", np.r_[rng.normal(1, 1, 60), rng.normal(0, 1, 40)])
    np.save(tmp_path / "mia_labels.npy", np.repeat([1.0, 0.0], [60, 40]))
    one = bench()
    dialog = one.open_files(tmp_path / "mia_labels.npy", tmp_path / "mia_scores.npy")
    dialog.get_by_text("60 scores of members and 40 of non-members").wait_for()
    dialog.get_by_text("on the assumption that their order").wait_for()
    one.accept()
    one.wait_for_data("mia_scores")


def test_a_table_is_pasted_by_the_menu_and_by_the_keyboard(bench):
    one = bench("family")
    rows = ["score\tmember", *(f"{i / 7 + i % 2}\t{i % 2}" for i in range(120))]
    menu = one.open_menu()
    menu.get_by_role("button", name="Paste a table").click()
    area = menu.get_by_role("textbox")
    assert area.evaluate("e => e === document.activeElement")
    area.fill("\n".join(rows))
    menu.get_by_role("button", name="Read the table").click()
    one.dialog.locator(".wb-sentence").filter(has_text="60 scores of members").wait_for()
    one.accept()
    one.wait_for_data("pasted")
    one.page.evaluate(
        """text => {
            const data = new DataTransfer()
            data.setData("text/plain", text)
            const more = {clipboardData: data, bubbles: true}
            document.body.dispatchEvent(new ClipboardEvent("paste", more))
        }""",
        "\n".join(rows[:101]),
    )
    one.dialog.locator(".wb-sentence").filter(has_text="50 scores of members").wait_for()
    one.dialog.get_by_role("button", name="Cancel").click()
    one.dialog.wait_for(state="hidden")
    assert one.data == "pasted"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.csv", b"", "empty"),
        ("words.csv", b"in,out\n1,2\nthree,4\n5,6\n", "row 3"),
        ("cut.parquet", b"PAR1 and no more", "parquet"),
    ],
)
def test_a_bad_file_is_told_in_the_dialog_and_the_page_stays(bench, tmp_path, name, content, says):
    one = bench()
    before = one.numbers()
    (tmp_path / name).write_bytes(content)
    one.open_menu()
    one.page.set_input_files("#open-files", tmp_path / name)
    one.dialog.get_by_role("alert").filter(has_text=says).wait_for()
    one.page.keyboard.press("Escape")
    one.dialog.wait_for(state="hidden")
    assert one.numbers() == before


# -- one gesture, one undo -------------------------------------------------------------------------


def test_a_drag_that_takes_long_is_one_undo_step_and_so_is_a_key_that_is_held(bench):
    one = bench()
    page, slider = one.page, one.page.get_by_role("slider", name="Threshold", exact=True)
    box = slider.bounding_box()

    def standing():
        return slider.get_attribute("aria-valuetext"), slider.input_value()

    def assert_at(text, place):
        one.wait_for_value("Threshold", text)
        assert standing() == (text, place)

    before = standing()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    for step in range(1, 5):
        page.mouse.move(box["x"] + box["width"] * (0.5 + step / 20), middle)
        page.wait_for_function(ANSWERED)
        page.wait_for_timeout(500)  # longer in all than a person's two steps are apart
    undo = page.locator(".wb-undo")
    assert undo.is_disabled()
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + 300)  # and lets go of it elsewhere
    page.mouse.up()
    dragged = standing()
    assert dragged[0] != before[0]
    undo.and_(page.locator(":enabled")).click()
    assert_at(*before)
    assert undo.is_disabled()
    page.locator(".wb-redo").click()
    assert_at(*dragged)
    slider.focus()
    for _ in range(6):  # without keyup in between, the key repeats
        page.keyboard.down("ArrowRight")
        page.wait_for_function(ANSWERED)
    page.keyboard.up("ArrowRight")
    page.wait_for_function(ANSWERED)
    undo.click()  # the steps of the key that repeats
    page.wait_for_function(ANSWERED)
    assert standing() != dragged
    undo.click()  # its first one
    assert_at(*dragged)


# -- from page to page -----------------------------------------------------------------------------


def test_pages_switch_in_one_document_and_keep_their_state(bench, served):
    one = bench()
    page = one.page
    page.evaluate("window.marker = true")
    one.set("Threshold", "0.73")
    scores = one.numbers()
    one.go("counts")
    one.set("False positives", "21")
    counts = one.numbers()
    page.go_back()
    one.wait_for("scores")
    assert page.url == served + "scores"
    assert one.numbers() == scores
    page.go_forward()
    one.wait_for("counts")
    assert page.url == served + "counts"
    assert one.numbers() == counts
    assert page.evaluate("window.marker")
    page.reload()
    one.wait_for("counts")
    assert page.evaluate("window.marker === undefined")
    assert one.numbers() == counts
    assert page.get_by_label("False positives", exact=True).input_value() == "21"
    page.go_back()
    one.wait_for("scores")
    assert one.numbers() == scores
    assert page.get_by_label("Threshold: value", exact=True).input_value() == "0.73"


def test_a_page_that_was_seen_before_is_shown_at_once(bench):
    """Within the click itself: it waits for no timer, for no server and for no chart."""
    one = bench()
    names = ("counts", "plan", "scores")
    for name in names:
        one.go(name)
    one.numbers()  # nothing is under way
    one.page.evaluate("WebSocket.prototype.send = () => {}")  # as if the server took its time
    switch = """name => {
        document.querySelector(`.wb-bar a[data-page=${name}]`).click()
        const board = document.querySelector("#content > .wb-board:not([hidden])")
        const plots = [...board.querySelectorAll(".wb-plot")]
        return [board.dataset.page, plots.length, plots.every(e => e.querySelector(".draglayer"))]
    }"""
    for name in names * 2:
        shown, plots, drawn = one.page.evaluate(switch, name)
        assert (shown, drawn) == (name, True)
        assert plots > 0


def test_undo_and_redo_go_over_two_pages(bench):
    one = bench()
    page = one.page
    states = [one.numbers()]
    first = page.get_by_label("Threshold: value", exact=True).input_value()
    one.set("Threshold", "1.43")
    states.append(one.numbers())
    one.go("counts")
    counts = [one.numbers()]
    one.set("False positives", "3")
    counts.append(one.numbers())
    assert page.get_by_role("button", name="Undo: False positives").is_enabled()
    page.keyboard.press("Control+z")
    one.shown.locator('[aria-label="ε"]').filter(has_text=counts[0]["ε"].split()[0]).wait_for()
    assert one.numbers() == counts[0]
    page.keyboard.press("Control+z")
    one.wait_for("scores")  # people see what is undone
    page.get_by_role("button", name="Nothing to undo").wait_for()
    one.wait_for_value("Threshold", first)
    assert one.numbers() == states[0]
    page.keyboard.press("Control+Shift+z")
    one.wait_for_value("Threshold", "1.43")
    assert one.numbers() == states[1]
    page.keyboard.press("Control+y")
    one.wait_for("counts")
    page.get_by_role("button", name="Nothing to redo").wait_for()
    page.wait_for_function(
        "field => field.value === '3'",
        arg=page.get_by_label("False positives", exact=True).element_handle(),
    )
    assert one.numbers() == counts[1]


def test_text_that_is_being_typed_has_an_undo_of_its_own(bench):
    one = bench("counts")
    one.set("False positives", "3")
    after = one.numbers()
    field = one.page.get_by_label("True positives", exact=True)
    field.focus()
    one.page.keyboard.type("9")
    one.page.keyboard.press("Control+z")
    assert one.numbers() == after


@pytest.mark.exhaustive
def test_reset_is_for_the_page_in_view_and_can_be_undone(bench, file):
    one = bench()
    one.open_files(file)
    one.accept()
    first = one.numbers()
    one.set("Threshold", "0.64")
    moved = one.numbers()
    assert moved != first
    one.page.get_by_role("button", name="Reset this page").click()
    one.page.get_by_role("button", name="Undo: Reset").wait_for()
    again = one.numbers()
    assert one.data == "ledger-7"
    assert again["Scores"] == first["Scores"]
    one.page.keyboard.press("Control+z")
    one.wait_for_value("Threshold", "0.64")
    assert one.numbers() == moved


# -- links -----------------------------------------------------------------------------------------


def link_to(one):
    """The link to the page that is shown, as it is put into the clipboard."""
    one.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    one.page.get_by_role("button", name="Share", exact=True).click()
    one.page.get_by_role("button", name="Link to this page").click()
    dialog = one.page.get_by_role("dialog", name="Link to this page")
    dialog.get_by_role("button", name="Copy").click()
    dialog.get_by_text("The link is in the clipboard.").wait_for(state="attached")
    dialog.get_by_role("button", name="Close").click()
    return one.page.evaluate("navigator.clipboard.readText()")


def test_a_link_shows_the_same_numbers_in_another_browser(bench, visit):
    one = bench("family", viewport=WIDE["viewport"])
    one.choose(LAPLACE)
    one.set("δ", "3e-4")
    wanted = one.numbers()
    link = link_to(one)
    assert re.fullmatch(r"http://localhost:\d+/family#link=[\w-]+", link)
    two = BenchPage(visit(link, viewport={"width": 1280, "height": 800}))
    two.wait_for_data(one.data)
    two.wait_for_value("δ", "3e-4")
    assert two.numbers() == wanted
    assert two.page.evaluate("location.hash") == ""
    # It is something that was done, so it can be undone.
    two.page.get_by_role("button", name="Undo: the link").click()
    two.page.get_by_role("button", name="Nothing to undo").wait_for()
    assert two.numbers() != wanted


@pytest.mark.sampled(1)
@pytest.mark.parametrize("spoil", [lambda text: text[:-9], lambda text: f"{text[:40]}x{text[41:]}"])
def test_a_link_that_was_cut_or_changed_is_told_and_changes_nothing(bench, spoil):
    one = bench("counts", viewport=WIDE["viewport"])
    one.set("False positives", "4")
    before = one.numbers()
    _, _, text = link_to(one).partition("#link=")
    one.page.evaluate("text => { location.hash = `link=${text}` }", spoil(text))
    one.says("This link")
    assert re.search("cut|changed", one.page.locator(".wb-toast").text_content())
    assert one.numbers() == before


@pytest.mark.sampled(1)
@pytest.mark.parametrize("same", [True, False])
def test_a_link_on_private_data_asks_for_the_file_and_compares_it(bench, visit, file, same):
    one = bench(viewport=WIDE["viewport"])
    one.open_files(file)
    one.accept()
    one.wait_for_data("ledger-7")
    one.set("δ", "3e-4")
    wanted = one.numbers()
    link = link_to(one)
    two = BenchPage(visit(link, viewport={"width": 1280, "height": 800}))
    # What is wanted stands in the dialog for as long as it is open.
    note = two.dialog.get_by_role("note", name="What the link needs")
    note.filter(has_text="The link is about the data set “ledger-7”").wait_for()
    assert note.locator("strong").inner_text() == "the file “ledger-7.csv”"
    alike = same_page("scores", file)
    assert note.locator("code").inner_text() == alike.workspace.dataset(alike.data_key).sha256
    # Before there is a file nothing is drawn, and what to do is said once.
    assert two.dialog.get_by_text("Open one file with both groups").count() == 1
    assert not two.dialog.locator(".wb-chart").is_visible()
    given = file if same else losses(file.with_name("other.csv"), seed=7)
    two.dialog.locator("input[type=file]").set_input_files(given)
    two.dialog.locator(".wb-sentence").filter(has_text="scores of members").wait_for()
    two.dialog.locator(".wb-chart .main-svg").first.wait_for()
    two.accept()
    assert two.page.get_by_role("note", name="What the link needs").count() == 0
    two.says("the SHA-256 is the same" if same else "This is not the data set of the link")
    two.wait_for_data(given.stem)
    two.wait_for_value("δ", "3e-4")
    assert (two.numbers() == wanted) == same


# -- the owner of the workspace on disk ------------------------------------------------------------


@pytest.fixture
def own(tmp_path):
    server = Restartable(tmp_path)
    server.start()
    yield server
    server.close()


def address_of_owner(server):
    """What a server prints for its owner to open."""
    return re.findall(r"http://localhost:\d+/\?key=[\w-]+", server.log.read_text())[-1]


@contextmanager
def opened(chromium, url):
    """A document of a new browser, which may say errors: its server goes away."""
    context = chromium.new_context(**WIDE)
    page = context.new_page()
    page.add_init_script(NOTE_ANSWERS)
    page.goto(url)
    await_charts(page)
    yield BenchPage(page)
    context.close()


@pytest.mark.exhaustive
def test_the_owner_finds_everything_after_a_restart_and_nobody_else_does(chromium, own, file):
    with opened(chromium, address_of_owner(own)) as one:
        page = one.page
        assert "key" not in page.url
        page.goto(own.url + "scores")
        await_charts(page)
        one.open_menu().get_by_text("on this computer, in").wait_for()
        one.open_files(file)
        one.accept()
        one.wait_for_data("ledger-7")
        one.set("Threshold", "-0.55")
        scores = one.numbers()
        one.go("watch")
        one.set("δ", "3e-4")
        watch = one.numbers()
        assert own.stop() == 0
        page.locator(".wb-connection").filter(has_text="The server is being restarted").wait_for()
        page.evaluate("window.marker = true")
        own.start()
        page.wait_for_function("() => window.marker === undefined")
        one.wait_for("watch")
        page.locator(".wb-connection").wait_for(state="hidden")
        one.wait_for_data("ledger-7")
        assert one.numbers() == watch
        one.go("scores")
        assert one.numbers() == scores
    with opened(chromium, address_of_owner(own)) as later:  # the browser was closed meanwhile
        later.page.goto(own.url + "scores")
        await_charts(later.page)
        assert later.data == "ledger-7"
        assert later.numbers() == scores
    with opened(chromium, own.url + "scores") as stranger:
        assert stranger.data != "ledger-7"
        assert "ledger-7" not in stranger.open_menu().text_content()
        stranger.page.goto(f"{own.url}?key={'A' * 43}")
        assert "ledger-7" not in stranger.page.content()


# -- jobs ------------------------------------------------------------------------------------------


def test_a_job_goes_on_while_another_page_is_shown(bench):
    one = bench("plan")
    page = one.page
    time.sleep(DOUBLE_CLICK)
    page.get_by_role("button", name="Simulate this bound", exact=True).first.click()
    page.get_by_role("progressbar").first.wait_for()
    one.go("counts")
    running_job = page.locator(".wb-jobs a")
    running_job.filter(has_text=re.compile(r"\d+%")).wait_for()
    share = running_job.text_content()
    page.wait_for_function(
        "share => document.querySelector('.wb-jobs a')?.textContent !== share",
        arg=share,
    )
    one.set("False positives", "21")  # the page in view is live
    one.numbers()
    if running_job.count():
        running_job.click()
        one.wait_for("plan")
        assert running_job.count() == 0  # the page itself shows it
    else:
        one.go("plan")
    time.sleep(DOUBLE_CLICK)
    cancel = page.get_by_role("button", name="Cancel").first
    if cancel.is_visible():
        cancel.click()
    page.locator(".wb-job-words").filter(has_text=re.compile("Done|Cancelled")).first.wait_for(
        timeout=120_000
    )


# -- who sees what ---------------------------------------------------------------------------------


def test_two_visitors_never_see_each_others_data(bench, file, served):
    mine = bench(viewport=WIDE["viewport"])
    theirs = bench(viewport={"width": 1300, "height": 900})
    mine.open_files(file)
    mine.accept()
    mine.wait_for_data("ledger-7")
    secret = mine.numbers()
    with mine.page.expect_download() as download:
        mine.open_menu().get_by_role("button", name="Download: ledger-7").click()
    key = re.search(r"/data/([\w-]+)\.csv", download.value.url)[1]
    assert len(key) >= 20
    own = mine.page.context.request.get(f"{served}data/{key}.csv")
    assert own.ok
    assert own.text().count("\n") == 1001
    for path in (f"data/{key}.csv", f"data/{key[:-1]}.csv", "data/..%2F..%2Fkey.csv"):
        assert theirs.page.context.request.get(served + path).status == 404
    before = theirs.numbers()
    # What the page could send is answered as if there were no such data set.
    for gesture in (
        {"kind": "choose", "data": key},
        {"kind": "rename", "data": key, "to": "mine"},
        {"kind": "remove", "data": key},
        {"kind": "import", "data": key},
    ):
        said = theirs.page.evaluate(SEND, gesture)
        assert "there is no data set" in said, gesture
    assert theirs.numbers() == before
    menu = theirs.open_menu()
    assert "ledger-7" not in menu.text_content()
    assert mine.numbers() == secret
    # Nor by a second document, a reload or the start page.
    theirs.page.goto(served)
    await_charts(theirs.page)
    assert "ledger-7" not in theirs.page.content()


#: Sends a gesture by a socket of a new document of the visitor, and returns what is said.
SEND = """async gesture => {
    const text = await (await fetch("./counts")).text()
    const token = text.match(/data-token="([^"]+)"/)[1]
    const address = new URL("./counts/ws", location.href).href.replace("http", "ws")
    const socket = new WebSocket(address, ["bokeh", token])
    return new Promise(resolve => {
        socket.onmessage = ({data}) => {
            if (data === "{}") socket.send(JSON.stringify({...gesture, page: "", serial: 1}))
            const message = JSON.parse(data)
            if (message.handled === 1) {
                socket.close()
                resolve(message.say ?? "")
            }
        }
    })
}"""


# -- the Data menu ---------------------------------------------------------------------------------


def test_a_data_set_is_renamed_removed_and_brought_back(bench, file, tmp_path):
    one = bench()
    one.open_files(file)
    one.accept()
    one.wait_for_data("ledger-7")
    before = one.numbers()
    one.open_menu().get_by_role("button", name="Rename: ledger-7").click()
    field = one.page.get_by_role("textbox", name="New name")
    assert field.evaluate("e => e === document.activeElement")
    field.fill("no name")
    field.press("Escape")
    one.open_menu().get_by_role("button", name="Rename: ledger-7").click()
    field.fill("epoch <b>90</b>")
    field.press("Enter")
    one.wait_for_data("epoch <b>90</b>")
    with one.page.expect_download() as download:
        one.open_menu().get_by_role("button", name="Download: epoch").click()
    download.value.save_as(tmp_path / "again.csv")
    assert len((tmp_path / "again.csv").read_text().splitlines()) == 1001
    one.open_menu().get_by_role("button", name="Remove: epoch").click()
    one.says("was removed. Undo brings it back.")
    one.page.locator(".wb-data-button").filter(has_not_text="epoch").wait_for()
    assert one.numbers()["Scores"] != before["Scores"]
    assert "epoch" not in one.open_menu().text_content()
    one.page.keyboard.press("Escape")
    one.page.keyboard.press("Control+z")
    one.wait_for_data("epoch <b>90</b>")
    assert one.numbers() == before
    one.page.keyboard.press("Control+z")
    one.wait_for_data("ledger-7")


def test_the_data_menu_is_used_by_keyboard(bench):
    one = bench("watch")
    page = one.page
    button = page.locator(".wb-data-button")
    button.focus()
    page.keyboard.press("Enter")
    chosen = "() => document.activeElement.getAttribute('aria-pressed') === 'true'"
    page.wait_for_function(chosen)
    page.keyboard.press("Escape")
    assert page.locator("#data").is_hidden()
    assert button.evaluate("e => e === document.activeElement")
    page.keyboard.press("Enter")
    page.wait_for_function(chosen)
    first = one.data
    page.keyboard.press("Shift+Tab")
    # Scores, since a table would be shown on another page.
    scores = "(e => e.matches('.wb-set') && !e.textContent.includes(' models × '))"
    while not page.evaluate(f"{scores}(document.activeElement)"):
        page.keyboard.press("Shift+Tab")
    name = page.evaluate("document.activeElement.querySelector('strong').textContent")
    page.keyboard.press("Enter")
    one.wait_for_data(name)
    assert name != first
    assert page.locator("#data").is_hidden()
    page.keyboard.press("Control+z")
    one.wait_for_data(first)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ABOUT_SCORES)
def test_the_data_menu_is_the_same_on_every_page(bench, name):
    one = bench(name)
    menu = one.open_menu()
    titles = menu.locator("h3").all_text_contents()
    assert titles == ["Bundled examples", "Simulated, with known privacy loss"]
    kept = "Your data sets are kept on this server until 12 hours after your last visit"
    menu.get_by_text(kept).wait_for()
    one.choose(LAPLACE)
    one.numbers()


def test_two_data_sets_are_compared(bench, file):
    one = bench("compare")
    one.open_files(file)
    one.accept()
    one.wait_for_data("ledger-7")
    before = one.numbers()
    assert before["ε lower bound of A"] != before["ε lower bound of B"]
    choice = one.page.locator(".wb-drawer").get_by_role("combobox", name="Data of B")
    choice.select_option("ledger-7")
    after = one.numbers()
    assert after["ε lower bound of A"] == after["ε lower bound of B"]
    assert one.data == "ledger-7"


# -- for everybody ---------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(bench, file, scheme):
    one = bench("", viewport={"width": 1440, "height": 900}, color_scheme=scheme)
    found = {"start": grave_faults(one.page)}
    one.page.goto(one.page.url + "scores")
    await_charts(one.page)
    one.open_menu()
    found["data menu"] = grave_faults(one.page)
    one.open_files(file)
    found["import"] = grave_faults(one.page)
    one.accept()
    one.open_menu()
    found["own data set"] = grave_faults(one.page)
    assert not any(found.values()), found


def test_the_start_page_leads_to_pages_and_lists_what_was_opened(bench, file, served):
    one = bench("")
    page = one.page
    page.evaluate("window.marker = true")
    with page.expect_file_chooser() as chooser:
        page.locator("[data-door=scores]").get_by_role("button", name="Load a file").click()
    assert chooser.value.is_multiple()
    assert one.dialog.is_hidden()
    chooser.value.set_files(file)
    one.dialog.locator(".wb-sentence").filter(has_text="scores of members").wait_for()
    one.accept()
    one.wait_for("scores")
    assert page.url == served + "scores"
    one.wait_for_data("ledger-7")
    page.get_by_role("link", name="DP Audit Workbench").click()
    recent = page.get_by_role("region", name="Recent data sets")
    recent.get_by_role("button", name="ledger-7").click()
    one.wait_for("scores")
    assert one.numbers()["Scores"].startswith("400 + 600")
    assert page.evaluate("window.marker")
