"""The app around the pages: bar, drawer, theme; and the server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param
from panel.util import edit_readonly
from panel_material_ui.base import BASE_TEMPLATE

from workbench.assets import board as assets
from workbench.dashboard.render import PLOTLY, Drawing, Script
from workbench.figures.theme import DARK, FONT, LIGHT
from workbench.pages.base import Page

TITLE = "DP Audit Workbench"

#: Makes one person's page: a `Page` class, or a ``functools.partial`` of one.
Factory = Callable[[], Page]

#: Below this width (pixels) the drawer lies over the page, and starts closed.
NARROW = 900

#: Below this width the menu's entries stand closer.
CROWDED = 1280


class ThemeButton(Script):
    """The button that switches between light and dark."""

    narrow = param.Integer(NARROW, doc="Below this width the drawer starts closed.")

    _esm = assets.HERE / "theme.js"


def make_app(pages: Sequence[Factory]) -> dict[str, Callable[[], pmui.Page]]:
    """Address -> app; every call of an app is a new page for a new person.

    Parameters
    ----------
    pages : sequence of Factory
        The first is served at ``/``, the others under their class's name. One page needs no menu.
    """
    addresses = ["/", *(f"/{_slug(page)}" for page in pages[1:])]
    titles = [_kind(page).menu or _kind(page).title for page in pages]
    links = list(zip(addresses, titles, strict=True)) if len(pages) > 1 else []

    def app(page: Factory, address: str) -> Callable[[], pmui.Page]:
        # Panel calls functions only, and would display a functools.partial.
        return lambda: _app(page, links, address)

    return {to: app(page, to) for to, page in zip(addresses, pages, strict=True)}


def serve(
    pages: Sequence[Factory],
    port: int = 5006,
    address: str = "localhost",
    allow_origin: Sequence[str] = (),
    open_browser: bool = True,
) -> None:
    """Serve the pages until interrupted; nothing is fetched from another host.

    Parameters
    ----------
    pages : sequence of Factory
        See `make_app`.
    port, address
        Where to listen; ``"localhost"`` keeps the page to this machine.
    allow_origin : sequence of str
        Further ``host:port`` under which browsers may reach the page, such as behind a proxy.
    open_browser : bool
        Whether to show the page at once.
    """
    pn.serve(
        make_app(pages),
        port=port,
        address=address,
        websocket_origin=[f"{address}:{port}", f"localhost:{port}", *allow_origin],
        show=open_browser,
        title=TITLE,
        verbose=False,
        static_dirs={"plotly": str(files("plotly") / "package_data")},
    )


def _app(factory: Factory, links: list[tuple[str, str]], address: str) -> pmui.Page:
    doc: Any = pn.state.curdoc
    doc.template_variables.update(base=BASE_TEMPLATE, plotly=PLOTLY)
    theme = (pn.state.session_args.get("theme") or [b""])[0].decode()
    if theme in ("dark", "light"):
        doc.template_variables["html_attrs"] = f'data-theme="{theme}"'
    drawing = Drawing(factory(), doc)
    shell = pmui.Page(
        title=TITLE,
        sidebar=[
            _menu(links, address, "drawer"),
            *(part for group in drawing.groups for part in group.parts),
        ],
        main=[drawing.board],
        header=[
            _menu(links, address, "bar"),
            ThemeButton(stylesheets=[_BUTTON_CSS], align="center"),
        ],
        sidebar_width=300,
        sidebar_resizable=False,
        theme_toggle=False,
        theme_config={"light": _theme(LIGHT), "dark": _theme(DARK)},
        raw_css=[assets.palette_css(), _PAGE_CSS],
        sx=_PAGE_SX,
        template=Path(__file__).parent / "page.html",
        favicon=assets.HERE / "icon.svg",
    )
    # The page's own busy light costs two messages a move, a third of the time to the redraw.
    with edit_readonly(shell):
        shell.busy = False
    return shell


def _menu(links: list[tuple[str, str]], address: str, place: str) -> pn.pane.HTML:
    """Links to all pages: in the bar where it is wide enough, in the drawer otherwise."""
    entries = "".join(
        f'<a href=".{to}"{" aria-current=page" if to == address else ""}>{escape(title)}</a>'
        for to, title in links
    )
    return pn.pane.HTML(
        f'<nav class="{place}" aria-label="Pages">{entries}</nav>' if entries else "",
        stylesheets=[_MENU_CSS],
        sizing_mode="stretch_width",
        align="center",
        margin=0,
    )


def _kind(page: Factory) -> type[Page]:
    return page.func if isinstance(page, partial) else page  # type: ignore[return-value]


def _slug(page: Factory) -> str:
    return _kind(page).__name__.removesuffix("Page").lower()


# -- how it looks --------------------------------------------------------------------------------


def _theme(palette: dict[str, str]) -> dict[str, Any]:
    """The palette for Material widgets."""
    return {
        "palette": {
            "primary": {"main": palette["p"]},
            "background": {"default": palette["page"], "paper": palette["paper"]},
            "text": {"primary": palette["ink"], "secondary": palette["muted"]},
            "divider": palette["line"],
        },
        "typography": {"fontFamily": FONT, "body1": {"fontSize": 14, "lineHeight": "20px"}},
        "shape": {"borderRadius": 8},
        "breakpoints": {"values": {"xs": 0, "sm": NARROW, "md": 1000, "lg": 1200, "xl": 1536}},
        "components": {
            # Material lightens raised paper in the dark; the drawer on a phone would look foggy.
            "MuiPaper": {"styleOverrides": {"root": {"backgroundImage": "none"}}},
            "MuiButton": {
                "defaultProps": {"disableElevation": True},
                "styleOverrides": {"root": {"textTransform": "none"}},
            },
            "MuiFormLabel": {"styleOverrides": {"root": {"fontSize": 13, "lineHeight": "18px"}}},
            "MuiInputBase": {"styleOverrides": {"root": {"fontSize": 14}}},
            # The entries of a dropdown are options of its list; panel-material-ui says menu items.
            "MuiMenuItem": {"defaultProps": {"role": "option"}},
        },
    }


_PAGE_SX = {
    ".MuiAppBar-root": {
        "backgroundColor": "var(--wb-paper)",
        "backgroundImage": "none",
        "color": "var(--wb-ink)",
        "boxShadow": "none",
        "borderBottom": "1px solid var(--wb-line)",
    },
    ".MuiAppBar-root .title": {
        "color": "var(--wb-ink)",
        "fontSize": 16,
        "lineHeight": "24px",
        "fontWeight": 600,
        "whiteSpace": "nowrap",
    },
    ".MuiToolbar-root": {"minHeight": "56px !important"},
    # Empty headings that only hold a place, and a bar that stays hidden, are noise when read aloud.
    ".MuiToolbar-root > h5, .MuiAppBar-root > .MuiLinearProgress-root": {"display": "none"},
    ".main, .main-content": {"backgroundColor": "var(--wb-page)"},
    ".sidebar": {
        "backgroundColor": "var(--wb-paper)",
        "backgroundImage": "none",
        "borderRight": "1px solid var(--wb-line)",
        "paddingBottom": "24px",
    },
}

_PAGE_CSS = "html, body { background: var(--wb-page) !important; }"

_BUTTON_CSS = """
button { display: grid; place-items: center; width: 40px; height: 40px; border: 0; padding: 0;
         border-radius: 50%; background: none; color: var(--wb-ink); cursor: pointer; }
button:hover { background: var(--wb-page); }
button:focus-visible { outline: 2px solid var(--wb-p); }
svg { fill: currentcolor; }
"""

_MENU_CSS = f"""
nav {{ display: flex; gap: 4px; font: 500 14px/24px var(--wb-font); }}
nav.bar {{ flex-wrap: wrap; padding: 0 24px; }}
nav.drawer {{ flex-direction: column; padding: 0 4px; }}
@media (max-width: {NARROW - 1}px) {{ nav.bar {{ display: none; }} }}
@media (min-width: {NARROW}px) {{ nav.drawer {{ display: none; }} }}
a {{ padding: 4px 12px; border-radius: 6px; color: var(--wb-muted); text-decoration: none;
     white-space: nowrap; }}
/* Where one line does not hold them all, two fit into the bar. */
@media (max-width: {CROWDED - 1}px) {{
  nav.bar {{ column-gap: 0; padding: 0 8px 0 16px; font-size: 13px; }}
  nav.bar a {{ padding: 0 9px; }}
}}
a:hover {{ background: var(--wb-page); }}
a[aria-current] {{ color: var(--wb-p); }}
a:focus-visible {{ outline: 2px solid var(--wb-p); }}
"""
