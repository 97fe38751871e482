"""`PageStates`: the settings that pages had, for all data or for one data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench import _checks, _json
from workbench._json import JsonObject
from workbench.workspaces.errors import WorkspaceError
from workbench.workspaces.parts.storage import Storage


class PageStates:
    """The settings of pages, by the name of the page and the key of a data set."""

    def __init__(self, storage: Storage):
        self._storage = storage

    def get(self, page: str, key: str = "") -> JsonObject | None:
        """The settings that a page had, or None.

        Parameters
        ----------
        page : str
            The page's name.
        key : str, optional
            Of the data set that they belong to.
        """
        _checks.text(page, "page"), _checks.text(key, "key")
        with self._storage.lock:
            return self._storage.store.states.get(page, key)

    def keep(self, page: str, settings: Mapping[str, Any], key: str = "") -> None:
        """Keep the settings of a page.

        Parameters
        ----------
        page : str
        settings : mapping
            JSON values.
        key : str, optional
            Of the data set that they belong to. Of draws, the last few are kept.

        Raises
        ------
        WorkspaceError
            Values that JSON does not hold.
        """
        _checks.text(page, "page"), _checks.text(key, "key")
        _checks.instance(settings, Mapping, "settings", "a dict of settings by name")
        try:
            _json.dumps_ascii(dict(settings))
        except (TypeError, ValueError) as error:
            raise WorkspaceError(
                f"these settings cannot be kept: {error}; give numbers, text, lists and None"
            ) from None
        with self._storage.lock:
            self._storage.store.states.put(page, key, dict(settings))
