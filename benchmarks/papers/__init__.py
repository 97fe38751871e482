"""The five papers: every numbered theorem, table and figure, printed beside ours.

python -m benchmarks papers [hist | tv | auditorium | bits | select ...] [--full]

Without a name all five are made. The default takes at most 5 minutes of CPU for each paper; with
``--full`` everything has the paper's scale, and what is done stays in ``build/papers/`` until
``--fresh``, so that the command resumes where it was interrupted. The command prints a line for
each printed number and writes ``build/papers/<paper>.html``, a page of charts that needs no
network. Other options: ``--item "Fig. 9"`` makes one item, ``--seed 1`` draws anew, ``--rows``
prints the rows of ``docs/published-figures.md``.

How to add an item:

1. Each paper has a folder, ``benchmarks/papers/<paper>/``, whose ``__init__.py`` has ``ITEMS``, a
   tuple of `item.Item` in the order of the paper. The functions stand in modules of the folder.
2. ``Item(name, title, place, make, quick=False)``: ``name`` as the paper numbers it (``"Fig. 9"``,
   ``"Table 4"``, ``"Thm. 2"``, ``"§6.7"``); ``place`` is where the idea is in the product, as words
   in which ``*One run*`` is the title of a page, `` `wb.one_run_bound` `` a name of the library and
   ``notebook 9`` a notebook: a test finds each of them. ``quick=True`` if the default takes at most
   5 s: then a test makes the item and compares it with the documentation.
3. ``make(run)`` returns ``Found(verdict, lines, charts=())``. ``run.full`` asks for the paper's
   scale, ``run.seed`` (or ``run.rng()``) is where all randomness comes from, and ``run.kept(key,
   function)`` returns what ``function()`` returns, which must be JSON (numbers, lists, dicts;
   arrays become lists); with ``--full`` a second call of the command reads it from
   ``build/papers/``. Keep one part for each training or each cell, not one for the item.
4. ``Line(what, printed, ours, guarantee, why="")`` is one printed number. ``printed`` is a text,
   with the digits of the paper, or words where it prints no number; ``ours`` is a float, which is
   then written with as many decimals, or a text. ``guarantee`` says what ours is (exact, estimate,
   lower bound at 95%, …). ``why`` must be there wherever ours, rounded, is not what is printed;
   ``verdict=`` is for a line whose verdict is not that of its item.
5. ``Chart(name, draw, caption, columns=1, width=4.2)``: ``draw(panels)`` draws on a list of
   Matplotlib axes, in the style of the notebooks; colors are in `drawing`. It computes nothing.
6. `item.Verdict` is a closed set of words. A figure without printed numbers whose text holds here
   is ``AS_DESCRIBED``; a smaller sample than the paper's is ``REDUCED``, unless ``run.full``.
7. ``python -m benchmarks papers <paper> --rows`` prints the lines for the paper's section of
   ``docs/published-figures.md``: paste those that matter, at least one for each item. For quick
   items ``tests/papers/test_rows_of_papers.py`` compares each row, cell by cell.

- `item`: `Item`, `Line`, `Chart`, `Found`, `Verdict`.
- `run`: `Run`, with parts that are kept.
- `registry`: the five papers, and their items.
- `command`: the command line, its table and its totals.
- `page`: the page of charts; `drawing`: charts as SVG.
"""

from __future__ import annotations

from pathlib import Path

#: Where kept parts and pages are written.
FOLDER = Path("build", "papers")
#: Columns of the table for ``python -m benchmarks``.
HEADING = ("what", "ours", "printed")


def main() -> list[tuple[str, str, str]]:
    """Lines for ``python -m benchmarks``, of all papers at the default scale."""
    from benchmarks.papers.command import made
    from benchmarks.papers.registry import PAPERS
    from benchmarks.papers.run import Run

    return [
        (f"{paper.key} {done.item.name}: {line.what}", line.ours_text, line.printed)
        for paper in PAPERS.values()
        for done in made(paper, Run(FOLDER / paper.name))
        for line in done.found.lines
    ]
