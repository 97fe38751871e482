"""Pages without a front end: data sets for them, and what they draw."""

from __future__ import annotations

from dataclasses import replace

from workbench.scores.parsing.source import read_table
from workbench.testing.failure import Properties
from workbench.testing.pages import another, as_plain, check_what_is_declared
from workbench.workspaces.reading import Reading

__all__ = ["another", "as_plain"]  # and what is below

CSV = "in,out\n" + "\n".join(f"{i / 7 + 0.4},{i / 8}" for i in range(60))
REVERSED = "out,in\n" + "\n".join(f"{i / 7 + 1.4},{i / 8}" for i in range(60))
LABELED = "score,alt,member\n" + "\n".join(f"{i % 50},{i % 41 + i % 2},{i % 2}" for i in range(200))

#: Charts of the page Scores that show something only when it is asked for -> what stands there
#: before: a claim that is refuted, several steps, posterior masses.
NOT_ASKED = {
    "refutation": "The scores refute no claim here.",
    "profile_over_steps": "Choose more than one step to see what they leak together.",
    "posterior_chart": "The posterior mass is not shown.",
}


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


def assert_what_does_not_declare_a_control_does_not_follow_it(page):
    """Each control is changed; items that do not rest on any changed parameter stay the same."""
    return check_what_is_declared(page, Properties(type(page).__name__))


def numbers_of(page):
    """The numbers that a page has in its present state."""
    shown = page.drawn_numbers()
    return [item for item in page.numbers() if item.name in shown]
