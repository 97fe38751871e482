"""What the cells of a notebook show, in a form that needs neither a kernel nor a network."""

from __future__ import annotations

from typing import Any

from workbench import _json

#: Live widgets, of which a view of the workbench leaves a picture besides.
_LIVE = "application/vnd.jupyter.widget-view+json"
_FIGURE = "application/vnd.plotly.v1+json"


def stand_alone(notebook: Any) -> bool:
    """Change the outputs of a notebook so that they stand alone; True if it has plotly figures.

    Parameters
    ----------
    notebook : NotebookNode
        A figure of plotly becomes an element that the script of the slides draws; a live widget is
        left out.
    """
    drawn = False
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        for output in cell.outputs:
            data = output.get("data", {})
            if data.pop(_LIVE, None) is not None and data.get("text/plain") == "":
                del data["text/plain"]
            figure = data.pop(_FIGURE, None)
            if figure is not None:
                drawn = True
                data["text/html"] = _element(figure)
        cell.outputs = [one for one in cell.outputs if one.get("data", True)]
    return drawn


def _element(figure: dict[str, Any]) -> str:
    """A place for a figure, with its data."""
    parts = {"data": figure["data"], "layout": figure.get("layout", {})}
    text = _json.dumps(parts).replace("<", "\\u003c")  # nothing ends the element that holds it
    return f'<div class="deck-chart"><script type="application/json">{text}</script></div>'
