"""The board of a page in a browser: its charts, controls and numbers."""

from __future__ import annotations

#: The page that is shown; the others stay in the document, hidden.
SHOWN = "#content > .wb-board:not([hidden])"

DRAWN = """name => {
    const plot = window.wbPlots[name]
    return {shapes: plot.layout.shapes, data: plot.data, range: plot._fullLayout.xaxis.range,
            font: plot._fullLayout.font.color, label: plot.getAttribute("aria-label")}
}"""


class Board:
    """What the tests do with an open page."""

    def __init__(self, page):
        self.page = page
        for plot in page.locator(f"{SHOWN} .wb-chart:not(.wb-folded)").all():
            plot.evaluate("""card => {
                const plot = card.querySelector(".wb-plot")
                window.wbPlots ??= {}
                window.wbDraws ??= {}
                window.wbPlots[card.dataset.item] = plot
                plot.on("plotly_afterplot", () => {
                    window.wbDraws[card.dataset.item] = (window.wbDraws[card.dataset.item] ?? 0) + 1
                })
            }""")

    def drawn(self, name):
        return self.page.evaluate(DRAWN, name)

    def drawn_height(self, name):
        return self.page.evaluate("name => window.wbPlots[name].clientHeight", name)

    def draws(self):
        return self.page.evaluate("window.wbDraws")

    def slider(self, label):
        return self.page.get_by_role("slider", name=label, exact=True)

    def value(self, label):
        return float(self.slider(label).input_value())

    def read_words(self):
        """Open the sentences that stand folded under the charts."""
        self.page.locator(SHOWN).get_by_role("button", name="In words", exact=True).click()
        self.page.locator(f"{SHOWN} .wb-texts").wait_for()

    def number(self, title):
        return self.page.locator(f'{SHOWN} [aria-label="{title}"] .wb-value').text_content()

    def wait(self, condition, arg=None):
        self.page.wait_for_function(condition, arg=arg)

    def wait_for_line(self, x):
        """Until both lines stand at ``x``."""
        self.wait(
            "x => ['histogram', 'mu'].every(name =>"
            " Math.abs(window.wbPlots[name].layout.shapes[0].x0 - x) < 1e-9)",
            x,
        )

    def settle(self):
        """Until the charts equal the slider, and stay so."""
        self.wait("""() => {
            const at = name => window.wbPlots[name].layout.shapes[0].x0
            const slider = document.querySelector.bind(document)
            const now = JSON.stringify([at("histogram"), at("mu")])
            const [last, since] = window.wbLast ?? []
            if (last !== now) window.wbLast = [now, performance.now()]
            return last === now && performance.now() - since > 700
        }""")

    def handle(self):
        """Where to take hold of the line; None while it lies outside of what is zoomed to."""
        box = self.page.locator(f'{SHOWN} .wb-handle[data-shape="threshold"]').first.bounding_box()
        return box and (box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)

    def pixel(self, name, x, y):
        return self.page.evaluate(
            """([name, x, y]) => {
            const plot = window.wbPlots[name], {xaxis, yaxis} = plot._fullLayout
            const box = plot.getBoundingClientRect()
            return [box.left + xaxis._offset + xaxis.d2p(x), box.top + yaxis._offset + yaxis.d2p(y)]
        }""",
            [name, x, y],
        )


def choose(board, label, option):
    """Choose an option of a menu."""
    board.page.get_by_role("combobox", name=label, exact=True).select_option(option)
