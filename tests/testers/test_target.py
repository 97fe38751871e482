"""A mechanism is found by what people type, runs anywhere, and is refused with a remedy."""

import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from workbench.mechanisms.base import Domain, Mechanism
from workbench.mechanisms.gallery import GALLERY
from workbench.testers.running.load_mechanism import find_mechanism

CODE = """
from __future__ import annotations
from dataclasses import dataclass
import numpy as np
import beside
from workbench import PureDP
from workbench.mechanisms.base import Domain, Mechanism

@dataclass
class Release:
    scale: float = beside.SCALE

    def __call__(self, dataset, size, rng):
        return np.sum(dataset) + rng.laplace(scale=self.scale, size=size)

release = Release()

def total(dataset, size, rng):
    return release(dataset, size, rng)

def swapped(data, rng, num_samples):
    return release(data, num_samples, rng)

def open(dataset, k): ...
def short(dataset, epsilon): ...
def many(dataset, size, rng, epsilon): ...
constant = 3
card = Mechanism(
    "mine", "Mine", total, PureDP(1), True, "substitute", Domain(high=3.0), "", ([], [])
)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "code").mkdir()
    name = f"mine_{tmp_path.name.replace('-', '_')}"  # modules outlive a test
    (tmp_path / "code" / f"{name}.py").write_text(CODE)
    (tmp_path / "code" / "beside.py").write_text("SCALE = 2.0")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path, name
    sys.modules.pop("beside", None)


def arguments():
    return np.ones(3), 5, np.random.default_rng(0)


def outputs(mechanism):
    return mechanism(*arguments())


def expected():
    return 3 + np.random.default_rng(0).laplace(scale=2, size=5)


def test_a_function_of_a_file(folder):
    path, name = folder
    for function in ("total", "swapped"):
        text = f"code/{name}.py:{function}"
        assert np.array_equal(outputs(find_mechanism(text)), expected())
    for text in (f"code/{name}.py:total", f"{path}/code/{name}.py:release"):
        found = find_mechanism(text)
        assert found.name == text
        assert np.array_equal(outputs(found), expected())


def test_a_function_of_a_module_from_the_directory(folder):
    path, name = folder
    found = find_mechanism(f"{name}:total", directory=path / "code")
    assert np.array_equal(outputs(found), expected())
    assert find_mechanism(f"{name}:release.__call__", path / "code").name.endswith("__call__")


def test_a_mechanism_of_ones_own_brings_its_card(folder):
    _, name = folder
    found = find_mechanism(f"code/{name}.py:card")
    assert isinstance(found, Mechanism)
    assert (found.neighboring_relation, found.domain) == ("substitute", Domain(high=3.0))
    assert np.array_equal(outputs(pickle.loads(pickle.dumps(found))), expected())


def test_the_gallery_by_name():
    for name, mechanism in GALLERY.items():
        assert find_mechanism(name) is mechanism


def test_other_processes_find_it_too_and_an_edit_changes_nothing(folder):
    _, name = folder
    found = find_mechanism(f"code/{name}.py:total")
    (folder[0] / "code" / f"{name}.py").write_text("raise RuntimeError('edited meanwhile')")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert np.array_equal(pool.submit(found, *arguments()).result(), expected())
    with pytest.raises(ValueError, match="RuntimeError: edited meanwhile"):
        find_mechanism(f"code/{name}.py:total")


def test_a_file_shadows_no_module(tmp_path):
    (tmp_path / "json.py").write_text("def f(dataset, size, rng): return 'mine'")
    code = (
        "import json, sys; from workbench.testers.running.load_mechanism import find_mechanism;"
        f"f = find_mechanism({str(tmp_path / 'json.py')!r} + ':f');"
        "print(f(0, 0, 0), sys.modules['json'] is json)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["mine", "True"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("svt55", "no mechanism 'svt55'; did you mean svt5"),
        ("code/NAME.py", "name the function too: code/NAME.py:FUNCTION"),
        ("code/NAME.py:", "write MODULE:FUNCTION"),
        (":total", "write MODULE:FUNCTION"),
        ("code/NAMES.py:total", "did you mean NAME.py"),
        ("nowhere/mine.py:total", "there is no file"),
        ("code/NAME.py:totals", "has no 'totals'; did you mean total?"),
        ("code/NAME.py:release.scales", "has no 'release.scales'; did you mean scale?"),
        ("code/NAME.py:constant", "not a function but of type int"),
        ("code/NAME.py:Release", "is a class"),
        ("code/NAME.py:short", "takes (dataset, epsilon), and epsilon has no value"),
        ("code/NAME.py:short", "mechanism = functools.partial(short, epsilon=...)"),
        ("code/NAME.py:many", "takes (dataset, size, rng, epsilon), and epsilon has no value"),
        ("code/NAME.py:open", "is k the number of runs, or a parameter of the mechanism?"),
        ("code/NAME.py:open", "wb.mechanism_from(open, call='dataset, size')"),
        ("code/NAME.py:open", "functools.partial(open, k=...)"),
        ("cod:total", "no module 'cod' is found from"),
        ("needs:f", "needs cannot be imported: ModuleNotFoundError: No module named 'absent'"),
        ("script.py:f", '`if __name__ == "__main__":`'),
        ("broken.py:f", "SyntaxError"),
        ("latin.py:f", "is not a Python file"),
        ("relative.py:f", "PACKAGE.MODULE:FUNCTION"),
    ],
)
def test_what_cannot_be_tested_is_refused_with_a_remedy(folder, text, says):
    path, name = folder
    for file, content in {
        "needs.py": b"import absent",
        "script.py": b"import sys; sys.exit(3)",
        "broken.py": b"f = (",
        "latin.py": b"# \xff",
        "relative.py": b"from . import x",
    }.items():
        (path / file).write_bytes(content)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        find_mechanism(text.replace("NAME", name))
    assert says.replace("NAME", name) in str(caught.value)
