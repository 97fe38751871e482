"""Sphinx configuration: `make docs` builds the site into ``docs/_build/html``."""

import hashlib
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE / "extensions")]

import workbench  # noqa: E402

project = "DP Audit Workbench"
author = "The DP Audit Workbench authors"
project_copyright = author
release = version = workbench.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "bars",
    "command_help",
    "explorables",
    "legend",
    "levels",
    "mathml",
    "notebooks",
    "offline",
    "public_names",
    "terms",
]

# Names in single backticks are links where the site documents them, and code elsewhere.
default_role = "py:obj"
templates_path = ["templates"]
exclude_patterns = ["_build", "extensions", "templates"]

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # numpydoc's Parameters sections state the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
toc_object_entries = False  # the attributes of dataclasses would fill the sidebar

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# The cache knows the code of a notebook only; a change of the library makes a new one.
_sources = b"".join(path.read_bytes() for path in sorted((HERE.parent / "workbench").rglob("*.py")))
nb_execution_cache_path = str(HERE / "_build" / "run" / hashlib.sha256(_sources).hexdigest()[:16])
nb_execution_mode = "cache"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_execution_show_tb = True
# A widget needs a kernel, and its script another host; its picture stands in for it.
nb_ipywidgets_js = {}
nb_mime_priority_overrides = [("html", "application/vnd.jupyter.widget-view+json", None)]

html_theme = "pydata_sphinx_theme"
html_title = f"{project} {release}"
html_math_renderer = "mathml"
html_show_sourcelink = False
html_context = {"default_mode": "auto"}
# Pages without pages below them need no navigation at their side.
_leaves = (
    *("index", "installation", "which-bound", "guarantees", "references", "glossary"),
    "command-line",
    "performance",
    "course",
)
html_sidebars: dict[str, list[str]] = {page: [] for page in _leaves}
html_theme_options = {
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "header_links_before_dropdown": 4,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
