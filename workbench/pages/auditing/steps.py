"""`code_cells`: the code of an audit in steps, each with the numbers that it computes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.audits.audit import Audit
from workbench.audits.items import AuditData
from workbench.pages.inputs.code import call

#: What the code of a page says of an object that it does not have.
_GIVEN = re.compile(r"^# (\w+): as given in Python$", re.MULTILINE)


@dataclass(frozen=True)
class CodeStep:
    """A part of the code of an audit.

    Parameters
    ----------
    source : str
        Its lines.
    names : tuple of str
        Names of the audit's numbers that it computes, each as a variable.
    sets : tuple of str
        All variables that it sets.
    """

    source: str
    names: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()

    @property
    def uses(self) -> frozenset[str]:
        """Names that its lines read."""
        found = (one for one in ast.walk(ast.parse(self.source)) if isinstance(one, ast.Name))
        return frozenset(one.id for one in found if isinstance(one.ctx, ast.Load))


def code_cells(audit: Audit) -> tuple[CodeStep, ...]:
    """The code of an audit in steps, which run one after another in a notebook.

    Parameters
    ----------
    audit : Audit
        For a page: ``audit_of(page)``.

    Returns
    -------
    tuple of CodeStep
        Imports and data first, then the numbers, then the page. Data that are no example are found
        by their hash; see `workbench.recorded_scores`.

    Raises
    ------
    ValueError
        The code of the audit is no Python: it comes from somebody else, or is damaged.
    """
    try:
        return tuple(_steps(audit))
    except (SyntaxError, ValueError) as error:  # a NUL is a ValueError
        raise ValueError(f"the code of this audit is no Python: {error}") from error


def _steps(audit: Audit) -> Iterator[CodeStep]:
    numbers = {number.name for number in audit.numbers}
    found = {_variable(one): data_source(one, audit.key) for one in audit.data if one.sha256}
    for part in audit.code.strip().split("\n\n"):
        sets = _set_by(part)
        source = found[sets[0]] if len(sets) == 1 and sets[0] in found else _runnable(part, audit)
        yield CodeStep(source, tuple(name for name in sets if name in numbers), sets)


def data_source(data: AuditData, key: str = "") -> str:
    """The line that finds a data set of an audit by its hash.

    Parameters
    ----------
    data : AuditData
    key : str
        Of the audit; "" if it was not saved.
    """
    found = call(
        "wb.recorded_scores",
        repr(data.sha256),
        name=data.name,
        files=data.files or None,
        reading=dict(data.reading),
        audit=key or None,
    )
    return f"{_variable(data)} = {found}"


def _variable(data: AuditData) -> str:
    """The variable of a data set in the code of pages."""
    return "scores" if data.parameter == "data" else data.parameter.removesuffix("_data")


def _set_by(source: str) -> tuple[str, ...]:
    """Variables that lines set, in order."""
    targets = [
        name.id
        for statement in ast.parse(source).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    ]
    return tuple(dict.fromkeys(targets))


def _runnable(source: str, audit: Audit) -> str:
    """The lines, with uploaded files found by their hash, and a word on what is missing."""
    for name, sha256 in _uploads(audit):
        found = call("wb.recorded_file", repr(sha256), repr(name), audit=audit.key or None)
        named = re.compile(rf"(wb\.read_one_run\(\s*|^tables = \(.*?){re.escape(repr(name))}", re.M)
        source = named.sub(lambda opened, found=found: opened[1] + found, source)
    return _GIVEN.sub(_asked, source)


def _uploads(audit: Audit) -> list[tuple[str, str]]:
    """Names and hashes of the files among the settings of a page; see `Upload.setting`."""
    files = audit.settings.get("upload") or ()
    return [(name, sha256) for name, _, sha256 in files]


def _asked(given: re.Match[str]) -> str:
    name = given[1]
    said = f"this audit is about an object of Python: set {name} to it in a cell above"
    return f"if {name!r} not in globals():\n    raise NameError({said!r})"
