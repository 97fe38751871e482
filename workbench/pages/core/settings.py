"""`PageSettings`: the settings of a page as JSON values, and a page restored from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

import param

from workbench.pages.core.sliders import LogNumber, displayed, widen
from workbench.pages.core.upload import Upload

#: Passes in which `PageSettings.restore` sets parameters that depend on each other.
RESTORE_PASSES = 4

#: ``file(sha256)`` returns the content of an uploaded file, or None if it is not there.
Files = Callable[[str], bytes | None]

#: Parameter types that settings consist of.
KINDS = (param.Boolean, param.Number, param.String, param.Selector, Upload)


class PageSettings(param.Parameterized):
    """Settings that outlive a page, such as when the connection to the server is lost."""

    controls: ClassVar[tuple[Any, ...]] = ()  #: see `workbench.pages.core.page.Section`
    follows: ClassVar[tuple[str, ...]] = ("message", "loaded")  #: texts that follow from the state

    _plain: dict[str, Any] | None = None  # what `settings` are taken from, kept

    def __init__(self, **params: Any):
        super().__init__(**params)
        # No slider may stand beyond its own range, whoever set the number.
        sliders = self._sliders()
        for name in sliders:
            widen(self.param[name], getattr(self, name))
        self.param.watch(self._widen, sliders)

    def settings(self, names: Collection[str] | None = None) -> dict[str, Any]:
        """The settings by name: a selector's choice as its label, files by name, size and SHA-256.

        Parameters
        ----------
        names : collection of str, optional
            Names of parameters; all by default.

        Returns
        -------
        dict of str to object
            Values that JSON can hold.
        """
        known = self._settable()
        chosen = known if names is None else known.keys() & set(names)
        return {name: _setting(self, known[name]) for name in chosen}

    def restore(self, settings: Mapping[str, Any], file: Files = lambda sha256: None) -> list[str]:
        """Set the parameters to the `settings` of another page of this class.

        Setting one parameter may change others, such as the threshold when the data change; hence
        several passes. Parameters without a control, such as a seed, come first and last.

        Parameters
        ----------
        settings : mapping of str to object
            May come from an older version or from a stranger: unknown names and values are
            ignored.
        file : callable, optional
            Finds uploaded files; see `Files`. By default there are none.

        Returns
        -------
        list of str
            Labels of the parameters that could not be restored.
        """
        shown = self.control_names()
        known = self._settable()
        hidden = [name for name in known if name not in shown]
        order = [*hidden, *(name for name in shown if name in known), *hidden]
        chosen = self.independent(settings)
        wanted = {name: chosen[name] for name in known if name in chosen}
        with self.restoring():
            for _ in range(RESTORE_PASSES):
                for name in order:
                    if name in wanted and _setting(self, known[name]) != wanted[name]:
                        with suppress(ValueError, TypeError, KeyError):
                            setattr(self, name, _from_setting(known[name], wanted[name], file))
            lost = [name for name in wanted if _setting(self, known[name]) != wanted[name]]
        return [str(known[name].label) for name in lost]

    def independent(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Those of settings that do not follow from others of them, by name.

        A page leaves out what it computes from another setting: an earlier version may have
        computed another value.

        Parameters
        ----------
        settings : mapping of str to object
            Of selectors, values or their labels.
        """
        return dict(settings)

    @contextmanager
    def restoring(self) -> Iterator[None]:
        """Context in which settings of an earlier page are set: nobody chooses anything in it."""
        yield

    @classmethod
    def _sliders(cls) -> list[str]:
        return [
            name
            for name, parameter in cls.param.objects("existing").items()
            if isinstance(parameter, param.Number) and None not in parameter.get_soft_bounds()
        ]

    def _widen(self, *events: Any) -> None:
        for event in events:
            widen(self.param[event.name], event.new)

    @classmethod
    def control_names(cls) -> list[str]:
        """Names of the controls, in the order of the page."""
        return [control.name for section in cls.controls for control in section.controls]

    def _settable(self) -> dict[str, Any]:
        if self._plain is None:
            self._plain = {
                name: parameter
                for name, parameter in self.param.objects().items()
                if isinstance(parameter, KINDS)
                and not isinstance(parameter, param.Event)
                and name not in ("name", *self.follows)
            }
        return self._plain


def setting_text(parameter: Any, value: Any) -> str:
    """A setting as people read it.

    Parameters
    ----------
    parameter : param.Parameter or None
        None where it is not known.
    value : object
        As `PageSettings.settings` has it.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        if isinstance(parameter, LogNumber):
            return displayed(value, log=True).replace("e-0", "e-")
        return displayed(value)
    if isinstance(value, list | tuple):
        files = (one[0] if isinstance(one, list | tuple) else one for one in value)
        return ", ".join(map(str, files)) or "none"
    return "none" if value is None or value == "" else str(value)


def _setting(page: PageSettings, parameter: Any) -> Any:
    """A parameter's value as a JSON value."""
    value = getattr(page, parameter.name)
    if hasattr(parameter, "setting"):
        return parameter.setting(value)
    if isinstance(parameter, param.Selector):
        return next((name for name, one in parameter.get_range().items() if one == value), None)
    return value


def _from_setting(parameter: Any, setting: Any, file: Files) -> Any:
    """The parameter's value for what `_setting` returned; an error if there is none."""
    if hasattr(parameter, "from_setting"):
        return parameter.from_setting(setting, file)
    if isinstance(parameter, param.Selector):
        return parameter.get_range()[setting]
    return setting
