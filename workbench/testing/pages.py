"""`check_page` and `check_report_format`: what every page must do, and a format of reports."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import param

from workbench import _json
from workbench._markup import escape_html
from workbench._names import near
from workbench.assets import board
from workbench.audits.audit import Audit
from workbench.bounds.bound import Bound
from workbench.pages.auditing.audit_of import audit_of
from workbench.pages.auditing.page_of import page_of
from workbench.pages.core.page import Answer, Fact, Item, Page
from workbench.pages.core.sliders import TextField
from workbench.pages.core.upload import Upload
from workbench.pages.registry import LONGEST_TITLE, PAGES
from workbench.reports.write import FORMATS, write_report
from workbench.testing.failure import Properties
from workbench.workspaces.workspace import Workspace

#: A name as bad as a person may type it.
_NASTY = "<script>alert('x')</script> | \"a\"\n‮ ` {} \\ $x$"


def check_page(kind: type[Page], name: str = "page-under-check", **start: Any) -> None:
    """Nothing, if a page does what every page must.

    Parameters
    ----------
    kind : type
        The class of the page.
    name : str
        That of its entry point.
    **start
        Parameters that it is made with, such as a smaller sample.

    Raises
    ------
    CheckFailure
        The first property that fails: it has a short title and says what it is
        about, its controls are parameters or jobs, its items rest on parameters, are explained and
        follow no control that they do not declare, charts are summed up, numbers are a `Bound` or
        a `Fact`, another page restores its settings, and an audit of it goes through JSON, is
        shown again, and becomes a report.

    Examples
    --------
    >>> from workbench.pages.counts import CountsPage
    >>> from workbench.testing import check_page
    >>> check_page(CountsPage, "counts")
    """
    demand = Properties(f"the page {getattr(kind, '__name__', kind)!r}")
    demand.demand(
        isinstance(kind, type) and issubclass(kind, Page), "it is a class of wb.pages.Page"
    )
    title, about = kind.title, kind.about
    demand.demand(
        title.strip() and len(title) <= LONGEST_TITLE,
        f"its title is a few words, of at most {LONGEST_TITLE} characters",
        f"{title!r}",
    )
    demand.demand(about.strip(), "it says what it is about", f"about is {about!r}")
    page = kind(**start)
    _check_items(page, demand)
    check_what_is_declared(page, demand)
    _check_settings(page, kind, demand)
    with nullcontext() if name in PAGES else PAGES.trying(name, kind):
        _check_audit(audit_of(kind(**start)), kind, name, demand)
        try:
            changed = audit_of(page)
        except ValueError:
            return  # the page says what its settings lack
        _check_audit(changed, kind, name, demand)


def _check_items(page: Page, demand: Properties) -> None:
    for control in page.control_names():
        demand.demand(
            control in page.param or control in page.jobs(),
            f"the control {control!r} is a parameter or a job",
            f"did you mean {' or '.join(near(control, list(page.param)))}?",
        )
    demand.demand(page.items(), "it draws something", "it has no figure, number or sentence")
    for item in page.items():
        unknown = sorted(set(page.inputs(item)) - set(page.param))
        demand.demand(not unknown, f"{item.name!r} rests on parameters", f"not {unknown}")
        drawn = _drawn(page, item, demand)
        if item.kind == "sentence":
            kinds: tuple[type, ...] = (Answer,) if item.place == "answer" else (str,)
        else:
            kinds = (dict,) if item.kind == "figure" else (Bound, Fact)
            demand.demand(item.title.strip(), f"{item.name!r} has a title")
            demand.demand(
                item.help.strip(), f"{item.name!r} is explained: its method has a docstring"
            )
        called = " or ".join(one.__name__ for one in kinds)
        demand.demand(isinstance(drawn, kinds), f"{item.name!r} gives a {called}", f"got {drawn!r}")
        demand.demand("NaN" not in board.content(drawn), f"{item.name!r} has no NaN")
    page.answer_item()


def _drawn(page: Page, item: Item, demand: Properties) -> Any:
    try:
        return page.draw(item)
    except Exception as error:  # other people's code
        demand.demand(False, f"{item.name!r} is drawn", f"{type(error).__name__}: {error}")


# -- what rests on what ----------------------------------------------------------------------------


def as_plain(value: Any) -> Any:
    """A drawing that can be compared, arrays included."""
    if isinstance(value, np.ndarray):
        return ("array", value.shape, value.tobytes())
    if isinstance(value, dict):
        return {k: as_plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(v) for v in value]
    return value


def another(page: Any, name: str) -> Any:
    """Another value that a person could give this control."""
    p, now = page.param[name], getattr(page, name)
    if isinstance(p, param.Event):
        return True
    if isinstance(p, param.Boolean):
        return not now
    if isinstance(p, param.Selector):
        values = list(p.get_range().values())
        return next((v for v in values if v != now), now)
    if isinstance(p, TextField):
        return p.other if now != p.other else p.default
    if isinstance(p, param.String):
        return f"{now} other"
    low, high = p.bounds or (None, None)
    tenth = 1 if isinstance(p, param.Integer) or low is None or high is None else (high - low) / 10
    step = p.step or tenth
    return now - step if high is not None and now + step > high else now + step


def check_what_is_declared(page: Page, demand: Properties) -> list[str]:
    """Each control is changed; items that do not rest on any changed parameter stay the same.

    Parameters
    ----------
    page : Page
    demand : Properties

    Returns
    -------
    list of str
        The controls of the page.
    """
    for name in page.control_names():
        if name not in page.param or isinstance(page.param[name], Upload):
            continue
        before = {item.name: as_plain(page.draw(item)) for item in page.items()}
        values = page.param.values()
        setattr(page, name, another(page, name))
        changed = {n for n, v in page.param.values().items() if v is not values[n]} | {name}
        for item in page.items():
            if not page.inputs(item) & changed:
                demand.demand(
                    as_plain(page.draw(item)) == before[item.name],
                    f"{item.name!r} follows only what it declares in needs=",
                    f"it changed with {name!r}",
                )
        setattr(page, name, values[name])
        page.param.update(values)  # and no mark that it was ever changed
    return page.control_names()


# -- what is kept ----------------------------------------------------------------------------------


def _check_settings(page: Page, kind: type[Page], demand: Properties) -> None:
    for name in page.control_names():
        if name in page.settable and not isinstance(page.param[name], Upload | param.Event):
            setattr(page, name, another(page, name))
    try:
        settings = _json.loads(_json.dumps(page.settings()))
    except (TypeError, ValueError) as error:
        demand.demand(False, "its settings can be kept as JSON", str(error))
    again = kind()
    lost = again.restore(settings)
    demand.demand(not lost, "another page restores its settings", f"it loses {lost}")
    kept = _json.loads(_json.dumps(again.settings()))
    apart = sorted(name for name in settings if settings[name] != kept.get(name))
    demand.demand(not apart, "another page restores its settings", f"{apart} are different there")


def _check_audit(audit: Audit, kind: type[Page], name: str, demand: Properties) -> None:
    demand.demand(audit.page == name, "its audits know the page", f"got {audit.page!r}")
    again = Audit.from_dict(_json.loads(_json.dumps(audit.to_dict())))
    demand.demand(again.to_dict() == audit.to_dict(), "an audit of it goes through JSON")
    shown = audit_of(page_of(again, Workspace()))
    demand.demand(
        [one.shown for one in shown.numbers] == [one.shown for one in audit.numbers],
        "the page of an audit shows the same numbers",
        f"{[one.shown for one in shown.numbers]} and {[one.shown for one in audit.numbers]}",
    )
    for ending in ("html", "md"):
        content = _written(audit, ending)
        demand.demand(
            escape_html(kind.title) in content or kind.title in content,
            f"a .{ending} report of it has its title",
        )


def _written(audit: Audit, ending: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return write_report(audit, Path(folder) / f"audit.{ending}").read_text(encoding="utf-8")


def check_report_format(
    write: Callable[[Audit], str | bytes], ending: str = "format-under-check"
) -> None:
    """Nothing, if a format writes audits, with any names and numbers in them.

    Parameters
    ----------
    write : callable
        Of an `Audit`: text or bytes.
    ending : str
        That of its entry point.

    Raises
    ------
    CheckFailure
        The first property that fails: it gives text or bytes that are not empty, the same of the
        same audit, leaves the audit as it is, takes names with any characters and audits of any
        page, and ``audit.report`` writes what it gives.

    Examples
    --------
    >>> from workbench.testing import check_report_format
    >>> check_report_format(lambda audit: f"{audit.page}: {len(audit.numbers)} numbers")
    """
    demand = Properties(f"the report format .{ending}")
    demand.demand(callable(write), "it is a function of an audit", f"got {write!r}")
    for page in ("counts", "plan"):
        audit = audit_of(PAGES[page].kind())
        before = audit.to_dict()
        made = write(audit)
        demand.demand(isinstance(made, str | bytes) and made, "it gives text or bytes", f"{made!r}")
        demand.demand(write(audit) == made, "equal audits give equal content")
        demand.demand(audit.to_dict() == before, "it leaves the audit as it is")
        try:
            write(audit.named(_NASTY))
        except Exception as error:  # other people's code
            demand.demand(False, "it takes any name", f"{type(error).__name__}: {error}")
    if ending in FORMATS.ours or ending in FORMATS.others:
        return
    with FORMATS.trying(ending, write), tempfile.TemporaryDirectory() as folder:
        path = audit.report(Path(folder) / f"audit.{ending}")
        content = made if isinstance(made, bytes) else made.encode()
        demand.demand(path.read_bytes() == content, "audit.report writes what it gives")
