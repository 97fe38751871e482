"""The launcher tile of JupyterLab: how jupyter-server-proxy starts and shows the dashboard."""

from __future__ import annotations

import secrets
import sys
from typing import Any

from workbench.assets.board import HERE
from workbench.workspaces.home import LAUNCH_KEY

#: Name of the entry point, and of the page's path on a Jupyter server.
NAME = "dp-audit-workbench"

#: Seconds that the dashboard may take to start on a slow machine.
PATIENCE = 60.0


def setup() -> dict[str, Any]:
    """The description of the dashboard that jupyter-server-proxy asks for.

    Jupyter checks who sends a request, and from which page, before it forwards it. It is then sent
    as one of this machine, which is all that the dashboard accepts. The address that the tile opens
    holds a key that the dashboard of this Jupyter server takes for the owner's, and no other one.
    """
    key = secrets.token_urlsafe(32)
    return {
        "command": [sys.executable, "-m", "workbench", "serve", "--no-open", "--port", "{port}"],
        "environment": {LAUNCH_KEY: key},
        "timeout": PATIENCE,
        "absolute_url": False,
        "new_browser_tab": False,
        "request_headers_override": {
            "Host": "localhost:{port}",
            "Origin": "http://localhost:{port}",
        },
        "launcher_entry": {
            "title": "DP Audit Workbench",
            "icon_path": str(HERE / "icon.svg"),
            "path_info": f"{NAME}/?key={key}",
            "category": "Notebook",
        },
    }
