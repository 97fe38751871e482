"""Pages without a front end: data sets for them, and what they draw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import param

from workbench.pages.core.upload import Upload
from workbench.scores.parsing.source import read_table
from workbench.workspaces.reading import Reading

CSV = "in,out\n" + "\n".join(f"{i / 7 + 0.4},{i / 8}" for i in range(60))
REVERSED = "out,in\n" + "\n".join(f"{i / 7 + 1.4},{i / 8}" for i in range(60))
LABELED = "score,alt,member\n" + "\n".join(f"{i % 50},{i % 41 + i % 2},{i % 2}" for i in range(200))


def added(workspace, *files, **reading):
    """The data set of files, (name, text) each, added to a workspace."""
    tables = [read_table(text.encode(), filename=name) for name, text in files]
    return workspace.add(tables, Reading(**reading), files=[name for name, _ in files])


def upload(page, *files, **reading):
    """Give the page a data set of files, (name, text) each."""
    dataset = added(page.workspace, *files, **reading)
    page.follow(dataset.key)
    return dataset


def reread(page, **changes):
    """Change how the page's data set is read, after results were shown; the page follows."""
    dataset = page.workspace.dataset(page.data_key)
    page.workspace.kept.reread(dataset.key, replace(dataset.reading, **changes), seen=True)
    page.refresh()


def items(page):
    """All that the page draws."""
    return [*page.figures(), *page.numbers(), *page.sentences()]


def as_plain(value):
    """A drawing that can be compared, arrays included."""
    if isinstance(value, np.ndarray):
        return ("array", value.shape, value.tobytes())
    if isinstance(value, dict):
        return {k: as_plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(v) for v in value]
    return value


def another(page, name):
    """Another value that a person could give this control."""
    p, now = page.param[name], getattr(page, name)
    if isinstance(p, param.Event):
        return True
    if isinstance(p, param.Boolean):
        return not now
    if isinstance(p, param.Selector):
        values = list(p.get_range().values())
        return next((v for v in values if v != now), now)
    if isinstance(p, param.String):
        return f"{now} other"
    _, high = p.bounds or (None, None)
    step = p.step or 1
    return now - step if high is not None and now + step > high else now + step


def assert_what_does_not_declare_a_control_does_not_follow_it(page):
    """Each control is changed; items that do not rest on any changed parameter stay the same."""
    controls = [c.name for section in page.sections for c in section.controls]
    for name in controls:
        if name not in page.param or isinstance(page.param[name], Upload):
            continue
        before = {item.name: as_plain(page.draw(item)) for item in items(page)}
        values = page.param.values()
        setattr(page, name, another(page, name))
        changed = {n for n, v in page.param.values().items() if v is not values[n]} | {name}
        for item in items(page):
            if not page.inputs(item) & changed:
                assert as_plain(page.draw(item)) == before[item.name], (name, item.name)
        setattr(page, name, values[name])
        page.param.update(values)  # and no mark that it was ever changed
    return controls
