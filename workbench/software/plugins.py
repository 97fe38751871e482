"""Plug-ins: what other installed packages add to the registries of the workbench.

A package names what it adds by entry points, in the groups of `GROUPS`::

    [project.entry-points."workbench.pairs"]
    logistic = "my_package.pairs:LOGISTIC"

Every registry that can be extended is a `Registry`: our names, then those of plug-ins, which are
imported when the registry is first asked for something that is not ours. A plug-in that raises,
or is not what its group takes, is left out with one `PluginWarning`; nothing else changes.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

    import pandas as pd

Kind = TypeVar("Kind")

#: Group of entry points -> the registry that it extends.
GROUPS = {
    "workbench.layouts": "workbench.scores.layouts.tools:OTHER_TOOLS",
    "workbench.table_layouts": "workbench.tables.layouts.registry:LAYOUTS",
    "workbench.claims": "workbench.claims.parse:CLAIM_KINDS",
    "workbench.testers": "workbench.testers.property_testers.registry:TESTERS",
    "workbench.intervals": "workbench.bounds.counts.intervals:INTERVALS",
    "workbench.pairs": "workbench.pairs.own.kinds:PAIR_KINDS",
    "workbench.pages": "workbench.pages.registry:PAGES",
    "workbench.mechanisms": "workbench.mechanisms.gallery:GALLERY",
    "workbench.report_formats": "workbench.reports.write:FORMATS",
}

#: What the name of an entry point must be: people type it, links and settings hold it.
_NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")

LOADED = "loaded"


class PluginWarning(UserWarning):
    """A plug-in is left out; the message names its package, its entry point and the reason."""


@dataclass(frozen=True)
class Plugin:
    """An entry point of another package, and whether the workbench has what it names.

    Attributes
    ----------
    name, group : str
        Of the entry point.
    distribution, version : str
        Of the package; "" where it does not say.
    where : str
        What the entry point names, as "module:object".
    status : str
        "loaded", or why it is left out.
    """

    name: str
    group: str
    distribution: str
    version: str
    where: str
    status: str

    @property
    def warning(self) -> str:
        """Why it is left out, and what to do, as one sentence."""
        package = self.distribution or "an unnamed package"
        return (
            f"the plug-in {self.name!r} of {f'{package} {self.version}'.strip()} is left out "
            f"({self.group}: {self.where}): {self.status}; mend it, or remove it with: "
            f"pip uninstall {package}"
        )


class Registry(Mapping[str, Kind], Generic[Kind]):
    """Named objects: ours, then those of plug-ins, which are imported at the first use.

    Asking for one of ours imports no plug-in; listing the names, or asking for another one, does.

    Parameters
    ----------
    group : str
        A key of `GROUPS`.
    ours : mapping of str
        Our own; a plug-in cannot take one of these names.
    taken : callable
        Of the name and the object of a plug-in: what the registry holds. It raises a ValueError
        or TypeError that says what the object should be.
    """

    def __init__(
        self, group: str, ours: Mapping[str, Kind], taken: Callable[[str, Any], Kind]
    ) -> None:
        self.group, self.ours, self._taken = group, ours, taken
        self._found: tuple[dict[str, Kind], tuple[Plugin, ...]] | None = None
        self._publish, self._here = threading.Lock(), threading.local()

    def __getitem__(self, name: str) -> Kind:
        return self.ours[name] if name in self.ours else self.others[name]

    def __contains__(self, name: object) -> bool:
        return name in self.ours or name in self.others

    def __iter__(self) -> Iterator[str]:
        yield from self.ours
        yield from self.others

    def __len__(self) -> int:
        return len(self.ours) + len(self.others)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self)})"

    @property
    def others(self) -> dict[str, Kind]:
        """What plug-ins add, by name."""
        return self._load()[0]

    @property
    def plugins(self) -> tuple[Plugin, ...]:
        """All entry points of the group, with those that are left out."""
        return self._load()[1]

    @contextmanager
    def trying(self, name: str, found: Any) -> Iterator[Kind]:
        """While it lasts, the registry has an object as if a plug-in had added it.

        Parameters
        ----------
        name : str
            That of an entry point; the names of plug-ins that are installed give way.
        found : object
            As an entry point names it.

        Raises
        ------
        ValueError or TypeError
            Why it would be left out.
        """
        self._check_name(name, {})
        kept = self._load()
        others = {one: kind for one, kind in kept[0].items() if one != name}
        self._found = ({**others, name: self._taken(name, found)}, kept[1])
        try:
            yield self._found[0][name]
        finally:
            self._found = kept

    def forget(self) -> None:
        """Look for plug-ins again at the next use, as after an installation."""
        self._found = None
        _entry_points.cache_clear()

    def _load(self) -> tuple[dict[str, Kind], tuple[Plugin, ...]]:
        if self._found is not None:
            return self._found
        if getattr(self._here, "loading", False):  # a plug-in that uses what it extends
            return {}, ()
        # No lock while plug-ins are imported: two threads that import each other's modules would
        # wait for ever. Python imports each module once; the first result is everybody's.
        self._here.loading = True
        try:
            found = self._imported()
        finally:
            self._here.loading = False
        with self._publish:
            first = self._found is None
            if self._found is None:
                self._found = found
        if first:
            for plugin in found[1]:
                if plugin.status != LOADED:
                    warnings.warn(plugin.warning, PluginWarning, stacklevel=4)
        return self._found

    def _imported(self) -> tuple[dict[str, Kind], tuple[Plugin, ...]]:
        """What the plug-ins add, and each with its status."""
        others: dict[str, Kind] = {}
        seen: dict[str, str] = {}
        plugins = []
        for entry in _entry_points().get(self.group, ()):
            package, version = _package_of(entry)
            try:
                self._check_name(entry.name, seen)
                others[entry.name] = self._taken(entry.name, entry.load())
                seen[entry.name], status = package, LOADED
            except (Exception, SystemExit) as error:  # of other people's code
                status = _reason(error)
            plugins.append(Plugin(entry.name, self.group, package, version, entry.value, status))
        return others, tuple(plugins)

    def _check_name(self, name: str, seen: Mapping[str, str]) -> None:
        if not _NAME.fullmatch(name):
            raise ValueError(
                "its name must be lower-case letters, digits, '-' and '_', beginning with a letter"
            )
        if name in self.ours:
            raise ValueError("the workbench has that name; its author has to choose another one")
        if name in seen:
            raise ValueError(f"the package {seen[name]} has that name; keep one of the two")


def _reason(error: BaseException) -> str:
    """Why a plug-in is left out, in one line."""
    if isinstance(error, SystemExit):
        return f"it ended the program (SystemExit: {error})"
    try:
        words = " ".join(str(error).split())[:300].rstrip(" .;")
    except Exception:  # other people's code
        words = ""
    if "partially initialized module" in words:
        words += "; it is imported while pages are, so give each kind a module of its own"
    if isinstance(error, ValueError | TypeError) and words:
        return words
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


@cache
def _entry_points() -> dict[str, tuple[EntryPoint, ...]]:
    """All entry points of our groups, in the order of packages and names."""
    from importlib.metadata import distributions

    found: dict[str, list[EntryPoint]] = {group: [] for group in GROUPS}
    packages = list(distributions())
    ours = [_entries_of(package) for package in packages]
    # Names are in files that take long to parse: few programs have a plug-in.
    last = max((i for i, entries in enumerate(ours) if entries), default=-1)
    seen = set()
    for package, entries in zip(packages[: last + 1], ours, strict=False):
        try:
            name = package.name
        except Exception:  # a damaged installation, of whatever package
            continue
        if entries is None or name in seen:
            continue
        seen.add(name)  # the first on the path is the one that is imported
        for entry in entries:
            found[entry.group].append(entry)
    return {
        group: tuple(sorted(entries, key=lambda e: (*_package_of(e), e.name, e.value)))
        for group, entries in found.items()
    }


def _entries_of(package: Distribution) -> tuple[EntryPoint, ...] | None:
    """The entry points of our groups; None of a damaged installation, of whatever package."""
    try:
        return tuple(entry for entry in package.entry_points if entry.group in GROUPS)
    except Exception:
        return None


def _package_of(entry: EntryPoint) -> tuple[str, str]:
    """Name and version of the package that an entry point is of; "" where nothing is said."""
    if entry.dist is None:
        return "", ""
    try:
        return str(entry.dist.name or ""), str(entry.dist.version or "")
    except Exception:  # damaged metadata
        return "", ""


def plugins() -> pd.DataFrame:
    """Table of the plug-ins that are installed, and of those that are left out.

    Returns
    -------
    pandas.DataFrame
        One row for each entry point: name, group, distribution, version, where (its module and
        object) and status, which is "loaded" or the reason why it is left out. Every registry is
        loaded for it.

    Examples
    --------
    >>> wb.software.plugins().columns.to_list()
    ['name', 'group', 'distribution', 'version', 'where', 'status']
    """
    import pandas as pd

    columns = ("name", "group", "distribution", "version", "where", "status")
    found = [plugin for where in GROUPS.values() for plugin in resolve_name(where).plugins]
    rows = [[getattr(one, column) for column in columns] for one in found]
    return pd.DataFrame(rows, columns=list(columns))
