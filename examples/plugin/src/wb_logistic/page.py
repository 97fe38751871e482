"""A page about logistic noise."""

import numpy as np
import param

from wb_logistic.pair import logistic
from workbench.figures import Style, axis, chart, line
from workbench.pages import Answer, Control, Fact, Page, Section, answer, figure, number


class LogisticPage(Page):
    title = "Logistic noise"
    about = "How much does a count with logistic noise leak?"
    controls = (Section("Noise", (Control("scale"),)),)

    scale = param.Number(1.0, bounds=(0.2, 10), step=0.1, label="Scale s")

    @answer(needs=("scale",))
    def answer(self):
        """The guarantee of the mechanism."""
        return Answer(f"ε = {1 / self.scale:.3g}", "pure DP, by the largest privacy loss", "good")

    @number("Total variation", needs=("scale",), main=True)
    def advantage(self):
        """The largest advantage of an attack, TPR − FPR."""
        return Fact(f"{logistic(self.scale).total_variation:.3f}", "exact")

    @figure("Trade-off function", needs=("scale",), span=12)
    def curve(self):
        """No test has error rates below this curve."""
        alpha = np.linspace(0, 1, 201)
        pair = logistic(self.scale)
        drawn = line(Style(pair.name, "p", width=2), alpha, pair.tradeoff(alpha))
        summary = f"{pair.name}: total variation {pair.total_variation:.3f}."
        return chart([drawn], axis("FPR", 0, 1), axis("FNR", 0, 1), summary=summary)
