"""Runs the code cells of all notebooks in the present folder, and alters what they recorded.

As a program it writes JSON: for every notebook the error that ended it or
null, the numbers that it checked, and alterations of recorded numbers that it did not notice.
"""

from __future__ import annotations

import ast
import json
import math
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    paths = sorted(Path().glob("*.ipynb"))
    found = {path.stem: run(json.loads(path.read_text())) for path in paths}
    sys.stdout.write(json.dumps(found))


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__"}
    result: dict[str, Any] = {"error": None, "checked": [], "unnoticed": []}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        try:
            exec(cell["source"], names)
        except Exception as error:
            result["error"] = f"{type(error).__name__}: {error}"
            return result
        for name, call in checks(cell["source"]):
            result["checked"].append(name)
            if not fails(altered(call), names):
                result["unnoticed"].append(ast.unparse(altered(call)))
    return result


def checks(source: str) -> list[tuple[str, ast.Call]]:
    """Names of the checked numbers, and the calls that check them."""
    calls = (one.value for one in ast.parse(source).body if isinstance(one, ast.Expr))
    return [
        (call.args[0].id, call)
        for call in calls
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "wb.same_number"
    ]


def altered(call: ast.Call) -> ast.Call:
    """The call with another recorded number: the last digit shown, or a millionth more."""
    value = eval(ast.unparse(call.args[1]))
    if isinstance(value, str):
        at = max((i for i, c in enumerate(value) if c.isascii() and c.isdigit()), default=None)
        if at is None:
            other = f"not {value}"
        else:
            other = f"{value[:at]}{(int(value[at]) + 5) % 10}{value[at + 1 :]}"
    elif isinstance(value, tuple):
        other = (*value[:-1], value[-1] * (1 + 1e-6) + 1e-12)
    else:
        other = value * (1 + 1e-6) + 1e-12 if math.isfinite(value) else 1.0
    return ast.Call(call.func, [call.args[0], ast.Constant(other), *call.args[2:]], [])


def fails(call: ast.Call, names: dict[str, Any]) -> bool:
    try:
        exec(ast.unparse(call), names)
    except ValueError as error:
        return "but the audit recorded" in str(error)
    return False


if __name__ == "__main__":
    main()
