"""Labels of a chart, moved where they would cover each other or leave the axes."""

from __future__ import annotations

import itertools
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workbench.figures.paper.texts import LONGEST, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: A box in pixels: left, bottom, right, top.
Box = tuple[float, float, float, float]

#: Steps up and down, in heights of a label, that are tried.
STEPS = (0, 0.3, -0.3, 0.6, -0.6, 1, -1, 1.5, -1.5, 2, -2, 3, -3, 4, -4)

#: Price of covering all of another label, and a curve as long as the label is high; of a step, and
#: of a flip to the other side. A label that pays less than the last stays.
ON_LABEL, ON_CURVE, STEP, FLIP, ENOUGH = 100.0, 6.0, 1.0, 0.8, 1.0


def wrap(artist: Any, text: str, room: float) -> None:
    """Write a title in one line, or in two where it needs more room.

    Parameters
    ----------
    artist : matplotlib.text.Text
    text : str
    room : float
        In pixels, along the text.
    """
    artist.set_text(written(text))
    extent = artist.get_window_extent()
    length = max(extent.width, extent.height)
    if length > room:
        shown = min(len(text), LONGEST)
        lines = textwrap.wrap(
            text, max(int(shown * room / length), 8), max_lines=2, placeholder="…"
        )
        artist.set_text("\n".join(map(written, lines)))


def shorten(artist: Any, room: float) -> None:
    """Cut a text that is wider than its room, such as the name of a data set.

    Parameters
    ----------
    artist : matplotlib.text.Text
    room : float
        In pixels.
    """
    text, width = artist.get_text(), artist.get_window_extent().width
    if width > room and "$" not in text.replace(r"\$", ""):
        kept = max(int(0.95 * len(text) * room / width) - 1, 4)
        artist.set_text(text[:kept].rstrip("\\") + "…")


def make_room(ax: Axes) -> None:
    """Have the layout of the page make room for labels beside the axes, such as names of rows."""
    frame = box_of(ax.get_window_extent())
    for note in _notes(ax):
        note.set_in_layout(_is_beside(note, box_of(note.get_window_extent()), frame))


def settle(ax: Axes) -> None:
    """Move annotations that cover others or leave the axes; the others stay.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        In its final size.
    """
    scale = page_of(ax).dpi / 72
    frame = box_of(ax.get_window_extent())
    legend = ax.get_legend()
    notes = _notes(ax)
    placed = [] if legend is None else [box_of(legend.get_window_extent())]
    curves = points_of_curves(ax)
    for note in notes:
        shorten(note, frame[2] - frame[0])
        now = box_of(note.get_window_extent())
        if note.get_in_layout():
            continue
        home = note.get_position()
        price, chosen = _price(now, placed, curves), now
        if price > ENOUGH or _held(now, frame) != now:
            options = (
                (_price(box, placed, curves) + price, order, box)
                for order, (price, box) in enumerate(_options(note, now, home, scale, frame))
            )
            _, _, chosen = min(options)
            across, up = chosen[0] - now[0], chosen[1] - now[1]
            note.set_position((home[0] + across / scale, home[1] + up / scale))
        placed.append(chosen)


def page_of(ax: Axes) -> Any:
    """The figure of matplotlib that the axes are on."""
    return ax.get_figure(root=True)


def _notes(ax: Axes) -> list[Any]:
    from matplotlib.text import Annotation

    return [text for text in ax.texts if isinstance(text, Annotation)]


def _options(
    note: Any, now: Box, home: tuple[float, float], scale: float, frame: Box
) -> list[tuple[float, Box]]:
    """Boxes in which a label may stand, and the price of each."""
    width, height = now[2] - now[0], now[3] - now[1]
    # To the other side of the anchor, at the same distance.
    aside = {"left": -width - 2 * home[0] * scale, "right": width - 2 * home[0] * scale}
    over = {"bottom": -height - 2 * home[1] * scale, "top": height - 2 * home[1] * scale}
    options = []
    for flip_x, flip_y, step in itertools.product((False, True), (False, True), STEPS):
        across = aside.get(note.get_ha(), 0.0) if flip_x else 0.0
        up = (over.get(note.get_va(), 0.0) if flip_y else 0.0) + step * height
        moved = (now[0] + across, now[1] + up, now[2] + across, now[3] + up)
        box = _held(moved, frame)
        lost = (abs(box[0] - moved[0]) + abs(box[1] - moved[1])) / height
        options.append((STEP * (abs(step) + lost) + FLIP * (flip_x + flip_y), box))
    return options


def _is_beside(note: Any, box: Box, frame: Box) -> bool:
    """Whether a label is meant to stand outside of the axes, as names of rows are."""
    aside = box[2] <= frame[0] + 1 or box[0] >= frame[2] - 1
    over = box[3] <= frame[1] + 1 or box[1] >= frame[3] - 1
    across, up = note.xycoords
    return (aside and across == "axes fraction") or (over and up == "axes fraction")


def _held(box: Box, frame: Box) -> Box:
    """A box moved into the frame, at its left edge where it is too wide."""
    across = max(min(0.0, frame[2] - box[2]), frame[0] - box[0])
    up = max(min(0.0, frame[3] - box[3]), frame[1] - box[1])
    return (box[0] + across, box[1] + up, box[2] + across, box[3] + up)


def _price(box: Box, placed: list[Box], curves: NDArray[np.float64]) -> float:
    """What it costs to stand there: labels and curves that are covered."""
    width, height = box[2] - box[0], box[3] - box[1]
    price = 0.0
    for other in placed:
        wide = min(box[2], other[2]) - max(box[0], other[0])
        high = min(box[3], other[3]) - max(box[1], other[1])
        if wide > 0 and high > 0:
            price += (
                ON_LABEL
                * wide
                * high
                / min(width * height, (other[2] - other[0]) * (other[3] - other[1]))
            )
    return price + ON_CURVE * pixels_under(box, curves) / height


def pixels_under(box: Box, curves: NDArray[np.float64]) -> int:
    """Pixels of curves that a box covers.

    Parameters
    ----------
    box : Box
    curves : ndarray, shape (n, 2)
        From `points_of_curves`.
    """
    x, y = curves.T
    return int(np.count_nonzero((x > box[0]) & (x < box[2]) & (y > box[1]) & (y < box[3])))


def points_of_curves(ax: Axes) -> NDArray[np.float64]:
    """Points on curves and rules, about a pixel apart, in pixels of the page."""
    found = [np.empty((0, 2))]
    for line in ax.lines:
        points = np.asarray(line.get_transform().transform(line.get_path().vertices))
        points = points[np.isfinite(points).all(axis=1)]
        if len(points) < 2:
            continue
        lengths = np.hypot(*np.diff(points, axis=0).T)
        along = np.append(0.0, np.cumsum(np.minimum(lengths, 5000.0)))
        even = np.linspace(0, along[-1], min(max(int(along[-1]), 2), 5000))
        found.append(np.column_stack([np.interp(even, along, points[:, i]) for i in (0, 1)]))
    return np.vstack(found)


def box_of(extent: Any) -> Box:
    """The box of an extent that matplotlib measured."""
    return (float(extent.x0), float(extent.y0), float(extent.x1), float(extent.y1))
